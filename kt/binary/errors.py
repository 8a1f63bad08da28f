"""Refusals of this package."""

from __future__ import annotations

from typing import Any

from kt.ir.diagnostics import ArtifactError, KtError


class EncodeError(KtError):
    """DataflowIR that has no binary form."""

    code = "encode"


def refuse(op: Any, message: str, hint: str | None = None) -> EncodeError:
    """An error at an operation."""
    return EncodeError(f"'{op.name}' op {message}", op.location, hint=hint)


def bad(code: str, message: str, section: str = "", record: int | None = None) -> ArtifactError:
    """An error in the bytes of an artifact; ``code`` as in the table of loader checks."""
    where = f" (section {section}" if section else ""
    if where:
        where += f", record {record})" if record is not None else ")"
    return ArtifactError(
        f"{message}{where}",
        code=code,
        hint="the file is damaged or was made by another version; build it again",
    )
