"""``OpClass.build(…)``: an operation from its declared parts, result types inferred where possible."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from kt.ir import types as t
from kt.ir.attributes import (
    Attribute,
    BitEnumAttr,
    DenseArrayAttr,
    EnumAttr,
    IntegerAttr,
    as_attribute,
)
from kt.ir.constraints import AttrConstraint, IntEnumConstraint
from kt.ir.core import Operation, Value
from kt.ir.diagnostics import UNKNOWN
from kt.ir.opdef import OPTIONAL, SINGLE, VARIADIC
from kt.ir.traits import AttrSizedOperands, TypeInference, TypesMatchWith


def _value(item: Any) -> Value:
    return item.result if isinstance(item, Operation) else item


def _attribute(constraint: AttrConstraint, given: Any) -> Attribute:
    """A plain Python value as the kind of attribute that the op declares (keywords, flags)."""
    if isinstance(given, str):
        if isinstance(constraint, IntEnumConstraint):
            return IntegerAttr(constraint.cases.index(given), constraint.type)
        if constraint.kind is not None and issubclass(constraint.kind, (EnumAttr, BitEnumAttr)):
            return constraint.kind(given)
    return as_attribute(given)


def build_op(cls: type[Operation], operands: Sequence[Any], named: dict[str, Any]) -> Operation:
    """See :meth:`kt.ir.opdef.OpMeta.build`."""
    fields = cls.fields  # type: ignore[attr-defined]
    groups: list[list[Value]] = []
    if len(operands) > len(fields.operands):
        raise TypeError(f"{cls.name} has {len(fields.operands)} operands, got {len(operands)}")
    for i, declared in enumerate(fields.operands):
        given = operands[i] if i < len(operands) else named.pop(declared.name, None)
        if declared.kind == VARIADIC:
            groups.append([_value(v) for v in given or ()])
        elif given is None:
            if declared.kind == SINGLE:
                raise TypeError(f"{cls.name} needs operand '{declared.name}'")
            groups.append([])
        else:
            groups.append([_value(given)])
    properties: dict[str, Attribute] = dict(named.pop("properties", None) or {})
    for declared in fields.attrs:
        given = named.pop(declared.name, None)
        if given is not None:
            properties[declared.key or declared.name] = _attribute(declared.constraint, given)
    if cls.has_trait(AttrSizedOperands):
        properties["operandSegmentSizes"] = DenseArrayAttr.of([len(g) for g in groups], t.i32)
    flat = [value for group in groups for value in group]
    result_types = named.pop("result_types", None)
    if result_types is None:
        result_types = infer_result_types(cls, groups, properties)
    made = cls(
        flat,
        result_types,
        properties,
        named.pop("attributes", None),
        named.pop("regions", ()),
        named.pop("successors", ()),
        named.pop("location", UNKNOWN),
    )
    if named:
        raise TypeError(f"{cls.name} has no part named {', '.join(map(repr, named))}")
    return made


def infer_result_types(
    cls: type[Operation], groups: Sequence[Sequence[Value]], properties: dict[str, Attribute]
) -> Iterable[t.Type]:
    """Result types from the op's own rule, exact constraints, or type-equality traits."""
    fields = cls.fields  # type: ignore[attr-defined]
    own = getattr(cls, "infer_types", None)
    if own is not None:
        return own(*groups, properties=properties)
    known: dict[str, t.Type] = {
        f.name: group[0].type for f, group in zip(fields.operands, groups, strict=True) if group
    }
    found: list[t.Type] = []
    for declared in fields.results:
        if declared.kind == OPTIONAL or declared.kind == VARIADIC:
            return found
        type = declared.constraint.exact or infer_type(cls, declared.name, known)
        if type is None:
            raise TypeError(f"{cls.name} needs result_types: they don't follow from its operands")
        found.append(type)
    return found


def infer_type(cls: type[Operation], name: str, known: dict[str, t.Type]) -> t.Type | None:
    """Type of field ``name`` from the known types of other fields, by the op's traits."""
    for trait in cls.traits:
        if isinstance(trait, TypeInference):
            for group in trait.groups(cls):
                if name in group:
                    same = next((known[n] for n in group if n in known), None)
                    if same is not None:
                        return same
        elif isinstance(trait, TypesMatchWith) and trait.target == name and trait.source in known:
            return _derive(cls, trait, known[trait.source])
    return None


def _derive(cls: type[Operation], trait: TypesMatchWith, source: t.Type) -> t.Type:
    fields = cls.fields  # type: ignore[attr-defined]
    for declared in fields.operands:
        if declared.name == trait.source and not declared.constraint.holds(source):
            expected = declared.constraint.description
            raise TypeError(f"{cls.name}: {trait.source} must be {expected}, not '{source}'")
    return trait.derive(source)
