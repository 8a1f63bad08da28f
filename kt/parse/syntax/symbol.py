"""Text of the `symbol` dialect where MLIR's declarative format doesn't reach."""

from __future__ import annotations

from typing import Any

from kt.ir import types as t
from kt.ir.dialects.symbol import SymbolImmutableMappingOp
from kt.parse.syntax.uniform import write_entries
from kt.parse.syntax_api import Pending, printer, syntax


@syntax("symbol.symbol_immutable_mapping", rule="symbol_map")
def build_map(cls: type, *parts: Any) -> Pending:
    *entries, attributes, type = parts
    return Pending(
        cls,
        operands=(*(key for key, _ in entries), *(value for _, value in entries)),
        types=(t.index,) * (2 * len(entries)),
        result_types=(type,),
        attributes=attributes,
    )


@printer("symbol.symbol_immutable_mapping")
def print_map(p: Any, op: SymbolImmutableMappingOp) -> None:
    p.write(" ")
    write_entries(p, op.entries)
    p.attr_dict(op)
    p.write(" : ")
    p.type(op.map.type)
