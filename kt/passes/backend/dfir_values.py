"""Numbers of a unit's program that are known at compile time per core, or at launch.

Inside a program unit no argument of the function may be used. A value that is computed from constants
and the tile id becomes a table of constants, one per unit. A value that depends on arguments becomes
a symbol (one per core where it depends on the tile id as well): its arithmetic moves to the function,
in front of the program units, and ends in ``symbol.create_id``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from kt.ir import types as t
from kt.ir.attributes import IntegerAttr, UnitAttr
from kt.ir.builder import Builder
from kt.ir.clone import clone_op
from kt.ir.core import Block, BlockArgument, Operation, Value
from kt.ir.diagnostics import PassError
from kt.ir.dialects import arith, dataflow, func, ktdp, symbol, uniform
from kt.ir.effects import is_effect_free
from kt.passes.analysis.evaluate import evaluate

if TYPE_CHECKING:
    from kt.passes.backend.dfir_unit import UnitProgram

PER_TILE = "kt.per_tile"
"""Argument attribute: the value differs between the tiles that run the function."""
CONSTANT, PER_CORE, LAUNCH, DYNAMIC = range(4)
"""When a value is known: always; per core; at launch; only while the program runs."""


@define(eq=False)
class FunctionValues:
    """What one program function declares: symbols, and the arithmetic behind them."""

    function: func.FuncOp
    prelude: Builder
    """Where arithmetic and declarations of symbols go."""
    next_id: int
    kernel_arguments: dict[Value, int]
    """Arguments that are those of the kernel, with their numbers."""
    declared: dict[tuple[Value, int, int | None], int] = field(factory=dict)
    """(value, divisor, core) → symbol."""
    copies: dict[tuple[Value, int | None], Value] = field(factory=dict)
    stages: dict[Value, int] = field(factory=dict)
    tile_ids: list[Value] | None = None
    """Numbers of compute tiles in the function, once somebody asked."""

    def per_tile(self, argument: BlockArgument) -> bool:
        """Whether an argument of the function is marked as differing between tiles."""
        attrs = self.function.attr("arg_attrs")
        if attrs is None or argument.index >= len(attrs):
            return False
        return isinstance(attrs[argument.index].get(PER_TILE), UnitAttr)

    def when(self, value: Value) -> int:
        """When a value of the function is known."""
        found = self.stages.get(value)
        if found is None:
            found = self.stages[value] = self._when(value)
        return found

    def _when(self, value: Value) -> int:
        if isinstance(value, BlockArgument):
            return LAUNCH if value.block is self.function.body else DYNAMIC
        op = value.defining_op
        assert op is not None
        if isinstance(op, ktdp.GetComputeTileIdOp):
            return PER_CORE
        if op.regions or not is_effect_free(op) or not _is_scalar(value.type):
            return DYNAMIC
        return max((self.when(v) for v in op.operands), default=CONSTANT)

    def varies_by_core(self, value: Value) -> bool:
        """Whether a value known at launch differs between cores."""
        stack, seen = [value], {value}
        while stack:
            current = stack.pop()
            if isinstance(current, BlockArgument):
                if current.block is self.function.body and self.per_tile(current):
                    return True
                continue
            op = current.defining_op
            assert op is not None
            if isinstance(op, ktdp.GetComputeTileIdOp):
                return True
            stack += [v for v in op.operands if v not in seen]
            seen.update(op.operands)
        return False

    def number_on_core(self, value: Value, core: int) -> int:
        """The number that a per-core value has on one core."""
        if self.tile_ids is None:
            found = self.function.walk_type(ktdp.GetComputeTileIdOp)
            self.tile_ids = [op.results[0] for op in found]
        number = evaluate(value, dict.fromkeys(self.tile_ids, core))
        if number is None:
            raise PassError(
                f"can't compute the value of '{_name(value)}' on core {core}",
                value.location,
                hint="use integer arithmetic on constants and the tile id",
            )
        return number

    def symbol(self, value: Value, divisor: int, core: int | None) -> int:
        """The symbol for ``value / divisor`` (on one core); declared at first request."""
        key = (value, divisor, core)
        if key in self.declared:
            return self.declared[key]
        number = self.kernel_arguments.get(value)
        if number is not None and divisor == 1 and core is None and value.type is t.index:
            id = -(number + 1)
        else:
            self.next_id -= 1
            id = self.next_id
        declared = self._as_index(self._copy(value, core))
        if divisor > 1:
            declared = self.prelude.create(
                arith.DivSIOp, declared, self.prelude.constant(divisor)
            ).result
        made = self.prelude.create(
            symbol.CreateIdOp, declared, symbol_id=IntegerAttr(id, t.IntegerType(64, "s"))
        )
        if core is not None:
            made.attributes["kt.core"] = IntegerAttr(core, t.i64)
        self.declared[key] = id
        return id

    def _copy(self, value: Value, core: int | None) -> Value:
        """The arithmetic of ``value`` in the prelude, the tile id replaced by ``core``."""
        if isinstance(value, BlockArgument):
            return value
        key = (value, core)
        if key not in self.copies:
            op = value.defining_op
            assert op is not None
            if isinstance(op, ktdp.GetComputeTileIdOp):
                assert core is not None
                self.copies[key] = self.prelude.constant(core)
            else:
                mapping = {v: self._copy(v, core) for v in op.operands}
                copy = self.prelude.insert(clone_op(op, mapping))
                self.copies[key] = copy.results[value.index]  # type: ignore[attr-defined]
        return self.copies[key]

    def _as_index(self, value: Value) -> Value:
        """A scalar as an index: floats by their bits, integers without sign extension."""
        type = value.type
        if isinstance(type, t.FloatType):
            value = self.prelude.create(
                arith.BitcastOp, value, result_types=[t.IntegerType(type.bits)]
            ).result
        if value.type is not t.index:
            value = self.prelude.create(arith.IndexCastUIOp, value, result_types=[t.index]).result
        return value


def _is_scalar(type: t.Type) -> bool:
    return isinstance(type, (t.IndexType, t.IntegerType, t.FloatType))


def _name(value: Value) -> str:
    op = value.defining_op
    return f"%{value.name_hint}" if value.name_hint else (op.name if op is not None else "argument")


@define(eq=False)
class UnitValues:
    """Launch-time values as one program unit sees them, each made once at the top of its body."""

    unit: UnitProgram
    made: dict[tuple[Value, int], Value] = field(factory=dict)

    def get(self, value: Value, divisor: int = 1) -> Value:
        """``value / divisor`` inside the program unit, for a value that isn't dynamic."""
        key = (value, divisor)
        if key not in self.made:
            self.made[key] = self._make(value, divisor)
        return self.made[key]

    def _make(self, value: Value, divisor: int) -> Value:
        values = self.unit.values
        when = values.when(value)
        if when < LAUNCH and isinstance(value.type, t.FloatType):
            return self._float_constant(value)
        if when < LAUNCH:
            numbers = [values.number_on_core(value, core) // divisor for core in self.unit.cores]
            return self._narrow(self._table(numbers), value.type)
        if values.varies_by_core(value):
            ids = [values.symbol(value, divisor, core) for core in self.unit.cores]
        else:
            ids = [values.symbol(value, divisor, None)] * len(self.unit.cores)
        return self._narrow(self._symbols(ids), value.type)

    def _float_constant(self, value: Value) -> Value:
        op = value.defining_op
        assert op is not None
        mapping = {v: self.get(v) for v in op.operands}
        copy = self.unit.top.insert(clone_op(op, mapping))
        return copy.results[value.index]  # type: ignore[attr-defined]

    def _table(self, numbers: list[int]) -> Value:
        """A number per unit: a constant, or a lookup by the unit that runs the program."""
        if len(set(numbers)) == 1:
            return self.unit.constants(numbers[0])
        return self.unit.lookup([self.unit.constants(n) for n in numbers])

    def _symbols(self, ids: list[int]) -> Value:
        top = self.unit.top
        made = {
            id: top.create(
                symbol.CreateSymbolOp,
                attributes={"SymbolId": IntegerAttr(id, t.i64)},
                result_types=[t.index],
            ).results[0]
            for id in dict.fromkeys(ids)
        }
        return made[ids[0]] if len(made) == 1 else self.unit.lookup([made[id] for id in ids])

    def _narrow(self, number: Value, type: t.Type) -> Value:
        """An index turned back into the type that the value had."""
        if type is t.index:
            return number
        top = self.unit.top
        if isinstance(type, t.FloatType):
            bits = top.create(
                arith.IndexCastUIOp, number, result_types=[t.IntegerType(type.bits)]
            ).result
            return top.create(arith.BitcastOp, bits, result_types=[type]).result
        return top.create(arith.IndexCastUIOp, number, result_types=[type]).result


def unit_lookup(
    builder: Builder, keys: list[Value], values: list[Value], self_handle: Value
) -> Value:
    """``uniform.query_map`` of a fresh table from units to values."""
    table = builder.create(uniform.DefImmutableMappingOp, keys, values, result_types=[t.index])
    return builder.create(
        uniform.QueryMapOp, table.results[0], self_handle, result_types=[values[0].type]
    ).results[0]


def unit_cores(units: list[Value]) -> list[int]:
    """The core of each unit handle."""
    found = []
    for unit in units:
        op = unit.defining_op
        assert isinstance(op, dataflow.GetUnitOp)
        found.append(op.core or 0)
    return found


def kernel_arguments(function: func.FuncOp, module: Operation) -> dict[Value, int]:
    """Arguments of a program that every call passes straight from the same kernel argument."""
    name = function.attr("sym_name").value
    calls = [
        op
        for op in module.walk()
        if isinstance(op, func.CallOp) and op.attr("callee").leaf == name
    ]
    if not calls:
        return {a: a.index for a in function.body.arguments}
    found: dict[Value, int] = {}
    for argument in function.body.arguments:
        passed = {call.operands[argument.index] for call in calls}
        if len(passed) == 1 and _is_kernel_argument(only := passed.pop()):
            found[argument] = only.index  # type: ignore[attr-defined]
    return found


def _is_kernel_argument(value: Value) -> bool:
    if not isinstance(value, BlockArgument):
        return False
    block: Block = value.block
    return isinstance(block.parent_op, func.FuncOp) and block is block.parent_op.body
