"""linalg ops whose implied body depends on an attribute, when that attribute is something else."""

from __future__ import annotations

import pytest

from kt.ir.diagnostics import KtError
from kt.ir.verifier import verify
from kt.parse import parse_text

T = "tensor<4x4xf32>"


@pytest.mark.parametrize(
    ("op", "key"),
    [
        (f'"linalg.matmul"(%t, %t, %t) <{{cast = 1 : i32, operandSegmentSizes = array<i32: 2, 1>}}> ({{}}) : ({T}, {T}, {T}) -> {T}', "cast"),
        (f"linalg.matmul {{cast = #foo<bar>}} ins(%t, %t : {T}, {T}) outs(%t : {T}) -> {T}", "cast"),
        (f"linalg.copy {{cast = unit}} ins(%t : {T}) outs(%t : {T}) -> {T}", "cast"),
        (f'"linalg.elementwise"(%t, %t) <{{kind = "exp", operandSegmentSizes = array<i32: 1, 1>}}> ({{}}) : ({T}, {T}) -> {T}', "kind"),
    ],
)  # fmt: skip
def test_an_attribute_of_another_kind_is_refused(op, key):
    with pytest.raises(KtError, match=f"attribute '{key}' failed to satisfy constraint"):
        verify(parse_text(f"func.func @f(%t: {T}) {{\n  %r = {op}\n  return\n}}"))
