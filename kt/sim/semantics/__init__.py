"""What every pure scalar op computes, on NumPy scalars or arrays; shared by all executors.

`lookup(name)` gives `fn(*operands, dtype, in_dtypes, attrs)`: operands are in the run-time
representation of `kt.ir.numbers`, shapes broadcast, `dtype` is the (first) result's, `attrs` holds
plain values. The result is rounded once to `dtype`; several results come as a tuple.
"""

from kt.sim.semantics import casts, floats, integers, math, spyreop, vectorchain
from kt.sim.semantics.reductions import accumulator_dtype, identity, reduce
from kt.sim.semantics.registry import SEMANTICS, ArithmeticFault, lookup, semantics

__all__ = [
    "SEMANTICS",
    "ArithmeticFault",
    "accumulator_dtype",
    "casts",
    "floats",
    "identity",
    "integers",
    "lookup",
    "math",
    "reduce",
    "semantics",
    "spyreop",
    "vectorchain",
]
