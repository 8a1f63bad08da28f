"""Declaring operations.

An op class states its operands, results, attributes, regions, traits and assembly format once::

    class AddIOp(Operation):
        '''Integer addition, two's complement.'''

        name = "arith.addi"
        traits = (Pure(), Commutative(), SameOperandsAndResultType())
        assembly_format = "$lhs `,` $rhs attr-dict `:` type($result)"
        lhs: Value = operand(SIGNLESS_INTEGER_LIKE)
        rhs: Value = operand(SIGNLESS_INTEGER_LIKE)
        result: OpResult = result(SIGNLESS_INTEGER_LIKE)

When the class is made, its fields become typed accessors (properties), ``build`` knows their order,
the verifier knows their constraints, and the parser and printer compile ``assembly_format``.
``OpClass.fields`` keeps the declarations for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from attrs import define, field

from kt.ir import registry
from kt.ir.constraints import ANY_ATTR, ANY_TYPE, AttrConstraint, TypeConstraint, attr_constraint

if TYPE_CHECKING:
    from kt.ir.core import Operation

SINGLE, OPTIONAL, VARIADIC = "single", "optional", "variadic"


@define(eq=False)
class Field:
    """One declared part of an op; ``name`` is filled in when the class is made."""

    name: str = field(init=False, default="")


@define(eq=False)
class OperandField(Field):
    constraint: TypeConstraint
    kind: str


@define(eq=False)
class ResultField(Field):
    constraint: TypeConstraint
    kind: str


@define(eq=False)
class AttrField(Field):
    """An inherent attribute. ``default`` is assumed (and not printed) when it is absent."""

    constraint: AttrConstraint
    optional: bool
    default: Any
    key: str | None = None
    """Name in the text, where it isn't a good Python name (``callee`` → ``callee``)."""


@define(eq=False)
class RegionField(Field):
    kind: str
    single_block: bool
    max_blocks: int | None = None


@define(eq=False)
class SuccessorField(Field):
    kind: str


def operand(constraint: TypeConstraint = ANY_TYPE) -> Any:
    """A single operand; the accessor gives its Value."""
    return OperandField(constraint, SINGLE)


def optional_operand(constraint: TypeConstraint = ANY_TYPE) -> Any:
    """An operand that may be absent; the accessor gives a Value or None."""
    return OperandField(constraint, OPTIONAL)


def variadic_operand(constraint: TypeConstraint = ANY_TYPE) -> Any:
    """Any number of operands; the accessor gives a tuple."""
    return OperandField(constraint, VARIADIC)


def result(constraint: TypeConstraint = ANY_TYPE) -> Any:
    """A single result. With an exact constraint (``INDEX``) its type is never written."""
    return ResultField(constraint, SINGLE)


def optional_result(constraint: TypeConstraint = ANY_TYPE) -> Any:
    return ResultField(constraint, OPTIONAL)


def variadic_result(constraint: TypeConstraint = ANY_TYPE) -> Any:
    return ResultField(constraint, VARIADIC)


def attr(constraint: Any = ANY_ATTR, *, key: str | None = None) -> Any:
    """A required inherent attribute: an attribute class or an AttrConstraint."""
    return AttrField(attr_constraint(constraint), False, None, key)


def optional_attr(constraint: Any = ANY_ATTR, *, default: Any = None, key: str | None = None) -> Any:
    """An inherent attribute that may be absent; ``default`` (an Attribute) stands for it then."""
    return AttrField(attr_constraint(constraint), True, default, key)


def region(*, single_block: bool = False, max_blocks: int | None = None) -> Any:
    return RegionField(SINGLE, single_block, max_blocks)


def variadic_region(*, single_block: bool = False) -> Any:
    return RegionField(VARIADIC, single_block)


def successor() -> Any:
    return SuccessorField(SINGLE)


def variadic_successor() -> Any:
    return SuccessorField(VARIADIC)


@define
class Fields:
    """All declarations of an op class, in order of declaration."""

    operands: list[OperandField] = field(factory=list)
    results: list[ResultField] = field(factory=list)
    attrs: list[AttrField] = field(factory=list)
    regions: list[RegionField] = field(factory=list)
    successors: list[SuccessorField] = field(factory=list)

    def attr(self, key: str) -> AttrField | None:
        """The declared attribute with this name in the text."""
        return next((f for f in self.attrs if (f.key or f.name) == key), None)

    def lists(self) -> tuple[tuple[type[Field], list[Any]], ...]:
        return (
            (OperandField, self.operands),
            (ResultField, self.results),
            (AttrField, self.attrs),
            (RegionField, self.regions),
            (SuccessorField, self.successors),
        )


class OpMeta(type):
    """Collects the declared fields of an op class, makes accessors, registers the class by name."""

    fields: Fields

    def __new__(
        mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **kwargs: Any
    ) -> OpMeta:
        namespace.setdefault("__slots__", ())
        inherited = [b.fields for b in bases if isinstance(b, OpMeta) and "fields" in vars(b)]
        fields = Fields()
        for base in inherited:
            for (_, mine), (_, theirs) in zip(fields.lists(), base.lists(), strict=True):
                mine.extend(f for f in theirs if f.name not in namespace)
        for key, value in list(namespace.items()):
            if isinstance(value, Field):
                value.name = key
                for kind, entries in fields.lists():
                    if type(value) is kind:
                        entries.append(value)
        namespace["fields"] = fields
        namespace.update(_accessors(fields, namespace))
        namespace["_trait_types"] = frozenset(
            kind
            for trait in namespace.get("traits", _inherited(bases, "traits"))
            for kind in type(trait).__mro__
        )
        return super().__new__(mcs, name, bases, namespace, **kwargs)

    def __init__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **kw: Any) -> None:
        super().__init__(name, bases, namespace)
        op_name = namespace.get("name")
        if isinstance(op_name, str) and op_name:
            registry.OPS[op_name] = cls  # type: ignore[assignment]

    def build(cls, *operands: Any, **named: Any) -> Any:
        """Make an operation from its declared parts.

        Positional arguments are the declared operands in order: a Value (or an operation with one
        result), a sequence for a variadic one, None for an absent optional one; trailing ones may
        be left out. Attributes go by field name (plain Python values are converted).
        ``result_types`` is needed only where they can't be inferred; ``regions``, ``successors``,
        ``attributes`` (discardable) and ``location`` as in the generic constructor.
        """
        from kt.ir.build import build_op

        return build_op(cls, operands, named)  # type: ignore[arg-type]


def _inherited(bases: Sequence[type], key: str) -> tuple[Any, ...]:
    return next((getattr(b, key) for b in bases if hasattr(b, key)), ())


def _accessors(fields: Fields, namespace: dict[str, Any]) -> dict[str, property]:
    """One property per declared field of this class or its bases."""
    made: dict[str, property] = {}
    for i, f in enumerate(fields.operands):
        made[f.name] = _group_accessor("_operands", "operandSegmentSizes", fields.operands, i)
    for i, f in enumerate(fields.results):
        made[f.name] = _group_accessor("results", "resultSegmentSizes", fields.results, i)
    for f in fields.attrs:
        made[f.name] = _attr_accessor(f.key or f.name, f.default)
    for i, f in enumerate(fields.regions):
        made[f.name] = _slice_accessor("regions", i, f.kind == VARIADIC)
    for i, f in enumerate(fields.successors):
        made[f.name] = _slice_accessor("_successors", i, f.kind == VARIADIC)
    return made


def _slice_accessor(slot: str, index: int, variadic: bool) -> property:
    if variadic:
        return property(lambda op: getattr(op, slot)[index:])
    return property(lambda op: getattr(op, slot)[index])


def _attr_accessor(key: str, default: Any) -> property:
    def get(op: Operation) -> Any:
        found = op._properties.get(key) if op._properties else None
        return default if found is None else found

    def set(op: Operation, value: Any) -> None:
        from kt.ir.attributes import as_attribute

        if value is None:
            op.properties.pop(key, None)
        else:
            op.properties[key] = as_attribute(value)

    return property(get, set)


def _group_accessor(slot: str, segments_key: str, group: Sequence[Any], index: int) -> property:
    """Accessor of the index-th declared operand or result."""
    kind = group[index].kind
    if all(f.kind == SINGLE for f in group[:index]) and (
        kind == SINGLE or index == len(group) - 1
    ):
        return property(_fixed_getter(slot, kind, index))

    places: dict[Any, slice] = {}
    """By segment sizes as an attribute: there are few, and they are asked for at every access."""

    def get(op: Operation) -> Any:
        segments = op._properties.get(segments_key) if op._properties else None
        place = places.get(segments) if segments is not None else None
        if place is None:
            start, size = segment_of(op, slot, segments_key, group, index)
            place = slice(start, start + size)
            if segments is not None:
                places[segments] = place
        part = getattr(op, slot)[place]
        if kind == VARIADIC:
            return part
        return part[0] if part else None

    return property(get)


def _fixed_getter(slot: str, kind: str, index: int) -> Callable[[Any], Any]:
    if kind == SINGLE:
        return lambda op: getattr(op, slot)[index]
    if kind == VARIADIC:
        return lambda op: getattr(op, slot)[index:]
    return lambda op: getattr(op, slot)[index] if len(getattr(op, slot)) > index else None


def segment_sizes(
    op: Operation, slot: str, segments_key: str, group: Sequence[Any]
) -> tuple[int, ...]:
    """How many operands (results) each declared field of ``group`` takes in ``op``."""
    variable = [i for i, f in enumerate(group) if f.kind != SINGLE]
    if not variable:
        return (1,) * len(group)
    total = len(getattr(op, slot))
    spare = total - (len(group) - len(variable))
    if len(variable) == 1:
        return tuple(spare if i == variable[0] else 1 for i in range(len(group)))
    segments = op._properties.get(segments_key) if op._properties else None
    if segments is not None:
        return segments.values  # type: ignore[attr-defined]
    # SameVariadicOperandSize: all variadic groups are equally long.
    share = spare // len(variable)
    return tuple(share if i in variable else 1 for i in range(len(group)))


def segment_of(
    op: Operation, slot: str, segments_key: str, group: Sequence[Any], index: int
) -> tuple[int, int]:
    """First operand number and size of a declared field."""
    sizes = segment_sizes(op, slot, segments_key, group)
    return sum(sizes[:index]), sizes[index]
