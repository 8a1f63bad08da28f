"""Types of the vector registers of a stream, checked against every use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kt.binary.isa import Instruction, Op
from kt.binary.model import Constant, Lanes, Shuffle, Stream, VectorOp
from kt.ir.diagnostics import RunError

VectorType = tuple[str, int]
"""Format and number of lanes."""


def vector_types(stream: Stream, constants: Sequence[Constant]) -> dict[int, VectorType]:
    """The type of each register that the stream writes.

    RunError if a register has two types, or is used as something else than it holds.
    """
    found: dict[int, VectorType] = {}
    moves = []
    for x in stream.code:
        if x.op is Op.VMOV:
            moves.append(x)
        for register, type in _written(stream, constants, x):
            _define(stream, found, register, type)
    changed = True
    while changed:
        changed = False
        for x in moves:
            if x.a in found and x.d not in found:
                found[x.d] = found[x.a]
                changed = True
    for x in moves:
        if x.a in found:
            _define(stream, found, x.d, found[x.a])
    for x in stream.code:
        if x.op is Op.VGET and found.get(x.a, (x.dtype,))[0] != x.dtype:
            raise RunError(
                f"VGET of {stream.kind} takes v{x.a} for {x.dtype}, but it holds {_text(found[x.a])}"
            )
        for register, type in _read(stream, constants, x):
            if found.get(register, type) != type:
                raise RunError(
                    f"{x.op.name} of {stream.kind} takes v{register} for {_text(type)}, "
                    f"but it holds {_text(found[register])}"
                )
    return found


def _define(stream: Stream, found: dict[int, VectorType], register: int, type: VectorType) -> None:
    if found.setdefault(register, type) != type:
        raise RunError(
            f"v{register} of {stream.kind} holds {_text(found[register])} in one place "
            f"and {_text(type)} in another"
        )


def _text(type: VectorType) -> str:
    return f"{type[1]} lanes of {type[0]}"


def _written(
    stream: Stream, constants: Sequence[Constant], x: Instruction
) -> Iterator[tuple[int, VectorType]]:
    match x.op:
        case Op.LDV:
            access = stream.accesses[x.imm]
            yield x.d, (access.dtype, access.lanes)
        case Op.RECV | Op.VSPLAT:
            yield x.d, (x.dtype, x.lanes)
        case Op.VCONST | Op.VSHUF:
            constant = constants[x.imm]
            assert isinstance(constant, (Lanes, Shuffle))
            yield x.d, (constant.dtype, constant.lanes)
        case Op.VOP:
            constant = constants[x.imm]
            assert isinstance(constant, VectorOp)
            for part in constant.results:
                yield part.register, (part.dtype, part.lanes)


def _read(
    stream: Stream, constants: Sequence[Constant], x: Instruction
) -> Iterator[tuple[int, VectorType]]:
    match x.op:
        case Op.STV:
            access = stream.accesses[x.imm]
            yield x.a, (access.dtype, access.lanes)
        case Op.VSHUF:
            constant = constants[x.imm]
            assert isinstance(constant, Shuffle)
            for register, lanes in constant.inputs:
                yield register, (constant.dtype, lanes)
        case Op.VOP:
            constant = constants[x.imm]
            assert isinstance(constant, VectorOp)
            for part in constant.operands:
                if not part.is_scalar:
                    yield part.register, (part.dtype, part.lanes)
