"""`ktdf` placeholders for numbers that are chosen late: tile sizes, buffer phases."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from kt.ir import types as t
from kt.ir.attributes import Attribute, IntegerAttr
from kt.ir.constraints import INDEX, INDEX_ATTR, RANKED_MEMREF, integer_attr
from kt.ir.core import Operation, OpResult, Value
from kt.ir.dialects.ktdf_types import TOKEN
from kt.ir.opdef import attr, operand, optional_attr, result, variadic_operand
from kt.ir.traits import DistinctIdentity, Pure, SameVariadicOperandSize


class CreateTokenOp(Operation):
    """A fresh token: the event that a stage of this execution of the pipeline is done.

    Only generic text has ``unique_id``, which keeps equal tokens apart.
    """

    name = "ktdf.create_token"
    traits = (Pure(), DistinctIdentity("unique_id"))
    unique_id: IntegerAttr | None = optional_attr(INDEX_ATTR)
    token: OpResult = result(TOKEN)


class ReserveSizeOp(Operation):
    """A tile size that tile-size selection chooses: at least ``min_value``, a multiple of ``divisibility``."""

    name = "ktdf.tiling.reserve_size"
    traits = (Pure(), DistinctIdentity("unique_id"))
    divisibility: IntegerAttr = attr(INDEX_ATTR)
    min_value: IntegerAttr = attr(INDEX_ATTR)
    unique_id: IntegerAttr | None = optional_attr(INDEX_ATTR)
    size: OpResult = result(INDEX)


class DeriveSizeOp(Operation):
    """Trip count of the loop nested in tile loops: what is left of ``total``, at most a tile.

    ``rem = total``, then per pair, outermost first: ``rem = clamp(rem - iv * tile_size, 0, tile_size)``.
    """

    name = "ktdf.tiling.derive_size"
    traits = (Pure(), SameVariadicOperandSize())
    ivs: tuple[Value, ...] = variadic_operand(INDEX)
    tile_sizes: tuple[Value, ...] = variadic_operand(INDEX)
    total_size: Value = operand(INDEX)
    size: OpResult = result(INDEX)

    @property
    def pairs(self) -> tuple[tuple[Value, Value], ...]:
        """(induction variable, tile size), outermost first."""
        return tuple(zip(self.ivs, self.tile_sizes, strict=True))

    def verify_(self) -> None:
        if not self.ivs:
            raise self.error("must have at least one [iv : tile_size] pair")


class LinearizeIndexOp(Operation):
    """``sum(iv * stride)`` over the pairs, outermost first; the last one is the point loop."""

    name = "ktdf.tiling.linearize_index"
    traits = (Pure(), SameVariadicOperandSize())
    ivs: tuple[Value, ...] = variadic_operand(INDEX)
    strides: tuple[Value, ...] = variadic_operand(INDEX)
    index: OpResult = result(INDEX)

    @property
    def pairs(self) -> tuple[tuple[Value, Value], ...]:
        """(induction variable, stride), outermost first."""
        return tuple(zip(self.ivs, self.strides, strict=True))

    def verify_(self) -> None:
        if not self.ivs:
            raise self.error("must have at least one [iv : stride] pair")


class BufferPhaseOp(Operation):
    """Number of the iteration of a loop nest, from 0, last variable fastest, modulo ``num_phases``."""

    name = "ktdf.buffer_phase"
    traits = (Pure(),)
    assembly_format = "`(` $ivs `)` attr-dict `:` type($phase)"
    ivs: tuple[Value, ...] = variadic_operand(INDEX)
    num_phases: IntegerAttr = attr(
        integer_attr(t.i64, "64-bit signless integer attribute whose minimum value is 2", 2)
    )
    phase: OpResult = result(INDEX)

    def verify_(self) -> None:
        if not self.ivs:
            raise self.error("requires at least one induction variable operand")


class SelectMemrefOp(Operation):
    """Candidate number ``phase``: which buffer of a rotating set this iteration uses."""

    name = "ktdf.select_memref"
    traits = (Pure(),)
    phase: Value = operand(INDEX)
    candidates: tuple[Value, ...] = variadic_operand(RANKED_MEMREF)
    selected: OpResult = result(RANKED_MEMREF)

    @staticmethod
    def infer_types(
        phase: Any, candidates: Sequence[Value], properties: dict[str, Attribute]
    ) -> Iterable[t.Type]:
        return [candidates[0].type] if candidates else []

    def verify_(self) -> None:
        count = len(self.candidates)
        if count < 2:
            raise self.error(f"requires at least 2 candidate memrefs, got {count}")
        for i, candidate in enumerate(self.candidates):
            if candidate.type is not self.selected.type:
                raise self.error(
                    f"candidate #{i} has type '{candidate.type}' but the result has "
                    f"'{self.selected.type}'"
                )
        phase = self.phase.defining_op
        if isinstance(phase, BufferPhaseOp) and phase.num_phases.value != count:
            raise self.error(
                f"phase op num_phases ({phase.num_phases.value}) must equal candidate count "
                f"({count})"
            )
