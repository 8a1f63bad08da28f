"""Text of ``affine`` ops: maps and sets with their operands, loops, conditions."""

from __future__ import annotations

from typing import Any

from kt.ir import types as t
from kt.ir.affine import AffineMap, sym
from kt.ir.attributes import (
    AffineMapAttr,
    AffineSetAttr,
    ArrayAttr,
    Attribute,
    DenseElementsAttr,
    IntegerAttr,
)
from kt.ir.dialects.arith_types import ATOMIC_RMW_KINDS
from kt.parse.core_actions import affine_of_values
from kt.parse.syntax.memref import hint_properties, print_hint
from kt.parse.syntax.scf import carried_arguments, print_carried, print_mixed
from kt.parse.syntax_api import (
    Pending,
    action,
    empty_region,
    fail,
    printer,
    segments,
    static_array,
    syntax,
)

MAPPED = ("affine.apply", "affine.min", "affine.max")


def _map_of(attribute: Attribute) -> AffineMap:
    if not isinstance(attribute, AffineMapAttr):
        fail(f"expected an affine map, got '{attribute}'")
    return attribute.map  # type: ignore[union-attr]


def _check_inputs(inputs: Any, num_dims: int, num_symbols: int) -> tuple[str, ...]:
    """Names of dims and symbols in a row; both counts must be those of the map or set."""
    dims, symbols = inputs
    if len(dims) != num_dims:
        fail(f"dim operand count ({len(dims)}) and affine map dim count ({num_dims}) must match")
    if len(symbols) != num_symbols:
        fail(
            f"symbol operand count ({len(symbols)}) and affine map symbol count ({num_symbols}) "
            "must match"
        )
    return (*dims, *symbols)


@syntax(*MAPPED, rule="affine_op_mapped")
def build_mapped(cls: Any, map: Attribute, inputs: Any, attributes: Any) -> Pending:
    found = _map_of(map)
    names = _check_inputs(inputs, found.num_dims, found.num_symbols)
    return Pending(
        cls,
        operands=names,
        types=(t.index,) * len(names),
        result_types=(t.index,),
        properties={"map": map},
        attributes=attributes,
    )


@printer(*MAPPED)
def print_mapped(p: Any, op: Any) -> None:
    p.write(" ")
    print_application(p, op.map, op.map_operands, op.map.map.num_dims)
    p.attr_dict(op, elided=("map",))


def print_application(p: Any, attribute: Attribute, operands: Any, num_dims: int) -> None:
    """``#map(%i)[%n]``."""
    p.attribute(attribute)
    p.write("(")
    p.values(operands[:num_dims])
    p.write(")")
    if len(operands) > num_dims:
        p.subscripts(operands[num_dims:])


# -- for -------------------------------------------------------------------------------------------

_ONE_SYMBOL = AffineMap(0, 1, (sym(0),))


@action("affine_op_bound_map")
def _bound_map(_: Any, map: Attribute, inputs: Any) -> Any:
    found = _map_of(map)
    return found, _check_inputs(inputs, found.num_dims, found.num_symbols)


@action("affine_op_bound_value")
def _bound_value(name: str) -> Any:
    return _ONE_SYMBOL, (name,)


@action("affine_op_bound_number")
def _bound_number(number: int) -> Any:
    return AffineMap.constant(int(number)), ()


@syntax("affine.for", rule="affine_op_for")
def build_for(
    cls: Any,
    variable: str,
    lower: Any,
    upper: Any,
    step: int | None,
    carried: Any,
    body: Any,
    attributes: Any,
) -> Pending:
    pairs, types = carried
    (lower_map, lowers), (upper_map, uppers) = lower, upper
    body.set_arguments([(variable, t.index), *carried_arguments(pairs, types)])
    return Pending(
        cls,
        operands=(*lowers, *uppers, *(init for _, init in pairs)),
        types=(t.index,) * (len(lowers) + len(uppers)) + tuple(types),
        result_types=types,
        properties={
            "lowerBoundMap": AffineMapAttr(lower_map),
            "upperBoundMap": AffineMapAttr(upper_map),
            "step": IntegerAttr(1 if step is None else step, t.index),
            "operandSegmentSizes": segments(len(lowers), len(uppers), len(pairs)),
        },
        attributes=attributes,
        regions=(body,),
    )


@printer("affine.for")
def print_for(p: Any, op: Any) -> None:
    p.write(" ")
    p.value(op.induction_variable)
    p.write(" = ")
    _print_bound(p, op.lower_map, op.lower_operands, "max")
    p.write(" to ")
    _print_bound(p, op.upper_map, op.upper_operands, "min")
    if op.step.value != 1:
        p.write(f" step {op.step.value}")
    print_carried(p, op.iter_args, op.inits, " iter_args")
    p.arrow_list(op.inits)
    p.write(" ")
    p.region(op.body_region, entry_args=False, terminator=bool(op.inits))
    p.attr_dict(op, elided=("lowerBoundMap", "upperBoundMap", "step", "operandSegmentSizes"))


def _print_bound(p: Any, attribute: AffineMapAttr, operands: Any, extremum: str) -> None:
    map = attribute.map
    if map.num_results == 1:
        if map.is_constant and not operands:
            p.write(str(map.constants[0]))  # type: ignore[index]
            return
        if map is _ONE_SYMBOL:
            p.value(operands[0])
            return
    else:
        p.write(f"{extremum} ")
    print_application(p, attribute, operands, map.num_dims)


# -- if --------------------------------------------------------------------------------------------


@syntax("affine.if", rule="affine_op_if")
def build_if(
    cls: Any,
    condition: Attribute,
    inputs: Any,
    types: Any,
    then: Any,
    otherwise: Any,
    attributes: Any,
) -> Pending:
    if not isinstance(condition, AffineSetAttr):
        fail(f"expected an integer set, got '{condition}'")
    held = condition.set  # type: ignore[union-attr]
    names = _check_inputs(inputs, held.num_dims, held.num_symbols)
    return Pending(
        cls,
        operands=names,
        types=(t.index,) * len(names),
        result_types=types,
        properties={"condition": condition},
        attributes=attributes,
        regions=(then, otherwise or empty_region()),
    )


@printer("affine.if")
def print_if(p: Any, op: Any) -> None:
    p.write(" ")
    print_application(p, op.condition, op.set_operands, op.condition.set.num_dims)
    p.arrow_types([v.type for v in op.results])
    p.write(" ")
    shown = bool(op.results)
    p.region(op.then_region, entry_args=False, terminator=shown)
    if op.has_else:
        p.write(" else ")
        p.region(op.else_region, entry_args=False, terminator=shown)
    p.attr_dict(op, elided=("condition",))


# -- parallel --------------------------------------------------------------------------------------

action("affine_op_single")(lambda expr: (expr,))
action("affine_op_numbers")(lambda *numbers: numbers)
action("affine_op_kinds")(lambda *kinds: kinds)


@syntax("affine.parallel", rule="affine_op_parallel")
def build_parallel(
    cls: Any,
    variables: Any,
    lower: Any,
    upper: Any,
    steps: Any,
    kinds: Any,
    types: Any,
    body: Any,
    attributes: Any,
) -> Pending:
    rank = len(variables)
    steps = (1,) * rank if steps is None else steps
    if any(len(group) != rank for group in (lower, upper, steps)):
        fail(f"expected {rank} lower bounds, upper bounds and steps")
    for kind in kinds:
        if kind not in ATOMIC_RMW_KINDS:
            fail(f'invalid reduction value: "{kind}"')
    body.set_arguments([(name, t.index) for name in variables])
    properties: dict[str, Any] = {
        "reductions": ArrayAttr(
            tuple(IntegerAttr(ATOMIC_RMW_KINDS.index(k), t.i64) for k in kinds)
        ),
        "steps": ArrayAttr(tuple(IntegerAttr(n, t.i64) for n in steps)),
    }
    names: list[str] = []
    for word, bounds in (("lower", lower), ("upper", upper)):
        map, dims, symbols = affine_of_values([expr for group in bounds for expr in group])
        names += [*dims, *symbols]
        sizes = [len(group) for group in bounds]
        properties[f"{word}BoundsMap"] = AffineMapAttr(map)
        properties[f"{word}BoundsGroups"] = DenseElementsAttr.of(
            sizes, t.TensorType((rank,), t.i32)
        )
    return Pending(
        cls,
        operands=tuple(names),
        types=(t.index,) * len(names),
        result_types=types,
        properties=properties,
        attributes=attributes,
        regions=(body,),
    )


@printer("affine.parallel")
def print_parallel(p: Any, op: Any) -> None:
    p.write(" (")
    p.values(op.body.arguments)
    p.write(") = (")
    _print_limits(p, op.bounds(lower=True), op.lower_operands, "max")
    p.write(") to (")
    _print_limits(p, op.bounds(lower=False), op.upper_operands, "min")
    p.write(")")
    steps = [int(n) for n in op.steps]
    if any(n != 1 for n in steps):
        p.write(f" step ({', '.join(map(str, steps))})")
    if op.results:
        kinds = ", ".join(f'"{k}"' for k in op.reduction_names)
        p.write(f" reduce ({kinds}) -> (")
        p.types([v.type for v in op.results])
        p.write(")")
    p.write(" ")
    p.region(op.body_region, entry_args=False, terminator=bool(op.results))
    p.attr_dict(
        op,
        elided=(
            "reductions", "lowerBoundsMap", "lowerBoundsGroups", "upperBoundsMap",
            "upperBoundsGroups", "steps",
        ),
    )  # fmt: skip


def _print_limits(p: Any, maps: list[AffineMap], operands: Any, extremum: str) -> None:
    for i, map in enumerate(maps):
        p.write(", " if i else "")
        several = map.num_results != 1
        p.write(f"{extremum}(" if several else "")
        p.affine_operands(map, operands[: map.num_dims], operands[map.num_dims :])
        p.write(")" if several else "")


# -- index arithmetic ------------------------------------------------------------------------------


@syntax("affine.delinearize_index", rule="affine_op_delinearize")
def build_delinearize(cls: Any, value: str, basis: Any, attributes: Any, types: Any) -> Pending:
    statics, dynamics = basis
    return Pending(
        cls,
        operands=(value, *dynamics),
        types=(t.index,) * (1 + len(dynamics)),
        result_types=types,
        properties={"static_basis": static_array(statics)},
        attributes=attributes,
    )


@printer("affine.delinearize_index")
def print_delinearize(p: Any, op: Any) -> None:
    p.write(" ")
    p.value(op.linear_index)
    print_mixed(p, " into ", op.basis)
    p.attr_dict(op, elided=("static_basis",))
    p.write(" : ")
    p.types([v.type for v in op.results])


@syntax("affine.linearize_index", rule="affine_op_linearize")
def build_linearize(
    cls: Any, disjoint: Any, digits: Any, basis: Any, attributes: Any, type: Any
) -> Pending:
    statics, dynamics = basis
    properties: dict[str, Any] = {
        "static_basis": static_array(statics),
        "operandSegmentSizes": segments(len(digits), len(dynamics)),
    }
    if disjoint is not None:
        properties["disjoint"] = disjoint
    return Pending(
        cls,
        operands=(*digits, *dynamics),
        types=(t.index,) * (len(digits) + len(dynamics)),
        result_types=(type,),
        properties=properties,
        attributes=attributes,
    )


@printer("affine.linearize_index")
def print_linearize(p: Any, op: Any) -> None:
    p.write(" disjoint [" if op.is_disjoint else " [")
    p.values(op.multi_index)
    p.write("]")
    print_mixed(p, " by ", op.basis)
    p.attr_dict(op, elided=("static_basis", "disjoint", "operandSegmentSizes"))
    p.write(" : ")
    p.type(op.linear_index.type)


@syntax("affine.prefetch", rule="affine_op_prefetch")
def build_prefetch(
    cls: Any, memref: str, subscripts: Any, hint: Any, attributes: Any, type: Any
) -> Pending:
    map, dims, symbols = subscripts
    return Pending(
        cls,
        operands=(memref, *dims, *symbols),
        types=(type, *[t.index] * (len(dims) + len(symbols))),
        properties={**hint_properties(hint), "map": AffineMapAttr(map)},
        attributes=attributes,
    )


@printer("affine.prefetch")
def print_prefetch(p: Any, op: Any) -> None:
    p.write(" ")
    p.value(op.memref)
    map = op.map.map
    p.write("[")
    p.affine_operands(map, op.indices[: map.num_dims], op.indices[map.num_dims :])
    p.write("]")
    print_hint(p, op)
