"""From the ops of a device to its resources: endpoints resolved, cores numbered, memories ordered."""

from __future__ import annotations

from attrs import define, field

from kt.arch.resources import ExecUnit, Group, Link, Memory, Node, Port, number
from kt.ir.core import Block, Operation, Value
from kt.ir.diagnostics import DeviceError, Note
from kt.ir.dialects.ktdf_arch import (
    DatapathOp,
    DeviceOp,
    ExecUnitOp,
    GroupOp,
    MemoryOp,
    PatternsOp,
    SwitchOp,
    YieldOp,
    endpoint,
)


@define(eq=False)
class Parts:
    """All resources of a device in file order, and the groups that are its cores."""

    memories: list[Memory] = field(factory=list)
    units: list[ExecUnit] = field(factory=list)
    ports: list[Port] = field(factory=list)
    nodes: list[Node] = field(factory=list)
    links: list[Link] = field(factory=list)
    groups: list[Group] = field(factory=list)
    patterns: list[PatternsOp] = field(factory=list)
    cores: list[Group] = field(factory=list)


def build_parts(device: DeviceOp) -> Parts:
    """Read a device definition (one with a body)."""
    builder = _Builder()
    builder.scan(device.regions[0].blocks[0], None)
    builder.connect()
    builder.parts.cores = find_cores(builder.parts.groups)
    _number(builder.parts)
    return builder.parts


@define(eq=False)
class _Builder:
    parts: Parts = field(factory=Parts)
    by_op: dict[Operation, list[Node]] = field(factory=dict)
    shares: dict[Memory, Value | None] = field(factory=dict)
    datapaths: list[tuple[DatapathOp, Group | None]] = field(factory=list)

    def scan(self, block: Block, group: Group | None, shared: Value | None = None) -> None:
        """Take in the ops of a body; ``shared`` is the memory that inner ones are filled from."""
        parts = self.parts
        for op in block.ops:
            if isinstance(op, MemoryOp):
                memory = Memory(op, len(parts.nodes), group, None)
                self.add(op, memory, parts.memories, group.memories if group else None)
                self.shares[memory] = shared
            elif isinstance(op, ExecUnitOp):
                unit = ExecUnit(op, len(parts.nodes), group, None)
                self.add(op, unit, parts.units, group.units if group else None)
            elif isinstance(op, SwitchOp):
                for i in range(len(op.ports)):
                    self.add(
                        op, Port(op, len(parts.nodes), group, None, number=i), parts.ports, None
                    )
            elif isinstance(op, GroupOp):
                self.enter(op, group, shared)
            elif isinstance(op, DatapathOp):
                self.datapaths.append((op, group))
            elif isinstance(op, PatternsOp):
                parts.patterns.append(op)

    def enter(self, op: GroupOp, outer: Group | None, shared: Value | None) -> None:
        group = Group(op, len(self.parts.groups), outer, None)
        self.parts.groups.append(group)
        if outer is not None:
            outer.groups.append(group)
        inner = op.captured[0] if op.captured else shared
        self.scan(op.regions[0].blocks[0], group, inner)
        group.captured = tuple(
            node for v in op.captured if isinstance(node := self.node(v), Memory)
        )
        last = op.regions[0].blocks[0].last_op
        if isinstance(last, YieldOp):
            group.exported = tuple(node for v in last.units if (node := self.node(v)) is not None)

    def add(self, op: Operation, node: Node, all_of_kind: list, in_group: list | None) -> None:
        self.by_op.setdefault(op, []).append(node)
        self.parts.nodes.append(node)
        all_of_kind.append(node)
        if in_group is not None:
            in_group.append(node)

    def node(self, value: Value) -> Node | None:
        found = endpoint(value)
        return self.by_op[found.op][found.index] if found is not None else None

    def connect(self) -> None:
        """Links, and the memory tree: a memory's parent is what its group captures first."""
        for op, group in self.datapaths:
            source, target = self.node(op.source), self.node(op.target)
            if source is None or target is None or source is target:
                raise DeviceError("this datapath doesn't join two different resources", op.location)
            self.parts.links.append(
                Link(op, len(self.parts.links), group, None, source=source, target=target)
            )
        for memory, shared in self.shares.items():
            parent = self.node(shared) if shared is not None else None
            if isinstance(parent, Memory):
                memory.parent = parent
                parent.children.append(memory)


def find_cores(groups: list[Group]) -> list[Group]:
    """The groups that are cores, in the order of their numbers.

    They say so (``kt.role = "core"``, number ``kt.core`` or file order). Without any, the outermost
    groups with a compute unit and a load or store unit inside are the cores.
    """
    marked = [g for g in groups if g.role == "core"]
    for core in marked:
        outer = next((g for g in core.groups_outward() if g.role == "core"), None)
        if outer is not None:
            raise DeviceError(
                f"core '{core.label}' lies inside core '{outer.label}'",
                core.location,
                notes=[Note("the outer core is here", outer.location)],
            )
    if not marked:
        return [g for g in groups if g.parent is None and _computes_and_moves(g)]
    numbered: dict[int, Group] = {}
    for i, core in enumerate(marked):
        place = number(core.op, "kt.core", i)
        assert place is not None
        if place in numbered:
            raise DeviceError(
                f"core number {place} is given twice",
                core.location,
                notes=[Note("the other one is here", numbered[place].location)],
            )
        numbered[place] = core
    if sorted(numbered) != list(range(len(marked))):
        raise DeviceError(
            f"cores must be numbered 0 to {len(marked) - 1}, but are {sorted(numbered)}",
            marked[0].location,
        )
    return [numbered[i] for i in range(len(marked))]


def _computes_and_moves(group: Group) -> bool:
    units = [unit for g in group.walk() for unit in g.units]
    return any(u.is_compute for u in units) and any(u.moves_data for u in units)


def _number(parts: Parts) -> None:
    """Fill in the core of every resource, and the number of each node among its kind in the core."""
    for i, core in enumerate(parts.cores):
        core.core = i
        for group in core.walk():
            group.core = i
    for resource in (*parts.nodes, *parts.links):
        resource.core = resource.group.core if resource.group is not None else None
    seen: dict[tuple[int | None, object], int] = {}
    for node in parts.nodes:
        key = (node.core, node.key)
        node.instance = seen.get(key, 0)
        seen[key] = node.instance + 1
