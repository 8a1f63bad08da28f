"""Snippets that the verifier must refuse, put into a function with values of many types."""

from __future__ import annotations

from kt.ir.diagnostics import KtError
from kt.ir.verifier import verify
from kt.parse import parse_text

ARGUMENTS = (
    "%i: index, %n: index, %a: i32, %w: i64, %f: f32, %h: f16, %c: i1, %t: tensor<4x8xf32>, "
    "%t2: tensor<8x4xf32>, %v: tensor<4xf32>, %d: tensor<?x8xf32>, %th: tensor<4x8xf16>, "
    "%ti: tensor<4x8xi32>, %m: memref<4x8xf32>, %mh: memref<4x8xf16>, %k: vector<4xf32>, "
    "%b: tensor<2xi1>, %s: tensor<f32>, %sh: tensor<2xindex>"
)


def module_of(body: str, end: str = "return") -> str:
    """``body`` in a function that has the values of ARGUMENTS, beside a function ``@g``."""
    return f"func.func private @g(i32) -> i32\nfunc.func @f({ARGUMENTS}) {{\n{body}\n{end}\n}}\n"


def accepted(body: str, end: str = "return"):
    """The verified module of a snippet."""
    module = parse_text(module_of(body, end))
    verify(module)
    return module


def refusal(body: str, end: str = "return") -> str | None:
    """What parser or verifier say first of all against a snippet; None if they accept it."""
    try:
        accepted(body, end)
    except KtError as error:
        return error.message
    return None
