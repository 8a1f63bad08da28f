"""Checks of an instruction stream: fields, structure, registers."""

from __future__ import annotations

from collections.abc import Sequence

from kt.binary.errors import bad
from kt.binary.formats import FORMATS, is_float
from kt.binary.isa import (
    ARITHMETIC,
    DIRECTIONS,
    MAX_DEPTH,
    MAX_LANES,
    PREDICATES,
    SHAPES,
    Instruction,
    Op,
)
from kt.binary.model import Constant, Lanes, Opaque, Shuffle, Stream, VectorOp

_KINDS: dict[Op, type] = {Op.VOP: VectorOp, Op.VCONST: Lanes, Op.VSHUF: Shuffle, Op.OPAQUE: Opaque}


def check_code(stream: Stream, constants: Sequence[Constant]) -> None:
    """ArtifactError E19 or E20 for the first instruction that breaks a rule."""
    code = stream.code
    if not code or code[-1].op is not Op.HALT:
        raise bad("E20", "a stream does not end with halt", "IMAG")
    for at, instruction in enumerate(code):
        _check_fields(stream, constants, at, instruction)
    _check_structure(code)


def _check_fields(
    stream: Stream, constants: Sequence[Constant], at: int, instruction: Instruction
) -> None:
    op, shape = instruction.op, SHAPES[instruction.op]
    if instruction.flags & ~shape.flags:
        raise bad("E19", f"{op.name} has unknown flags {instruction.flags:#x}", "IMAG", at)
    for field, kind in (("d", shape.d), ("a", shape.a), ("b", shape.b)):
        value = getattr(instruction, field)
        if shape.direction and field == "a":
            _require(value < len(DIRECTIONS), "names no direction", op, at)
        elif not kind or (field == "b" and op in ARITHMETIC and instruction.immediate):
            _require(value == 0, f"has a non-zero field '{field}'", op, at)
        else:
            _check_register(stream, kind, value, op, at)
    imm, low, high = instruction.imm, instruction.low, instruction.high
    match shape.imm:
        case "-":
            _require(imm == 0, "has a non-zero immediate", op, at)
        case "n":
            _require(
                op is Op.SCONST or bool(instruction.flags) or imm == 0, "has an immediate", op, at
            )
        case "t":
            _require(0 <= imm < len(stream.tables), "names no table", op, at)
        case "x":
            _require(0 <= imm < len(stream.accesses), "names no access", op, at)
            _require(
                not stream.accesses[imm].time_dims, "has an access with time dimensions", op, at
            )
            if op is Op.LDS:
                access = stream.accesses[imm]
                whole = access.lanes == 1 and not is_float(access.dtype)
                _require(whole, "must load one integer", op, at)
        case "xx":
            _check_transfer(stream, instruction, at)
        case "k":
            _require(0 <= imm < len(constants), "names no constant", op, at)
            _check_constant(stream, constants[imm], op, at)
        case "f":
            _require(low in FORMATS, f"names no format ({low})", op, at)
            _require(
                (high == 1) if op is Op.VGET else 1 <= high <= MAX_LANES, "has odd lanes", op, at
            )
        case "p":
            _require(0 <= imm < len(PREDICATES), "names no predicate", op, at)
        case "s":
            _check_register(stream, "s", imm, op, at)
        case "w":
            _require(1 <= imm <= 64, "has an odd width", op, at)
        case "r":
            _require(0 <= imm < len(DIRECTIONS), "names no direction", op, at)
        case "l":
            _check_register(stream, "s", low, op, at)


def _require(holds: bool, what: str, op: Op, at: int) -> None:
    if not holds:
        raise bad("E19", f"{op.name} {what}", "IMAG", at)


def _check_register(stream: Stream, kind: str, number: int, op: Op, at: int) -> None:
    limit = stream.num_sregs if kind in "sS" else stream.num_vregs
    _require(0 <= number < limit, f"uses register {kind.lower()}{number} of {limit}", op, at)


def _check_transfer(stream: Stream, instruction: Instruction, at: int) -> None:
    op, count = instruction.op, len(stream.accesses)
    _require(instruction.low < count and instruction.high < count, "names no access", op, at)
    load, store = stream.accesses[instruction.low], stream.accesses[instruction.high]
    extents = [[(d.count, d.is_register) for d in access.time_dims] for access in (load, store)]
    if load.lanes != store.lanes or load.dtype != store.dtype or extents[0] != extents[1]:
        raise bad("E21", "the two sides of a transfer don't fit", "IMAG", at)


def _check_constant(stream: Stream, constant: Constant, op: Op, at: int) -> None:
    _require(isinstance(constant, _KINDS[op]), "names a constant of another kind", op, at)
    match constant:
        case VectorOp():
            _require(bool(constant.name), "names no op", op, at)
            for part in (*constant.results, *constant.operands):
                kind = "s" if part.is_scalar else "v"
                _check_register(stream, kind, part.register, op, at)
                widest = 1 if part.is_scalar else MAX_LANES
                _require(1 <= part.lanes <= widest, f"has {part.lanes} lanes", op, at)
            _require(not any(r.is_scalar for r in constant.results), "writes a scalar", op, at)
        case Shuffle():
            total = sum(lanes for _, lanes in constant.inputs)
            for register, _ in constant.inputs:
                _check_register(stream, "v", register, op, at)
            _require(all(-1 <= i < total for i in constant.indices), "picks no lane", op, at)
            _require(1 <= constant.lanes <= MAX_LANES, "has no lanes", op, at)


def _check_structure(code: Sequence[Instruction]) -> None:
    """Loops and conditionals are closed, and their distances are right."""
    stack: list[int] = []
    for at, instruction in enumerate(code):
        op = instruction.op
        if op in (Op.LOOP, Op.IF):
            stack.append(at)
            if len(stack) > MAX_DEPTH:
                raise bad("E20", f"nested deeper than {MAX_DEPTH}", "IMAG", at)
        elif op is Op.ELSE:
            opened = _pop(stack, code, (Op.IF,), at)
            _expect(code[opened].imm == at - opened, at)
            stack.append(at)
        elif op is Op.ENDIF:
            opened = _pop(stack, code, (Op.IF, Op.ELSE), at)
            _expect(code[opened].imm == at - opened, at)
        elif op is Op.ENDL:
            opened = _pop(stack, code, (Op.LOOP,), at)
            _expect(code[opened].length == at - opened and instruction.imm == at - opened, at)
        elif op is Op.HALT and at != len(code) - 1:
            raise bad("E20", "code after halt", "IMAG", at)
    if stack:
        raise bad("E20", "a loop or conditional is not closed", "IMAG", stack[-1])


def _pop(stack: list[int], code: Sequence[Instruction], kinds: tuple[Op, ...], at: int) -> int:
    if not stack or code[stack[-1]].op not in kinds:
        raise bad("E20", f"{code[at].op.name} closes nothing", "IMAG", at)
    return stack.pop()


def _expect(right: bool, at: int) -> None:
    if not right:
        raise bad("E20", "a distance of a loop or conditional is wrong", "IMAG", at)
