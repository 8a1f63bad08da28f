"""Recorded stages of the public scheduler: its canonicalizer and ours give the same module.

``tests/corpus/golden/<kernel>/NN-<pass>.mlir`` is the module after pass number NN.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from kt.ir.verifier import verify
from kt.parse import parse_path
from kt.passes.manager import PassManager

GOLDEN = Path(__file__).parents[2] / "corpus" / "golden"
PASSES = ("canonicalize", "loop-invariant-code-motion")


def stages():
    for folder in sorted(GOLDEN.iterdir()):
        files = sorted(folder.glob("[0-9][0-9]-*.mlir"))
        for before, after in pairwise(files):
            if after.stem[3:] in PASSES and int(after.stem[:2]) == int(before.stem[:2]) + 1:
                yield pytest.param(before, after, id=f"{folder.name}-{after.stem}")


@pytest.mark.parametrize(("before", "after"), list(stages()))
def test_stage(before, after, dump):
    module, expected = parse_path(before), parse_path(after)
    verify(expected)
    PassManager(after.stem[3:]).run(module)
    assert dump(module) == dump(expected)


def test_stages_are_there():
    assert len(list(stages())) >= 20
