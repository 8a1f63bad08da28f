"""What the dialect tests share: an op is refused with exactly this message."""

from __future__ import annotations

import pytest

from kt.ir.core import Operation
from kt.ir.diagnostics import VerifyError
from kt.ir.verifier import verify


def rejected(op: Operation, message: str, strict: bool = False) -> None:
    """The op's own rules fail with the message; strict rules are those that lenient mode skips."""
    with pytest.raises(VerifyError) as caught:
        op.verify_()
    assert caught.value.message == f"'{op.name}' op {message}"
    assert caught.value.code == ("strict" if strict else "verify")


def refused(op: Operation, message: str, strict: bool = False) -> None:
    """The verifier's first finding about the op is the message."""
    with pytest.raises(VerifyError) as caught:
        verify(op)
    assert caught.value.message == f"'{op.name}' op {message}"
    if strict:
        verify(op, lenient=True)
