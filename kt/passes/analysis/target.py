"""The device that a module is compiled for."""

from __future__ import annotations

from kt.arch import Device, load_device
from kt.arch.load import device_ops
from kt.ir.attributes import Attribute
from kt.ir.core import Operation
from kt.ir.diagnostics import Note, PassError
from kt.ir.types import Type
from kt.passes.base import PassContext


def device_of(module: Operation, ctx: PassContext) -> Device:
    """The device that the module declares, else that of the context. PassError if there is none.

    The context keeps what was found, so that the file is read once.
    """
    declared = device_ops(module)
    given: Device | None = ctx.device
    if declared:
        if given is None or given.name != declared[0].sym_name.value:
            found = load_device(declared[0])
            if given is not None:
                ctx.warn(
                    f"compiling for @{found.name}, which the module declares, not for @{given.name}",
                    declared[0].location,
                )
            ctx.device = found
        return ctx.device
    if given is None:
        raise PassError(
            "no device to compile for",
            module.location,
            hint='name one, or write ktdf_arch.device @NAME import("FILE.mlir") into the module',
        )
    return given


def device_if_known(module: Operation, ctx: PassContext) -> Device | None:
    """The device of a module; None where neither it nor the context names one."""
    return device_of(module, ctx) if ctx.device is not None or device_ops(module) else None


def compute_kind(device: Device) -> str:
    """The kind of the units that compute. PassError if the device has none."""
    kind = device.compute_kind
    if kind is None:
        raise PassError(
            f"device @{device.name} has no unit that computes",
            device.location,
            hint="give one of its exec_units the compute feature",
        )
    return kind  # type: ignore[return-value]


def compute_unit(device: Device) -> Attribute:
    """The kind of the units that compute, as an attribute."""
    kind = device.unit(compute_kind(device)).kind_attr
    assert kind is not None
    return kind


def lanes_for(device: Device, types: list[Type], user: Operation) -> int:
    """Vector length of a computation over these element types: what fits the widest of them.

    Types without lanes of their own that are made by comparisons (i1) take those of the others.
    PassError names the type and the device if it has no lanes.
    """
    kind = compute_kind(device)
    counts: list[int] = []
    for type in types:
        count = device.lanes(kind, type)
        if count:
            counts.append(count)
        elif str(type) != "i1":
            known = ", ".join(str(x) for x in device.element_types(kind)) or "none"
            raise PassError(
                f"device @{device.name} computes no vectors of '{type}'",
                user.location,
                notes=[Note(f"its '{kind}' has lanes for {known}", device.unit(kind).location)],
                hint="convert to one of these types in the kernel",
            )
    return min(counts) if counts else max(device.lanes(kind, x) for x in device.element_types(kind))
