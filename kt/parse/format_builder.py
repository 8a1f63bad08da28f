"""Declarative assembly formats as builders: functions from a rule's children to a Pending.

The builder is Python source, written while walking the format's elements just as
kt.parse.formats does for the grammar rule. Types that the text doesn't state come from exact
constraints, type-equality traits, ``TypesMatchWith`` or the class's ``infer_types``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from attrs import define, field

from kt.ir import assembly as asm
from kt.ir.attributes import Attribute, UnitAttr
from kt.ir.opdef import OPTIONAL, SINGLE, VARIADIC
from kt.ir.traits import (
    AttrSizedOperands,
    AttrSizedResults,
    ConstantLike,
    TypeInference,
    TypesMatchWith,
)
from kt.parse.formats import attr_from_text, elides_type, field_of, same
from kt.parse.pending import Pending, empty_region, fail
from kt.parse.syntax_api import DIRECTIVES, BodyText, segments


def compile_builder(cls: Any) -> Callable[[tuple[Any, ...]], Pending]:
    """The function from the children behind the op's name to a Pending."""
    return _Builder(cls).compile()


@define
class _Builder:
    """Writes the source of a build function. ``have`` maps ``op:x``, ``type:x``, ``attr:x``… to names
    of local variables."""

    cls: Any
    lines: list[str] = field(factory=list)
    have: dict[str, str] = field(factory=dict)
    scope: dict[str, Any] = field(factory=dict)
    count: int = 0

    def fresh(self) -> str:
        self.count += 1
        return f"v{self.count}"

    def constant(self, value: Any) -> str:
        name = f"k{len(self.scope)}"
        self.scope[name] = value
        return name

    def emit(self, indent: int, line: str) -> None:
        self.lines.append("    " * (indent + 1) + line)

    def compile(self) -> Callable[[tuple[Any, ...]], Pending]:
        elements = asm.parse_format(self.cls.assembly_format)
        self.declare(elements)
        self.sequence(elements, "c", 0, whole=True)
        self.finish()
        source = "def build(c):\n" + "\n".join(self.lines)
        self.scope.update(Pending=Pending, cls=self.cls, fail=fail, segments=segments)
        exec(compile(source, f"<assembly format of {self.cls.name}>", "exec"), self.scope)
        return self.scope["build"]

    def declare(self, elements: Sequence[Any]) -> None:
        """Variables set inside optional groups start as absent."""
        for element in asm.walk(tuple(elements)):
            if isinstance(element, (asm.Optional, asm.OIList)):
                inner = (
                    [*element.then, *element.otherwise]
                    if isinstance(element, asm.Optional)
                    else [e for clause in element.clauses for e in clause]
                )
                for key in self.keys(inner):
                    if key not in self.have:
                        self.have[key] = self.fresh()
                        self.emit(0, f"{self.have[key]} = {self.absent(key)}")

    def absent(self, key: str) -> str:
        sort, _, name = key.partition(":")
        if sort in ("op", "type"):
            return "()" if self.kind(name) == VARIADIC else "None"
        return "()" if sort in ("regions", "successors", "alltypes") else "None"

    def kind(self, name: str) -> str:
        if name in ("operands", "results"):
            return VARIADIC
        return field_of(self.cls, name)[1].kind

    def keys(self, elements: Sequence[Any]) -> list[str]:
        """What the elements of one nesting level define."""
        found: list[str] = []
        for element in elements:
            match element:
                case asm.Variable(name):
                    found.append(self.variable_key(name))
                case asm.Qualified(target):
                    found.append(self.variable_key(target.name))
                case asm.TypeOf(target):
                    found.append(self.type_key(target))
                case asm.AttrDict():
                    found.append("dict:")
                case asm.PropDict():
                    found.append("props:")
                case asm.Everything(kind):
                    found.append("op:operands" if kind == "operands" else f"{kind}:")
                case asm.FunctionalType(inputs, results):
                    found += [self.type_key(inputs), self.type_key(results)]
                case asm.Custom():
                    found += [k for a in element.arguments if (k := self.argument_key(a))]
        return found

    def argument_key(self, argument: Any) -> str | None:
        if isinstance(argument, (asm.Variable, asm.TypeOf, asm.AttrDict)):
            return self.keys([argument])[0]
        if isinstance(argument, asm.Everything):
            return self.keys([argument])[0]
        return None

    def variable_key(self, name: str) -> str:
        sort, declared = field_of(self.cls, name)
        return f"{ {'operand': 'op'}.get(sort, sort) }:{declared.name}"

    def type_key(self, target: Any) -> str:
        return f"type:{target.kind if isinstance(target, asm.Everything) else target.name}"

    def set(self, key: str, expression: str, indent: int) -> str:
        if key not in self.have:
            self.have[key] = self.fresh()
        self.emit(indent, f"{self.have[key]} = {expression}")
        return self.have[key]

    def sequence(
        self, elements: Sequence[Any], source: str, indent: int, whole: bool = False
    ) -> None:
        """Unpack the children of one rule; ``whole``: of the op's own, with its name and literals."""
        names: list[str] = []
        targets = ["_"] if whole else []
        for element in elements:
            names.append(self.fresh() if self.captures(element) else "_")
            if names[-1] != "_" or (whole and isinstance(element, asm.Literal)):
                targets.append(names[-1])
        if targets:
            self.emit(indent, f"({', '.join(targets)},) = {source}")
        for element, name in zip(elements, names, strict=True):
            if name != "_":
                self.element(element, name, indent)
            elif isinstance(element, asm.Variable):
                self.set(self.variable_key(element.name), self.constant(UnitAttr()), indent)

    def captures(self, element: Any) -> bool:
        if isinstance(element, (asm.Literal, asm.Whitespace)):
            return False
        if isinstance(element, asm.Variable):
            sort, declared = field_of(self.cls, element.name)
            return not (sort == "attr" and declared.constraint.kind is UnitAttr)
        return True

    def element(self, element: Any, name: str, indent: int) -> None:
        match element:
            case asm.Variable(field_name):
                self.variable(field_name, name, indent)
            case asm.Qualified(target):
                self.variable(target.name, name, indent)
            case asm.AttrDict():
                self.set("dict:", name, indent)
            case asm.PropDict():
                self.set("props:", name, indent)
            case asm.Everything():
                self.set(self.keys([element])[0], name, indent)
            case asm.TypeOf(target):
                self.types(target, name, indent)
            case asm.FunctionalType(inputs, results):
                for part, target in (("inputs", inputs), ("results", results)):
                    self.functional(target, f"{name}.{part}", indent)
            case asm.Custom():
                self.custom(element, name, indent)
            case asm.Optional():
                self.optional(element, name, indent)
            case asm.OIList():
                self.oilist(element, name, indent)

    def functional(self, target: Any, expression: str, indent: int) -> None:
        key = self.type_key(target)
        if self.kind(key.partition(":")[2]) == SINGLE:
            self.emit(indent, f"if len({expression}) != 1: fail('expected one type in the function type')")
            expression += "[0]"
        self.set(key, expression, indent)

    def variable(self, field_name: str, name: str, indent: int) -> None:
        sort, declared = field_of(self.cls, field_name)
        if sort == "attr":
            convert = attr_from_text(declared)
            if convert is not same:
                name = f"{self.constant(convert)}({name})"
        self.set(self.variable_key(field_name), name, indent)

    def types(self, target: Any, name: str, indent: int) -> None:
        if not isinstance(target, asm.Everything):
            _, declared = field_of(self.cls, target.name)
            kind = elides_type(declared.constraint)
            if kind is not None:
                cls = self.constant(kind)
                body = self.constant(_resolve_type)
                if declared.kind == VARIADIC:
                    name = f"tuple([{body}({cls}, x) for x in {name}])"
                else:
                    name = f"{body}({cls}, {name})"
        self.set(self.type_key(target), name, indent)

    def custom(self, element: asm.Custom, name: str, indent: int) -> None:
        """Arguments go into a list; the directive fills in those that aren't known."""
        known, slots = [], []
        for i, argument in enumerate(element.arguments):
            if isinstance(argument, asm.Literal):
                known.append(repr(argument.text))
                continue
            inner = argument.target if isinstance(argument, asm.Ref) else argument
            key = self.argument_key(inner)
            if key is None:
                raise asm.FormatError(f"{self.cls.name}: {argument} in custom<{element.name}>")
            if isinstance(argument, asm.Ref):
                known.append(self.have.get(key, "None"))
            else:
                known.append("None")
                slots.append((i, key))
        args = self.fresh()
        self.emit(indent, f"{args} = [{', '.join(known)}]")
        build = self.constant(DIRECTIVES[element.name].build)
        self.emit(indent, f"{build}({args}, *({name} if type({name}) is tuple else ({name},)))")
        for i, key in slots:
            value = f"{args}[{i}]"
            if self.absent(key) == "()":
                value = f"() if {value} is None else {value}"
            self.set(key, value, indent)

    def optional(self, element: asm.Optional, name: str, indent: int) -> None:
        if not element.otherwise:
            self.emit(indent, f"if {name} is not None:")
            self.branch(element.then, name, indent)
            return
        self.emit(indent, f"if {name}[0]:")
        self.branch(element.then, f"{name}[1]", indent)
        self.emit(indent, "else:")
        self.branch(element.otherwise, f"{name}[1]", indent)

    def branch(self, elements: Sequence[Any], source: str, indent: int) -> None:
        before = len(self.lines)
        self.sequence(elements, source, indent + 1)
        if len(self.lines) == before:
            self.emit(indent + 1, "pass")

    def oilist(self, element: asm.OIList, name: str, indent: int) -> None:
        clause = self.fresh()
        self.emit(indent, f"for ({clause},) in {name}:")
        for i, elements in enumerate(element.clauses):
            self.emit(indent + 1, f"if {clause}[0] == {i}:")
            self.branch(elements, f"{clause}[1]", indent + 1)

    # -- putting it together -----------------------------------------------------------------------

    def finish(self) -> None:
        cls, fields = self.cls, self.cls.fields
        names, types = self.operands()
        results = self.results()
        properties = self.properties()
        regions, successors = self.parts("regions", fields.regions, "region"), self.parts(
            "successors", fields.successors, "successor"
        )
        attributes = self.have.get("dict:", "None")
        self.emit(0, f"return Pending(cls, {names}, {types}, {results}, {properties}, {attributes}, "
                     f"{regions}, {successors})")  # fmt: skip
        del cls

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
                    return f"{self.constant(trait.derive)}({self.first(trait.source, found)})"
        value = self.have.get("attr:value")
        if value is not None and sort == "result" and self.cls.has_trait(ConstantLike):
            return f"{self.constant(_type_of_attr)}({value})"
        return None

    def first(self, name: str, expression: str) -> str:
        """One type of a variadic field."""
        if f"type:{name}" in self.have and self.kind(name) == VARIADIC and expression == self.have.get(f"type:{name}"):
            return f"({expression}[0] if {expression} else None)"
        return expression

    def properties(self) -> str:
        """A dict display, or ``None``."""
        always, maybe = [], []
        for f in self.cls.fields.attrs:
            name = self.have.get(f"attr:{f.name}")
            if name is not None:
                if f.optional or self.in_group(f.name):
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

    def in_group(self, name: str) -> bool:
        top = asm.parse_format(self.cls.assembly_format)
        return f"attr:{name}" not in self.keys(top)

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


def _resolve_type(cls: Any, value: Any) -> Any:
    """The value of ``type_or_body`` (a tuple of one)."""
    inner = value[0] if isinstance(value, tuple) else value
    found = inner.resolve(cls) if isinstance(inner, BodyText) else inner
    if not isinstance(found, cls):
        fail(f"invalid kind of type specified: expected {cls.name}, but found '{found}'")
    return found


def _check_count(names: Any, types: Any) -> Any:
    if len(names) != len(types):
        fail(f"number of operands and types do not match: got {len(names)} operands and {len(types)} types")
    return types


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


