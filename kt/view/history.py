"""From the kernel's text to instructions, and back: what became of one line.

Every operation carries the place it comes from, through all passes, and the artifact keeps it (file
name, line, column) for its instructions. So the places connect all levels.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import PurePath
from typing import TYPE_CHECKING

from attrs import define, field, frozen

from kt.ir.diagnostics import CallSiteLoc, FileLoc, FusedLoc, Location, NameLoc, Source

if TYPE_CHECKING:
    from kt.binary import Program
    from kt.view.record import Stage

Place = tuple[str, int, int]
"""File name without directories, line, column."""


def places_of(location: Location) -> frozenset[Place]:
    """All file positions in a location."""
    match location:
        case FileLoc():
            return frozenset([(PurePath(location.file).name, location.line, location.column)])
        case NameLoc():
            return places_of(location.child)
        case CallSiteLoc():
            return places_of(location.callee) | places_of(location.caller)
        case FusedLoc():
            return frozenset().union(*map(places_of, location.locations))
    return frozenset()


@frozen
class Spot:
    """A line of some level: of the source (``stage`` -1), of a stage, or of the binary (``stage`` None)."""

    stage: int | None
    line: int
    text: str


@define(eq=False)
class BinaryLine:
    """A line of the disassembly; ``place`` is where its instruction comes from."""

    text: str
    place: Place | None = None


def binary_lines(program: Program) -> list[BinaryLine]:
    """The disassembly, with places for the lines that are instructions."""
    made = []
    image = stream = -1
    for text in program.disassemble().rstrip("\n").split("\n"):
        if text.startswith(".program "):
            image, stream = image + 1, -1
        elif text.startswith(".stream "):
            stream += 1
        found = re.match(r" {0,3}(\d+)  ", text) if stream >= 0 else None
        where = program.location(image, stream, int(found[1])) if found else None
        place = (PurePath(where.file).name, where.line, where.column) if where else None
        made.append(BinaryLine(text, place))
    return made


def source_of(stages: Iterable[Stage]) -> Source | None:
    """The text that the input was read from."""
    for stage in stages:
        for node in stage.tree.nodes:
            position = node.location.position()
            if position is not None and position.source is not None:
                return position.source
    return None


@define(eq=False)
class History:
    """All places of all levels, to look up what belongs together."""

    stages: list[Stage]
    binary: list[BinaryLine]
    source: Source | None = None
    _places: dict[int, dict[int, frozenset[Place]]] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        self.source = source_of(self.stages)

    def of(self, places: frozenset[Place], most: int = 6) -> list[tuple[str, list[Spot], int]]:
        """(level, its lines with these places, how many more there are), from the kernel to the binary.

        A stage shows the lines that its pass made or changed; stages without any are left out.
        """
        found: list[tuple[str, list[Spot], int]] = []
        if self.source is not None:
            name = PurePath(self.source.name).name
            lines = sorted({line for file, line, _ in places if file == name})
            spots = [Spot(-1, n - 1, self.source.line_text(n)) for n in lines]
            found.append((name, spots[:most], len(spots) - len(spots[:most])))
        before: Counter[str] = Counter()
        for stage in self.stages:
            spots = self._in_stage(stage, places)
            fresh = [s for s in spots if not before[s.text]]
            if fresh:
                title = f"{stage.number} {stage.title}"
                found.append((title, fresh[:most], max(0, len(fresh) - most)))
            before = Counter(spot.text for spot in spots)
        spots = [Spot(None, k, b.text) for k, b in enumerate(self.binary) if b.place in places]
        if spots:
            found.append(("binary", spots[:most], max(0, len(spots) - most)))
        return found

    def _in_stage(self, stage: Stage, places: frozenset[Place]) -> list[Spot]:
        listing = stage.listing
        known = self._places.get(stage.number)
        if known is None:
            known = {n.index: places_of(n.location) for n in stage.tree.nodes[1:]}
            self._places[stage.number] = known
        return [
            Spot(stage.number, listing.first[index], listing.lines[listing.first[index]].text)
            for index, own in known.items()
            if index in listing.first and own & places
        ]
