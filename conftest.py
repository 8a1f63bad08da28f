"""For all tests: passes that a test or a page of the documentation registers are gone after it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kt.passes.registry import PASSES


@pytest.fixture(autouse=True)
def _passes_of_tests_go() -> Iterator[None]:
    before = set(PASSES)
    yield
    for name in [n for n, cls in PASSES.items() if n not in before and not cls.__module__.startswith("kt.")]:
        del PASSES[name]
