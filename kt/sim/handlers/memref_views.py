"""Other views of memory that a memref already names, and what a memref is made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from attrs import evolve

from kt.ir import types as t
from kt.sim.access import read_all, read_points, write_points
from kt.sim.atomic import combination
from kt.sim.errors import Diverged, Fault
from kt.sim.handlers.func import leaves
from kt.sim.interp import Code, Frame, Interpreter, Step, handles
from kt.sim.values import View, dtype_of, uniform


def dense_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Row-major strides in elements."""
    strides, span = [], 1
    for extent in reversed(shape):
        strides.append(span)
        span *= extent
    return tuple(reversed(strides))


def is_dense(view: View) -> bool:
    """Whether the elements lie in row-major order without gaps."""
    pairs = zip(view.strides, dense_strides(view.shape), view.shape)
    return all(a == b for a, b, n in pairs if n > 1)


@handles("memref.reshape")
def reshape(op: Any, interp: Interpreter) -> Step:
    source, shape_operand, result = op.source, op.shape, op.result

    def step(frame: Frame) -> None:
        view = frame[source]
        given = np.asarray(read_all(frame[shape_operand], frame))
        if given.ndim > 1:
            raise Diverged(given[:, 0])
        shape = tuple([int(n) for n in given])
        if not is_dense(view):
            raise Fault("a reshape of a view that isn't dense")
        if int(np.prod(shape, dtype=np.int64)) != int(np.prod(view.shape, dtype=np.int64)):
            raise Fault(f"a reshape of {view.label()} to {'x'.join(map(str, shape))}")
        frame[result] = evolve(
            view, shape=shape, strides=dense_strides(shape), coordinates=None, pointer=view.base
        )

    return step


@handles("memref.view")
def view(op: Any, interp: Interpreter) -> Step:
    result = op.result
    dtype = dtype_of(result.type)

    def step(frame: Frame) -> None:
        buffer = frame[op.source]
        rest = iter(op.sizes)
        shape = tuple(
            [uniform(frame[next(rest)]) if n == t.DYNAMIC else n for n in result.type.shape]
        )
        first = frame[op.byte_shift]
        size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
        if np.min(first) < 0 or np.max(first) + size > buffer.shape[0]:
            raise Fault(
                f"bytes {int(np.min(first))} to {int(np.max(first)) + size - 1} of a buffer of "
                f"{buffer.shape[0]} bytes"
            )
        address = buffer.address + first * buffer.strides[0]
        row = buffer.row
        frame[result] = View(buffer.bank, row, address, shape, dense_strides(shape), dtype)

    return step


@handles("memref.extract_aligned_pointer_as_index")
def pointer(op: Any, interp: Interpreter) -> Step:
    """The byte address in its memory that the view's offsets count from."""

    def step(frame: Frame) -> None:
        frame[op.aligned_pointer] = frame[op.source].base

    return step


@handles("memref.extract_strided_metadata")
def metadata(op: Any, interp: Interpreter) -> Step:
    def step(frame: Frame) -> None:
        view = frame[op.source]
        frame[op.base_buffer] = evolve(
            view, address=view.base, shape=(), strides=(), coordinates=None, pointer=None
        )
        frame[op.offset] = (view.address - view.base) // view.dtype.itemsize
        frame.update(zip(op.sizes, view.shape))
        frame.update(zip(op.strides, view.strides))

    return step


def _atomic(op: Any, change: Callable[[Any, Frame], Any]) -> Step:
    """One tile after the other; being atomic, it is no race with the same op on other tiles.

    ``change`` makes the new element of the old one.
    """
    integer = dtype_of(op.result.type).is_integer

    def step(frame: Frame) -> None:
        if getattr(frame, "axes", 0):
            raise Fault("an atomic access in the body of a structured op")
        if len(frame.tiles) > 1:
            raise Diverged(np.arange(len(frame.tiles)))
        alone = Frame(frame.tiles, None)
        target, place = frame[op.memref], [frame[v] for v in op.indices]
        found = read_points(target, place, (), alone)
        old = frame[op.result] = int(found) if integer else np.asarray(found)[()]
        write_points(target, place, (), change(old, frame), alone)

    return step


@handles("memref.atomic_rmw")
def atomic(op: Any, interp: Interpreter) -> Step:
    combine = combination(op.kind_name, dtype_of(op.result.type))
    return _atomic(op, lambda old, frame: combine(old, frame[op.value]))


@handles("memref.generic_atomic_rmw")
def generic_atomic(op: Any, interp: Interpreter) -> Step:
    """As ``memref.atomic_rmw``, with a region in place of a named combination."""
    body = Code(op.atomic_body.block, interp)

    def change(old: Any, frame: Frame) -> np.ndarray:
        inner = Frame(frame.tiles, None, frame)
        body(inner, [old])
        return np.asarray(inner.out[0])

    return _atomic(op, change)


handles("memref.atomic_yield")(leaves)


@handles("memref.distinct_objects")
def distinct_objects(op: Any, interp: Interpreter) -> Step:
    return lambda frame: frame.update(zip(op.results, [frame[v] for v in op.operands]))
