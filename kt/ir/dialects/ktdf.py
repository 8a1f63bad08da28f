"""The `ktdf` dialect: pipelines of stages, movement and late decisions (ScheduleIR)."""

from __future__ import annotations

from kt.ir.dialects.ktdf_data import (
    DataTransferOp,
    FifoAllocateOp,
    OpaqueOp,
    ReadFromFifoOp,
    TransferSide,
    WriteToFifoOp,
)
from kt.ir.dialects.ktdf_pipeline import (
    ParallelOp,
    ParallelYieldOp,
    PipelineOp,
    PrivateOp,
    PrivateYieldOp,
    StageOp,
)
from kt.ir.dialects.ktdf_tiling import (
    BufferPhaseOp,
    CreateTokenOp,
    DeriveSizeOp,
    LinearizeIndexOp,
    ReserveSizeOp,
    SelectMemrefOp,
)
from kt.ir.dialects.ktdf_types import (
    PARALLEL_LOOP,
    REDUCTION_LOOP,
    FifoSlotType,
    LoopTypeAttr,
    TokenType,
    token,
)

__all__ = [
    "PARALLEL_LOOP",
    "REDUCTION_LOOP",
    "BufferPhaseOp",
    "CreateTokenOp",
    "DataTransferOp",
    "DeriveSizeOp",
    "FifoAllocateOp",
    "FifoSlotType",
    "LinearizeIndexOp",
    "LoopTypeAttr",
    "OpaqueOp",
    "ParallelOp",
    "ParallelYieldOp",
    "PipelineOp",
    "PrivateOp",
    "PrivateYieldOp",
    "ReadFromFifoOp",
    "ReserveSizeOp",
    "SelectMemrefOp",
    "StageOp",
    "TokenType",
    "TransferSide",
    "WriteToFifoOp",
    "token",
]
