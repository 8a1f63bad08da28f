"""What the text of a kernel says about its runs, worked out once and kept for the next run.

A module may be changed between two runs: what was kept counts only as long as a snapshot of its
operations, operands, types and attributes is the same. Taking one costs little beside a run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from attrs import define

from kt.ir import types as t
from kt.ir.attributes import Attribute
from kt.ir.core import Operation
from kt.sim.buffers import Parameter, parameters_of
from kt.sim.doubt import doubt
from kt.sim.functions import function_table
from kt.sim.interp import Interpreter
from kt.sim.machine import Machine, aliases_of
from kt.sim.memory import Sharing
from kt.sim.run import conventions_of, grid_of
from kt.sim.sharing import sharing_of
from kt.sim.values import dtype_of

BATCH_BYTES = 1 << 20
"""Room that the largest tensor of a function may take for a whole batch: more leaves the cache."""
KEPT = 8
"""Kernels that are kept."""
MOST = 4000
"""Operations of a module beyond which it isn't kept: preparing is nothing beside such a run."""

_IDLE = Machine()


@define(eq=False)
class Prepared:
    """A function of a module, ready to run on any machine."""

    module: Operation
    function: Any
    grid: tuple[int, ...]
    functions: dict[str, Any]
    """All functions with a body by name."""
    parameters: list[Parameter]
    conventions: str
    sharing: Sharing
    aliases: dict[Attribute, str]
    """Memory spaces that the module's own device declares."""
    fixed_end: int
    """First byte behind the global views with constant addresses: buffers go beyond them."""
    batch: int
    """How many tiles run as one."""
    _rested: tuple[Any, Interpreter] | None = None
    """A device, and an interpreter whose steps are prepared for it."""

    @classmethod
    def of(cls, module: Operation, function: Any, grid: tuple[int, ...] | None = None) -> Prepared:
        """Prepare a function; ``grid`` instead of its own one. RunError for odd attributes."""
        functions, conventions = function_table(module), conventions_of(module)
        return cls(
            module, function, grid or grid_of(function), functions,
            parameters_of(function, functions.get), conventions,
            sharing_of(module, function, conventions == "ktir-cpu"), aliases_of(module),
            _fixed_end(module), _batch_size(function, functions),
        )  # fmt: skip

    @contextmanager
    def interpreter(self, machine: Machine) -> Iterator[Interpreter]:
        """The interpreter of a run; one that has run before, where nothing looks into its steps."""
        plain = machine.meter is None and machine.progress is None and doubt() is None
        rested, self._rested = self._rested, None
        if plain and rested is not None and rested[0] is machine.device:
            interp = rested[1]
            interp.machine = machine
        else:
            interp = Interpreter(
                self.module,
                machine,
                self.grid,
                byte_pointers=self.conventions == "scheduler",
                like_peer=self.conventions == "ktir-cpu",
                functions=self.functions,
            )
        yield interp
        if plain:
            interp.machine, interp.state = _IDLE, {}
            self._rested = machine.device, interp


def _fixed_end(module: Operation) -> int:
    """Not behind the compiler's own (``kt.exchange``), which are at the upper end."""
    end = 0
    for op in module.walk():
        if op.name != "ktdp.construct_memory_view" or not op.memory_space.is_global:
            continue
        if op.attr("kt.exchange") is not None:
            continue
        maker = op.offset.defining_op
        if maker is None or maker.name != "arith.constant" or op.sizes or op.strides:
            continue
        size = dtype_of(op.type).itemsize
        extents, strides = op.static_sizes.values, op.static_strides.values
        last = sum((n - 1) * s for n, s in zip(extents, strides) if s > 0)
        end = max(end, (maker.attr("value").value + last + 1) * size)
    return end


def _batch_size(function: Operation, functions: dict[str, Any]) -> int:
    """1 where shapes or branches may differ between tiles."""
    largest, seen, todo = 1, {function}, [function]
    while todo:
        for op in todo.pop().walk():
            if op.name == "func.call":
                callee = functions.get(op.attr("callee").leaf)
                if callee is not None and callee not in seen:
                    seen.add(callee)
                    todo.append(callee)
            elif op.name == "func.call_indirect":
                return 1
            if any(len(region.blocks) > 1 for region in op.regions):
                return 1
            for value in op.results:
                type = value.type
                if isinstance(type, t.TensorType):
                    if not type.has_static_shape:
                        return 1
                    largest = max(largest, type.num_elements() * dtype_of(type).compute.itemsize)
    return max(1, BATCH_BYTES // largest)


# -- keeping -------------------------------------------------------------------------------------

_KEPT: dict[tuple[int, str | None], tuple[list[Any], Prepared]] = {}


def kept(module: Operation, name: str | None, make: Callable[[], Prepared]) -> Prepared:
    """What ``make`` gives for the function ``name`` of a module; the same for an unchanged module."""
    now, key = _snapshot(module), (id(module), name)
    found = _KEPT.pop(key, None)
    if found is None or found[0] != now:  # the snapshot keeps the module alive: its id is its own
        found = now, make()
    if len(now) <= 2 * MOST:
        _KEPT[key] = found
        while len(_KEPT) > KEPT:
            _KEPT.pop(next(iter(_KEPT)), None)
    return found[1]


def _snapshot(module: Operation) -> list[Any]:
    """All of a module that a run depends on; attributes and types are immutable."""
    found: list[Any] = []
    for op in module.walk():
        found.append((op, op.parent, op._operands, op._successors, [r.type for r in op.results]))
        found.append([dict(d) if d else None for d in (op._properties, op._attributes)])
        for region in op.regions:
            for block in region.blocks:
                found += [(a, a.type, a.name_hint) for a in block.arguments]
    return found
