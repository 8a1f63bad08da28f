"""Vector instructions as Python functions: ops by name, templates, shuffles, constants."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from kt.binary.model import Constant, Lanes, Operand, Shuffle, VectorOp
from kt.ir.core import Operation, Value
from kt.ir.diagnostics import RunError
from kt.ir.numbers import decode, dtype, from_bits, to_bits
from kt.ir.types import element_type_of
from kt.sim.semantics import lookup

VECTORCHAIN = {"add": "add", "sub": "sub", "mul": "mul"}
_EXTREMES = {"min": ("arith.minimumf", "arith.minsi"), "max": ("arith.maximumf", "arith.maxsi")}


def vector_function(constant: VectorOp, templates: dict[str, Callable]) -> Callable[..., Any]:
    """``fn(*operands) -> result`` (a tuple when there are several) of a vector instruction."""
    if constant.name.startswith("@"):
        return _template(constant, templates)
    name, attrs = constant.name, constant.attrs
    out = dtype(constant.results[0].dtype)
    ins = tuple(dtype(o.dtype) for o in constant.operands)
    if name == "vectorchain.binary":
        return _chain_binary(attrs, out, ins)
    function = lookup(name)

    def run(*operands: Any) -> Any:
        return function(*operands, dtype=out, in_dtypes=ins, attrs=attrs)

    return run


def _chain_binary(attrs: dict[str, Any], out: Any, ins: Any) -> Callable[..., Any]:
    """``vectorchain.binary``: a lane-wise op, folded over lanes where its map isn't the identity."""
    word = attrs["binary_op"]
    kind = "f" if out.is_float else "i"
    if word in VECTORCHAIN:
        function = lookup(f"arith.{VECTORCHAIN[word]}{kind}")
    elif word in _EXTREMES:
        function = lookup(_EXTREMES[word][0 if out.is_float else 1])
    else:
        raise RunError(f"vectorchain.binary '{word}' has no meaning here")
    lanes = attrs.get("lanes")

    def run(a: Any, b: Any) -> Any:
        if lanes is None:
            return function(a, b, dtype=out, in_dtypes=ins, attrs={})
        total = np.zeros(max(lanes) + 1, out.compute)
        seen = set()
        for lane, target in enumerate(lanes):
            value = function(a[lane], b[lane], dtype=out, in_dtypes=ins, attrs={})
            if target in seen:
                value = function(total[target], value, dtype=out, in_dtypes=ins, attrs={})
            seen.add(target)
            total[target] = value
        return total

    return run


def _template(constant: VectorOp, templates: dict[str, Callable]) -> Callable[..., Any]:
    found = templates.get(constant.name[1:])
    if found is None:
        raise RunError(f"the artifact has no template '{constant.name}'")
    return found


def template_functions(text: str) -> dict[str, Callable[..., Any]]:
    """The functions of an artifact's template section, each as code on arrays.

    Bodies are straight lines of scalar ops, so running one takes as many steps as it has ops.
    """
    if not text:
        return {}
    from kt.parse import parse_text

    module = parse_text(text, "<templates>")
    found = {}
    for op in module.body.ops:
        name = op.attr("sym_name")
        if name is not None and op.regions and op.regions[0].blocks:
            found[name.value] = _straight_line(op)
    return found


def _straight_line(function: Operation) -> Callable[..., Any]:
    steps = [op for op in function.regions[0].blocks[0].ops]
    if any(op.regions for op in steps):
        raise RunError(f"template '{function.attr('sym_name').value}' has control flow")
    arguments = function.regions[0].blocks[0].arguments

    def run(*operands: Any) -> Any:
        values: dict[Value, Any] = dict(zip(arguments, operands, strict=True))
        for op in steps:
            if op.name == "func.return":
                results = tuple(values[v] for v in op.operands)
                return results[0] if len(results) == 1 else results
            values.update(_step(op, values))
        return None

    return run


def _type_of(value: Value) -> Any:
    type = element_type_of(value.type)
    name = getattr(type, "dtype_name", None)
    return dtype(name or str(type))


def _step(op: Operation, values: dict[Value, Any]) -> dict[Value, Any]:
    out = _type_of(op.results[0])
    if op.name == "arith.constant":
        number = op.attr("value").value
        return {op.results[0]: np.asarray(number, out.compute)[()]}
    attrs = {k: getattr(a, "value", a) for k, a in op.properties.items()}
    predicate = getattr(op, "predicate_name", None)
    if predicate is not None:
        attrs["predicate"] = predicate
    ins = tuple(_type_of(v) for v in op.operands)
    made = lookup(op.name)(*(values[v] for v in op.operands), dtype=out, in_dtypes=ins, attrs=attrs)
    return dict(zip(op.results, made if len(op.results) > 1 else (made,), strict=True))


def shuffle_function(constant: Shuffle) -> Callable[..., Any]:
    """``fn(*inputs)``: lanes picked from the concatenated inputs, -1 is zero, then repeated."""
    indices = np.array(constant.indices, np.int64)
    zero = indices < 0
    picked = np.where(zero, 0, indices)
    form = dtype(constant.dtype)

    def run(*inputs: Any) -> Any:
        joined = inputs[0] if len(inputs) == 1 else np.concatenate(inputs)
        out = joined[picked]
        if zero.any():
            out = out.copy()
            out[zero] = np.zeros((), form.compute)
        return np.tile(out, constant.repetition) if constant.repetition > 1 else out

    return run


def lanes_value(constant: Lanes) -> Any:
    return decode(constant.array().copy(), dtype(constant.dtype))


def splat(bits: int, name: str, lanes: int) -> Any:
    """The low bits of a scalar register as a number of format ``name`` in every lane."""
    form = dtype(name)
    mask = (1 << form.bits) - 1
    value = from_bits(np.asarray(bits & mask, np.uint64), form)
    return np.full(lanes, value)


def first_lane(vector: Any, name: str) -> int:
    """Lane 0 as a scalar register holds it: float by its bits, integers sign-extended."""
    form = dtype(name)
    value = np.asarray(vector).reshape(-1)[0]
    return int(to_bits(np.asarray(value), form)) if form.is_float else int(value)


def constant_function(constant: Constant, templates: dict[str, Callable]) -> Any:
    """What generated code calls (or, for lanes, uses) for a constant of an image."""
    match constant:
        case VectorOp():
            return vector_function(constant, templates)
        case Shuffle():
            return shuffle_function(constant)
        case Lanes():
            return lanes_value(constant)
    raise RunError(f"'{constant.name}' is known to the device only", hint="register its meaning")


def operand_registers(operands: tuple[Operand, ...]) -> str:
    return ", ".join(f"{'s' if o.is_scalar else 'v'}{o.register}" for o in operands)
