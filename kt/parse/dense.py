"""Element lists: ``dense<…>`` and ``array<…>`` bodies to bytes, by NumPy where they are plain numbers."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from kt.ir import numbers
from kt.ir import types as t
from kt.ir.attributes import DenseArrayAttr, DenseElementsAttr, OtherElementsAttr
from kt.ir.lazy import np
from kt.parse.pending import fail

_COMMENT = re.compile(r"//[^\n]*")
_TOKEN = re.compile(r"\s*(?:(true|false)|(-?)\s*(0x[0-9a-fA-F]+|[0-9]+\.[0-9]*(?:[eE][-+]?[0-9]+)?|[0-9]+)|([\[\],]))")


def dense_elements(text: str, type: t.Type) -> DenseElementsAttr | OtherElementsAttr:
    """The attribute of ``dense<…>`` or ``sparse<…>`` (whole text) with its type."""
    if not isinstance(type, (t.TensorType, t.VectorType, t.MemRefType)):
        fail(f"elements literal must be a shaped type, got '{type}'")
    if not type.has_static_shape:
        fail("elements literal type must have static shape")
    body = text[text.index("<") + 1 : -1].strip()
    if text.startswith("sparse") or not _is_plain(type.element_type):
        return OtherElementsAttr(text, type)
    if body.startswith('"'):
        return _from_hex(body, type)
    data, shape = _elements(body, type.element_type)
    count = type.num_elements()
    if shape == () and body:
        if not count:
            data = b""
        return DenseElementsAttr(type, data, count > 0)
    if shape != type.shape and not (count == 0 and len(data) == 0):
        words = f"[{', '.join(map(str, shape))}]"
        wanted = f"[{', '.join(map(str, type.shape))}]"
        fail(f"inferred shape of elements literal ({words}) does not match type ({wanted})")
    return _pack(type, data)


def _is_plain(element: t.Type) -> bool:
    """Whether elements are numbers of at most 64 bits."""
    if isinstance(element, t.IntegerType):
        return element.width <= 64
    if isinstance(element, t.FloatType):
        return element.bits <= 64
    return isinstance(element, t.IndexType)


def _pack(type: Any, data: bytes) -> DenseElementsAttr:
    """Elements that are all the same bits become a splat, as in MLIR."""
    size = type.element_type.numpy_dtype().itemsize
    first = data[:size]
    splat = len(data) > 0 and data == first * (len(data) // size)
    return DenseElementsAttr(type, first if splat else data, splat)


def _from_hex(body: str, type: Any) -> DenseElementsAttr:
    digits = body[1:-1]
    if not digits.startswith("0x"):
        fail("elements hex string should start with '0x'")
    try:
        data = bytes.fromhex(digits[2:])
    except ValueError:
        fail("elements hex data is not hexadecimal")
    count = type.num_elements()
    size = type.element_type.numpy_dtype().itemsize
    if type.element_type is t.i1:
        if len(data) == 1 and data[0] in (0, 1, 0xFF):
            return DenseElementsAttr(type, bytes([data[0] & 1]), count > 0)
        if len(data) != (count + 7) // 8:
            fail(f"elements hex data size is invalid for provided type: {type}")
        bits = np.unpackbits(np.frombuffer(data, np.uint8), bitorder="little")[:count]
        return _pack(type, bits.tobytes())
    if len(data) == size and count > 0:
        return DenseElementsAttr(type, data, True)
    if len(data) != count * size:
        fail(f"elements hex data size is invalid for provided type: {type}")
    return _pack(type, data)


def _elements(body: str, element: t.Type) -> tuple[bytes, tuple[int, ...]]:
    """Little-endian bytes and the shape of nested lists; shape () for a single number."""
    if not body:
        return b"", ()
    number = element.numpy_dtype() if hasattr(element, "numpy_dtype") else None  # type: ignore
    if number is None:
        fail(f"elements of type '{element}' can't be written as numbers")
    floats = isinstance(element, t.FloatType)
    try:
        # Big constants: JSON's scanner is written in C. Floats stay text, to be rounded once.
        nested = json.loads(body, parse_float=str) if "0x" not in body else None
    except ValueError:
        nested = None
    if nested is None:
        nested = _nested(_COMMENT.sub("", body))
    flat, shape = _flatten(nested)
    if floats:
        return _float_bytes(flat, element), shape
    return _integer_bytes(flat, element), shape


def _nested(body: str) -> Any:
    """Lists of str (floats and hex), int and bool, by hand."""
    stack: list[list[Any]] = [[]]
    at = 0
    while at < len(body.rstrip()):
        m = _TOKEN.match(body, at)
        if m is None:
            fail(f"unexpected {body[at:].strip()[:12]!r} in elements literal")
        assert m is not None
        at = m.end()
        word, sign, number, bracket = m.groups()
        if word:
            stack[-1].append(word == "true")
        elif number:
            if sign and number.startswith("0x"):
                fail("a hexadecimal literal can't be negative")
            plain = number.isdigit()
            stack[-1].append(int(sign + number) if plain else sign + number)
        elif bracket == "[":
            stack.append([])
        elif bracket == "]":
            done = stack.pop()
            if not stack:
                fail("']' without '[' in elements literal")
            stack[-1].append(done)
    if len(stack) != 1 or len(stack[0]) != 1:
        fail("expected one elements literal between '<' and '>'")
    return stack[0][0]


def _flatten(nested: Any) -> tuple[list[Any], tuple[int, ...]]:
    shape: list[int] = []
    level = [nested]
    while level and isinstance(level[0], list):
        size = len(level[0])
        if not all(isinstance(item, list) and len(item) == size for item in level):
            fail("tensor literal is invalid; ranks or extents are not consistent between elements")
        shape.append(size)
        level = [item for inner in level for item in inner]
    if any(isinstance(item, list) for item in level):
        fail("tensor literal is invalid; ranks are not consistent between elements")
    return level, tuple(shape)


def _float_bytes(flat: list[Any], element: Any) -> bytes:
    if not flat:
        return b""
    if any(not isinstance(x, str) for x in flat):
        fail("unexpected decimal integer literal for a floating point value",
             hint="add a trailing dot to make the literal a float")  # fmt: skip
    dtype = numbers.dtype(element.dtype_name)
    values = np.array([0.0 if text.startswith("0x") else float(text) for text in flat])
    # Rounding the nearest double again is wrong only where that double looks like a tie.
    known: dict[str, float] = {}
    for i in np.flatnonzero((values.view(np.int64) & 0xFFFFF) == 0).tolist():
        text = flat[i]
        if text not in known:
            known[text] = numbers.parse_float(text, dtype)
        values[i] = known[text]
    codes = np.asarray(numbers.to_bits(values, dtype))
    for i, text in enumerate(flat):  # NaN patterns keep their bits
        if text.startswith("0x"):
            codes[i] = int(text, 16)
    return codes.astype(f"<u{element.numpy_dtype().itemsize}").tobytes()


def _integer_bytes(flat: list[Any], element: Any) -> bytes:
    if isinstance(element, t.IntegerType) and element.width == 1:
        values = [int(x) if isinstance(x, bool) else _integer(x, element) & 1 for x in flat]
        return bytes(values)
    dtype = element.numpy_dtype()
    bits = 8 * dtype.itemsize
    mask = (1 << bits) - 1
    values = [_integer(x, element) & mask for x in flat]
    return np.array(values, f"<u{dtype.itemsize}").tobytes() if values else b""


def _integer(item: Any, element: Any) -> int:
    if isinstance(item, bool):
        fail("expected i1 type for 'true' or 'false' values")
    if isinstance(item, str):
        if not item.startswith("0x"):
            fail("expected integer elements, but parsed floating-point")
        item = int(item, 16)
    width = getattr(element, "width", 64)
    return wrap_integer(item, width, getattr(element, "signedness", ""))


def wrap_integer(value: int, width: int, signedness: str = "") -> int:
    """An integer literal in a type: in range signed or unsigned; signed unless the type is ``ui``."""
    low = 0 if signedness == "u" else -(1 << (width - 1)) if width else 0
    high = (1 << width) - 1 if signedness != "s" else (1 << (width - 1)) - 1
    if not low <= value <= high:
        fail("integer constant out of range for attribute")
    if signedness != "u" and value >= 1 << max(width - 1, 0) and width > 1:
        value -= 1 << width
    return value


def dense_array(element: Any, items: Sequence[str]) -> DenseArrayAttr:
    """``array<element: items>``."""
    if not hasattr(element, "numpy_dtype"):
        fail("expected integer or float type in dense array")
    flat = [_nested(item) for item in items]
    data = _float_bytes(flat, element) if isinstance(element, t.FloatType) else _integer_bytes(flat, element)
    return DenseArrayAttr(element, data)


def float_of_bits(bits: int, element: Any) -> float:
    """Value of a hexadecimal float literal."""
    try:
        return numbers.bits_to_float(bits, element.dtype_name)
    except ValueError as error:
        return fail(str(error))
