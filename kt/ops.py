"""Functions on arrays of kernels written in Python (see :mod:`kt.kernels`)."""

from __future__ import annotations

import math

from kt.kernels.arrays import Array, Scalar


def exp(x: Array) -> Array:
    return x.unary("math.exp")


def log(x: Array) -> Array:
    return x.unary("math.log")


def sqrt(x: Array) -> Array:
    return x.unary("math.sqrt")


def rsqrt(x: Array) -> Array:
    return x.unary("math.rsqrt")


def tanh(x: Array) -> Array:
    return x.unary("math.tanh")


def abs(x: Array) -> Array:
    return x.unary("math.absf")


def maximum(x: Array, y: Array | Scalar) -> Array:
    """The greater of both, element by element."""
    return x.binary("max", y)


def minimum(x: Array, y: Array | Scalar) -> Array:
    """The less of both, element by element."""
    return x.binary("min", y)


def relu(x: Array) -> Array:
    """max(x, 0)"""
    return maximum(x, 0.0)


def sigmoid(x: Array) -> Array:
    """1 / (1 + exp(-x))"""
    return 1.0 / (exp(-x) + 1.0)


def silu(x: Array) -> Array:
    """x · sigmoid(x)"""
    return x * sigmoid(x)


def gelu(x: Array) -> Array:
    """The approximation by tanh."""
    inner = (x + x * x * x * 0.044715) * math.sqrt(2 / math.pi)
    return x * 0.5 * (tanh(inner) + 1.0)


def softmax(x: Array, axis: int = -1) -> Array:
    """exp(x - max) / Σ exp(x - max) along a dimension; computed in f32."""
    wide = x.astype("f32")
    e = exp(wide - wide.max(axis, keepdims=True))
    return (e / e.sum(axis, keepdims=True)).astype(x.element)


def rms_norm(x: Array, epsilon: float = 1e-5, axis: int = -1) -> Array:
    """x / sqrt(mean(x²) + epsilon) along a dimension; computed in f32."""
    wide = x.astype("f32")
    scale = rsqrt((wide * wide).mean(axis, keepdims=True) + epsilon)
    return (wide * scale).astype(x.element)
