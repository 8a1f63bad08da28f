"""The artifact: what a compiled kernel is, on disk and in memory.

`model` holds the structures, `container`/`records`/`image` their bytes, `validate`/`streams` the checks of
the loader, `plans` and `expressions` the host's part of a launch, `encoder` and the `encode_…` files the
way from DataflowIR, `disassemble` the way to text. `Program` ties them together.

Sections of a ``.ktb`` file: META (canonical JSON), STRS, ARGS, UNIT, MEMS, SYMB (per launch site), EXPR,
PROG, IMAG (one image per program), RELO (table entries that hold symbols), PREP, EXEC (FOR, IF, LAUNCH),
TMPL (IR text of the instruction templates that are used), and optionally DBUG.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kt.binary.encoder import encode
    from kt.binary.errors import EncodeError
    from kt.binary.isa import Op
    from kt.binary.plans import Call
    from kt.binary.program import Program

_HOMES = {
    "Call": "kt.binary.plans",
    "EncodeError": "kt.binary.errors",
    "Op": "kt.binary.isa",
    "Program": "kt.binary.program",
    "encode": "kt.binary.encoder",
}
__all__ = ["Call", "EncodeError", "Op", "Program", "encode"]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'kt.binary' has no attribute '{name}'")
    return getattr(importlib.import_module(home), name)
