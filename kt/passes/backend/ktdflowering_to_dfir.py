"""ktdflowering-to-dfir: one program per unit kind, with memory views, sends, receives and tokens.

Before::

    scf.for %i … {
      ktdf_lowering.execute_on %dmai, %feed {
        ktdf_lowering.execute_on %dmai { ktdf.data_transfer from %A[%i, %c0] … to %buf[%c0] … }
        ktdf_lowering.signal %dmai, %feed
        ktdf_lowering.execute_on %feed { ktdf.data_transfer from %buf[%c0] … to %slot … }

After::

    dataflow.program_unit iter_arg : %me -> (%C0-dmai, %C1-dmai) : {
      %in = dataflow.get_logical_memory_view %main, %start {…}
      scf.for %i … {
        agen.composite_load_and_store src:%in[%i, 0] dst:%buf[0] …
        dataflow.sync_send %peer … ; dataflow.sync_recv %peer
      }
    }
    dataflow.program_unit iter_arg : %me -> (%C0-feed, %C1-feed) : { … }

Loops and conditions around a unit's work are repeated in its program. Nothing inside a program unit
uses an argument of the function: addresses and numbers that are known at launch are symbols.
"""

from __future__ import annotations

from attrs import frozen

from kt.ir import types as t
from kt.ir.builder import Builder
from kt.ir.core import BlockArgument, Operation, Value
from kt.ir.dce import erase_dead_ops
from kt.ir.dialects import dataflow, func, ktdf_lowering, ktdp
from kt.passes.backend import dfir_buffers, dfir_compute, dfir_control, dfir_indices, dfir_moves
from kt.passes.backend.dfir_compute import check_registers
from kt.passes.backend.dfir_unit import FunctionUnits, UnitProgram
from kt.passes.backend.dfir_values import FunctionValues, kernel_arguments
from kt.passes.backend.engines import handle_type, handle_units
from kt.passes.base import Pass, PassContext
from kt.passes.common.canonicalize import Canonicalize
from kt.passes.registry import register_pass

LOWERINGS = (dfir_buffers, dfir_compute, dfir_control, dfir_indices, dfir_moves)
"""Modules whose import registers lowerings."""


@register_pass
@frozen
class KtdfloweringToDfir(Pass):
    """Project the work of each function onto its unit kinds."""

    name = "ktdflowering-to-dfir"

    def run(self, module: Operation, ctx: PassContext) -> None:
        functions = [
            op
            for op in module.walk()
            if isinstance(op, func.FuncOp)
            and any(isinstance(inner, ktdf_lowering.ExecuteOnOp) for inner in op.walk())
        ]
        next_id = -max((len(k.body.arguments) for k in _kernels(module)), default=0)
        for function in functions:
            next_id = lower_function(function, module, next_id, ctx)
        for function in functions:
            ctx.run([Canonicalize()], function)


def _kernels(module: Operation) -> list[func.FuncOp]:
    """Functions with a body that nobody calls."""
    called = {op.attr("callee").leaf for op in module.walk() if isinstance(op, func.CallOp)}
    return [
        op
        for op in module.walk()
        if isinstance(op, func.FuncOp)
        and op.regions[0].blocks
        and op.attr("sym_name").value not in called
    ]


def lower_function(
    function: func.FuncOp, module: Operation, next_id: int, ctx: PassContext
) -> int:
    """Replace the work of a function by program units; returns the last symbol number used."""
    work = list(function.body.ops)[:-1]
    end = function.body.last_op
    assert end is not None
    values = FunctionValues(
        function, Builder.before(end, function.location), next_id, kernel_arguments(function, module)
    )
    units = FunctionUnits(ctx.device, values)
    units.pointers = _plain_pointers(function)
    kinds = _unit_kinds(function, ctx)
    for handles in kinds.values():
        for handle in handles:
            unit = handle.defining_op
            assert isinstance(unit, dataflow.GetUnitOp)
            units.units[unit.unit_type.value, unit.core or 0, max(0, unit.corelet)] = handle
    programs = []
    sums: list[Operation] = []
    for kind, handles in kinds.items():
        unit = UnitProgram(units, kind, handles)
        unit.lower(work, Builder.at_end(unit.work, function.location))
        programs.append(unit.finish())
        check_registers(programs[-1], kind, ctx.device)
        sums += [v.defining_op for v in unit.sums.values() if v.defining_op is not None]
    for op in reversed(sums):
        op.erase()
    for program in programs:
        function.body.insert_before(program, end)
        ctx.stat("program-units")
    kept = {h.defining_op for handles in kinds.values() for h in handles}
    _erase([op for op in work if op not in kept])
    erase_dead_ops(function)
    return values.next_id


def _unit_kinds(function: Operation, ctx: PassContext) -> dict[str, list[Value]]:
    """Unit kind → all its units, in the order in which a post-order walk meets them."""
    found: dict[str, dict[Value, None]] = {}
    for op in function.walk(post_order=True):
        if isinstance(op, ktdf_lowering.ExecuteOnOp):
            for handle in op.units:
                kind = str(ctx.device.kind_of_tag(handle_type(handle)))
                found.setdefault(kind, {}).update(dict.fromkeys(handle_units(handle)))
    return {kind: list(units) for kind, units in found.items()}


def _plain_pointers(function: func.FuncOp) -> set[Value]:
    """Arguments that are the whole address of a view."""
    return {
        op.operands[0]
        for op in function.walk()
        if isinstance(op, ktdp.ConstructMemoryViewOp)
        and isinstance(op.operands[0], BlockArgument)
        and op.operands[0].type is t.index
    }


def _erase(ops: list[Operation]) -> None:
    """Erase the old work, users before what they use."""
    for op in reversed(ops):
        if not any(value.has_uses for value in op.results):
            op.erase()
