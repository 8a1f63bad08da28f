"""Tensors are immutable values; shape operations reorder or cut them."""

from __future__ import annotations

from typing import Any

import numpy as np

import kt.sim.handlers.tensor_lists  # noqa: F401 (registers gather and scatter)
from kt.ir import types as t
from kt.ir.diagnostics import RunError
from kt.sim.errors import Diverged, Fault
from kt.sim.handlers.func import leaves
from kt.sim.handlers.memref import dim, kept_dims, mixed_numbers, rank
from kt.sim.interp import Frame, Interpreter, Step, handles
from kt.sim.placement import BodyFrame
from kt.sim.values import Undefined, dtype_of, is_batched, uniform

handles("tensor.yield")(leaves)
handles("tensor.dim")(dim)
handles("tensor.rank")(rank)


@handles("tensor.empty")
def empty(op: Any, interp: Interpreter) -> Step:
    result, dynamic = op.result, op.operands
    dtype = dtype_of(result.type)

    def step(frame: Frame) -> None:
        rest = iter(dynamic)
        shape = [uniform(frame[next(rest)]) if n == t.DYNAMIC else n for n in result.type.shape]
        frame[result] = Undefined(tuple(shape), dtype)

    return step


@handles("tensor.splat")
def splat(op: Any, interp: Interpreter) -> Step:
    scalar, *dynamic = op.operands
    result = op.result
    compute = dtype_of(result.type).compute

    def step(frame: Frame) -> None:
        rest = iter(dynamic)
        shape = [uniform(frame[next(rest)]) if n == t.DYNAMIC else n for n in result.type.shape]
        value = np.asarray(frame[scalar], compute)
        value = value.reshape((*value.shape, *(1,) * len(shape)))
        frame[result] = np.broadcast_to(value, (*value.shape[: value.ndim - len(shape)], *shape))

    return step


@handles("tensor.extract")
def extract(op: Any, interp: Interpreter) -> Step:
    source, *indices = op.operands
    result, rank = op.result, len(op.operands) - 1
    integer = dtype_of(result.type).is_integer

    def step(frame: Frame) -> None:
        value = frame[source]
        if isinstance(value, Undefined):
            raise value.refuse()
        places = [frame[v] for v in indices]
        lead = value.ndim - rank
        for d, place in enumerate(places):
            bad = (np.asarray(place) < 0) | (np.asarray(place) >= value.shape[lead + d])
            if np.any(bad):
                raise Fault(
                    f"index {int(np.asarray(place)[bad].flat[0])} along dimension {d} of a tensor with "
                    f"{value.shape[lead + d]} there"
                )
        if lead:
            axes = getattr(frame, "axes", 0)
            places.insert(0, np.arange(len(frame.tiles)).reshape(-1, *(1,) * axes))
        found = value[tuple(places)]
        frame[result] = int(found) if integer and np.ndim(found) == 0 else found

    return step


@handles("tensor.insert")
def insert(op: Any, interp: Interpreter) -> Step:
    scalar, target, *indices = op.operands
    rank = len(indices)

    def step(frame: Frame) -> None:
        value, old = frame[scalar], frame[target]
        place = tuple([uniform(frame[v]) for v in indices])
        for d, i in enumerate(place):
            extent = old.shape[len(old.shape) - rank + d]
            if not 0 <= i < extent:
                raise Fault(f"index {i} along dimension {d} of a tensor with {extent} there")
        frame[op.result] = _updated(old, place, np.asarray(value), rank, frame)

    return step


def _updated(old: Any, index: tuple[Any, ...], values: Any, rank: int, frame: Frame) -> Any:
    """A copy of a tensor with other elements at ``index``."""
    if isinstance(old, Undefined):
        return old.with_slice(index, values)
    part = old[(..., *index)] if not is_batched(old, rank) else old[(slice(None), *index)]
    if values.ndim > part.ndim and not is_batched(old, rank):
        old = np.broadcast_to(old, (len(frame.tiles), *old.shape))
    new = old.copy()
    new[(..., *index) if not is_batched(new, rank) else (slice(None), *index)] = values
    return new


@handles("tensor.from_elements")
def from_elements(op: Any, interp: Interpreter) -> Step:
    operands, result = op.operands, op.result
    shape, compute = result.type.shape, dtype_of(result.type).compute

    def step(frame: Frame) -> None:
        parts = np.broadcast_arrays(*[np.asarray(frame[v], compute) for v in operands])
        whole = np.stack(parts, axis=-1) if parts else np.empty(0, compute)
        frame[result] = whole.reshape((*whole.shape[:-1], *shape))

    return step


def _windows(
    firsts: list[int], sizes: list[int], steps: list[int], shape: tuple[int, ...]
) -> tuple[slice, ...]:
    found = []
    for d, (first, size, step) in enumerate(zip(firsts, sizes, steps)):
        last = first + (size - 1) * step
        if size and not (0 <= first < shape[d] and 0 <= last < shape[d]):
            raise Fault(
                f"a slice from {first} to {last} along dimension {d} of a tensor with {shape[d]} there"
            )
        found.append(slice(first, last + 1, step) if size else slice(0, 0))
    return tuple(found)


@handles("tensor.extract_slice")
def extract_slice(op: Any, interp: Interpreter) -> Step:
    offsets = mixed_numbers(op, "static_offsets", op.offsets)
    sizes = mixed_numbers(op, "static_sizes", op.sizes)
    strides = mixed_numbers(op, "static_strides", op.strides)
    source, result = op.operands[0], op.result

    def step(frame: Frame) -> None:
        value = frame[source]
        firsts, extents, steps = (
            [uniform(n) for n in part(frame)] for part in (offsets, sizes, strides)
        )
        shape = tuple([extents[d] for d in kept_dims(extents, result.type.shape)])
        if isinstance(value, Undefined) and value.written is None:
            frame[result] = Undefined(shape, value.dtype)
            return
        if isinstance(value, Undefined):
            raise value.refuse()
        rank = len(extents)
        lead = value.ndim - rank
        window = _windows(firsts, extents, steps, value.shape[lead:])
        part = value[(slice(None),) * lead + window]
        frame[result] = np.ascontiguousarray(part.reshape((*value.shape[:lead], *shape)))

    return step


def _insertion(op: Any) -> Any:
    """A function of the frame: the old tensor, the window that is replaced, and the new values."""
    offsets = mixed_numbers(op, "static_offsets", op.offsets)
    sizes = mixed_numbers(op, "static_sizes", op.sizes)
    strides = mixed_numbers(op, "static_strides", op.strides)
    source, target = op.operands[:2]
    rank = len(source.type.shape)

    def insertion(frame: Frame) -> tuple[Any, tuple[slice, ...], np.ndarray]:
        values, old = np.asarray(frame[source]), frame[target]
        firsts, extents, steps = (
            [uniform(n) for n in part(frame)] for part in (offsets, sizes, strides)
        )
        whole = len(extents)
        window = _windows(firsts, extents, steps, tuple(old.shape)[len(old.shape) - whole :])
        return old, window, values.reshape((*values.shape[: values.ndim - rank], *extents))

    return insertion


@handles("tensor.insert_slice")
def insert_slice(op: Any, interp: Interpreter) -> Step:
    insertion = _insertion(op)

    def step(frame: Frame) -> None:
        old, window, values = insertion(frame)
        frame[op.result] = _updated(old, window, values, len(window), frame)

    return step


@handles("tensor.parallel_insert_slice")
def parallel_insert_slice(op: Any, interp: Interpreter) -> Step:
    """One more insertion for the ``scf.forall`` around it."""
    insertion = _insertion(op)

    def step(frame: Frame) -> None:
        frame.out = (*frame.out, (op.dest, *insertion(frame)[1:]))

    return step


@handles("tensor.collapse_shape", "tensor.expand_shape", "tensor.reshape")
def reshape(op: Any, interp: Interpreter) -> Step:
    source, result = op.operands[0], op.result
    wanted, rank = result.type.shape, len(source.type.shape)
    shape_operand = op.operands[1] if op.name == "tensor.reshape" else None

    def step(frame: Frame) -> None:
        value = frame[source]
        shape = list(wanted)
        if shape_operand is not None:
            given = np.asarray(frame[shape_operand])
            if given.ndim > 1:
                raise Diverged(given[:, 0])
            shape = [int(n) for n in given]
        if isinstance(value, Undefined):
            if value.written is not None or t.DYNAMIC in shape:
                raise value.refuse()
            frame[result] = Undefined(tuple(shape), value.dtype)
            return
        lead = value.shape[: value.ndim - rank]
        count = int(np.prod(value.shape[len(lead) :], dtype=np.int64))
        known = int(np.prod([n for n in shape if n != t.DYNAMIC], dtype=np.int64))
        if shape.count(t.DYNAMIC) > 1:
            raise RunError("a reshape to several dynamic extents")
        shape = [count // max(known, 1) if n == t.DYNAMIC else n for n in shape]
        if int(np.prod(shape, dtype=np.int64)) != count:
            raise Fault(f"a tensor of {count} elements is reshaped to {'x'.join(map(str, shape))}")
        frame[result] = value.reshape((*lead, *shape))

    return step


@handles("tensor.cast")
def cast(op: Any, interp: Interpreter) -> Step:
    source, result = op.operands[0], op.result

    def step(frame: Frame) -> None:
        frame[result] = frame[source]

    return step


@handles("tensor.generate")
def generate(op: Any, interp: Interpreter) -> Step:
    """The body once, on arrays of all coordinates."""
    block, result = op.body, op.result
    steps = [interp.prepare(inner) for inner in block.ops]
    compute = dtype_of(result.type).compute

    def step(frame: Frame) -> None:
        rest = iter(op.operands)
        shape = tuple(
            [uniform(frame[next(rest)]) if n == t.DYNAMIC else n for n in result.type.shape]
        )
        body = BodyFrame(frame, shape)
        for d, argument in enumerate(block.arguments):
            body[argument] = body.index(d)
        for inner in steps:
            inner(body)
        value = np.asarray(body.out[0], compute)
        lead = value.shape[: max(0, value.ndim - len(shape))]
        frame[result] = np.array(np.broadcast_to(value, (*lead, *shape)))

    return step


@handles("tensor.pad")
def pad(op: Any, interp: Interpreter) -> Step:
    low = mixed_numbers(op, "static_low", op.low)
    high = mixed_numbers(op, "static_high", op.high)
    block, source, result = op.body, op.operands[0], op.result
    steps = [interp.prepare(inner) for inner in block.ops]

    def step(frame: Frame) -> None:
        value = np.asarray(frame[source])
        before, after = ([uniform(n) for n in part(frame)] for part in (low, high))
        lead = value.ndim - len(before)
        extents = [b + n + a for b, n, a in zip(before, value.shape[lead:], after)]
        body = BodyFrame(frame, tuple(extents))
        for d, argument in enumerate(block.arguments):
            body[argument] = body.index(d)
        for inner in steps:
            inner(body)
        out = np.array(np.broadcast_to(body.out[0], (*value.shape[:lead], *extents)), value.dtype)
        window = tuple(slice(b, b + n) for b, n in zip(before, value.shape[lead:]))
        out[(slice(None),) * lead + window] = value
        frame[result] = out

    return step


@handles("tensor.concat")
def concat(op: Any, interp: Interpreter) -> Step:
    rank, axis = len(op.result.type.shape), op.attr("dim").value

    def step(frame: Frame) -> None:
        parts = [np.asarray(frame[v]) for v in op.operands]
        if any(p.ndim > rank for p in parts):
            lead = (len(frame.tiles),)
            parts = [np.broadcast_to(p, lead + p.shape[p.ndim - rank :]) for p in parts]
        frame[op.result] = np.concatenate(parts, axis=axis - rank)

    return step
