"""Text of ``func.func``."""

from __future__ import annotations

from typing import Any

from kt.ir import types as t
from kt.ir.attributes import DictAttr, StringAttr
from kt.parse.syntax_api import Pending, empty_region, fail, printer, syntax

VISIBILITIES = ("public", "private", "nested")
OWN_KEYS = ("sym_name", "sym_visibility", "function_type", "arg_attrs", "res_attrs")
"""Inherent attributes that have their own place in the text."""


@syntax("func.func", rule="func_func")
def build_func(
    cls: Any, visibility: str | None, name: str, signature: Any, attributes: Any, body: Any
) -> Pending:
    if visibility is not None and visibility not in VISIBILITIES:
        fail(f"expected a symbol name or 'private', got '{visibility}'")
    if signature.variadic:
        fail("functions of kt don't take a variable number of arguments")
    if body is None:
        body = empty_region()
    elif signature.named or not signature.arguments:
        body.set_arguments(signature.block_arguments())
    properties = {
        "sym_name": StringAttr(name),
        "function_type": signature.type,
        **signature.attribute_arrays(),
    }
    if visibility is not None:
        properties["sym_visibility"] = StringAttr(visibility)
    return Pending(cls, properties=properties, attributes=attributes, regions=(body,))


@printer("func.func")
def print_func(p: Any, op: Any) -> None:
    p.write(" ")
    if op.sym_visibility is not None:
        p.write(f"{op.sym_visibility.value} ")
    p.symbol(op.symbol)
    p.write("(")
    type = op.function_type
    for i, kind in enumerate(type.inputs):
        p.write(", " if i else "")
        if op.is_declaration:
            p.type(kind)
        else:
            p.value(op.arguments[i])
            p.write(": ")
            p.type(kind)
        _print_attributes(p, op.arg_attrs, i)
        if not op.is_declaration:
            p.location(op.arguments[i].loc)
    p.write(")")
    if type.results:
        _print_results(p, op, type.results)
    p.attr_dict(op, elided=OWN_KEYS, keyword=True)
    if not op.is_declaration:
        p.write(" ")
        p.region(op.body_region, entry_args=False)


def _print_attributes(p: Any, arrays: Any, index: int) -> None:
    held = arrays[index] if arrays is not None else DictAttr()
    if len(held):
        p.write(" ")
        p.attribute(held)


def _print_results(p: Any, op: Any, results: tuple[t.Type, ...]) -> None:
    attributes = op.res_attrs
    plain = attributes is None or not any(len(held) for held in attributes)
    if plain:
        p.arrow_types(results)
        return
    p.write(" -> (")
    for i, kind in enumerate(results):
        p.write(", " if i else "")
        p.type(kind)
        _print_attributes(p, attributes, i)
    p.write(")")
