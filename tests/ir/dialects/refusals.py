"""What the dialect tests share: why an op is refused."""

from __future__ import annotations

from kt.ir.core import Operation
from kt.ir.diagnostics import VerifyError
from kt.ir.verifier import verify


def rejection(op: Operation) -> str | None:
    """What the op's own rules say; None if it keeps them. ``strict: …`` is what lenient mode skips."""
    try:
        op.verify_()
    except VerifyError as error:
        return ("strict: " if error.code == "strict" else "") + _message(error, op)
    return None


def refusal(op: Operation) -> str | None:
    """The verifier's first finding about the op, or None. ``strict: …`` is accepted in lenient mode."""
    try:
        verify(op)
    except VerifyError as error:
        return ("strict: " if _is_lenient(op) else "") + _message(error, op)
    return None


def _is_lenient(op: Operation) -> bool:
    try:
        verify(op, lenient=True)
    except VerifyError:
        return False
    return True


def _message(error: VerifyError, op: Operation) -> str:
    return error.message.removeprefix(f"'{op.name}' op ")
