"""Attributes: compile-time data of operations, uniqued and immutable.

A dialect's attribute is a class with ``name = "dialect.mnemonic"``; :meth:`Attribute.parameters`
returns the text behind the name. Types are attributes too (a type in an attribute position is
MLIR's ``TypeAttr``).
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

from attrs import field, frozen

from kt.ir.lazy import np
from kt.ir.uniquing import Uniqued

if TYPE_CHECKING:
    from kt.ir.affine import AffineMap, AffineSet
    from kt.ir.types import Type

attribute = frozen(eq=False, repr=False)
"""Class decorator of attribute and type classes: frozen, slotted, compared by identity."""


@attribute
class Attribute(metaclass=Uniqued):
    """Base of all attributes and types."""

    name: ClassVar[str] = ""

    def head(self) -> str:
        """Text between ``#`` (or ``!``) and the parameters: the name, unless it is written otherwise."""
        return self.name

    def parameters(self) -> str:
        """Text between the name and the end, e.g. ``<global>``; empty when there is none."""
        return ""

    def __str__(self) -> str:
        from kt.ir.text import attribute_text

        return attribute_text(self)

    def __repr__(self) -> str:
        """The fields, as attrs would write it: one function for all classes starts faster."""
        fields = [f"{f.name}={getattr(self, f.name)!r}" for f in self.__class__.__attrs_attrs__]  # type: ignore[attr-defined]
        return f"{self.__class__.__qualname__}({', '.join(fields)})"

    def __copy__(self) -> Attribute:
        return self

    def __deepcopy__(self, memo: Any) -> Attribute:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        fields = self.__class__.__attrs_attrs__  # type: ignore[attr-defined]
        return self.__class__, tuple(getattr(self, f.name) for f in fields)


@attribute
class UnitAttr(Attribute):
    """``unit``: present or absent."""

    name = "builtin.unit"


@attribute
class IntegerAttr(Attribute):
    """``5 : i32``; ``true``/``false`` for i1. ``value`` is signed except for unsigned types."""

    name = "builtin.integer"
    value: int = field(converter=int)
    type: Type

    def __int__(self) -> int:
        return self.value


@attribute
class FloatAttr(Attribute):
    """``1.0 : f32``. ``bits`` is the IEEE double that holds the value; make one with :meth:`of`."""

    name = "builtin.float"
    bits: int
    type: Type

    @classmethod
    def of(cls, value: float, type: Type) -> FloatAttr:
        """The attribute of ``value`` (already representable in ``type``)."""
        return cls(struct.unpack("<Q", struct.pack("<d", value))[0], type)

    @property
    def value(self) -> float:
        return struct.unpack("<d", struct.pack("<Q", self.bits))[0]

    def __float__(self) -> float:
        return self.value


@attribute
class StringAttr(Attribute):
    """``"text"``; ``type`` is None unless the text gives one (``"x" : !d.t``)."""

    name = "builtin.string"
    value: str
    type: Any = None

    def __repr__(self) -> str:
        return f"StringAttr({self.value!r})"


@attribute
class SymbolRefAttr(Attribute):
    """``@root::@nested``."""

    name = "builtin.symbol_ref"
    root: str
    nested: tuple[str, ...] = ()

    @property
    def leaf(self) -> str:
        return self.nested[-1] if self.nested else self.root


@attribute
class ArrayAttr(Attribute):
    """``[a, b]``."""

    name = "builtin.array"
    elements: tuple[Attribute, ...] = field(converter=tuple, default=())

    def __iter__(self) -> Iterator[Attribute]:
        return iter(self.elements)

    def __len__(self) -> int:
        return len(self.elements)

    def __getitem__(self, index: int) -> Attribute:
        return self.elements[index]


def _sorted_entries(entries: Mapping[str, Attribute] | Iterable[tuple[str, Attribute]]) -> Any:
    items = entries.items() if isinstance(entries, Mapping) else entries
    return tuple(sorted(items, key=lambda item: item[0]))


@attribute
class DictAttr(Attribute):
    """``{a = 1, b}``, sorted by name. Build it from a mapping or from pairs."""

    name = "builtin.dictionary"
    entries: tuple[tuple[str, Attribute], ...] = field(converter=_sorted_entries, default=())

    @classmethod
    def of(cls, entries: Mapping[str, Attribute]) -> DictAttr:
        return cls(_sorted_entries(entries))

    def get(self, key: str, default: Any = None) -> Any:
        return next((v for k, v in self.entries if k == key), default)

    def items(self) -> tuple[tuple[str, Attribute], ...]:
        return self.entries

    def __contains__(self, key: str) -> bool:
        return any(k == key for k, _ in self.entries)

    def __len__(self) -> int:
        return len(self.entries)


@attribute
class DenseArrayAttr(Attribute):
    """``array<i64: 1, 2>``: plain numbers of one integer or float type."""

    name = "builtin.dense_array"
    element_type: Type
    bytes: bytes
    """Little-endian elements; i1 takes one byte."""

    @classmethod
    def of(cls, values: Iterable[int | float], element_type: Type) -> DenseArrayAttr:
        items, code = list(values), getattr(element_type, "code", None)
        if code is not None:
            try:
                return cls(element_type, struct.pack(f"<{len(items)}{code}", *items))
            except struct.error as error:
                if not all(isinstance(item, int) for item in items):
                    raise TypeError(f"expected integers for '{element_type}'") from error
                raise OverflowError(f"an element doesn't fit '{element_type}'") from error
        dtype = element_type.numpy_dtype()  # type: ignore[attr-defined]
        return cls(element_type, np.asarray(items, dtype=dtype).tobytes())

    @property
    def values(self) -> tuple[Any, ...]:
        return _decoded(self.element_type, self.bytes)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.values)

    def __len__(self) -> int:
        return len(self.values)


@lru_cache(maxsize=4096)
def _decoded(element_type: Any, data: bytes) -> tuple[Any, ...]:
    """The numbers of a dense array: segment sizes are asked for at every access to an operand."""
    code = getattr(element_type, "code", None)
    if code is not None:
        return struct.unpack(f"<{len(data) // element_type.itemsize}{code}", data)
    return tuple(np.frombuffer(data, dtype=element_type.numpy_dtype()).tolist())


@attribute
class DenseElementsAttr(Attribute):
    """``dense<…> : tensor<2x2xf32>``.

    ``data`` holds the elements in row-major order, little-endian, in the storage type of the element
    type (i1: one byte each, index: 8 bytes); a splat holds a single element.
    """

    name = "builtin.dense_elements"
    type: Any
    data: bytes
    is_splat: bool = False

    @classmethod
    def of(cls, array: Any, type: Any) -> DenseElementsAttr:
        """From anything NumPy understands, already in the storage type or convertible to it."""
        values = np.asarray(array, dtype=type.element_type.numpy_dtype())
        data = values.tobytes()
        first = data[: values.itemsize]
        splat = values.size > 0 and data == first * values.size  # by bits: NaN equals itself
        return cls(type, first if splat else data, splat)

    def to_numpy(self) -> np.ndarray:
        """The elements in the storage type, in the shape of ``type``; read-only."""
        flat = np.frombuffer(self.data, dtype=self.type.element_type.numpy_dtype())
        return np.broadcast_to(flat[0], self.type.shape) if self.is_splat else flat.reshape(self.type.shape)


@attribute
class OtherElementsAttr(Attribute):
    """``dense<…>`` or ``sparse<…>`` of elements that aren't plain numbers of at most 64 bits (complex
    numbers, strings); ``text`` is everything before the type, as written."""

    name = "builtin.other_elements"
    text: str
    type: Any


@attribute
class DenseResourceAttr(Attribute):
    """``dense_resource<key> : type``; the bytes stand in the file's resource section."""

    name = "builtin.dense_resource"
    key: str
    type: Any


@attribute
class AffineMapAttr(Attribute):
    """``affine_map<(d0) -> (d0)>``."""

    name = "builtin.affine_map"
    map: AffineMap


@attribute
class AffineSetAttr(Attribute):
    """``affine_set<(d0) : (d0 >= 0)>``."""

    name = "builtin.affine_set"
    set: AffineSet


@attribute
class StridedLayoutAttr(Attribute):
    """``strided<[8, 1], offset: 4>``; DYNAMIC where the text has ``?``. Counts elements."""

    name = "builtin.strided"
    strides: tuple[int, ...]
    offset: int = 0


@attribute
class LocationAttr(Attribute):
    """A location used as an attribute: ``loc(…)``."""

    name = "builtin.location"
    location: Any


@attribute
class DistinctAttr(Attribute):
    """``distinct[0]<#a>``: equal only to the one of the same number; texts count them anew.

    ``referenced`` is None for the unit attribute, which isn't written.
    """

    name = "builtin.distinct"
    number: int
    referenced: Attribute | None = None


@attribute
class OpaqueAttr(Attribute):
    """An attribute of a dialect that isn't known; ``text`` is everything behind ``#`` as written."""

    name = "builtin.opaque"
    text: str


@attribute
class EnumAttr(Attribute):
    """Base of keyword attributes: a subclass lists its ``cases``; ``value`` is one of them.

    ``bracketed``: in an op's own syntax the keyword stands in ``<…>``.
    """

    name: ClassVar[str] = ""
    cases: ClassVar[tuple[str, ...]] = ()
    bracketed: ClassVar[bool] = False
    value: str

    def __attrs_post_init__(self) -> None:
        if self.value not in self.cases:
            raise ValueError(f"expected one of {', '.join(self.cases)}, got '{self.value}'")

    def parameters(self) -> str:
        return f"<{self.value}>"


@attribute
class BitEnumAttr(Attribute):
    """Base of flag attributes: ``value`` is a comma-separated list of ``cases``, kept in their order.

    The first case stands for no flag. ``everything``, if any, is the case that stands for all others.
    """

    name: ClassVar[str] = ""
    cases: ClassVar[tuple[str, ...]] = ()
    everything: ClassVar[str | None] = None
    bracketed: ClassVar[bool] = False
    separator: ClassVar[str] = ","
    value: str

    def __attrs_post_init__(self) -> None:
        given = {flag.strip() for flag in self.value.split(",")}
        for flag in sorted(given.difference(self.cases)):
            raise ValueError(f"expected flags of {', '.join(self.cases)}, got '{flag}'")
        flags = [c for c in self.cases[1:] if c in given and c != self.everything]
        if self.everything in given or (self.everything and len(flags) == len(self.cases) - 2):
            flags = [str(self.everything)]
        # Written through the freeze, so that equal flags in another order are the same object.
        object.__setattr__(self, "value", ",".join(flags or self.cases[:1]))

    @property
    def flags(self) -> tuple[str, ...]:
        return tuple(self.value.split(","))

    def parameters(self) -> str:
        return f"<{self.separator.join(self.flags)}>"


def as_attribute(value: Any) -> Attribute:
    """An attribute of a plain Python value: bool → i1, int → i64, float → f64, str, list, dict."""
    from kt.ir import types

    match value:
        case Attribute():
            return value
        case bool():
            return IntegerAttr(int(value), types.i1)
        case int():
            return IntegerAttr(value, types.i64)
        case float():
            return FloatAttr.of(value, types.f64)
        case str():
            return StringAttr(value)
        case Mapping():
            return DictAttr.of({k: as_attribute(v) for k, v in value.items()})
        case Sequence():
            return ArrayAttr(tuple(as_attribute(v) for v in value))
        case _:
            raise TypeError(f"no attribute for {value!r}")
