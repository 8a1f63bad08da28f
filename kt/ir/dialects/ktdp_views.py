"""`ktdp` ops that say where data lies: tile id, memory views, runtime arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kt.ir import types as t
from kt.ir.attributes import (
    AffineSetAttr,
    DenseArrayAttr,
    StridedLayoutAttr,
)
from kt.ir.constraints import (
    ANY_TYPE,
    I64_ARRAY,
    INDEX,
    RANKED_MEMREF,
    int_enum,
)
from kt.ir.core import Operation, OpResult, Value
from kt.ir.dialects.ktdp_types import RUNTIME_ARG, MemorySpaceAttr, RuntimeArgType
from kt.ir.opdef import attr, operand, result, variadic_operand, variadic_result
from kt.ir.traits import (
    AttrSizedOperands,
    Pure,
)

if TYPE_CHECKING:
    from kt.ir.affine import AffineSet


def mixed(static: DenseArrayAttr, dynamic: Sequence[Value]) -> tuple[int | Value, ...]:
    """The static numbers with the operands in place of the DYNAMIC entries."""
    rest = iter(dynamic)
    return tuple(next(rest) if n == t.DYNAMIC else n for n in static)


def count_dynamic(static: DenseArrayAttr) -> int:
    """Number of entries that are given by operands."""
    return sum(n == t.DYNAMIC for n in static)


class GetComputeTileIdOp(Operation):
    """Coordinates of the executing compute tile, one result per dimension of the grid."""

    name = "ktdp.get_compute_tile_id"
    traits = (Pure(),)
    assembly_format = "attr-dict `:` type($coordinates)"
    coordinates: tuple[OpResult, ...] = variadic_result(INDEX)

    def verify_(self) -> None:
        if not self.results:
            raise self.error("must return at least one index (num tile-grid dims >= 1)")


class ConstructMemoryViewOp(Operation):
    """A strided view of memory: base address, sizes and strides in elements.

    Local coordinate ``x`` is the element ``offset + sum(x[i] * strides[i])`` of the memory space.
    ``coordinate_set`` says which coordinates of a larger tensor the view holds; its symbols stand
    for the dynamic sizes, left to right.
    """

    name = "ktdp.construct_memory_view"
    traits = (Pure(), AttrSizedOperands())
    offset: Value = operand(INDEX)
    sizes: tuple[Value, ...] = variadic_operand(INDEX)
    strides: tuple[Value, ...] = variadic_operand(INDEX)
    static_sizes: DenseArrayAttr = attr(I64_ARRAY)
    static_strides: DenseArrayAttr = attr(I64_ARRAY)
    memory_space: MemorySpaceAttr = attr(MemorySpaceAttr)
    coordinate_set: AffineSetAttr = attr(AffineSetAttr)
    view: OpResult = result(RANKED_MEMREF)

    @property
    def type(self) -> t.MemRefType:
        return self.view.type  # type: ignore[return-value]

    @property
    def mixed_sizes(self) -> tuple[int | Value, ...]:
        """Extents, a Value where one is known only at run time."""
        return mixed(self.static_sizes, self.sizes)

    @property
    def mixed_strides(self) -> tuple[int | Value, ...]:
        """Strides in elements, a Value where one is known only at run time."""
        return mixed(self.static_strides, self.strides)

    @property
    def coordinates(self) -> AffineSet:
        return self.coordinate_set.set

    @property
    def symbols(self) -> tuple[Value, ...]:
        """Values that the symbols of ``coordinate_set`` stand for."""
        return self.sizes[: self.coordinates.num_symbols]

    @property
    def origin(self) -> tuple[int, ...] | None:
        """Smallest coordinate per axis when it doesn't depend on symbols; None if unknown."""
        box = self.coordinates.as_symbolic_box()
        if box is None:
            whole = None if self.coordinates.num_symbols else self.coordinates.bounding_box()
            return None if whole is None else tuple(lo for lo, _ in whole)
        lows = tuple(getattr(lo, "value", None) for lo in box[0])
        return None if None in lows else lows  # type: ignore[return-value]

    def verify_(self) -> None:
        if len(self.static_sizes) != len(self.static_strides):
            raise self.error("static_sizes and static_strides must have equal length")
        for word, static, dynamic in (
            ("size", self.static_sizes, self.sizes),
            ("stride", self.static_strides, self.strides),
        ):
            if count_dynamic(static) != len(dynamic):
                raise self.error(
                    f"number of dynamic {word} operands does not match kDynamic entries in "
                    f"static_{word}s"
                )
        if self.type.rank != len(self.static_sizes):
            raise self.error("result memref rank does not match sizes/strides length")
        self._verify_agreement()

    def _verify_agreement(self) -> None:
        """What upstream lets through: parts of the op that contradict each other."""
        type, coordinates = self.type, self.coordinates
        for i, (size, extent) in enumerate(zip(self.static_sizes, type.shape, strict=True)):
            if size == t.DYNAMIC:
                continue
            if size < 0:
                raise self.error(f"size #{i} is negative: {size}", code="strict")
            if extent not in (t.DYNAMIC, size):
                raise self.error(
                    f"size #{i} is {size} but extent #{i} of the result memref is {extent}",
                    code="strict",
                )
        space = type.memory_space
        if isinstance(space, MemorySpaceAttr) and space is not self.memory_space:
            raise self.error(
                f"memory space of the view ({self.memory_space}) differs from that of the result "
                f"memref ({space})",
                code="strict",
            )
        if isinstance(type.layout, StridedLayoutAttr):
            for i, (a, b) in enumerate(zip(self.static_strides, type.layout.strides, strict=True)):
                if t.DYNAMIC not in (a, b) and a != b:
                    raise self.error(
                        f"stride #{i} is {a} but stride #{i} of the result memref is {b}",
                        code="strict",
                    )
        if coordinates.num_dims != type.rank:
            raise self.error(
                f"coordinate_set dimensions ({coordinates.num_dims}) must match the rank of the "
                f"view ({type.rank})",
                code="strict",
            )
        if coordinates.num_symbols > len(self.sizes):
            raise self.error(
                f"coordinate_set has {coordinates.num_symbols} symbols but the view has "
                f"{len(self.sizes)} dynamic sizes",
                code="strict",
            )
        box = None if coordinates.num_symbols else coordinates.as_box()
        for i, (lo, hi) in enumerate(box or ()):
            size = self.static_sizes.values[i]
            if size != t.DYNAMIC and hi - lo > size:
                raise self.error(
                    f"coordinate_set spans {hi - lo} coordinates along dimension {i} but the view "
                    f"has {size}",
                    code="strict",
                )


class ConstructDistributedMemoryViewOp(Operation):
    """Several views as one memref, indexed with global coordinates.

    Coordinate ``g`` belongs to the partition whose ``coordinate_set`` contains it; the local
    coordinate there is ``g`` minus the smallest coordinate of that set.
    """

    name = "ktdp.construct_distributed_memory_view"
    traits = (Pure(),)
    assembly_format = "`(` ($partitions^ `:` type($partitions))? `)` attr-dict `:` type($view)"
    partitions: tuple[Value, ...] = variadic_operand(RANKED_MEMREF)
    view: OpResult = result(RANKED_MEMREF)

    @property
    def type(self) -> t.MemRefType:
        return self.view.type  # type: ignore[return-value]

    def verify_(self) -> None:
        types: list[t.MemRefType] = [v.type for v in self.partitions]  # type: ignore[misc]
        if any(part.element_type is not self.type.element_type for part in types):
            raise self.error("all input memrefs must have the same element type as the result")
        if any(part.rank != self.type.rank for part in types):
            raise self.error("all input memrefs must have the same rank as the result")
        for axis, extent in enumerate(self.type.shape):
            for i, part in enumerate(types):
                if t.DYNAMIC not in (extent, part.shape[axis]) and part.shape[axis] > extent:
                    raise self.error(
                        f"partition #{i} has {part.shape[axis]} coordinates along dimension {axis} "
                        f"but the result has {extent}",
                        code="strict",
                    )


class RuntimeArgExtractOp(Operation):
    """The value of a runtime argument, or one of its promises (a compile-time constant)."""

    name = "ktdp.runtime_arg_extract"
    traits = (Pure(),)
    assembly_format = "$kind `from` $argument `:` type($argument) attr-dict `->` type($extracted)"
    kind: Any = attr(
        int_enum(("value", "granularity", "upperbound"), "runtime argument kind", t.i32)
    )
    argument: Value = operand(RUNTIME_ARG)
    extracted: OpResult = result(ANY_TYPE)

    @property
    def what(self) -> str:
        """``value``, ``granularity`` or ``upperbound``."""
        return ("value", "granularity", "upperbound")[self.kind.value]

    @property
    def constant(self) -> int | None:
        """The promised number; None when the host's value is extracted."""
        return None if self.what == "value" else getattr(self.argument.type, self.what)

    def verify_(self) -> None:
        type: RuntimeArgType = self.argument.type  # type: ignore[assignment]
        got = self.extracted.type
        if self.what == "value":
            if got is not type.type:
                raise self.error(
                    f"result type ('{got}') must match runtime_arg underlying type "
                    f"('{type.type}') when extracting value"
                )
            return
        if self.constant is None:
            raise self.error(f"cannot extract {self.what} from runtime_arg that doesn't have one")
        if not isinstance(got, t.IndexType):
            raise self.error(
                f"result type must be index when extracting {self.what}, but got '{got}'"
            )
