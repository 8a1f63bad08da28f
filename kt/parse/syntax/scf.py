"""Text of ``scf`` loops and conditions."""

from __future__ import annotations

from typing import Any

from kt.ir import types as t
from kt.ir.attributes import UnitAttr
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

action("scf_no")(lambda: False)
action("scf_yes")(lambda: True)


@action("paren_list")
def mixed_items(*items: int | str) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """``(4, %n)``: static numbers with DYNAMIC where a name stands, and the names."""
    statics = tuple(t.DYNAMIC if isinstance(i, str) else int(i) for i in items)
    return statics, tuple(i for i in items if isinstance(i, str))


def carried_arguments(pairs: Any, types: Any) -> list[tuple[str, Any]]:
    """Block arguments of ``iter_args(%a = %x, …) -> (T, …)``."""
    if len(pairs) != len(types):
        fail(
            "mismatch in number of loop-carried values and defined values: "
            f"{len(pairs)} and {len(types)}"
        )
    return [(name, type) for (name, _), type in zip(pairs, types, strict=True)]


# -- for -------------------------------------------------------------------------------------------


@syntax("scf.for", rule="scf_for")
def build_for(
    cls: Any,
    unsigned: bool,
    variable: str,
    lower: str,
    upper: str,
    step: str,
    carried: Any,
    type: Any,
    body: Any,
    attributes: Any,
) -> Pending:
    pairs, types = carried
    counter = type or t.index
    body.set_arguments([(variable, counter), *carried_arguments(pairs, types)])
    return Pending(
        cls,
        operands=(lower, upper, step, *(init for _, init in pairs)),
        types=(counter,) * 3 + tuple(types),
        result_types=types,
        properties={"unsignedCmp": UnitAttr()} if unsigned else None,
        attributes=attributes,
        regions=(body,),
    )


@printer("scf.for")
def print_for(p: Any, op: Any) -> None:
    p.write(" unsigned " if op.unsigned_cmp is not None else " ")
    p.value(op.induction_variable)
    p.write(" = ")
    p.value(op.lower_bound)
    p.write(" to ")
    p.value(op.upper_bound)
    p.write(" step ")
    p.value(op.step)
    print_carried(p, op.iter_args, op.init_args, " iter_args")
    p.arrow_list(op.init_args)
    if op.induction_variable.type is not t.index:
        p.write("  : ")
        p.type(op.induction_variable.type)
    p.write(" ")
    p.region(op.body_region, entry_args=False, terminator=bool(op.init_args))
    p.attr_dict(op, elided=("unsignedCmp",))


def print_carried(p: Any, arguments: Any, inits: Any, word: str) -> None:
    """`` iter_args(%a = %x, …)``, or nothing without inits."""
    if not inits:
        return
    p.write(f"{word}(")
    for i, (argument, init) in enumerate(zip(arguments, inits, strict=True)):
        p.write(", " if i else "")
        p.value(argument)
        p.write(" = ")
        p.value(init)
    p.write(")")


# -- if --------------------------------------------------------------------------------------------


@syntax("scf.if", rule="scf_if")
def build_if(
    cls: Any, condition: str, types: Any, then: Any, otherwise: Any, attributes: Any
) -> Pending:
    return Pending(
        cls,
        operands=(condition,),
        result_types=types,
        attributes=attributes,
        regions=(then, otherwise or empty_region()),
    )


@printer("scf.if")
def print_if(p: Any, op: Any) -> None:
    p.write(" ")
    p.value(op.condition)
    shown = bool(op.results)
    p.arrow_list(op.results)
    p.write(" ")
    p.region(op.then_region, entry_args=False, terminator=shown)
    if op.has_else:
        p.write(" else ")
        p.region(op.else_region, entry_args=False, terminator=shown)
    p.attr_dict(op)


# -- while -----------------------------------------------------------------------------------------


@syntax("scf.while", rule="scf_while")
def build_while(
    cls: Any, pairs: Any, type: t.FunctionType, before: Any, after: Any, attributes: Any
) -> Pending:
    if len(pairs) != len(type.inputs):
        fail(
            f"expected as many input types as operands (expected {len(pairs)} "
            f"got {len(type.inputs)})"
        )
    before.set_arguments(carried_arguments(pairs, type.inputs))
    return Pending(
        cls,
        operands=tuple(init for _, init in pairs),
        types=type.inputs,
        result_types=type.results,
        attributes=attributes,
        regions=(before, after),
    )


@printer("scf.while")
def print_while(p: Any, op: Any) -> None:
    print_carried(p, op.before.block.arguments, op.inits, " ")
    p.write(" : ")
    p.function_type([v.type for v in op.inits], [v.type for v in op.results])
    p.write(" ")
    p.region(op.before, entry_args=False)
    p.write(" do ")
    p.region(op.after)
    p.attr_dict(op, keyword=True)


# -- execute_region, index_switch ------------------------------------------------------------------


@syntax("scf.execute_region", rule="scf_execute_region")
def build_execute_region(
    cls: Any, no_inline: bool, types: Any, body: Any, attributes: Any
) -> Pending:
    properties = {"no_inline": UnitAttr()} if no_inline else None
    return Pending(
        cls, result_types=types, properties=properties, attributes=attributes, regions=(body,)
    )


@printer("scf.execute_region")
def print_execute_region(p: Any, op: Any) -> None:
    if op.no_inline is not None:
        p.write(" no_inline")
    p.arrow_types([v.type for v in op.results])
    p.write(" ")
    p.region(op.body_region)
    p.attr_dict(op, elided=("no_inline",))


@syntax("scf.index_switch", rule="scf_index_switch")
def build_index_switch(
    cls: Any, value: str, attributes: Any, types: Any, cases: Any, default: Any
) -> Pending:
    return Pending(
        cls,
        operands=(value,),
        result_types=types,
        properties={"cases": static_array([number for number, _ in cases])},
        attributes=attributes,
        regions=(default, *(body for _, body in cases)),
    )


@printer("scf.index_switch")
def print_index_switch(p: Any, op: Any) -> None:
    p.write(" ")
    p.value(op.arg)
    p.attr_dict(op, elided=("cases",))
    p.arrow_types([v.type for v in op.results])
    p.write(" ")
    for number, body in zip(op.cases, op.case_regions, strict=True):
        p.newline()
        p.write(f"case {number} ")
        p.region(body, entry_args=False)
    p.newline()
    p.write("default ")
    p.region(op.default_region, entry_args=False, terminator=bool(op.results))


# -- parallel --------------------------------------------------------------------------------------


@syntax("scf.parallel", rule="scf_parallel")
def build_parallel(
    cls: Any,
    variables: Any,
    lower: Any,
    upper: Any,
    step: Any,
    inits: Any,
    types: Any,
    body: Any,
    attributes: Any,
) -> Pending:
    rank = len(variables)
    if any(len(group) != rank for group in (lower, upper, step)):
        fail(f"expected {rank} lower bounds, upper bounds and steps")
    if len(inits) != len(types):
        fail(f"expected {len(inits)} result types for {len(inits)} initial values")
    body.set_arguments([(name, t.index) for name in variables])
    return Pending(
        cls,
        operands=(*lower, *upper, *step, *inits),
        types=(t.index,) * (3 * rank) + tuple(types),
        result_types=types,
        properties={"operandSegmentSizes": segments(rank, rank, rank, len(inits))},
        attributes=attributes,
        regions=(body,),
    )


@printer("scf.parallel")
def print_parallel(p: Any, op: Any) -> None:
    groups = (op.induction_variables, op.lower_bounds, op.upper_bounds, op.steps)
    for word, values in zip((" (", " = (", " to (", " step ("), groups, strict=True):
        p.write(word)
        p.values(values)
        p.write(")")
    if op.init_vals:
        p.write(" init (")
        p.values(op.init_vals)
        p.write(")")
    p.arrow_list(op.results)
    p.write(" ")
    p.region(op.body_region, entry_args=False)
    p.attr_dict(op, elided=("operandSegmentSizes",))


@syntax("scf.reduce", rule="scf_reduce")
def build_reduce(cls: Any, form: Any) -> Pending:
    if len(form) == 1:
        return Pending(cls, attributes=form[0])
    (names, types), regions, attributes = form
    return Pending(cls, operands=names, types=types, attributes=attributes, regions=regions)


@printer("scf.reduce")
def print_reduce(p: Any, op: Any) -> None:
    if op.arguments:
        p.write("(")
        p.values(op.arguments)
        p.write(" : ")
        p.types([v.type for v in op.arguments])
        p.write(")")
    p.write(" ")
    for i, body in enumerate(op.reductions):
        p.write(", " if i else "")
        p.region(body)
    p.attr_dict(op)


# -- forall ----------------------------------------------------------------------------------------


@action("scf_forall_from_zero")
def _from_zero(upper: Any) -> Any:
    rank = len(upper[0])
    return ((0,) * rank, ()), upper, ((1,) * rank, ())


@syntax("scf.forall", rule="scf_forall")
def build_forall(
    cls: Any, variables: Any, bounds: Any, shared: Any, body: Any, attributes: Any
) -> Pending:
    pairs, types = shared
    rank = len(variables)
    if any(len(statics) != rank for statics, _ in bounds):
        fail(f"expected {rank} lower bounds, upper bounds and steps")
    body.set_arguments([*((name, t.index) for name in variables), *carried_arguments(pairs, types)])
    dynamic = [name for _, names in bounds for name in names]
    keys = ("staticLowerBound", "staticUpperBound", "staticStep")
    properties: dict[str, Any] = {
        key: static_array(statics) for key, (statics, _) in zip(keys, bounds, strict=True)
    }
    properties["operandSegmentSizes"] = segments(*(len(n) for _, n in bounds), len(pairs))
    return Pending(
        cls,
        operands=(*dynamic, *(outer for _, outer in pairs)),
        types=(t.index,) * len(dynamic) + tuple(types),
        result_types=types,
        properties=properties,
        attributes=attributes,
        regions=(body,),
    )


@printer("scf.forall")
def print_forall(p: Any, op: Any) -> None:
    p.write(" (")
    p.values(op.induction_variables)
    p.write(")")
    if op.is_normalized:
        print_mixed(p, " in ", op.upper_bounds)
    else:
        print_mixed(p, " = ", op.lower_bounds)
        print_mixed(p, " to ", op.upper_bounds)
        print_mixed(p, " step ", op.steps)
    print_carried(p, op.region_outputs, op.shared, " shared_outs")
    p.arrow_list(op.results)
    p.write(" ")
    p.region(op.body_region, entry_args=False, terminator=bool(op.results))
    p.attr_dict(
        op,
        elided=("operandSegmentSizes", "staticLowerBound", "staticUpperBound", "staticStep"),
    )


def print_mixed(p: Any, word: str, entries: Any) -> None:
    """``word(4, %n)``."""
    p.write(f"{word}(")
    for i, entry in enumerate(entries):
        p.write(", " if i else "")
        if isinstance(entry, int):
            p.write(str(entry))
        else:
            p.value(entry)
    p.write(")")


@syntax("scf.forall.in_parallel", rule="scf_in_parallel")
def build_in_parallel(cls: Any, body: Any, attributes: Any) -> Pending:
    return Pending(cls, attributes=attributes, regions=(body,))


@printer("scf.forall.in_parallel")
def print_in_parallel(p: Any, op: Any) -> None:
    p.write(" ")
    p.region(op.body_region, entry_args=False)
    p.attr_dict(op)
