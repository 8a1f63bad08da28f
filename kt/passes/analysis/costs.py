"""What work costs by the facts of the device file, for decisions that come before a schedule."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from kt.ir.dialects import linalg
from kt.passes.analysis.target import compute_kind

if TYPE_CHECKING:
    from kt.arch import Device

FREE = ("linalg.yield", "linalg.index", "arith.constant")
"""Ops in the body of a computation that take no time."""


def compute_cycles(generic: linalg.GenericOp, device: Device) -> float:
    """Cycles of the compute unit of one compute tile, all its instances at work."""
    unit = compute_kind(device)
    points = math.prod(n for n in generic.extents() if n > 0)
    body = generic.body
    types = {v.type for v in (*body.arguments, *(r for op in body.ops for r in op.results))}
    lanes = [n for type in types if (n := device.lanes(unit, type))]
    cost = sum(device.cost(unit, op.name) for op in body.ops if op.name not in FREE)
    return points / min(lanes, default=1) * cost / device.num_slices([unit])


def shared_cycles(size: int, tiles: int, device: Device) -> float:
    """Cycles of the memory that all compute tiles share for ``size`` bytes of each of them."""
    bandwidth = device.global_memory.bandwidth
    return tiles * size / bandwidth if bandwidth else 0.0
