"""Questions about execution units: what they compute, how they address memories, what they cost."""

from __future__ import annotations

from functools import cached_property

from kt.arch.inventory import Inventory
from kt.arch.resources import ExecUnit, Kind
from kt.ir import types as t
from kt.ir.core import Operation
from kt.ir.diagnostics import DeviceError, Note
from kt.ir.dialects.ktdf_arch_features import Access, fit_access


class UnitQueries(Inventory):
    """Queries by unit kind; they answer for the first unit of the kind."""

    @cached_property
    def compute_units(self) -> tuple[ExecUnit, ...]:
        return tuple(u for u in self.units if u.is_compute)

    @cached_property
    def compute_kinds(self) -> tuple[Kind, ...]:
        return tuple(dict.fromkeys(u.key for u in self.compute_units))

    @property
    def compute_kind(self) -> Kind | None:
        """The kind of the compute units; None when there is none, an error when there are several."""
        if len(self.compute_kinds) > 1:
            second = next(u for u in self.compute_units if u.key == self.compute_kinds[1])
            names = ", ".join(f"'{k}'" for k in self.compute_kinds)
            raise self.error(f"has several kinds of compute units: {names}", second.location)
        return self.compute_kinds[0] if self.compute_kinds else None

    def lanes(self, unit_kind: Kind, element_type: t.Type) -> int:
        """Vector lanes of a unit for an element type; 0: not supported."""
        return self.unit(unit_kind).simd.lanes.get(element_type, 0)

    def slice_lanes(self, op: Operation) -> int:
        """Lanes of one slice of the compute unit, for an op that works on slices (``kt.slice_lanes``)."""
        unit = next(iter(self.compute_units), None)
        found = None if unit is None else unit.slice_lanes
        if found is None:
            raise DeviceError(
                f"'{op.name}' needs slices of lanes, which device '{self.name}' has none of",
                op.location,
                hint="give the compute unit kt.slice_lanes = N, or reduce with linalg.reduce",
                notes=[] if unit is None else [Note("its compute unit", unit.location)],
            )
        return found

    def element_types(self, unit_kind: Kind) -> tuple[t.Type, ...]:
        """The element types that a unit has lanes for."""
        return tuple(k for k in self.unit(unit_kind).simd.lanes if isinstance(k, t.Type))

    def has_splat(self, unit_kind: Kind) -> bool:
        """Whether a unit can repeat a scalar over all lanes."""
        return self.unit(unit_kind).simd.splat

    def has_zero_pad(self, unit_kind: Kind) -> bool:
        """Whether a unit can fill a short vector with zeros."""
        return self.unit(unit_kind).simd.zero_pad

    def features(self, unit_kind: Kind) -> tuple[str, ...]:
        """Which of load, store, compute and simd a unit has."""
        return self.unit(unit_kind).features

    def partial(self, unit_kind: Kind) -> int | None:
        """Bytes at whose multiples a transfer may begin and end; None: whole granules only."""
        return self.unit(unit_kind).partial

    def issue(self, unit_kind: Kind) -> int:
        """Cycles to start one transfer or vector op."""
        return self.unit(unit_kind).issue

    def sync(self, unit_kind: Kind) -> int:
        """Cycles of one signal."""
        return self.unit(unit_kind).sync

    def cost(self, unit_kind: Kind, op_name: str) -> int:
        """Cycles per vector of an op or template on a unit."""
        return self.unit(unit_kind).cost(op_name)

    def word_size(self, unit_kind: Kind, memory: Kind) -> int:
        """Bytes per address unit when this unit addresses that memory."""
        return self.unit(unit_kind).word_size(self.memory_kind(memory))

    def granularities(self, unit_kind: Kind, memory: Kind) -> tuple[Access, ...]:
        """Permitted accesses in bytes, as listed in the file; empty: nothing stated."""
        return self.unit(unit_kind).accesses(self.memory_kind(memory))

    def fit_access(
        self, unit_kind: Kind, memory: Kind, min_size: int, max_align: int
    ) -> Access | None:
        """The smallest access of at least ``min_size`` bytes at an alignment up to ``max_align``."""
        return fit_access(self.granularities(unit_kind, memory), min_size, max_align)
