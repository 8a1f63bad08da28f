"""The plan: what a schedule decides, as data on the program.

A plan stands on the program's function as the attribute ``kt.plan``, keyed by iteration dimension
(loops carry theirs as ``kt.dim``), so that no canonicalisation can lose it::

    func.func @local_schedule_0() attributes {kt.plan = {depth = 2 : i64, tile = {"0" = 4, "1" = 8}}}
"""

from __future__ import annotations

from typing import Any

from attrs import field, frozen

from kt.ir.attributes import Attribute, DictAttr, IntegerAttr
from kt.ir.core import Operation
from kt.ir.diagnostics import PassError

ATTRIBUTE = "kt.plan"


@frozen
class Plan:
    """Decisions for one program.

    ``tile`` maps an iteration dimension to iterations per tile (of the loop that counts it: vectors
    for the vectorised dimension); ``depth`` is the number of copies of a hand-over buffer;
    ``coalesce`` says whether a tile moves in as few transfers as its layout allows (the default,
    not written out) or vector by vector.
    """

    tile: dict[int, int] = field(factory=dict)
    depth: int = 2
    coalesce: bool = True

    def to_attribute(self) -> DictAttr:
        from kt.ir.types import i1, i64

        tiles = {str(dim): IntegerAttr(size, i64) for dim, size in self.tile.items()}
        entries: dict[str, Attribute] = {
            "depth": IntegerAttr(self.depth, i64),
            "tile": DictAttr.of(tiles),
        }
        if not self.coalesce:
            entries["coalesce"] = IntegerAttr(0, i1)
        return DictAttr.of(entries)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Plan:
        """From ``{"tile": {"0": 4}, "depth": 2}``; raises PassError on anything else."""
        try:
            tile = {int(dim): int(size) for dim, size in data.get("tile", {}).items()}
            plan = cls(tile, int(data.get("depth", 2)), data.get("coalesce", True))
        except (AttributeError, TypeError, ValueError) as error:
            raise PassError(
                f"not a plan: {error}", hint='a plan reads {"tile": {"0": 4, "1": 8}, "depth": 2}'
            ) from None
        sound = plan.depth in (1, 2) and isinstance(plan.coalesce, bool)
        if not sound or any(size < 1 for size in tile.values()):
            raise PassError(
                "a plan has tiles of at least one iteration, a depth of 1 or 2, and coalesce true or false",
                hint=f"got {data}",
            )
        return plan

    def to_json(self) -> dict[str, Any]:
        written: dict[str, Any] = {
            "depth": self.depth,
            "tile": {str(d): n for d, n in sorted(self.tile.items())},
        }
        return written if self.coalesce else {**written, "coalesce": False}

    def attach(self, program: Operation) -> None:
        program.attributes[ATTRIBUTE] = self.to_attribute()


def plan_of(program: Operation) -> Plan | None:
    """The plan on a program's function, if there is one."""
    found = program.attr(ATTRIBUTE)
    if not isinstance(found, DictAttr):
        return None
    tiles = found.get("tile") or DictAttr()
    depth, coalesce = found.get("depth"), found.get("coalesce")
    return Plan(
        {int(k): v.value for k, v in tiles.items()},
        depth.value if depth else 2,
        bool(coalesce.value) if coalesce else True,
    )
