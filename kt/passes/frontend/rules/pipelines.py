"""Building pipelines: private resources, stages in a row, transfers."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import define, field, frozen

from kt.ir import types as t
from kt.ir.affine import AffineMap, dim, sym
from kt.ir.attributes import AffineMapAttr, ArrayAttr, Attribute, IntegerAttr, StringAttr
from kt.ir.builder import Builder
from kt.ir.core import Operation, Value
from kt.ir.diagnostics import Location
from kt.ir.dialects import affine, ktdf, memref
from kt.ir.dialects.common import split_mixed
from kt.ir.dialects.ktdf_types import FifoSlotType, token
from kt.passes.analysis.buffers import OPERAND

Mixed = int | Value


@frozen(eq=False)
class Side:
    """One side of a transfer: a box of a memref, or a FIFO slot (without map)."""

    value: Value
    sizes: tuple[Mixed, ...]
    map: AffineMap | None = None
    indices: tuple[Value, ...] = ()

    @classmethod
    def whole(cls, buffer: Value) -> Side:
        """All of a static buffer."""
        shape = buffer.type.shape  # type: ignore[attr-defined]
        return cls(buffer, tuple(shape), AffineMap(0, 0, [0] * len(shape)))

    @classmethod
    def slot(cls, slot: Value) -> Side:
        """All of a FIFO slot."""
        return cls(slot, (slot.type.count,))  # type: ignore[attr-defined]


def transfer(
    build: Builder,
    source: Side,
    dest: Side,
    mode: str | None = None,
    location: Location | None = None,
) -> ktdf.DataTransferOp:
    """A data transfer; ``mode`` is ``pad``, ``splat`` or None."""
    static_source, source_sizes = split_mixed(source.sizes)
    static_dest, dest_sizes = split_mixed(dest.sizes)
    return build.create(
        ktdf.DataTransferOp,
        source.value,
        source.indices,
        source_sizes,
        dest.value,
        dest.indices,
        dest_sizes,
        source_map=None if source.map is None else AffineMapAttr(source.map),
        dest_map=None if dest.map is None else AffineMapAttr(dest.map),
        static_source_sizes=static_source,
        static_dest_sizes=static_dest,
        attributes={} if mode is None else {"transfer_mode": StringAttr(mode)},
        location=location or build.location,
    )


@define(eq=False)
class Resources:
    """Private resources of a pipeline while they are collected; each gets a number."""

    kinds: list[tuple[t.Type, int | None, Location]] = field(factory=list)
    private: ktdf.PrivateOp | None = None

    def add(self, type: t.Type, operand: int | None, location: Location) -> int:
        """A slot or buffer that carries an operand, or a token (no operand)."""
        self.kinds.append((type, operand, location))
        return len(self.kinds) - 1

    def build(self, build: Builder) -> ktdf.PrivateOp:
        """Insert the ``ktdf.private`` op with everything collected so far."""
        region, inside = build.region()
        values: list[Value] = []
        for type, operand, location in self.kinds:
            marks = {} if operand is None else {OPERAND: IntegerAttr(operand, t.i64)}
            if type is token:
                made: Operation = ktdf.CreateTokenOp.build(location=location)
            elif isinstance(type, FifoSlotType):
                made = ktdf.FifoAllocateOp.build(
                    [], result_types=[type], attributes=marks, location=location
                )
            else:
                made = memref.AllocOp.build(
                    [], [], result_types=[type], attributes=marks, location=location
                )
            values.append(inside.insert(made).results[0])
        inside.create(ktdf.PrivateYieldOp, values)
        self.private = build.create(
            ktdf.PrivateOp, result_types=[v.type for v in values], regions=[region]
        )
        return self.private

    def __getitem__(self, number: int) -> Value:
        assert self.private is not None
        return self.private.results[number]


def vector_size(build: Builder, extent: Mixed, lanes: int, iv: Value) -> Mixed:
    """Elements of the vector at ``iv``: ``min(lanes, extent - iv)``, a number where it is always the same."""
    if isinstance(extent, int):
        if extent % lanes == 0 or extent < lanes:
            return min(extent, lanes)
        map, operands = AffineMap(1, 0, (lanes, extent - dim(0))), [iv]
    else:
        map, operands = AffineMap(1, 1, (lanes, sym(0) - dim(0))), [iv, extent]
    return build.insert(affine.MinOp.of(map, operands, location=build.location)).result


def open_pipeline(build: Builder) -> tuple[ktdf.PipelineOp, Builder]:
    """An empty pipeline and a builder inside."""
    region, inside = build.region()
    return build.create(ktdf.PipelineOp, regions=[region]), inside


def open_stage(
    build: Builder,
    waits_for: Sequence[Value],
    completes: Sequence[Value],
    units: Sequence[Attribute] = (),
    location: Location | None = None,
) -> tuple[ktdf.StageOp, Builder]:
    """An empty stage and a builder inside."""
    region, inside = build.region()
    stage = build.create(
        ktdf.StageOp,
        waits_for,
        completes,
        applicable_units=ArrayAttr(tuple(units)) if units else None,
        regions=[region],
        location=location or build.location,
    )
    inside.location = stage.location
    return stage, inside
