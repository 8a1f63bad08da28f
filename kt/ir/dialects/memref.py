"""``memref``: allocating and accessing memory."""

from __future__ import annotations

from typing import Any

from kt.ir import types as t
from kt.ir.attributes import (
    Attribute,
    DenseElementsAttr,
    IntegerAttr,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
)
from kt.ir.constraints import (
    ALIGNMENT,
    ANY_FLOAT,
    ANY_MEMREF,
    ANY_TYPE,
    BOOL_ATTR,
    INDEX,
    RANKED_MEMREF,
    SIGNLESS_INTEGER,
    AttrConstraint,
    TypeConstraint,
    int_enum,
    integer_attr,
)
from kt.ir.core import Operation, OpResult, Value
from kt.ir.dialects.arith_types import ATOMIC_RMW_KINDS
from kt.ir.dialects.common import result_name
from kt.ir.dialects.func import FLAT_SYMBOL
from kt.ir.dialects.memref_hints import (
    LOCALITY as LOCALITY,
)
from kt.ir.dialects.memref_hints import (
    AllocaScopeOp as AllocaScopeOp,
)
from kt.ir.dialects.memref_hints import (
    AllocaScopeReturnOp as AllocaScopeReturnOp,
)
from kt.ir.dialects.memref_hints import (
    DistinctObjectsOp as DistinctObjectsOp,
)
from kt.ir.dialects.memref_hints import (
    PrefetchOp as PrefetchOp,
)
from kt.ir.dialects.memref_updates import (
    AtomicYieldOp as AtomicYieldOp,
)
from kt.ir.dialects.memref_updates import (
    GenericAtomicRMWOp as GenericAtomicRMWOp,
)
from kt.ir.dialects.memref_updates import (
    ReallocOp as ReallocOp,
)
from kt.ir.dialects.memref_views import (
    STRIDED_MEMREF as STRIDED_MEMREF,
)
from kt.ir.dialects.memref_views import (
    CastOp as CastOp,
)
from kt.ir.dialects.memref_views import (
    CollapseShapeOp as CollapseShapeOp,
)
from kt.ir.dialects.memref_views import (
    ExpandShapeOp as ExpandShapeOp,
)
from kt.ir.dialects.memref_views import (
    ExtractAlignedPointerAsIndexOp as ExtractAlignedPointerAsIndexOp,
)
from kt.ir.dialects.memref_views import (
    ExtractStridedMetadataOp as ExtractStridedMetadataOp,
)
from kt.ir.dialects.memref_views import (
    MemorySpaceCastOp as MemorySpaceCastOp,
)
from kt.ir.dialects.memref_views import (
    ReinterpretCastOp as ReinterpretCastOp,
)
from kt.ir.dialects.memref_views import (
    ReshapeOp as ReshapeOp,
)
from kt.ir.dialects.memref_views import (
    SubViewOp as SubViewOp,
)
from kt.ir.dialects.memref_views import (
    TransposeOp as TransposeOp,
)
from kt.ir.dialects.memref_views import (
    ViewOp as ViewOp,
)
from kt.ir.dialects.tensor import element_of
from kt.ir.opdef import attr, operand, optional_attr, result, variadic_operand
from kt.ir.traits import (
    AllocEffect,
    AllTypesMatch,
    AttrSizedOperands,
    NoMemoryEffect,
    Pure,
    ReadEffect,
    SameOperandsAndResultType,
    Symbol,
    TypesMatchWith,
    WriteEffect,
)

MEMREF_TYPE_ATTR = AttrConstraint(
    "memref type attribute", lambda a: isinstance(a, t.MemRefType), t.MemRefType
)
STATIC_MEMREF = TypeConstraint(
    "statically shaped memref of any type values",
    lambda type: isinstance(type, t.MemRefType) and type.has_static_shape,
)
NUMBER = TypeConstraint(
    "signless integer or floating-point",
    lambda type: SIGNLESS_INTEGER.holds(type) or ANY_FLOAT.holds(type),
)
NON_0_RANKED_MEMREF = TypeConstraint(
    "non-0-ranked or unranked memref",
    lambda type: (
        isinstance(type, t.UnrankedMemRefType) or (isinstance(type, t.MemRefType) and type.rank > 0)
    ),
)


class _AllocLike(Operation):
    traits = (AttrSizedOperands(), AllocEffect())
    assembly_format = (
        "`(` $dynamic_sizes `)` (`` `[` $symbol_operands^ `]`)? attr-dict `:` type($memref)"
    )
    dynamic_sizes: tuple[Value, ...] = variadic_operand(INDEX)
    symbol_operands: tuple[Value, ...] = variadic_operand(INDEX)
    alignment: IntegerAttr | None = optional_attr(ALIGNMENT)
    memref: OpResult = result(RANKED_MEMREF)

    def verify_(self) -> None:
        type: Any = self.memref.type
        wanted = sum(1 for n in type.shape if n == t.DYNAMIC)
        if len(self.dynamic_sizes) != wanted:
            raise self.error(
                f"incorrect number of dynamic sizes, has {len(self.dynamic_sizes)}, "
                f"expected {wanted}"
            )
        symbols = getattr(getattr(type.layout, "map", None), "num_symbols", 0)
        if len(self.symbol_operands) != symbols:
            raise self.error(
                "symbol operand count does not equal memref symbol count: "
                f"expected {symbols}, got {len(self.symbol_operands)}"
            )


class AllocOp(_AllocLike):
    """Memory that lives until it is deallocated."""

    name = "memref.alloc"
    result_name_hint = result_name("alloc")


class AllocaOp(_AllocLike):
    """Memory that lives as long as the function call."""

    name = "memref.alloca"
    result_name_hint = result_name("alloca")


class DeallocOp(Operation):
    """Give memory back."""

    name = "memref.dealloc"
    traits = (WriteEffect(),)
    assembly_format = "$memref attr-dict `:` type($memref)"
    memref: Value = operand(ANY_MEMREF)


class LoadOp(Operation):
    """One element of a memref."""

    name = "memref.load"
    traits = (
        ReadEffect(),
        TypesMatchWith(
            "result", "memref", element_of, "result type matches element type of 'memref'"
        ),
    )
    assembly_format = "$memref `[` $indices `]` attr-dict `:` type($memref)"
    memref: Value = operand(RANKED_MEMREF)
    indices: tuple[Value, ...] = variadic_operand(INDEX)
    nontemporal: IntegerAttr | None = optional_attr(BOOL_ATTR)
    alignment: IntegerAttr | None = optional_attr(ALIGNMENT)
    result: OpResult = result(ANY_TYPE)

    def verify_(self) -> None:
        _check_subscripts(self, self.memref, len(self.indices), "load")


class StoreOp(Operation):
    """Replace one element of a memref."""

    name = "memref.store"
    traits = (
        WriteEffect(),
        TypesMatchWith(
            "value", "memref", element_of, "type of 'value' matches element type of 'memref'"
        ),
    )
    assembly_format = "$value `,` $memref `[` $indices `]` attr-dict `:` type($memref)"
    value: Value = operand()
    memref: Value = operand(RANKED_MEMREF)
    indices: tuple[Value, ...] = variadic_operand(INDEX)
    nontemporal: IntegerAttr | None = optional_attr(BOOL_ATTR)
    alignment: IntegerAttr | None = optional_attr(ALIGNMENT)

    def verify_(self) -> None:
        _check_subscripts(self, self.memref, len(self.indices), "store")


def _check_subscripts(op: Operation, memref: Value, count: int, what: str) -> None:
    rank = memref.type.rank  # type: ignore[attr-defined]
    if count != rank:
        raise op.error(f"incorrect number of indices for {what}, expected {rank} but got {count}")


class CopyOp(Operation):
    """Copy all elements from one memref to another of the same shape."""

    name = "memref.copy"
    traits = (ReadEffect(), WriteEffect())
    assembly_format = "$source `,` $target attr-dict `:` type($source) `to` type($target)"
    source: Value = operand(ANY_MEMREF)
    target: Value = operand(ANY_MEMREF)

    def verify_(self) -> None:
        source: Any = self.source.type
        target: Any = self.target.type
        if source.element_type is not target.element_type:
            raise self.error("requires the same element type for all operands")
        if isinstance(source, t.MemRefType) and isinstance(target, t.MemRefType):
            rows = zip(source.shape, target.shape, strict=False)
            if source.rank != target.rank or any(
                a != b and t.DYNAMIC not in (a, b) for a, b in rows
            ):
                raise self.error("requires the same shape for all operands")


class DimOp(Operation):
    """An extent of a memref."""

    name = "memref.dim"
    traits = (NoMemoryEffect(),)
    assembly_format = "attr-dict $source `,` $index `:` type($source)"
    source: Value = operand(NON_0_RANKED_MEMREF)
    index: Value = operand(INDEX)
    result: OpResult = result(INDEX)
    result_name_hint = result_name("dim")


class RankOp(Operation):
    """Number of dimensions of a memref."""

    name = "memref.rank"
    traits = (Pure(),)
    assembly_format = "$memref attr-dict `:` type($memref)"
    memref: Value = operand(ANY_MEMREF)
    result: OpResult = result(INDEX)


class AssumeAlignmentOp(Operation):
    """The memref itself, with the promise that its address is a multiple of ``alignment`` bytes."""

    name = "memref.assume_alignment"
    traits = (Pure(), SameOperandsAndResultType())
    assembly_format = "$memref `,` $alignment attr-dict `:` type($memref)"
    memref: Value = operand(RANKED_MEMREF)
    alignment: IntegerAttr = attr(
        integer_attr(t.i32, "32-bit signless integer attribute whose value is positive", minimum=1)
    )
    result: OpResult = result(RANKED_MEMREF)
    result_name_hint = result_name("assume_align")

    def verify_(self) -> None:
        if self.alignment.value & (self.alignment.value - 1):
            raise self.error("alignment must be power of 2")


class GlobalOp(Operation):
    """A named memref of the module: declared, uninitialized or with a value."""

    name = "memref.global"
    traits = (Symbol(),)
    sym_name: StringAttr = attr(StringAttr)
    sym_visibility: StringAttr | None = optional_attr(StringAttr)
    type: t.MemRefType = attr(MEMREF_TYPE_ATTR)
    initial_value: Attribute | None = optional_attr()
    constant: UnitAttr | None = optional_attr(UnitAttr)
    alignment: IntegerAttr | None = optional_attr(ALIGNMENT)

    @property
    def is_external(self) -> bool:
        """Whether the value stands in another module."""
        return self.initial_value is None

    def verify_(self) -> None:
        if not self.type.has_static_shape:
            raise self.error(f"type should be static shaped memref, but got '{self.type}'")
        value = self.initial_value
        if value is None or isinstance(value, UnitAttr):
            return
        if not isinstance(value, DenseElementsAttr):
            raise self.error("initial value should be a unit or elements attribute")
        wanted = t.TensorType(self.type.shape, self.type.element_type)
        if value.type is not wanted:
            raise self.error(
                f"initial value expected to be of type '{wanted}', but was of type '{value.type}'"
            )


class GetGlobalOp(Operation):
    """The memref of a global."""

    name = "memref.get_global"
    traits = (Pure(),)
    assembly_format = "$symbol `:` type($result) attr-dict"
    symbol: SymbolRefAttr = attr(FLAT_SYMBOL, key="name")
    result: OpResult = result(STATIC_MEMREF)

    def verify_(self) -> None:
        from kt.ir.symbols import lookup

        if self.parent is None:
            return
        target = lookup(self, self.symbol)
        if not isinstance(target, GlobalOp):
            raise self.error(f"'{self.symbol.root}' does not reference a valid global memref")
        if target.type is not self.result.type:
            raise self.error(
                f"result type '{self.result.type}' does not match type '{target.type}' of the "
                f"global memref @{self.symbol.root}"
            )


class AtomicRMWOp(Operation):
    """Combine a value with an element of a memref atomically; the result is the old element."""

    name = "memref.atomic_rmw"
    traits = (
        ReadEffect(),
        WriteEffect(),
        AllTypesMatch(("value", "result")),
        TypesMatchWith("value", "memref", element_of, "value type matches element type of memref"),
    )
    assembly_format = (
        "$kind $value `,` $memref `[` $indices `]` attr-dict "
        "`:` `(` type($value) `,` type($memref) `)` `->` type($result)"
    )
    kind: IntegerAttr = attr(int_enum(ATOMIC_RMW_KINDS, "allowed 64-bit signless integer cases"))
    value: Value = operand(NUMBER)
    memref: Value = operand(RANKED_MEMREF)
    indices: tuple[Value, ...] = variadic_operand(INDEX)
    result: OpResult = result(NUMBER)

    @property
    def kind_name(self) -> str:
        """The combination as its keyword (``addf``)."""
        return ATOMIC_RMW_KINDS[self.kind.value]

    def verify_(self) -> None:
        rank = self.memref.type.rank  # type: ignore[attr-defined]
        if len(self.indices) != rank:
            raise self.error("expects the number of subscripts to be equal to memref rank")
        is_float = self.kind_name[-1] == "f"
        if self.kind_name != "assign" and is_float != t.is_float(self.value.type):
            kind = "a floating-point" if is_float else "an integer"
            raise self.error(f"with kind '{self.kind_name}' expects {kind} type")
