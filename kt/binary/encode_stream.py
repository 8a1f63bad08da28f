"""One program unit → one instruction stream: registers, tables, control flow.

All units of the program unit share the code; what differs per unit becomes a table, indexed by the
unit's ordinal. Constants and table look-ups are loop-invariant and stand in a prologue.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from attrs import define, field

from kt.binary.encode_common import (
    INTEGER_OPS,
    constant_bits,
    fold_integers,
    is_integer_like,
    is_scalar,
)
from kt.binary.encode_image import Binding, Entry, ImageEncoder, Scalar, SymbolRef, Vector
from kt.binary.errors import EncodeError, refuse
from kt.binary.formats import dtype_name
from kt.binary.handlers import HANDLERS
from kt.binary.isa import MAX_REGISTERS, Instruction, Op, formatted, pack
from kt.binary.model import Access, Stream, Table
from kt.ir import types as t
from kt.ir.core import Block, Operation, Value
from kt.ir.dialects.dataflow import GetUnitOp, ProgramUnitOp


@define(eq=False)
class StreamEncoder:
    """Encodes the body of one program unit."""

    image: ImageEncoder
    unit_op: ProgramUnitOp
    units: tuple[GetUnitOp, ...] = ()
    tables: list[tuple[Entry, ...]] = field(factory=list)
    accesses: list[Access] = field(factory=list)
    code: list[Instruction] = field(factory=list)
    origins: list[Operation] = field(factory=list)
    prologue: list[Instruction] = field(factory=list)
    prologue_origins: list[Operation] = field(factory=list)
    bindings: dict[Value, Binding] = field(factory=dict)
    num_sregs: int = 0
    num_vregs: int = 0
    active: tuple[bool, ...] = ()
    """Units for which the code just now is (clauses of ``uniform`` ops narrow it)."""
    _statics: dict[Value, tuple[Entry, ...] | None] = field(factory=dict)
    _constants: dict[int, int] = field(factory=dict)
    _table_numbers: dict[tuple[Entry, ...], int] = field(factory=dict)
    _lookups: dict[int, int] = field(factory=dict)
    _access_numbers: dict[Access, int] = field(factory=dict)
    current: Operation | None = None

    def __attrs_post_init__(self) -> None:
        units = []
        for value in self.unit_op.units:
            op = value.defining_op
            if not isinstance(op, GetUnitOp):
                raise refuse(
                    self.unit_op, "lists a unit that isn't the result of dataflow.get_unit"
                )
            units.append(op)
        if not units:
            raise refuse(self.unit_op, "lists no unit")
        self.units = tuple(units)
        self.active = (True,) * len(units)
        kinds = {unit.unit_type.value for unit in units}
        if len(kinds) > 1:
            raise refuse(
                self.unit_op,
                f"lists units of several kinds: {', '.join(sorted(kinds))}",
                hint="write one program unit per kind",
            )

    @property
    def kind(self) -> str:
        return self.image.kind_of(self.units[0])

    # -- the whole stream ------------------------------------------------------------------------

    def encode(self, guard: tuple[SymbolRef, ...] | None) -> tuple[Stream, list[Operation], list]:
        """The stream, the op that each instruction comes from, and the relocated entries.

        ``guard``: a predicate per unit; where it is 0 the unit does nothing.
        """
        units = tuple(self.image.unit_index(u) for u in self.units)
        argument = self.unit_op.self_handle
        if argument is not None:
            self._statics[argument] = tuple(self.units)
        self.current = self.unit_op
        opened = None
        if guard is not None:
            register = self.lookup(guard)
            opened = self.emit(Op.IF, a=register)
        self.block(self.unit_op.regions[0].block)
        self.current = self.unit_op
        if opened is not None:
            self._patch(opened, imm=len(self.code) - opened)
            self.emit(Op.ENDIF)
        self.emit(Op.HALT)
        code = (*self.prologue, *self.code)
        origins = [*self.prologue_origins, *self.origins]
        if max(self.num_sregs, self.num_vregs) > MAX_REGISTERS:
            raise refuse(self.unit_op, f"needs more than {MAX_REGISTERS} registers")
        tables, relocated = [], []
        for number, entries in enumerate(self.tables):
            values = []
            for ordinal, entry in enumerate(entries):
                match entry:
                    case SymbolRef():
                        relocated.append((number, ordinal, entry.id))
                        values.append(entry.id)
                    case GetUnitOp():
                        values.append(self.image.unit_index(entry))
                    case _:
                        values.append(entry)
            tables.append(Table(tuple(values), any(isinstance(e, GetUnitOp) for e in entries)))
        stream = Stream(
            self.kind,
            units,
            self.num_sregs,
            self.num_vregs,
            tuple(tables),
            tuple(self.accesses),
            code,
        )
        return stream, origins, relocated

    def block(self, block: Block) -> None:
        """Encode the ops of a block."""
        from kt.binary.encode_ops import handler_of

        for op in block.ops:
            if (
                all(r in self._statics or self.static(r) is not None for r in op.results)
                and op.results
            ):
                continue
            before, self.current = self.current, op
            handler_of(op)(self, op)
            self.current = before

    # -- emission --------------------------------------------------------------------------------

    def emit(self, op: Op, d: int = 0, a: int = 0, b: int = 0, imm: int = 0, flags: int = 0) -> int:
        """Append an instruction; gives its place in the body."""
        assert self.current is not None
        self.code.append(Instruction(op, d, a, b, imm, flags))
        self.origins.append(self.current)
        return len(self.code) - 1

    def _patch(self, at: int, imm: int) -> None:
        old = self.code[at]
        self.code[at] = Instruction(old.op, old.d, old.a, old.b, imm, old.flags)

    def hoist(self, op: Op, d: int, imm: int) -> None:
        assert self.current is not None
        self.prologue.append(Instruction(op, d, imm=imm))
        self.prologue_origins.append(self.current)

    def new_scalar(self) -> int:
        self.num_sregs += 1
        return self.num_sregs - 1

    def new_vector(self) -> int:
        self.num_vregs += 1
        return self.num_vregs - 1

    def constant(self, value: int) -> int:
        """Register of a known number (set in the prologue)."""
        found = self._constants.get(value)
        if found is None:
            found = self._constants[value] = self.new_scalar()
            self.hoist(Op.SCONST, found, value)
        return found

    def table(self, entries: Sequence[Entry]) -> int:
        """Number of a table with these entries; equal ones are shared."""
        key = tuple(entries)
        found = self._table_numbers.get(key)
        if found is None:
            found = self._table_numbers[key] = len(self.tables)
            self.tables.append(key)
        return found

    def lookup(self, entries: Sequence[Entry]) -> int:
        """Register of this unit's entry (read in the prologue)."""
        number = self.table(entries)
        found = self._lookups.get(number)
        if found is None:
            found = self._lookups[number] = self.new_scalar()
            self.hoist(Op.UTAB, found, number)
        return found

    def access(self, access: Access) -> int:
        """Number of an access; equal ones are shared."""
        found = self._access_numbers.get(access)
        if found is None:
            found = self._access_numbers[access] = len(self.accesses)
            self.accesses.append(access)
        return found

    # -- values ----------------------------------------------------------------------------------

    def static(self, value: Value) -> tuple[Entry, ...] | None:
        """What a value is on each unit, if that is known when the program is encoded."""
        if value not in self._statics:
            self._statics[value] = self._find_static(value)
        return self._statics[value]

    def known(self, value: Value) -> int | None:
        """The number that a value is on every unit, or None."""
        entries = self.static(value)
        if entries is None or not isinstance(entries[0], int):
            return None
        return entries[0] if all(e == entries[0] for e in entries) else None

    def _find_static(self, value: Value) -> tuple[Entry, ...] | None:
        op, n = value.defining_op, len(self.units)
        if op is None or value in self.bindings:
            return None
        if isinstance(op, GetUnitOp):
            return (op,) * n
        match op.name:
            case "arith.constant":
                bits = constant_bits(op.attr("value"))
                return None if bits is None else (bits,) * n
            case "symbol.create_symbol":
                return (SymbolRef(op.symbol_id),) * n  # type: ignore[attr-defined]
            case "uniform.query_map":
                return self._query(op)
            case name if name in INTEGER_OPS and is_integer_like(value.type):
                a, b = (self.static(v) for v in op.operands)
                if a is None or b is None:
                    return None
                found = [
                    fold_integers(name, value.type, x, y)
                    if isinstance(x, int) and isinstance(y, int)
                    else None
                    for x, y in zip(a, b, strict=True)
                ]
                return None if None in found else tuple(found)  # type: ignore[arg-type]
        return None

    def _query(self, op: Any) -> tuple[Entry, ...]:
        """A look-up in a table of the program, for each unit."""
        table, keys = op.map.defining_op, self.static(op.key)
        if table is None or table.name != "uniform.def_immutable_mapping":
            raise refuse(op, "looks up something else than a uniform.def_immutable_mapping")
        if keys is None:
            raise refuse(
                op,
                "has a key that isn't known when the program is encoded",
                hint="use the block argument of the program unit as key",
            )
        entries: dict[Entry, Value] = {}
        for key, value in table.entries:
            (known,) = set(self.static(key) or (None,))
            if known is None:
                raise refuse(
                    op, "looks up a table with a key that is neither a unit nor a constant"
                )
            entries.setdefault(known, value)
        found: list[Entry] = []
        for i, key in enumerate(keys):
            if key not in entries:
                if self.active[i]:
                    name = key.unit_name.value if isinstance(key, GetUnitOp) else key
                    raise refuse(op, f"finds no entry for {name}", hint="add it to the mapping")
                found.append(0)
                continue
            per_unit = self.static(entries[key])
            if per_unit is None:
                raise refuse(op, "finds a value that isn't known when the program is encoded")
            found.append(per_unit[i])
        # Units for which this code isn't meant get any entry of the same kind.
        filler = next(e for e, on in zip(found, self.active, strict=True) if on)
        return tuple(e if on else filler for e, on in zip(found, self.active, strict=True))

    def scalar(self, value: Value) -> int:
        """Register that holds a scalar value."""
        bound = self.bindings.get(value)
        if isinstance(bound, Scalar):
            return bound.register
        if isinstance(bound, Vector):
            register = self.new_scalar()
            self.emit(Op.VGET, register, bound.register, imm=formatted(bound.dtype, 1))
            return register
        entries = self.static(value)
        if entries is None:
            raise self._unbound(value)
        for entry in entries:
            if isinstance(entry, SymbolRef):
                self.image.values.add(entry.id)
        number = self.known(value)
        return self.constant(number) if number is not None else self.lookup(entries)

    def vector(self, value: Value) -> Vector:
        """Vector register of a value; a scalar becomes one lane."""
        bound = self.bindings.get(value)
        if isinstance(bound, Vector):
            return bound
        maker = value.defining_op
        if maker is not None and maker.name == "arith.constant" and not is_scalar(value.type):
            # A vector constant of the whole function: it is set in the prologue of this stream too.
            HANDLERS[maker.name](self, maker)
            return self.bindings[value]  # type: ignore[return-value]
        if not is_scalar(value.type):
            raise self._unbound(value)
        name = self.dtype(value.type)
        register = self.new_vector()
        self.emit(Op.VSPLAT, register, self.scalar(value), imm=formatted(name, 1))
        return Vector(register, name, 1)

    def _unbound(self, value: Value) -> EncodeError:
        maker = value.defining_op
        at = self.current if maker is None else maker
        what = "a block argument" if maker is None else f"'{maker.name}'"
        return EncodeError(
            f"a program unit uses the result of {what}, which has no value there",
            at.location if at is not None else value.location,
            hint="only units, constants, symbols and their tables may come from outside",
        )

    def dtype(self, type: t.Type) -> str:
        """Name of the format of a scalar or of a vector's elements."""
        name = dtype_name(type)
        if name is None:
            assert self.current is not None
            raise refuse(
                self.current,
                f"has elements of type {t.element_type_of(type)}, which have no binary format",
                hint="convert to f16, bf16, df16, f32, f64, an f8 type or i1, i8, i16, i32, i64",
            )
        return name

    def lanes(self, type: t.Type) -> int:
        """Number of lanes of a data vector type (1 for a scalar)."""
        if is_scalar(type):
            return 1
        assert self.current is not None
        shape = getattr(type, "shape", None)
        if shape is None or t.DYNAMIC in shape:
            raise refuse(self.current, f"has a vector of unknown size: {type}")
        lanes = 1
        for extent in shape:
            lanes *= extent
        return lanes

    def bind_scalar(self, value: Value, register: int) -> None:
        self.bindings[value] = Scalar(register)

    def define_scalar(self, value: Value) -> int:
        """A new scalar register for a result."""
        register = self.new_scalar()
        self.bindings[value] = Scalar(register)
        return register

    def define_vector(self, value: Value) -> Vector:
        """A new vector register for a result."""
        vector = Vector(self.new_vector(), self.dtype(value.type), self.lanes(value.type))
        self.bindings[value] = vector
        return vector

    # -- control flow ----------------------------------------------------------------------------

    def carry(self, values: Sequence[Value], targets: Sequence[Binding]) -> None:
        """Move values into the registers of loop or conditional results, all at once."""
        sources = [
            self.vector(v).register if isinstance(to, Vector) else self.scalar(v)
            for v, to in zip(values, targets, strict=True)
        ]
        for at, (target, source) in enumerate(zip(targets, sources, strict=True)):
            if source == target.register:
                continue
            kind = type(target)
            clash = [
                k
                for k in range(at + 1, len(sources))
                if type(targets[k]) is kind and sources[k] == target.register
            ]
            if clash:
                # A later move still reads this register: save it first.
                saved = self.new_vector() if kind is Vector else self.new_scalar()
                self._move(kind, saved, target.register)
                for k in clash:
                    sources[k] = saved
            self._move(kind, target.register, source)

    def _move(self, kind: type, target: int, source: int) -> None:
        self.emit(Op.VMOV if kind is Vector else Op.SMOV, target, source)

    def like(self, value: Value) -> Binding:
        """New registers for a value that is carried around."""
        if is_scalar(value.type):
            return Scalar(self.new_scalar())
        return Vector(self.new_vector(), self.dtype(value.type), self.lanes(value.type))

    def loop(self, lower: int, upper: int, step: int, body: Callable[[int], None]) -> None:
        """A counted loop over registers; ``body`` gets the register of the counter."""
        counter = self.new_scalar()
        start = self.emit(Op.LOOP, counter, lower, upper)
        body(counter)
        length = len(self.code) - start
        self.emit(Op.ENDL, imm=length)
        self._patch(start, imm=pack(step, length))

    def branch(
        self, condition: int, then: Callable[[], None], otherwise: Callable[[], None] | None
    ) -> None:
        """A conditional on a register."""
        start = self.emit(Op.IF, a=condition)
        then()
        if otherwise is not None:
            middle = self.emit(Op.ELSE)
            self._patch(start, imm=middle - start)
            otherwise()
            start = middle
        end = self.emit(Op.ENDIF)
        self._patch(start, imm=end - start)

    def narrow_to(self, active: tuple[bool, ...], body: Callable[[], None]) -> None:
        """Encode code that only some units run."""
        before, self.active = self.active, active
        body()
        self.active = before

    def forget(self, block: Block) -> None:
        """Drop what is known of values inside a block that is encoded again."""
        for op in block.walk():
            for result in op.results:
                self._statics.pop(result, None)

    def set_static(self, value: Value, entries: tuple[Entry, ...]) -> None:
        """Say what a block argument is on each unit."""
        self._statics[value] = entries
