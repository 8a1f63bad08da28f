"""Element lists: ``dense<…>`` and ``array<…>`` bodies to bytes, by NumPy where they are plain numbers."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from kt.ir import numbers
from kt.ir import types as t
from kt.ir.attributes import DenseArrayAttr, DenseElementsAttr, OtherElementsAttr
from kt.ir.lazy import np
from kt.ir.numbers.rare import RARE
from kt.parse.pending import SyntaxFailure, fail
from kt.parse.tokens import MAX_DIGITS

_NOT_JSON = 'xnN"{'
"""Characters of bit patterns, and of what JSON takes but MLIR doesn't (names of numbers, objects)."""
_BARE_POINT = re.compile(r"\.(?![0-9])")
_COMMENT = re.compile(r"//[^\n\r]*")
_WIDE_TOKEN = re.compile(r"\s*(?:(-?)\s*(0x[0-9a-fA-F]+|[0-9]+\.[0-9]*(?:[eE][-+]?[0-9]+)?|[0-9]+)|([\[\](),]))")
_TOKEN = re.compile(r"\s*(?:(true|false)|(-?)\s*(0x[0-9a-fA-F]+|[0-9]+\.[0-9]*(?:[eE][-+]?[0-9]+)?|[0-9]+)|([\[\],]))")


def dense_elements(text: str, type: t.Type) -> DenseElementsAttr | OtherElementsAttr:
    """The attribute of ``dense<…>`` or ``sparse<…>`` (whole text) with its type."""
    if not isinstance(type, (t.TensorType, t.VectorType, t.MemRefType)):
        fail(f"elements literal must be a shaped type, got '{type}'")
    if not type.has_static_shape:
        fail("elements literal type must have static shape")
    body = text[text.index("<") + 1 : -1].strip()
    if text.startswith("sparse") or not _is_plain(type.element_type):
        if text.startswith("dense") and isinstance(type.element_type, (t.ComplexType, t.IntegerType, t.FloatType)):
            text = f"dense<{_tidy(body, type.element_type)}>"
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


def _tidy(body: str, element: t.Type) -> str:
    """The text of wide, rare or complex numbers as it is printed; strings of bytes as they are."""
    parts: list[str] = []
    numbers_of = element.element_type if isinstance(element, t.ComplexType) else element
    leaves: set[str] = set()
    at, size, open_pair = 0, len(body), False
    while at < size:
        m = _WIDE_TOKEN.match(body, at)
        if m is None:
            return body
        at = m.end()
        sign, number, mark = m.groups()
        if mark is None:
            parts.append(_number_text(number, bool(sign), numbers_of))
            if not isinstance(element, t.ComplexType):
                leaves.add(parts[-1])
            continue
        open_pair = mark == "(" or (open_pair and mark != ")")
        parts.append(", " if mark == "," and not open_pair else mark)
        if mark == ")":
            leaves.add("".join(parts[-5:]))
    return leaves.pop() if len(leaves) == 1 else "".join(parts)


def _number_text(number: str, negative: bool, type: Any) -> str:
    """A literal as it is printed in a type; refuses what isn't one of it."""
    if isinstance(type, t.FloatType):
        if number.startswith("0x"):
            value = float_of_bits(int(number, 16), type)
        elif "." not in number:
            return fail("expected floating-point elements, but parsed integer")
        else:
            value = numbers.parse_float(f"{'-' * negative}{number}", type.dtype_name)
        return numbers.format_float(value, type.dtype_name)
    if "." in number:
        fail("expected integer elements, but parsed floating-point")
    whole = int(number, 0) if number.startswith("0x") else int(number)
    value = wrap_integer(-whole if negative else whole, getattr(type, "width", 64), getattr(type, "signedness", ""))
    return ("true" if value else "false") if type is t.i1 else str(value)


def _is_plain(element: t.Type) -> bool:
    """Whether elements are numbers of at most 64 bits."""
    if isinstance(element, t.IntegerType):
        return element.width <= 64
    if isinstance(element, t.FloatType):
        return element.dtype_name not in RARE
    return isinstance(element, t.IndexType)


def _pack(type: Any, data: bytes) -> DenseElementsAttr:
    """Elements that are all the same bits become a splat, as in MLIR."""
    size = type.element_type.itemsize
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
    size = type.element_type.itemsize
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
    if not hasattr(element, "numpy_dtype"):
        fail(f"elements of type '{element}' can't be written as numbers")
    flat, shape = _flatten(_scan(body))
    if not isinstance(element, t.FloatType):
        return _integer_bytes(flat, element), shape
    kinds = set(map(type, flat))
    if kinds <= {float} and body.count(".") >= len(flat):  # JSON takes `1e5`, which has no point
        return _float_bytes(flat, element, _Items(body)), shape
    if not kinds <= {str}:
        fail("unexpected decimal integer literal for a floating point value",
             hint="add a trailing dot to make the literal a float")  # fmt: skip
    return _float_text_bytes(flat, element), shape


def _scan(body: str) -> Any:
    """Nested lists of float, int and bool; of text for floats where there are bit patterns.

    JSON's scanner, which is written in C, reads what it can: big constants are plain numbers.
    """
    if not any(mark in body for mark in _NOT_JSON):
        with contextlib.suppress(ValueError):
            return json.loads(body)
        with contextlib.suppress(ValueError):
            return json.loads(_BARE_POINT.sub(".0", body))
    return _nested(_COMMENT.sub("", body))


def _nested(body: str) -> Any:
    """Lists of str (floats and hex), int and bool, by hand."""
    stack: list[list[Any]] = [[]]
    at, size, wants_item = 0, len(body.rstrip()), True
    while at < size:
        m = _TOKEN.match(body, at)
        if m is None or wants_item == (m[4] == "," or (m[4] == "]" and body[at - 1] != "[")):
            fail(f"unexpected {body[at:].strip()[:12]!r} in elements literal")
        assert m is not None
        at = m.end()
        word, sign, number, mark = m.groups()
        wants_item = mark in (",", "[")
        if word:
            stack[-1].append(word == "true")
        elif number:
            if sign and number.startswith("0x"):
                fail("a hexadecimal literal can't be negative")
            if len(number) > MAX_DIGITS:
                fail(f"a number of {len(number)} digits; {MAX_DIGITS} are read")
            plain = number.isdigit()
            stack[-1].append(int(sign + number) if plain else sign + number)
        elif mark == "[":
            stack.append([])
        elif mark == "]":
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
    while level and type(level[0]) is list:
        size = len(level[0])
        if set(map(type, level)) != {list} or set(map(len, level)) != {size}:
            fail("tensor literal is invalid; ranks or extents are not consistent between elements")
        shape.append(size)
        level = level[0] if len(level) == 1 else [item for inner in level for item in inner]
    if list in set(map(type, level)):
        fail("tensor literal is invalid; ranks are not consistent between elements")
    return level, tuple(shape)


class _Items:
    """The texts between the commas of a literal, found when one is asked for."""

    def __init__(self, body: str) -> None:
        self.body = body
        self.commas: list[int] | None = None

    def __getitem__(self, number: int) -> str:
        if self.commas is None:
            found = np.flatnonzero(np.frombuffer(self.body.encode(), np.uint8) == ord(","))
            self.commas = [-1, *found.tolist(), len(self.body)]
        return self.body[self.commas[number] + 1 : self.commas[number + 1]].strip("[] \t\r\n")


def _float_bytes(flat: list[float], element: Any, texts: Any) -> bytes:
    """Elements from the doubles nearest to their ``texts``, as if the texts were rounded once."""
    dtype = numbers.dtype(element.dtype_name)
    values = np.array(flat, np.float64)
    codes = np.asarray(numbers.to_bits(values, dtype))
    # The text decides where its double is a tie of the type; only short doubles can be one.
    short = np.flatnonzero(((values.view(np.int64) & 0xFFFFF) == 0) & (values != 0))
    if dtype.name != "f64" and short.size:
        below, above = (
            np.asarray(numbers.to_bits(np.nextafter(values[short], end), dtype))
            for end in (-np.inf, np.inf)
        )
        ties = np.flatnonzero(below != above).tolist()
        for i in ties:
            at = int(short[i])
            exact, near = Decimal(texts[at]), Decimal(flat[at])
            if exact != near:
                codes[at] = above[i] if exact > near else below[i]
    return codes.astype(f"<u{element.itemsize}").tobytes()


def _float_text_bytes(flat: list[str], element: Any) -> bytes:
    """Elements of which some are bit patterns, so that NaN keeps its bits."""
    texts = [text if not text.startswith("0x") else "0.0" for text in flat]
    data = _float_bytes([float(text) for text in texts], element, texts)
    codes = np.frombuffer(data, f"<u{element.itemsize}").copy()
    for i, text in enumerate(flat):
        if text.startswith("0x"):
            code = int(text, 16)
            if code >> element.bits:
                fail(f"hexadecimal float constant out of range for type '{element}'")
            codes[i] = code
    return codes.tobytes()


def _integer_bytes(flat: list[Any], element: Any) -> bytes:
    kinds = set(map(type, flat))
    width = getattr(element, "width", 64)
    if kinds == {bool} and width == 1:
        return bytes(flat)
    dtype = element.numpy_dtype()
    if kinds == {int}:
        low, high = _bounds(width, getattr(element, "signedness", ""))
        if low <= min(flat) and max(flat) <= high:
            unsigned = min(flat) >= 0
            values = np.array(flat, np.uint64 if unsigned else np.int64)
            return _extended(values, width, element).astype(dtype).tobytes()
    if width == 1:
        return bytes([int(x) if type(x) is bool else _integer(x, element) & 1 for x in flat])
    mask = (1 << 8 * dtype.itemsize) - 1
    return np.array([_integer(x, element) & mask for x in flat], f"<u{dtype.itemsize}").tobytes()


def _extended(values: np.ndarray, width: int, element: Any) -> np.ndarray:
    """Sign-extended from ``width`` bits, unless the type is unsigned or i1."""
    if width == 1:
        return values.astype(np.int64) & 1
    if width == 64 or getattr(element, "signedness", "") == "u":
        return values
    spare = 64 - width
    return (values.astype(np.int64) << spare) >> spare


def _integer(item: Any, element: Any) -> int:
    if isinstance(item, bool):
        fail("expected i1 type for 'true' or 'false' values")
    if isinstance(item, (str, float)):
        if isinstance(item, float) or not item.startswith("0x"):
            fail("expected integer elements, but parsed floating-point")
        item = int(item, 16)  # type: ignore[arg-type]
    width = getattr(element, "width", 64)
    return wrap_integer(item, width, getattr(element, "signedness", ""))


def _bounds(width: int, signedness: str) -> tuple[int, int]:
    """The least and greatest literal of an integer type."""
    low = 0 if signedness == "u" else -(1 << (width - 1)) if width else 0
    return low, (1 << width) - 1 if signedness != "s" else (1 << (width - 1)) - 1


def wrap_integer(value: int, width: int, signedness: str = "") -> int:
    """An integer literal in a type: in range signed or unsigned; signed unless the type is ``ui``."""
    low, high = _bounds(width, signedness)
    if not low <= value <= high:
        raise SyntaxFailure("integer constant out of range for attribute", name=str(value), last=True)
    if signedness != "u" and value >= 1 << max(width - 1, 0) and width > 1:
        value -= 1 << width
    return value


def dense_array(element: Any, items: Sequence[str]) -> DenseArrayAttr:
    """``array<element: items>``."""
    if not hasattr(element, "numpy_dtype"):
        fail("expected integer or float type in dense array")
    if not _is_plain(element):
        fail(f"elements of type '{element}' in a dense array")
    flat = [_nested(item) for item in items]
    if isinstance(element, t.FloatType):
        if any(type(item) is not str for item in flat):
            fail("unexpected decimal integer literal for a floating point value",
                 hint="add a trailing dot to make the literal a float")  # fmt: skip
        return DenseArrayAttr(element, _float_text_bytes(flat, element))
    if getattr(element, "width", 64) == 1:
        return DenseArrayAttr.of([x if type(x) is bool else _integer(x, element) & 1 for x in flat], element)
    return DenseArrayAttr.of([_integer(x, element) for x in flat], element)


def float_of_bits(bits: int, element: Any) -> float:
    """Value of a hexadecimal float literal."""
    try:
        return numbers.bits_to_float(bits, element.dtype_name)
    except ValueError as error:
        return fail(str(error))
