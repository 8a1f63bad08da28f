"""Compute stages as vector code: values from FIFOs, the body of a generic, lane by lane."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kt.ir import numbers
from kt.ir import types as t
from kt.ir.affine import AffineMap
from kt.ir.attributes import (
    AffineMapAttr,
    Attribute,
    DenseArrayAttr,
    DenseElementsAttr,
    FloatAttr,
    IntegerAttr,
)
from kt.ir.builder import Builder
from kt.ir.core import Operation, Value
from kt.ir.diagnostics import Note, PassError
from kt.ir.dialects import arith, dataflow, kt, ktdf, linalg, scf, vectorchain
from kt.ir.effects import is_pure
from kt.ir.registry import plugins
from kt.passes.analysis.registers import peak_of_block, vector_bytes
from kt.passes.backend.dfir_moves import receive, shuffle
from kt.passes.backend.dfir_unit import UnitProgram, lowers, plain_loop

if TYPE_CHECKING:
    from kt.arch import Device

BINARY = {"arith.addf": "add", "arith.subf": "sub", "arith.mulf": "mul"}
"""Scalar ops that DataflowIR has a vector instruction for; all others stand on vectors themselves."""


@lowers(ktdf.ReadFromFifoOp)
def read(unit: UnitProgram, op: ktdf.ReadFromFifoOp, builder: Builder) -> None:
    """A tensor read from a FIFO is a received vector."""
    slot = op.fifo_slot.type
    assert isinstance(slot, ktdf.FifoSlotType)
    unit.env[op.result] = receive(unit, slot, builder, op.location)


@lowers(ktdf.WriteToFifoOp)
def write(unit: UnitProgram, op: ktdf.WriteToFifoOp, builder: Builder) -> None:
    """A tensor written to a FIFO is a sent vector."""
    slot = op.fifo_slot.type
    assert isinstance(slot, ktdf.FifoSlotType)
    kind = getattr(slot.destination, "value", None)
    builder.create(
        dataflow.SendOp, unit.peer(str(kind)), vector_of(unit, op.data, builder), location=op.location
    )


@lowers(scf.ForOp)
def loop(unit: UnitProgram, op: scf.ForOp, builder: Builder) -> None:
    """A loop; the tensors that it carries (accumulators) become vectors."""
    if not op.init_args:
        plain_loop(unit, op, builder)
        return
    bounds = [unit.value(v) for v in op.operands[:3]]
    inits = [vector_of(unit, v, builder) for v in op.init_args]
    lower, upper, step = bounds
    made = builder.insert(scf.ForOp.of(lower, upper, step, inits, location=op.location))
    unit.env.update(zip(op.body.arguments, made.body.arguments, strict=True))
    before = dict(unit.views)
    inside = Builder.at_end(made.body, op.location)
    unit.lower(op.body.ops, inside)
    inside.create(scf.YieldOp, [vector_of(unit, v, inside) for v in op.yielded])
    unit.views = before
    unit.env.update(zip(op.results, made.results, strict=True))


@lowers(linalg.GenericOp)
def generic(unit: UnitProgram, op: linalg.GenericOp, builder: Builder) -> None:
    """The body on whole vectors. All operands have the lanes of the result, or are joined to one."""
    values = [vector_of(unit, v, builder) for v in op.inputs]
    lanes = op.results[0].type.num_elements()  # type: ignore[attr-defined]
    olds = [
        vector_of(unit, v, builder) if argument.has_uses else None
        for v, argument in zip(op.outputs, op.body.arguments[len(values) :], strict=True)
    ]
    if _joins_lanes(op):
        results = _join_lanes(unit, op, values[0], olds[0], builder)
    else:
        _check_lanes(op)
        results = _apply(unit, op, [*values, *olds], lanes, builder)
    unit.env.update(zip(op.results, results, strict=True))


def _apply(
    unit: UnitProgram,
    op: linalg.GenericOp,
    arguments: Sequence[Value | None],
    lanes: int,
    builder: Builder,
) -> list[Value]:
    """The body with vectors as arguments; what it yields."""
    values: dict[Value, Value] = {
        a: v for a, v in zip(op.body.arguments, arguments, strict=True) if v is not None
    }
    for inner in op.body.ops:
        if isinstance(inner, linalg.YieldOp):
            return [_operand(unit, v, values, lanes, builder) for v in inner.operands]
        _lane_wise(unit, inner, values, lanes, builder)
    raise PassError("the body yields nothing", op.location)


def _joins_lanes(op: linalg.GenericOp) -> bool:
    """Whether a generic op reduces the lanes of its one input to a single element."""
    counts = [v.type.num_elements() for v in (*op.inputs, *op.results)]  # type: ignore[attr-defined]
    reduces = "reduction" in op.iterator_types()
    return reduces and len(counts) == 2 and counts[0] > 1 and counts[1] == 1


def _join_lanes(
    unit: UnitProgram, op: linalg.GenericOp, vector: Value, start: Value | None, builder: Builder
) -> list[Value]:
    """A tree over the lanes: halves are combined until one lane is left; the start comes last."""
    while (lanes := vector.type.num_elements()) > 1:  # type: ignore[attr-defined]
        half = lanes // 2
        low = shuffle(vector, list(range(half)), 1, [], builder, op.location)
        high = shuffle(vector, list(range(half, 2 * half)), 1, [], builder, op.location)
        (joined,) = _apply(unit, op, [high, low], half, builder)
        if lanes % 2:
            last = shuffle(vector, [lanes - 1], 1, [], builder, op.location)
            joined = shuffle(joined, [*range(half), half], 1, [], builder, op.location, [last])
        vector = joined
    return _apply(unit, op, [vector, start], 1, builder)


def _check_lanes(op: linalg.GenericOp) -> None:
    """Raise PassError for what isn't element by element in lock step."""
    lanes = {v.type.num_elements() for v in (*op.inputs, *op.results)}  # type: ignore[attr-defined]
    if len(lanes) > 1:
        raise PassError(
            "operands of different lengths meet in one vector operation",
            op.location,
            hint="scalar-broadcast-legalization fills the slots of shorter ones",
        )


def check_registers(program: dataflow.ProgramUnitOp, kind: str, device: Device) -> None:
    """Raise PassError when the live vectors of a unit's program don't fit the unit's own memory."""
    memory = device.local_memory(kind)
    if memory is None or memory.size is None:
        return
    peak = peak_of_block(program.regions[0].block, vector_bytes)
    if peak.bytes > memory.size:
        assert peak.op is not None
        raise PassError(
            f"the vectors that are live here need {peak.bytes} bytes of {memory.kind}, "
            f"which has {memory.size}",
            peak.op.location,
            notes=[Note(f"{memory.kind} has {memory.size} bytes", memory.location)],
            hint="let the operation use fewer operands at a time",
        )


def no_instruction(unit: UnitProgram, op: Operation) -> PassError:
    """An intrinsic that no pattern of the device has lowered."""
    device = unit.device
    return PassError(
        f"device @{device.name} has no instruction for '{op.name}' on '{op.results[0].type}'",
        op.location,
        notes=[Note(f"its '{unit.kind}' would have to run it", device.unit(unit.kind).location)],
        hint="add a pattern for it to the device's file, or import the generic ones: "
        'patterns ["pre_mapping"] attributes {kt.import = "kt:patterns/intrinsics"} {}',
    )


def vector_of(unit: UnitProgram, value: Value, builder: Builder) -> Value:
    """The vector that stands for a tensor of the compute stage."""
    if value in unit.env:
        return unit.env[value]
    op = value.defining_op
    constant = op.attr("value") if isinstance(op, arith.ConstantOp) else None
    if isinstance(constant, DenseElementsAttr):
        type = t.VectorType((value.type.num_elements(),), constant.type.element_type)  # type: ignore[attr-defined]
        dense = DenseElementsAttr(type, constant.data, constant.is_splat)
        unit.env[value] = unit.top.create(arith.ConstantOp, value=dense, result_types=[type]).results[0]
        return unit.env[value]
    raise PassError(
        f"unit {unit.kind} needs a tensor that no FIFO brings it", value.location
    )


def _operand(
    unit: UnitProgram, value: Value, values: dict[Value, Value], lanes: int, builder: Builder
) -> Value:
    """A value of the body as a vector: what outside gives as a scalar is put into every lane."""
    if value not in values:
        values[value] = _splat(unit, value, lanes, builder)
    return values[value]


def _splat(unit: UnitProgram, value: Value, lanes: int, builder: Builder) -> Value:
    type = t.VectorType((lanes,), value.type)
    if value in unit.env:  # it changes while the program runs
        return builder.create(
            kt.SplatOp, unit.env[value], result_types=[type], location=value.location
        ).results[0]
    op = value.defining_op
    constant = op.attr("value") if isinstance(op, arith.ConstantOp) else None
    if isinstance(constant, (FloatAttr, IntegerAttr)):
        dense = DenseElementsAttr(type, scalar_bytes(constant), True)
        return unit.top.create(
            arith.ConstantOp, value=dense, result_types=[type], location=value.location
        ).results[0]
    if op is not None and isinstance(value.type, t.FloatType) and is_pure(op) and not op.regions:
        # Engines have no scalar floats: compute on vectors what the kernel computes on scalars.
        parts = [_splat(unit, v, lanes, builder) for v in op.operands]
        kinds = [t.VectorType((lanes,), r.type) for r in op.results]
        made = op.__class__(parts, kinds, op.properties, location=op.location)
        return unit.top.insert(made).results[op.results.index(value)]  # type: ignore[arg-type]
    return unit.top.create(
        kt.SplatOp, unit.launch.get(value), result_types=[type], location=value.location
    ).results[0]


def scalar_bytes(constant: FloatAttr | IntegerAttr) -> bytes:
    """A number in the storage form of its type."""
    type: Any = constant.type
    if isinstance(constant, FloatAttr):
        return numbers.float_to_bits(constant.value, type.dtype_name).to_bytes(type.itemsize, "little")
    return DenseArrayAttr.of([constant.value], type).bytes


def _lane_wise(
    unit: UnitProgram, op: Operation, values: dict[Value, Value], lanes: int, builder: Builder
) -> None:
    """One scalar op of the body on vectors."""
    if isinstance(op, arith.ConstantOp):
        values[op.results[0]] = _splat(unit, op.results[0], lanes, builder)
        return
    if isinstance(op, linalg.IndexOp):  # the lanes; a cast to the numbers that they are is behind it
        for cast in op.result.users:
            kind = t.VectorType((lanes,), cast.results[0].type)
            dense = DenseElementsAttr(kind, DenseArrayAttr.of(range(lanes), t.i64).bytes, False)
            values[cast.results[0]] = unit.top.create(
                arith.ConstantOp, value=dense, result_types=[kind], location=op.location
            ).results[0]
        return
    if op.results and op.results[0] in values:
        return
    if op.dialect in ("spyreop", *plugins()) and op.name != "spyreop.constant":
        raise no_instruction(unit, op)
    template = isinstance(op, ktdf.OpaqueOp) and not op.outputs
    if op.regions or not (template or is_pure(op) or op.name.startswith("arith.")):
        raise PassError(
            f"'{op.name}' can't run lane by lane",
            op.location,
            hint="bodies may hold scalar arith, math, spyreop and kt ops",
        )
    operands = [_operand(unit, v, values, lanes, builder) for v in op.operands]
    types = [t.VectorType((lanes,), r.type) for r in op.results]
    if op.name in BINARY:
        made: Operation = builder.create(
            vectorchain.BinaryOp,
            *operands,
            None,
            binary_op=vectorchain.BinaryOperatorAttr(BINARY[op.name]),
            op_specific_map=AffineMapAttr(AffineMap.identity(1)),
            result_types=types,
            location=op.location,
        )
    else:
        properties: dict[str, Attribute] = dict(op.properties)
        made = builder.insert(
            type(op)(operands, types, properties, op.attributes, location=op.location)
        )
    values.update(zip(op.results, made.results, strict=True))
