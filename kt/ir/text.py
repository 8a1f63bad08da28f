"""MLIR text of types, attributes and locations.

The functions take ``nested``, which prints the types and attributes inside; the printer passes its
own, which knows aliases.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from kt.ir import attributes as a
from kt.ir import numbers
from kt.ir import types as t
from kt.ir.attributes import Attribute
from kt.ir.diagnostics import CallSiteLoc, FileLoc, FusedLoc, Location, NameLoc, UnknownLoc
from kt.ir.lazy import np

Nested = Callable[[Attribute], str]
_MAX_LIST = 100
"""Longer element lists print as hexadecimal bytes, as in MLIR."""
_BARE = re.compile(r"[A-Za-z_][\w$.]*\Z", re.ASCII)


@cache
def takes_nested(cls: type[Attribute]) -> bool:
    """Whether a class's ``parameters`` accepts the printer of nested attributes."""
    return cls.parameters.__code__.co_argcount > 1


def parameters_of(attr: Attribute, nested: Nested) -> str:
    """Text behind the name of a dialect's type or attribute."""
    if takes_nested(attr.__class__):
        return attr.parameters(nested)  # type: ignore[call-arg]
    return attr.parameters()


def dims(shape: tuple[int, ...], scalable: tuple[bool, ...] = ()) -> str:
    """``4x?x[8]x``: extents, each followed by ``x``."""
    parts = []
    for i, extent in enumerate(shape):
        word = "?" if extent == t.DYNAMIC else str(extent)
        parts.append(f"[{word}]x" if scalable and scalable[i] else f"{word}x")
    return "".join(parts)


def function_text(inputs: Sequence[t.Type], results: Sequence[t.Type], text: Callable) -> str:
    """``(a, b) -> c``; several results, or a function as the only one, in parentheses."""
    left = ", ".join(text(x) for x in inputs)
    if len(results) == 1 and not isinstance(results[0], t.FunctionType):
        return f"({left}) -> {text(results[0])}"
    return f"({left}) -> ({', '.join(text(x) for x in results)})"


def type_text(type: t.Type, nested: Nested = str) -> str:
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
            more = f", {nested(type.layout)}" if type.layout is not None else ""
            return f"memref<{dims(type.shape)}{nested(type.element_type)}{more}{_space(type, nested)}>"
        case t.UnrankedMemRefType():
            return f"memref<*x{nested(type.element_type)}{_space(type, nested)}>"
        case t.OpaqueType():
            return f"!{type.text}"
        case _:
            return f"!{type.head()}{parameters_of(type, nested)}"


def _space(type: Any, nested: Nested) -> str:
    space = type.memory_space
    if space is None:
        return ""
    if isinstance(space, a.IntegerAttr):
        return f", {bare_text(space, nested)}"
    return f", {nested(space)}"


def bare_text(attr: Attribute, nested: Nested = str) -> str:
    """Like :func:`attribute_text`, but numbers of the default types (i64, f64) without their type."""
    if isinstance(attr, a.IntegerAttr) and attr.type is t.i64:
        return str(attr.value)
    if isinstance(attr, a.FloatAttr) and attr.type is t.f64:
        return numbers.format_float(attr.value, "f64")
    return nested(attr)


def attribute_text(attr: Attribute, nested: Nested = str) -> str:
    """The text of an attribute or type."""
    if isinstance(attr, t.Type):
        return type_text(attr, nested)
    printer = _PRINTERS.get(attr.__class__)
    if printer is not None:
        return printer(attr, nested)
    return f"#{attr.head()}{parameters_of(attr, nested)}"


def _integer(attr: a.IntegerAttr, nested: Nested) -> str:
    if attr.type is t.i1:
        return "true" if attr.value else "false"
    return f"{attr.value} : {nested(attr.type)}"


def _float(attr: a.FloatAttr, nested: Nested) -> str:
    return f"{numbers.format_float(attr.value, attr.type.dtype_name)} : {nested(attr.type)}"  # type: ignore


def _string(attr: a.StringAttr, nested: Nested) -> str:
    text = encode_string(attr.value)
    return text if attr.type is None else f"{text} : {nested(attr.type)}"


def key_text(key: str) -> str:
    """A key of a dictionary: bare if it is an identifier."""
    return key if _BARE.match(key) else encode_string(key)


def symbol_text(name: str) -> str:
    """``@name`` or ``@"any text"``."""
    return f"@{name}" if _BARE.match(name) else f"@{encode_string(name)}"


def entry_text(key: str, value: Attribute, nested: Nested) -> str:
    """One entry of a dictionary."""
    return key_text(key) if isinstance(value, a.UnitAttr) else f"{key_text(key)} = {nested(value)}"


def _dict(attr: a.DictAttr, nested: Nested) -> str:
    return f"{{{', '.join(entry_text(k, v, nested) for k, v in attr.entries)}}}"


def _array(attr: a.ArrayAttr, nested: Nested) -> str:
    return f"[{', '.join([bare_text(e, nested) for e in attr.elements])}]"


def _symbol_ref(attr: a.SymbolRefAttr, nested: Nested) -> str:
    return "::".join(symbol_text(name) for name in (attr.root, *attr.nested))


def _dense_array(attr: a.DenseArrayAttr, nested: Nested) -> str:
    items = element_texts(np.frombuffer(attr.bytes, attr.element_type.numpy_dtype()), attr.element_type)  # type: ignore
    body = f": {', '.join(items)}" if items else ""
    return f"array<{nested(attr.element_type)}{body}>"


def element_texts(values: np.ndarray, type: Any) -> list[str]:
    """Texts of elements given in the storage type."""
    if isinstance(type, t.FloatType):
        dtype = numbers.dtype(type.dtype_name)
        codes = values.view(f"<u{values.dtype.itemsize}")
        known: dict[int, str] = {}
        for code in codes.tolist():
            if code not in known:
                known[code] = _float_code(code, dtype, values.dtype.itemsize)
        return [known[code] for code in codes.tolist()]
    if isinstance(type, t.IntegerType) and type.width == 1:
        return ["true" if v else "false" for v in values.tolist()]
    return [str(v) for v in values.tolist()]


def _float_code(code: int, dtype: Any, size: int) -> str:
    value = float(numbers.from_bits(np.array(code, f"u{size}"), dtype))
    return numbers.format_float(value, dtype) if value == value else f"0x{code:X}"


def _dense(attr: a.DenseElementsAttr, nested: Nested) -> str:
    element = attr.type.element_type
    values = np.frombuffer(attr.data, element.numpy_dtype())
    suffix = f" : {nested(attr.type)}"
    if attr.is_splat:
        return f"dense<{element_texts(values, element)[0]}>{suffix}"
    if values.size == 0:
        return f"dense<>{suffix}"
    if values.size > _MAX_LIST and element is t.i1:
        packed = np.packbits(values, bitorder="little").tobytes()  # type: ignore[arg-type]
        return f'dense<"0x{packed.hex().upper()}">{suffix}'
    if values.size > _MAX_LIST:
        return f'dense<"0x{attr.data.hex().upper()}">{suffix}'
    return f"dense<{_nested_list(element_texts(values, element), attr.type.shape)}>{suffix}"


def _nested_list(items: list[str], shape: tuple[int, ...]) -> str:
    if not shape:
        return items[0]
    for extent in reversed(shape):
        items = [f"[{', '.join(items[i : i + extent])}]" for i in range(0, len(items), extent)]
    return items[0]


def _strided(attr: a.StridedLayoutAttr, nested: Nested) -> str:
    words = ["?" if s == t.DYNAMIC else str(s) for s in (*attr.strides, attr.offset)]
    offset = "" if attr.offset == 0 else f", offset: {words[-1]}"
    return f"strided<[{', '.join(words[:-1])}]{offset}>"


def distinct_text(number: int, attr: a.DistinctAttr, nested: Nested) -> str:
    """A distinct attribute under a number."""
    referenced = attr.referenced
    return f"distinct[{number}]<{nested(referenced) if referenced is not None else ''}>"


def location_text(location: Location, nested: Callable[[Location], str] | None = None) -> str:
    """What stands in ``loc(…)``."""
    inner = nested or location_text
    match location:
        case FileLoc():
            return f"{encode_string(location.file)}:{location.line}:{location.column}"
        case NameLoc():
            child = "" if isinstance(location.child, UnknownLoc) else f"({inner(location.child)})"
            return f"{encode_string(location.name)}{child}"
        case CallSiteLoc():
            return f"callsite({inner(location.callee)} at {inner(location.caller)})"
        case FusedLoc():
            metadata = f"<{location.metadata}>" if location.metadata is not None else ""
            return f"fused{metadata}[{', '.join(inner(x) for x in location.locations)}]"
        case _:
            return "unknown"


def encode_string(text: str) -> str:
    """The quoted form as MLIR writes it: printable ASCII as it is, all else as ``\\XX``."""
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    parts = []
    for byte in text.encode("utf-8", "surrogateescape"):
        if byte == 0x5C:
            parts.append("\\\\")
        elif 0x20 <= byte < 0x7F and byte != 0x22:
            parts.append(chr(byte))
        else:
            parts.append(f"\\{byte:02X}")
    return f'"{"".join(parts)}"'


_PRINTERS: dict[type, Callable[[Any, Nested], str]] = {
    a.UnitAttr: lambda attr, nested: "unit",
    a.IntegerAttr: _integer,
    a.FloatAttr: _float,
    a.StringAttr: _string,
    a.SymbolRefAttr: _symbol_ref,
    a.ArrayAttr: _array,
    a.DictAttr: _dict,
    a.DenseArrayAttr: _dense_array,
    a.DenseElementsAttr: _dense,
    a.OtherElementsAttr: lambda attr, nested: f"{attr.text} : {nested(attr.type)}",
    a.DenseResourceAttr: lambda attr, nested: f"dense_resource<{key_text(attr.key)}> : {nested(attr.type)}",
    a.AffineMapAttr: lambda attr, nested: f"affine_map<{attr.map}>",
    a.AffineSetAttr: lambda attr, nested: f"affine_set<{attr.set}>",
    a.StridedLayoutAttr: _strided,
    a.LocationAttr: lambda attr, nested: f"loc({location_text(attr.location)})",
    a.DistinctAttr: lambda attr, nested: distinct_text(attr.number, attr, nested),
    a.OpaqueAttr: lambda attr, nested: f"#{attr.text}",
}
