"""``linalg``: loop nests over tensors and memrefs, generic and by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from kt.ir import types as t
from kt.ir.affine.map import AffineMap
from kt.ir.attributes import ArrayAttr, DenseArrayAttr, IntegerAttr, StringAttr
from kt.ir.constraints import I64_ARRAY, INDEX, RANKED_SHAPED, array_of, integer_attr
from kt.ir.core import Block, BlockArgument, Operation, OpResult, Region, Value
from kt.ir.diagnostics import UNKNOWN
from kt.ir.dialects.common import result_name
from kt.ir.dialects.linalg_base import (
    MAP_ARRAY,
    PARALLEL,
    REDUCTION,
    STRUCTURED,
    STRUCTURED_SEGMENTS,
    IteratorTypeAttr,
    LinalgOp,
    NamedOp,
    infer_tensor_results,
    iterator_array,
    map_array,
)
from kt.ir.dialects.linalg_base import YieldOp as YieldOp
from kt.ir.dialects.linalg_contractions import (
    BatchMatmulOp as BatchMatmulOp,
)
from kt.ir.dialects.linalg_contractions import (
    BatchMatvecOp as BatchMatvecOp,
)
from kt.ir.dialects.linalg_contractions import (
    BatchReduceMatmulOp as BatchReduceMatmulOp,
)
from kt.ir.dialects.linalg_contractions import (
    BatchVecmatOp as BatchVecmatOp,
)
from kt.ir.dialects.linalg_contractions import (
    ContractionOp as ContractionOp,
)
from kt.ir.dialects.linalg_contractions import (
    ContractOp as ContractOp,
)
from kt.ir.dialects.linalg_contractions import (
    DotOp as DotOp,
)
from kt.ir.dialects.linalg_contractions import (
    MappedContractionOp as MappedContractionOp,
)
from kt.ir.dialects.linalg_contractions import (
    MatmulOp as MatmulOp,
)
from kt.ir.dialects.linalg_contractions import (
    MatvecOp as MatvecOp,
)
from kt.ir.dialects.linalg_contractions import (
    VecmatOp as VecmatOp,
)
from kt.ir.dialects.linalg_elementwise import (
    AbsOp as AbsOp,
)
from kt.ir.dialects.linalg_elementwise import (
    AddOp as AddOp,
)
from kt.ir.dialects.linalg_elementwise import (
    CeilOp as CeilOp,
)
from kt.ir.dialects.linalg_elementwise import (
    CopyOp as CopyOp,
)
from kt.ir.dialects.linalg_elementwise import (
    DivOp as DivOp,
)
from kt.ir.dialects.linalg_elementwise import (
    DivUnsignedOp as DivUnsignedOp,
)
from kt.ir.dialects.linalg_elementwise import (
    ElementwiseKindAttr as ElementwiseKindAttr,
)
from kt.ir.dialects.linalg_elementwise import (
    ElementwiseNamedOp as ElementwiseNamedOp,
)
from kt.ir.dialects.linalg_elementwise import (
    ElementwiseOp as ElementwiseOp,
)
from kt.ir.dialects.linalg_elementwise import (
    ErfOp as ErfOp,
)
from kt.ir.dialects.linalg_elementwise import (
    ExpOp as ExpOp,
)
from kt.ir.dialects.linalg_elementwise import (
    FillOp as FillOp,
)
from kt.ir.dialects.linalg_elementwise import (
    FloorOp as FloorOp,
)
from kt.ir.dialects.linalg_elementwise import (
    LogOp as LogOp,
)
from kt.ir.dialects.linalg_elementwise import (
    MaxOp as MaxOp,
)
from kt.ir.dialects.linalg_elementwise import (
    MinOp as MinOp,
)
from kt.ir.dialects.linalg_elementwise import (
    MulOp as MulOp,
)
from kt.ir.dialects.linalg_elementwise import (
    NegFOp as NegFOp,
)
from kt.ir.dialects.linalg_elementwise import (
    PowFOp as PowFOp,
)
from kt.ir.dialects.linalg_elementwise import (
    ReciprocalOp as ReciprocalOp,
)
from kt.ir.dialects.linalg_elementwise import (
    RoundOp as RoundOp,
)
from kt.ir.dialects.linalg_elementwise import (
    RsqrtOp as RsqrtOp,
)
from kt.ir.dialects.linalg_elementwise import (
    SelectOp as SelectOp,
)
from kt.ir.dialects.linalg_elementwise import (
    SqrtOp as SqrtOp,
)
from kt.ir.dialects.linalg_elementwise import (
    SquareOp as SquareOp,
)
from kt.ir.dialects.linalg_elementwise import (
    SubOp as SubOp,
)
from kt.ir.dialects.linalg_elementwise import (
    TanhOp as TanhOp,
)
from kt.ir.dialects.linalg_pack import PackOp as PackOp
from kt.ir.dialects.linalg_pack import SoftmaxOp as SoftmaxOp
from kt.ir.dialects.linalg_pack import UnPackOp as UnPackOp
from kt.ir.dialects.linalg_payload import TypeFnAttr as TypeFnAttr
from kt.ir.dialects.linalg_windows import WindowOp as WindowOp
from kt.ir.opdef import (
    attr,
    operand,
    optional_attr,
    region,
    result,
    variadic_operand,
    variadic_result,
)
from kt.ir.traits import Pure, SameVariadicOperandSize

ITERATOR_ARRAY = array_of(IteratorTypeAttr, "Iterator type should be an enum.")


class GenericOp(LinalgOp):
    """A loop nest given by indexing maps, iterator types and a body."""

    name = "linalg.generic"
    traits = STRUCTURED_SEGMENTS
    inputs: tuple[Value, ...] = variadic_operand()
    outputs: tuple[Value, ...] = variadic_operand(RANKED_SHAPED)
    maps: ArrayAttr = attr(MAP_ARRAY, key="indexing_maps")
    iterators: ArrayAttr = attr(ITERATOR_ARRAY, key="iterator_types")
    doc: StringAttr | None = optional_attr(StringAttr)
    library_call: StringAttr | None = optional_attr(StringAttr)
    result_tensors: tuple[OpResult, ...] = variadic_result()
    region: Any = region(single_block=True)
    infer_types = staticmethod(infer_tensor_results)

    @classmethod
    def of(
        cls,
        inputs: Sequence[Value],
        outputs: Sequence[Value],
        maps: Sequence[AffineMap],
        iterators: Sequence[str],
        body: Callable[[Block, list[BlockArgument]], Sequence[Value]] | None = None,
        **named: Any,
    ) -> GenericOp:
        """A generic op; ``body(block, arguments)`` appends ops and returns the values to yield.

        Without ``body`` the block has its arguments and no ops.
        """
        block = Block([t.element_type_of(v.type) for v in (*inputs, *outputs)])
        if body is not None:
            values = body(block, list(block.arguments))
            block.append(YieldOp.build(values, location=named.get("location", UNKNOWN)))
        return cls.build(
            inputs,
            outputs,
            maps=map_array(maps),
            iterators=iterator_array(iterators),
            regions=[Region([block])],
            **named,
        )

    def indexing_maps(self) -> list[AffineMap]:
        return [m.map for m in self.maps]  # type: ignore[attr-defined]

    def iterator_types(self) -> list[str]:
        # Not yet verified when linalg.index asks for the loops around it.
        return [getattr(k, "value", "") for k in self.iterators]


class IndexOp(Operation):
    """The current index of a loop of the op around it."""

    name = "linalg.index"
    traits = (Pure(),)
    assembly_format = "$dim attr-dict `:` type($result)"
    dim: IntegerAttr = attr(
        integer_attr(t.i64, "64-bit signless integer attribute whose minimum value is 0", minimum=0)
    )
    result: OpResult = result(INDEX)

    def verify_(self) -> None:
        around = self.parent_op
        if not isinstance(around, LinalgOp):
            raise self.error("expected parent op with LinalgOp interface")
        if self.dim.value >= around.num_loops:
            raise self.error(
                f"expected dim ({self.dim.value}) to be lower than the number of loops "
                f"({around.num_loops}) of the enclosing LinalgOp"
            )


class MapOp(LinalgOp):
    """One element of the output from the elements of all inputs at the same subscripts."""

    name = "linalg.map"
    traits = STRUCTURED
    inputs: tuple[Value, ...] = variadic_operand(RANKED_SHAPED)
    init: Value = operand(RANKED_SHAPED)
    outcome: tuple[OpResult, ...] = variadic_result()
    mapper: Region = region(single_block=True)
    result_name_hint = result_name("mapped")
    infer_types = staticmethod(infer_tensor_results)

    @property
    def outputs(self) -> tuple[Value, ...]:
        return (self.init,)

    def indexing_maps(self) -> list[AffineMap]:
        return [AffineMap.identity(_rank(self.init))] * (len(self.inputs) + 1)

    def iterator_types(self) -> list[str]:
        return [PARALLEL] * _rank(self.init)

    def block_argument_hints(self, region: int) -> Sequence[str | None]:
        return ["in"] * len(self.inputs) + ["init"]


class ReduceOp(LinalgOp):
    """Fold the inputs along dimensions with a combiner, starting from the inits."""

    name = "linalg.reduce"
    traits = (*STRUCTURED, SameVariadicOperandSize())
    inputs: tuple[Value, ...] = variadic_operand(RANKED_SHAPED)
    inits: tuple[Value, ...] = variadic_operand(RANKED_SHAPED)
    dimensions: DenseArrayAttr = attr(I64_ARRAY)
    outcome: tuple[OpResult, ...] = variadic_result()
    combiner: Region = region(single_block=True)
    result_name_hint = result_name("reduced")
    infer_types = staticmethod(infer_tensor_results)

    @property
    def outputs(self) -> tuple[Value, ...]:
        return self.inits

    def indexing_maps(self) -> list[AffineMap]:
        rank = _rank(self.inputs[0])
        dropped = self.dimensions.values
        kept = AffineMap.multi_dim(rank, [d for d in range(rank) if d not in dropped])
        return [AffineMap.identity(rank)] * len(self.inputs) + [kept] * len(self.inits)

    def iterator_types(self) -> list[str]:
        dropped = self.dimensions.values
        return [REDUCTION if d in dropped else PARALLEL for d in range(_rank(self.inputs[0]))]

    def block_argument_hints(self, region: int) -> Sequence[str | None]:
        return ["in"] * len(self.inputs) + ["init"] * len(self.inits)

    def verify_(self) -> None:
        dims = self.dimensions.values
        if list(dims) != sorted(set(dims)):
            raise self.error(
                "attribute 'dimensions' failed to satisfy constraint: i64 dense array attribute "
                "should be in increasing order"
            )
        if not self.inputs or len(self.inputs) != len(self.inits):
            raise self.error("expected as many inits as inputs, and at least one")
        for what, values in (("input", self.inputs), ("init", self.inits)):
            for i, value in enumerate(values):
                if value.type.shape != values[0].type.shape:  # type: ignore[attr-defined]
                    raise self.error(
                        f"expects all {what}s to have the same shapes. Shape at {what}-index {i} "
                        f"is not equal to the shape at {what}-index 0"
                    )
        rank = _rank(self.inputs[0])
        for d in dims:
            if not 0 <= d < rank:
                raise self.error(
                    f"dimensions for reduction should be in the range [0, {rank - 1}], got {d}"
                )
        if rank - len(dims) != _rank(self.inits[0]):
            raise self.error(
                f"number of dimensions after reduction {rank - len(dims)} doesn't match the init "
                f"rank {_rank(self.inits[0])}"
            )
        shape = self.inputs[0].type.shape  # type: ignore[attr-defined]
        kept = [n for i, n in enumerate(shape) if i not in dims]
        found = list(self.inits[0].type.shape)  # type: ignore[attr-defined]
        if not compatible(kept, found):
            raise self.error(
                f"init dimensions [{', '.join(map(str, found))}] doesn't match input dimensions "
                f"after reduction [{', '.join(map(str, kept))}]"
            )
        super().verify_()


class _Relayout(NamedOp):
    """Base of transpose and broadcast: elements moved, not changed."""

    traits = STRUCTURED
    input: Value = operand(RANKED_SHAPED)
    init: Value = operand(RANKED_SHAPED)
    outcome: tuple[OpResult, ...] = variadic_result()
    region: Any = region(single_block=True)
    infer_types = staticmethod(infer_tensor_results)

    @property
    def inputs(self) -> tuple[Value, ...]:
        return (self.input,)

    @property
    def outputs(self) -> tuple[Value, ...]:
        return (self.init,)

    def iterator_types(self) -> list[str]:
        return [PARALLEL] * _rank(self.init)


class TransposeOp(_Relayout):
    """Dimension i of the result is dimension ``permutation[i]`` of the input."""

    name = "linalg.transpose"
    permutation: DenseArrayAttr = attr(I64_ARRAY)
    result_name_hint = result_name("transposed")

    def indexing_maps(self) -> list[AffineMap]:
        order = self.permutation.values
        inverse = [order.index(d) for d in range(len(order))]
        return [AffineMap.permutation(inverse), AffineMap.identity(len(order))]

    def verify_(self) -> None:
        order, rank = self.permutation.values, _rank(self.input)
        if sorted(order) != list(range(len(order))):
            raise self.error("permutation is not valid")
        if rank != _rank(self.init):
            raise self.error(f"input rank {rank} does not match init rank {_rank(self.init)}")
        if rank != len(order):
            raise self.error(
                f"size of permutation {len(order)} does not match the argument rank {rank}"
            )
        source: Any = self.input.type
        made: Any = self.init.type
        for i, d in enumerate(order):
            if not compatible([made.shape[i]], [source.shape[d]]):
                raise self.error(
                    f"dim(result, {i}) = {made.shape[i]} doesn't match dim(input, "
                    f"permutation[{i}]) = {source.shape[d]}"
                )
        super().verify_()


class BroadcastOp(_Relayout):
    """The input repeated along ``dimensions``, which are those of the result that it lacks."""

    name = "linalg.broadcast"
    dimensions: DenseArrayAttr = attr(I64_ARRAY)
    result_name_hint = result_name("broadcasted")

    def indexing_maps(self) -> list[AffineMap]:
        rank, added = _rank(self.init), self.dimensions.values
        kept = [d for d in range(rank) if d not in added]
        return [AffineMap.multi_dim(rank, kept), AffineMap.identity(rank)]

    def verify_(self) -> None:
        added, rank, source = self.dimensions.values, _rank(self.init), _rank(self.input)
        if len(set(added)) != len(added):
            raise self.error("dimensions should be unique")
        if source + len(added) != rank:
            raise self.error(
                "input rank plus added dimensions does not match init rank. "
                f"input rank: {source}, dimensions size: {len(added)}, init rank: {rank}"
            )
        for i, d in enumerate(added):
            if not 0 <= d < rank:
                raise self.error(
                    f"dimension {i} is out of range. expected range: [0, {rank - 1}], got: {d}"
                )
        shape = self.input.type.shape  # type: ignore[attr-defined]
        wide = self.init.type.shape  # type: ignore[attr-defined]
        for i, d in enumerate(d for d in range(rank) if d not in added):
            if not compatible([shape[i]], [wide[d]]):
                raise self.error(
                    f"input dim {i} should match init dim {d}. input: {shape[i]}, init: {wide[d]}"
                )
        super().verify_()


def compatible(left: Sequence[int], right: Sequence[int]) -> bool:
    """Whether two shapes of one rank may be equal (dynamic extents fit all)."""
    return all(a == b or t.DYNAMIC in (a, b) for a, b in zip(left, right, strict=True))


def _rank(value: Value) -> int:
    return len(value.type.shape)  # type: ignore[attr-defined]
