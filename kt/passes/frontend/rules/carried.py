"""Tensors that control flow hands on: loop-carried values and results of branches go through buffers."""

from __future__ import annotations

from attrs import define

from kt.ir import types as t
from kt.ir.builder import Builder
from kt.ir.core import Operation, Value
from kt.ir.dialects import kt, ktdp, linalg, scf
from kt.passes.analysis.groups import refuse
from kt.passes.analysis.structured import is_pointwise
from kt.passes.frontend.rules.buffers import load, new_buffer, store


@define(eq=False)
class Carried:
    """A carried tensor: its buffer, and the load that stands for it inside the loop."""

    buffer: kt.BufferOp
    inside: Value


def is_tensor(value: Value) -> bool:
    return isinstance(value.type, t.TensorType)


def carry_in_buffers(loop: scf.ForOp, top: Builder) -> int:
    """Tensors that a loop carries live in memory: set before it, read and written inside.

    An iteration that still needs an old value after the new one is known writes the new one to a
    buffer of its own first, and copies it at the end. Returns the number of carried tensors.
    """
    places = [i for i, v in enumerate(loop.init_args) if is_tensor(v)]
    if not places:
        return 0
    before, after = Builder.before(loop), Builder.after(loop)
    carried: dict[int, Carried] = {}
    start = Builder.at_start(loop.body, loop.location)
    for i in places:
        init = loop.init_args[i]
        buffer = new_buffer(top, init.type, loop.location)
        store(before, init, buffer)
        inside = load(start, buffer)
        loop.iter_args[i].replace_all_uses_with(inside)
        carried[i] = Carried(buffer, inside)
    _write_back(loop, carried, top)
    for i in places:
        result = loop.results[i]
        if result.has_uses:
            result.replace_all_uses_with(load(after, carried[i].buffer))
    _drop_carried(loop, places)
    return len(places)


def _write_back(loop: scf.ForOp, carried: dict[int, Carried], top: Builder) -> None:
    end = loop.body.terminator
    assert end is not None
    build = Builder.before(end)
    old = {c.inside: i for i, c in carried.items()}
    last: list[tuple[Value, kt.BufferOp]] = []
    for i, c in carried.items():
        value = loop.yielded[i]
        if value is c.inside:
            continue
        if not _may_overwrite(value, i, old):
            aside = new_buffer(top, value.type, value.location)
            store(build, value, aside)
            value = load(build, aside)
        last.append((value, c.buffer))
    for value, buffer in last:
        store(build, value, buffer)


def _may_overwrite(value: Value, own: int, old: dict[Value, int]) -> bool:
    """Whether the program that stores ``value`` may write carried tensor ``own`` straight away.

    It may, if it reads no carried tensor but that one, at exactly the elements that it writes.
    """
    made = value.defining_op
    if value in old:
        return False
    if not isinstance(made, linalg.GenericOp):
        return True
    maps = made.indexing_maps()
    target = maps[len(made.inputs)]
    for read, map in zip((*made.inputs, *made.outputs), maps, strict=True):
        found = old.get(read)
        if found is not None and (found != own or map is not target):
            return False
        starts = read in made.outputs and not is_pointwise(made)  # loaded, unless it is a constant
        if found is None and not starts and _reads(read, old):
            return False
    return True


def _reads(value: Value, old: dict[Value, int]) -> bool:
    """Whether a value is computed from carried tensors by ops that a program would repeat."""
    made = value.defining_op
    if value in old:
        return True
    if not is_pointwise(made):
        return False
    return any(_reads(v, old) for v in made.inputs)  # type: ignore[union-attr]


def _drop_carried(loop: scf.ForOp, places: list[int]) -> None:
    """Rebuild a loop without some of its carried values, which nothing uses any more."""
    kept = [i for i in range(len(loop.init_args)) if i not in places]
    end = loop.body.terminator
    assert end is not None
    yields = [loop.yielded[i] for i in kept]
    lower, upper, step = loop.operands[:3]
    inits = [loop.init_args[i] for i in kept]
    made = scf.ForOp.of(lower, upper, step, inits, location=loop.location)
    made.attributes.update(loop.attributes)
    made.properties.update(loop.properties)
    pairs = [(loop.induction_variable, made.induction_variable)]
    pairs += [(loop.iter_args[i], made.iter_args[n]) for n, i in enumerate(kept)]
    for old, new in pairs:
        new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
    end.erase()
    for op in list(loop.body.ops):
        made.body.append(op.detach())
    made.body.append(scf.YieldOp.build(yields, location=loop.location))
    Builder.before(loop).insert(made)
    for n, i in enumerate(kept):
        loop.results[i].replace_all_uses_with(made.results[n])
    loop.erase()


def branch_into_buffers(op: scf.IfOp, top: Builder) -> int:
    """Tensors that a condition yields are stored by the branches and loaded behind it."""
    places = [i for i, v in enumerate(op.results) if is_tensor(v)]
    if not places:
        return 0
    after = Builder.after(op)
    buffers = {i: new_buffer(top, op.results[i].type, op.location) for i in places}
    kept = [i for i in range(len(op.results)) if i not in places]
    made = scf.IfOp.of(
        op.condition, [op.results[i].type for i in kept], with_else=True, location=op.location
    )
    made.attributes.update(op.attributes)
    for old, new in zip(op.regions, made.regions, strict=True):
        end = old.block.terminator
        assert end is not None
        build = Builder.before(end)
        for i in places:
            store(build, end.operands[i], buffers[i])
        yields = [end.operands[i] for i in kept]
        end.erase()
        for inner in list(old.block.ops):
            new.block.append(inner.detach())
        new.block.append(scf.YieldOp.build(yields, location=op.location))
    for i in places:
        if op.results[i].has_uses:
            op.results[i].replace_all_uses_with(load(after, buffers[i]))
    Builder.before(op).insert(made)
    for n, i in enumerate(kept):
        op.results[i].replace_all_uses_with(made.results[n])
    op.erase()
    return len(places)


def check_control_flow(op: Operation) -> None:
    """Refuse control flow that hands tensors on in ways without a schedule."""
    if op.dialect == "scf" and any(map(is_tensor, op.results)):
        raise refuse(
            op,
            "it hands tensors on, and has no schedule yet",
            "write it with scf.for and scf.if",
        )


def stored_only(value: Value) -> bool:
    """Whether a value has one use, a store in its own block."""
    if not value.has_one_use:
        return False
    (user,) = value.users
    made = value.defining_op
    return isinstance(user, ktdp.StoreOp) and made is not None and user.parent is made.parent
