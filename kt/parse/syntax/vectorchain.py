"""Text of the `vectorchain` dialect where MLIR's declarative format doesn't reach."""

from __future__ import annotations

from typing import Any

from kt.ir import types as t
from kt.ir.attributes import Attribute
from kt.ir.dialects.vectorchain import ConstantBitstreamOp, ShuffleOp
from kt.parse.syntax_api import Pending, fail, printer, segments, syntax

_GROUPS = ("variable", "pad", "mask")


@syntax("vectorchain.constant_bitstream", rule="vectorchain_constant")
def build_constant(cls: type, attributes: dict[str, Attribute], type: t.Type) -> Pending:
    return Pending(cls, result_types=(type,), attributes=attributes)


@printer("vectorchain.constant_bitstream")
def print_constant(p: Any, op: ConstantBitstreamOp) -> None:
    if op.attributes or any(v.type is not t.i64 for v in op.value):  # type: ignore
        p.attr_dict(op)
    else:
        patterns = ", ".join(f"{v.value & (1 << 64) - 1:#x}" for v in op.value)  # type: ignore
        p.write(f" {{value = [{patterns}]}}")
    p.write(" : ")
    p.type(op.output.type)


@syntax("vectorchain.shuffle", rule="vectorchain_shuffle")
def build_shuffle(cls: type, input: str, *parts: Any) -> Pending:
    *groups, attributes, types = parts
    found: dict[str, tuple[str, ...]] = {}
    for word, names in groups:
        if word not in _GROUPS or word in found:
            fail(f"unexpected '{word}'", hint="variable(…), pad(…) and mask(…), each at most once")
        found[str(word)] = names
    if len(found.get("mask", ())) > 1:
        fail("expected one mask")
    lists = [found.get(word, ()) for word in _GROUPS]
    operands = (input, *(name for names in lists for name in names))
    if len(types) != len(operands) + 1:
        fail(f"expected {len(operands) + 1} types, got {len(types)}")
    return Pending(
        cls,
        operands=operands,
        types=types[:-1],
        result_types=types[-1:],
        properties={"operandSegmentSizes": segments(1, *map(len, lists))},
        attributes=attributes,
    )


@printer("vectorchain.shuffle")
def print_shuffle(p: Any, op: ShuffleOp) -> None:
    p.write(" input(")
    p.value(op.input)
    p.write(")")
    mask = () if op.mask is None else (op.mask,)
    for word, values in zip(_GROUPS, (op.variables, op.pads, mask), strict=True):
        if values:
            p.write(f", {word}(")
            p.values(values)
            p.write(")")
    p.attr_dict(op, elided=("operandSegmentSizes",))
    p.write(" : ")
    p.types([*(v.type for v in op.operands), op.output.type])
