"""Vector computation: lane moves become shuffles, everything else an op by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kt.binary.bytesio import canonical_json
from kt.binary.encode_common import constraint_rows, is_scalar, lane_map, plain, plain_attributes
from kt.binary.encode_image import Scalar, SymbolRef, Vector
from kt.binary.encode_stream import StreamEncoder
from kt.binary.errors import refuse
from kt.binary.handlers import handles
from kt.binary.isa import Op, formatted
from kt.binary.model import Lanes, Opaque, Operand, Shuffle, VectorOp
from kt.ir.attributes import DenseElementsAttr, IntegerAttr
from kt.ir.core import Operation, Value
from kt.ir.numbers import dtype
from kt.ir.traits import Elementwise


def _json(values: dict[str, Any]) -> str:
    return canonical_json(values) if values else ""


def operand_of(enc: StreamEncoder, value: Value) -> Operand:
    """The register of an operand of an op by name."""
    name = enc.dtype(value.type)
    if is_scalar(value.type) and not isinstance(enc.bindings.get(value), Vector):
        return Operand(True, enc.scalar(value), name)
    vector = enc.vector(value)
    return Operand(False, vector.register, vector.dtype, vector.lanes)


def vector_op(
    enc: StreamEncoder,
    op: Operation,
    attributes: dict[str, Any] | None = None,
    name: str | None = None,
    operands: Sequence[Value] | None = None,
) -> None:
    """``VOP``: an op by name on vectors (a scalar op: on one lane)."""
    if attributes is None:
        attributes = plain_attributes(op)
    parts = tuple(operand_of(enc, v) for v in (op.operands if operands is None else operands))
    results = []
    for value in op.results:
        vector = enc.define_vector(value)
        results.append(Operand(False, vector.register, vector.dtype, vector.lanes))
    if not results:
        raise refuse(op, "gives no vector, so it has no binary form")
    wide = {p.lanes for p in (*parts, *results) if p.lanes > 1}
    if op.has_trait(Elementwise) and len(wide) > 1:
        raise refuse(op, f"works lane by lane, but on {', '.join(map(str, sorted(wide)))} lanes")
    constant = VectorOp(name or op.name, _json(attributes), tuple(results), parts)
    enc.emit(Op.VOP, imm=enc.image.constant(constant))


def shuffle(
    enc: StreamEncoder,
    op: Any,
    inputs: Sequence[Vector],
    indices: Sequence[int],
    repetition: int = 1,
) -> None:
    """``VSHUF`` into the op's result; ``indices`` count the lanes of all inputs in a row."""
    target = enc.define_vector(op.results[0])
    if any(vector.dtype != target.dtype for vector in inputs):
        raise refuse(op, "moves lanes between vectors of different element types")
    if len(indices) * repetition != target.lanes:
        raise refuse(op, f"picks {len(indices) * repetition} lanes for {target.lanes}")
    total = sum(vector.lanes for vector in inputs)
    if any(not -1 <= i < total for i in indices):
        raise refuse(op, f"picks a lane outside the {total} lanes that it reads")
    parts = tuple((vector.register, vector.lanes) for vector in inputs)
    constant = Shuffle(target.dtype, parts, tuple(indices), repetition)
    enc.emit(Op.VSHUF, target.register, imm=enc.image.constant(constant))


def dense_constant(enc: StreamEncoder, op: Any) -> None:
    """``VCONST`` in the prologue."""
    value = op.attr("value")
    if not isinstance(value, DenseElementsAttr):
        raise refuse(op, "is no scalar and no dense vector", hint="write dense<…> : vector<…>")
    name, lanes = enc.dtype(op.results[0].type), enc.lanes(op.results[0].type)
    data = np.ascontiguousarray(np.broadcast_to(value.to_numpy().reshape(-1), (lanes,)))
    _constant_lanes(enc, op, Lanes(name, lanes, data.tobytes()))


def _constant_lanes(enc: StreamEncoder, op: Any, constant: Lanes) -> None:
    vector = enc.define_vector(op.results[0])
    enc.hoist(Op.VCONST, vector.register, enc.image.constant(constant))


@handles("vectorchain.constant_bitstream")
def _bitstream(enc: StreamEncoder, op: Any) -> None:
    numbers = [v.value for v in op.value]
    name, lanes = enc.dtype(op.output.type), enc.lanes(op.output.type)
    if not op.is_symbol:
        size = dtype(name).itemsize
        mask = (1 << 8 * size) - 1
        data = b"".join((n & mask).to_bytes(size, "little") for n in numbers)
        _constant_lanes(enc, op, Lanes(name, lanes, data))
        return
    units = len(enc.units)
    enc.image.values.update(numbers)
    registers = [enc.lookup((SymbolRef(n),) * units) for n in numbers]
    if len(set(registers)) == 1:
        vector = enc.define_vector(op.output)
        enc.emit(Op.VSPLAT, vector.register, registers[0], imm=formatted(name, lanes))
        return
    parts = []
    for register in registers:
        parts.append(Vector(enc.new_vector(), name, 1))
        enc.emit(Op.VSPLAT, parts[-1].register, register, imm=formatted(name, 1))
    shuffle(enc, op, parts, range(lanes))


@handles("kt.splat")
def _splat(enc: StreamEncoder, op: Any) -> None:
    if isinstance(enc.bindings.get(op.scalar), Vector):
        shuffle(enc, op, [enc.vector(op.scalar)], [0], enc.lanes(op.vector.type))
        return
    register = enc.scalar(op.scalar)
    vector = enc.define_vector(op.vector)
    enc.emit(Op.VSPLAT, vector.register, register, imm=formatted(vector.dtype, vector.lanes))


def _no_mask(op: Any) -> None:
    if op.mask is not None:
        raise refuse(
            op,
            "moves lanes under a mask, which has no binary form",
            hint="select between the moved and the old lanes with element_wise_selection",
        )


@handles("vectorchain.shuffle")
def _shuffle(enc: StreamEncoder, op: Any) -> None:
    _no_mask(op)
    inputs = [enc.vector(op.input)]
    lanes = inputs[0].lanes
    inputs += [_one_lane(enc, op, v, inputs[0].dtype) for v in (*op.variables, *op.pads)]
    indices = [i.value if i.value >= 0 else lanes - i.value - 1 for i in op.indices]
    shuffle(enc, op, inputs, indices, op.repetition.value)


def _one_lane(enc: StreamEncoder, op: Any, value: Value, name: str) -> Vector:
    """A scalar as one lane of the input's format."""
    bound = enc.bindings.get(value)
    if isinstance(bound, Vector):
        return bound
    if enc.dtype(value.type) != name and not isinstance(bound, Scalar) and enc.known(value) != 0:
        raise refuse(op, f"fills lanes of {name} with a scalar of type {value.type}")
    vector = Vector(enc.new_vector(), name, 1)
    enc.emit(Op.VSPLAT, vector.register, enc.scalar(value), imm=formatted(name, 1))
    return vector


@handles("vectorchain.pack")
def _pack(enc: StreamEncoder, op: Any) -> None:
    _no_mask(op)
    indices = [i.value for i in op.indices]
    shuffle(enc, op, [enc.vector(op.lhs), enc.vector(op.rhs)], indices, op.repetition.value)


@handles("vectorchain.select")
def _select(enc: StreamEncoder, op: Any) -> None:
    lanes = enc.lanes(op.output.type)
    images = lane_map(op, op.selection_map.map, lanes)
    shuffle(enc, op, [enc.vector(op.input)], range(lanes) if images is None else images)


@handles("vectorchain.merge")
def _merge(enc: StreamEncoder, op: Any) -> None:
    inputs = [enc.vector(op.lhs), enc.vector(op.rhs)]
    indices = [-1] * enc.lanes(op.output.type)
    sides = (
        (op.iteration_space_a, op.target_a, op.source_a, 0),
        (op.iteration_space_b, op.target_b, op.source_b, inputs[0].lanes),
    )
    for space, target, source, base in sides:
        points = space.set.enumerate()
        for to, frm in zip(
            target.map.eval_points(points), source.map.eval_points(points), strict=True
        ):
            if not 0 <= to[0] < len(indices):
                raise refuse(op, f"writes lane {to[0]} of {len(indices)}")
            indices[int(to[0])] = base + int(frm[0])
    shuffle(enc, op, inputs, indices)


@handles("vectorchain.create_affine_mask")
def _mask(enc: StreamEncoder, op: Any) -> None:
    vector_op(enc, op, {"constraints": constraint_rows(op, op.mask_set.set)})


@handles(*(f"vectorchain.{name}" for name in (
    "binary", "multiply", "multiply_and_accumulate", "element_wise_compare",
    "element_wise_selection", "cast", "floor", "neg", "fast_exp", "rec_estimate", "ln_estimate",
    "rsqrt_estimate", "exp_estimate", "sigmoid_estimate", "tanh_estimate", "scan_with_gap",
    "rotate")))  # fmt: skip
def _chain(enc: StreamEncoder, op: Any) -> None:
    """The op as it is; a lane map becomes a list of numbers, a mask the last operand."""
    maps = ("op_specific_map", "reduction_map")
    found = {
        k: plain(op, v)
        for k, v in op.properties.items()
        if k not in (*maps, "dbgName", "operandSegmentSizes")
    }
    for key in maps:
        if key in op.properties:
            images = lane_map(op, op.properties[key].map, enc.lanes(op.operands[0].type))
            if images is not None:
                found["lanes"] = images
    if op.name == "vectorchain.rotate":
        found["right_shift"] = bool(op.right_shift.value)
    if getattr(op, "mask", None) is not None:
        found["masked"] = True
    vector_op(enc, op, found)


# -- templates -------------------------------------------------------------------------------------


@handles("func.call")
def _call(enc: StreamEncoder, op: Any) -> None:
    _template(enc, op, op.callee.root, op.operands)


@handles("ktdf.opaque")
def _opaque_template(enc: StreamEncoder, op: Any) -> None:
    _template(enc, op, op.template_name.value, op.inputs)


def _template(enc: StreamEncoder, op: Any, name: str, operands: Sequence[Value]) -> None:
    """``VOP "@NAME"``: a template, applied lane by lane."""
    enc.image.templates.setdefault(name)
    parameters = {k: plain(op, v) for k, v in op.attributes.items() if isinstance(v, IntegerAttr)}
    vector_op(enc, op, parameters, "@" + name, operands)


def opaque_constant(op: Any) -> Opaque:
    """The payload of ``dataflow.opaque``."""
    dictionaries = ("read_write_register_dictionary", "read_only_register_dictionary",
                    "parameter_dictionary")  # fmt: skip
    found = {
        key: {k: plain(op, v) for k, v in getattr(op, key).items()}
        for key in dictionaries
        if len(getattr(op, key))
    }
    return Opaque(op.func_name.value, _json(found))
