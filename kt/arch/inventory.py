"""What a device has: its resources by kind, core and instance, and the memory spaces of kernels."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, TypeVar

from kt.arch.build import build_parts
from kt.arch.resources import ExecUnit, Group, Kind, Memory, Node, plain, plain_kind
from kt.arch.routes import Route
from kt.ir.attributes import Attribute, StringAttr
from kt.ir.core import Operation
from kt.ir.diagnostics import DeviceError, Location
from kt.ir.dialects.ktdf_arch import DeviceOp, MapAttr
from kt.ir.dialects.ktdp_types import MemorySpaceAttr

NodeT = TypeVar("NodeT", bound=Node)


class Inventory:
    """The resources of a device."""

    def __init__(self, definition: DeviceOp, declaration: DeviceOp | None = None) -> None:
        self.op = definition
        self.declaration = declaration or definition
        self.attributes: dict[str, Attribute] = dict(definition.attributes)
        if declaration is not None:
            self.attributes.update(declaration.attributes)
        parts = build_parts(definition)
        self.memories = tuple(parts.memories)
        self.units = tuple(parts.units)
        self.ports = tuple(parts.ports)
        self.nodes = tuple(parts.nodes)
        self.links = tuple(parts.links)
        self.groups = tuple(parts.groups)
        self.cores = tuple(parts.cores)
        self._pattern_blocks = tuple(parts.patterns)
        self._kind_graphs: dict[int, Any] = {}
        self._routes: dict[tuple[Kind, Kind, int], Route | None] = {}
        self._memo: dict[Any, Any] = {}

    def __repr__(self) -> str:
        return f"<Device {self.name}>"

    # -- the device as such ----------------------------------------------------------------------

    @property
    def name(self) -> str:
        return self.op.sym_name.value

    @property
    def location(self) -> Location:
        """Where its definition stands."""
        return self.op.location

    @property
    def version(self) -> int | None:
        return self.op.version.value if self.op.version is not None else None

    @property
    def module(self) -> Operation | None:
        """The module of the file that holds the definition."""
        return self.op.parent_op

    def error(self, message: str, location: Location | None = None, **details: Any) -> DeviceError:
        """A DeviceError at a place of the device's file."""
        return DeviceError(f"device '{self.name}': {message}", location or self.location, **details)

    # -- kinds and instances ---------------------------------------------------------------------

    @cached_property
    def kinds(self) -> tuple[Kind, ...]:
        """Kinds of memories and units."""
        return tuple(dict.fromkeys(n.key for n in (*self.memories, *self.units)))

    @cached_property
    def memory_kinds(self) -> tuple[Kind, ...]:
        return tuple(dict.fromkeys(m.key for m in self.memories))

    @cached_property
    def unit_kinds(self) -> tuple[Kind, ...]:
        return tuple(dict.fromkeys(u.key for u in self.units))

    def has_kind(self, kind: Kind) -> bool:
        return plain(kind) in self.kinds

    def visible(self, core: int) -> tuple[Node, ...]:
        """The nodes of one core, and those around it that it shares with others."""
        if core not in self._memo:
            self._check_core(core)
            self._memo[core] = tuple(
                n
                for n in self.nodes
                if n.core == core or (n.core is None and self._around(n, core))
            )
        return self._memo[core]

    def _around(self, node: Node, core: int) -> bool:
        """Whether a node outside of all cores lies around this core rather than around others."""
        if not self.cores:
            return True
        for group in node.groups_outward():
            if any(group.contains(c) for c in self.cores):
                return group.contains(self.cores[core])
        return True

    def _check_core(self, core: int) -> None:
        if not 0 <= core < self.num_cores:
            raise self.error(f"has no core {core}; it has {self.num_cores} cores")

    def instances(self, kind: Kind, core: int | None = None) -> tuple[Node, ...]:
        """All nodes of a kind, or those that one core has or shares."""
        table = self._memo.get(("instances", core))
        if table is None:
            table = self._memo["instances", core] = {}
            for node in self.nodes if core is None else self.visible(core):
                table[node.key] = (*table.get(node.key, ()), node)
        return table.get(plain(kind), ())

    def _find(
        self,
        of: type[NodeT],
        kind: Kind,
        core: int,
        instance: int,
        what: str,
        known: Sequence[Kind],
    ) -> NodeT:
        found = [n for n in self.instances(kind, core) if isinstance(n, of)]
        if found and 0 <= instance < len(found):
            return found[instance]
        if found:
            raise self.error(
                f"core {core} has {len(found)} of '{kind}', there is no number {instance}"
            )
        where = f" in core {core}" if plain(kind) in known else ""
        raise self.error(
            f"has no {what} '{kind}'{where}", hint=f"known kinds: {', '.join(map(str, known))}"
        )

    def node(self, kind: Kind, core: int = 0, instance: int = 0) -> Node:
        """A memory or unit by kind. Raises DeviceError, which names the known kinds."""
        return self._find(Node, kind, core, instance, "resource of kind", self.kinds)

    def unit(self, kind: Kind, core: int = 0, instance: int = 0) -> ExecUnit:
        """An execution unit by kind; ``instance`` counts equal ones of the core (corelets)."""
        return self._find(ExecUnit, kind, core, instance, "execution unit of kind", self.unit_kinds)

    def tag(self, kind: Kind) -> str:
        """The ``type`` of a unit in DataflowIR: its kind in lower case."""
        return str(kind if isinstance(kind, str) else plain(kind)).lower()

    def kind_of_tag(self, tag: str) -> Kind | None:
        """The kind with this tag; None when there is none."""
        return next((k for k in self.kinds if self.tag(k) == tag.lower()), None)

    def memory(self, kind_or_space: Kind, core: int = 0, instance: int = 0) -> Memory:
        """A memory by kind or mapped memory space, as core ``core`` sees it."""
        kind = self.memory_kind(kind_or_space)
        return self._find(Memory, kind, core, instance, "memory of kind", self.memory_kinds)

    # -- memory spaces -----

    @cached_property
    def space_mapping(self) -> dict[Attribute, Kind]:
        """Memory spaces of kernels → kinds, from ``mem_space_mapping``."""
        table = self.attributes.get("mem_space_mapping")
        if table is None:
            return {}
        if not isinstance(table, MapAttr):
            raise self.error("attribute 'mem_space_mapping' must be a #ktdf_arch.map")
        return {k: kind for k, v in table.items() if (kind := plain_kind(v)) is not None}

    @cached_property
    def _spaces_by_text(self) -> dict[str, Kind]:
        """Kinds of memories that are no strings, by their text."""
        return {str(m.key): m.key for m in self.memories if not isinstance(m.key, str)}

    def memory_kind(self, kind_or_space: Kind) -> Kind:
        """The kind behind a kind or a mapped memory space (which is returned when unknown).

        A kind that is a memory space may be given as text, as artifacts and DataflowIR have it.
        """
        if isinstance(kind_or_space, str):
            found = self.space_mapping.get(StringAttr(kind_or_space))
            return found or self._spaces_by_text.get(kind_or_space, kind_or_space)
        space = kind_or_space
        if isinstance(space, MemorySpaceAttr):
            space = MemorySpaceAttr(space.kind)
        found = self.space_mapping.get(space)
        return plain(space) if found is None else found

    # -- cores and slices ------------------------------------------------------------------------

    @property
    def num_cores(self) -> int:
        """Number of cores; a device without core groups is one core."""
        return max(1, len(self.cores))

    def slice_groups(self, unit_kinds: Sequence[Kind], core: int = 0) -> tuple[Group, ...]:
        """Sibling groups inside a core that each have all these units; empty when fewer than two.

        A pipeline over the units may be spread over them (``ktdf.parallel``). Cores themselves are
        places, never instances.
        """
        homes = []
        for kind in unit_kinds:
            unit = self.unit(kind, core)
            group = unit.group
            if group is not None and unit in group.exported:
                group = group.parent
            homes.append([group, *group.groups_outward()] if group is not None else [])
        if not homes:
            return ()
        common = [g for g in homes[0] if all(g in others for others in homes[1:])]
        if not common or common[0] in self.cores or (self.cores and common[0].core is None):
            return ()
        home = common[0]
        siblings = (
            home.parent.groups if home.parent else [g for g in self.groups if g.parent is None]
        )
        alike = tuple(g for g in siblings if g.kind_attr is home.kind_attr and g.core == home.core)
        return alike if len(alike) > 1 else ()

    def num_slices(self, unit_kinds: Sequence[Kind], core: int = 0) -> int:
        """How many instances of a pipeline over these units a core has (at least 1)."""
        return max(1, len(self.slice_groups(unit_kinds, core)))
