"""Running DataflowIR text: encode it, and execute the decoded artifact."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kt.binary import Program, encode
from kt.ir.core import Operation
from kt.ir.diagnostics import RunError
from kt.sim.run import CONVENTIONS, conventions_of
from kt.sim.runtime import Report, Runtime
from kt.sim.streams import Results

if TYPE_CHECKING:
    from kt.arch import Device


def run_dataflow(
    module: Operation,
    arguments: Mapping[str, Any] | Sequence[Any],
    device: Device,
    conventions: str | None = None,
    *,
    func: str | None = None,
    memory: Mapping[int, Any] | None = None,
    checks: bool = True,
    hazards: bool = False,
) -> tuple[Results, Report]:
    """Run a DataflowIR module on a simulated device; returns the buffers and what the run took.

    ``conventions`` say whose text it is, else the module's ``kt.conventions`` do: ``kt``, or ``scheduler``
    for what the upstream tool prints. There the start of a view counts elements if it is a constant and
    words if it is a symbol, where kt writes ``addr_unit``; arguments are byte addresses in both.
    ``memory`` holds arrays by byte address of the device memory, for text without arguments.
    ``hazards`` makes accesses that no signal orders, and signals that nobody awaits, errors.
    """
    program = program_of(module, device, conventions, func=func)
    runtime = Runtime(device, checks=checks, hazards=hazards)
    for address, array in (memory or {}).items():
        runtime.memory().put(address, array)
    kernel = runtime.load(program)
    return kernel(arguments), kernel.last


def program_of(
    module: Operation, device: Device, conventions: str | None = None, *, func: str | None = None
) -> Program:
    """The decoded artifact of a DataflowIR module; arguments as of :func:`run_dataflow`."""
    spoken = conventions if conventions is not None else conventions_of(module)
    if spoken not in CONVENTIONS or spoken == "ktir-cpu":
        raise RunError(
            f"DataflowIR doesn't come with conventions '{spoken}'", hint="kt or scheduler"
        )
    if spoken == "kt":
        _require_units(module)
    # Through its bytes: what runs is what a file would hold.
    return Program.from_bytes(encode(module, device, func=func).to_bytes())


def _require_units(module: Operation) -> None:
    """In kt's text a view says what a constant start counts, unless it starts at 0."""
    for op in module.walk():
        if op.name == "dataflow.get_logical_memory_view" and op.attr("addr_unit") is None:
            start = op.operands[1].owner
            value: Any = start.attr("value") if isinstance(start, Operation) else None
            if value is not None and value.value != 0:
                raise RunError(
                    "the view doesn't say what its start address counts",
                    op.location,
                    hint='add addr_unit = "words" or "elements"; text of the upstream tool runs with '
                    'conventions "scheduler"',
                )
