"""Units of a program: which kinds it uses on which cores, and their handles in the IR."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from kt.ir import types as t
from kt.ir.attributes import ArrayAttr, IntegerAttr
from kt.ir.builder import Builder
from kt.ir.core import Operation, Value
from kt.ir.diagnostics import PassError
from kt.ir.dialects import dataflow, ktdf, ktdp, uniform

if TYPE_CHECKING:
    from kt.arch import Device

Engine = tuple[str, int]
"""A unit kind and the number of its instance within a core (corelet)."""


def grid_size(function: Operation) -> int:
    """Compute tiles that run a function. Raises PassError unless ``grid`` is one positive integer."""
    grid = function.attr("grid")
    if not isinstance(grid, ArrayAttr):
        raise PassError(
            "Function missing 'grid' attribute",
            function.location,
            hint="write `attributes {grid = [1]}` on the function",
        )
    if len(grid) != 1:
        raise PassError(
            f"Only 1D grids supported (got {len(grid)}D grid)",
            function.location,
            hint="run normalize-grid-to-1d first",
        )
    (size,) = grid
    if not isinstance(size, IntegerAttr):
        raise PassError("Grid size must be integer attribute", function.location)
    if size.value < 1:
        raise PassError(f"Grid size must be positive (got {size.value})", function.location)
    return size.value


def stage_engines(stage: ktdf.StageOp) -> list[Engine]:
    """The engines that run a stage: its unit kinds, in all instances if it is distributed."""
    parallel = stage.parent_of_type(ktdf.ParallelOp)
    count = parallel.num_instances.value if parallel is not None else 1
    if not stage.unit_names:
        raise PassError(
            "stage has no applicable_units",
            stage.location,
            hint="path-expansion labels stages; or write {applicable_units = [\"KIND\"]}",
        )
    return [(kind, i) for kind in stage.unit_names for i in range(count)]


@define(eq=False)
class Engines:
    """Handles of all units of a program, made at the start of its function.

    For each engine there is one ``dataflow.get_unit`` per core and one value that stands for "this
    engine on the core that runs the function": a table lookup by the compute tile id.
    """

    device: Device
    function: Operation
    cores: int
    here: dict[Engine, Value] = field(factory=dict)

    def materialise(self, engines: list[Engine]) -> None:
        """Make handles and lookups for these engines, in this order."""
        block = self.function.regions[0].blocks[0]
        builder = Builder.at_start(block, self.function.location)
        shared = {kind for kind, i in engines if i > 0}
        units = {
            engine: [self._unit(builder, engine, core, engine[0] in shared) for core in range(self.cores)]
            for engine in engines
        }
        tile = builder.create(ktdp.GetComputeTileIdOp, result_types=[t.index]).results[0]
        for engine in engines:
            keys = [builder.constant(core) for core in range(self.cores)]
            table = builder.create(uniform.DefImmutableMappingOp, keys, units[engine], result_types=[t.index])
            query = builder.create(
                uniform.QueryMapOp, table.results[0], tile, result_types=[t.index]
            )
            self.here[engine] = query.results[0]

    def _unit(self, builder: Builder, engine: Engine, core: int, numbered: bool) -> Value:
        kind, instance = engine
        tag = self.device.tag(kind)
        name = f"C{core}-{tag}" + (f"-CL{instance}" if numbered else "")
        return builder.create(
            dataflow.GetUnitOp,
            unit_name=name,
            unit_type=tag,
            attributes={"core": IntegerAttr(core, t.i32), "corelet": IntegerAttr(instance, t.i32)},
        ).results[0]

    def handles(self, stage: ktdf.StageOp) -> list[Value]:
        """The lookups of the engines that run a stage, or the stages inside it.

        Instances of one kind are all taken.
        """
        leaves = [s for s in stage.walk() if isinstance(s, ktdf.StageOp) and s.is_leaf]
        return list(dict.fromkeys(self.here[e] for leaf in leaves for e in stage_engines(leaf)))


def handle_units(handle: Value) -> list[Value]:
    """The units, core by core, that a lookup by the tile id stands for."""
    query = handle.defining_op
    table = query.operands[0].defining_op if isinstance(query, uniform.QueryMapOp) else None
    if not isinstance(table, uniform.DefImmutableMappingOp):
        raise PassError(
            "could not resolve component type for unit operand of ktdf_lowering.execute_on",
            handle.location,
        )
    return list(table.values)


def handle_type(handle: Value) -> str:
    """Lower-cased kind of the units that a handle stands for."""
    unit = handle_units(handle)[0].defining_op
    assert isinstance(unit, dataflow.GetUnitOp)
    return unit.unit_type.value
