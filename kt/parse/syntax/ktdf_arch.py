"""Text of the `ktdf_arch` dialect: a device, its resources, and maps."""

from __future__ import annotations

from typing import Any

from kt.ir import types as t
from kt.ir.attributes import ArrayAttr, Attribute, DictAttr, StringAttr
from kt.ir.dialects.ktdf_arch import (
    SHORT_TYPES,
    DatapathOp,
    DeviceOp,
    ExecUnitType,
    GroupOp,
    MapAttr,
    MemoryType,
    NodeOp,
    PatternsOp,
    PortType,
    ResourceOp,
    SwitchOp,
    YieldOp,
)
from kt.parse.syntax_api import (
    Pending,
    PendingBlock,
    PendingRegion,
    action,
    fail,
    printer,
    syntax,
)


@syntax("ktdf_arch.map", rule="ktdf_arch_map")
def build_map(cls: type[MapAttr], *entries: tuple[Attribute, Attribute]) -> MapAttr:
    return cls(entries)


# Pieces


def _attributes(written: Any, id: str | None) -> dict[str, Attribute]:
    """Attributes of a resource: its dictionary (or the alias of one), and the id before it."""
    if isinstance(written, DictAttr):
        found = dict(written.entries)
    elif isinstance(written, dict) or written is None:
        found = dict(written or {})
    else:
        fail(f"expected dictionary attribute, but the alias stands for {written}")
    if id is not None:
        found.setdefault("id", StringAttr(id))
    return found


@action("ktdf_arch_type")
def short_type(written: Any) -> t.Type:
    """A type behind the colon of a datapath or the arrow of a group."""
    if isinstance(written, t.Type):
        return written
    found = SHORT_TYPES.get(str(written))
    if found is None:
        fail(f"expected 'ktdf_arch' type mnemonic, got '{written}'", hint="memory, exec_unit, port")
    return found  # type: ignore[return-value]


def _write_short(p: Any, type: t.Type) -> None:
    p.write(
        next((word for word, known in SHORT_TYPES.items() if known is type), None) or p.text(type)
    )


def _write_resource(p: Any, op: ResourceOp, elided: tuple[str, ...] = ()) -> None:
    """`` @id {…}``: the id is not repeated in the dictionary."""
    if op.resource_id is not None:
        p.write(" ")
        p.symbol(op.resource_id)
    p.attr_dict(op, elided=("id", *elided))


# The device


@syntax("ktdf_arch.device", rule="ktdf_arch_device")
def build_device(cls: type, name: str, attributes: dict[str, Attribute], body: Any) -> Pending:
    properties: dict[str, Attribute] = {"sym_name": StringAttr(name)}
    if isinstance(body, PendingRegion):
        region = body
    else:
        properties["import_path"] = StringAttr(body)
        region = PendingRegion([])
    return Pending(cls, properties=properties, attributes=attributes, regions=[region])


@printer("ktdf_arch.device")
def print_device(p: Any, op: DeviceOp) -> None:
    p.write(" ")
    p.symbol(op.sym_name.value)
    p.attr_dict(op, elided=("sym_name", "import_path"), keyword=True)
    if op.import_path is not None:
        p.write(" import(")
        p.string(op.import_path.value)
        p.write(")")
    else:
        p.write(" ")
        p.region(op.regions[0])


# Nodes and links


@syntax("ktdf_arch.memory", "ktdf_arch.exec_unit", rule="ktdf_arch_node")
def build_node(cls: type, id: str | None, written: Any) -> Pending:
    type = MemoryType() if cls.name == "ktdf_arch.memory" else ExecUnitType()  # type: ignore
    return Pending(cls, result_types=(type,), attributes=_attributes(written, id))


@printer("ktdf_arch.memory", "ktdf_arch.exec_unit")
def print_node(p: Any, op: NodeOp) -> None:
    _write_resource(p, op)


@syntax("ktdf_arch.switch", rule="ktdf_arch_switch")
def build_switch(cls: type, count: int, written: Any) -> Pending:
    if count < 0:
        fail(f"a switch can't have {count} ports")
    return Pending(cls, result_types=(PortType(),) * count, attributes=_attributes(written, None))


@printer("ktdf_arch.switch")
def print_switch(p: Any, op: SwitchOp) -> None:
    p.write(f" [{len(op.ports)}]")
    p.attr_dict(op, elided=("connectivity",) if bool(op.connects().all()) else ())


@syntax("ktdf_arch.datapath", rule="ktdf_arch_datapath")
def build_datapath(
    cls: type,
    id: str | None,
    written: Any,
    source: str,
    target: str,
    source_type: t.Type,
    target_type: t.Type,
) -> Pending:
    return Pending(
        cls,
        operands=(source, target),
        types=(source_type, target_type),
        attributes=_attributes(written, id),
    )


@printer("ktdf_arch.datapath")
def print_datapath(p: Any, op: DatapathOp) -> None:
    _write_resource(p, op)
    p.write(" ")
    p.value(op.source)
    p.write(" to ")
    p.value(op.target)
    p.write(" : ")
    _write_short(p, op.source.type)
    p.write(", ")
    _write_short(p, op.target.type)


# Groups and patterns


@syntax("ktdf_arch.group", rule="ktdf_arch_group")
def build_group(
    cls: type,
    id: str | None,
    written: Any,
    shared: tuple[str, ...],
    region: PendingRegion,
    results: tuple[t.Type, ...],
) -> Pending:
    memory = MemoryType()
    region.set_arguments([(name, memory) for name in shared])
    return Pending(
        cls,
        operands=shared,
        types=(memory,) * len(shared),
        result_types=results,
        attributes=_attributes(written, id),
        regions=[region],
    )


@printer("ktdf_arch.group")
def print_group(p: Any, op: GroupOp) -> None:
    _write_resource(p, op)
    p.write(" share(")
    p.values(op.captured)
    p.write(") ")
    block = op.regions[0].block
    last = block.last_op
    silent = isinstance(last, YieldOp) and not last.operands and not last.attributes
    for argument, outer in zip(block.arguments, op.captured, strict=True):
        p.rename(argument, p.name(outer))
    p.region(op.regions[0], entry_args=False, terminator=not silent)
    for i, value in enumerate(op.results):
        p.write(", " if i else " -> ")
        _write_short(p, value.type)


@syntax("ktdf_arch.patterns", rule="ktdf_arch_patterns")
def build_patterns(
    cls: type, groups: ArrayAttr | None, attributes: dict[str, Attribute], region: PendingRegion
) -> Pending:
    if not region.blocks:
        region = PendingRegion([PendingBlock(None, [], [])])
    properties = {} if groups is None else {"groups": groups}
    return Pending(cls, properties=properties, attributes=attributes, regions=[region])


@printer("ktdf_arch.patterns")
def print_patterns(p: Any, op: PatternsOp) -> None:
    if len(op.groups):
        p.write(" ")
        p.attribute(op.groups)
    p.attr_dict(op, elided=("groups",), keyword=True)
    p.write(" ")
    p.region(op.regions[0])
