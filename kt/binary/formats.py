"""Element formats: the numbers by which instructions name dtypes."""

from __future__ import annotations

from kt.ir import types as t
from kt.ir.numbers import DType, dtype

FORMATS: dict[int, str] = {
    1: "f16",
    2: "bf16",
    3: "f32",
    4: "i8",
    5: "i16",
    6: "i32",
    7: "i64",
    8: "i1",
    12: "f8E4M3FN",
    13: "f8E5M2",
    14: "df16",
    15: "index",
    16: "f64",
    17: "tf32",
    18: "f8E4M3",
    19: "f8E3M4",
    20: "f8E5M2FNUZ",
    21: "f8E4M3FNUZ",
    22: "f8E4M3B11FNUZ",
    23: "fp16_fused",
    24: "df16_fused",
    25: "fp32_fused",
    26: "si8",
    27: "si16",
    28: "si32",
    29: "si64",
    30: "ui8",
    31: "ui16",
    32: "ui32",
    33: "ui64",
}
"""By number; 9 to 11 are kept for micro-scaled formats."""

NUMBERS: dict[str, int] = {name: number for number, name in FORMATS.items()}


def dtype_name(type: t.Type) -> str | None:
    """Name of the dtype of a scalar or of the elements of a vector; None if no format has it."""
    element = t.element_type_of(type)
    try:
        name = dtype(str(element)).name
    except ValueError:
        return None
    return name if name in NUMBERS else None


def item_size(name: str) -> int:
    """Bytes that one element takes in memory."""
    return dtype(name).itemsize


def is_float(name: str) -> bool:
    """Whether a scalar of this dtype travels as a bit pattern."""
    found: DType = dtype(name)
    return not found.is_integer


def bit_width(type: t.Type) -> int:
    """Width of a scalar type; index is 64."""
    if isinstance(type, t.IntegerType):
        return type.width
    return 64 if isinstance(type, t.IndexType) else dtype(str(type)).bits
