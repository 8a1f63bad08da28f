"""The interpreter: one table of handlers, steps prepared once per operation, batches of tiles.

A *handler* takes an operation and the interpreter and returns its *step*, a function of a
:class:`Frame`; everything that depends on the operation alone is worked out only once, for this run and
for later ones (what lasts for one run only stands in :meth:`Interpreter.kept`). A step runs
to the end and returns None, or returns a generator when it contains operations that wait for other
tiles; the generator yields a :class:`Wait` whenever it can't go on.

A frame holds the values of a batch of tiles (see :mod:`kt.sim.values`). Where a step needs one value
for all of them and they differ, it raises :class:`Diverged` before it has any effect: the batch is
split there, each part runs the step, and the results are merged again.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np
from attrs import define, field

from kt.ir.affine import AffineError
from kt.ir.core import Block, Operation, Value
from kt.ir.diagnostics import RunError
from kt.sim.errors import Diverged, located
from kt.sim.machine import Machine
from kt.sim.order import Order
from kt.sim.values import merge, rank_of, select

Step = Callable[["Frame"], Any]
Handler = Callable[[Any, "Interpreter"], Step]
KeptT = TypeVar("KeptT")

HANDLERS: dict[str, Handler] = {}
WAITING: set[str] = set()
"""Operations that may wait for other tiles."""

_PACKAGES = ["kt.sim.handlers"]
_loaded: set[str] = set()


def handles(*names: str, waits: bool = False) -> Callable[[Handler], Handler]:
    """Register the handler of operations by their full names."""

    def register(handler: Handler) -> Handler:
        for name in names:
            HANDLERS[name] = handler
            if waits:
                WAITING.add(name)
        return handler

    return register


def load_handlers(dialect: str) -> None:
    """Import the handlers of a dialect, if there are any."""
    if dialect in _loaded:
        return
    _loaded.add(dialect)
    for package in _PACKAGES:
        module = f"{package}.{dialect}"
        if importlib.util.find_spec(module) is not None:
            importlib.import_module(module)


class Frame(dict[Value, Any]):
    """The values of a batch of tiles. A part of a batch looks up the rest in its parent."""

    __slots__ = ("depth", "journal", "lanes", "order", "out", "parent", "picked", "tiles")

    def __init__(
        self,
        tiles: np.ndarray,
        order: Order | None,
        parent: Frame | None = None,
        picked: Any = None,
    ) -> None:
        super().__init__()
        self.tiles = tiles
        self.order = order
        self.parent = parent
        self.picked = picked
        self.depth = 0 if parent is None else parent.depth
        self.lanes = tiles if parent is None else parent.lanes
        """What tells the entries of the batch apart: the tiles, or tiles and iterations."""
        self.journal: Any = None if parent is None else parent.journal
        """The :class:`kt.sim.lanes.Journal` of accesses, where iterations run as one batch."""
        self.out: tuple[Any, ...] = ()
        """Operands of the terminator that ran last."""

    def __missing__(self, value: Value) -> Any:
        if self.parent is None:
            raise RunError(f"a value of type {value.type} is used before it has been computed")
        found = select(self.parent[value], rank_of(value.type), self.picked)
        self[value] = found
        return found

    def part(self, positions: np.ndarray) -> Frame:
        """The frame of some of the tiles."""
        picked: Any = int(positions[0]) if len(positions) == 1 else positions
        part = Frame(self.tiles[positions], self.order, self, picked)
        part.lanes = self.lanes[positions]
        return part

    def fresh(self) -> Frame:
        """An empty frame for the same tiles (a function that is called)."""
        return Frame(self.tiles, self.order)


class Wait:
    """What a blocked generator waits for: tiles, operation, and words for the deadlock report."""

    __slots__ = ("op", "reason", "tiles")

    def __init__(self, tiles: Sequence[int], op: Operation | None, reason: str) -> None:
        self.tiles = list(tiles)
        self.op = op
        self.reason = reason


class Code:
    """The prepared steps of one block. Calling it runs the block on a frame."""

    __slots__ = ("arguments", "block", "interp", "ops", "steps", "waits")

    def __init__(self, block: Block, interp: Interpreter) -> None:
        self.block = block
        self.interp = interp
        self.arguments = tuple(block.arguments)
        self.ops = tuple(block.ops)
        self.waits = any(interp.waits(op) for op in self.ops)
        self.steps: tuple[Step, ...] | None = None

    def __call__(self, frame: Frame, args: Sequence[Any] = ()) -> Any:
        """Run with these block arguments: None when done, a generator when it may wait."""
        if self.arguments:
            frame.update(zip(self.arguments, args))
        if self.waits:
            return self._drive(frame)
        steps = self.steps or self._prepare()
        number = 0
        try:
            for number, step in enumerate(steps):
                try:
                    step(frame)
                except Diverged as split:
                    self.interp.split(step, self.ops[number], frame, split.keys)
        except (RunError, AffineError) as error:
            raise located(error, self.ops[number], frame.tiles) from None
        return None

    def _drive(self, frame: Frame) -> Iterator[Wait]:
        steps = self.steps or self._prepare()
        number = 0
        try:
            for number, step in enumerate(steps):
                pending = self.interp.attempt(step, self.ops[number], frame)
                if pending is not None:
                    yield from pending
        except (RunError, AffineError) as error:
            raise located(error, self.ops[number], frame.tiles) from None

    def _prepare(self) -> tuple[Step, ...]:
        steps = []
        for op in self.ops:
            try:
                steps.append(self.interp.prepare(op))
            except RunError as error:
                raise located(error, op, ()) from None
        self.steps = tuple(steps)
        return self.steps


@define(eq=False)
class Interpreter:
    """Runs operations of one module on one machine."""

    module: Operation
    machine: Machine
    grid: tuple[int, ...] = (1,)
    byte_pointers: bool = False
    """Whether base pointers that come from arguments count bytes (convention ``scheduler``)."""
    like_peer: bool = False
    """Convention ``ktir-cpu``: the first grid dimension varies fastest, and a tile's order maps its
    own index to the memory's."""
    state: dict[Any, Any] = field(factory=dict)
    """What operations keep during a run: steps themselves keep nothing."""
    batch: tuple[int, int] = (0, 1)
    """Number of the batch that runs, and how many there are."""
    functions: dict[str, Operation] = field(factory=dict)
    """All functions with a body by name, wherever in the module they stand."""
    _codes: dict[Block, Code] = field(factory=dict)
    _waits: dict[Operation, bool] = field(factory=dict)

    def code(self, block: Block) -> Code:
        """The runnable form of a block."""
        found = self._codes.get(block)
        if found is None:
            found = self._codes[block] = Code(block, self)
        return found

    def kept(self, key: Any, make: Callable[[], KeptT]) -> KeptT:
        """What an operation keeps during the run at hand, made on first use."""
        found = self.state.get(key)
        if found is None:
            found = self.state[key] = make()
        return found

    def prepare(self, op: Operation) -> Step:
        """The step of an operation. RunError when nothing can execute it."""
        handler = HANDLERS.get(op.name)
        if handler is None:
            load_handlers(op.dialect)
            handler = HANDLERS.get(op.name)
        if handler is None:
            from kt.sim.elementwise import elementwise

            handler = elementwise
        step = handler(op, self)
        return step if self.machine.meter is None else self.machine.meter.wrap(op, step)

    def waits(self, op: Operation) -> bool:
        """Whether the op, something in it, or a function that it calls may wait for other tiles."""
        found = self._waits.get(op)
        if found is None:
            if op.name not in HANDLERS:
                load_handlers(op.dialect)
            self._waits[op] = False  # a recursive call adds nothing
            found = op.name in WAITING or any(
                self.waits(inner) for region in op.regions for b in region.blocks for inner in b.ops
            )
            if not found and op.name == "func.call":
                callee = self.function(op.attr("callee").leaf, required=False)
                found = callee is not None and self.waits(callee)
            if not found and op.name == "func.call_indirect":
                found = any(self.waits(function) for function in self.functions.values())
            self._waits[op] = found
        return found

    def function(self, name: str, required: bool = True) -> Any:
        """The function of that name that has a body."""
        found = self.functions.get(name)
        if found is None and required:
            known = ", ".join(f"@{n}" for n in self.functions) or "none"
            raise RunError(
                f"no function @{name} with a body in the module", hint=f"there are: {known}"
            )
        return found

    def call(self, function: Operation, frame: Frame, args: Sequence[Any]) -> Any:
        """Run a function's body in ``frame`` (a fresh one); results are in ``frame.out``."""
        return self.run_region(function.regions[0], frame, args)

    def run_region(self, region: Any, frame: Frame, args: Sequence[Any]) -> Any:
        """Run a region, following branches between its blocks."""
        first = self.code(region.blocks[0])
        if len(region.blocks) == 1:
            return first(frame, args)
        flow = self._flow(region, frame, args)
        if any(self.code(block).waits for block in region.blocks):
            return flow
        exhaust(flow)
        return None

    def _flow(self, region: Any, frame: Frame, args: Sequence[Any]) -> Iterator[Wait]:
        block: Block | None = region.blocks[0]
        while block is not None:
            pending = self.code(block)(frame, args)
            if pending is not None:
                yield from pending
            ends = block.last_op
            if ends is None or not ends.successors:
                return
            try:
                self.machine.take(1)
            except RunError as error:
                raise located(error, ends, frame.tiles) from None
            block, args = frame.out  # a branch leaves its target and the arguments

    def ticker(self, op: Operation) -> Callable[[float], None] | None:
        """What a loop tells the part of its iterations that are done; None if nobody wants to know."""
        report, block = self.machine.progress, op.parent
        around = None if block is None else block.parent_op
        if report is None or around is None or around.name != "func.func":
            return None
        loops = [inner for inner in block.ops if inner.regions]  # type: ignore[union-attr]
        place, count = loops.index(op), len(loops)

        def tick(part: float) -> None:
            number, batches = self.batch
            report((number + (place + part) / count) / batches)

        return tick

    # -- batches ---------------------------------------------------------------------------------

    def attempt(self, step: Step, op: Operation, frame: Frame) -> Any:
        """Run a step; where the tiles diverge, part by part."""
        try:
            return step(frame)
        except Diverged as split:
            return self.split(step, op, frame, split.keys)

    def split(self, step: Step, op: Operation, frame: Frame, keys: np.ndarray) -> Any:
        """Run a step for each group of tiles with equal keys, and merge its results."""
        _, groups = np.unique(keys, return_inverse=True)
        groups = groups.reshape(-1)
        members = [np.flatnonzero(groups == g) for g in range(int(groups.max()) + 1)]
        parts = [frame.part(positions) for positions in members]
        if self.waits(op):
            return self._split_waiting(step, op, frame, members, parts)
        for part in parts:
            try:
                self.attempt(step, op, part)
            except RunError as error:
                raise located(error, op, part.tiles) from None
        self._join(op, frame, members, parts)
        return None

    def _split_waiting(
        self, step: Step, op: Operation, frame: Frame, members: list[np.ndarray], parts: list[Frame]
    ) -> Iterator[Wait]:
        runs = [_started(self.attempt, step, op, part) for part in parts]
        yield from interleave(runs)
        self._join(op, frame, members, parts)

    def _join(
        self, op: Operation, frame: Frame, members: list[np.ndarray], parts: list[Frame]
    ) -> None:
        for value in op.results:
            found = [(m, part[value]) for m, part in zip(members, parts)]
            frame[value] = merge(found, rank_of(value.type), len(frame.tiles))


def exhaust(steps: Iterator[Any]) -> None:
    """Run a generator that never waits."""
    for _ in steps:
        raise AssertionError("a step that cannot wait did")


def finish(loop: Callable[..., Iterator[Wait]], waits: bool) -> Callable[..., Any]:
    """The generator function itself if it may wait, else a function that runs it to the end."""
    if waits:
        return loop

    def run(*args: Any) -> None:
        exhaust(loop(*args))

    return run


def _started(attempt: Any, step: Step, op: Operation, part: Frame) -> Iterator[Wait]:
    pending = attempt(step, op, part)
    if pending is not None:
        yield from pending


def interleave(runs: Sequence[Iterator[Wait]]) -> Iterator[Wait]:
    """Run generators in turns until all have ended; yields only when every one of them is blocked.

    A generator is blocked when it yields the same Wait object as the time before.
    """
    waits: dict[int, Wait | None] = dict.fromkeys(range(len(runs)))
    blocked: Wait | None = None
    while waits:
        progress = False
        for number in list(waits):
            try:
                found = next(runs[number])
            except StopIteration:
                del waits[number]
                progress = True
                continue
            if found is not waits[number]:
                waits[number] = found
                progress = True
        if not waits:
            return
        if progress:
            blocked = None
            continue
        if blocked is None:
            stuck = [w for w in waits.values() if w is not None]
            tiles = [t for w in stuck for t in w.tiles]
            blocked = Wait(tiles, stuck[0].op, "; ".join(dict.fromkeys(w.reason for w in stuck)))
        yield blocked
