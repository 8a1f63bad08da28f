"""The one error of the affine algebra."""

from __future__ import annotations


class AffineError(ValueError):
    """An expression that is not affine, a wrong arity, or a set that cannot be enumerated."""
