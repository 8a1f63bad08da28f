"""The artifact: container, expressions, images, encoder, loader, plans, disassembler."""

from __future__ import annotations

from kt.binary.encoder import encode
from kt.binary.errors import EncodeError
from kt.binary.isa import Op
from kt.binary.plans import Call
from kt.binary.program import Program

__all__ = ["Call", "EncodeError", "Op", "Program", "encode"]
