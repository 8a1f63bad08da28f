"""The `ktdp` dialect: what each compute tile moves, and what tiles exchange (KTIR)."""

from __future__ import annotations

from kt.ir.dialects.ktdp_intertile import (
    DeliveryOp,
    InterTileConsumeOp,
    InterTileOp,
    InterTileProduceOp,
    InterTileReduceOp,
    YieldPartialOp,
    YieldReducedOp,
    tile_numbers,
)
from kt.ir.dialects.ktdp_tiles import (
    ConstructAccessTileOp,
    ConstructIndirectAccessTileOp,
    LoadOp,
    RegionTerminatorOp,
    StoreOp,
    TileSpaceOp,
    view_element_type,
)
from kt.ir.dialects.ktdp_types import (
    NO_TILE,
    AccessTileType,
    MemorySpaceAttr,
    RuntimeArgType,
    TileFutureType,
)
from kt.ir.dialects.ktdp_views import (
    ConstructDistributedMemoryViewOp,
    ConstructMemoryViewOp,
    GetComputeTileIdOp,
    RuntimeArgExtractOp,
    count_dynamic,
    mixed,
)

__all__ = [
    "NO_TILE",
    "AccessTileType",
    "ConstructAccessTileOp",
    "ConstructDistributedMemoryViewOp",
    "ConstructIndirectAccessTileOp",
    "ConstructMemoryViewOp",
    "DeliveryOp",
    "GetComputeTileIdOp",
    "InterTileConsumeOp",
    "InterTileOp",
    "InterTileProduceOp",
    "InterTileReduceOp",
    "LoadOp",
    "MemorySpaceAttr",
    "RegionTerminatorOp",
    "RuntimeArgExtractOp",
    "RuntimeArgType",
    "StoreOp",
    "TileFutureType",
    "TileSpaceOp",
    "YieldPartialOp",
    "YieldReducedOp",
    "count_dynamic",
    "mixed",
    "tile_numbers",
    "view_element_type",
]
