"""Native functions that PDL patterns of a device may name, so that a wrong name is found at load time.

The functions themselves are registered by the pass that applies patterns; here stand their names,
how many arguments they take and how many values they return.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from kt.ir.diagnostics import DeviceError
from kt.ir.dialects.pdl import ApplyNativeConstraintOp, ApplyNativeRewriteOp, PatternOp


@frozen
class Native:
    """Signature of a native: permitted numbers of arguments, number of results."""

    arguments: tuple[int, ...]
    results: int


CONSTRAINTS: dict[str, Native] = {
    "ktdf_arch.mapped_to": Native((1,), 1),
    "ktdf_arch.has_feature": Native((2, 3), 1),
}
REWRITES: dict[str, Native] = {
    "ktdf_arch.map_to": Native((2,), 0),
    "ktdf_arch.set_feature": Native((3,), 0),
}


def check_natives(patterns: Sequence[PatternOp]) -> None:
    """Raise DeviceError when a pattern names an unknown native, or uses one wrongly."""
    for pattern in patterns:
        for op in pattern.walk():
            if isinstance(op, ApplyNativeConstraintOp):
                _check(op, CONSTRAINTS, "constraint")
            elif isinstance(op, ApplyNativeRewriteOp):
                _check(op, REWRITES, "rewrite")


def _check(
    op: ApplyNativeConstraintOp | ApplyNativeRewriteOp, table: dict[str, Native], word: str
) -> None:
    name = op.callee.value
    native = table.get(name)
    if native is None:
        raise DeviceError(
            f"the pattern uses an unknown native {word} '{name}'",
            op.location,
            hint=f"known ones: {', '.join(table)}",
        )
    if len(op.operands) not in native.arguments:
        wanted = " or ".join(map(str, native.arguments))
        raise DeviceError(
            f"native {word} '{name}' takes {wanted} arguments, but gets {len(op.operands)}",
            op.location,
        )
    if len(op.results) != native.results:
        raise DeviceError(
            f"native {word} '{name}' has {native.results} results, but {len(op.results)} are declared",
            op.location,
        )
