"""The functions of ``import kt``.

>>> import kt                                                             # doctest: +SKIP
>>> module = kt.parse_file("examples/add.mlir")                           # doctest: +SKIP
>>> program = kt.compile(module, kt.device("toy"))                        # doctest: +SKIP
>>> kernel = kt.Runtime(kt.device("toy")).load(program)                   # doctest: +SKIP
>>> results = kernel({"x": x, "y": y, "z": np.zeros_like(x)})             # doctest: +SKIP

Kernel arguments are a mapping from the names in the text (without ``%``), or a sequence in signature
order. An array stands for the buffer that a base-pointer argument points to: it is copied in, and
comes back after the run under its name. Every refusal is a :class:`kt.KtError` with ``message``,
``location`` and ``code``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kt.arch import Device, device_ops, load_device
from kt.parse import parse_path, parse_text, print_op

if TYPE_CHECKING:
    import numpy as np

    from kt.binary import Program
    from kt.ir.core import Operation
    from kt.passes.checking import CheckReport
    from kt.passes.compiler import DeviceLike
    from kt.sim.machine import Machine

Arguments = Mapping[str, Any] | Sequence[Any]


def parse(text: str, name: str = "<string>") -> Any:
    """Read a module from text; ``name`` is what messages call it."""
    return parse_text(text, name)


def parse_file(path: str | Path) -> Any:
    """Read a module from a file."""
    return parse_path(path)


def module_of(kernel: Any) -> Any:
    """The module of a ``kt.kernel``, or the module that is given. KtError for anything else."""
    from kt.ir.core import Operation
    from kt.ir.diagnostics import KtError

    found = getattr(kernel, "module", kernel)
    if not isinstance(found, Operation):
        text = "kt.parse(text) or kt.parse_file(path)"
        raise KtError(f"a {type(kernel).__name__} is no module", hint=f"read it with {text}", code="argument")
    return found


def print_module(module: Operation, generic: bool = False, locations: bool = False) -> str:
    """Text of a module; ``generic`` in MLIR's generic form, with ``locations`` if wanted."""
    return print_op(module_of(module), generic=generic, locations=locations)


def verify(module: Operation, lenient: bool = False) -> None:
    """Raise VerifyError, with all findings, unless the module keeps the rules.

    ``lenient`` lets pass what upstream's tools accept although it contradicts itself.
    """
    from kt.ir import verifier

    verifier.verify(module_of(module), lenient)


def device(source: DeviceLike) -> Device:
    """The device of a shipped name (``toy``, ``spyre``), of a file, or of a module."""
    return load_device(source)


def compile(
    module: Operation, device: DeviceLike | None = None, func: str | None = None, **options: Any
) -> Program:
    """Compile a kernel (a module, or what ``kt.kernel`` made) for a device.

    ``func`` names the kernel if the module has several. Options: ``mode`` (``capacity``,
    ``upstream``), ``plan`` (tiles by program), ``verify_each``, ``lenient``; see
    :class:`kt.passes.compiler.Options`. A device that the module declares wins over ``device``.
    """
    from kt.passes.compiler import Compilation, Options

    compilation = Compilation.start(module_of(module), device, func, Options.of(options))
    compilation.lower()
    return compilation.encode()


def simulate(
    module: Operation,
    arguments: Arguments = (),
    func: str | None = None,
    checks: bool = True,
    *,
    device: DeviceLike | None = None,
    seed: int = 0,
    machine: Machine | None = None,
) -> dict[str, np.ndarray]:
    """Run a module of any level by the meaning of its operations, without a device's timing.

    Parameters
    ----------
    arguments : by name (as in the text, without ``%``) or in order; missing ones are generated from
        ``seed``. A base pointer (``index``) takes an array in the shape of its view, with
        dimensions of it merged (flat above all) or split, or a larger one of which the view is a part:
        float16, float32, float64 and integers as NumPy has them, bool or uint8 for i1, and unsigned codes
        or float32 values for bf16, df16 and other floats. In the kernel the pointer counts elements of
        the view. Other arguments are numbers.
    func : the function; may be left out if only one is called by no other.
    checks : make errors of reads of data that was never written, of accesses that different tiles
        make to the same bytes in no order, and of exchanges that tiles reach differently often.
        Accesses out of range are errors in any case.
    device : gives memories, templates and the number of cores; else the device that the module
        declares, else one global memory of 8 GiB and a scratchpad of 2 MiB per tile.
    machine : memories to run on (:class:`kt.sim.machine.Machine`), so that one kernel finds in the
        scratchpads what another left there; it has a device of its own.

    Returns all buffers after the run by name, in the form in which they were given, and the results
    of the function as ``result0``, …; where a result differs between the tiles it has one more axis
    for them in front. Raises :class:`kt.KtError` with operation, tile, coordinates and memory.
    """
    from kt.sim import simulate as executor

    module = module_of(module)
    if device is None and device_ops(module):
        device = module
    loaded = None if device is None else load_device(device)
    return executor.simulate(module, arguments, func, checks, machine, device=loaded, seed=seed)


def check(
    module: Operation,
    device: DeviceLike | None = None,
    arguments: Arguments | None = None,
    func: str | None = None,
    seed: int = 0,
    **options: Any,
) -> CheckReport:
    """Run the IR after every pass, and the decoded artifact, and compare with the kernel's meaning.

    The report has ``ok`` and one entry per pass; it ends at the first pass that changed the meaning.
    """
    from kt.passes.checking import check_kernel
    from kt.passes.compiler import Options

    return check_kernel(module_of(module), device, arguments, func, seed, Options.of(options))
