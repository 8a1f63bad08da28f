"""Structured ops on arrays: maps, reductions, contractions, folds, and their precision."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from kt.ir import types as t
from kt.ir.affine import AffineMap, dim
from kt.ir.core import Block, Operation, Region, Value
from kt.ir.diagnostics import RunError
from kt.ir.dialects import arith, builtin, func, linalg, tensor
from kt.sim.machine import Machine
from kt.sim.prepared import Prepared
from kt.sim.run import run_kernel

RANDOM = np.random.default_rng(7)
T = t.TensorType


def run(
    arguments: Sequence[np.ndarray],
    build: Callable[[Block, list[Any]], Operation],
    types: Sequence[t.Type],
    tiles: int = 1,
) -> Any:
    """Run one op that ``build`` makes from the arguments; its first result."""
    function = func.FuncOp.of("f", types)
    op = build(function.entry, list(function.arguments))
    if op.parent is None:
        function.entry.append(op)
    function.entry.append(func.ReturnOp.build(list(op.results)))
    function.function_type = t.FunctionType(tuple(types), tuple(r.type for r in op.results))
    module = builtin.ModuleOp.build(regions=[Region([Block()])], result_types=())
    module.body.append(function)
    kernel = Prepared.of(module, function, grid=(tiles,))
    return run_kernel(kernel, list(arguments), Machine())[0]


def combiner(cls: Any) -> Callable[[Block, list[Any]], list[Value]]:
    def body(block: Block, args: list[Any]) -> list[Value]:
        op = cls.build(args[0], args[1])
        block.append(op)
        return [op.result]

    return body


def f16(*shape: int) -> np.ndarray:
    return RANDOM.standard_normal(shape).astype(np.float16)


def test_sum_of_halves_is_rounded_once() -> None:
    x = np.full((2, 4096), 0.1, np.float16)
    start = np.array([5, 0], np.float16)
    got = run(
        [x, start],
        lambda b, a: linalg.GenericOp.of(
            a[:1], a[1:], [AffineMap.identity(2), AffineMap.multi_dim(2, [0])],
            ["parallel", "reduction"], combiner(arith.AddFOp),
        ),
        [T(x.shape, t.f16), T((2,), t.f16)],
    )  # fmt: skip
    exact = x.astype(np.float64).sum(axis=1) + start
    assert got.dtype == np.float32  # how a run holds halves
    assert (got == exact.astype(np.float16)).all()


@pytest.mark.parametrize("dims", [(0,), (1,), (2,), (0, 2), (0, 1, 2)])
@pytest.mark.parametrize(
    ("cls", "function"),
    [(arith.AddFOp, np.sum), (arith.MaximumFOp, np.max), (arith.MulFOp, np.prod)],
)
def test_reduce_over_any_axes_from_its_start(
    cls: Any, function: Any, dims: tuple[int, ...]
) -> None:
    x = f16(3, 4, 5)
    kept = [d for d in range(3) if d not in dims]
    start = np.full([x.shape[d] for d in kept], 0.5, np.float16)

    def build(block: Block, args: list[Any]) -> Operation:
        maps = [AffineMap.identity(3), AffineMap.multi_dim(3, kept)]
        kinds = ["reduction" if d in dims else "parallel" for d in range(3)]
        return linalg.GenericOp.of(args[:1], args[1:], maps, kinds, combiner(cls))

    got = run([x, start], build, [T(x.shape, t.f16), T(start.shape, t.f16)])
    terms = {np.sum: np.add, np.max: np.maximum, np.prod: np.multiply}[function]
    exact = terms(start.astype(np.float64), function(x.astype(np.float64), axis=dims))
    assert np.allclose(got, exact, rtol=2e-3, atol=1e-6)


@pytest.mark.parametrize(
    ("cls", "start"), [(arith.AddFOp, 0.0), (arith.MaximumFOp, -np.inf), (arith.MinimumFOp, np.inf)]
)
def test_an_empty_destination_stands_for_the_identity(cls: Any, start: float) -> None:
    x = f16(4, 6)

    def build(block: Block, args: list[Any]) -> Operation:
        empty = tensor.EmptyOp.build((), result_types=[T((4,), t.f16)])
        block.append(empty)
        maps = [AffineMap.identity(2), AffineMap.multi_dim(2, [0])]
        return linalg.GenericOp.of(
            args, [empty.result], maps, ["parallel", "reduction"], combiner(cls)
        )

    got = run([x], build, [T(x.shape, t.f16)])
    function = {arith.AddFOp: np.sum, arith.MaximumFOp: np.max, arith.MinimumFOp: np.min}[cls]
    assert np.allclose(got, function(x.astype(np.float64), axis=1, initial=start), rtol=1e-3)


def test_reading_an_empty_tensor_is_refused() -> None:
    def build(block: Block, args: list[Any]) -> Operation:
        empty = tensor.EmptyOp.build((), result_types=[T((4,), t.f16)])
        block.append(empty)
        return arith.AddFOp.build(args[0], empty.result)

    with pytest.raises(
        RunError, match=r"'arith.addf' op on tile 0: reads a tensor that was never written"
    ):
        run([f16(4)], build, [T((4,), t.f16)])


@pytest.mark.parametrize("tiles", [1, 3])
def test_matmul_adds_exact_products_in_f32(tiles: int) -> None:
    a, b, c = f16(9, 33), f16(33, 5), f16(9, 5)
    got = run(
        [a, b, c],
        lambda _, v: linalg.MatmulOp.build(v[:2], v[2:]),
        [T(x.shape, t.f16) for x in (a, b, c)],
        tiles,
    )
    exact = a.astype(np.float64) @ b.astype(np.float64) + c
    assert got.shape == (9, 5)
    assert (np.abs(got - exact) <= 2.0**-11 * np.abs(exact) + 1e-5).all()


def test_integer_matmul_wraps() -> None:
    a = RANDOM.integers(-(2**31), 2**31, (3, 4)).astype(np.int32)
    b = RANDOM.integers(-(2**31), 2**31, (4, 2)).astype(np.int32)
    c = np.zeros((3, 2), np.int32)
    got = run(
        [a, b, c],
        lambda _, v: linalg.MatmulOp.build(v[:2], v[2:]),
        [T(x.shape, t.i32) for x in (a, b, c)],
    )
    exact = a.astype(object) @ b.astype(object)
    wrapped = [[(int(v) + 2**31) % 2**32 - 2**31 for v in row] for row in exact]
    assert got.tolist() == wrapped


def product_added(block: Block, args: list[Any]) -> list[Value]:
    """``args[2] + args[0] * args[1]``."""
    product = arith.MulFOp.build(args[0], args[1])
    total = arith.AddFOp.build(args[2], product.result)
    block.append(product)
    block.append(total)
    return [total.result]


def test_contraction_with_shared_and_transposed_loops() -> None:
    # out[n, b] = sum over m, k of p[b, k, n] * q[m, k, b]
    p, q = f16(2, 6, 4), f16(3, 6, 2)
    start = np.zeros((4, 2), np.float16)
    b, n, m, k = range(4)

    maps = [AffineMap.multi_dim(4, d) for d in ((b, k, n), (m, k, b), (n, b))]
    got = run(
        [p, q, start],
        lambda _, v: linalg.GenericOp.of(
            v[:2], v[2:], maps, ["parallel", "parallel", "reduction", "reduction"], product_added
        ),
        [T(x.shape, t.f16) for x in (p, q, start)],
    )
    exact = np.einsum("bkn,mkb->nb", p.astype(np.float64), q.astype(np.float64))
    assert np.allclose(got, exact, rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize("element", [t.f16, t.f32])
@pytest.mark.parametrize("terms", [1, 3])
def test_a_step_of_an_accumulation_rounds_as_its_body_says(element: t.Type, terms: int) -> None:
    """acc[i] + a[i, k] * b[k, i] over one k, or several: products are rounded to the body's type."""
    kind = np.float16 if element is t.f16 else np.float32
    a, b, start = (RANDOM.standard_normal(s).astype(kind) for s in ((5, terms), (terms, 5), (5,)))

    def build(block: Block, args: list[Any]) -> Operation:
        i, k = dim(0), dim(1)
        maps = [AffineMap(2, 0, (i, k)), AffineMap(2, 0, (k, i)), AffineMap(2, 0, (i,))]

        return linalg.GenericOp.of(args[:2], args[2:], maps, ["parallel", "reduction"], product_added)

    types = [T((5, terms), element), T((terms, 5), element), T((5,), element)]
    got = run([a, b, start], build, types)
    products = (a.astype(np.float32) * b.T.astype(np.float32)).astype(kind).astype(np.float32)
    if terms == 1:
        assert (got == (start.astype(np.float32) + products[:, 0]).astype(kind)).all()
        return
    exact = start.astype(np.float64) + products.astype(np.float64).sum(axis=1)
    unit = 2.0**-11 if kind is np.float16 else 2.0**-22
    assert (np.abs(got - exact) <= unit * (np.abs(exact) + np.abs(products).sum(axis=1))).all()


def test_any_other_combiner_is_folded_in_order() -> None:
    x, start = RANDOM.standard_normal((5, 3)).astype(np.float32), np.ones(3, np.float32)

    def body(block: Block, args: list[Any]) -> list[Value]:
        difference = arith.SubFOp.build(args[1], args[0])
        square = arith.MulFOp.build(difference.result, difference.result)
        block.append(difference)
        block.append(square)
        return [square.result]

    maps = [AffineMap.identity(2), AffineMap.multi_dim(2, [1])]
    got = run(
        [x, start],
        lambda _, v: linalg.GenericOp.of(v[:1], v[1:], maps, ["reduction", "parallel"], body),
        [T(x.shape, t.f32), T((3,), t.f32)],
    )
    want = start
    for row in x:
        want = (want - row) * (want - row)
    assert (got == want).all()


def test_relayout_by_a_computed_map() -> None:
    # (d0, d1) -> (d0, d1 floordiv 4, d1 mod 4): a matrix cut into sticks of four
    x = np.arange(24, dtype=np.int32).reshape(2, 12)
    out = np.zeros((2, 3, 4), np.int32)
    sticks = AffineMap(2, 0, (dim(0), dim(1).floordiv(4), dim(1) % 4))
    got = run(
        [x, out],
        lambda _, v: linalg.GenericOp.of(
            v[:1], v[1:], [AffineMap.identity(2), sticks], ["parallel"] * 2, lambda b, a: [a[0]]
        ),
        [T(x.shape, t.i32), T(out.shape, t.i32)],
    )
    assert (got == x.reshape(2, 3, 4)).all()
    back = run(
        [x.reshape(2, 3, 4), np.zeros_like(x)],
        lambda _, v: linalg.GenericOp.of(
            v[:1], v[1:], [sticks, AffineMap.identity(2)], ["parallel"] * 2, lambda b, a: [a[0]]
        ),
        [T(out.shape, t.i32), T(x.shape, t.i32)],
    )
    assert (back == x).all()


def test_transpose_and_broadcast() -> None:
    x, row = f16(2, 3, 4), f16(3)
    got = run(
        [x, np.zeros((4, 2, 3), np.float16)],
        lambda _, v: linalg.TransposeOp.build(v[0], v[1], permutation=_i64(2, 0, 1)),
        [T((2, 3, 4), t.f16), T((4, 2, 3), t.f16)],
    )
    assert (got == x.transpose(2, 0, 1)).all()
    spread = run(
        [row, np.zeros((2, 3, 5), np.float16)],
        lambda _, v: linalg.BroadcastOp.build(v[0], v[1], dimensions=_i64(0, 2)),
        [T((3,), t.f16), T((2, 3, 5), t.f16)],
    )
    assert (spread == np.broadcast_to(row[None, :, None], (2, 3, 5))).all()


def _i64(*values: int) -> Any:
    from kt.ir.attributes import DenseArrayAttr

    return DenseArrayAttr.of(values, t.i64)
