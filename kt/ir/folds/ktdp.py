"""Folds of `ktdp`: promises of runtime arguments are compile-time numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kt.ir import types as t
from kt.ir.attributes import Attribute, IntegerAttr
from kt.ir.dialects.ktdp import RuntimeArgExtractOp
from kt.ir.folding import folder


@folder(RuntimeArgExtractOp)
def fold_runtime_arg_extract(op: RuntimeArgExtractOp, constants: Sequence[Attribute | None]) -> Any:
    """Granularity and upper bound stand in the type."""
    return None if op.constant is None else IntegerAttr(op.constant, t.index)
