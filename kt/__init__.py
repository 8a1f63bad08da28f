"""kt: compile KTIR kernels for scratchpad accelerators described in a file, and run the result.

>>> import kt
>>> module = kt.parse_file("examples/add.mlir")            # doctest: +SKIP
>>> program = kt.compile(module, kt.device("toy"))         # doctest: +SKIP
>>> kernel = kt.Runtime(kt.device("toy")).load(program)    # doctest: +SKIP
>>> kernel({"x": x, "y": y, "out": out})                   # doctest: +SKIP

Names are loaded on first use, so that ``import kt`` stays cheap.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOMES = {
    "parse": "kt.api",
    "parse_file": "kt.api",
    "print_module": "kt.api",
    "verify": "kt.api",
    "device": "kt.api",
    "compile": "kt.api",
    "simulate": "kt.api",
    "check": "kt.api",
    "diff": "kt.view",
    "diff_passes": "kt.view",
    "register_dialect": "kt.plugins",
    "register_pass": "kt.plugins",
    "register_pattern": "kt.plugins",
    "Device": "kt.arch",
    "Program": "kt.binary",
    "Runtime": "kt.sim",
    "PassManager": "kt.passes.manager",
    "KtError": "kt.ir.diagnostics",
}
__all__ = ["__version__", *_HOMES]

if TYPE_CHECKING:
    from kt.api import check, compile, device, parse, parse_file, print_module, simulate, verify
    from kt.arch import Device
    from kt.binary import Program
    from kt.ir.diagnostics import KtError
    from kt.passes.manager import PassManager
    from kt.sim import Runtime


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'kt' has no attribute '{name}'")
    value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
