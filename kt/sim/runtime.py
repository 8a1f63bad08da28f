"""Running artifacts: prepare once, launch many times.

>>> runtime = Runtime(kt.device("toy"))                     # doctest: +SKIP
>>> kernel = runtime.load(Program.load("k.ktb"))            # doctest: +SKIP
>>> results = kernel({"x": x, "y": y, "out": out})          # doctest: +SKIP
>>> kernel.last.cycles                                      # doctest: +SKIP

Arrays are copied to the device for one launch. A tensor that shall stay there between launches, in any
memory, is made with :meth:`Runtime.tensor` and passed instead of the array.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from math import lcm
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import define, field

from kt.binary.model import ADDRESS, SCALAR, Argument
from kt.binary.program import Program
from kt.ir.diagnostics import RunError
from kt.sim.allocator import Allocator, Range
from kt.sim.arguments import bind, integer
from kt.sim.engine.code import Mode
from kt.sim.engine.loaded import LoadedImage
from kt.sim.engine.machine import MAX_TRIPS, DeviceMachine, LaunchResult
from kt.sim.engine.stores import Store, Traffic
from kt.sim.engine.timeline import Event, UnitTimes
from kt.sim.engine.usage import Usage
from kt.sim.shapes import Layout, check_shape
from kt.sim.streams import Results, Stream
from kt.sim.tensors import Tensor, from_storage, to_storage

if TYPE_CHECKING:
    from kt.arch import Device

    DeviceLike = Device | str | Path

TOGETHER = 256
"""Launches whose symbols are evaluated in one go."""

Buffers = dict[str, tuple[Store, int, np.ndarray]]
"""By argument: the memory, the address, and what was copied there."""


@define
class Report:
    """What one call of a kernel took.

    ``cycles``, ``bytes`` (per memory kind), ``units`` and ``events`` are on the simulated clock; each
    unit's accounts add up to the cycles. ``overhead`` is the host's time
    in seconds for everything but simulating, ``seconds`` the whole.
    """

    cycles: int = 0
    programs: int = 0
    bytes: dict[str, Traffic] = field(factory=dict)
    units: dict[str, UnitTimes] = field(factory=dict)
    events: list[Event] = field(factory=list)
    links: dict[tuple[str, str], int] = field(factory=dict)
    """Bytes between memories and units, by the kinds of both, in the direction of flow."""
    skipped: int = 0
    """Cycles that were not run, since they repeat others."""
    symbols_sent: int = 0
    """Symbols whose value had changed since the program's last launch."""
    overhead: float = 0.0
    seconds: float = 0.0

    def add(self, result: LaunchResult) -> None:
        """What one more program took, after the others."""
        self.programs += 1
        for event in result.events:
            event.start += self.cycles
            event.end += self.cycles
        self.events += result.events
        self.cycles += result.cycles
        self.skipped += result.skipped
        for link, moved in result.links.items():
            self.links[link] = self.links.get(link, 0) + moved
        for name, times in result.units.items():
            self.units.setdefault(name, UnitTimes()).add(times)

    def to_json(self) -> dict[str, Any]:
        """Cycles, bytes and number of launched programs, as plain values."""
        return {
            "cycles": self.cycles,
            "bytes": {kind: traffic.to_json() for kind, traffic in self.bytes.items()},
            "programs": self.programs,
        }


@define
class Counters:
    """What a runtime has done so far."""

    prepared: int = 0
    """Programs that were prepared; each only once."""
    launches: int = 0
    """Calls of kernels."""
    programs: int = 0
    """Programs that these calls launched."""
    symbols_sent: int = 0
    prepare_seconds: float = 0.0
    launch_seconds: float = 0.0
    """Without simulating."""
    simulate_seconds: float = 0.0


def _device(source: DeviceLike) -> Device:
    if hasattr(type(source), "digest"):
        return source  # type: ignore[return-value]
    from kt.arch import load_device  # launching an artifact on a device at hand needs no parser

    return load_device(source)


@define(eq=False)
class Runtime:
    """A device with memories that keep their contents, and the programs loaded on it.

    ``checks`` makes reads of bytes that were never written an error, ``trace`` keeps timelines,
    ``hazards`` finds accesses that no signal orders; without ``data`` only the clock runs, and results are
    empty; it skips repetitions (``extrapolate``), which changes no number. ``max_trips`` bounds the trips of the loops of one unit in one launch, and of the host in one call.
    """

    device: Device = field(converter=_device)
    """Or its name, or the path of its file."""
    checks: bool = True
    trace: bool = False
    hazards: bool = False
    data: bool = True
    extrapolate: bool = True
    max_trips: int = MAX_TRIPS
    allow_mismatch: bool = False
    """Run programs of a device file that has changed since."""
    counters: Counters = field(factory=Counters, init=False)
    machine: DeviceMachine = field(init=False)
    tensors: list[Tensor] = field(factory=list, init=False)
    _kernels: dict[str, Kernel] = field(factory=dict, init=False)
    _allocators: dict[int, Allocator] = field(factory=dict, init=False)

    def __attrs_post_init__(self) -> None:
        only_clock = not (self.data or self.trace or self.hazards)
        mode = Mode(self.data, self.trace, self.hazards, self.extrapolate and only_clock)
        self.machine = DeviceMachine(self.device, self.checks, mode, self.max_trips)

    @property
    def prepared(self) -> int:
        """How many programs were prepared (each once)."""
        return self.counters.prepared

    # -- programs --------------------------------------------------------------------------------

    def load(self, program: Program) -> Kernel:
        """Prepare a program. An equal one that is loaded already is the same kernel, at no cost."""
        if not isinstance(program, Program):
            raise RunError(
                f"a {type(program).__name__} is no program",
                hint="kt.compile makes one; kt.Program.from_bytes reads an artifact",
            )
        start = perf_counter()
        key = program.build_id
        if key not in self._kernels:
            self._check_device(program)
            usage = Usage.of(program)
            self._check_residents(program, usage)
            images = self.machine.load(program)
            _ = program.host  # expressions are compiled once, here
            self._kernels[key] = Kernel(self, program, images, usage)
            self.counters.prepared += 1
            self.counters.prepare_seconds += perf_counter() - start
        return self._kernels[key]

    def unload(self, kernel: Kernel) -> None:
        """Forget a kernel: it can't be called any more. Its program can be loaded again."""
        kernel.loaded = False
        self._kernels.pop(kernel.program.build_id, None)

    def _check_device(self, program: Program) -> None:
        told = program.metadata.get("device", {})
        wanted, digest = told.get("name"), told.get("digest")
        if wanted is not None and self.device.name is not None and wanted != self.device.name:
            raise RunError(
                f"the program was compiled for device '{wanted}', this runtime has "
                f"'{self.device.name}'",
                hint=f"use Runtime(kt.device({wanted!r})), or compile for this device",
            )
        if digest and digest != self.device.digest and not self.allow_mismatch:
            raise RunError(
                f"the program was compiled for another version of device '{wanted}' than this "
                "runtime has",
                hint="compile it again; Runtime(allow_mismatch=True) runs it nevertheless",
            )

    def _check_residents(self, program: Program, usage: Usage) -> None:
        """A program must not write where tensors live."""
        for tensor in self.tensors:
            for start, end in usage.fixed.get(tensor.memory.kind, ()):
                if start < tensor.address + tensor.nbytes and tensor.address < end:
                    raise RunError(
                        f"the program uses bytes {start} to {end - 1} of {tensor.memory.kind}, "
                        f"where {tensor!r} lives",
                        hint="load programs before making tensors, or free the tensor",
                    )

    def stream(self) -> Stream:
        """A new stream."""
        return Stream()

    # -- memory ----------------------------------------------------------------------------------

    def memory(self, kind: str | None = None, core: int = 0) -> Store:
        """A memory by kind, as a core sees it; by default the one that all cores share."""
        found = self.device.global_memory.kind if kind is None else kind
        return self.machine.memory(str(found), core)

    def allocator(self, memory: Store) -> Allocator:
        """Who hands out the bytes of a memory."""
        found = self._allocators.get(id(memory))
        if found is None:
            alignment = self.device.alignment(memory.kind)
            found = self._allocators[id(memory)] = Allocator(memory.name, memory.size, alignment)
        return found

    def fixed(self, memory: Store) -> list[Range]:
        """Bytes of a memory that loaded programs use by constant addresses."""
        kernels = self._kernels.values()
        return [r for kernel in kernels for r in kernel.usage.fixed.get(memory.kind, ())]

    def tensor(
        self,
        array: Any = None,
        *,
        shape: Sequence[int] = (),
        dtype: Any = None,
        memory: str | None = None,
        core: int = 0,
    ) -> Tensor:
        """A tensor that stays on the device: a copy of ``array``, or of ``shape`` and not yet written.

        ``memory`` is a memory kind of the device, ``core`` whose one. RunError if it doesn't fit.
        """
        if array is not None:
            array = np.asarray(array)
            shape, dtype = array.shape, array.dtype
        form = np.dtype(dtype)
        store = self.memory(memory, core)
        size = int(np.prod(shape, dtype=np.int64)) * form.itemsize
        address = self._allocate(store, size, 1, "a tensor")
        made = Tensor(self, store, address, tuple(shape), form)
        self.tensors.append(made)
        if array is not None:
            made.write(array)
        return made

    def _allocate(self, store: Store, size: int, multiple_of: int, what: str) -> int:
        allocator = self.allocator(store)
        return allocator.allocate(
            size, lcm(allocator.alignment, multiple_of), self.fixed(store), what
        )


@define(eq=False)
class Kernel:
    """A loaded program; call it with NumPy arrays, tensors and numbers.

    ``last`` is the report of the last call.
    """

    runtime: Runtime
    program: Program
    images: list[LoadedImage]
    usage: Usage
    last: Report = field(factory=Report)
    launches: int = 0
    loaded: bool = True

    def __call__(self, /, *arguments: Any, **named: Any) -> Results:
        """Run the kernel: ``kernel(x, n=18)``, ``kernel({"x": x, "n": 18})`` or ``kernel([x, 18])``.

        Arguments are arrays (buffers that base pointers point to, copied in), tensors, byte addresses
        and numbers, by name or in signature order. Returns all buffers by name as they are after the
        run, in the shapes and types that were given; a tensor as itself. Raises RunError for what can't
        be bound, and for what the program does wrong; the runtime remains usable.
        """
        begin = perf_counter()
        if not self.loaded:
            raise RunError("the kernel was unloaded", hint="load its program again")
        given = self.names(*arguments, **named)
        report = Report()
        with self._bound(given) as (values, buffers):
            simulated = self._run(values, report)
            results = self._results(given, buffers)
        report.seconds = perf_counter() - begin
        report.overhead = report.seconds - simulated
        self._account(report, simulated)
        return results

    def names(self, /, *arguments: Any, **named: Any) -> dict[str, Any]:
        """Arguments of a call by name. RunError for unknown, missing or too many ones."""
        return bind([a.name for a in self.program.arguments], arguments, named)

    def _run(self, values: list[int], report: Report) -> float:
        """Launch all programs; returns the seconds that simulating them took."""
        machine, simulated = self.runtime.machine, 0.0
        before = machine.traffic()
        calls = self.program.launches(values, self.runtime.max_trips)
        while some := list(islice(calls, TOGETHER)):
            for call in some:
                loaded = self.images[call.image]
                report.symbols_sent += loaded.patch(call.symbols)
                start = perf_counter()
                report.add(machine.launch(loaded, call))
                simulated += perf_counter() - start
        for times in report.units.values():  # programs that a unit has no part in
            times.idle += report.cycles - times.cycles
        zero = Traffic()
        report.bytes = {k: t.minus(before.get(k, zero)) for k, t in machine.traffic().items()}
        return simulated

    def _account(self, report: Report, simulated: float) -> None:
        self.last = report
        self.launches += 1
        counters = self.runtime.counters
        counters.launches += 1
        counters.programs += report.programs
        counters.symbols_sent += report.symbols_sent
        counters.launch_seconds += report.overhead
        counters.simulate_seconds += simulated

    # -- arguments -------------------------------------------------------------------------------

    @contextmanager
    def _bound(self, given: dict[str, Any]) -> Iterator[tuple[list[int], Buffers]]:
        """Numbers for all arguments in order, and the places of arrays, which are copied in."""
        values: list[int] = []
        buffers: Buffers = {}
        try:
            for number, argument in enumerate(self.program.arguments):
                value = given[argument.name]
                if argument.kind != ADDRESS or is_integer(value):
                    values.append(_number(argument, value))
                elif isinstance(value, Tensor):
                    values.append(self._resident(number, argument, value))
                else:
                    stored = to_storage(argument, value)
                    store = self.runtime.memory(self._memory_kind(number))
                    address = self.runtime._allocate(
                        store, stored.nbytes, argument.multiple_of, f"argument '{argument.name}'"
                    )
                    buffers[argument.name] = (store, address, stored)
                    if self.runtime.data:
                        store.put(address, stored)
                    values.append(address)
            self._check_sizes(given, values, buffers)
            yield values, buffers
        finally:
            for store, address, stored in buffers.values():
                store.forget(address, stored.nbytes)
                self.runtime.allocator(store).free(address, stored.nbytes)

    def _check_sizes(self, given: dict[str, Any], values: list[int], buffers: Buffers) -> None:
        """RunError names a buffer that the kernel's view of it doesn't fit in, or would misread."""
        for argument, span in zip(self.program.arguments, self.program.host.spans, strict=True):
            value = given[argument.name]
            if span is None or is_integer(value):
                continue
            shape = tuple(np.shape(buffers[argument.name][2]) if argument.name in buffers else value.shape)
            if -1 not in argument.shape[1:] and len(argument.shape) > 1:
                check_shape(argument.name, shape, [Layout.dense(argument.shape)])
            (wanted,) = span(values)
            size = value.nbytes if isinstance(value, Tensor) else buffers[argument.name][2].nbytes
            if size < wanted:
                raise RunError(
                    f"argument '{argument.name}' has {size} bytes, the kernel's view of it takes "
                    f"{wanted}",
                    hint="pass a larger buffer, or other sizes",
                )

    def _memory_kind(self, argument: int) -> str | None:
        """The memory that an argument points to; None: the device's global one."""
        kinds = self.usage.memories.get(argument, [])
        return kinds[0] if len(kinds) == 1 else None

    def _resident(self, number: int, argument: Argument, tensor: Tensor) -> int:
        tensor.require()
        if tensor.runtime is not self.runtime:
            raise RunError(f"argument '{argument.name}' is a tensor of another runtime")
        kinds = self.usage.memories.get(number, [])
        if kinds and tensor.memory.kind not in kinds:
            raise RunError(
                f"argument '{argument.name}' is a tensor in {tensor.memory.name}, "
                f"the kernel reads it from {kinds[0]}",
                hint=f"make it with memory={kinds[0]!r}",
            )
        if argument.dtype:
            to_storage(argument, np.empty(0, tensor.dtype))
        return tensor.address

    def _results(self, given: dict[str, Any], buffers: Buffers) -> Results:
        found: Results = {n: v for n, v in given.items() if isinstance(v, Tensor)}
        if not self.runtime.data:
            return found
        for argument in self.program.arguments:
            if argument.name in buffers:
                store, address, stored = buffers[argument.name]
                raw = store.get(address, stored.nbytes).view(stored.dtype).reshape(stored.shape)
                like = np.asarray(given[argument.name]).dtype
                found[argument.name] = from_storage(argument, raw, like)
        return found


def is_integer(value: Any) -> bool:
    """Whether a value is an integer, and no array."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _number(argument: Argument, value: Any) -> int:
    if isinstance(value, Tensor) or (isinstance(value, np.ndarray) and value.ndim):
        raise RunError(f"argument '{argument.name}' is a number, got an array")
    if not argument.is_float:
        value = integer(argument.name, value, argument.dtype if argument.kind == SCALAR else "index")
    try:
        return argument.value(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise RunError(f"argument '{argument.name}' can't be {value!r}: {error}") from None
