"""MLIR text of types and attributes (without aliases; the printer adds those)."""

from __future__ import annotations

from collections.abc import Callable

from kt.ir import types as t
from kt.ir.attributes import Attribute


def dims(shape: tuple[int, ...], scalable: tuple[bool, ...] = ()) -> str:
    """``4x?x[8]x``: extents, each followed by ``x``."""
    parts = []
    for i, extent in enumerate(shape):
        word = "?" if extent == t.DYNAMIC else str(extent)
        parts.append(f"[{word}]x" if scalable and scalable[i] else f"{word}x")
    return "".join(parts)


def function_text(inputs: tuple[t.Type, ...], results: tuple[t.Type, ...], text: Callable) -> str:
    """``(a, b) -> c``; several results, or a function as the only one, in parentheses."""
    left = ", ".join(text(x) for x in inputs)
    if len(results) == 1 and not isinstance(results[0], t.FunctionType):
        return f"({left}) -> {text(results[0])}"
    return f"({left}) -> ({', '.join(text(x) for x in results)})"


def type_text(type: t.Type, nested: Callable[[Attribute], str] = str) -> str:
    """The text of a type; ``nested`` prints types and attributes inside it."""
    match type:
        case t.IndexType():
            return "index"
        case t.IntegerType():
            return f"{type.signedness}i{type.width}"
        case t.BuiltinFloatType():
            return type.keyword
        case t.NoneType():
            return "none"
        case t.ComplexType():
            return f"complex<{nested(type.element_type)}>"
        case t.TupleType():
            return f"tuple<{', '.join(nested(x) for x in type.types)}>"
        case t.FunctionType():
            return function_text(type.inputs, type.results, nested)
        case t.VectorType():
            return f"vector<{dims(type.shape, type.scalable)}{nested(type.element_type)}>"
        case t.TensorType():
            more = f", {nested(type.encoding)}" if type.encoding is not None else ""
            return f"tensor<{dims(type.shape)}{nested(type.element_type)}{more}>"
        case t.UnrankedTensorType():
            return f"tensor<*x{nested(type.element_type)}>"
        case t.MemRefType():
            more = "".join(f", {nested(x)}" for x in (type.layout, type.memory_space) if x is not None)
            return f"memref<{dims(type.shape)}{nested(type.element_type)}{more}>"
        case t.UnrankedMemRefType():
            more = f", {nested(type.memory_space)}" if type.memory_space is not None else ""
            return f"memref<*x{nested(type.element_type)}{more}>"
        case t.OpaqueType():
            return f"!{type.text}"
        case _:
            return f"!{type.name}{type.parameters()}"
