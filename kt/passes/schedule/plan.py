"""The plan: what a schedule decides, as data on the program.

A plan stands on the program's function as the attribute ``kt.plan``, keyed by iteration dimension
(loops carry theirs as ``kt.dim``), so that no canonicalisation can lose it::

    func.func @local_schedule_0() attributes {kt.plan = {depth = 2 : i64, tile = {"0" = 4, "1" = 8}}}
"""

from __future__ import annotations

import json
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
    def from_json(cls, data: Any) -> Plan:
        """From ``{"tile": {"0": 4}, "depth": 2}``; raises PassError on anything else."""
        given = dict(data) if isinstance(data, dict) else {"": data}
        tile, depth = given.pop("tile", {}), given.pop("depth", 2)
        coalesce = given.pop("coalesce", True)
        wrong = (
            f"a plan has no '{next(iter(given))}'" if isinstance(data, dict) and given
            else "a plan is an object" if given
            else "tiles are numbers of iterations, at least 1, by dimension" if not _is_tile(tile)
            else "the depth is 1 or 2" if type(depth) is not int or depth not in (1, 2)
            else "coalesce is true or false" if not isinstance(coalesce, bool)
            else None
        )  # fmt: skip
        if wrong is not None:
            raise PassError(
                f"not a plan: {wrong}, got {json.dumps(data)[:200]}",
                hint='a plan reads {"tile": {"0": 4, "1": 8}, "depth": 2, "coalesce": true}, and each part may be left out',
            )
        return cls({int(dim): size for dim, size in tile.items()}, depth, coalesce)

    def to_json(self) -> dict[str, Any]:
        written: dict[str, Any] = {
            "depth": self.depth,
            "tile": {str(d): n for d, n in sorted(self.tile.items())},
        }
        return written if self.coalesce else {**written, "coalesce": False}

    def attach(self, program: Operation) -> None:
        program.attributes[ATTRIBUTE] = self.to_attribute()


def _is_tile(data: Any) -> bool:
    """Whether JSON is ``{"0": 4, …}``: counts by numbers of dimensions."""
    return isinstance(data, dict) and all(
        dim.isascii() and dim.isdecimal() and len(dim) <= 4 and type(size) is int and 1 <= size < 2**63
        for dim, size in data.items()
    )


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
