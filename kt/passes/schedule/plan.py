"""The plan: what a schedule decides, as data on the program.

A plan stands on the program's function as the attribute ``kt.plan``, keyed by iteration dimension
(loops carry theirs as ``kt.dim``), so that no canonicalisation can lose it::

    func.func @local_schedule_0() attributes {kt.plan = {depth = 2 : i64, tile = {"0" = 4, "1" = 8}}}
"""

from __future__ import annotations

from typing import Any

from attrs import field, frozen

from kt.ir.attributes import ArrayAttr, Attribute, DictAttr, IntegerAttr, StringAttr
from kt.ir.core import Operation
from kt.ir.diagnostics import UNKNOWN, Location
from kt.passes.schedule.plan_json import parse_plan

ATTRIBUTE = "kt.plan"
USED = "kt.plan_used"
"""Discardable attribute of a program: which wishes of its plan were obeyed so far."""


@frozen
class Plan:
    """Decisions for one program.

    ``tile`` maps an iteration dimension to iterations per tile (of the loop that counts it: vectors
    for the vectorised dimension); ``depth`` is the number of copies of a hand-over buffer, ``depths`` the
    same for single operands (in text and JSON: a table in the place of the depth);
    ``coalesce`` says whether a tile moves in as few transfers as its layout allows (the default,
    not written out) or vector by vector. The others are written out where they aren't the default:
    ``order`` lists the tiled dimensions from the outermost loop to the innermost (empty: as the
    kernel has them); ``sunk`` says how many of the innermost point loops run inside the pipeline's
    stages (None: all of them); ``reuse`` says for operands past how many loops around the pipeline
    their loads are hoisted at most (absent: past all that they don't vary with); ``instances`` gives
    the dimension that is spread over the equal units of a core, and over how many (None: as the pass
    finds fit, which writes it here; empty: nothing is spread); ``jam`` gives, by dimension, how many
    iterations of its point loop are computed together (None: as the pass finds fit; empty: one by one);
    ``accumulator`` states ``memory`` and ``type`` of what a reduction accumulates in, which device and
    kernel leave no choice about.
    """

    tile: dict[int, int] = field(factory=dict)
    depth: int = 2
    coalesce: bool = True
    order: tuple[int, ...] = ()
    sunk: int | None = None
    reuse: dict[int, int] = field(factory=dict)
    depths: dict[int, int] = field(factory=dict)
    instances: dict[int, int] | None = None
    accumulator: dict[str, str] = field(factory=dict)
    jam: dict[int, int] | None = None

    def copies(self, operand: int | None) -> int:
        """Copies of a buffer that carries an operand."""
        return self.depth if operand is None else self.depths.get(operand, self.depth)

    def wishes(self) -> list[str]:
        """Entries that aren't the default; passes that obey them say so by mark_used."""
        given = {
            "order": bool(self.order),
            "sunk": self.sunk is not None,
            "reuse": bool(self.reuse),
            "depth": bool(self.depths) or self.depth != 2,
            "coalesce": not self.coalesce,
        }
        return [name for name, is_given in given.items() if is_given]

    def to_attribute(self) -> DictAttr:
        from kt.ir.types import i1

        depth = _numbers(self.depths) if self.depths else _number(self.depth)
        entries: dict[str, Attribute] = {"depth": depth, "tile": _numbers(self.tile)}
        if not self.coalesce:
            entries["coalesce"] = IntegerAttr(0, i1)
        if self.order:
            entries["order"] = ArrayAttr(tuple(map(_number, self.order)))
        if self.sunk is not None:
            entries["sunk"] = _number(self.sunk)
        if self.reuse:
            entries["reuse"] = _numbers(self.reuse)
        if self.instances is not None:
            entries["instances"] = _numbers(self.instances)
        if self.accumulator:
            words = {name: StringAttr(word) for name, word in self.accumulator.items()}
            entries["accumulator"] = DictAttr.of(words)
        if self.jam is not None:
            entries["jam"] = _numbers(self.jam)
        return DictAttr.of(entries)

    @classmethod
    def from_json(cls, data: Any, location: Location = UNKNOWN) -> Plan:
        """From ``{"tile": {"0": 4}, "depth": 2}``; raises PassError on anything else."""
        return cls(**parse_plan(data, location))

    def to_json(self) -> dict[str, Any]:
        depth = _table(self.depths) if self.depths else self.depth
        written: dict[str, Any] = {"depth": depth, "tile": _table(self.tile)}
        if not self.coalesce:
            written["coalesce"] = False
        if self.order:
            written["order"] = list(self.order)
        if self.sunk is not None:
            written["sunk"] = self.sunk
        if self.reuse:
            written["reuse"] = _table(self.reuse)
        if self.instances is not None:
            written["instances"] = _table(self.instances)
        if self.accumulator:
            written["accumulator"] = dict(self.accumulator)
        if self.jam is not None:
            written["jam"] = _table(self.jam)
        return written

    def attach(self, program: Operation) -> None:
        program.attributes[ATTRIBUTE] = self.to_attribute()


def used_entries(program: Operation) -> list[str]:
    """The wishes of a program's plan that passes obeyed so far."""
    found = program.attr(USED)
    return [_plain(name) for name in found.elements] if isinstance(found, ArrayAttr) else []


def mark_used(program: Operation, plan: Plan, *entries: str) -> None:
    """Note that a pass obeyed some entries of a program's plan, as far as those are wishes."""
    used = used_entries(program)
    new = [name for name in entries if name in plan.wishes() and name not in used]
    if new:
        program.attributes[USED] = ArrayAttr(tuple(map(StringAttr, (*used, *new))))


def _number(value: int) -> IntegerAttr:
    from kt.ir.types import i64

    return IntegerAttr(value, i64)


def _numbers(values: dict[int, int]) -> DictAttr:
    return DictAttr.of({str(key): _number(n) for key, n in values.items()})


def _table(values: dict[int, int]) -> dict[str, int]:
    return {str(key): n for key, n in sorted(values.items())}


def plan_of(program: Operation) -> Plan | None:
    """The plan on a program's function, if there is one."""
    found = program.attr(ATTRIBUTE)
    return Plan.from_json(_plain(found), program.location) if isinstance(found, DictAttr) else None


def _plain(value: Attribute) -> Any:
    """An attribute as JSON has it."""
    if isinstance(value, DictAttr):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, ArrayAttr):
        return [_plain(inner) for inner in value.elements]
    if isinstance(value, IntegerAttr):
        return bool(value.value) if str(value.type) == "i1" else value.value
    return value.value if isinstance(value, StringAttr) else str(value)
