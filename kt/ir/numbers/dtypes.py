"""The one dtype table: widths, item sizes, storage and run-time representation of element types.

Run-time representation (`DType.compute`): f32 and f64 are the NumPy types; every narrower or odd
float (f16, bf16, df16, tf32, f8…) is a float32 array whose values are representable in the type;
iN is the next signed NumPy integer holding the sign-extended value (i1: bool), index is int64,
uiN is unsigned. Storage is what a memory holds: float16 for f16, codes (unsigned integers) for the
odd floats.
"""

from __future__ import annotations

import functools
import re

import numpy as np
from attrs import field, frozen

HOLDER_WIDTHS = (8, 16, 32, 64)
PAIR_FIELDS = ("mean", "square")


@frozen
class FloatFormat:
    """Layout of a binary float: 1 sign bit, `exponent` bits, `fraction` bits, `bias`.

    `special` says what the top codes mean:
    ieee    all-ones exponent is infinity or NaN, exponent zero is subnormal;
    fn      only the all-ones code is NaN, no infinity (overflow gives NaN);
    fnuz    as fn, but NaN is the code of -0 and there is no -0;
    merged  the all-ones code is the one infinity-or-NaN, there are no subnormals, and rounding is
            to nearest with ties away from zero.
    """

    exponent: int
    fraction: int
    bias: int
    special: str = "ieee"

    @property
    def precision(self) -> int:
        """Significant bits of a normal number, the implicit one included."""
        return self.fraction + 1

    @property
    def min_exponent(self) -> int:
        """Exponent of the smallest normal number."""
        return -self.bias if self.special == "merged" else 1 - self.bias

    @property
    def smallest_exponent(self) -> int:
        """Exponent of the last bit of the smallest numbers; every number is a multiple of 2 to it."""
        return self.min_exponent - self.fraction

    @property
    def min_normal(self) -> float:
        """Smallest positive normal number (in `merged`, the code after zero)."""
        lowest = 2.0**self.min_exponent
        return lowest * (1 + 2.0**-self.fraction) if self.special == "merged" else lowest

    @property
    def max_finite(self) -> float:
        """Largest finite number."""
        top = (1 << self.exponent) - 1 - self.bias
        ulp = 2.0**-self.fraction
        if self.special == "ieee":
            return 2.0 ** (top - 1) * (2 - ulp)
        return 2.0**top * (2 - ulp if self.special == "fnuz" else 2 - 2 * ulp)

    @property
    def has_infinity(self) -> bool:
        """Whether overflow gives an infinity (for `merged`: the code that stands for it)."""
        return self.special in ("ieee", "merged")


@frozen(eq=False)
class DType:
    """One element type; instances are unique per name, so `is` compares them.

    `kind` is 'float', 'int', 'index' or 'pair' (two packed statistics). `bits` is the width of the
    bit pattern, `itemsize` the bytes that an element takes in memory.
    """

    name: str
    kind: str
    bits: int
    itemsize: int
    storage: np.dtype
    compute: np.dtype
    format: FloatFormat | None = None
    signed: bool = True
    part: DType | None = field(default=None, repr=False)

    @property
    def is_float(self) -> bool:
        """Whether values are floating point numbers."""
        return self.kind == "float"

    @property
    def is_integer(self) -> bool:
        """Whether values are integers (index counts as one)."""
        return self.kind in ("int", "index")

    @property
    def min(self) -> int | float:
        """Smallest finite value; an iN counts as signed (i1: -1)."""
        if self.format:
            return -self.format.max_finite
        return -(1 << (self.bits - 1)) if self.signed else 0

    @property
    def max(self) -> int | float:
        """Largest finite value; an iN counts as signed (i1: 0)."""
        if self.format:
            return self.format.max_finite
        return (1 << (self.bits - 1 if self.signed else self.bits)) - 1

    def __str__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple:
        return dtype, (self.name,)


def _holder(bits: int) -> int:
    return next(width for width in HOLDER_WIDTHS if bits <= width)


def _float(name: str, bits: int, form: FloatFormat, native: bool = False) -> DType:
    holder = _holder(bits)
    own = np.dtype(f"f{holder // 8}") if native else None
    storage = own or np.dtype(f"u{holder // 8}")
    compute = own if own and bits >= 32 else np.dtype("f4")
    return DType(name, "float", bits, holder // 8, storage, compute, form)


def _pair(name: str, part: DType) -> DType:
    storage = np.dtype([(key, part.storage) for key in PAIR_FIELDS])
    compute = np.dtype([(key, part.compute) for key in PAIR_FIELDS])
    return DType(name, "pair", 2 * part.bits, 2 * part.itemsize, storage, compute, part=part)


_FLOATS = (
    _float("f16", 16, FloatFormat(5, 10, 15), native=True),
    _float("bf16", 16, FloatFormat(8, 7, 127)),
    _float("f32", 32, FloatFormat(8, 23, 127), native=True),
    _float("f64", 64, FloatFormat(11, 52, 1023), native=True),
    _float("df16", 16, FloatFormat(6, 9, 31, "merged")),
    _float("tf32", 19, FloatFormat(8, 10, 127)),
    _float("f8E5M2", 8, FloatFormat(5, 2, 15)),
    _float("f8E4M3", 8, FloatFormat(4, 3, 7)),
    _float("f8E3M4", 8, FloatFormat(3, 4, 3)),
    _float("f8E4M3FN", 8, FloatFormat(4, 3, 7, "fn")),
    _float("f8E5M2FNUZ", 8, FloatFormat(5, 2, 16, "fnuz")),
    _float("f8E4M3FNUZ", 8, FloatFormat(4, 3, 8, "fnuz")),
    _float("f8E4M3B11FNUZ", 8, FloatFormat(4, 3, 11, "fnuz")),
)
_TABLE = {form.name: form for form in _FLOATS}
_TABLE["index"] = DType("index", "index", 64, 8, np.dtype("i8"), np.dtype("i8"))
for _name, _part in (("fp16_fused", "f16"), ("df16_fused", "df16"), ("fp32_fused", "f32")):
    _TABLE[_name] = _pair(_name, _TABLE[_part])

_INT_NAME = re.compile(r"(s|u)?i([1-9][0-9]*)")


@functools.cache
def dtype(name: str) -> DType:
    """The dtype of an MLIR spelling: `f16`, `!spyreop.df16` or `df16`, `i7`, `ui8`, `index`, …

    Raises ValueError for a type that has no numeric representation here.
    """
    key = name.removeprefix("!spyreop.")
    if key in _TABLE:
        return _TABLE[key]
    match = _INT_NAME.fullmatch(key)
    if match is None:
        known = ", ".join(_TABLE)
        raise ValueError(f"no numeric type '{name}'; known: {known} and iN, siN, uiN (N ≤ 64)")
    return _int_type(key, int(match[2]), match[1])


def _int_type(name: str, bits: int, sign: str | None) -> DType:
    if bits > HOLDER_WIDTHS[-1]:
        raise ValueError(f"integer type '{name}' is wider than the {HOLDER_WIDTHS[-1]} bits kept")
    size = _holder(bits) // 8
    if sign is None and bits == 1:
        return DType(name, "int", 1, 1, np.dtype(bool), np.dtype(bool))
    holder = np.dtype(f"{'u' if sign == 'u' else 'i'}{size}")
    return DType(name, "int", bits, size, holder, holder, signed=sign != "u")


@functools.cache
def int_dtype(bits: int) -> DType:
    """The signless integer dtype of that width."""
    return dtype(f"i{bits}")


def float_dtypes() -> tuple[DType, ...]:
    """Every float dtype, in table order."""
    return _FLOATS
