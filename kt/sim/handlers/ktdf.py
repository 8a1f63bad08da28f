"""ScheduleIR run in sequence: the stages of a pipeline one after the other in token order.

A pipeline is complete before the next operation starts. Private resources are new for every
execution, so the number of copies that a pipeline keeps (``modulo``) doesn't matter here.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from kt.ir import types as t
from kt.ir.attributes import DictAttr
from kt.ir.core import BlockArgument, Value
from kt.ir.diagnostics import RunError
from kt.ir.dialects.func import FuncOp
from kt.sim.access import overlap, read_all, read_box, write_all, write_box
from kt.sim.errors import Fault
from kt.sim.handlers.affine import evaluate
from kt.sim.handlers.func import leaves
from kt.sim.handlers.memref import fresh_view
from kt.sim.handlers.scf import enter
from kt.sim.interp import Frame, Interpreter, Step, finish, handles
from kt.sim.lanes import spread
from kt.sim.loops import Lattice
from kt.sim.placement import BodyFrame
from kt.sim.structured import finish as deliver
from kt.sim.values import Distributed, Slot, View, dtype_of, is_batched, rank_of, uniform

handles("ktdf.private_yield", "ktdf.parallel_yield")(leaves)


@handles("ktdf.pipeline")
def pipeline(op: Any, interp: Interpreter) -> Step:
    parts = [] if op.private is None else [enter(interp.code(op.private.body), op.private.results)]
    parts += [enter(interp.code(stage.body), ()) for stage in op.ordered_stages()]

    def run(frame: Frame) -> Iterator[Any]:
        for part in parts:
            frame.out = ()
            pending = part(frame)
            if pending is not None:
                yield from pending

    return finish(run, interp.waits(op))


@handles("ktdf.create_token")
def create_token(op: Any, interp: Interpreter) -> Step:
    def step(frame: Frame) -> None:
        frame[op.result] = None

    return step


@handles("ktdf.parallel")
def parallel(op: Any, interp: Interpreter) -> Step:
    """Instances one after the other, each with its contiguous share of the points."""
    body, instances = interp.code(op.body), op.num_instances.value

    def run(frame: Frame, points: Lattice) -> Iterator[Any]:
        share = -(-points.count // instances)
        for number, point in enumerate(points):
            pending = body(frame, (*point, number // share))
            if pending is not None:
                yield from pending

    loop = finish(run, body.waits)

    def points(frame: Frame) -> Lattice:
        bounds = zip(op.lower_bounds, op.upper_bounds, op.steps)
        return Lattice.of((tuple(frame[v] for v in bound) for bound in bounds), interp.machine)

    return spread(op, interp, points, lambda frame: loop(frame, points(frame)), instances)


# -- numbers that are chosen late ------------------------------------------------------------------


@handles("ktdf.tiling.reserve_size")
def reserve_size(op: Any, interp: Interpreter) -> Step:
    """The size that the function's ``kt.plan`` gives to the dimension, else the smallest legal one.

    No tile is larger than the loop that it cuts.
    """
    low, step = op.min_value.value, max(1, op.divisibility.value)
    function, dim = op.parent_of_type(FuncOp), op.attr("kt.dim")
    plan = function.attr("kt.plan") if function is not None else None
    tiles = plan.get("tile") if isinstance(plan, DictAttr) else None
    planned = tiles.get(str(dim.value)) if dim is not None and tiles is not None else None
    counts = [user.operands[0].defining_op for user in op.size.users if user.name == "arith.ceildivui"]
    totals = [c.attr("value").value for c in counts if c is not None and c.name == "arith.constant"]
    size = min([low if planned is None else planned.value, *totals])
    size = max(step, -(-max(low, size) // step) * step)

    def step_(frame: Frame) -> None:
        frame[op.result] = size

    return step_


@handles("ktdf.tiling.derive_size")
def derive_size(op: Any, interp: Interpreter) -> Step:
    pairs = list(zip(op.ivs, op.tile_sizes))

    def step(frame: Frame) -> None:
        rest = frame[op.total_size]
        for iv, size in pairs:
            size = frame[size]
            rest = np.maximum(0, np.minimum(size, rest - frame[iv] * size))
        frame[op.result] = rest if np.ndim(rest) else int(rest)

    return step


@handles("ktdf.tiling.linearize_index")
def linearize_index(op: Any, interp: Interpreter) -> Step:
    pairs = list(zip(op.ivs, op.strides))

    def step(frame: Frame) -> None:
        frame[op.result] = sum(frame[iv] * frame[stride] for iv, stride in pairs)

    return step


@handles("ktdf.buffer_phase")
def buffer_phase(op: Any, interp: Interpreter) -> Step:
    loops = [_loop_of(iv) for iv in op.ivs]
    phases = op.num_phases.value

    def step(frame: Frame) -> None:
        count: Any = 0
        for iv, loop in zip(op.ivs, loops):
            if loop is None:
                continue  # a constant: its loop had one iteration
            low, high, step = (frame[v] for v in loop.operands[:3])
            trips = np.maximum(0, -((low - high) // step))
            count = count * trips + (frame[iv] - low) // step
        count = count % phases
        frame[op.result] = count if np.ndim(count) else int(count)

    return step


def _loop_of(iv: Value) -> Any:
    if isinstance(iv, BlockArgument):
        loop = iv.block.parent_op
        if loop is not None and loop.name == "scf.for" and iv.index == 0:
            return loop
        raise RunError("an operand of a buffer phase is no variable of an scf.for loop")
    maker = iv.defining_op
    if maker is not None and maker.name == "arith.constant":
        return None
    raise RunError("an operand of a buffer phase is no variable of an scf.for loop")


@handles("ktdf.select_memref")
def select_memref(op: Any, interp: Interpreter) -> Step:
    """One of the buffers; they must lie apart, for stages of two iterations use two at a time."""

    def step(frame: Frame) -> None:
        seen: list[Any] = interp.kept(op, list)
        phase = uniform(frame[op.phase])
        if not 0 <= phase < len(op.candidates):
            raise Fault(f"phase {phase} of {len(op.candidates)} buffers")
        views = [frame[v] for v in op.candidates]
        if len(seen) != len(views) or any(a is not b for a, b in zip(seen, views)):
            for (i, a), (j, b) in itertools.combinations(enumerate(views), 2):
                if overlap(a, b):
                    raise Fault(f"buffers {i} and {j} share bytes of {a.bank.name}")
            seen[:] = views
        frame[op.result] = views[phase]

    return step


# -- FIFO slots and transfers ----------------------------------------------------------------------


@handles("ktdf.fifo.allocate")
def fifo_allocate(op: Any, interp: Interpreter) -> Step:
    sizes = op.mixed_sizes()

    def step(frame: Frame) -> None:
        for value, size in zip(op.results, sizes):
            count = size if isinstance(size, int) else uniform(frame[size])
            frame[value] = Slot(count, dtype_of(value.type))

    return step


@handles("ktdf.read_from_fifo")
def read_from_fifo(op: Any, interp: Interpreter) -> Step:
    type, result = op.result.type, op.result
    dtype = dtype_of(type)

    def step(frame: Frame) -> None:
        slot: Slot = frame[op.fifo_slot]
        shape = _fill(type.shape, slot.count)
        values = slot.pop(frame, math.prod(shape))
        values = values.reshape((*values.shape[:-1], *shape))
        if isinstance(type, t.MemRefType):
            view = fresh_view(interp, type, shape, dtype, frame)
            write_all(view, values, frame)
            frame[result] = view
        else:
            frame[result] = values

    return step


def _fill(shape: tuple[int, ...], count: int) -> tuple[int, ...]:
    """A shape whose one dynamic extent makes it hold ``count`` elements."""
    if t.DYNAMIC not in shape:
        return shape
    known = math.prod(n for n in shape if n != t.DYNAMIC)
    if shape.count(t.DYNAMIC) > 1:
        raise Fault("data of several dynamic extents can't be taken from a FIFO slot")
    return tuple(count // max(known, 1) if n == t.DYNAMIC else n for n in shape)


@handles("ktdf.write_to_fifo")
def write_to_fifo(op: Any, interp: Interpreter) -> Step:
    rank = rank_of(op.data.type)

    def step(frame: Frame) -> None:
        data = frame[op.data]
        if isinstance(data, (View, Distributed)):
            data = read_all(data, frame)
        data = np.asarray(data)
        batched = is_batched(data, rank)
        lead = data.shape[:1] if batched else ()
        frame[op.fifo_slot].push(frame, data.reshape(*lead, -1))

    return step


@handles("ktdf.data_transfer")
def data_transfer(op: Any, interp: Interpreter) -> Step:
    source, target, mode = op.source_side, op.dest_side, op.transfer_mode

    def step(frame: Frame) -> None:
        taken, wanted = _count(source, frame), _count(target, frame)
        if source.is_fifo and source.sizes is None:
            taken = wanted if wanted is not None and target.sizes is not None else taken
        place = _corner(target, frame)  # before anything is taken: the tiles may diverge
        values = _take(source, taken, frame)
        if mode == "keep":
            frame[source.value].put_back(frame, values)
        if target.is_fifo:
            slot: Slot = frame[target.value]
            values = _expand(values, slot.count if mode else taken, mode)
            slot.push(frame, values)
            return
        if taken != wanted and not (source.is_fifo and taken > wanted):
            raise Fault(f"{taken} elements are moved into a box of {wanted}")
        origin, sizes = place
        values = values[..., :wanted]
        values = values.reshape((*values.shape[:-1], *sizes))
        write_box(frame[target.value], origin, sizes, range(len(sizes)), values, frame)

    return step


def _count(side: Any, frame: Frame) -> Any:
    """Elements that a side names: by its sizes, or all that its slot holds."""
    if side.sizes is None:
        return frame[side.value].count
    return math.prod(_sizes(side, frame))


def _sizes(side: Any, frame: Frame) -> list[int]:
    return [n if isinstance(n, int) else uniform(frame[n]) for n in side.sizes]


def _corner(side: Any, frame: Frame) -> tuple[Any, list[int]]:
    if side.is_fifo:
        return (), []
    return evaluate(side.map, [frame[v] for v in side.indices]), _sizes(side, frame)


def _take(side: Any, count: int, frame: Frame) -> np.ndarray:
    """The sequence of elements of a source: (count,), with the batch in front if it differs."""
    if side.is_fifo:
        return frame[side.value].pop(frame, count)
    origin, sizes = _corner(side, frame)
    found = read_box(frame[side.value], origin, sizes, range(len(sizes)), frame)
    return found.reshape(*found.shape[: found.ndim - len(sizes)], -1)


def _expand(values: np.ndarray, count: int, mode: str | None) -> np.ndarray:
    """Values as they fill a slot: repeated or padded with zeros where the mode says so."""
    have = values.shape[-1]
    if have == count or mode is None:
        return values
    if have > count:
        raise Fault(f"{have} elements don't fit a FIFO slot of {count}")
    if mode == "splat":
        if have != 1:
            raise Fault(f"a splat repeats one element, but {have} are transferred")
        return np.ascontiguousarray(np.broadcast_to(values, (*values.shape[:-1], count)))
    padded = np.zeros((*values.shape[:-1], count), values.dtype)
    padded[..., :have] = values
    return padded


# -- templates -------------------------------------------------------------------------------------


@handles("ktdf.opaque")
def opaque(op: Any, interp: Interpreter) -> Step:
    """A template's function, applied element by element to the inputs."""
    template = _template(op.template_name.value, interp)
    code = interp.code(template.regions[0].block)
    arguments = list(code.arguments)
    if not op.outputs:
        return _lane_by_lane(op, code)

    def step(frame: Frame) -> None:
        values = [_elements(frame[v], frame) for v in op.inputs]
        axes = max((rank_of(v.type) for v in (*op.inputs, *op.outputs)), default=0)
        shape = tuple(op.outputs[0].type.shape) if op.outputs else ()
        body = BodyFrame(frame, shape)
        for argument, value, source in zip(arguments, values, op.inputs):
            value, rank = np.asarray(value), rank_of(source.type)
            lead = value.shape[: value.ndim - rank]
            body[argument] = value.reshape((*lead, *(1,) * (axes - rank), *value.shape[len(lead) :]))
        code(body, [body[a] for a in arguments])
        results = [_spread(v, shape) for v in body.out]
        deliver(op, op.outputs, results, frame)

    return step


def _lane_by_lane(op: Any, code: Any) -> Step:
    """A template on scalars or vectors: its function on their arrays as they are."""

    def step(frame: Frame) -> None:
        inside = BodyFrame(frame, frame.extents if isinstance(frame, BodyFrame) else ())
        code(inside, [frame[v] for v in op.inputs])
        for result, value in zip(op.results, inside.out):
            frame[result] = value

    return step


def _elements(value: Any, frame: Frame) -> Any:
    return read_all(value, frame) if isinstance(value, (View, Distributed)) else value


def _spread(value: Any, shape: tuple[int, ...]) -> np.ndarray:
    value = np.asarray(value)
    lead = value.shape[: max(0, value.ndim - len(shape))]
    return np.array(np.broadcast_to(value, (*lead, *shape)))


def _template(name: str, interp: Interpreter) -> Any:
    device = interp.machine.device
    found = None if device is None else device.templates.get(name)
    if found is None:
        found = interp.function(name, required=False)
    if found is None:
        raise RunError(
            f"no function says what the template '{name}' computes",
            hint="give the device file a func.func with the attribute kt.template, or the module one",
        )
    return found
