"""Callbacks of the grammar file attributes.lark: builtin types, maps, sets, layouts."""

from __future__ import annotations

from typing import Any

from kt.ir import types as t
from kt.ir.affine import AffineMap, AffineSet, dim, sym
from kt.ir.attributes import (
    AffineMapAttr,
    AffineSetAttr,
    DenseResourceAttr,
    IntegerAttr,
    StridedLayoutAttr,
)
from kt.parse.core_actions import affine_expr
from kt.parse.pending import fail
from kt.parse.syntax_api import action
from kt.parse.syntax_api import dim as extent

action("type_text", "attr_text")(lambda value: value)


@action("dims")
def _dims(*tokens: str) -> tuple[int, ...]:
    return tuple([extent(token) for token in tokens])


@action("vector_dims")
def _vector_dims(*tokens: str) -> Any:
    shape = []
    for token in tokens:
        word = token[:-1].strip()
        shape.append(int(word[1:-1]) if word[0] == "[" else extent(token))
    return tuple(shape), tuple(token[0] == "[" for token in tokens)


def _element(type: Any, what: str) -> Any:
    if isinstance(type, (t.FunctionType, t.NoneType, t.TupleType)):
        fail(f"invalid {what} element type '{type}'")
    return type


@action("tensor")
def _tensor(shape: Any, element: Any, encoding: Any = None) -> t.Type:
    return t.TensorType(shape, _element(element, "tensor"), encoding)


@action("unranked_tensor")
def _unranked_tensor(_shape: str, element: Any) -> t.Type:
    return t.UnrankedTensorType(_element(element, "tensor"))


@action("memref")
def _memref(shape: Any, element: Any, *more: Any) -> t.Type:
    element = _element(element, "memref")
    layout, space = None, None
    for item in more:
        if isinstance(item, (AffineMapAttr, StridedLayoutAttr)):
            if layout is not None or space is not None:
                fail("expected the layout before the memory space of a memref, once")
            layout = item
        else:
            if space is not None:
                fail("multiple memory spaces specified in memref type")
            space = item
    if isinstance(layout, AffineMapAttr):
        if layout.map.num_dims != len(shape):
            fail("memref layout mismatch between rank and affine map: "
                 f"{len(shape)} != {layout.map.num_dims}")  # fmt: skip
        if layout.map is AffineMap.identity(len(shape)):
            layout = None
    if isinstance(layout, StridedLayoutAttr) and len(layout.strides) != len(shape):
        fail("expected the number of strides to match the rank")
    if isinstance(space, IntegerAttr) and space.value == 0 and space.type is t.i64:
        space = None
    return t.MemRefType(shape, element, layout, space)


@action("unranked_memref")
def _unranked_memref(_shape: str, element: Any, space: Any = None) -> t.Type:
    return t.UnrankedMemRefType(_element(element, "memref"), space)


@action("vector")
def _vector(dims: Any, element: Any) -> t.Type:
    shape, scalable = dims
    if t.DYNAMIC in shape:
        fail("expected static extents in vector type")
    if 0 in shape:
        fail("vector types must have positive constant sizes but got " + ", ".join(map(str, shape)))
    return t.VectorType(shape, _element(element, "vector"), scalable if any(scalable) else ())


action("complex")(t.ComplexType)
action("tuple")(t.TupleType)
action("attr_affine_map")(lambda found: AffineMapAttr(found))
action("attr_affine_set")(lambda found: AffineSetAttr(found))


@action("attr_strided")
def _strided(strides: Any, offset: int) -> StridedLayoutAttr:
    if any(abs(int(number)) >> 63 and number != t.DYNAMIC for number in (*strides, offset)):
        fail("expected a 64-bit signed integer or '?'")
    return StridedLayoutAttr(tuple(int(s) for s in strides), int(offset))


@action("attr_dense_resource")
def _dense_resource(key: str, type: Any) -> DenseResourceAttr:
    return DenseResourceAttr(key, type)


@action("affine_header")
def _header(dims: Any, symbols: Any = ()) -> Any:
    names = {name: dim(i) for i, name in enumerate(dims)}
    names.update({name: sym(i) for i, name in enumerate(symbols)})
    if len(names) != len(dims) + len(symbols):
        fail("redefinition of identifier in affine map or set")

    def leaf(name: str) -> Any:
        found = names.get(name)
        return found if found is not None else fail(f"use of undeclared identifier '{name}'", at=name)

    return len(dims), len(symbols), leaf


@action("affine_map_body")
def affine_map_body(header: Any, results: Any) -> AffineMap:
    num_dims, num_symbols, leaf = header
    return AffineMap(num_dims, num_symbols, [affine_expr(tree, leaf) for tree in results])


@action("affine_set_body")
def affine_set_body(header: Any, conditions: Any) -> AffineSet:
    num_dims, num_symbols, leaf = header
    constraints, flags = [], []
    for equal, lhs, rhs in conditions:
        constraints.append(affine_expr(lhs, leaf) - affine_expr(rhs, leaf))
        flags.append(equal)
    return AffineSet(num_dims, num_symbols, constraints, flags)


action("affine_at_least")(lambda lhs, rhs: (False, lhs, rhs))
action("affine_at_most")(lambda lhs, rhs: (False, rhs, lhs))
action("affine_equal")(lambda lhs, rhs: (True, lhs, rhs))
