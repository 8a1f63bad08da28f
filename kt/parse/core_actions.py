"""Callbacks of the grammar files common.lark and core.lark."""

from __future__ import annotations

from typing import Any

from attrs import frozen

from kt.ir import numbers
from kt.ir import types as t
from kt.ir.affine import AffineMap, as_expr, binary, dim, sym
from kt.ir.attributes import (
    ArrayAttr,
    DictAttr,
    DistinctAttr,
    FloatAttr,
    IntegerAttr,
    LocationAttr,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
)
from kt.ir.core import UnregisteredOp
from kt.ir.diagnostics import (
    UNKNOWN,
    CallSiteLoc,
    FileLoc,
    FusedLoc,
    Location,
    NameLoc,
)
from kt.ir.registry import lookup_op
from kt.parse.context import AliasUse
from kt.parse.dense import dense_elements, float_of_bits, wrap_integer
from kt.parse.pending import Pending, PendingBlock, PendingRegion, SyntaxFailure, fail
from kt.parse.syntax_api import action

UNIT = UnitAttr()
TRUE, FALSE = IntegerAttr(1, t.i1), IntegerAttr(0, t.i1)


class HexInt(int):
    """An integer literal written in hexadecimal: the bit pattern where a float is meant."""


# -- small values ----------------------------------------------------------------------------------

action("nothing", "dynamic_none")(lambda: None)
action("empty")(lambda: ())
action("itself")(lambda value: value)
action("decimal")(int)
action("hexadecimal")(lambda text: HexInt(text, 16))
action("negative_decimal")(lambda text: -int(text))
action("negative_float")(lambda text: f"-{text}")
action("boolean_true")(lambda: True)
action("boolean_false")(lambda: False)
action("zero")(lambda: 0)
action("dynamic")(lambda: t.DYNAMIC)
action("no_dict")(lambda: None)
action("given_dict")(lambda entries: entries)


# -- attributes ------------------------------------------------------------------------------------

action("attr_true")(lambda: TRUE)
action("attr_false")(lambda: FALSE)
action("attr_unit")(lambda: UNIT)
action("attr_string")(StringAttr)
action("attr_typed_string")(StringAttr)
action("attr_of_dict")(DictAttr.of)
action("attr_alias")(lambda use: use.get())
action("type_alias")(lambda use: use.get())


@action("attr_number")
def _number(value: int | str) -> Any:
    return typed_number(value, t.f64 if isinstance(value, str) else t.i64)


@action("attr_typed_number")
def typed_number(value: int | str, type: Any) -> Any:
    """The attribute of a literal (floats come as text) in a type."""
    if isinstance(type, t.FloatType):
        if isinstance(value, str):
            return FloatAttr.of(numbers.parse_float(value, type.dtype_name), type)
        if isinstance(value, HexInt):
            return FloatAttr.of(float_of_bits(value, type), type)
        fail("unexpected decimal integer literal for a floating point attribute",
             hint=f"add a trailing dot to make the literal a float: {value}.0")  # fmt: skip
    if isinstance(value, str):
        fail(f"floating point value not valid for specified type '{type}'")
    if isinstance(type, t.IndexType):
        return IntegerAttr(wrap_integer(int(value), 64), type)
    if isinstance(type, t.IntegerType):
        return IntegerAttr(wrap_integer(int(value), type.width, type.signedness), type)
    return fail(f"integer literal not valid for specified type '{type}'")


@action("attr_dense")
def _dense(token: tuple[str, int], type: Any) -> Any:
    return dense_elements(token[0], type)


@action("attr_distinct")
def _distinct(number: str, referenced: Any = UNIT) -> DistinctAttr:
    return DistinctAttr(int(number), None if referenced is UNIT else referenced)


@action("symbol_ref")
def _symbol_ref(root: str, *nested: str) -> SymbolRefAttr:
    return SymbolRefAttr(root, nested)


@action("array")
def _array(*elements: Any) -> ArrayAttr:
    return ArrayAttr(elements)


@action("dict")
def _dict(*entries: tuple[str, Any]) -> dict[str, Any]:
    found = dict(entries)
    if len(found) != len(entries):
        seen: set[str] = set()
        for key, _ in entries:
            if key in seen:
                fail(f"duplicate key '{key}' in dictionary attribute")
            seen.add(key)
    return found


action("dict_unit_entry")(lambda key: (key, UNIT))


# -- types -----------------------------------------------------------------------------------------


@action("function_type")
def _function_type(inputs: tuple[Any, ...], results: tuple[Any, ...]) -> t.FunctionType:
    return t.FunctionType(inputs, results)


# -- locations -------------------------------------------------------------------------------------


@frozen
class LateLocation:
    """A location that names an alias which is defined further down."""

    build: Any
    parts: tuple[Any, ...]

    def resolve(self) -> Location:
        return self.build(*[p.resolve() if isinstance(p, LateLocation) else p for p in self.parts])


def _location(build: Any, *parts: Any) -> Any:
    if any(isinstance(p, LateLocation) for p in parts):
        return LateLocation(build, parts)
    return build(*parts)


@action("loc_alias")
def _loc_alias(use: AliasUse) -> Any:
    return LateLocation(_location_of, (use,)) if use.value is None else _location_of(use)


def _location_of(use: AliasUse) -> Location:
    value = use.get()
    if isinstance(value, LateLocation):
        return value.resolve()
    if not isinstance(value, LocationAttr):
        fail(f"expected location, but '{use.name}' is another attribute")
    return value.location


@action("loc_file")
def _loc_file(name: str, line: str, column: str, *_end: str) -> Location:
    return FileLoc.at(name, int(line), int(column))


@action("loc_name")
def _loc_name(name: str, child: Any = UNKNOWN) -> Any:
    return _location(NameLoc, name, child)


action("loc_unknown")(lambda: UNKNOWN)


@action("loc_callsite")
def _loc_callsite(callee: Any, caller: Any) -> Any:
    return _location(CallSiteLoc, callee, caller)


@action("loc_fused")
def _loc_fused(metadata: Any, *parts: Any) -> Any:
    return _location(lambda *found: FusedLoc(found, metadata), *parts)


@action("attr_location")
def _attr_location(location: Any) -> Any:
    return location if isinstance(location, LateLocation) else LocationAttr(location)


# -- affine expressions over SSA values ------------------------------------------------------------

for _kind in ("add", "mul", "mod", "floordiv", "ceildiv"):
    action(f"affine_{_kind}")(lambda lhs, rhs, kind=_kind: (kind, lhs, rhs))
action("affine_subtract")(lambda lhs, rhs: ("subtract", lhs, rhs))
action("affine_negate")(lambda operand: ("negate", operand))
action("affine_symbol")(lambda name: ("symbol", name))


def affine_expr(tree: Any, leaf: Any) -> Any:
    """An expression from the tuples that the grammar gives; ``leaf`` resolves names."""
    if isinstance(tree, int):
        return as_expr(int(tree)) if tree < 1 << 63 else fail("constant too large for index")
    if isinstance(tree, str):
        return leaf(tree)
    kind = tree[0]
    if kind == "symbol":
        return leaf(tree)
    if kind == "negate":
        return -affine_expr(tree[1], leaf)
    lhs, rhs = affine_expr(tree[1], leaf), affine_expr(tree[2], leaf)
    return lhs - rhs if kind == "subtract" else binary(kind, lhs, rhs)


def affine_of_values(
    trees: Any, dims: list[str] | None = None
) -> tuple[AffineMap, tuple[str, ...], tuple[str, ...]]:
    """One map for a list of expressions over SSA names: (map, names of dims, names of symbols).

    Names become dims and symbols in order of their first use, after those in ``dims``.
    """
    dim_of = {name: i for i, name in enumerate(dims or ())}
    sym_of: dict[str, int] = {}

    def leaf(name: Any) -> Any:
        if isinstance(name, tuple):
            return sym(sym_of.setdefault(name[1], len(sym_of)))
        return dim(dim_of.setdefault(name, len(dim_of)))

    results = [affine_expr(tree, leaf) for tree in trees]
    return AffineMap(len(dim_of), len(sym_of), results), tuple(dim_of), tuple(sym_of)


@action("affine_operands")
def _affine_operands(trees: Any) -> Any:
    return affine_of_values(trees)


# -- operations ------------------------------------------------------------------------------------


@action("alias_def")
def _alias_def(use: AliasUse, value: Any) -> None:
    _define(use, value)


@action("type_alias_def")
def _type_alias_def(use: AliasUse, value: Any) -> None:
    _define(use, value)


def _define(use: AliasUse, value: Any) -> None:
    if use.value is not None:
        raise SyntaxFailure(
            f"redefinition of attribute alias id '{use.name[1:]}'", name=use.name, last=True
        )
    use.value = value


@action("op")
def _op(parts: Any) -> Pending:
    op = parts[2]
    op.offset, op.result_names, _, op.location = parts
    return op


_op.takes_parts = True  # type: ignore[attr-defined]


@action("op_without_results")
def _op_without_results(offset: int, op: Pending, location: Any) -> Pending:
    op.offset = offset
    op.location = location
    return op


@action("generic")
def _generic(
    name: str, operands: Any, successors: Any, properties: Any, regions: Any, attributes: Any,
    type: t.FunctionType,
) -> Pending:  # fmt: skip
    if len(operands) != len(type.inputs):
        fail(f"expected {len(operands)} operand types but had {len(type.inputs)}")
    cls = lookup_op(name)
    op = Pending(cls or UnregisteredOp, operands, type.inputs, type.results, properties, attributes,
                 regions, successors)  # fmt: skip
    op.custom = False
    if cls is None:
        if "." not in name:
            fail(f"'{name}' is not an operation name: expected 'dialect.operation'")
        op.op_name = name
    return op


@action("region")
def _region(ops: Any, blocks: Any) -> PendingRegion:
    if ops:
        return PendingRegion([PendingBlock(None, [], ops), *blocks])
    return PendingRegion(list(blocks))


@action("block_without_arguments")
def _block(label: str, ops: Any) -> PendingBlock:
    return PendingBlock(label, [], ops)


@action("block")
def _block_with_arguments(label: str, arguments: Any, ops: Any) -> PendingBlock:
    return PendingBlock(label, list(arguments), ops)


@action("mixed_list")
def _mixed_list(*items: int | str) -> Any:
    statics = tuple(t.DYNAMIC if isinstance(i, str) else int(i) for i in items)
    return statics, tuple(i for i in items if isinstance(i, str))


@action("type_or_body", "attr_or_body")
def _type_or_body(value: Any) -> Any:
    return value


@action("no_operands")
def _no_operands() -> Any:
    return (), ()


@action("typed_operands")
def _typed_operands(names: Any, types: Any) -> Any:
    if len(names) != len(types):
        fail(f"expected {len(names)} types for {len(names)} operands, got {len(types)}")
    return names, types


@action("ins_outs")
def _ins_outs(ins: Any, outs: Any) -> Any:
    return (*ins, *outs)


@frozen
class Signature:
    """``(%a: T {attrs}, …) -> (T {attrs})``. ``arguments`` hold (name or None, type, attrs, location)."""

    arguments: tuple[tuple[str | None, Any, dict[str, Any] | None, Any], ...]
    results: tuple[tuple[Any, dict[str, Any] | None], ...]
    variadic: bool = False

    @property
    def type(self) -> t.FunctionType:
        return t.FunctionType([a[1] for a in self.arguments], [r[0] for r in self.results])

    @property
    def named(self) -> bool:
        return any(a[0] is not None for a in self.arguments)

    def block_arguments(self) -> list[tuple[str, Any, Any]]:
        """For ``PendingRegion.set_arguments``."""
        return [(a[0] or "", a[1], a[3]) for a in self.arguments]

    def attribute_arrays(self) -> dict[str, Any]:
        """``arg_attrs`` and ``res_attrs``, present only if an argument (result) has attributes."""
        found: dict[str, Any] = {}
        for key, dicts in (
            ("arg_attrs", [a[2] for a in self.arguments]),
            ("res_attrs", [r[1] for r in self.results]),
        ):
            if any(dicts):
                found[key] = ArrayAttr(tuple(DictAttr.of(d or {}) for d in dicts))
        return found


action("signature_type")(lambda type, attributes, location: (None, type, attributes, location))
action("signature_ellipsis")(lambda: None)
action("signature_result_type")(lambda type: (type, None))


@action("signature")
def _signature(arguments: Any, results: Any) -> Signature:
    variadic = None in arguments
    if variadic and arguments.index(None) != len(arguments) - 1:
        fail("expected '...' only at the end of the argument list")
    arguments = tuple(a for a in arguments if a is not None)
    if len({a[0] is None for a in arguments}) > 1:
        fail("expected type instead of SSA identifier (name all arguments or none)")
    return Signature(arguments, results, variadic)
