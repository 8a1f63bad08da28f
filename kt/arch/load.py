"""Loading a device: shipped ones by name, files by path, declarations in a module."""

from __future__ import annotations

import os
from pathlib import Path

from kt.arch.device import Device
from kt.arch.files import SCHEME, file_module, imported_module, shipped_devices, shipped_module
from kt.ir.attributes import SymbolRefAttr
from kt.ir.core import Operation
from kt.ir.diagnostics import DeviceError, Note
from kt.ir.dialects.ktdf_arch import DeviceOp
from kt.ir.dialects.ktdf_arch_features import MAPS_TO
from kt.ir.symbols import lookup


def load_device(source: str | Path | Operation | Device, *, name: str | None = None) -> Device:
    """The device of a name, file, module or device op.

    ``source``: a shipped name (``toy``, ``kt:toy``), a path, a module with one device (a definition or
    an import, which is followed), a device op, or a Device. ``name`` picks one of several devices of a
    file. Raises DeviceError, or ParseError and VerifyError of the file.
    """
    if isinstance(source, Device):
        return source
    if isinstance(source, DeviceOp):
        return _of_declaration(source)
    if isinstance(source, Operation):
        return _of_declaration(_pick(source, name, f"'{source.name}'"))
    if not isinstance(source, (str, os.PathLike)):
        raise DeviceError(
            f"a {type(source).__name__} is no device",
            hint=f"name one ({', '.join(shipped_devices())}), or give the path of a file, or a module with one",
        )
    text = str(source)
    if text.startswith(SCHEME) or text in shipped_devices():
        chosen = text.removeprefix(SCHEME)
        wanted = name or chosen.rpartition("/")[2]
        return Device(_pick(shipped_module(chosen, None), wanted, f"'{text}'", inside=True))
    if isinstance(source, str) and "/" not in text and not text.endswith(".mlir"):
        raise DeviceError(
            f"no device is called '{text}'",
            hint=f"shipped devices: {', '.join(shipped_devices())}; or give the path of a file",
        )
    module = file_module(Path(text), None)
    return _of_declaration(_pick(module, name, f"'{text}'"))


def device_ops(module: Operation) -> list[DeviceOp]:
    """The devices that are direct children of a module."""
    return [
        op for region in module.regions for b in region for op in b.ops if isinstance(op, DeviceOp)
    ]


def find_device(op: Operation) -> DeviceOp | None:
    """The device op that an op belongs to, or None when there is none or no single one.

    The nearest ``ktdf_arch.maps_to`` around it that names a device, else the only device that stands
    in the modules around it.
    """
    seen: list[DeviceOp] = []
    here: Operation | None = op
    while here is not None:
        symbol = here.attributes.get(MAPS_TO)
        if isinstance(symbol, SymbolRefAttr):
            found = lookup(here, symbol)
            if isinstance(found, DeviceOp):
                return found
        if here.name == "builtin.module":
            seen += device_ops(here)
        here = here.parent_op
    return seen[0] if len(seen) == 1 else None


def _pick(module: Operation, name: str | None, where: str, inside: bool = False) -> DeviceOp:
    found = device_ops(module)
    named = [op for op in found if name is None or op.sym_name.value == name]
    if len(named) == 1:
        return named[0]
    if not found:
        raise DeviceError(
            f"no 'ktdf_arch.device' in {where}",
            module.location,
            hint=f"declare one, e.g. ktdf_arch.device @{shipped_devices()[-1]} "
            f'import("{SCHEME}{shipped_devices()[-1]}")',
        )
    names = ", ".join(op.sym_name.value for op in found)
    if not named:
        raise DeviceError(f"no device named '{name}' in {where}", hint=f"it has: {names}")
    raise DeviceError(
        f"several devices in {where}: {names}",
        named[1].location,
        notes=[Note("the first one is here", named[0].location)],
        hint="" if inside else "give the name of one",
    )


def _of_declaration(op: DeviceOp) -> Device:
    """A device op that may be an import."""
    if op.import_path is None:
        return Device(op)
    name, path = op.sym_name.value, op.import_path.value
    module = imported_module(path, op.location)
    found = next((d for d in device_ops(module) if d.sym_name.value == name), None)
    if found is None:
        names = ", ".join(d.sym_name.value for d in device_ops(module)) or "none"
        raise DeviceError(
            f"unable to import device graph: no device named '{name}' in \"{path}\"",
            op.location,
            hint=f"devices of that file: {names}",
        )
    if found.import_path is not None:
        raise DeviceError(
            "unable to import device graph: recursive importing is prohibited",
            op.location,
            notes=[Note("the imported device is an import itself", found.location)],
        )
    return Device(found, op)
