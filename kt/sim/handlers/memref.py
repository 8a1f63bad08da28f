"""Memory below the access tiles: allocation, casts, element access."""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import define, evolve, field

from kt.ir import types as t
from kt.ir.attributes import DenseElementsAttr
from kt.ir.diagnostics import RunError
from kt.sim.access import read_all, read_box, read_points, write_all, write_box, write_points
from kt.sim.errors import Diverged, Fault
from kt.sim.handlers.arith import constant_value
from kt.sim.handlers.func import leaves
from kt.sim.handlers.memref_views import dense_strides, is_dense
from kt.sim.handlers.scf import execute_region
from kt.sim.interp import Frame, Interpreter, Step, handles
from kt.sim.memory import Bank
from kt.sim.values import View, dtype_of, uniform


@handles("memref.alloc", "memref.alloca")
def allocate(op: Any, interp: Interpreter) -> Step:
    """A buffer of its own for every tile and every execution, with undefined contents."""
    result = op.result
    dtype = dtype_of(result.type)
    dynamic = op.operands[: sum(n == t.DYNAMIC for n in result.type.shape)]
    lasting = op.name == "kt.buffer" or "kt.address" in op.attributes

    def step(frame: Frame) -> None:
        rest = iter(dynamic)
        shape = tuple(
            [uniform(frame[next(rest)]) if n == t.DYNAMIC else n for n in result.type.shape]
        )
        if lasting and interp.machine.sharing.scratchpads:
            frame[result] = common_view(op, interp, shape, dtype, frame)
        else:
            frame[result] = fresh_view(interp, result.type, shape, dtype, frame)

    return step


@define(eq=False)
class Rounds:
    """The memories that an allocation made, by how often a tile had come, and how often each has."""

    banks: dict[int, Bank] = field(factory=dict)
    counts: dict[int, int] = field(factory=dict)


def common_view(
    op: Any, interp: Interpreter, shape: tuple[int, ...], dtype: Any, frame: Frame
) -> View:
    """A dense view of new memory, of which the other tiles' is a row as well: they may read it."""
    rounds = interp.kept(op, Rounds)
    tiles = frame.tiles.tolist()
    reached = np.array([rounds.counts.get(tile, 0) for tile in tiles])
    if (reached != reached[0]).any():
        raise Diverged(reached)
    number = int(reached[0])
    if number not in rounds.banks:
        size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
        total = int(np.prod(interp.grid))
        rounds.banks[number] = interp.machine.temporary(op.result.type.memory_space, size, total, True)
    rounds.counts.update(dict.fromkeys(tiles, number + 1))
    bank = rounds.banks[number]
    return View(bank, bank.row_number(frame.tiles), 0, shape, dense_strides(shape), dtype)


def fresh_view(
    interp: Interpreter, type: Any, shape: tuple[int, ...], dtype: Any, frame: Frame
) -> View:
    """A dense view of new memory in the space of ``type``."""
    if any(n < 0 for n in shape):
        raise Fault(f"a buffer with negative extents {shape}")
    size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    count = len(frame.tiles)
    bank = interp.machine.temporary(type.memory_space, size, count)
    if frame.journal is not None:
        frame.journal.own.add(bank)
    return View(bank, 0 if count == 1 else np.arange(count), 0, shape, dense_strides(shape), dtype)


@handles("memref.realloc")
def realloc(op: Any, interp: Interpreter) -> Step:
    """New memory with the old elements at its beginning; those behind them are undefined."""
    result = op.result
    dtype = dtype_of(result.type)

    def step(frame: Frame) -> None:
        old = frame[op.source]
        extent = result.type.shape[0]
        size = uniform(frame[op.dynamic_size]) if op.dynamic_size is not None else extent
        made = fresh_view(interp, result.type, (size,), dtype, frame)
        kept = min(size, old.shape[0])
        write_box(made, (0,), (kept,), (0,), read_box(old, (0,), (kept,), (0,), frame), frame)
        frame[result] = made

    return step


@handles("memref.dealloc", "memref.prefetch")
def dealloc(op: Any, interp: Interpreter) -> Step:
    return lambda frame: None


# Memory of a scope is temporary anyway.
handles("memref.alloca_scope")(execute_region)
handles("memref.alloca_scope.return")(leaves)


@handles("memref.cast", "memref.memory_space_cast", "memref.assume_alignment")
def same_view(op: Any, interp: Interpreter) -> Step:
    source, results = op.operands[0], op.results
    shape = getattr(results[0].type, "shape", None) if results else None

    def step(frame: Frame) -> None:
        view = frame[source]
        if shape is not None and any(a not in (t.DYNAMIC, b) for a, b in zip(shape, view.shape)):
            raise Fault(
                f"the memref has extents {'x'.join(map(str, view.shape))}, but is cast to "
                f"{'x'.join(map(str, shape))}"
            )
        for value in results:
            frame[value] = view

    return step


def mixed_numbers(op: Any, key: str, dynamic: Any) -> Any:
    """A function of the frame that gives a static/dynamic list of numbers (may be batched)."""
    static = op.attr(key).values
    operands = iter(dynamic)
    entries = [next(operands) if n == t.DYNAMIC else n for n in static]
    return lambda frame: [n if isinstance(n, int) else frame[n] for n in entries]


@handles("memref.reinterpret_cast")
def reinterpret_cast(op: Any, interp: Interpreter) -> Step:
    offsets = mixed_numbers(op, "static_offsets", op.offsets)
    sizes = mixed_numbers(op, "static_sizes", op.sizes)
    strides = mixed_numbers(op, "static_strides", op.strides)
    source, result = op.operands[0], op.result

    def step(frame: Frame) -> None:
        view = frame[source]
        (offset,) = offsets(frame)
        frame[result] = evolve(
            view,
            address=view.base + offset * view.dtype.itemsize,
            shape=tuple([uniform(n) for n in sizes(frame)]),
            strides=tuple([uniform(n) for n in strides(frame)]),
            coordinates=None,
            symbols=(),
            pointer=view.base,
        )

    return step


@handles("memref.subview")
def subview(op: Any, interp: Interpreter) -> Step:
    offsets = mixed_numbers(op, "static_offsets", op.offsets)
    sizes = mixed_numbers(op, "static_sizes", op.sizes)
    strides = mixed_numbers(op, "static_strides", op.strides)
    source, result = op.operands[0], op.result

    def step(frame: Frame) -> None:
        view = frame[source]
        firsts, shape = offsets(frame), [uniform(n) for n in sizes(frame)]
        steps = [uniform(n) for n in strides(frame)]
        offset: Any = 0
        for first, stride in zip(firsts, view.strides):
            offset = offset + first * stride
        kept = kept_dims(shape, result.type.shape)
        frame[result] = evolve(
            view,
            address=view.address + offset * view.dtype.itemsize,
            shape=tuple([shape[d] for d in kept]),
            strides=tuple([steps[d] * view.strides[d] for d in kept]),
            coordinates=None,
            symbols=(),
            pointer=view.base,
        )

    return step


def kept_dims(shape: list[int], wanted: tuple[int, ...]) -> list[int]:
    """Dimensions that a rank-reducing slice keeps: unit ones are dropped where need be."""
    kept, surplus = [], len(shape) - len(wanted)
    for d, extent in enumerate(shape):
        place = len(kept)
        fits = place < len(wanted) and wanted[place] in (t.DYNAMIC, extent)
        if surplus and extent == 1 and (not fits or _rest_fits(shape[d + 1 :], wanted[place:])):
            surplus -= 1
            continue
        kept.append(d)
    return kept


def _rest_fits(shape: list[int], wanted: tuple[int, ...]) -> bool:
    needed = [n for n in wanted if n != 1]
    have = [n for n in shape if n != 1]
    return len(shape) >= len(wanted) and all(a in (t.DYNAMIC, b) for a, b in zip(needed, have))


def subscripts(op: Any, indices: Any, frame: Frame) -> tuple[list[Any], tuple[int, ...]]:
    """Coordinates of an element access: scalars, or arrays over the space of a structured body."""
    axes = getattr(frame, "axes", 0)
    found = [frame[v] for v in indices]
    shape: tuple[int, ...] = ()
    for c in found:
        if np.ndim(c) >= axes:
            shape = np.broadcast_shapes(shape, np.shape(c)[np.ndim(c) - axes :])
    return found, shape


@handles("memref.load")
def load(op: Any, interp: Interpreter) -> Step:
    source, *indices = op.operands
    result = op.result

    def step(frame: Frame) -> None:
        coordinates, shape = subscripts(op, indices, frame)
        value = np.asarray(read_points(frame[source], coordinates, shape, frame))
        frame[result] = value[()] if value.ndim == 0 else value

    return step


@handles("memref.store")
def store(op: Any, interp: Interpreter) -> Step:
    data, target, *indices = op.operands

    def step(frame: Frame) -> None:
        coordinates, shape = subscripts(op, indices, frame)
        write_points(frame[target], coordinates, shape, frame[data], frame)

    return step


@handles("memref.copy")
def copy(op: Any, interp: Interpreter) -> Step:
    source, target = op.operands

    def step(frame: Frame) -> None:
        write_all(frame[target], read_all(frame[source], frame), frame)

    return step


@handles("memref.dim")
def dim(op: Any, interp: Interpreter) -> Step:
    source, number = op.operands
    result = op.result

    def step(frame: Frame) -> None:
        axis, shape = uniform(frame[number]), frame[source].shape
        rank = len(source.type.shape)
        if not 0 <= axis < rank:
            raise RunError(f"dimension {axis} of a value of rank {rank}")
        frame[result] = int(shape[len(shape) - rank + axis])

    return step


@handles("memref.rank")
def rank(op: Any, interp: Interpreter) -> Step:
    count = len(op.operands[0].type.shape)

    def step(frame: Frame) -> None:
        frame[op.result] = count

    return step


@handles("memref.transpose")
def transpose(op: Any, interp: Interpreter) -> Step:
    axes = op.permutation.map.dim_positions

    def step(frame: Frame) -> None:
        view = frame[op.operands[0]]
        frame[op.result] = evolve(
            view,
            shape=tuple([view.shape[d] for d in axes]),
            strides=tuple([view.strides[d] for d in axes]),
            coordinates=None,
            pointer=view.base,
        )

    return step


@handles("memref.collapse_shape", "memref.expand_shape")
def reshape(op: Any, interp: Interpreter) -> Step:
    """Only of dense views, whose elements keep their order."""
    source, result = op.operands[0], op.result

    def step(frame: Frame) -> None:
        view = frame[source]
        shape = list(result.type.shape)
        total = int(np.prod(view.shape, dtype=np.int64))
        if shape.count(t.DYNAMIC) == 1:
            known = int(np.prod([n for n in shape if n != t.DYNAMIC], dtype=np.int64))
            shape[shape.index(t.DYNAMIC)] = total // known
        if not is_dense(view):
            raise Fault("a reshape of a view that isn't dense")
        frame[result] = evolve(
            view,
            shape=tuple(shape),
            strides=dense_strides(tuple(shape)),
            coordinates=None,
            pointer=view.base,
        )

    return step


@handles("memref.global")
def global_(op: Any, interp: Interpreter) -> Step:
    return lambda frame: None


@handles("memref.get_global")
def get_global(op: Any, interp: Interpreter) -> Step:
    """A copy of the constant for every use: such memory is only read."""
    result = op.result
    name = op.attr("name").leaf
    found = next(
        (
            g
            for g in interp.module.walk()
            if g.name == "memref.global" and g.attr("sym_name").value == name
        ),
        None,
    )
    value = None if found is None else found.attr("initial_value")
    if not isinstance(value, DenseElementsAttr):
        raise RunError(f"no memref.global @{name} with contents")
    contents = constant_value(value, value.type)

    def step(frame: Frame) -> None:
        view = fresh_view(interp, result.type, contents.shape, dtype_of(result.type), frame)
        write_all(view, contents, frame)
        frame[result] = view

    return step
