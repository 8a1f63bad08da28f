"""``custom<…>`` directives that several dialects use."""

from __future__ import annotations

from typing import Any

from kt.ir.attributes import AffineMapAttr, StringAttr
from kt.parse.syntax_api import directive, directive_printer, static_array


@directive("DynamicIndexList", rule="mixed_list")
def _dynamic_index_list(args: list[Any], statics: Any, names: Any) -> None:
    """``custom<DynamicIndexList>($dynamic, $static)``: ``[4, %n]``."""
    args[0], args[1] = names, static_array(statics)


@directive_printer("DynamicIndexList")
def _print_dynamic_index_list(p: Any, op: Any, dynamic: Any, static: Any, *_: Any) -> None:
    p.mixed_list(static.values if static is not None else (), dynamic)


@directive("AffineOperands", rule="affine_operands")
def _affine_operands(args: list[Any], map: Any, dims: Any, symbols: Any) -> None:
    """``custom<AffineOperands>($operands, $map)``: ``[%i * 2, 4]``."""
    args[0], args[1] = (*dims, *symbols), AffineMapAttr(map)


@directive_printer("AffineOperands")
def _print_affine_operands(p: Any, op: Any, operands: Any, map: Any) -> None:
    count = map.map.num_dims
    p.write("[")
    p.affine_operands(map.map, operands[:count], operands[count:])
    p.write("]")


@directive("SymbolVisibility", rule="symbol_visibility")
def _symbol_visibility(args: list[Any], word: Any) -> None:
    if word is not None:  # "private", "public" or "nested"
        args[0] = StringAttr(word)


@directive_printer("SymbolVisibility")
def _print_symbol_visibility(p: Any, op: Any, visibility: Any) -> None:
    if visibility is not None:
        p.write(visibility.value)
