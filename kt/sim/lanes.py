"""Iterations that don't depend on each other, run as one batch of *lanes*.

A loop over vectors costs an operation of NumPy for each of them. Where the iterations are
independent, one operation can do for all: each iteration becomes an entry of the batch, as if it were
a tile of its own; buffers and FIFO slots that are made inside are there once per lane anyway.

Whether iterations are independent is found out by running them. A :class:`Journal` notes which bytes
each lane reads and writes, and what was there before. If a lane touches what another has written, or
anything else goes wrong, the memory is put back as it was and the iterations run one after the other:
results, faults and their messages are always those of the loop as it is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from attrs import define, field

from kt.ir import types as t
from kt.ir.core import Block, Operation, Value
from kt.ir.dialects.ktdf_data import DataTransferOp, WriteToFifoOp
from kt.ir.dialects.ktdf_types import FifoSlotType
from kt.sim.interp import Code, Frame, Interpreter, Step
from kt.sim.loops import Lattice
from kt.sim.memory import ONES, Bank, Region, extremes
from kt.sim.values import Slot, dtype_of

MAX_LANES = 4096
"""Entries of a batch."""
FEWEST = 4
"""Iterations of a few instructions that are worth an attempt."""
MAX_BYTES = 1 << 26
"""Room for the buffers of all lanes."""

_ROW = 1 << 40
"""Addresses of a row of a bank, for keys that don't change as the bank grows."""
_DIALECTS = {
    "affine", "arith", "builtin", "ktdf", "ktdf_lowering", "linalg", "math", "memref", "spyreop", "tensor",
    "uniform", "vectorchain",
}  # fmt: skip
_ALSO = {
    "kt.convert", "kt.splat", "ktdp.construct_memory_view", "ktdp.get_compute_tile_id", "scf.for",
    "scf.if", "scf.yield",
}  # fmt: skip
_NEVER = {"memref.atomic_rmw", "memref.generic_atomic_rmw"}
_MOVES = {"ktdf.data_transfer", "ktdf.read_from_fifo"}


class Dependent(Exception):
    """Lanes depend on each other; ``inside``: also some of the same lane of the batch around."""

    def __init__(self, inside: bool = True) -> None:
        super().__init__("lanes depend on each other")
        self.inside = inside


@define(eq=False, slots=False)
class Access:
    """Boxes that lanes touched: box i begins at ``starts[i]`` and belongs to ``lanes[i]``.

    ``strides`` count bytes, ``run`` is the size of what lies together. ``old`` is what was there
    before a write: bytes, and which of them were valid; ``apart`` says that no two boxes meet.
    """

    bank: Bank
    starts: np.ndarray
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    run: int
    lanes: np.ndarray
    old: tuple[np.ndarray, np.ndarray | None] | None = None
    apart: bool = False

    @classmethod
    def of(cls, region: Region, lanes: np.ndarray, old: Any = None) -> Access:
        starts = np.asarray(region.starts)
        pitch = region.bank.pitch
        keys = starts // pitch * _ROW + starts % pitch
        run, outer = region.dtype.itemsize, list(zip(region.shape, region.strides))
        while outer and (outer[-1][1] == run or outer[-1][0] == 1):
            run *= outer.pop()[0]
        if not region.batched:
            keys = np.broadcast_to(keys, lanes.shape)
        return cls(
            region.bank, keys, tuple([n for n, _ in outer]), tuple([s for _, s in outer]), run, lanes, old
        )

    @property
    def reach(self) -> tuple[int, int]:
        """First byte of a box, and one past its last, from where it begins."""
        low = high = 0
        for extent, stride in zip(self.shape, self.strides):
            low, high = low + min(0, (extent - 1) * stride), high + max(0, (extent - 1) * stride)
        return low, high + self.run

    @cached_property
    def span(self) -> tuple[int, int]:
        """First byte of all boxes, and one past the last, in whatever rows they lie."""
        (low, high), (first, last) = self.reach, extremes(self.starts & (_ROW - 1))
        return first + low, last + high

    @property
    def grain(self) -> int:
        """The largest number of bytes of which all boxes are made."""
        return int(np.gcd.reduce([self.run, *self.strides, *np.unique(self.starts).tolist()]))

    def keys(self, unit: int) -> tuple[np.ndarray, np.ndarray]:
        """Number of every unit of bytes that is touched, and its lane."""
        found = self.starts // unit
        for extent, stride in zip(self.shape, self.strides):
            found = found[..., None] + np.arange(extent) * (stride // unit)
        found = found[..., None] + np.arange(self.run // unit)
        lanes = np.broadcast_to(self.lanes.reshape(-1, *(1,) * (found.ndim - 1)), found.shape)
        return found.reshape(-1), lanes.reshape(-1)

    def undo(self) -> None:
        assert self.old is not None
        keys, _ = self.keys(1)
        places = keys // _ROW * self.bank.pitch + keys % _ROW
        data, valid = self.old
        self.bank.data[places] = np.resize(data.reshape(-1).view(np.uint8), places.shape)
        if valid is not None and self.bank.valid is not None:
            self.bank.valid[places] = np.resize(valid.reshape(-1).view(np.uint8), places.shape)


@define(eq=False)
class Journal:
    """What the lanes of one batch did to memory that they share, in order.

    ``outer`` are the lanes of the batch around, by lane; ``parent`` is its journal.
    """

    parent: Journal | None
    outer: np.ndarray
    own: set[Bank] = field(factory=set)
    """Memory that was made inside of the loop: every lane has its own."""
    reads: list[Access] = field(factory=list)
    writes: list[Access] = field(factory=list)

    def read(self, region: Region, lanes: np.ndarray) -> None:
        if region.bank not in self.own and 0 not in region.shape:
            self.reads.append(Access.of(region, lanes))

    def write(self, region: Region, lanes: np.ndarray) -> None:
        """Called before the bytes change. Dependent if lanes write the same place."""
        bank = region.bank
        if bank in self.own or 0 in region.shape:
            return
        old: Any = region.gather(bank.data, region.dtype.storage), None
        if bank.valid is not None and region.extent is None:
            old = old[0], region.gather(bank.valid, ONES[region.dtype.itemsize].dtype)
        made = Access.of(region, lanes, old)
        self.writes.append(made)  # what fails from here on is undone, though nothing has changed yet
        order = np.argsort(made.starts, kind="stable")
        starts, who = made.starts[order], lanes[order]
        steps = np.diff(starts)
        if not steps.all():
            self._refuse(steps == 0, who[1:], who[:-1])
        low, high = made.reach
        made.apart = bool((steps >= high - low).all())

    def close(self) -> None:
        """The batch is done: Dependent unless no lane touched what another wrote."""
        for bank in dict.fromkeys(access.bank for access in self.writes):
            self._check([w for w in self.writes if w.bank is bank], [r for r in self.reads if r.bank is bank])
        if self.parent is not None:
            self.parent.adopt(self)

    def adopt(self, inner: Journal) -> None:
        """What the lanes of a batch inside did counts for the lane that it belongs to."""
        for target, source in ((self.reads, inner.reads), (self.writes, inner.writes)):
            for access in source:
                if access.bank not in self.own:
                    access.lanes = inner.outer[access.lanes]
                    target.append(access)

    def undo(self) -> None:
        """Put everything back."""
        for access in reversed(self.writes):
            access.undo()

    def _check(self, writes: list[Access], reads: list[Access]) -> None:
        """Dependent unless all accesses to a byte that is written are of one lane."""
        spans = [w.span for w in writes]
        low, high = min(s[0] for s in spans), max(s[1] for s in spans)
        met = [r for r in reads if r.span[0] < high and low < r.span[1]]
        spans.sort()
        if not met and all(w.apart for w in writes) and all(a[1] <= b[0] for a, b in pairwise(spans)):
            return
        unit = int(np.gcd.reduce([a.grain for a in (*writes, *met)]))
        parts = [w.keys(unit) for w in writes]
        keys, lanes = (np.concatenate(part) for part in zip(*parts, strict=True))
        order = np.argsort(keys, kind="stable")
        keys, lanes = keys[order], lanes[order]
        self._refuse(keys[1:] == keys[:-1], lanes[1:], lanes[:-1])
        for access in met:
            read, by = access.keys(unit)
            at = np.minimum(np.searchsorted(keys, read), len(keys) - 1)
            self._refuse(keys[at] == read, lanes[at], by)

    def _refuse(self, same: np.ndarray, one: np.ndarray, other: np.ndarray) -> None:
        """Dependent if some of the places that are the same belong to two lanes."""
        bad = np.flatnonzero(same & (one != other))
        if len(bad):
            raise Dependent(bool((self.outer[one[bad]] == self.outer[other[bad]]).any()))


# -- loops -----------------------------------------------------------------------------------------


def spread(
    op: Operation,
    interp: Interpreter,
    points: Callable[[Frame], Lattice | None],
    sequential: Step,
    instances: int | None = None,
) -> Step:
    """The step of a loop whose iterations run as lanes where they can.

    ``points`` gives the values of the loop's variables, or None where the tiles don't agree on them;
    ``sequential`` is the step of the loop as it stands. Where the iterations are dealt out to
    ``instances``, the number of its instance is one more argument of the body.
    """
    body = interp.code(op.regions[0].block)
    slots = fed_slots(op)
    if body.waits or interp.machine.meter is not None or slots is None or not eligible(op, body.block):
        return sequential
    room = max(1, _room(body.block))
    least = 2 if any(inner.regions for inner in body.block.ops) else FEWEST
    tried = [True]
    """Whether it is worth another try."""

    def step(frame: Frame) -> Any:
        every = points(frame) if tried[0] else None
        if every is None:
            return sequential(frame)
        size = max(1, min(MAX_LANES, MAX_BYTES // room) // len(frame.tiles))
        share = None if instances is None else max(1, -(-every.count // instances))
        for first in range(0, every.count, size):
            chunk = every.part(first, first + size)
            if share is not None:
                chunk.append(np.arange(first, first + len(chunk[0])) // share)
            if len(chunk[0]) >= least and tried[0]:
                left = interp.machine.left
                if _together(frame, body, chunk, slots):
                    continue
                tried[0], interp.machine.left = False, left
            for point in zip(*[v.tolist() for v in chunk]):
                body(frame, point)
        return None

    return step


def _together(
    frame: Frame, body: Code, values: Sequence[np.ndarray], slots: Sequence[Value]
) -> bool:
    """Run iterations as one batch. False, and nothing has happened, if they have an order."""
    tiles, count = len(frame.tiles), len(values[0])
    positions = np.repeat(np.arange(tiles), count)
    lanes = Frame(frame.tiles[positions], frame.order, frame, positions)
    lanes.lanes = np.arange(tiles * count)
    journal = lanes.journal = Journal(frame.journal, frame.lanes[positions])
    fed = {value: Slot(frame[value].count, frame[value].dtype) for value in slots}
    lanes.update(fed)
    try:
        body(lanes, [np.tile(v, tiles) for v in values])
        found = [(frame[value], _put(slot, lanes)) for value, slot in fed.items()]
        journal.close()
    except Dependent as found:
        journal.undo()
        if frame.journal is not None and not found.inside:
            raise  # it is the batch around that can't be one
        return False
    except Exception:  # whatever went wrong, the loop as it stands will tell
        journal.undo()
        return False
    for slot, made in found:
        slot.push(frame, made.reshape(tiles, -1) if tiles > 1 else made.reshape(-1))
    return True


def _put(slot: Slot, lanes: Frame) -> np.ndarray:
    """What all lanes have put into a slot, (lanes, n)."""
    made = slot.all(lanes)
    if made is None:
        raise Dependent
    return made


def fed_slots(op: Operation) -> list[Value] | None:
    """The FIFO slots from outside into which a loop puts elements; None if it does more with one."""
    found: dict[Value, None] = {}
    for inner in op.walk():
        for value in inner.operands:
            if isinstance(value.type, FifoSlotType) and not _inside(value, op):
                puts = isinstance(inner, WriteToFifoOp) or (
                    isinstance(inner, DataTransferOp) and value is not inner.source
                )
                if not puts:
                    return None
                found[value] = None
    return list(found)


def eligible(op: Operation, block: Block) -> bool:
    """Whether a loop moves vectors, and all that it does to others than itself is to write memory."""
    moves = False
    for inner in op.walk():
        if inner is op:
            continue
        name = inner.name
        if name in _NEVER or (name not in _ALSO and inner.dialect not in _DIALECTS):
            return False
        moves = moves or name in _MOVES
        if name == "ktdf.buffer_phase" and any(v in block.arguments for v in inner.operands):
            return False  # iterations that take turns with buffers
    return moves


def _inside(value: Value, op: Operation) -> bool:
    around: Operation | None = value.owner if isinstance(value.owner, Operation) else value.owner.parent_op
    while around is not None:
        if around is op:
            return True
        around = around.parent_op
    return False


def _room(block: Block) -> int:
    """Bytes of the buffers that one iteration makes."""
    return sum(_size(value.type) for value in _made(block))


def _made(block: Block) -> Iterable[Value]:
    for op in block.ops:
        if op.name in ("memref.alloc", "memref.alloca", "ktdf.read_from_fifo"):
            yield from op.results
        for region in op.regions:
            for inner in region.blocks:
                yield from _made(inner)


def _size(type: Any) -> int:
    if not isinstance(type, t.MemRefType):
        return 0
    count = 1
    for extent in type.shape:
        count *= max(extent, 1)
    return count * dtype_of(type).itemsize
