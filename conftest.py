"""For all tests: what a test registers is gone after it; examples may take their time on a busy machine."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import settings

from kt.passes.registry import PASSES

settings.register_profile("kt", deadline=None)
settings.load_profile("kt")


@pytest.fixture(autouse=True)
def _passes_of_tests_go() -> Iterator[None]:
    before = set(PASSES)
    yield
    for name in [n for n, cls in PASSES.items() if n not in before and not cls.__module__.startswith("kt.")]:
        del PASSES[name]
