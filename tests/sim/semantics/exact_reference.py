"""Exact rational reference for float results, and a short way to apply an op."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from kt.ir.numbers import dtype, from_bits
from kt.sim.semantics import lookup


def apply(name, *operands, of, result=None, **attrs):
    """Run the semantics of `name` on operands of dtype(s) `of`, with results of `result`."""
    names = of if isinstance(of, tuple) else (of,) * len(operands)
    in_dtypes = tuple(dtype(n) for n in names)
    target = dtype(result) if result else in_dtypes[0]
    return lookup(name)(*operands, dtype=target, in_dtypes=in_dtypes, attrs=attrs)


def nearest(exact: Fraction, name: str) -> float:
    """The value of a type nearest to a non-zero rational, by rounding units of the last place."""
    form = dtype(name).format
    merged = form.special == "merged"
    size = abs(exact)
    log = size.numerator.bit_length() - size.denominator.bit_length()
    log -= Fraction(2) ** log > size
    unit = Fraction(2) ** (max(log, form.min_exponent) - form.fraction)
    result = (int(size / unit + Fraction(1, 2)) if merged else round(size / unit)) * unit
    if merged and result <= Fraction(2) ** form.min_exponent:
        smallest = Fraction(form.min_normal)
        result = smallest if size >= smallest / 2 else Fraction(0)
    value = float(result) if result <= Fraction(form.max_finite) else np.inf
    return float(np.copysign(value, 1 if exact > 0 else -1))


def finite_values(name: str) -> st.SearchStrategy[float]:
    """Finite values of a type, uniform over its codes, and small ones that make ties likely."""
    of = dtype(name)
    codes = st.integers(0, (1 << of.bits) - 1).map(
        lambda bits: float(from_bits(np.array(bits, f"u{of.itemsize}"), of))
    )
    near = st.builds(
        lambda k, e, sign: sign * float(np.ldexp(k, e)),
        st.integers(0, (1 << of.format.precision) - 1),
        st.integers(-of.format.precision - 4, 2),
        st.sampled_from([1.0, -1.0]),
    )
    return st.one_of(codes.filter(np.isfinite), near)


def same(a: object, b: object) -> bool:
    """Equal in value and sign of zero; NaN equals NaN."""
    with np.errstate(invalid="ignore"):
        x, y = np.asarray(a, np.float64), np.asarray(b, np.float64)
    nan = np.isnan(x) & np.isnan(y)
    return bool(np.all(nan | ((x == y) & (np.signbit(x) == np.signbit(y)))))
