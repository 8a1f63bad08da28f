"""ensure-device-declaration: the module says which device it is compiled for."""

from __future__ import annotations

import os
from typing import Any

from attrs import frozen

from kt.arch import Device, load_device
from kt.arch.load import SCHEME, device_ops, shipped_devices
from kt.ir.core import Operation, Region
from kt.ir.diagnostics import PassError
from kt.ir.dialects.ktdf_arch import DeviceOp
from kt.passes.analysis.target import device_of
from kt.passes.manager import Pass, PassContext, register_pass


@register_pass
@frozen
class EnsureDeviceDeclaration(Pass):
    """Declare the device in the module, unless it is declared already.

    ``device`` is the name of a shipped device or the path of a file, ``device_name`` picks one of
    several devices of the file; without them the device of the compilation is taken::

        module { func.func @f() … }

        module { ktdf_arch.device @toy import("kt:toy")
                 func.func @f() … }

    A device that is neither shipped nor in a file is put into the module as a whole. Paths are kept
    relative to the working directory.
    """

    name = "ensure-device-declaration"
    device: str = ""
    device_name: str = ""

    def run(self, module: Any, ctx: PassContext) -> None:
        if device_ops(module):
            device_of(module, ctx).check_schedulable()
            return
        source = self.device or ctx.options.get("device") or ctx.device
        if not source:
            raise PassError(
                "the module declares no device, and none was given",
                module.location,
                hint=f"name a device ({', '.join(shipped_devices())}) or the path of its file",
            )
        path = os.fspath(source) if isinstance(source, (str, os.PathLike)) else None
        device = load_device(path, name=self.device_name or None) if path else source
        assert isinstance(device, Device)
        device.check_schedulable()
        module.body.prepend(_declaration(device, path))
        ctx.device = device
        ctx.stat("inserted")


def _declaration(device: Device, path: str | None) -> Operation:
    """The op that declares a device: an import, or the definition itself."""
    if path is None:
        place = device.op.location.position()
        if place is None or place.file != f"{SCHEME}{device.name}":  # not one that kt ships
            return device.op.clone()
        path = place.file
    elif path in shipped_devices() or path.startswith(SCHEME):
        path = SCHEME + path.removeprefix(SCHEME)
    elif os.path.isabs(path):
        path = os.path.relpath(path)
    return DeviceOp.build(sym_name=device.name, import_path=path, regions=[Region()])
