"""One elementwise op with several results for the stores of a program."""

from __future__ import annotations

from collections.abc import Sequence

from kt.ir.affine import AffineMap
from kt.ir.builder import Builder
from kt.ir.clone import clone_ops
from kt.ir.core import Value
from kt.ir.diagnostics import fuse
from kt.ir.dialects import ktdp, linalg
from kt.ir.dialects.linalg_base import PARALLEL
from kt.passes.analysis.structured import is_pointwise


def join_results(stores: Sequence[ktdp.StoreOp]) -> bool:
    """One generic op for what all stores store, if elementwise ops over the same points make it.

    Equal inputs with equal maps are one input. The new op stands in front of the first store. False
    (and nothing changed) if some stored tensor isn't the result of an elementwise op, or the loops
    differ.
    """
    bodies: list[linalg.GenericOp] = []
    ways: list[AffineMap] = []
    for store in stores:
        op = store.data.defining_op
        if not isinstance(op, linalg.GenericOp) or not is_pointwise(op) or len(op.results) != 1:
            return False
        way = op.indexing_maps()[-1].inverse_permutation()
        if way is None or op.results[0].type.shape != stores[0].data.type.shape:  # type: ignore[attr-defined]
            return False
        bodies.append(op)
        ways.append(way)
    slots: dict[tuple[Value, AffineMap], int] = {}
    maps = [[m.compose(way).simplify() for m in op.indexing_maps()]
            for op, way in zip(bodies, ways)]  # fmt: skip
    for op, own in zip(bodies, maps):
        for value, map in zip(op.inputs, own):
            slots.setdefault((value, map), len(slots))
    loops = bodies[0].num_loops
    made = linalg.GenericOp.of(
        [value for value, _ in slots],
        [op.outputs[0] for op in bodies],
        [*(map for _, map in slots), *[AffineMap.identity(loops)] * len(bodies)],
        [PARALLEL] * loops,
        location=fuse([op.location for op in bodies]),
    )
    yields: list[Value] = []
    for op, own in zip(bodies, maps):
        known: dict[Value, Value] = {
            argument: made.body.arguments[slots[value, map]]
            for argument, value, map in zip(op.input_arguments, op.inputs, own)
        }
        end = op.body.terminator
        assert end is not None
        for inner in clone_ops([x for x in op.body.ops if x is not end], known):
            made.body.append(inner)
        yields.append(known.get(end.operands[0], end.operands[0]))
    made.body.append(linalg.YieldOp.build(yields, location=made.location))
    Builder.before(stores[0]).insert(made)
    for store, result in zip(stores, made.results):
        store.set_operand(0, result)
    for op in dict.fromkeys(bodies):
        op.erase()
    return True
