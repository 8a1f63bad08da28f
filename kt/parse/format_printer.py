"""Declarative assembly formats, compiled to print functions. Blanks follow MLIR's rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any

from kt.ir import assembly as asm
from kt.ir import numbers
from kt.ir import types as t
from kt.ir.attributes import (
    BitEnumAttr,
    DenseArrayAttr,
    DictAttr,
    EnumAttr,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    UnitAttr,
)
from kt.ir.constraints import IntEnumConstraint
from kt.ir.lazy import np
from kt.ir.opdef import OPTIONAL, SINGLE, VARIADIC
from kt.ir.text import element_texts, encode_string, symbol_text
from kt.ir.traits import ImplicitTerminator
from kt.parse.formats import elides_type, field_of
from kt.parse.naming import UNKNOWN_NAME

Step = Callable[[Any, Any], None]
Getter = Callable[[Any], Any]


def compile_printer(cls: Any) -> Step:
    """The function that prints what stands behind the op's name."""
    return _Compiler(cls).compile()


def written_attrs(cls: Any, elements: Sequence[Any]) -> tuple[str, ...]:
    """Keys of the attributes that the format writes itself; the dictionary leaves them out."""
    keys = []
    for element in asm.walk(tuple(elements)):
        if isinstance(element, asm.Qualified):
            element = element.target
        if isinstance(element, asm.Variable):
            sort, declared = field_of(cls, element.name)
            if sort == "attr":
                keys.append(declared.key or declared.name)
    return tuple(keys)


class _Compiler:
    def __init__(self, cls: Any) -> None:
        self.cls = cls
        self.elements = asm.parse_format(cls.assembly_format)
        self.elided = written_attrs(cls, self.elements)
        self.space = True  # whether a blank is due
        self.punctuation = False  # whether the last thing was punctuation
        self.texts: list[str] = []

    def compile(self) -> Step:
        return _run(self.sequence(self.elements))

    def sequence(self, elements: Sequence[Any]) -> list[Step]:
        steps: list[Step] = []
        pending = ""
        for element in elements:
            if isinstance(element, asm.Literal):
                pending += self.literal(element.text)
                continue
            if isinstance(element, asm.Whitespace):
                if element.text == "\n":
                    steps += _flush(pending)
                    pending = ""
                    steps.append(lambda p, op: p.newline())
                pending += element.text if element.text != "\n" else ""
                self.punctuation = element.text == ""
                self.space = False
                continue
            if isinstance(element, asm.AttrDict):
                steps += _flush(pending)
                pending = ""
                steps.append(self.attr_dict(element.keyword))
                self.punctuation = False
                self.space = True
                continue
            if isinstance(element, asm.Optional):
                steps += _flush(pending)
                pending = ""
                steps.append(self.optional(element))
                continue
            if isinstance(element, asm.OIList):
                steps += _flush(pending)
                pending = ""
                steps += [self.clause(c) for c in element.clauses]
                continue
            if isinstance(element, asm.Variable) and self.is_unit(element.name):
                continue
            if self.space or not self.punctuation:
                pending += " "
            self.space, self.punctuation = True, False
            steps += _flush(pending)
            pending = ""
            steps.append(self.step(element))
        return steps + _flush(pending)

    def literal(self, text: str) -> str:
        blank = ""
        if self.space and _blank_before(text, self.punctuation):
            blank = " "
        self.space = len(text) != 1 or text not in "<({["
        self.punctuation = text[0] != "_" and not text[0].isalpha()
        return blank + text

    def is_unit(self, name: str) -> bool:
        sort, declared = field_of(self.cls, name)
        return sort == "attr" and declared.constraint.kind is UnitAttr

    def attr_dict(self, keyword: bool) -> Step:
        elided = self.elided
        return lambda p, op: p.attr_dict(op, elided, keyword)

    def optional(self, element: asm.Optional) -> Step:
        present = self.present(element.anchor)
        before = self.space, self.punctuation
        then = _run(self.sequence(element.then))
        after = self.space, self.punctuation
        if not element.otherwise:
            return lambda p, op: then(p, op) if present(op) else None
        self.space, self.punctuation = before
        other = _run(self.sequence(element.otherwise))
        self.space, self.punctuation = after
        if element.anchor_in_else:
            then, other = other, then
        return lambda p, op: then(p, op) if present(op) else other(p, op)

    def clause(self, elements: Sequence[Any]) -> Step:
        """A clause of an oilist is printed when something in it is there."""
        tests = [
            self.present(e) for e in elements if not isinstance(e, (asm.Literal, asm.Whitespace))
        ]
        run = _run(self.sequence(elements))
        return lambda p, op: run(p, op) if any(test(op) for test in tests) else None

    # -- elements ----------------------------------------------------------------------------------

    def step(self, element: Any) -> Step:
        match element:
            case asm.Variable(name):
                return self.variable(name, False)
            case asm.Qualified(target):
                return self.variable(target.name, True)
            case asm.PropDict():
                return _prop_dict
            case asm.Everything(kind):
                return self.everything(kind)
            case asm.TypeOf(target, qualified):
                return self.types(target, qualified)
            case asm.FunctionalType(inputs, results):
                ins, outs = self.values_of(inputs), self.values_of(results)
                return lambda p, op: p.function_type([v.type for v in ins(op)], [v.type for v in outs(op)])
            case asm.Custom():
                return self.custom(element)
        raise asm.FormatError(f"{self.cls.name}: {element} can't be printed")

    def variable(self, name: str, qualified: bool) -> Step:
        sort, declared = field_of(self.cls, name)
        get = _getter(declared.name)
        if sort == "attr":
            return print_attr(self.cls, declared, qualified)
        if sort == "region":
            terminator = self.cls.trait(ImplicitTerminator) is not None
            if declared.kind == VARIADIC:
                return lambda p, op: _print_regions(p, get(op), terminator)
            return lambda p, op: _print_region(p, get(op), terminator)
        if sort == "successor":
            if declared.kind == VARIADIC:
                return lambda p, op: _print_successors(p, get(op))
            return lambda p, op: p.successor(get(op))
        if declared.kind == VARIADIC:
            return lambda p, op: p.values(get(op))
        if declared.kind == OPTIONAL:
            return lambda p, op: p.value(get(op)) if get(op) is not None else None
        return lambda p, op: p.write(p.names.get(get(op)) or UNKNOWN_NAME)

    def everything(self, kind: str) -> Step:
        if kind == "operands":
            return lambda p, op: p.values(op.operands)
        if kind == "successors":
            return lambda p, op: _print_successors(p, op.successors)
        terminator = self.cls.trait(ImplicitTerminator) is not None
        return lambda p, op: _print_regions(p, op.regions, terminator)

    def values_of(self, target: Any) -> Getter:
        """All values of ``$x``, ``operands`` or ``results``."""
        if isinstance(target, asm.Everything):
            return _getter("operands" if target.kind == "operands" else "results")
        _, declared = field_of(self.cls, target.name)
        get = _getter(declared.name)
        if declared.kind == VARIADIC:
            return get
        return lambda op: () if get(op) is None else (get(op),)

    def types(self, target: Any, qualified: bool) -> Step:
        values = self.values_of(target)
        elided = False
        if not isinstance(target, asm.Everything):
            _, declared = field_of(self.cls, target.name)
            elided = not qualified and elides_type(declared.constraint) is not None
            if declared.kind == SINGLE:
                get = _getter(declared.name)
                if elided:
                    return lambda p, op: p.elided_type(get(op).type)
                return lambda p, op: p.write(p.texts.get(get(op).type) or p.text(get(op).type))
        if elided:
            return lambda p, op: _print_elided(p, values(op))
        return lambda p, op: p.types([v.type for v in values(op)])

    def custom(self, element: asm.Custom) -> Step:
        from kt.parse.syntax_api import DIRECTIVE_PRINTERS

        getters = [self.argument(a) for a in element.arguments]
        name = element.name

        def run(p: Any, op: Any) -> None:
            DIRECTIVE_PRINTERS[name](p, op, *[get(op) for get in getters])

        return run

    def argument(self, argument: Any) -> Getter:
        """What a directive's print function gets for one argument."""
        if isinstance(argument, asm.Ref):
            argument = argument.target
        match argument:
            case asm.Literal(text):
                return lambda op: text
            case asm.Variable(name):
                return _getter(field_of(self.cls, name)[1].name)
            case asm.TypeOf(target):
                values = self.values_of(target)
                if not isinstance(target, asm.Everything) and field_of(self.cls, target.name)[1].kind == SINGLE:
                    return lambda op: values(op)[0].type
                return lambda op: tuple(v.type for v in values(op))
            case asm.Everything(kind):
                return _getter(kind)
            case asm.AttrDict():
                return _getter("attributes")
        raise asm.FormatError(f"{self.cls.name}: {argument} as argument of a directive")

    def present(self, anchor: Any) -> Callable[[Any], bool]:
        """Whether the optional group with this anchor is printed."""
        match anchor:
            case asm.Qualified(target):
                return self.present(target)
            case asm.TypeOf(target):
                values = self.values_of(target)
                return lambda op: bool(values(op))
            case asm.Everything(kind):
                get = _getter(kind)
                return lambda op: bool(get(op))
            case asm.Custom(_, arguments):
                tests = [self.present(a) for a in arguments if not isinstance(a, (asm.Literal, asm.Ref))]
                return lambda op: any(test(op) for test in tests)
            case asm.FunctionalType(inputs, results):
                ins, outs = self.values_of(inputs), self.values_of(results)
                return lambda op: bool(ins(op)) or bool(outs(op))
            case asm.Variable(name):
                sort, declared = field_of(self.cls, name)
                get = _getter(declared.name)
                if sort == "attr":
                    key, default = declared.key or declared.name, declared.default
                    return lambda op: (op._properties or {}).get(key) not in (None, default)
                if sort == "region" and declared.kind == SINGLE:
                    return lambda op: bool(get(op).blocks)
                if declared.kind == OPTIONAL:
                    return lambda op: get(op) is not None
                if declared.kind == VARIADIC:
                    return lambda op: len(get(op)) > 0
                return lambda op: True
        raise asm.FormatError(f"{self.cls.name}: {anchor} can't be an anchor")


def _flush(text: str) -> list[Step]:
    return [lambda p, op: p.write(text)] if text else []


def _run(steps: Sequence[Step]) -> Step:
    if len(steps) == 1:
        return steps[0]

    def run(p: Any, op: Any) -> None:
        for step in steps:
            step(p, op)

    return run


_getter: Callable[[str], Getter] = attrgetter


def _blank_before(text: str, after_punctuation: bool) -> bool:
    if len(text) != 1 and text != "->":
        return True
    return text[0] not in (">)}]," if after_punctuation else "<>(){}[],")


def print_attr(cls: Any, declared: Any, qualified: bool) -> Step:
    """How ``$attr`` is written; see kt.parse.formats.attr_symbol for the grammar's side."""
    constraint = declared.constraint
    kind = constraint.kind
    key = declared.key or declared.name
    get = _getter(declared.name)
    if isinstance(constraint, IntEnumConstraint):
        cases = constraint.cases
        return lambda p, op: p.write(cases[get(op).value])
    if kind is None:
        return lambda p, op: p.attribute(get(op))
    if issubclass(kind, (EnumAttr, BitEnumAttr)):
        if kind.bracketed:
            return lambda p, op: p.write(get(op).parameters())
        return lambda p, op: p.write(get(op).value)
    if issubclass(kind, IntegerAttr) and constraint.type is not None:
        if constraint.type is t.i1:
            return lambda p, op: p.write("true" if get(op).value else "false")
        return lambda p, op: p.write(str(get(op).value))
    if issubclass(kind, FloatAttr) and constraint.type is not None:
        name = constraint.type.dtype_name
        return lambda p, op: p.write(numbers.format_float(get(op).value, name))
    if issubclass(kind, StringAttr):
        if key == "sym_name":
            return lambda p, op: p.write(symbol_text(get(op).value))
        return lambda p, op: p.write(encode_string(get(op).value))
    if issubclass(kind, DenseArrayAttr) and constraint.type is not None:
        return lambda p, op: _print_dense_array(p, get(op))
    if issubclass(kind, DictAttr):
        return lambda p, op: p.attribute(get(op))
    if issubclass(kind, t.Type):
        return lambda p, op: p.type(get(op))
    if "." in kind.name and not kind.name.startswith("builtin.") and not qualified:
        return lambda p, op: p.elided_attribute(get(op))
    return lambda p, op: p.attribute(get(op))


def _print_dense_array(p: Any, attr: DenseArrayAttr) -> None:
    values = np.frombuffer(attr.bytes, attr.element_type.numpy_dtype())  # type: ignore[attr-defined]
    p.write(f"[{', '.join(element_texts(values, attr.element_type))}]")


def _prop_dict(p: Any, op: Any) -> None:
    if op._properties:
        p.write("<")
        p.dictionary(op._properties)
        p.write(">")


def _print_region(p: Any, region: Any, implicit: bool) -> None:
    """A region; an implicit terminator without operands and attributes is left out."""
    terminator = True
    if implicit and region.blocks:
        last = region.blocks[0].last_op
        terminator = last is None or bool(last.operands or last.results or last._attributes or last._properties)
        if last is None:
            terminator = False
    p.region(region, True, terminator)


def _print_regions(p: Any, regions: Sequence[Any], implicit: bool) -> None:
    for i, region in enumerate(regions):
        if i:
            p.write(", ")
        _print_region(p, region, implicit)


def _print_successors(p: Any, blocks: Sequence[Any]) -> None:
    for i, block in enumerate(blocks):
        if i:
            p.write(", ")
        p.successor(block)


def _print_elided(p: Any, values: Sequence[Any]) -> None:
    for i, value in enumerate(values):
        if i:
            p.write(", ")
        p.elided_type(value.type)
