"""Traits: properties of op classes that the verifier, parser and passes rely on.

A trait is an object in ``Operation.traits``; ``op.has_trait(Pure)`` asks by class. A trait with a
``verify`` checks one op; one with ``infer`` names types that need not be written.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from attrs import frozen

from kt.ir import types as t

if TYPE_CHECKING:
    from kt.ir.core import Operation


@frozen
class Trait:
    """Base of traits; one without fields of its own needs no more than this one has.

    ``types_only`` says that ``verify`` looks at nothing but the types of operands and results, so
    that the verifier need not ask again for types that it has seen.
    """

    types_only: ClassVar[bool] = False

    def verify(self, op: Operation) -> None:
        """Raise ``op.error(…)`` when the op breaks the trait."""


class Pure(Trait):
    """No effects and always safe to execute: may be erased, merged, moved and speculated."""


class NoMemoryEffect(Trait):
    """No effects, but not speculatable (division): may be erased and merged, not hoisted."""


class RecursiveEffects(Trait):
    """The op has just the effects of the ops in its regions."""


class ReadEffect(Trait):
    """Reads memory; without uses it may be erased."""


class WriteEffect(Trait):
    """Writes memory."""


class AllocEffect(Trait):
    """Allocates the resource that it returns; without uses it may be erased."""


class Commutative(Trait):
    """Operands of a binary op may be swapped."""


class Idempotent(Trait):
    """``f(f(x)) = f(x)`` or ``x f x = x``."""


@frozen
class DistinctIdentity(Trait):
    """Every such op means something of its own: two of them are never merged, however equal.

    In generic text the attribute ``key`` tells them apart, numbered in the order of printing.
    """

    key: str


class ConstantLike(Trait):
    """No operands, one result given by the ``value`` attribute."""


class Elementwise(Trait):
    """Works element by element on vectors and tensors of equal shape."""


class Terminator(Trait):
    """Ends a block."""

    def verify(self, op: Operation) -> None:
        if op.parent is not None and op.next_op is not None:
            raise op.error("must be the last operation in the parent block")


class ReturnLike(Trait):
    """A terminator that hands its operands to the parent op."""


class NoTerminator(Trait):
    """The op's blocks need no terminator."""


class SingleBlock(Trait):
    """Each region has exactly one block (or none)."""

    def verify(self, op: Operation) -> None:
        for i, region in enumerate(op.regions):
            if len(region.blocks) > 1:
                raise op.error(f"expects region #{i} to have 0 or 1 blocks")


@frozen
class ImplicitTerminator(Trait):
    """Blocks end with this terminator, which text may leave out when it has no operands.

    ``terminator`` is the op's name.
    """

    terminator: str


class IsolatedFromAbove(Trait):
    """Regions see no values from outside."""


class GraphRegion(Trait):
    """Regions have no order of dominance (module, device)."""


class NoRegionArguments(Trait):
    """Entry blocks have no arguments."""

    def verify(self, op: Operation) -> None:
        for i, region in enumerate(op.regions):
            if region.blocks and region.blocks[0].arguments:
                raise op.error(f"region should have no arguments (region #{i})")


class SymbolTable(Trait):
    """Ops of the body are looked up by ``sym_name``."""


@frozen
class Symbol(Trait):
    """Has a ``sym_name``; ``optional`` when it may be missing."""

    optional: bool = False


@frozen
class HasParent(Trait):
    """The parent op must be one of these (names)."""

    names: tuple[str, ...]

    def verify(self, op: Operation) -> None:
        parent = op.parent_op
        if parent is not None and parent.name not in self.names:
            words = f"'{self.names[0]}'" if len(self.names) == 1 else f"to be one of '{', '.join(self.names)}'"
            raise op.error(f"expects parent op {words}")


class DestinationStyle(Trait):
    """Results correspond one to one to the ``outs`` operands (linalg)."""


class AttrSizedOperands(Trait):
    """``operandSegmentSizes`` says how many operands each declared one takes."""


class AttrSizedResults(Trait):
    """``resultSegmentSizes``, likewise for results."""


class SameVariadicOperandSize(Trait):
    """All variadic operands are equally long."""


def _shape(type: t.Type) -> Any:
    if isinstance(type, (t.VectorType, t.TensorType, t.MemRefType)):
        return type.shape
    return None


def _compatible(a: Any, b: Any) -> bool:
    if a is None or b is None:
        return a is b
    return len(a) == len(b) and all(
        x == y or t.DYNAMIC in (x, y) for x, y in zip(a, b, strict=True)
    )


class TypeInference(Trait):
    """Base of traits from which missing types follow."""

    types_only: ClassVar[bool] = True

    def groups(self, op_class: Any) -> list[tuple[str, ...]]:
        """Sets of field names whose types are equal."""
        return []


class SameTypeOperands(TypeInference):
    """All operands have the same type."""

    def verify(self, op: Operation) -> None:
        if len({v.type for v in op.operands}) > 1:
            raise op.error("requires all operands to have the same type")

    def groups(self, op_class: Any) -> list[tuple[str, ...]]:
        return [tuple(f.name for f in op_class.fields.operands)]


class SameOperandsAndResultType(TypeInference):
    """All operands and results have the same type."""

    def verify(self, op: Operation) -> None:
        all_types = {v.type for v in (*op.operands, *op.results)}
        if len(all_types) > 1:
            first = (*op.operands, *op.results)[0].type
            if all(
                t.element_type_of(x) is t.element_type_of(first)
                and _compatible(_shape(x), _shape(first))
                for x in all_types
            ):
                return
            raise op.error("requires the same type for all operands and results")

    def groups(self, op_class: Any) -> list[tuple[str, ...]]:
        fields = op_class.fields
        return [tuple(f.name for f in (*fields.operands, *fields.results))]


class SameOperandsAndResultShape(Trait):
    """All operands and results have the same shape."""

    types_only: ClassVar[bool] = True

    def verify(self, op: Operation) -> None:
        shapes = [_shape(v.type) for v in (*op.operands, *op.results)]
        if any(not _compatible(s, shapes[0]) for s in shapes):
            raise op.error("requires the same shape for all operands and results")


@frozen
class AllTypesMatch(TypeInference):
    """These fields have the same type."""

    names: tuple[str, ...]

    def verify(self, op: Operation) -> None:
        found = [getattr(op, n) for n in self.names]
        if len({v.type for v in found if v is not None}) > 1:
            raise op.error(f"failed to verify that all of {{{', '.join(self.names)}}} have same type")

    def groups(self, op_class: Any) -> list[tuple[str, ...]]:
        return [self.names]


@frozen
class AllElementTypesMatch(Trait):
    """These fields have the same element type."""

    names: tuple[str, ...]

    def verify(self, op: Operation) -> None:
        kinds = {t.element_type_of(v.type) for n in self.names if (v := getattr(op, n)) is not None}
        if len(kinds) > 1:
            raise op.error(
                f"failed to verify that all of {{{', '.join(self.names)}}} have same element type"
            )


@frozen
class TypesMatchWith(Trait):
    """The type of ``target`` follows from that of ``source`` (a field) by ``derive``."""

    target: str
    source: str
    derive: Callable[[t.Type], t.Type]
    description: str

    def verify(self, op: Operation) -> None:
        source, target = getattr(op, self.source), getattr(op, self.target)
        if source is not None and target is not None and self.derive(source.type) is not target.type:
            raise op.error(f"failed to verify that {self.description}")
