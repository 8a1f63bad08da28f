"""Running artifacts: load once, launch many times.

>>> runtime = Runtime(kt.device("toy"))                     # doctest: +SKIP
>>> kernel = runtime.load(Program.load("k.ktb"))            # doctest: +SKIP
>>> results = kernel({"x": x, "y": y, "out": out})          # doctest: +SKIP
>>> kernel.last.cycles                                      # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import define, field

from kt.binary.model import ADDRESS, Argument
from kt.binary.program import Program
from kt.ir.diagnostics import RunError
from kt.ir.numbers import dtype
from kt.sim.engine.launch import Event
from kt.sim.engine.machine import DeviceMachine, UnitTimes
from kt.sim.engine.stores import Store, Traffic

if TYPE_CHECKING:
    from kt.arch import Device

ALIGNMENT = 256
"""Bytes: where buffers are placed in device memory."""


@define
class Report:
    """What one call of a kernel took, on the simulated clock."""

    cycles: int = 0
    programs: int = 0
    bytes: dict[str, Traffic] = field(factory=dict)
    """Per memory kind, what this call moved."""
    units: dict[str, UnitTimes] = field(factory=dict)
    events: list[Event] = field(factory=list)

    def add_units(self, more: Mapping[str, UnitTimes]) -> None:
        for name, times in more.items():
            mine = self.units.setdefault(name, UnitTimes())
            mine.busy += times.busy
            mine.stall_in += times.stall_in
            mine.stall_out += times.stall_out
            mine.sync += times.sync


@define(eq=False)
class Runtime:
    """A device with memories that keep their contents, and the programs loaded on it.

    ``checks`` makes reads of bytes that were never written an error; ``trace`` keeps timelines.
    """

    device: Device
    checks: bool = True
    trace: bool = False
    machine: DeviceMachine = field(init=False)
    prepared: int = 0
    """How many programs were prepared (each once)."""
    _kernels: dict[str, Kernel] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        self.machine = DeviceMachine(self.device, self.checks)

    def load(self, program: Program) -> Kernel:
        """Prepare a program: the same program again gives the same kernel at no cost."""
        self._check_device(program)
        key = program.build_id
        if key not in self._kernels:
            for number in range(len(program.images)):
                self.machine.code(program, number)
            self.prepared += 1
            self._kernels[key] = Kernel(self, program)
        return self._kernels[key]

    def unload(self, kernel: Kernel) -> None:
        """Forget a kernel; it can be loaded again."""
        self._kernels.pop(kernel.program.build_id, None)

    def _check_device(self, program: Program) -> None:
        wanted = program.metadata.get("device", {}).get("name")
        if wanted is not None and self.device.name is not None and wanted != self.device.name:
            raise RunError(
                f"the program was compiled for device '{wanted}', this runtime has "
                f"'{self.device.name}'",
                hint=f"use Runtime(kt.device({wanted!r})), or compile for this device",
            )

    @property
    def memory(self) -> Store:
        """The device memory that kernel arguments live in."""
        info = self.device.global_memory
        return self.machine.memory(str(info.kind), None, info.size or 0)


@define(eq=False)
class Kernel:
    """A loaded program; call it with NumPy arrays.

    ``last`` is the report of the last call.
    """

    runtime: Runtime
    program: Program
    last: Report = field(factory=Report)
    launches: int = 0

    def __call__(self, arguments: Mapping[str, Any] | Sequence[Any]) -> dict[str, np.ndarray]:
        """Run the kernel.

        ``arguments`` maps argument names to arrays (buffers that base pointers point to, copied in)
        and numbers, or lists them in signature order. Returns all buffers by name as they are after
        the run, in the shapes and types that were given. Raises RunError for what can't be bound.
        """
        given = bind_names(self.program.arguments, arguments)
        memory = self.runtime.memory
        values, buffers = self._place(given, memory)
        report = Report()
        before = {k: _copy(t) for k, t in self.runtime.machine.traffic().items()}
        for call in self.program.launches(values):
            result = self.runtime.machine.launch(self.program, call, self.runtime.trace)
            report.programs += 1
            for event in result.events:
                event.start += report.cycles
                event.end += report.cycles
            report.events += result.events
            report.cycles += result.cycles
            report.add_units(result.units)
        report.bytes = _difference(self.runtime.machine.traffic(), before)
        self.last = report
        self.launches += 1
        return {
            name: memory.get(address, array.nbytes).view(array.dtype).reshape(array.shape)
            for name, (address, array) in buffers.items()
        }

    def _place(
        self, given: dict[str, Any], memory: Store
    ) -> tuple[list[int], dict[str, tuple[int, np.ndarray]]]:
        """Addresses for the buffers (copied in) and numbers for everything, in signature order."""
        values: list[int] = []
        buffers: dict[str, tuple[int, np.ndarray]] = {}
        top = ALIGNMENT
        for argument in self.program.arguments:
            value = given[argument.name]
            if argument.kind != ADDRESS:
                values.append(_number(argument, value))
                continue
            array = _storage(argument, value)
            end = top + array.nbytes
            if end > memory.size:
                raise RunError(
                    f"argument '{argument.name}' of {array.nbytes} bytes doesn't fit {memory.kind}: "
                    f"{top} of {memory.size} bytes are taken"
                )
            memory.put(top, array)
            values.append(top)
            buffers[argument.name] = (top, array)
            top = -(-end // ALIGNMENT) * ALIGNMENT
        return values, buffers


def bind_names(
    declared: Sequence[Argument], arguments: Mapping[str, Any] | Sequence[Any]
) -> dict[str, Any]:
    """Arguments by name. RunError for unknown, missing or too many ones."""
    names = [a.name for a in declared]
    if not isinstance(arguments, Mapping):
        if len(arguments) != len(names):
            raise RunError(
                f"expected {len(names)} arguments, got {len(arguments)}",
                hint=f"the kernel's arguments are {', '.join(names)}",
            )
        return dict(zip(names, arguments, strict=True))
    unknown = [n for n in arguments if n not in names]
    missing = [n for n in names if n not in arguments]
    if unknown or missing:
        what = f"has no argument '{unknown[0]}'" if unknown else f"needs argument '{missing[0]}'"
        raise RunError(f"the kernel {what}", hint=f"its arguments are {', '.join(names)}")
    return dict(arguments)


def _storage(argument: Argument, value: Any) -> np.ndarray:
    """A buffer as a contiguous array in the storage type of the kernel's view."""
    array = np.ascontiguousarray(value)
    if not argument.dtype:
        return array
    wanted = dtype(argument.dtype).storage
    if array.dtype != wanted:
        raise RunError(
            f"argument '{argument.name}' has elements of type {array.dtype}, "
            f"the kernel's view has {argument.dtype}",
            hint=f"pass an array of {wanted}",
        )
    return array


def _number(argument: Argument, value: Any) -> int:
    if isinstance(value, np.ndarray) and value.ndim:
        raise RunError(f"argument '{argument.name}' is a number, got an array")
    try:
        return argument.value(value)
    except (TypeError, ValueError) as error:
        raise RunError(f"argument '{argument.name}' can't be {value!r}: {error}") from None


def _copy(traffic: Traffic) -> Traffic:
    made = Traffic()
    made.add(traffic)
    return made


def _difference(now: Iterable[Any], before: dict[str, Traffic]) -> dict[str, Traffic]:
    found: dict[str, Traffic] = {}
    for kind, traffic in dict(now).items():
        old = before.get(kind, Traffic())
        found[kind] = Traffic(
            traffic.read - old.read,
            traffic.written - old.written,
            traffic.moved_read - old.moved_read,
            traffic.moved_written - old.moved_written,
        )
    return found
