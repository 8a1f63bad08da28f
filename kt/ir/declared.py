"""What the declaration of an op class demands of its ops, checked with MLIR's words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import Any

from attrs import define, field

from kt.ir.attributes import DenseArrayAttr
from kt.ir.core import Operation, UnregisteredOp
from kt.ir.opdef import OPTIONAL, SINGLE, VARIADIC, segment_sizes
from kt.ir.traits import (
    AllTypesMatch,
    AttrSizedOperands,
    AttrSizedResults,
    ImplicitTerminator,
    NoTerminator,
    SameVariadicOperandSize,
    Symbol,
    SymbolTable,
    Terminator,
    Trait,
    TypesMatchWith,
)
from kt.ir.types import i32


@define(eq=False)
class ClassRules:
    """The checks of one op class, sorted by what they depend on.

    ``accepted`` holds (operand types, result types) that passed ``check_types``, for ``segmented`` classes
    with the sizes of their groups; ``known`` holds properties that passed ``check_properties``. ``more`` tells that ``check_more`` has
    something to do even for an op without regions and successors, ``own`` that the class has rules of its own (``verify_``).
    """

    cls: type[Operation]
    accepted: set[Any] = field(factory=set)
    known: set[Any] = field(factory=set)
    type_traits: list[Trait] = field(factory=list)
    other_traits: list[Trait] = field(factory=list)
    attrs: list[tuple[str, bool, Callable[[Any], bool], str]] = field(factory=list)
    segmented: bool = False
    more: bool = False
    own: bool = False
    terminator: bool = False
    no_terminator: bool = False
    implicit_terminator: str | None = None
    symbol_table: bool = False

    def check_types(self, op: Operation, signature: Any) -> None:
        """Counts and types of operands and results, and the traits that speak about them only."""
        fields = self.cls.fields  # type: ignore[attr-defined]
        if self.segmented:
            _check_segments(op, self.cls)
        _check_group(op, "operand", op._operands, "_operands", fields.operands)
        _check_group(op, "result", op.results, "results", fields.results)
        for trait in self.type_traits:
            trait.verify(op)
        self.accepted.add(signature)

    def check_more(self, op: Operation) -> None:
        """Attributes, regions, successors, and the remaining traits."""
        properties = op._properties or {}
        key = tuple(properties.items())
        if key not in self.known:
            self.check_properties(op, properties)
            if len(self.known) >= _REMEMBERED:
                self.known.clear()
            self.known.add(key)
        fields = self.cls.fields  # type: ignore[attr-defined]
        if op.regions or fields.regions:
            _check_regions(op, fields.regions)
        if op._successors or fields.successors:
            _check_successors(op, fields.successors)
        for trait in self.other_traits:
            trait.verify(op)

    def check_properties(self, op: Operation, properties: dict[str, Any]) -> None:
        """Required attributes are there, all keep their constraints and have declared names."""
        known = 0
        for key, required, holds, words in self.attrs:
            found = properties.get(key)
            if found is None:
                if required:
                    raise op.error(f"requires attribute '{key}'", hint=_similar(key, op))
                continue
            known += 1
            if not holds(found):
                raise op.error(f"attribute '{key}' failed to satisfy constraint: {words}")
        if len(properties) > known:
            self.check_names(op, properties)

    def check_names(self, op: Operation, properties: dict[str, Any]) -> None:
        """Properties that the class doesn't declare: upstream drops them without a word."""
        declared = [key for key, *_ in self.attrs]
        for key in properties:
            if key not in declared and key not in _IMPLIED:
                near = get_close_matches(key, declared, 1)
                raise op.error(
                    f"has no property '{key}'",
                    hint=f"did you mean '{near[0]}'?" if near else "other attributes stand in '{…}'",
                    code="strict",
                )


_REMEMBERED = 1024
"""Properties that a class keeps in mind as good."""
_IMPLIED = ("operandSegmentSizes", "resultSegmentSizes", "sym_name", "sym_visibility")
"""Properties that come with a trait."""


def _similar(key: str, op: Operation) -> str | None:
    """A hint when an attribute that is missing stands there under a misspelt name."""
    near = get_close_matches(key, [*(op._properties or ()), *(op._attributes or ())], 1, 0.8)
    return f"'{near[0]}' is given; is it '{key}'?" if near else None


def segments_of(op: Operation) -> tuple[Any, Any]:
    """The attributes that say how many operands and results each declared one takes."""
    found = op._properties or {}
    return found.get("operandSegmentSizes"), found.get("resultSegmentSizes")


_RULES: dict[type, ClassRules | None] = {}


def rules_of(cls: type[Operation]) -> ClassRules | None:
    """The rules of an op class (made once); None for unregistered ops."""
    try:
        return _RULES[cls]
    except KeyError:
        made = _RULES[cls] = None if issubclass(cls, UnregisteredOp) else _make_rules(cls)
        return made


def _make_rules(cls: type[Operation]) -> ClassRules:
    fields = cls.fields  # type: ignore[attr-defined]
    rules = ClassRules(cls)
    shaped = {f.name for f in (*fields.operands, *fields.results)}
    for trait in cls.traits:
        if type(trait).verify is Trait.verify:
            continue
        names: tuple[str, ...] = ()
        if isinstance(trait, AllTypesMatch):
            names = trait.names
        elif isinstance(trait, TypesMatchWith):
            names = (trait.source, trait.target)
        about_types = trait.types_only or isinstance(trait, TypesMatchWith)
        (
            rules.type_traits if about_types and shaped.issuperset(names) else rules.other_traits
        ).append(trait)
    rules.attrs = [
        (f.key or f.name, not f.optional, f.constraint.holds, f.constraint.description)
        for f in fields.attrs
    ]
    if cls.has_trait(Symbol):
        rules.other_traits.append(_SymbolRules())
    rules.segmented = cls.has_trait(AttrSizedOperands) or cls.has_trait(AttrSizedResults)
    rules.more = bool(rules.attrs or rules.other_traits or fields.regions or fields.successors)
    rules.own = cls.verify_ is not Operation.verify_
    rules.terminator = cls.has_trait(Terminator)
    rules.no_terminator = cls.has_trait(NoTerminator)
    implicit = cls.trait(ImplicitTerminator)
    rules.implicit_terminator = implicit.terminator if implicit is not None else None
    rules.symbol_table = cls.has_trait(SymbolTable)
    return rules


_VISIBILITIES = ("public", "private", "nested")


class _SymbolRules(Trait):
    """A symbol has a name, unless its trait lets it go without, and stands in a symbol table."""

    def verify(self, op: Operation) -> None:
        if op.attr("sym_name") is None:
            if not op.trait(Symbol).optional:
                raise op.error("requires attribute 'sym_name'")
            return
        visibility = getattr(op.attr("sym_visibility"), "value", "public")
        if visibility not in _VISIBILITIES:
            near = get_close_matches(visibility, _VISIBILITIES, 1)
            raise op.error(
                f"visibility expected to be one of {', '.join(_VISIBILITIES)}, but got '{visibility}'",
                hint=f"did you mean '{near[0]}'?" if near else None,
            )
        around = op.parent_op
        known = around is not None and not isinstance(around, UnregisteredOp)
        if known and not around.has_trait(SymbolTable):  # type: ignore[union-attr]
            raise op.error("symbol's parent must have the SymbolTable trait")


def _check_group(
    op: Operation, word: str, values: Sequence[Any], slot: str, declared: Sequence[Any]
) -> None:
    """The number of operands (results), and the constraint of each."""
    single = sum(f.kind == SINGLE for f in declared)
    free = len(declared) > single
    if len(values) < single or (not free and len(values) != single):
        raise op.error(f"{_expected(word, single, free)}, but found {len(values)}")
    if free and all(f.kind != VARIADIC for f in declared) and len(values) > len(declared):
        raise op.error(f"expected at most {len(declared)} {word}s, but found {len(values)}")
    key = f"{word}SegmentSizes"
    sizes = segment_sizes(op, slot, key, declared)
    if sum(sizes) != len(values):
        kinds = "variadic operand size" if op.has_trait(SameVariadicOperandSize) else f"'{key}'"
        raise op.error(f"{word} count ({len(values)}) does not match its {kinds}")
    at = 0
    for f, size in zip(declared, sizes, strict=True):
        if f.kind == OPTIONAL and size > 1:
            raise op.error(
                f"{word} group starting at #{at} requires 0 or 1 element, but found {size}"
            )
        for i in range(at, at + size):
            if not f.constraint.holds(values[i].type):
                kind = "variadic of " if f.kind == VARIADIC else ""
                raise op.error(
                    f"{word} #{i} must be {kind}{f.constraint.description}, "
                    f"but got '{values[i].type}'"
                )
        at += size


def _expected(word: str, count: int, more: bool) -> str:
    if more:
        return f"expected {count} or more {word}s"
    if count == 0:
        return f"requires zero {word}s"
    if count == 1:
        return "requires a single operand" if word == "operand" else "requires one result"
    return f"expected {count} {word}s"


def _check_segments(op: Operation, cls: type[Operation]) -> None:
    """``operandSegmentSizes`` and ``resultSegmentSizes`` fit the declaration and the counts."""
    fields = cls.fields  # type: ignore[attr-defined]
    for trait, word, values, declared in (
        (AttrSizedOperands, "operand", op._operands, fields.operands),
        (AttrSizedResults, "result", op.results, fields.results),
    ):
        if not cls.has_trait(trait):
            continue
        key = f"{word}SegmentSizes"
        found = op.attr(key)
        if found is None:
            raise op.error(f"requires attribute '{key}'")
        if not isinstance(found, DenseArrayAttr) or found.element_type is not i32:
            raise op.error(f"attribute '{key}' must be 'array<i32: …>', but is '{found}'")
        sizes = found.values
        if len(sizes) != len(declared):
            raise op.error(
                f"'{key}' attribute for specifying {word} segments must have {len(declared)} "
                f"elements, but got {len(sizes)}"
            )
        if any(size < 0 for size in sizes) or sum(sizes) != len(values):
            raise op.error(
                f"{word} count ({len(values)}) does not match with the total size ({sum(sizes)}) "
                f"specified in attribute '{key}'"
            )
        for f, size, at in zip(declared, sizes, _starts(sizes), strict=True):
            if f.kind == SINGLE and size != 1:
                raise op.error(
                    f"{word} group starting at #{at} requires exactly 1 element, but found {size}"
                )


def _starts(sizes: Sequence[int]) -> list[int]:
    return [sum(sizes[:i]) for i in range(len(sizes))]


def _check_regions(op: Operation, declared: Sequence[Any]) -> None:
    count, single = len(op.regions), sum(f.kind == SINGLE for f in declared)
    free = len(declared) > single
    if count < single or (not free and count != single):
        words = {0: "requires zero regions", 1: "requires one region"}
        if free:
            raise op.error(f"expected {single} or more regions, but found {count}")
        raise op.error(words.get(single, f"expected {single} regions"))
    for i, region in enumerate(op.regions):
        f = declared[min(i, len(declared) - 1)]
        blocks = len(region.blocks)
        if f.single_block and blocks != 1:
            raise op.error(
                f"region #{i} ('{f.name}') failed to verify constraint: region with 1 blocks"
            )
        if f.max_blocks is not None and blocks > f.max_blocks:
            raise op.error(
                f"region #{i} ('{f.name}') failed to verify constraint: "
                f"region with at most {f.max_blocks} blocks"
            )


def _check_successors(op: Operation, declared: Sequence[Any]) -> None:
    count, single = len(op._successors), sum(f.kind == SINGLE for f in declared)
    free = len(declared) > single
    if count < single or (not free and count != single):
        if free:
            raise op.error(f"requires {single} or more successors but found {count}")
        raise op.error(f"requires {single} successor{'' if single == 1 else 's'} but found {count}")
