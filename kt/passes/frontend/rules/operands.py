"""Generic ops get operands in normal form: no scalars, no repetition, destinations without contents."""

from __future__ import annotations

from kt.ir import types as t
from kt.ir.clone import clone_ops
from kt.ir.core import Value
from kt.ir.dialects import linalg
from kt.ir.dialects.linalg_base import PARALLEL
from kt.ir.rewriter import Rewriter, pattern
from kt.passes.analysis.structured import is_empty_tensor, is_pointwise
from kt.passes.frontend.rules.generic import empty_like, rebuilt


@pattern(linalg.GenericOp, benefit=4)
def capture_scalars(op: linalg.GenericOp, rw: Rewriter) -> bool:
    """Scalar inputs are used by the body directly."""
    keep = [isinstance(v.type, t.ShapedType) for v in op.inputs]
    return _select(op, rw, keep, [0] * len(keep))


@pattern(linalg.GenericOp, benefit=3)
def merge_inputs(op: linalg.GenericOp, rw: Rewriter) -> bool:
    """One input for several with the same tensor and map."""
    first: dict[tuple, int] = {}
    maps = op.indexing_maps()
    same = [first.setdefault((v, maps[i]), i) for i, v in enumerate(op.inputs)]
    return _select(op, rw, [same[i] == i for i in range(len(same))], same)


@pattern(linalg.GenericOp, benefit=2)
def drop_unused_inputs(op: linalg.GenericOp, rw: Rewriter) -> bool:
    """Inputs that the body doesn't look at go, unless they alone give the extent of a loop."""
    maps = op.indexing_maps()
    keep = [a.has_uses for a in op.input_arguments]
    for i, wanted in enumerate(keep):
        others = [m for n, m in enumerate(maps) if n != i and (n >= len(keep) or keep[n])]
        if not wanted and not _cover(others, op.num_loops):
            keep[i] = True
    return _select(op, rw, keep, list(range(len(keep))))


def _cover(maps: list, loops: int) -> bool:
    plain = {e.position for m in maps for e in m.results if hasattr(e, "position")}
    return len(plain) == loops


def _select(op: linalg.GenericOp, rw: Rewriter, keep: list[bool], stand_in: list[int]) -> bool:
    """Drop inputs; what used a dropped scalar uses the operand, what used another one its stand-in."""
    if all(keep):
        return False
    kept = [i for i, wanted in enumerate(keep) if wanted]
    arguments: list[int | Value] = []
    for i, value in enumerate(op.inputs):
        if keep[i]:
            arguments.append(kept.index(i))
        elif isinstance(value.type, t.ShapedType):
            arguments.append(kept.index(stand_in[i]) if keep[stand_in[i]] else 0)
        else:
            arguments.append(value)
    arguments += [len(kept) + i for i in range(len(op.outputs))]
    maps = op.indexing_maps()
    chosen = [maps[i] for i in kept] + maps[len(op.inputs) :]
    made = rebuilt(op, [op.inputs[i] for i in kept], op.outputs, chosen, arguments)
    rw.replace(op, rw.insert(made))
    return True


@pattern(linalg.GenericOp)
def read_destination_as_input(op: linalg.GenericOp, rw: Rewriter) -> bool:
    """A destination that a loop nest without reductions reads becomes an input as well."""
    if any(k != PARALLEL for k in op.iterator_types()) or not op.results:
        return False
    used = [i for i, a in enumerate(op.output_arguments) if a.has_uses]
    if not used or len(op.results) != len(op.outputs):
        return False
    count, maps = len(op.inputs), op.indexing_maps()
    inputs = [*op.inputs, *(op.outputs[i] for i in used)]
    shift = len(used)
    arguments: list[int | Value] = [
        *range(count),
        *(
            count + used.index(i) if i in used else count + shift + i
            for i in range(len(op.outputs))
        ),
    ]
    made = rebuilt(
        op,
        inputs,
        [empty_like(rw, v) for v in op.outputs],
        [*maps[:count], *(maps[count + i] for i in used), *maps[count:]],
        arguments,
    )
    rw.replace(op, rw.insert(made))
    return True


@pattern(linalg.GenericOp)
def fresh_destinations(op: linalg.GenericOp, rw: Rewriter) -> bool:
    """Destinations that only give a shape become empty tensors of their own."""
    if not is_pointwise(op) or all(map(is_empty_tensor, op.outputs)):
        return False
    outputs = [v if is_empty_tensor(v) else empty_like(rw, v) for v in op.outputs]
    rw.set_operands(op, [*op.inputs, *outputs])
    return True


@pattern(linalg.GenericOp)
def split_results(op: linalg.GenericOp, rw: Rewriter) -> bool:
    """A pointwise op with several results becomes one op per result that is used."""
    if not is_pointwise(op) or len(op.results) < 2:
        return False
    maps, count = op.indexing_maps(), len(op.inputs)
    made: list[Value] = []
    for i, output in enumerate(op.outputs):
        if not op.results[i].has_uses:
            made.append(output)
            continue
        chosen = [*maps[:count], maps[count + i]]
        one = linalg.GenericOp.of(
            op.inputs, [output], chosen, op.iterator_types(), location=op.location
        )
        known: dict[Value, Value] = dict(
            zip(op.input_arguments, one.body.arguments[:count], strict=True)
        )
        end = op.body.terminator
        assert end is not None
        for inner in clone_ops([x for x in op.body.ops if x is not end], known):
            one.body.append(inner)
        value = end.operands[i]
        one.body.append(linalg.YieldOp.build([known.get(value, value)], location=end.location))
        made += rw.insert(one).results
    rw.replace(op, made)
    return True


OPERAND_RULES = (
    split_results,
    capture_scalars,
    merge_inputs,
    drop_unused_inputs,
    read_destination_as_input,
    fresh_destinations,
)
