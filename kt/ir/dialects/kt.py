"""The `kt` dialect: what this compiler needs beyond the public dialects."""

from __future__ import annotations

import math

from kt.ir import types as t
from kt.ir.attributes import ArrayAttr, DenseArrayAttr, IntegerAttr
from kt.ir.constraints import FLOAT_LIKE, I64_ARRAY, INDEX, RANKED_MEMREF, TypeConstraint
from kt.ir.core import Operation, OpResult, Value
from kt.ir.opdef import attr, operand, result, variadic_operand
from kt.ir.traits import (
    AllocEffect,
    Elementwise,
    Pure,
    SameOperandsAndResultShape,
    SameOperandsAndResultType,
)


class BufferOp(Operation):
    """A buffer with a type and a shape, but no address; its memory is undecided.

    One operand per ``?`` of the result type, which has no memory space. The buffer's contents are
    undefined until they are written.
    """

    name = "kt.buffer"
    traits = (AllocEffect(),)
    assembly_format = "`(` $dynamic_sizes `)` attr-dict `:` type($buffer)"
    dynamic_sizes: tuple[Value, ...] = variadic_operand(INDEX)
    buffer: OpResult = result(RANKED_MEMREF)

    @property
    def type(self) -> t.MemRefType:
        return self.buffer.type  # type: ignore[return-value]

    @property
    def mixed_sizes(self) -> tuple[int | Value, ...]:
        """Extents, a Value where one is known only at run time."""
        rest = iter(self.dynamic_sizes)
        return tuple(next(rest) if n == t.DYNAMIC else n for n in self.type.shape)

    def verify_(self) -> None:
        dynamic = sum(n == t.DYNAMIC for n in self.type.shape)
        if dynamic != len(self.dynamic_sizes):
            raise self.error(
                f"dimension operand count ({len(self.dynamic_sizes)}) does not equal memref dynamic "
                f"dimension count ({dynamic})"
            )
        if self.type.memory_space is not None:
            raise self.error(
                f"the memory of a buffer is undecided, but its type names {self.type.memory_space}",
                hint="use memref.alloc for a buffer in a named memory",
            )
        if self.type.layout is not None:
            raise self.error("a buffer is dense and row-major; its type must have no layout")


class BarrierOp(Operation):
    """All compute tiles have done what stands in front of it before one does what stands behind it.

    It belongs to the host's part of a kernel: programs are launched on all tiles, one after the other.
    """

    name = "kt.barrier"
    assembly_format = "attr-dict"


class PeerViewOp(Operation):
    """A view or buffer in the scratchpad of another compute tile: of ``peers[n]``, on tile ``n``.

    It is the same place in that scratchpad as ``source`` is in the tile's own one. Nothing moves, and
    nobody waits: the tiles have to agree on an order themselves (``kt.barrier``).
    """

    name = "kt.peer_view"
    traits = (Pure(), SameOperandsAndResultType())
    assembly_format = "$source `peers` $peers attr-dict `:` type($source)"
    source: Value = operand(RANKED_MEMREF)
    peers: DenseArrayAttr = attr(I64_ARRAY)
    view: OpResult = result(RANKED_MEMREF)

    @property
    def type(self) -> t.MemRefType:
        return self.view.type  # type: ignore[return-value]

    def verify_(self) -> None:
        tiles = len(self.peers.values)
        for peer in self.peers.values:
            if not 0 <= peer < tiles:
                raise self.error(f"names tile {peer}, but it has a peer for {tiles} tiles, 0 to {tiles - 1}")
        function = next((op for op in self.ancestors() if op.name == "func.func"), None)
        grid = function.attr("grid") if function is not None else None
        if isinstance(grid, ArrayAttr):
            sizes = [n.value for n in grid if isinstance(n, IntegerAttr)]
            if math.prod(sizes) != tiles:
                raise self.error(
                    f"has a peer for {tiles} tiles, but the grid has {math.prod(sizes)}",
                    hint="give one number for each tile of the grid",
                )
        made = self.source.defining_op
        is_view = made is not None and made.name == "ktdp.construct_memory_view"
        space = made.memory_space if is_view else None  # type: ignore[union-attr]
        if space is not None and (space.is_global or space.tile is not None):
            raise self.error(
                f"the source is a view of {space}, not of the tile's own scratchpad",
                hint="take the view without ct_id in #ktdp.memory_space<ct_local>",
            )


class ConvertOp(Operation):
    """Conversion between float types, rounded once; element by element on vectors and tensors."""

    name = "kt.convert"
    traits = (Pure(), Elementwise(), SameOperandsAndResultShape())
    assembly_format = "$input attr-dict `:` type($input) `to` type($converted)"
    input: Value = operand(FLOAT_LIKE)
    converted: OpResult = result(FLOAT_LIKE)


SCALAR = TypeConstraint(
    "integer, index or floating-point",
    lambda type: isinstance(type, (t.IntegerType, t.IndexType, t.FloatType)),
)
NUMERIC_VECTOR = TypeConstraint(
    "vector of integer, index or floating-point values",
    lambda type: isinstance(type, t.VectorType) and SCALAR.holds(type.element_type),
)


class SplatOp(Operation):
    """One scalar in every lane of a vector."""

    name = "kt.splat"
    traits = (Pure(),)
    assembly_format = "$scalar attr-dict `:` type($scalar) `->` type($vector)"
    scalar: Value = operand(SCALAR)
    vector: OpResult = result(NUMERIC_VECTOR)

    def verify_(self) -> None:
        element = self.vector.type.element_type  # type: ignore[attr-defined]
        if element is not self.scalar.type:
            raise self.error(
                f"element type of the vector ('{element}') must be the scalar's "
                f"('{self.scalar.type}')"
            )
