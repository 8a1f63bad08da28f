"""Folds of `ktdf`: numbers that constants decide."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kt.ir import types as t
from kt.ir.attributes import Attribute, IntegerAttr
from kt.ir.dialects.ktdf import BufferPhaseOp, DeriveSizeOp, SelectMemrefOp
from kt.ir.folding import CHANGED, folder, int_of

Consts = Sequence[Attribute | None]


@folder(DeriveSizeOp)
def fold_derive_size(op: DeriveSizeOp, constants: Consts) -> Any:
    """In the first tile: ``min(tile size, total)``. Other tiles are left alone."""
    if len(op.ivs) != 1:
        return None
    iv, tile, total = map(int_of, constants)
    if iv != 0 or tile is None or total is None:
        return None
    return IntegerAttr(min(tile, total), t.index)


@folder(BufferPhaseOp)
def fold_buffer_phase(op: BufferPhaseOp, constants: Consts) -> Any:
    """A constant variable's loop has one trip: it doesn't count; without any other, phase 0."""
    kept = tuple(v for v, constant in zip(op.ivs, constants, strict=True) if constant is None)
    if not kept:
        return IntegerAttr(0, t.index)
    if len(kept) == len(op.ivs):
        return None
    op.operands = kept
    return CHANGED


@folder(SelectMemrefOp)
def fold_select_memref(op: SelectMemrefOp, constants: Consts) -> Any:
    """A known phase within range picks its candidate."""
    phase = int_of(constants[0])
    if phase is None or not 0 <= phase < len(op.candidates):
        return None
    return op.candidates[phase]
