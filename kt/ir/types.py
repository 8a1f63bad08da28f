"""Builtin types. Uniqued: compare with ``is`` or ``==``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from attrs import field

from kt.ir.attributes import Attribute, StridedLayoutAttr, attribute
from kt.ir.lazy import np

DYNAMIC = -(2**63)
"""Marks an extent, stride or offset that is known only at run time (MLIR's sentinel)."""


@attribute
class Type(Attribute):
    """Base of all types. A dialect's type has ``name = "dialect.mnemonic"``."""

    def __str__(self) -> str:
        from kt.ir.text import type_text

        return type_text(self)


@attribute
class IndexType(Type):
    """``index``: 64 bit here."""

    name = "index"
    itemsize: ClassVar[int] = 8
    code: ClassVar[str] = "q"

    def numpy_dtype(self) -> np.dtype[Any]:
        return np.dtype("<i8")


@attribute
class IntegerType(Type):
    """``i8``, ``si8``, ``ui8``: ``signedness`` is ``""``, ``"s"`` or ``"u"``."""

    name = "integer"
    width: int
    signedness: str = ""

    @property
    def itemsize(self) -> int:
        """Bytes in storage: the next power of two."""
        return next((n for n in (1, 2, 4, 8) if self.width <= 8 * n), 8)

    @property
    def code(self) -> str:
        """Storage as :mod:`struct` calls it; i1 is a byte of 0 or 1."""
        if self.width == 1:
            return "?"
        code = {1: "b", 2: "h", 4: "i", 8: "q"}[self.itemsize]
        return code.upper() if self.signedness == "u" else code

    def numpy_dtype(self) -> np.dtype[Any]:
        """Storage as NumPy calls it."""
        if self.width == 1:
            return np.dtype(np.bool_)
        return np.dtype(f"<{'u' if self.signedness == 'u' else 'i'}{self.itemsize}")


@attribute
class FloatType(Type):
    """Base of float types; ``bits`` is the storage width, ``dtype_name`` the row of kt.ir.numbers."""

    bits: ClassVar[int] = 0
    dtype_name: ClassVar[str] = ""

    @property
    def itemsize(self) -> int:
        """Bytes in storage: the next power of two."""
        return next(n for n in (1, 2, 4, 8) if self.bits <= 8 * n)

    def numpy_dtype(self) -> np.dtype[Any]:
        """Storage: NumPy's own type for f16/f32/f64, else unsigned codes of the same width."""
        native = {"f16": "<f2", "f32": "<f4", "f64": "<f8"}.get(self.dtype_name)
        return np.dtype(native or f"<u{self.itemsize}")


@attribute
class BuiltinFloatType(FloatType):
    """``f16``, ``bf16``, ``f32``, ``f64``, ``tf32``, ``f80``, ``f128``, ``f8E5M2`` and kin."""

    name = "float"
    keyword: str

    WIDTHS: ClassVar[dict[str, int]] = {
        "bf16": 16, "f16": 16, "tf32": 19, "f32": 32, "f64": 64, "f80": 80, "f128": 128,
        "f4E2M1FN": 4, "f6E2M3FN": 6, "f6E3M2FN": 6, "f8E5M2": 8, "f8E4M3": 8, "f8E4M3FN": 8,
        "f8E5M2FNUZ": 8, "f8E4M3FNUZ": 8, "f8E4M3B11FNUZ": 8, "f8E3M4": 8, "f8E8M0FNU": 8,
    }  # fmt: skip

    @property
    def bits(self) -> int:  # type: ignore[override]
        return self.WIDTHS[self.keyword]

    @property
    def dtype_name(self) -> str:  # type: ignore[override]
        return self.keyword


@attribute
class NoneType(Type):
    name = "none"


@attribute
class ComplexType(Type):
    name = "complex"
    element_type: Type


@attribute
class TupleType(Type):
    name = "tuple"
    types: tuple[Type, ...] = field(converter=tuple, default=())


@attribute
class FunctionType(Type):
    """``(inputs) -> results``."""

    name = "function"
    inputs: tuple[Type, ...] = field(converter=tuple, default=())
    results: tuple[Type, ...] = field(converter=tuple, default=())


@attribute
class ShapedType(Type):
    """Base of types with a shape and an element type; DYNAMIC for ``?``."""

    @property
    def rank(self) -> int:
        return len(self.shape)  # type: ignore[attr-defined]

    @property
    def has_static_shape(self) -> bool:
        return DYNAMIC not in self.shape  # type: ignore[attr-defined]

    def num_elements(self) -> int:
        """Product of the extents (1 for rank 0); only for static shapes."""
        count = 1
        for extent in self.shape:  # type: ignore[attr-defined]
            count *= extent
        return count


@attribute
class VectorType(ShapedType):
    """``vector<4x[8]xf32>``; ``scalable`` marks bracketed extents (all False when empty)."""

    name = "vector"
    shape: tuple[int, ...] = field(converter=tuple)
    element_type: Type
    scalable: tuple[bool, ...] = ()


@attribute
class TensorType(ShapedType):
    """``tensor<4x?xf32, encoding>``."""

    name = "tensor"
    shape: tuple[int, ...] = field(converter=tuple)
    element_type: Type
    encoding: Any = None


@attribute
class UnrankedTensorType(Type):
    name = "unranked_tensor"
    element_type: Type


@attribute
class MemRefType(ShapedType):
    """``memref<4x?xf32, layout, space>``; layout is a strided or affine-map attribute or None."""

    name = "memref"
    shape: tuple[int, ...] = field(converter=tuple)
    element_type: Type
    layout: Any = None
    memory_space: Any = None

    def strides_and_offset(self) -> tuple[tuple[int, ...], int]:
        """Strides and offset in elements, DYNAMIC where unknown (row-major when no layout)."""
        if isinstance(self.layout, StridedLayoutAttr):
            return self.layout.strides, self.layout.offset
        strides: list[int] = []
        running = 1
        for extent in reversed(self.shape):
            strides.append(running)
            running = DYNAMIC if DYNAMIC in (running, extent) else running * extent
        return tuple(reversed(strides)), 0


@attribute
class UnrankedMemRefType(Type):
    name = "unranked_memref"
    element_type: Type
    memory_space: Any = None


@attribute
class OpaqueType(Type):
    """A type of a dialect that isn't known; ``text`` is everything behind ``!`` as written."""

    name = "opaque"
    text: str


index = IndexType()
none = NoneType()
i1, i8, i16, i32, i64 = (IntegerType(n) for n in (1, 8, 16, 32, 64))
f16, bf16, f32, f64 = (BuiltinFloatType(n) for n in ("f16", "bf16", "f32", "f64"))


def element_type_of(type: Type) -> Type:
    """The element type of a shaped type (or FIFO slot), else the type itself."""
    return getattr(type, "element_type", type)


def is_float(type: Type) -> bool:
    return isinstance(type, FloatType)


def is_integer(type: Type) -> bool:
    return isinstance(type, IntegerType)


def with_element_type(type: Type, element: Type) -> Type:
    """The same shape (vector or tensor) with another element type; a scalar becomes ``element``."""
    if isinstance(type, VectorType):
        return VectorType(type.shape, element, type.scalable)
    if isinstance(type, TensorType):
        return TensorType(type.shape, element, type.encoding)
    if isinstance(type, UnrankedTensorType):
        return UnrankedTensorType(element)
    return element


def static_shape(shape: Sequence[int]) -> bool:
    return DYNAMIC not in shape
