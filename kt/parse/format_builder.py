"""Declarative assembly formats as builders: functions from a rule's children to a Pending.

The builder is Python source, written while walking the format's elements just as
kt.parse.formats does for the grammar rule; kt.parse.format_parts says what it makes of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from attrs import define, field

from kt.ir import assembly as asm
from kt.ir.attributes import UnitAttr
from kt.ir.opdef import SINGLE, VARIADIC
from kt.parse.format_parts import Parts, kind_of
from kt.parse.formats import attr_from_text, elides_type, field_of, same
from kt.parse.pending import Pending, fail
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
        parts = Parts(self.cls, self.have, frozenset(self.keys(elements)), self.constant)
        self.emit(0, f"return {parts.pending()}")
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
            return "()" if kind_of(self.cls, name) == VARIADIC else "None"
        return "()" if sort in ("regions", "successors", "alltypes") else "None"

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
        if kind_of(self.cls, key.partition(":")[2]) == SINGLE:
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


def _resolve_type(cls: Any, value: Any) -> Any:
    """The value of ``type_or_body`` (a tuple of one)."""
    inner = value[0] if isinstance(value, tuple) else value
    found = inner.resolve(cls) if isinstance(inner, BodyText) else inner
    if not isinstance(found, cls):
        fail(f"invalid kind of type specified: expected {cls.name}, but found '{found}'")
    return found
