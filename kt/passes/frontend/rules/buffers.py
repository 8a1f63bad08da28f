"""Buffers of the compiler in KTIR: making them, storing whole tensors, loading them back."""

from __future__ import annotations

from kt.ir import types as t
from kt.ir.affine import AffineMap, AffineSet, dim
from kt.ir.attributes import AffineMapAttr, AffineSetAttr
from kt.ir.builder import Builder
from kt.ir.core import Value
from kt.ir.diagnostics import Location, PassError
from kt.ir.dialects import kt, ktdp
from kt.ir.dialects.ktdp_types import AccessTileType


def new_buffer(top: Builder, like: t.Type, location: Location) -> kt.BufferOp:
    """A buffer that holds one tensor of a type. PassError if its extents aren't numbers."""
    assert isinstance(like, t.TensorType)
    if not like.has_static_shape:
        raise PassError(
            f"an intermediate tensor of type '{like}' needs a buffer of known size",
            location,
            hint="give the tiles that it is computed from fixed extents",
        )
    type = t.MemRefType(like.shape, like.element_type)
    return top.create(kt.BufferOp, [], result_types=[type], location=location)


def whole_tile(build: Builder, buffer: kt.BufferOp | kt.PeerViewOp) -> Value:
    """The access tile of all elements of a buffer, the tile's own one or that of a peer."""
    shape = buffer.type.shape
    rank = len(shape)
    exprs = [e for d, n in enumerate(shape) for e in (dim(d), -dim(d) + (n - 1))]
    space = AffineSet(rank, 0, tuple(exprs), (False,) * len(exprs))
    same = AffineMapAttr(AffineMap.identity(rank))
    zero = build.constant(0) if rank else None
    return build.create(
        ktdp.ConstructAccessTileOp,
        buffer.results[0],
        [zero] * rank,
        [],
        base_map=same,
        access_tile_set=AffineSetAttr(space),
        access_tile_order=same,
        result_types=[AccessTileType(shape)],
    ).tile


def store(build: Builder, value: Value, buffer: kt.BufferOp) -> ktdp.StoreOp:
    """Store a tensor into a buffer of its shape."""
    made = build.create(ktdp.StoreOp, value, whole_tile(build, buffer))
    made.location = value.location
    return made


def load(build: Builder, buffer: kt.BufferOp) -> Value:
    """All of a buffer as a tensor."""
    type = t.TensorType(buffer.type.shape, buffer.type.element_type)
    return build.create(ktdp.LoadOp, whole_tile(build, buffer), result_types=[type]).data
