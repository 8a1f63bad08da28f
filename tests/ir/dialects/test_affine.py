"""affine: operands of maps, bounds, bases."""

from __future__ import annotations

import pytest
from refusal import accepted, refusal

from kt.ir import types as t
from kt.ir.affine import AffineMap, dim, sym
from kt.ir.core import Block
from kt.ir.dialects import affine
from kt.ir.verifier import verify

REFUSED = [
    (
        '%r = "affine.apply"(%i) <{map = affine_map<(d0, d1) -> (d0)>}> : (index) -> index',
        "'affine.apply' op operand count and affine map dimension and symbol count must match",
    ),
    (
        '%r = "affine.apply"(%i) <{map = affine_map<(d0) -> (d0, d0)>}> : (index) -> index',
        "'affine.apply' op mapping must produce one value",
    ),
    (
        "%r = affine.load %m[%i] : memref<4x8xf32>",
        "'affine.load' op affine map num results must equal memref rank",
    ),
    (
        "affine.for %x = 0 to 4 step 0 { }",
        "'affine.for' op expected step to be representable as a positive signed integer",
    ),
    (
        "affine.for %x = 0 to 4 step -1 { }",
        "'affine.for' op expected step to be representable as a positive signed integer",
    ),
    (
        "%r:2 = affine.delinearize_index %i into (4, 5, 6) : index, index",
        (
            "'affine.delinearize_index' op should return an index for each basis element and "
            "up to one extra index, got 2 for 3"
        ),
    ),
    (
        "%r = affine.linearize_index [%i, %i] by (4, 5, 6) : index",
        (
            "'affine.linearize_index' op should be passed a basis element for each index "
            "except possibly the first, got 3 for 2"
        ),
    ),
    (
        "%r:2 = affine.delinearize_index %i into (0, 5) : index, index",
        "'affine.delinearize_index' op no basis element may be statically non-positive",
    ),
]


@pytest.mark.parametrize(("body", "message"), REFUSED, ids=range(len(REFUSED)))
def test_refused(body, message):
    assert refusal(body) == message


def test_dims_and_symbols_of_apply():
    i, n = Block([t.index, t.index]).arguments
    made = affine.ApplyOp.of(AffineMap(1, 1, [dim(0) * 3 + sym(0)]), [i, n])
    verify(made)
    assert (made.dim_operands, made.symbol_operands) == ((i,), (n,))


def test_bounds_of_loops():
    module = accepted(
        "affine.for %x = 0 to 10 step 2 {\n}\n"
        "affine.for %x = %i to min affine_map<(d0) -> (d0, 8)>(%n) {\n}\n"
        "affine.parallel (%p, %q) = (0, max(%i, 2)) to (10, %n) step (1, 4) {\n}"
    )
    first, second = module.walk_type(affine.ForOp)
    assert first.constant_bounds == (0, 10) and first.step.value == 2
    assert second.constant_bounds is None and second.upper_map.map.num_results == 2
    (nest,) = module.walk_type(affine.ParallelOp)
    assert [m.num_results for m in nest.bounds(lower=True)] == [1, 2]
    assert [m.num_results for m in nest.bounds(lower=False)] == [1, 1]
    assert len(nest.lower_operands) == 1 and len(nest.upper_operands) == 1


def test_bases():
    module = accepted(
        "%x:2 = affine.delinearize_index %i into (%n, 5) : index, index\n"
        "%y:2 = affine.delinearize_index %i into (5) : index, index\n"
        "%z = affine.linearize_index disjoint [%i, %n] by (4, 5) : index"
    )
    bounded, open_ = module.walk_type(affine.DelinearizeIndexOp)
    assert bounded.has_outer_bound and not open_.has_outer_bound
    assert bounded.basis == (bounded.operands[1], 5)
    (made,) = module.walk_type(affine.LinearizeIndexOp)
    assert made.is_disjoint and made.basis == (4, 5)
