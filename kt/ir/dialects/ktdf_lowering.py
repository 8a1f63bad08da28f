"""The `ktdf_lowering` dialect: which units run what, on the way from ScheduleIR to DataflowIR."""

from __future__ import annotations

from kt.ir.constraints import INDEX
from kt.ir.core import Operation, Region, Value
from kt.ir.opdef import region, variadic_operand
from kt.ir.traits import NoRegionArguments, NoTerminator, SingleBlock


class ExecuteOnOp(Operation):
    """The body belongs to the programs of these units; a nested one narrows the set.

    Units are ``index`` values. There is no order between different units but what signals, FIFOs
    and SSA give.
    """

    name = "ktdf_lowering.execute_on"
    traits = (SingleBlock(), NoTerminator(), NoRegionArguments())
    assembly_format = "$units $unit_body attr-dict"
    units: tuple[Value, ...] = variadic_operand(INDEX)
    unit_body: Region = region(single_block=True)


class SignalOp(Operation):
    """A rendezvous: every unit tells those of other kinds that it arrived, and waits for them.

    Each one first waits for its own outstanding transfers.
    """

    name = "ktdf_lowering.signal"
    assembly_format = "$units attr-dict"
    units: tuple[Value, ...] = variadic_operand(INDEX)

    def verify_(self) -> None:
        if not self.units:
            raise self.error("names no unit that could meet another", code="strict")
