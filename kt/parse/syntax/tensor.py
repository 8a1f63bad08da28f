"""Text of ``tensor.from_elements``."""

from __future__ import annotations

from typing import Any

from kt.ir import types as t
from kt.parse.syntax_api import Pending, fail, printer, syntax


@syntax("tensor.from_elements", rule="tensor_from_elements")
def build_from_elements(cls: Any, elements: Any, attributes: Any, type: Any) -> Pending:
    if not isinstance(type, t.TensorType):
        fail(f"expected a ranked tensor type, got '{type}'")
    return Pending(
        cls,
        operands=elements,
        types=(type.element_type,) * len(elements),
        result_types=(type,),
        attributes=attributes,
    )


@printer("tensor.from_elements")
def print_from_elements(p: Any, op: Any) -> None:
    p.write(" ")
    p.values(op.elements)
    p.attr_dict(op)
    p.write(" : ")
    p.type(op.result.type)
