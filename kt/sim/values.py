"""Run-time values.

A scalar is a Python int (index, integers) or NumPy scalar, a tensor an ndarray in the run-time
representation of :mod:`kt.ir.numbers`. Tiles that agree run as one batch: a value that differs
between them has one more axis in front (a scalar is then 1-d), a value that is the same for all has
none. ``ndim == rank of the type`` tells the two apart, so most operations needn't know.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np
from attrs import define, evolve, field, frozen

from kt.ir import types as t
from kt.ir.affine import AffineSet
from kt.ir.numbers import DType, dtype
from kt.sim.errors import Diverged, Fault
from kt.sim.memory import Bank

DTYPES: dict[t.Type, DType] = {}


def dtype_of(type: t.Type) -> DType:
    """The dtype of a scalar type, or of the elements of a shaped one. Fault if it has none."""
    found = DTYPES.get(type)
    if found is None:
        element = t.element_type_of(type)
        try:
            found = DTYPES[type] = dtype(str(element))
        except ValueError as error:
            raise Fault(str(error)) from None
    return found


def rank_of(type: t.Type) -> int:
    """Axes of an unbatched value of this type."""
    return len(type.shape) if isinstance(type, t.ShapedType) else 0  # type: ignore[attr-defined]


class Pointer(int):
    """A base pointer as the runtime binds it: the number that the kernel sees, and the byte address.

    Arithmetic on it gives a plain int, so only a pointer without displacement keeps the address.
    """

    address: int

    @classmethod
    def of(cls, value: int, address: int) -> Pointer:
        made = cls(value)
        made.address = address
        return made


def uniform(value: Any) -> int:
    """The one integer that all tiles have; Diverged when they differ."""
    if isinstance(value, np.ndarray) and value.ndim:
        first = value.flat[0]
        if (value != first).any():
            raise Diverged(value)
        value = first
    return int(value)


def is_batched(value: Any, rank: int) -> bool:
    return isinstance(value, np.ndarray) and value.ndim > rank


@frozen
class View:
    """Memory seen as an array: the descriptor behind a memref.

    ``row`` is the number of the memory in its bank and ``address`` the view's first byte in the memory
    (both an int, or an array over a batch of tiles); ``strides`` count elements.
    ``coordinates`` says which coordinates of a larger tensor it holds (as a partition).
    """

    bank: Bank
    row: Any
    address: Any
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: DType
    coordinates: AffineSet | None = None
    symbols: tuple[int, ...] = ()
    pointer: Any = None
    """Address that a ``reinterpret_cast`` starts from, when it isn't ``address``."""

    @property
    def base(self) -> Any:
        """The address that offsets of a ``reinterpret_cast`` count from."""
        return self.address if self.pointer is None else self.pointer

    def select(self, picked: Any) -> View:
        row, address, pointer = (
            v[picked] if isinstance(v, np.ndarray) else v
            for v in (self.row, self.address, self.pointer)
        )
        return evolve(self, row=row, address=address, pointer=pointer)

    def label(self) -> str:
        """For messages: ``4x8xf16 in MAIN``."""
        return f"{'x'.join(map(str, (*self.shape, self.dtype.name)))} in {self.bank.name}"


@frozen
class Distributed:
    """A memref made of partitions, indexed with global coordinates."""

    parts: tuple[View, ...]
    shape: tuple[int, ...]
    dtype: DType

    def select(self, picked: Any) -> Distributed:
        return evolve(self, parts=tuple(part.select(picked) for part in self.parts))

    def label(self) -> str:
        return (
            f"{'x'.join(map(str, (*self.shape, self.dtype.name)))} in {len(self.parts)} partitions"
        )


@frozen
class Box:
    """An access tile that is a box: first coordinates (ints or arrays over the batch), extents per
    dimension of the base, and the dimension that runs along each tile axis."""

    base: Any
    origin: tuple[Any, ...]
    extents: tuple[int, ...]
    axes: tuple[int, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.extents[d] for d in self.axes)

    def select(self, picked: Any) -> Box:
        origin = tuple(o[picked] if isinstance(o, np.ndarray) else o for o in self.origin)
        return evolve(self, base=select(self.base, len(self.extents), picked), origin=origin)


@frozen
class Points:
    """An access tile given by its coordinates: per dimension of the base an int or integer array of
    shape ``shape`` (or broadcast to it), with the batch in front where it has ``len(shape) + 1`` axes."""

    base: Any
    coordinates: tuple[Any, ...]
    shape: tuple[int, ...]

    def select(self, picked: Any) -> Points:
        rank = len(self.shape)
        coordinates = tuple(c[picked] if np.ndim(c) > rank else c for c in self.coordinates)
        return evolve(
            self, base=select(self.base, len(self.coordinates), picked), coordinates=coordinates
        )


class Untouchable:
    """A value that NumPy must not take for an array: whatever touches it raises :meth:`refuse`."""

    __slots__ = ()

    def refuse(self) -> Exception:
        """Why, to be raised."""
        return Fault("this value can't be used")

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise self.refuse()

    def __array_ufunc__(self, *args: Any, **kwargs: Any) -> Any:
        raise self.refuse()

    def __getitem__(self, key: Any) -> Any:
        raise self.refuse()


class Undefined(Untouchable):
    """A tensor without contents (``tensor.empty``), or with some of them (``written`` marks which).

    Arithmetic on it is a fault. As the destination of a reduction it stands for the identity.
    """

    __slots__ = ("data", "dtype", "shape", "written")

    def __init__(self, shape: tuple[int, ...], dtype: DType) -> None:
        self.shape = shape
        self.dtype = dtype
        self.data: np.ndarray | None = None
        self.written: np.ndarray | None = None

    def refuse(self) -> Fault:
        return Fault(
            "reads a tensor that was never written",
            hint="fill the result of tensor.empty before reading it",
        )

    def with_slice(self, index: tuple[Any, ...], values: np.ndarray) -> Any:
        """A copy in which ``values`` stand at ``index``; a plain array once all is written."""
        new = Undefined(self.shape, self.dtype)
        old, mask = self.data, self.written
        new.data = np.zeros(self.shape, self.dtype.compute) if old is None else old.copy()
        new.written = np.zeros(self.shape, bool) if mask is None else mask.copy()
        if values.ndim > len(self.shape):
            raise Diverged(np.arange(len(values)))
        new.data[index] = values
        new.written[index] = True
        return new.data if new.written.all() else new


class Poison(Untouchable):
    """What a tile that doesn't consume gets from an inter-tile operation; any use is a fault."""

    __slots__ = ("op", "shape")

    def __init__(self, op: Any, shape: tuple[int, ...]) -> None:
        self.op = op
        self.shape = shape

    def refuse(self) -> Fault:
        place = self.op.location.position()
        where = f" at {place}" if place else ""
        return Fault(f"uses the result of '{self.op.name}'{where}, of which it is no consumer")


class Varied(Untouchable):
    """Values of a batch that don't fit one array: one entry per tile. Touching it splits the batch."""

    __slots__ = ("entries",)

    def __init__(self, entries: Sequence[Any]) -> None:
        self.entries = list(entries)

    def refuse(self) -> Diverged:
        return Diverged(np.arange(len(self.entries)))

    def select(self, picked: Any) -> Any:
        if isinstance(picked, int):
            return self.entries[picked]
        chosen = [self.entries[i] for i in picked]
        return chosen[0] if all(c is chosen[0] for c in chosen) else Varied(chosen)

    def __getattr__(self, name: str) -> Any:
        raise self.refuse()

    def __int__(self) -> int:
        raise self.refuse()


@define(eq=False)
class Slot:
    """A FIFO slot: queues of elements in order of arrival, one per entry of the batch that uses it.

    As long as the same batch puts and takes, its queues are one: ``chunks`` holds arrays of n elements
    (the same for all), or (entries, n). ``queues`` are what is left by entry once it is split.
    """

    count: int
    dtype: DType
    lanes: Any = None
    """The batch's lanes, once it has put something."""
    chunks: deque[np.ndarray] = field(factory=deque)
    queues: dict[int, deque[np.ndarray]] | None = None

    def push(self, frame: Any, values: np.ndarray) -> None:
        """Append elements, (n,) for all alike or (entries, n)."""
        if self._joint(frame):
            self.chunks.append(values)
            return
        for lane, part in self._parts(frame, values):
            self._queue(lane).append(part)

    def put_back(self, frame: Any, values: np.ndarray) -> None:
        """Elements that were taken are the next ones again."""
        if self._joint(frame):
            self.chunks.appendleft(values)
            return
        for lane, part in self._parts(frame, values):
            self._queue(lane).appendleft(part)

    def pop(self, frame: Any, count: int) -> np.ndarray:
        """Take the next ``count`` elements: (count,), or (entries, count) if they may differ."""
        if self._joint(frame):
            return self._take(self.chunks, count, frame.tiles)
        taken = [
            self._take(self._queue(lane), count, frame.tiles[i : i + 1])
            for i, lane in enumerate(frame.lanes.tolist())
        ]
        if all(part is taken[0] for part in taken):
            return taken[0]
        return np.stack(taken)

    def all(self, frame: Any) -> np.ndarray | None:
        """All elements, (entries, n), of the batch that put them there; None if it was split."""
        if not self._joint(frame):
            return None
        entries = len(frame.lanes)
        parts = [np.broadcast_to(p, (entries, p.shape[-1])) for p in self.chunks]
        return np.concatenate(parts, -1) if parts else np.empty((entries, 0), self.dtype.compute)

    def _joint(self, frame: Any) -> bool:
        """Whether the queues are one, and it is this batch's."""
        lanes = frame.lanes
        if self.queues is not None:
            return False
        if self.lanes is None or not self.chunks:
            self.lanes = lanes
        if self.lanes is lanes or np.array_equal(self.lanes, lanes):
            return True
        self.queues = {}
        for values in self.chunks:
            for lane, part in zip(self.lanes.tolist(), _each(values, len(self.lanes))):
                self._queue(lane).append(part)
        return False

    def _queue(self, lane: int) -> deque[np.ndarray]:
        assert self.queues is not None
        return self.queues.setdefault(lane, deque())

    @staticmethod
    def _parts(frame: Any, values: np.ndarray) -> Any:
        return zip(frame.lanes.tolist(), _each(values, len(frame.lanes)))

    def _take(self, queue: deque[np.ndarray], count: int, tiles: np.ndarray) -> np.ndarray:
        if queue and queue[0].shape[-1] == count:
            return queue.popleft()
        parts, missing = [], count
        while missing and queue:
            head = queue.popleft()
            if head.shape[-1] > missing:
                queue.appendleft(head[..., missing:])
                head = head[..., :missing]
            parts.append(head)
            missing -= head.shape[-1]
        if missing:
            raise Fault(
                f"reads {count} elements from a FIFO slot that holds {count - missing}: nothing "
                "before it in the order of stages writes them",
                int(tiles[0]),
            )
        if not parts:
            return np.empty(0, self.dtype.compute)
        if len({part.ndim for part in parts}) > 1:
            parts = [np.broadcast_to(p, (len(self.lanes), p.shape[-1])) for p in parts]
        return np.concatenate(parts, -1)


def _each(values: np.ndarray, entries: int) -> Sequence[np.ndarray]:
    """The elements of each entry of a batch."""
    return list(values) if values.ndim > 1 else [values] * entries


def select(value: Any, rank: int, picked: Any) -> Any:
    """The value as a part of the tiles see it: ``picked`` is a position in the batch or an array."""
    if isinstance(value, np.ndarray):
        if value.ndim <= rank:
            return value
        part = value[picked]
        return part.item() if rank == 0 and part.ndim == 0 and part.dtype.kind in "iu" else part
    if isinstance(value, (View, Distributed, Box, Points, Varied)):
        return value.select(picked)
    return value


def merge(parts: Sequence[tuple[np.ndarray, Any]], rank: int, total: int) -> Any:
    """One value for a batch of ``total`` tiles from those of its parts (positions, value)."""
    first = parts[0][1]
    same = all(value is first for _, value in parts)
    if same and (len(parts) == 1 or not is_batched(first, rank)):
        return first
    arrays = [v for _, v in parts if isinstance(v, (np.ndarray, np.generic, int, float))]
    if len(arrays) == len(parts):
        shapes = {np.shape(v)[np.ndim(v) - rank :] for v in arrays}
        if len(shapes) == 1:
            out = np.empty((total, *shapes.pop()), np.asarray(first).dtype)
            for positions, value in parts:
                out[positions] = value
            return out
    entries: list[Any] = [None] * total
    for positions, value in parts:
        for i, position in enumerate(positions.tolist()):
            entries[position] = value if len(positions) == 1 else select(value, rank, i)
    return Varied(entries)
