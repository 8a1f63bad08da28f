"""The numeric ground: one dtype table, exact rounding, bit patterns and MLIR float text.

Names are loaded on first use, and NumPy with them: most text needs neither.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kt.ir.numbers.dtypes import DType, FloatFormat, dtype, float_dtypes, int_dtype
    from kt.ir.numbers.rounding import convert, decode, encode, from_bits, round_to, to_bits
    from kt.ir.numbers.text import bits_to_float, float_to_bits, format_float, parse_float

_HOMES = {
    "dtypes": ("DType", "FloatFormat", "dtype", "float_dtypes", "int_dtype"),
    "rounding": ("convert", "decode", "encode", "from_bits", "round_to", "to_bits"),
    "text": ("bits_to_float", "float_to_bits", "format_float", "parse_float"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "DType",
    "FloatFormat",
    "bits_to_float",
    "convert",
    "decode",
    "dtype",
    "encode",
    "float_dtypes",
    "float_to_bits",
    "format_float",
    "from_bits",
    "int_dtype",
    "parse_float",
    "round_to",
    "to_bits",
]


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    value = getattr(importlib.import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value
