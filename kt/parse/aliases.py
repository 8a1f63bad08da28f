"""Aliases of printed text: ``#map``, ``#set`` and ``#loc`` with their definitions."""

from __future__ import annotations

from typing import Any

from kt.ir.attributes import AffineMapAttr, AffineSetAttr, Attribute, LocationAttr
from kt.ir.diagnostics import CallSiteLoc, FusedLoc, Location, NameLoc
from kt.ir.text import attribute_text, location_text

PREFIXES: dict[type, str] = {AffineMapAttr: "map", AffineSetAttr: "set", LocationAttr: "loc"}


class Aliases:
    """Names given in order of first use. Locations nest, and MLIR numbers them by depth: they need a
    first pass over the text that only collects (see ``Printer.run``)."""

    def __init__(self) -> None:
        self.attributes: dict[Attribute, str] = {}
        self.counts: dict[str, int] = {}
        self.locations: dict[Location, int] = {}
        """Depth of each location met."""
        self.at_end: dict[Location, bool] = {}
        """Whether only trailing ``loc(…)`` use it: its definition then stands at the end."""
        self.location_names: dict[Location, str] = {}

    def attribute(self, attr: Attribute, prefix: str) -> str:
        """Alias of a map or set."""
        found = self.attributes.get(attr)
        if found is None:
            count = self.counts.get(prefix, 0)
            self.counts[prefix] = count + 1
            found = self.attributes[attr] = f"#{prefix}{count or ''}"
        return found

    def location(self, location: Location, trailing: bool) -> str:
        """Alias of a location; a placeholder in the first pass."""
        name = self.location_names.get(location)
        if name is None:
            self._visit(location, trailing)
            return "#loc"
        return name

    def _visit(self, location: Location, trailing: bool) -> int:
        known = self.locations.get(location)
        if known is not None:
            if not trailing and self.at_end[location]:
                self._keep(location)
            return known
        self.locations[location] = 0
        self.at_end[location] = trailing
        depth = max((self._visit(part, trailing) + 1 for part in _parts(location)), default=0)
        self.locations[location] = depth
        return depth

    def _keep(self, location: Location) -> None:
        self.at_end[location] = False
        for part in _parts(location):
            self._keep(part)

    def number_locations(self) -> None:
        """End of the first pass: by depth, then in order of appearance."""
        ordered = sorted(self.locations, key=self.locations.__getitem__)
        self.location_names = {loc: f"#loc{i or ''}" for i, loc in enumerate(ordered)}

    def definitions(self) -> tuple[str, str]:
        """Lines for the top and for the end of the text."""
        entries: list[tuple[int, str, str]] = []
        late: list[str] = []
        for attr, name in self.attributes.items():
            entries.append((0, PREFIXES[attr.__class__], f"{name} = {attribute_text(attr)}\n"))
        for location, name in self.location_names.items():
            line = f"{name} = loc({location_text(location, self._name)})\n"
            if self.at_end[location]:
                late.append(line)
            else:
                entries.append((self.locations[location], "loc", line))
        entries.sort(key=lambda entry: entry[:2])
        return "".join(line for _, _, line in entries), "".join(late)

    def _name(self, location: Location) -> str:
        return self.location_names[location]


def _parts(location: Any) -> tuple[Location, ...]:
    match location:
        case NameLoc():
            from kt.ir.diagnostics import UnknownLoc

            return () if isinstance(location.child, UnknownLoc) else (location.child,)
        case CallSiteLoc():
            return (location.callee, location.caller)
        case FusedLoc():
            return location.locations
    return ()


