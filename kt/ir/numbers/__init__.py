"""The numeric ground: one dtype table, exact rounding, bit patterns and MLIR float text."""

from kt.ir.numbers.dtypes import DType, FloatFormat, dtype, float_dtypes, int_dtype
from kt.ir.numbers.rounding import convert, decode, encode, from_bits, round_to, to_bits
from kt.ir.numbers.text import bits_to_float, float_to_bits, format_float, parse_float

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
