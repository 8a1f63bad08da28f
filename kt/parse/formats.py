"""Declarative assembly formats as grammar rules. Ops with equal formats get the same rule.

See kt.parse.format_builder for what is made of a rule's children, kt.parse.format_printer for the
way back.
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
from kt.parse.core_actions import typed_number
from kt.parse.syntax_api import DIRECTIVES, BodyText


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
                lines.append(f"{name}: -> nothing\n  | {body} -> format_group")
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
        return same
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
    return same


def same(value: Any) -> Any:
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
            return self.pool.name("optional", then)
        otherwise = " ".join(self.sequence(element.otherwise, True))
        return self.pool.name("choice", f"{then} \x00 {otherwise}")
