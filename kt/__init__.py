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
    "kernel": "kt.kernels",
    "ops": "kt.ops",
    "register_dialect": "kt.plugins",
    "register_pass": "kt.plugins",
    "register_pattern": "kt.plugins",
    "Device": "kt.arch",
    "Program": "kt.binary",
    "Runtime": "kt.sim",
    "PassManager": "kt.passes.manager",
    "KtError": "kt.ir.diagnostics",
}
__all__ = ["__version__", *_HOMES]  # pyright: ignore[reportUnsupportedDunderAll]

if TYPE_CHECKING:
    from kt import ops as ops
    from kt.api import check as check
    from kt.api import compile as compile
    from kt.api import device as device
    from kt.api import parse as parse
    from kt.api import parse_file as parse_file
    from kt.api import print_module as print_module
    from kt.api import simulate as simulate
    from kt.api import verify as verify
    from kt.arch import Device as Device
    from kt.binary import Program as Program
    from kt.ir.diagnostics import KtError as KtError
    from kt.kernels import kernel as kernel
    from kt.passes.manager import PassManager as PassManager
    from kt.plugins import register_dialect as register_dialect
    from kt.plugins import register_pass as register_pass
    from kt.plugins import register_pattern as register_pattern
    from kt.sim import Runtime as Runtime
    from kt.view import diff as diff
    from kt.view import diff_passes as diff_passes


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'kt' has no attribute '{name}'")
    module = importlib.import_module(home)
    value = module if home == f"{__name__}.{name}" else getattr(module, name)
    # The package kt.parse is there by now, and can be called: `kt.parse.printer` must go on working.
    return globals().setdefault(name, value)


def __dir__() -> list[str]:
    return sorted(__all__)
