"""Text of ``memref`` globals and transposed views."""

from __future__ import annotations

from typing import Any

from kt.ir import types as t
from kt.ir.affine import AffineMap
from kt.ir.attributes import AffineMapAttr, IntegerAttr, StringAttr, UnitAttr
from kt.parse.dense import dense_elements
from kt.parse.syntax_api import Pending, fail, printer, syntax

GLOBAL_KEYS = ("sym_name", "sym_visibility", "type", "initial_value", "constant")


@syntax("memref.global", rule="memref_global")
def build_global(
    cls: Any,
    visibility: str | None,
    constant: UnitAttr | None,
    name: str,
    type: Any,
    value: Any,
    attributes: Any,
) -> Pending:
    if not isinstance(type, t.MemRefType):
        fail(f"type should be static shaped memref, but got '{type}'")
    properties: dict[str, Any] = {"sym_name": StringAttr(name), "type": type}
    if visibility is not None:
        properties["sym_visibility"] = StringAttr(visibility)
    if constant is not None:
        properties["constant"] = constant
    if isinstance(value, UnitAttr):
        properties["initial_value"] = value
    elif value is not None:
        kind = t.TensorType(type.shape, type.element_type)
        properties["initial_value"] = dense_elements(value[0], kind)
    return Pending(cls, properties=properties, attributes=attributes)


@printer("memref.global")
def print_global(p: Any, op: Any) -> None:
    p.write(" ")
    if op.sym_visibility is not None:
        p.string(op.sym_visibility.value)
        p.write(" ")
    if op.constant is not None:
        p.write("constant ")
    p.symbol(op.sym_name.value)
    p.write(" : ")
    p.type(op.type)
    value = op.initial_value
    if isinstance(value, UnitAttr):
        p.write(" = uninitialized")
    elif value is not None:
        # Its tensor type follows from the memref's and isn't written.
        p.write(" = " + p.text(value).removesuffix(f" : {p.text(value.type)}"))
    p.attr_dict(op, elided=GLOBAL_KEYS)


@syntax("memref.transpose", rule="memref_transpose")
def build_transpose(
    cls: Any, source: str, dims: Any, results: Any, attributes: Any, type: Any, result: Any
) -> Pending:
    if any(name not in dims for name in results) or len(set(dims)) != len(dims):
        fail("expected a permutation of dimensions, such as (i, j) -> (j, i)")
    map = AffineMap.multi_dim(len(dims), [dims.index(name) for name in results])
    return Pending(
        cls,
        operands=(source,),
        types=(type,),
        result_types=(result,),
        properties={"permutation": AffineMapAttr(map)},
        attributes=attributes,
    )


@printer("memref.transpose")
def print_transpose(p: Any, op: Any) -> None:
    p.write(" ")
    p.value(op.source)
    p.write(f" {op.permutation.map}")
    p.attr_dict(op, elided=("permutation",))
    p.write(" : ")
    p.type(op.source.type)
    p.write(" to ")
    p.type(op.result.type)


# -- scopes and hints ------------------------------------------------------------------------------


@syntax("memref.alloca_scope", rule="memref_scope")
def build_scope(cls: Any, types: Any, region: Any, attributes: Any) -> Pending:
    return Pending(cls, result_types=types, attributes=attributes, regions=[region])


@printer("memref.alloca_scope")
def print_scope(p: Any, op: Any) -> None:
    p.write(" ")
    p.arrow_list(op.outputs)
    p.write(" ")
    p.region(op.body_region, terminator=bool(op.outputs))
    p.attr_dict(op)


HINT_KEYS = ("isWrite", "localityHint", "isDataCache")


def hint_properties(hint: Any) -> dict[str, Any]:
    """Of a prefetch: ``, read, locality<3>, data``."""
    access, locality, cache = hint
    if access not in ("read", "write"):
        fail("rw specifier has to be 'read' or 'write'")
    if cache not in ("data", "instr"):
        fail("cache type has to be 'data' or 'instr'")
    return {
        "isWrite": IntegerAttr(access == "write", t.i1),
        "localityHint": IntegerAttr(int(locality), t.i32),
        "isDataCache": IntegerAttr(cache == "data", t.i1),
    }


def print_hint(p: Any, op: Any) -> None:
    """The rest of a prefetch, behind its subscripts."""
    access = "write" if op.is_write.value else "read"
    p.write(f", {access}, locality<{op.locality.value}>, {'data' if op.is_data.value else 'instr'}")
    p.attr_dict(op, elided=(*HINT_KEYS, "map"))
    p.write(" : ")
    p.type(op.memref.type)


@syntax("memref.prefetch", rule="memref_prefetch")
def build_prefetch(
    cls: Any, memref: str, indices: Any, hint: Any, attributes: Any, type: Any
) -> Pending:
    return Pending(
        cls,
        operands=(memref, *indices),
        types=(type, *[t.index] * len(indices)),
        properties=hint_properties(hint),
        attributes=attributes,
    )


@printer("memref.prefetch")
def print_prefetch(p: Any, op: Any) -> None:
    p.write(" ")
    p.value(op.memref)
    p.subscripts(op.indices)
    print_hint(p, op)
