"""``ktdf_arch``: the description of a device.

A device is a graph of memories, execution units and switches joined by directed datapaths, arranged
in groups (cores, corelets, register blocks), plus rewrite patterns that belong to it. Memories go
down into groups (``share``), execution units come up (``yield``); nothing else crosses a border.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from attrs import field

from kt.ir import registry
from kt.ir import types as t
from kt.ir.attributes import (
    ArrayAttr,
    Attribute,
    DenseElementsAttr,
    DictAttr,
    IntegerAttr,
    OpaqueAttr,
    StringAttr,
    as_attribute,
    attribute,
)
from kt.ir.constraints import ANY_ATTR, I64_ATTR, AttrConstraint, TypeConstraint, array_of, exactly
from kt.ir.core import BlockArgument, Operation, OpResult, Value
from kt.ir.diagnostics import Note
from kt.ir.dialects.ktdf_arch_features import verify_property
from kt.ir.lazy import np
from kt.ir.opdef import (
    attr,
    operand,
    optional_attr,
    region,
    result,
    variadic_operand,
    variadic_result,
)
from kt.ir.traits import (
    HasParent,
    ImplicitTerminator,
    IsolatedFromAbove,
    NoTerminator,
    ReturnLike,
    SingleBlock,
    Symbol,
    Terminator,
    Trait,
)

# -- types and attributes --------------------------------------------------------------------------


@attribute
class MemoryType(t.Type):
    """``!ktdf_arch.memory``: a memory of the device."""

    name = "ktdf_arch.memory"


@attribute
class ExecUnitType(t.Type):
    """``!ktdf_arch.exec_unit``: an execution unit of the device."""

    name = "ktdf_arch.exec_unit"


@attribute
class PortType(t.Type):
    """``!ktdf_arch.port``: one port of a switch."""

    name = "ktdf_arch.port"


SHORT_TYPES: dict[str, t.Type] = {
    "memory": MemoryType(),
    "exec_unit": ExecUnitType(),
    "port": PortType(),
}
"""Names of the types behind the colon of ``datapath`` and the arrow of ``group``."""


@attribute
class MapAttr(Attribute):
    """``#ktdf_arch.map<key = value, …>``: an ordered association list, each key once."""

    name = "ktdf_arch.map"
    entries: tuple[tuple[Attribute, Attribute], ...] = field(converter=tuple, default=())

    def __attrs_post_init__(self) -> None:
        seen: list[Attribute] = []
        for key, _ in self.entries:
            if any(key is other for other in seen):
                raise ValueError(f"multiple entries for key {key}")
            seen.append(key)

    def get(self, key: Any, default: Any = None) -> Any:
        """The value of a key (an attribute, or a plain string)."""
        wanted = as_attribute(key)
        return next((v for k, v in self.entries if k is wanted), default)

    def items(self) -> tuple[tuple[Attribute, Attribute], ...]:
        return self.entries

    def __contains__(self, key: Any) -> bool:
        return self.get(key) is not None

    def __iter__(self) -> Iterator[Attribute]:
        return (k for k, _ in self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def parameters(self, nested: Callable[[Attribute], str] = str) -> str:
        return f"<{', '.join(f'{nested(k)} = {nested(v)}' for k, v in self.entries)}>"


for _kind in (MemoryType, ExecUnitType, PortType, MapAttr):
    registry.ATTRIBUTES[_kind.name] = _kind
registry.ATTRIBUTE_RULES["ktdf_arch"] = verify_property


def is_memory_space(value: Attribute) -> bool:
    """Whether an attribute may name a memory: of a dialect, or an integer, string or dictionary."""
    if isinstance(value, (IntegerAttr, StringAttr, DictAttr, OpaqueAttr)):
        return True
    return not isinstance(value, t.Type) and not value.name.startswith("builtin.")


# -- structure -------------------------------------------------------------------------------------

MEMORY = exactly(MemoryType(), "Type of a memory resource.")
EXEC_UNIT = exactly(ExecUnitType(), "Type of an execution unit resource.")
PORT = exactly(PortType(), "Type of a port.")
ENDPOINT = TypeConstraint("Type of a link endpoint.", lambda x: x in SHORT_TYPES.values())
MEMORY_SPACE = AttrConstraint("valid memory space", is_memory_space)
SIZE = AttrConstraint(
    "64-bit integer attribute whose minimum value is 1",
    lambda a: (
        isinstance(a, IntegerAttr)
        and isinstance(a.type, t.IntegerType)
        and a.type.width == 64
        and a.value >= 1
    ),
    IntegerAttr,
)


class InDevice(Trait):
    """The parent is a device or a group."""

    def verify(self, op: Operation) -> None:
        parent = op.parent_op
        if parent is not None and not isinstance(parent, (DeviceOp, ResourceOp)):
            raise op.error("expects parent op to be 'ktdf_arch.device' or another resource")


class ResourceOp(Operation):
    """Base of everything that a device consists of; ``id`` is unique in the device."""

    traits = (InDevice(),)
    id: StringAttr | None = optional_attr(StringAttr)
    kind: Attribute | None = optional_attr(ANY_ATTR)

    @property
    def resource_id(self) -> str | None:
        return self.id.value if self.id is not None else None


class NodeOp(ResourceOp):
    """Base of memories, execution units and switches: what datapaths join."""


class MemoryOp(NodeOp):
    """Stores data. ``kind`` is the memory space of memref types, ``size`` counts bytes."""

    name = "ktdf_arch.memory"
    kind: Attribute = attr(MEMORY_SPACE)
    size: IntegerAttr | None = optional_attr(SIZE)
    memory: OpResult = result(MEMORY)

    def result_name_hint(self) -> str:
        return "memory"


class ExecUnitOp(NodeOp):
    """Moves or processes data; its features say what it can do."""

    name = "ktdf_arch.exec_unit"
    unit: OpResult = result(EXEC_UNIT)

    def result_name_hint(self) -> str:
        return "exec_unit"


class SwitchOp(NodeOp):
    """Relays data between its ports; ``connectivity[s, t]`` allows the way from port s to port t."""

    name = "ktdf_arch.switch"
    connectivity: Any = optional_attr(ANY_ATTR)
    ports: tuple[OpResult, ...] = variadic_result(PORT)

    def verify_(self) -> None:
        given = self.connectivity
        if given is None:
            return
        type = getattr(given, "type", None)
        if not isinstance(type, (t.TensorType, t.VectorType)) or type.element_type is not t.i1:
            raise self.error("attribute 'connectivity' requires a dense adjacency matrix of i1")
        n = len(self.ports)
        if type.shape != (n, n):
            found = ", ".join(map(str, type.shape))
            raise self.error(f"expected connectivity shape {{{n}, {n}}}, but got {{{found}}}")

    def result_name_hint(self) -> str:
        return "switch"

    def connects(self) -> np.ndarray:
        """The N x N matrix of permitted ways (all of them when nothing is said)."""
        if isinstance(self.connectivity, DenseElementsAttr):
            return self.connectivity.to_numpy().astype(bool)
        return np.ones((len(self.ports), len(self.ports)), dtype=bool)


class DatapathOp(ResourceOp):
    """A directed link from one endpoint to another."""

    name = "ktdf_arch.datapath"
    source: Value = operand(ENDPOINT)
    target: Value = operand(ENDPOINT)

    def verify_(self) -> None:
        if self.source is self.target:
            raise self.error("can't link resource to itself")


class GroupOp(ResourceOp):
    """Private resources plus a list of shared memories; groups of one kind are instances.

    The body has one block argument per shared memory and ends with ``yield`` of the execution units
    that are visible outside, which are the results.
    """

    name = "ktdf_arch.group"
    default_dialect = "ktdf_arch"
    traits = (InDevice(), IsolatedFromAbove(), SingleBlock(), ImplicitTerminator("ktdf_arch.yield"))
    captured: tuple[Value, ...] = variadic_operand(MEMORY)
    yielded: tuple[OpResult, ...] = variadic_result(EXEC_UNIT)
    content = region(single_block=True)

    def result_name_hint(self) -> list[str]:
        return ["exec_unit"] * len(self.results)

    def verify_(self) -> None:
        block = self.regions[0].blocks[0]
        if [a.type for a in block.arguments] != [v.type for v in self.captured]:
            raise self.error(
                f"has {len(self.captured)} shared memories, but its body has "
                f"{len(block.arguments)} arguments"
            )
        _verify_children(self)
        last = block.last_op
        given = len(last.operands) if isinstance(last, YieldOp) else 0
        if given != len(self.results):
            raise self.error(
                f"along control flow edge from Operation ktdf_arch.yield to parent: region branch "
                f"point has {given} operands, but region successor needs {len(self.results)} inputs"
            )


class YieldOp(Operation):
    """Ends a group; its operands are the execution units visible outside."""

    name = "ktdf_arch.yield"
    traits = (Terminator(), ReturnLike(), HasParent(("ktdf_arch.group",)))
    assembly_format = "($units^)? attr-dict"
    units: tuple[Value, ...] = variadic_operand(EXEC_UNIT)


class PatternsOp(Operation):
    """PDL patterns of the device; without ``groups`` they are always enabled."""

    name = "ktdf_arch.patterns"
    traits = (HasParent(("ktdf_arch.device",)), IsolatedFromAbove(), SingleBlock(), NoTerminator())
    groups: ArrayAttr = optional_attr(
        array_of(StringAttr, "string array attribute"), default=ArrayAttr(())
    )
    content = region(single_block=True)

    @property
    def group_names(self) -> tuple[str, ...]:
        return tuple(g.value for g in self.groups)  # type: ignore[attr-defined]

    def verify_(self) -> None:
        for child in self.regions[0].blocks[0].ops if self.regions[0].blocks else ():
            if child.name != "pdl.pattern":
                raise self.error(
                    "expects child ops to be 'pdl.pattern'",
                    notes=[Note("unexpected child is here", child.location)],
                )


class DeviceOp(Operation):
    """A device: its resources, or the file to import it from.

    ``kt:NAME`` imports a device that is shipped with kt; other paths are relative to the file.
    Discardable attributes of an importing declaration override those of the imported device.
    """

    name = "ktdf_arch.device"
    default_dialect = "ktdf_arch"
    traits = (Symbol(), IsolatedFromAbove(), SingleBlock(), NoTerminator())
    sym_name: StringAttr = attr(StringAttr)
    import_path: StringAttr | None = optional_attr(StringAttr)
    version: IntegerAttr | None = optional_attr(I64_ATTR)
    content = region(max_blocks=1)

    @property
    def has_content(self) -> bool:
        """Whether the resources stand here (rather than in another file)."""
        return any(not block.is_empty for block in self.regions[0].blocks)

    def verify_(self) -> None:
        if not self.has_content and self.import_path is None:
            raise self.error("empty device requires 'import_path' attribute")
        if self.has_content and self.import_path is not None:
            raise self.error("non-empty device can't have 'import_path' attribute")
        if self.has_content:
            _verify_children(self)
            _verify_ids(self)
            _verify_sizes(self)


def _verify_children(op: Operation) -> None:
    for child in op.regions[0].blocks[0].ops:
        if not isinstance(child, (ResourceOp, YieldOp, PatternsOp)):
            raise op.error(
                "expects child ops to be resources",
                notes=[Note("unexpected child is here", child.location)],
            )


def _verify_ids(device: DeviceOp) -> None:
    seen: dict[str, ResourceOp] = {}
    for op in device.walk_type(ResourceOp):
        name = op.resource_id
        if name is None:
            continue
        if name in seen:
            raise op.error(
                f'resource with id "{name}" redefined',
                notes=[Note("previous definition is here", seen[name].location)],
            )
        seen[name] = op


def _verify_sizes(device: DeviceOp) -> None:
    """Memories of one kind are functionally equal, so they have one size."""
    seen: dict[Attribute, MemoryOp] = {}
    for op in device.walk_type(MemoryOp):
        first = seen.setdefault(op.kind, op)
        if first.size is not op.size:
            raise op.error(
                f"has size {_size(op)}, but another memory of kind {op.kind} has size {_size(first)}",
                notes=[Note("the other memory is here", first.location)],
                hint="give them different kinds, or equal sizes",
            )


def _size(op: MemoryOp) -> str:
    return str(op.size.value) if op.size is not None else "none"


# -- endpoints -------------------------------------------------------------------------------------


def endpoint(value: Value) -> OpResult | None:
    """The result of a node op that ``value`` stands for, through shares and yields of groups."""
    while True:
        owner = value.owner
        if isinstance(value, BlockArgument):
            group = value.block.parent_op
            if not isinstance(group, GroupOp) or value.index >= len(group.captured):
                return None
            value = group.captured[value.index]
        elif isinstance(owner, GroupOp) and isinstance(value, OpResult):
            last = owner.regions[0].blocks[0].last_op
            if not isinstance(last, YieldOp) or value.index >= len(last.units):
                return None
            value = last.units[value.index]
        elif isinstance(owner, NodeOp) and isinstance(value, OpResult):
            return value
        else:
            return None
