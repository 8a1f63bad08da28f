"""Damaged text gives diagnostics: no traceback, no hang, whatever the edit."""

from __future__ import annotations

import time
import traceback

import pytest
from mutations import mutated

from kt.ir.diagnostics import KtError
from kt.ir.verifier import verify
from kt.parse import parse_text, print_op


def verdict(text: str) -> str:
    """What `kt opt` does with a text: "accepted" or "refused"; any other exception escapes."""
    try:
        module = parse_text(text, "t.mlir")
        generic = print_op(module, generic=True)
        verify(module)
        custom = print_op(module)
    except KtError as error:
        assert error.render()
        return "refused"
    # What was accepted comes back equal in both forms.
    assert print_op(parse_text(generic), generic=True) == generic
    assert print_op(parse_text(custom), generic=True) == generic
    return "accepted"


def sweep(first: int, count: int) -> dict[str, int]:
    """Verdicts of the texts of these seeds; fails with the seed of the first bad one."""
    counts = {"accepted": 0, "refused": 0}
    for seed in range(first, first + count):
        text = mutated(seed)
        began = time.process_time()
        try:
            counts[verdict(text)] += 1
        except Exception:
            pytest.fail(f"seed {seed}:\n{traceback.format_exc()}")
        took = time.process_time() - began
        limit = 0.5 * max(1.0, len(text) / 100_000) * 4  # accepted texts are read three times, too
        assert took < limit, f"seed {seed}: {took:.2f} s for {len(text)} characters"
    return counts


@pytest.mark.parametrize("first", range(0, 600, 100))
def test_damaged_text(first):
    counts = sweep(first, 100)
    assert counts["refused"] > 30
    assert sum(counts.values()) == 100


@pytest.mark.sweep
@pytest.mark.parametrize("first", range(1000, 101_000, 5000))
def test_damaged_text_at_length(first):
    counts = sweep(first, 5000)
    assert counts["accepted"] > 50
    assert counts["refused"] > 1500
