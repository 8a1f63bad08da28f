"""symbol-dce: erase private symbols that nobody refers to."""

from __future__ import annotations

from attrs import frozen

from kt.ir.attributes import StringAttr
from kt.ir.core import Operation
from kt.ir.symbols import symbol_uses
from kt.ir.traits import Symbol, SymbolTable
from kt.passes.base import Pass, PassContext
from kt.passes.registry import register_pass


@register_pass
@frozen
class SymbolDCE(Pass):
    """Erase private functions and other private symbols without references::

        func.func private @helper()    →    (nothing)

    Repeated until nothing more goes. A symbol that only refers to itself stays.
    """

    name = "symbol-dce"

    def run(self, module: Operation, ctx: PassContext) -> None:
        while dead := [op for op in module.walk() if op is not module and _is_dead(op)]:
            for op in dead:
                op.erase()
            ctx.stat("erased", len(dead))


def _is_dead(op: Operation) -> bool:
    table = op.parent_op
    visibility = op.attr("sym_visibility")
    return (
        op.has_trait(Symbol)
        and table is not None
        and table.has_trait(SymbolTable)
        and isinstance(visibility, StringAttr)
        and visibility.value in ("private", "nested")
        and not symbol_uses(op)
    )
