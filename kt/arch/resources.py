"""What a device consists of: memories, execution units, switches, links and groups.

Plain objects that the builder fills in once; nobody changes them afterwards, so what they read from
their ops is kept. A *kind* is what schedules
refer to: a ``str`` for string attributes (the normal case), else the attribute itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from attrs import define, field

from kt.ir import types as t
from kt.ir.attributes import Attribute, IntegerAttr, StringAttr, as_attribute
from kt.ir.core import Operation
from kt.ir.diagnostics import DeviceError, Location
from kt.ir.dialects.ktdf_arch import MapAttr, ResourceOp
from kt.ir.dialects.ktdf_arch_features import (
    FEATURE,
    Access,
    LoadStore,
    Queue,
    Simd,
    features_of,
)

Kind = str | Attribute

DEFAULT_LINK_LATENCY = 1
DEFAULT_MEMORY_LATENCY = 0
DEFAULT_ISSUE = 1
DEFAULT_SYNC = 1
DEFAULT_COST = 1
"""Cycles where a device says nothing. Bandwidth, ports and queues are unlimited by default."""


def plain_kind(value: Attribute | None) -> Kind | None:
    """A kind attribute as kt names it: strings become ``str``."""
    return value.value if isinstance(value, StringAttr) else value


def plain(kind: Kind) -> Kind:
    """A kind as kt names it."""
    return kind.value if isinstance(kind, StringAttr) else kind


def kind_attr(kind: Kind) -> Attribute:
    """The attribute of a kind."""
    return as_attribute(kind)


def number(op: Operation, name: str, default: int | None, least: int = 0) -> int | None:
    """An integer attribute of a resource (``kt.latency``), or the default when it is absent."""
    found = op.attr(name)
    if found is None:
        return default
    if not isinstance(found, IntegerAttr) or found.type is t.i1 or found.value < least:
        raise DeviceError(
            f"attribute '{name}' must be an integer of at least {least}, but is {found}",
            op.location,
        )
    return found.value


@define(eq=False, repr=False)
class Resource:
    """Base: one op of the device, with its place in the tree of groups.

    ``core`` is the number of the core that it belongs to; None for what lies outside of all cores.
    """

    op: ResourceOp
    index: int
    group: Group | None
    core: int | None

    @property
    def id(self) -> str | None:
        return self.op.resource_id

    @cached_property
    def kind_attr(self) -> Attribute | None:
        return self.op.kind

    @cached_property
    def kind(self) -> Any:
        """The kind (``Kind``); None only for resources that have none, such as most links."""
        return plain_kind(self.op.kind)

    @property
    def location(self) -> Location:
        return self.op.location

    @property
    def label(self) -> str:
        """For messages: the id, else the kind, else what it is."""
        return self.id or str(self.kind or self.op.name.partition(".")[2])

    def attr(self, name: str) -> Attribute | None:
        """Any attribute of the op."""
        return self.op.attr(name)

    def groups_outward(self) -> Iterator[Group]:
        """The groups around this resource, innermost first."""
        group = self.group
        while group is not None:
            yield group
            group = group.group

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.label}>"


@define(eq=False, repr=False)
class Node(Resource):
    """Base of what links join. ``instance`` counts the nodes of this kind in the same core."""

    instance: int = 0

    @cached_property
    def key(self) -> Kind:
        """The node of the kind graph: the kind, or something that stands for a missing one."""
        return (
            self.kind if self.kind is not None else f"{self.op.name.partition('.')[2]}#{self.index}"
        )

    @property
    def is_compute(self) -> bool:
        return False


@define(eq=False, repr=False)
class Memory(Node):
    """A memory; ``parent`` is the next larger one that it is filled from (None: a root)."""

    parent: Memory | None = None
    children: list[Memory] = field(factory=list)

    @cached_property
    def size(self) -> int | None:
        """Bytes; None when the device doesn't say."""
        return number(self.op, "size", None, 1)

    @property
    def depth(self) -> int:
        """0 for roots of the memory tree."""
        return 0 if self.parent is None else self.parent.depth + 1

    @property
    def ancestors(self) -> list[Memory]:
        """This memory, its parent, and so on."""
        found, memory = [], self
        while memory is not None:
            found.append(memory)
            memory = memory.parent
        return found

    @cached_property
    def bandwidth(self) -> int | None:
        """Bytes per cycle for all users together (``kt.bandwidth``); None: unlimited."""
        return number(self.op, "kt.bandwidth", None, 1)

    @cached_property
    def ports(self) -> int | None:
        """How many accesses may be under way in one cycle (``kt.ports``); None: unlimited."""
        return number(self.op, "kt.ports", None, 1)

    @cached_property
    def latency(self) -> int:
        """Cycles that an access takes beyond those of the links (``kt.latency``)."""
        return number(self.op, "kt.latency", DEFAULT_MEMORY_LATENCY) or 0


@define(eq=False, repr=False)
class ExecUnit(Node):
    """An execution unit, with its features read."""

    @cached_property
    def features(self) -> tuple[str, ...]:
        """Short names of the features, in the order load, store, compute, simd."""
        found = features_of(self.op)
        return tuple(f for f in ("load", "store", "compute", "simd") if FEATURE + f in found)

    @property
    def is_compute(self) -> bool:
        return "compute" in self.features

    @property
    def moves_data(self) -> bool:
        """Whether it is a load or store unit."""
        return "load" in self.features or "store" in self.features

    @cached_property
    def load_store(self) -> LoadStore | None:
        """The load feature, else the store feature."""
        found = features_of(self.op)
        value = found.get(FEATURE + "load") or found.get(FEATURE + "store")
        return LoadStore.of(value) if value is not None else None

    @property
    def stated_memories(self) -> tuple[Kind, ...]:
        """Kinds of memories that word sizes or accesses are stated for."""
        found = self.load_store
        if found is None:
            return ()
        return tuple(dict.fromkeys(plain(k) for k in (*found.word_sizes, *found.accesses)))

    @cached_property
    def simd(self) -> Simd:
        """Lanes and flags; no lanes at all without the feature."""
        value = features_of(self.op).get(FEATURE + "simd")
        return Simd.of(value) if value is not None else Simd()

    def word_size(self, memory: Kind) -> int:
        """Bytes per address unit for a memory kind: load feature, else store feature, else 1."""
        found = self.load_store
        return found.word_size(kind_attr(memory)) if found is not None else 1

    def accesses(self, memory: Kind) -> tuple[Access, ...]:
        """Permitted accesses of a memory kind in bytes, as listed; empty when nothing is said."""
        found = self.load_store
        if found is None:
            return ()
        key = kind_attr(memory)
        word = found.word_size(key)
        return tuple(Access(a.size * word, a.align * word) for a in found.accesses.get(key, ()))

    @cached_property
    def partial(self) -> int | None:
        """Transfers may begin and end at any multiple of so many bytes (``kt.partial``)."""
        return number(self.op, "kt.partial", None, 1)

    @cached_property
    def issue(self) -> int:
        """Cycles to start one transfer or vector op (``kt.issue``)."""
        return number(self.op, "kt.issue", DEFAULT_ISSUE) or 0

    @cached_property
    def sync(self) -> int:
        """Cycles of one signal, sent or awaited (``kt.sync``)."""
        return number(self.op, "kt.sync", DEFAULT_SYNC) or 0

    @cached_property
    def slice_lanes(self) -> int | None:
        """Lanes of one slice of a vector (``kt.slice_lanes``); None: vectors have no slices."""
        return number(self.op, "kt.slice_lanes", None, 1)

    @cached_property
    def costs(self) -> dict[str, int]:
        """Cycles per vector by op or template, as far as the device states them (``kt.cost``)."""
        table = self.op.attr("kt.cost")
        if table is None:
            return {}
        if not isinstance(table, MapAttr):
            raise DeviceError("attribute 'kt.cost' must be a #ktdf_arch.map", self.location)
        found = {}
        for name, cycles in table.items():
            if not isinstance(name, StringAttr) or not isinstance(cycles, IntegerAttr) or cycles.value < 0:
                raise DeviceError(
                    f"'kt.cost' of {name} must be a number of cycles, but is {cycles}", self.location
                )
            found[name.value] = cycles.value
        return found

    def cost(self, op_name: str) -> int:
        """Cycles per vector of an op or template."""
        return self.costs.get(op_name, DEFAULT_COST)

    @property
    def double_buffer_last(self) -> bool:
        return self.op.attr("dataflow_scheduler.double_buffer_last") is not None


@define(eq=False, repr=False)
class Port(Node):
    """One port of a switch, which is no kind of its own but part of ``label``'s way."""

    number: int = 0

    @cached_property
    def key(self) -> Kind:
        base = self.kind if self.kind is not None else f"switch#{self.index}"
        return f"{base}.{self.number}"


@define(eq=False, repr=False)
class Link(Resource):
    """A directed datapath between two nodes."""

    source: Node
    target: Node

    @cached_property
    def bandwidth(self) -> int | None:
        """Bytes per cycle; None: a transfer of any size takes one cycle."""
        return number(self.op, "ktdf_arch.bandwidth", None, 1)

    @cached_property
    def latency(self) -> int:
        """Cycles from the first byte that enters to the first byte that leaves."""
        return number(self.op, "kt.latency", DEFAULT_LINK_LATENCY) or 0

    @cached_property
    def granularity(self) -> tuple[int, ...]:
        """Permitted transfer sizes in bytes, as listed; empty: any."""
        found: Any = self.op.attr("ktdf_arch.transfer_granularity")
        return tuple(found) if found is not None else ()

    @cached_property
    def queue(self) -> Queue | None:
        """The FIFO that the link is, if it is one."""
        value = features_of(self.op).get(FEATURE + "queue")
        return Queue.of(value) if value is not None else None

    @property
    def label(self) -> str:
        return self.id or f"{self.source.label} -> {self.target.label}"


@define(eq=False, repr=False)
class Group(Resource):
    """A group of resources: a core, a slice of one, a block of registers."""

    captured: tuple[Memory, ...] = ()
    exported: tuple[Node, ...] = ()
    groups: list[Group] = field(factory=list)
    memories: list[Memory] = field(factory=list)
    units: list[ExecUnit] = field(factory=list)

    @property
    def parent(self) -> Group | None:
        return self.group

    @property
    def role(self) -> str | None:
        """``kt.role``: ``core``, ``corelet``, ``slice`` or another word."""
        found = self.op.attr("kt.role")
        return found.value if isinstance(found, StringAttr) else None

    def walk(self) -> Iterator[Group]:
        """This group and all groups inside, in file order."""
        yield self
        for group in self.groups:
            yield from group.walk()

    def contains(self, other: Resource) -> bool:
        """Whether another resource (or group) lies inside, at any depth."""
        return any(group is self for group in other.groups_outward())
