"""The parts of an op that a build function makes of a format's values: operands, types, properties.

Types that the text doesn't state come from exact constraints, type-equality traits,
``TypesMatchWith`` or the class's ``infer_types``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from attrs import frozen

from kt.ir import assembly as asm
from kt.ir import types as t
from kt.ir.attributes import Attribute
from kt.ir.opdef import OPTIONAL, SINGLE, VARIADIC
from kt.ir.traits import (
    AttrSizedOperands,
    AttrSizedResults,
    ConstantLike,
    TypeInference,
    TypesMatchWith,
)
from kt.parse.formats import field_of
from kt.parse.pending import empty_region, fail


def kind_of(cls: Any, name: str) -> str:
    """Whether a field is single, optional or variadic."""
    if name in ("operands", "results"):
        return VARIADIC
    return field_of(cls, name)[1].kind


@frozen(eq=False)
class Parts:
    """Python expressions over the local variables of a build function."""

    cls: Any
    have: dict[str, str]
    """Variables by what they hold: ``op:x``, ``type:x``, ``attr:x``…"""
    always: frozenset[str]
    """What the format always has, outside of optional groups."""
    constant: Callable[[Any], str]
    """The name under which the function sees an object."""

    def pending(self) -> str:
        """The whole op."""
        fields = self.cls.fields
        names, types = self.operands()
        arguments = (
            "cls", names, types, self.results(), self.properties(), self.have.get("dict:", "None"),
            self.parts("regions", fields.regions, "region"),
            self.parts("successors", fields.successors, "successor"),
        )  # fmt: skip
        return f"Pending({', '.join(arguments)})"

    def operands(self) -> tuple[str, str]:
        """Expressions of all operand names and of their types."""
        if "op:operands" in self.have:
            return self.have["op:operands"], self.have.get("type:operands", "None")
        fields = self.cls.fields.operands
        sole = len(fields) == 1
        names, types = [], []
        for f in fields:
            name = self.have.get(f"op:{f.name}")
            if name is None:
                if f.kind == SINGLE:
                    raise asm.FormatError(f"{self.cls.name}: assembly format lacks ${f.name}")
                continue
            type = self.type_of(f.name)
            if f.kind == SINGLE:
                names.append(name)
                types.append(type or "None")
            elif f.kind == VARIADIC:
                if sole:
                    return name, self.many(f, name, type)
                names.append(f"*{name}")
                types.append(f"*{self.many(f, name, type)}")
            else:
                names.append(f"*(({name},) if {name} is not None else ())")
                types.append(f"*(({type or 'None'},) if {name} is not None else ())")
        if not names:
            return "()", "()"
        all_types = "None" if all(x == "None" for x in types) else f"({', '.join(types)},)"
        if "type:operands" in self.have:
            all_types = self.have["type:operands"]
        return f"({', '.join(names)},)", all_types

    def many(self, f: Any, name: str, type: str | None) -> str:
        """Types of a variadic operand: as written, or one for all."""
        if type is None:
            return f"(None,) * len({name})"
        if self.have.get(f"type:{f.name}") == type:
            check = self.constant(_check_count)
            return f"{check}({name}, {type})"
        return f"({type},) * len({name})"

    def results(self) -> str:
        if "type:results" in self.have:
            return self.have["type:results"]
        fields = self.cls.fields.results
        if not fields:
            return "()"
        parts = []
        for f in fields:
            type = self.type_of(f.name)
            if type is None:
                if len(fields) == 1 or all(self.type_of(g.name) is None for g in fields):
                    return self.inferred()
                raise asm.FormatError(f"{self.cls.name}: type of result '{f.name}' can't be found")
            if f.kind == VARIADIC:
                if len(fields) == 1:
                    return type
                parts.append(f"*{type}")
            elif f.kind == OPTIONAL:
                parts.append(f"*(({type},) if {type} is not None else ())")
            else:
                parts.append(type)
        return f"({', '.join(parts)},)"

    def inferred(self) -> str:
        """Result types by the class's ``infer_types``, from typed names."""
        own = getattr(self.cls, "infer_types", None)
        if own is None:
            kinds = {f.kind for f in self.cls.fields.results}
            if SINGLE not in kinds:
                return "()"
            names = ", ".join(f.name for f in self.cls.fields.results)
            raise asm.FormatError(
                f"{self.cls.name}: type of result '{names}' follows neither from the assembly format "
                "nor from a constraint, trait or infer_types"
            )
        groups = []
        typed = self.constant(_typed_names)
        for f in self.cls.fields.operands:
            name = self.have.get(f"op:{f.name}", "()")
            type = self.type_of(f.name)
            groups.append(f"{typed}({name}, {type or 'None'})")
        properties = self.properties()
        return f"{self.constant(own)}({', '.join(groups)}{', ' if groups else ''}properties={properties} or {{}})"

    def type_of(self, name: str, seen: tuple[str, ...] = ()) -> str | None:
        """An expression for the type of a field."""
        if f"type:{name}" in self.have:
            return self.have[f"type:{name}"]
        sort, declared = field_of(self.cls, name)
        if sort == "attr":
            value = self.have.get(f"attr:{name}")
            return f"{self.constant(_type_of_attr)}({value})" if value is not None else None
        constraint = getattr(declared, "constraint", None)
        if constraint is not None and constraint.exact is not None:
            return self.constant(constraint.exact)
        for trait in self.cls.traits:
            if isinstance(trait, TypeInference):
                for group in trait.groups(self.cls):
                    if name in group:
                        for other in group:
                            if other != name and other not in seen:
                                found = self.type_of(other, (*seen, name))
                                if found is not None:
                                    return self.first(other, found)
            elif isinstance(trait, TypesMatchWith) and trait.target == name and trait.source not in seen:
                found = self.type_of(trait.source, (*seen, name))
                if found is not None:
                    return f"{self.constant(_deriving(self.cls, trait))}({self.first(trait.source, found)})"
        value = self.have.get("attr:value")
        if value is not None and sort == "result" and self.cls.has_trait(ConstantLike):
            return f"{self.constant(_type_of_attr)}({value})"
        return None

    def first(self, name: str, expression: str) -> str:
        """One type of a variadic field."""
        if f"type:{name}" in self.have and kind_of(self.cls, name) == VARIADIC and expression == self.have.get(f"type:{name}"):
            return f"({expression}[0] if {expression} else None)"
        return expression

    def properties(self) -> str:
        """A dict display, or ``None``."""
        always, maybe = [], []
        for f in self.cls.fields.attrs:
            name = self.have.get(f"attr:{f.name}")
            if name is not None:
                if f.optional or f"attr:{f.name}" not in self.always:
                    maybe.append((f.key or f.name, name))
                else:
                    always.append(f"{(f.key or f.name)!r}: {name}")
        if self.cls.has_trait(AttrSizedOperands):
            sizes = ", ".join(self.size(f, "op") for f in self.cls.fields.operands)
            if "op:operands" not in self.have:
                always.append(f"'operandSegmentSizes': segments({sizes})")
        if self.cls.has_trait(AttrSizedResults) and "type:results" not in self.have:
            sizes = ", ".join(self.size(f, "type") for f in self.cls.fields.results)
            always.append(f"'resultSegmentSizes': segments({sizes})")
        props = self.have.get("props:")
        if not always and not maybe and not props:
            return "None"
        display = f"{{{', '.join(always)}}}"
        if props:
            display = f"{{**({props} or {{}}), **{display}}}"
        for key, name in maybe:
            display = f"{self.constant(_with)}({display}, {key!r}, {name})"
        return display

    def size(self, f: Any, sort: str) -> str:
        name = self.have.get(f"{sort}:{f.name}")
        if f.kind == SINGLE:
            return "1"
        if name is None:
            return "0"
        return f"len({name})" if f.kind == VARIADIC else f"int({name} is not None)"

    def parts(self, every: str, fields: Sequence[Any], sort: str) -> str:
        if f"{every}:" in self.have:
            return self.have[f"{every}:"]
        found = []
        for f in fields:
            name = self.have.get(f"{sort}:{f.name}")
            if name is None:
                if sort == "region" and f.kind == SINGLE:
                    found.append(f"{self.constant(empty_region)}()")
                continue
            if f.kind == SINGLE:
                if sort == "region":
                    name = f"({name} if {name} is not None else {self.constant(empty_region)}())"
                found.append(name)
            else:
                found.append(f"*{name}")
        return f"({', '.join(found)},)" if found else "()"


def _check_count(names: Any, types: Any) -> Any:
    if len(names) != len(types):
        fail(f"number of operands and types do not match: got {len(names)} operands and {len(types)} types")
    return types


def _deriving(cls: Any, trait: TypesMatchWith) -> Callable[[t.Type], t.Type]:
    """The rule of a trait, for source types that the op allows; others are refused."""
    sort, source = field_of(cls, trait.source)
    group = cls.fields.operands if sort == "operand" else cls.fields.results

    def derive(type: t.Type) -> t.Type:
        if not source.constraint.holds(type):
            fail(
                f"{sort} #{group.index(source)} must be "
                f"{source.constraint.description}, but got '{type}'"
            )
        return trait.derive(type)

    return derive


def _type_of_attr(value: Attribute) -> Any:
    found = getattr(value, "type", None)
    if found is None:
        fail(f"expected an attribute with a type, got '{value}'")
    return found


def _with(entries: dict[str, Any], key: str, value: Any) -> dict[str, Any]:
    if value is not None:
        entries[key] = value
    return entries


class TypedName:
    """Stands for a value where only its type matters (``infer_types``)."""

    __slots__ = ("type",)

    def __init__(self, type: Any) -> None:
        self.type = type


def _typed_names(names: Any, types: Any) -> list[TypedName]:
    if names is None or names == ():
        return []
    if isinstance(names, str):
        return [TypedName(types)]
    if isinstance(types, tuple):
        return [TypedName(x) for x in types]
    return [TypedName(types) for _ in names]
