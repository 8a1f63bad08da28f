"""Declarative assembly formats, compiled: grammar rule (shared by equal formats) and builder.

``compile_syntax(cls)`` walks the elements of a format once and yields the right-hand side of a Lark
rule; ``compile_builder(cls)`` walks them the same way and writes a Python function that takes the
children of that rule and makes a :class:`Pending`. Types that the text doesn't state are taken from
exact constraints, type-equality traits, ``TypesMatchWith`` or the class's ``infer_types``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from attrs import define, field

from kt.ir import assembly as asm
from kt.ir import registry
from kt.ir import types as t
from kt.ir.attributes import (
    AffineMapAttr,
    AffineSetAttr,
    ArrayAttr,
    Attribute,
    BitEnumAttr,
    DenseArrayAttr,
    DictAttr,
    EnumAttr,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
)
from kt.ir.constraints import IntEnumConstraint
from kt.ir.opdef import OPTIONAL, SINGLE, VARIADIC
from kt.ir.traits import AttrSizedOperands, AttrSizedResults, TypeInference, TypesMatchWith
from kt.parse.core_actions import typed_number
from kt.parse.pending import Pending, fail
from kt.parse.syntax_api import DIRECTIVES, BodyText, segments


def field_of(cls: Any, name: str) -> tuple[str, Any]:
    """What ``$name`` is: its sort (``operand``, ``result``, ``attr``, ``region``, ``successor``)."""
    fields = cls.fields
    for sort, group in (
        ("operand", fields.operands), ("result", fields.results), ("attr", fields.attrs),
        ("region", fields.regions), ("successor", fields.successors),
    ):  # fmt: skip
        for found in group:
            if name == found.name or (sort == "attr" and name == (found.key or found.name)):
                return sort, found
    raise asm.FormatError(f"{cls.name}: assembly format names '${name}', which isn't declared")


def elides_type(constraint: Any) -> type | None:
    """The dialect type class whose name ``type($x)`` leaves out, as MLIR does for TypeDefs."""
    kind = getattr(constraint, "kind", None)
    if kind is not None and "." in kind.name and kind.name in registry.ATTRIBUTES:
        return kind
    return None


def literal_symbol(text: str) -> str:
    """A literal as Lark writes it."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


@define
class RulePool:
    """Helper rules shared by all formats: right-hand side → name."""

    rules: dict[str, str] = field(factory=dict)

    def name(self, kind: str, body: str) -> str:
        key = f"{kind} {body}"
        if key not in self.rules:
            self.rules[key] = f"format_{kind}_{len(self.rules)}"
        return self.rules[key]

    def lark(self) -> list[str]:
        """The rules as grammar text."""
        lines = []
        for key, name in self.rules.items():
            kind, _, body = key.partition(" ")
            if kind == "optional":
                lines.append(f"{name}: -> nothing\n  | {body} -> itself")
            elif kind == "choice":
                then, otherwise = body.split(" \x00 ")
                lines.append(f"{name}: {then} -> first_choice\n  | {otherwise} -> second_choice")
            elif kind == "keywords":
                lines.append(f"!{name}: {body}")
            else:
                lines.append(f"{name}: {body}")
        return lines


def attr_symbol(cls: Any, declared: Any, qualified: bool, pool: RulePool) -> str:
    """Grammar symbol of ``$attr``; empty for a unit attribute, which is no text at all."""
    constraint = declared.constraint
    kind = constraint.kind
    if isinstance(constraint, IntEnumConstraint):
        return pool.name("keywords", " | ".join(literal_symbol(c) for c in constraint.cases))
    if kind is None:
        return "attr"
    if issubclass(kind, UnitAttr):
        return ""
    if issubclass(kind, (EnumAttr, BitEnumAttr)):
        if issubclass(kind, BitEnumAttr):
            return "bracketed_words" if kind.bracketed else "words"
        body = " | ".join(literal_symbol(c) for c in kind.cases)
        keywords = pool.name("keywords", body)
        return pool.name("bracketed", f'"<" {keywords} ">"') if kind.bracketed else keywords
    if issubclass(kind, IntegerAttr) and constraint.type is not None:
        return "boolean" if constraint.type is t.i1 else "integer"
    if issubclass(kind, FloatAttr) and constraint.type is not None:
        return "number"
    if issubclass(kind, StringAttr):
        return "SYMBOL" if (declared.key or declared.name) == "sym_name" else "STRING"
    if issubclass(kind, SymbolRefAttr):
        return "symbol_ref"
    if issubclass(kind, DenseArrayAttr) and constraint.type is not None:
        return "int_array" if isinstance(constraint.type, (t.IntegerType, t.IndexType)) and constraint.type is not t.i1 else "array"
    if issubclass(kind, ArrayAttr):
        return "array"
    if issubclass(kind, DictAttr):
        return "dict"
    if issubclass(kind, t.Type):
        return "type"
    if issubclass(kind, (AffineMapAttr, AffineSetAttr)):
        return "token_attr"  # can't be a number, so a `:` behind it is no type of it
    if "." in kind.name and kind.name in registry.ATTRIBUTES and not qualified:
        return "attr_or_body"
    return "attr"


def attr_from_text(declared: Any) -> Callable[[Any], Any]:
    """How the value of ``attr_symbol`` becomes the attribute."""
    constraint = declared.constraint
    kind = constraint.kind
    if isinstance(constraint, IntEnumConstraint):
        numbers = {case: IntegerAttr(i, constraint.type) for i, case in enumerate(constraint.cases)}
        return lambda words: numbers[words[0]]
    if kind is None:
        return _same
    if issubclass(kind, BitEnumAttr):
        return lambda words: kind(kind.separator.join(words))
    if issubclass(kind, EnumAttr):
        if kind.bracketed:
            return lambda words: kind(words[0][0])
        return lambda words: kind(words[0])
    if issubclass(kind, IntegerAttr) and constraint.type is not None:
        type = constraint.type
        return lambda value: IntegerAttr(int(value), type)
    if issubclass(kind, FloatAttr) and constraint.type is not None:
        float_type = constraint.type
        return lambda value: typed_number(value, float_type)
    if issubclass(kind, StringAttr):
        return StringAttr
    if issubclass(kind, DenseArrayAttr) and constraint.type is not None:
        type = constraint.type
        return lambda values: DenseArrayAttr.of([getattr(v, "value", v) for v in values], type)
    if issubclass(kind, DictAttr):
        return DictAttr.of
    if "." in kind.name:
        return lambda value: value.resolve(kind) if isinstance(value, BodyText) else value
    return _same


def _same(value: Any) -> Any:
    return value


def compile_syntax(cls: Any, pool: RulePool) -> str:
    """Right-hand side of the rule for what stands behind the op's name."""
    return " ".join(_Symbols(cls, pool).sequence(asm.parse_format(cls.assembly_format), False))


@define
class _Symbols:
    cls: Any
    pool: RulePool

    def sequence(self, elements: Sequence[Any], in_group: bool) -> list[str]:
        symbols: list[str] = []
        opens = elements[0] if in_group and elements else None
        for i, element in enumerate(elements):
            # `($values^ `:` type($values))?`: both are there, or neither.
            same = isinstance(element, asm.TypeOf) and element.target == opens
            symbol = self.symbol(element, (in_group and i == 0) or same)
            if symbol:
                symbols.append(symbol)
        return symbols

    def symbol(self, element: Any, required: bool) -> str:
        """Grammar symbol of one element; ``required``: it opens a group, so it can't be empty."""
        match element:
            case asm.Literal():
                return literal_symbol(element.text)
            case asm.Whitespace():
                return ""
            case asm.Variable():
                return self.variable(element.name, required, False)
            case asm.Qualified():
                return self.variable(element.target.name, required, True)
            case asm.AttrDict():
                return "attr_dict_kw" if element.keyword else "attr_dict"
            case asm.PropDict():
                return "prop_dict"
            case asm.Everything():
                return {"operands": "ssas" if required else "ssas0", "regions": "regions",
                        "successors": "carets" if required else "carets0"}[element.kind]  # fmt: skip
            case asm.TypeOf():
                return self.types(element.target, required)
            case asm.FunctionalType():
                return "function_type"
            case asm.Custom():
                return self.custom(element)
            case asm.Optional():
                return self.optional(element)
            case asm.OIList():
                clauses = [" ".join(self.sequence(c, True)) for c in element.clauses]
                rules = [self.pool.name(f"clause{i}", c) for i, c in enumerate(clauses)]
                each = self.pool.name("oilist", " | ".join(rules))
                return self.pool.name("list", f"{each}*")
        raise asm.FormatError(f"{self.cls.name}: {element} can't stand in an assembly format")

    def variable(self, name: str, required: bool, qualified: bool) -> str:
        sort, declared = field_of(self.cls, name)
        if sort == "attr":
            return attr_symbol(self.cls, declared, qualified, self.pool)
        if sort == "region":
            return "region" if declared.kind == SINGLE else "regions"
        if sort == "successor":
            return "CARET" if declared.kind == SINGLE else "carets" if required else "carets0"
        if sort == "result":
            raise asm.FormatError(f"{self.cls.name}: result '{name}' can't be written as ${name}")
        if declared.kind == SINGLE:
            return "SSA"
        if declared.kind == OPTIONAL:
            return "SSA" if required else "ssa0"
        return "ssas" if required else "ssas0"

    def types(self, target: Any, required: bool) -> str:
        if isinstance(target, asm.Everything):
            return "types" if required else "types0"
        sort, declared = field_of(self.cls, target.name)
        if sort not in ("operand", "result"):
            raise asm.FormatError(f"{self.cls.name}: type(${target.name}) of something without type")
        elided = elides_type(declared.constraint) is not None
        if declared.kind == VARIADIC:
            return "types_or_bodies" if elided else "types" if required else "types0"
        return "type_or_body" if elided else "type"

    def custom(self, element: asm.Custom) -> str:
        found = DIRECTIVES.get(element.name)
        if found is None:
            raise asm.FormatError(
                f"{self.cls.name}: no directive custom<{element.name}> (register it with @directive)"
            )
        return found.rule

    def optional(self, element: asm.Optional) -> str:
        then = " ".join(self.sequence(element.then, True))
        if not element.otherwise:
            return self.pool.name("optional", self.pool.name("group", then))
        otherwise = " ".join(self.sequence(element.otherwise, True))
        group = self.pool.name("group", then)
        other = self.pool.name("group", otherwise)
        return self.pool.name("choice", f"{group} \x00 {other}")


# -- builders --------------------------------------------------------------------------------------


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
            if convert is not _same:
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
        if value is not None and sort == "result":  # ConstantLike: the attribute's own type
            from kt.ir.traits import ConstantLike

            if self.cls.has_trait(ConstantLike):
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
                    found.append(f"{self.constant(_empty_region)}()")
                continue
            if f.kind == SINGLE:
                if sort == "region":
                    name = f"({name} if {name} is not None else {self.constant(_empty_region)}())"
                found.append(name)
            else:
                found.append(f"*{name}")
        return f"({', '.join(found)},)" if found else "()"


def _empty_region() -> Any:
    from kt.parse.pending import empty_region

    return empty_region()


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


