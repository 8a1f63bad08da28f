"""The artifact: what a compiled kernel is, on disk and in memory.

`model` holds the structures, `container`/`records`/`image` their bytes, `validate`/`streams` the checks of
the loader, `plans` and `expressions` the host's part of a launch, `encoder` and the `encode_…` files the
way from DataflowIR, `disassemble` the way to text. `Program` ties them together.

Sections of a ``.ktb`` file: META (canonical JSON), STRS, ARGS, UNIT, MEMS, SYMB (per launch site), EXPR,
PROG, IMAG (one image per program), RELO (table entries that hold symbols), PREP, EXEC (FOR, IF, LAUNCH),
TMPL (IR text of the instruction templates that are used), and optionally DBUG.
"""

from __future__ import annotations

from kt.binary.encoder import encode
from kt.binary.errors import EncodeError
from kt.binary.isa import Op
from kt.binary.plans import Call
from kt.binary.program import Program

__all__ = ["Call", "EncodeError", "Op", "Program", "encode"]
