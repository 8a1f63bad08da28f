"""Compute stages as vector code: values from FIFOs, the body of a generic, lane by lane."""

from __future__ import annotations

from kt.ir import types as t
from kt.ir.affine import AffineMap
from kt.ir.attributes import AffineMapAttr, Attribute, DenseElementsAttr, FloatAttr, IntegerAttr
from kt.ir.builder import Builder
from kt.ir.core import Operation, Value
from kt.ir.diagnostics import Note, PassError
from kt.ir.dialects import arith, dataflow, kt, ktdf, linalg, vectorchain
from kt.ir.effects import is_pure
from kt.ir.numbers import dtype as dtype_of
from kt.ir.numbers import encode
from kt.passes.backend.dfir_moves import receive
from kt.passes.backend.dfir_unit import UnitProgram, lowers

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


@lowers(linalg.GenericOp)
def generic(unit: UnitProgram, op: linalg.GenericOp, builder: Builder) -> None:
    """The body on whole vectors. All operands have the lanes of the result."""
    check_pointwise(op)
    values: dict[Value, Value] = {}
    for argument, value in zip(op.body.arguments, op.inputs, strict=False):
        values[argument] = vector_of(unit, value, builder)
    lanes = op.results[0].type.num_elements()  # type: ignore[attr-defined]
    for inner in op.body.ops:
        if isinstance(inner, linalg.YieldOp):
            for result, value in zip(op.results, inner.operands, strict=True):
                unit.env[result] = _operand(unit, value, values, lanes, builder)
        else:
            _lane_wise(unit, inner, values, lanes, builder)


def check_pointwise(op: linalg.GenericOp) -> None:
    """Raise PassError for what isn't element by element in lock step."""
    if any(kind != "parallel" for kind in op.iterator_types()):
        raise PassError(
            "a reduction can't be lowered to vector code yet",
            op.location,
            hint="this compiler schedules pointwise kernels and copies so far",
        )
    lanes = {v.type.num_elements() for v in (*op.inputs, *op.results)}  # type: ignore[attr-defined]
    if len(lanes) > 1:
        raise PassError(
            "operands of different lengths meet in one vector operation",
            op.location,
            hint="scalar-broadcast-legalization fills the slots of shorter ones",
        )
    outs = op.body.arguments[len(op.inputs) :]
    if any(argument.has_uses for argument in outs):
        raise PassError("the body reads the old value of its output", op.location)


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
        values[value] = _splat(unit, value, lanes)
    return values[value]


def _splat(unit: UnitProgram, value: Value, lanes: int) -> Value:
    type = t.VectorType((lanes,), value.type)
    op = value.defining_op
    constant = op.attr("value") if isinstance(op, arith.ConstantOp) else None
    if isinstance(constant, (FloatAttr, IntegerAttr)):
        dense = DenseElementsAttr(type, scalar_bytes(constant), True)
        return unit.top.create(
            arith.ConstantOp, value=dense, result_types=[type], location=value.location
        ).results[0]
    if op is not None and isinstance(value.type, t.FloatType) and is_pure(op) and not op.regions:
        # Engines have no scalar floats: compute on vectors what the kernel computes on scalars.
        parts = [_splat(unit, v, lanes) for v in op.operands]
        kinds = [t.VectorType((lanes,), r.type) for r in op.results]
        made = op.__class__(parts, kinds, op.properties, location=op.location)
        return unit.top.insert(made).results[op.results.index(value)]  # type: ignore[arg-type]
    return unit.top.create(
        kt.SplatOp, unit.launch.get(value), result_types=[type], location=value.location
    ).results[0]


def scalar_bytes(constant: FloatAttr | IntegerAttr) -> bytes:
    """A number in the storage form of its type."""
    type = constant.type
    if isinstance(constant, FloatAttr):
        assert isinstance(type, t.FloatType)
        return encode(constant.value, dtype_of(type.dtype_name)).tobytes()
    return type.numpy_dtype().type(constant.value).tobytes()  # type: ignore[attr-defined]


def _lane_wise(
    unit: UnitProgram, op: Operation, values: dict[Value, Value], lanes: int, builder: Builder
) -> None:
    """One scalar op of the body on vectors."""
    if isinstance(op, arith.ConstantOp):
        values[op.results[0]] = _splat(unit, op.results[0], lanes)
        return
    if op.dialect == "spyreop" and op.name != "spyreop.constant":
        raise no_instruction(unit, op)
    template = isinstance(op, ktdf.OpaqueOp) and not op.outputs
    if op.regions or not (template or is_pure(op) or op.name.startswith("arith.")):
        raise PassError(
            f"'{op.name}' can't run lane by lane",
            op.location,
            hint="bodies may hold scalar arith, math, spyreop and kt ops",
        )
    if op.name == "linalg.index":
        raise PassError("'linalg.index' can't be lowered to vector code yet", op.location)
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
