"""Contractions of ``linalg``; import them from :mod:`kt.ir.dialects.linalg`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from kt.ir import types as t
from kt.ir.affine.map import AffineMap
from kt.ir.attributes import ArrayAttr
from kt.ir.core import Value
from kt.ir.dialects.linalg_base import MAP_ARRAY, PARALLEL, REDUCTION, map_array
from kt.ir.dialects.linalg_elementwise import SegmentedNamedOp
from kt.ir.dialects.linalg_payload import PayloadBuilder, TypeFnAttr
from kt.ir.opdef import attr, optional_attr


def _maps(num_dims: int, *targets: Sequence[int]) -> tuple[AffineMap, ...]:
    return tuple(AffineMap.multi_dim(num_dims, dims) for dims in targets)


def factors(build: PayloadBuilder, inputs: list[Value], type: t.Type) -> tuple[Value, Value]:
    """Two inputs converted to ``type``, less their zero points where there are four inputs."""
    found = []
    for value, zero in zip(inputs[:2], inputs[2:] or (None, None), strict=True):
        value = build.cast(value, type)
        if zero is not None:
            value = build.binary("sub", value, build.cast(zero, type))
        found.append(value)
    return found[0], found[1]


class ContractionOp(SegmentedNamedOp):
    """Base: products of elements of two inputs, summed over the loops that the output lacks."""

    num_inputs = 2
    cast: TypeFnAttr | None = optional_attr(TypeFnAttr)
    default_maps: ClassVar[tuple[AffineMap, ...]] = ()

    @classmethod
    def payload(cls, build: PayloadBuilder, arguments: list[Value], variant: Any) -> Value:
        lhs, rhs, old = arguments
        unsigned = variant is not None and variant.value == "cast_unsigned"
        lhs, rhs = (build.cast(v, old.type, unsigned) for v in (lhs, rhs))
        return build.binary("add", old, build.binary("mul", lhs, rhs))

    def indexing_maps(self) -> list[AffineMap]:
        return list(self.default_maps)

    def iterator_types(self) -> list[str]:
        kept = self.indexing_maps()[-1]
        return [PARALLEL if d in kept.used_dims else REDUCTION for d in range(kept.num_dims)]


class MappedContractionOp(ContractionOp):
    """Base of contractions whose indexing maps may be given (transposed, broadcast)."""

    maps: ArrayAttr | None = optional_attr(MAP_ARRAY, key="indexing_maps")

    def add_implied_parts(self) -> None:
        self.properties.setdefault("indexing_maps", map_array(self.default_maps))
        super().add_implied_parts()

    def indexing_maps(self) -> list[AffineMap]:
        if self.maps is None:
            return list(self.default_maps)
        return [m.map for m in self.maps]  # type: ignore[attr-defined]

    @property
    def has_default_maps(self) -> bool:
        """Whether the maps are those of the plain product, so that text leaves them out."""
        return tuple(self.indexing_maps()) == self.default_maps


class MatmulOp(MappedContractionOp):
    """Matrix product, added to the output: ``C[m, n] += A[m, k] * B[k, n]``."""

    name = "linalg.matmul"
    default_maps = _maps(3, (0, 2), (2, 1), (0, 1))


class BatchMatmulOp(MappedContractionOp):
    """Matrix products of a batch: ``C[b, m, n] += A[b, m, k] * B[b, k, n]``."""

    name = "linalg.batch_matmul"
    default_maps = _maps(4, (0, 1, 3), (0, 3, 2), (0, 1, 2))


class BatchReduceMatmulOp(MappedContractionOp):
    """Sum of the matrix products of a batch: ``C[m, n] += A[b, m, k] * B[b, k, n]``."""

    name = "linalg.batch_reduce_matmul"
    default_maps = _maps(4, (0, 1, 3), (0, 3, 2), (1, 2))


class MatvecOp(ContractionOp):
    """Matrix times vector: ``y[m] += A[m, n] * x[n]``."""

    name = "linalg.matvec"
    default_maps = _maps(2, (0, 1), (1,), (0,))


class VecmatOp(ContractionOp):
    """Vector times matrix: ``y[n] += x[m] * A[m, n]``."""

    name = "linalg.vecmat"
    default_maps = _maps(2, (1,), (1, 0), (0,))


class BatchMatvecOp(ContractionOp):
    """Matrices times vectors: ``y[b, m] += A[b, m, k] * x[b, k]``."""

    name = "linalg.batch_matvec"
    default_maps = _maps(3, (0, 1, 2), (0, 2), (0, 1))


class BatchVecmatOp(ContractionOp):
    """Vectors times matrices: ``y[b, n] += x[b, k] * A[b, k, n]``."""

    name = "linalg.batch_vecmat"
    default_maps = _maps(3, (0, 2), (0, 2, 1), (0, 1))


class DotOp(ContractionOp):
    """Inner product: ``c[] += a[m] * b[m]``."""

    name = "linalg.dot"
    default_maps = _maps(1, (0,), (0,), ())


class Mmt4dOp(ContractionOp):
    """Product with a transposed matrix, both in tiles: ``C[m, n, i, j] += A[m, k, i, l] * B[n, k, j, l]``."""

    name = "linalg.mmt4d"
    default_maps = _maps(6, (0, 2, 3, 5), (1, 2, 4, 5), (0, 1, 3, 4))


class BatchMmt4dOp(ContractionOp):
    """``linalg.mmt4d`` for each matrix of a batch."""

    name = "linalg.batch_mmt4d"
    default_maps = _maps(7, (0, 1, 3, 4, 6), (0, 2, 3, 5, 6), (0, 1, 2, 4, 5))


class QuantizedContractionOp(ContractionOp):
    """Base of matrix products of numbers with zero points, which are the last two inputs."""

    num_inputs = 4

    @classmethod
    def payload(cls, build: PayloadBuilder, arguments: list[Value], variant: Any) -> Value:
        *inputs, old = arguments
        lhs, rhs = factors(build, inputs, old.type)
        return build.binary("add", old, build.binary("mul", lhs, rhs))


class QuantizedMatmulOp(QuantizedContractionOp):
    """``C[m, n] += (A[m, k] - a) * (B[k, n] - b)``."""

    name = "linalg.quantized_matmul"
    default_maps = _maps(3, (0, 2), (2, 1), (), (), (0, 1))


class QuantizedBatchMatmulOp(QuantizedContractionOp):
    """``C[i, m, n] += (A[i, m, k] - a) * (B[i, k, n] - b)``."""

    name = "linalg.quantized_batch_matmul"
    default_maps = _maps(4, (0, 1, 3), (0, 3, 2), (), (), (0, 1, 2))


class ContractOp(ContractionOp):
    """A contraction with any indexing maps."""

    name = "linalg.contract"
    maps: ArrayAttr = attr(MAP_ARRAY, key="indexing_maps")

    def indexing_maps(self) -> list[AffineMap]:
        return [m.map for m in self.maps]  # type: ignore[attr-defined]
