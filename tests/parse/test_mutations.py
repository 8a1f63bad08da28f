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


ONCE_CRASHED = {
    "more types than operands": """pdl.pattern : benefit(1) {
      %v = operand
      %o = operation "a.b" (%v : !pdl.value, !pdl.value)
      rewrite %o { erase %o }
    }""",
    "a rule that looks at an op without its attribute": """func.func @f(%m: index, %i: index, %x: vector<64xf16>) {
      %v = dataflow.get_logical_memory_view %m, %i {lyout_map = affine_map<(d0) -> (d0)>} : index, index, memref<2048xf16>
      agen.symbolic_vector_store %x, %v[indices:(%i), strides:(%i)] {store_order = affine_map<(d0) -> (d0)>, store_set = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>} : memref<2048xf16>, vector<64xf16>
      return
    }""",
}


@pytest.mark.parametrize("text", ONCE_CRASHED.values(), ids=list(ONCE_CRASHED))
def test_texts_that_once_crashed(text):
    assert verdict(text) == "refused"
