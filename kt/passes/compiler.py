"""From a kernel to its artifact: which function, for which device, through which passes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from attrs import define, fields, frozen

from kt.arch import Device, device_ops, load_device, shipped_devices
from kt.ir.core import Operation
from kt.ir.diagnostics import KtError, Note, PassError
from kt.ir.verifier import verify
from kt.passes.base import Pass, PassContext
from kt.passes.manager import PassManager
from kt.passes.pipelines import LEGALITY, pipeline
from kt.sim.functions import find_function

if TYPE_CHECKING:
    from kt.binary import Program
    from kt.passes.instruments import Instrument
    from kt.passes.signature import Signature

DeviceLike = Device | Operation | str | Path


@frozen
class Options:
    """Options of a compilation.

    ``mode`` says how tiles are chosen (``capacity`` or ``upstream``), ``plan`` gives them by program
    (``{"local_schedule_0": {"tile": {"0": 4}, "depth": 2}}``). ``verify_each`` verifies the IR after
    every pass, ``lenient`` accepts what upstream's tools accept.
    """

    mode: str = "capacity"
    plan: Mapping[str, Any] | None = None
    verify_each: bool = True
    lenient: bool = False

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """From keyword arguments; KtError for an unknown one."""
        known = [f.name for f in fields(cls)]
        strange = [name for name in given if name not in known]
        if strange:
            raise KtError(
                f"there is no option '{strange[0]}'", hint=f"options: {', '.join(known)}", code="option"
            )
        return cls(**given)


@define(eq=False, slots=False)
class Compilation:
    """One kernel on its way to a device. ``module`` is a copy of ``source`` and changes as passes run."""

    source: Operation
    module: Operation
    kernel: str
    device: Device
    options: Options
    context: PassContext

    @classmethod
    def start(
        cls,
        module: Operation,
        device: DeviceLike | None = None,
        func: str | None = None,
        options: Options | None = None,
    ) -> Self:
        """Choose kernel and device.

        A device that the module declares wins over ``device``, with a warning if they differ.
        """
        options = options or Options()
        verify(module, options.lenient)
        source, module = module, module.clone()
        function: Any = find_function(module, func)
        _keep_only(module, function)
        context = PassContext()
        context.device = _choose_device(module, device, context)
        if isinstance(device, (str, Path)):
            context.options["device"] = str(device)
        return cls(source, module, function.symbol, context.device, options, context)

    @cached_property
    def signature(self) -> Signature:
        """What the kernel's text says about its arguments."""
        from kt.passes.signature import Signature

        return Signature.of(self.source, self.kernel)

    def check_legal(self) -> None:
        """Raise PassError, with everything found, if the kernel can't be compiled for the device."""
        context = PassContext(self.device, dict(self.context.options))
        PassManager(LEGALITY, lenient=self.options.lenient).run(self.module.clone(), context)

    def lower(
        self,
        level: str = "dataflow",
        instruments: Sequence[Instrument] = (),
        passes: Sequence[Pass | str] | None = None,
    ) -> Operation:
        """Run the passes up to a level (or other ``passes``) and return the module."""
        items = pipeline(level, self.options.mode, self.options.plan) if passes is None else passes
        manager = PassManager(
            items, self.options.verify_each, instruments, keep_input=True, lenient=self.options.lenient
        )
        manager.run(self.module, self.context)
        return self.module

    def encode(self, module: Operation | None = None) -> Program:
        """The artifact of the lowered module."""
        from kt.binary.encoder import encode

        return self.signature.added_to(encode(module or self.module, self.device, func=self.kernel))


def _keep_only(module: Operation, kernel: Any) -> None:
    """Drop the functions that the kernel doesn't reach."""
    functions = {op.symbol: op for op in module.body.ops if op.name == "func.func"}  # type: ignore[attr-defined]
    kept, todo = {kernel.symbol}, [kernel]
    while todo:
        for op in todo.pop().walk():
            name = op.attr("callee").leaf if op.name == "func.call" else None
            if name in functions and name not in kept:
                kept.add(name)
                todo.append(functions[name])
    for name, op in functions.items():
        if name not in kept and op.attr("kt.template") is None and kernel.parent_op is op.parent_op:
            op.erase()


def _choose_device(module: Operation, device: DeviceLike | None, context: PassContext) -> Device:
    declared = device_ops(module)
    if not declared:
        if device is None:
            raise PassError(
                "the kernel declares no device, and none was given",
                module.location,
                hint=f"give one: {', '.join(shipped_devices())}, or the path of a device file",
            )
        return load_device(device)
    found = load_device(module)
    if device is not None:
        wanted = load_device(device)
        if wanted.op is not found.op and str(wanted.op) != str(found.op):
            context.warn(
                f"the kernel declares device @{found.name}, so @{wanted.name} is not used",
                declared[0].location,
                [Note("the other device", wanted.location)],
            )
    return found
