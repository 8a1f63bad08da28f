"""Instruction templates: functions of an artifact, as code on arrays.

A template comes from a file. Its body is a straight line of at most ``MAX_STEPS`` element-wise ops, so
that running it takes a bounded number of steps; anything else is refused when the program is loaded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from kt.ir.attributes import FloatAttr, IntegerAttr
from kt.ir.core import Operation, Value
from kt.ir.diagnostics import RunError
from kt.ir.numbers import DType, dtype
from kt.ir.types import element_type_of
from kt.sim.semantics import lookup

MAX_STEPS = 10_000
"""Ops that a template may have."""

Template = Callable[..., Any]
Step = Callable[[dict[Value, Any]], None]


def template_functions(text: str) -> dict[str, Template]:
    """The templates of an artifact by name. RunError names one that can't be run."""
    if not text:
        return {}
    from kt.parse import parse_text

    found = {}
    for op in parse_text(text, "<templates>").body.ops:
        name = op.attr("sym_name")
        if name is not None and op.regions and op.regions[0].blocks:
            found[name.value] = _straight_line(op, name.value)
    return found


def _straight_line(function: Operation, name: str) -> Template:
    blocks = list(function.regions[0].blocks)
    ops = list(blocks[0].ops)
    if len(blocks) > 1 or any(op.regions or op.successors for op in ops):
        raise RunError(
            f"template '@{name}' has control flow",
            function.location,
            hint="write it as a straight line; arith.select chooses between values",
        )
    if len(ops) > MAX_STEPS:
        raise RunError(f"template '@{name}' has {len(ops)} steps; {MAX_STEPS} is the limit")
    if not ops or ops[-1].name != "func.return":
        raise RunError(f"template '@{name}' doesn't return")
    steps = [_step(op) for op in ops[:-1]]
    arguments, returned = blocks[0].arguments, list(ops[-1].operands)

    def run(*operands: Any) -> Any:
        values: dict[Value, Any] = dict(zip(arguments, operands, strict=True))
        for step in steps:
            step(values)
        results = tuple(values[v] for v in returned)
        return results[0] if len(results) == 1 else results

    return run


def _type_of(value: Value) -> DType:
    type = element_type_of(value.type)
    try:
        return dtype(getattr(type, "dtype_name", None) or str(type))
    except ValueError:
        raise RunError(f"a template can't compute with values of type {value.type}") from None


def _step(op: Operation) -> Step:
    if not op.results:
        raise RunError(
            f"'{op.name}' op gives no value, so it can't stand in a template", op.location
        )
    out = _type_of(op.results[0])
    if op.name == "arith.constant":
        number: Any = op.attr("value")
        if not isinstance(number, (IntegerAttr, FloatAttr)):
            raise RunError(f"a template can't use the constant {number}", op.location)
        constant = np.asarray(number.value, out.compute)[()]
        return lambda values: values.__setitem__(op.results[0], constant)
    attrs = {k: getattr(a, "value", a) for k, a in op.properties.items()}
    predicate = getattr(op, "predicate_name", None)
    if predicate is not None:
        attrs["predicate"] = predicate
    function, ins = lookup(op.name), tuple(_type_of(v) for v in op.operands)

    def run(values: dict[Value, Any]) -> None:
        made = function(*(values[v] for v in op.operands), dtype=out, in_dtypes=ins, attrs=attrs)
        results = made if len(op.results) > 1 else (made,)
        values.update(zip(op.results, results, strict=True))

    return run
