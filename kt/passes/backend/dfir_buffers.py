"""Buffers of a schedule: where a unit finds them, and which copy it is its turn to use."""

from __future__ import annotations

from attrs import evolve

from kt.ir import types as t
from kt.ir.builder import Builder
from kt.ir.core import Operation, Value
from kt.ir.diagnostics import PassError
from kt.ir.dialects import arith, builtin, kt, ktdf, ktdp, memref, scf
from kt.passes.backend import dfir_views
from kt.passes.backend.dfir_unit import UnitProgram, lowers
from kt.passes.backend.dfir_views import Place


@lowers(ktdp.ConstructMemoryViewOp)
def memory_view(unit: UnitProgram, op: ktdp.ConstructMemoryViewOp, builder: Builder) -> None:
    unit.places[op.results[0]] = dfir_views.of_memory_view(op, unit)


@lowers(memref.MemorySpaceCastOp, memref.ReinterpretCastOp, memref.CastOp)
def cast(unit: UnitProgram, op: Operation, builder: Builder) -> None:
    place = unit.places.get(op.operands[0])
    if place is not None:
        unit.places[op.results[0]] = dfir_views.through_cast(op, place, unit)


@lowers(kt.PeerViewOp)
def peer_view(unit: UnitProgram, op: kt.PeerViewOp, builder: Builder) -> None:
    place = unit.places.get(op.source)
    if place is not None:
        unit.places[op.view] = evolve(place, peers=tuple(op.peers.values))


@lowers(builtin.UnrealizedConversionCastOp)
def placed_buffer(unit: UnitProgram, op: builtin.UnrealizedConversionCastOp, builder: Builder) -> None:
    """A buffer with an address in bytes, which may depend on the core: dense and row-major."""
    type = op.results[0].type
    if not isinstance(type, t.MemRefType):
        raise PassError("a conversion to something other than a buffer can't be lowered", op.location)
    addresses = [unit.values.number_on_core(op.operands[0], core) for core in unit.cores]
    strides, _ = type.strides_and_offset()
    memory = unit.device.memory_for_space(type.memory_space)
    shifts = tuple(a - addresses[0] for a in addresses)
    unit.places[op.results[0]] = Place(
        memory, type.element_type, type.shape, strides, start=addresses[0],
        shifts=shifts if any(shifts) else (),
    )  # fmt: skip


@lowers(ktdf.SelectMemrefOp)
def select_memref(unit: UnitProgram, op: ktdf.SelectMemrefOp, builder: Builder) -> None:
    candidates = [unit.places[c] for c in op.candidates]
    first = candidates[0]
    unit.places[op.results[0]] = evolve(
        first, start=0, copies=tuple(c.start for c in candidates), phase=op.phase
    )


@lowers(ktdf.BufferPhaseOp)
def buffer_phase(unit: UnitProgram, op: ktdf.BufferPhaseOp, builder: Builder) -> None:
    """Number of the iteration over the listed loops, modulo the copies."""
    number: Value | None = None
    for iv in op.ivs:
        loop = iv.parent_block.parent_op  # type: ignore[union-attr]
        assert isinstance(loop, scf.ForOp)
        here = unit.value(iv)
        if number is None:
            number = here
        else:
            scaled = builder.create(arith.MulIOp, number, unit.value(loop.upper_bound)).result
            number = builder.create(arith.AddIOp, scaled, here).result
    assert number is not None
    copies = unit.constants(op.num_phases.value)
    unit.env[op.phase] = builder.create(arith.RemUIOp, number, copies).result
