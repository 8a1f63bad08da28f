"""Native functions that PDL patterns of a device may name: conditions and actions beyond PDL's words.

A native constraint gets the entities that a match has bound (operations, values, types, attributes,
tuples of these for ranges) and returns None where it doesn't hold, else the values it binds. A native
rewrite gets the rewriter first and returns the values it makes; a symbol among its arguments is the
function of that name in the pattern's file. Plug-ins add their own::

    @native_constraint("my.is_small", arguments=(1,))
    def is_small(op): return () if len(op.operands) < 3 else None

Names, and how many arguments and results they have, are checked when a device is loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from attrs import frozen

from kt.ir import types as t
from kt.ir.attributes import ArrayAttr, Attribute, DictAttr, StringAttr
from kt.ir.clone import clone_ops
from kt.ir.core import Operation, Value
from kt.ir.diagnostics import DeviceError
from kt.ir.dialects.ktdf_arch_features import (
    FEATURES,
    MAPS_TO,
    feature_satisfies,
    features_of,
)
from kt.ir.dialects.pdl import (
    ApplyNativeConstraintOp,
    ApplyNativeRewriteOp,
    PatternOp,
    RewriteOp,
)
from kt.ir.rewriter import Rewriter

if TYPE_CHECKING:
    from kt.ir.numbers.dtypes import FloatFormat


@frozen
class Native:
    """A native function: how many arguments it may get (None: any number), how many results it has."""

    function: Callable[..., Sequence[Any] | None]
    arguments: tuple[int, ...] | None
    results: int


CONSTRAINTS: dict[str, Native] = {}
REWRITES: dict[str, Native] = {}
NativeFunction = Callable[..., Sequence[Any] | None]


def native_constraint(
    name: str, *, arguments: tuple[int, ...] | None, results: int = 0
) -> Callable[[NativeFunction], NativeFunction]:
    """Register ``f(*entities) -> values | None`` as a condition that patterns may name."""
    return _register(CONSTRAINTS, name, arguments, results)


def native_rewrite(
    name: str, *, arguments: tuple[int, ...] | None, results: int = 0
) -> Callable[[NativeFunction], NativeFunction]:
    """Register ``f(rewriter, *entities) -> values`` as an action that patterns may name."""
    return _register(REWRITES, name, arguments, results)


def _register(
    table: dict[str, Native], name: str, arguments: tuple[int, ...] | None, results: int
) -> Callable[[NativeFunction], NativeFunction]:
    def register(function: NativeFunction) -> NativeFunction:
        if name in table:
            raise ValueError(f"the native '{name}' is registered twice")
        table[name] = Native(function, arguments, results)
        return function

    return register


# -- those of upstream -------------------------------------------------------------------------------


@native_constraint("ktdf_arch.mapped_to", arguments=(1,), results=1)
def _mapped_to(op: Operation) -> Sequence[Attribute] | None:
    """The op is bound to a unit or memory; binds its kind."""
    found = op.attributes.get(MAPS_TO)
    return None if found is None else (found,)


@native_constraint("ktdf_arch.has_feature", arguments=(2, 3), results=1)
def _has_feature(
    op: Operation, name: StringAttr, required: Attribute | None = None
) -> Sequence[Attribute] | None:
    """The op asks for a feature (at least the ``required`` one); binds the feature's value."""
    found = features_of(op).get(name.value)
    if found is None:
        return None
    if required is not None and not feature_satisfies(name.value, found, required):
        return None
    return (found,)


@native_rewrite("ktdf_arch.map_to", arguments=(2,))
def _map_to(rw: Rewriter, op: Operation, kind: Attribute) -> Sequence[Any]:
    """Bind an op to a unit or memory."""
    op.attributes[MAPS_TO] = kind
    rw.update(op)
    return ()


@native_rewrite("ktdf_arch.set_feature", arguments=(3,))
def _set_feature(rw: Rewriter, op: Operation, name: StringAttr, value: Attribute) -> Sequence[Any]:
    """Add or overwrite one feature that an op asks for."""
    op.attributes[FEATURES] = DictAttr({**features_of(op), name.value: value})
    rw.update(op)
    return ()


# -- kt's own ----------------------------------------------------------------------------------------


@native_constraint("kt.one_of", arguments=(2,))
def _one_of(entity: Attribute, choices: ArrayAttr) -> Sequence[Any] | None:
    """A type or attribute is one of those in an array: ``[f16, !spyreop.df16]``."""
    return () if isinstance(choices, ArrayAttr) and entity in tuple(choices) else None


@native_constraint("kt.combiner", arguments=(1,), results=1)
def _combiner(op: Operation) -> Sequence[Attribute] | None:
    """What a reduction's body does to its accumulator, if that is one operation; binds its name."""
    if len(op.regions) != 1 or not op.regions[0].blocks or not op.results:
        return None
    end = op.regions[0].blocks[-1].last_op
    last = end.operands[0].defining_op if end is not None and len(end.operands) == 1 else None
    old = op.regions[0].blocks[0].arguments[-1]
    return (StringAttr(last.name),) if last is not None and old in last.operands else None


@native_constraint("kt.exact_product", arguments=(1,))
def _exact_product(op: Operation) -> Sequence[Any] | None:
    """A product that nothing else uses and that no rounding touches, for any values.

    Its factors were converted from floats whose significant bits together fit the product's type, and
    so do the largest and the smallest product; f16 · f16 in f32, but not bf16 · bf16, which may overflow.
    """
    wide = _float_format(op.results[0].type)
    narrow = [_float_format(_before_extension(v).type) for v in op.operands]
    if wide is None or wide.special != "ieee" or len(op.results[0].users) != 1:
        return None
    a, b = narrow
    if a is None or b is None:
        return None
    exact = (
        a.precision + b.precision <= wide.precision
        and a.max_finite * b.max_finite <= wide.max_finite
        and a.smallest_exponent + b.smallest_exponent >= wide.smallest_exponent
    )
    return () if exact else None


def _before_extension(value: Value) -> Value:
    """What a float was before it was converted to a wider type."""
    op = value.defining_op
    return op.operands[0] if op is not None and op.name == "arith.extf" else value


def _float_format(type: t.Type) -> FloatFormat | None:
    """The layout of a float, or of a tensor's floats."""
    from kt.ir.numbers import dtype

    word = t.element_type_of(type)
    return dtype(word.dtype_name).format if isinstance(word, t.FloatType) else None


@native_rewrite("kt.template", arguments=None, results=1)
def _template(rw: Rewriter, op: Operation, name: StringAttr, *inputs: Value) -> Sequence[Any]:
    """An instruction template in place of a scalar op, whose results it makes (a range of values).

    The template is called ``NAME_TYPE`` after the element type of the op's first operand
    (``EXP_f16``); its inputs are the op's operands, unless others are given.
    """
    from kt.ir.dialects.ktdf_data import OpaqueOp

    word = t.element_type_of(op.operands[0].type)
    made = rw.create(
        OpaqueOp,
        inputs or op.operands,
        template_name=f"{name.value}_{getattr(word, 'dtype_name', word)}",
        result_types=[r.type for r in op.results],
    )
    return (tuple(made.results),)


@native_rewrite("kt.expand", arguments=None, results=1)
def _expand(rw: Rewriter, op: Operation, function: Operation, *inputs: Value) -> Sequence[Any]:
    """The body of a function of the device's file in place of an op (a range of values).

    Its arguments are the op's operands, unless others are given, converted to the function's float
    types; what it returns is converted back. In place of an op on tensors it works element by element.
    """
    from kt.ir.dialects.func import FuncOp

    if not isinstance(function, FuncOp) or function.is_declaration:
        raise DeviceError("native rewrite 'kt.expand' needs a function with a body", op.location)
    entry = function.entry
    given = inputs or op.operands
    if len(given) != len(entry.arguments):
        raise DeviceError(
            f"'{op.name}' is expanded by @{function.symbol}, which takes {len(entry.arguments)} values, "
            f"not {len(given)}",
            function.location,
        )
    pairs = zip(given, entry.arguments, strict=True)
    known: dict[Value, Value] = {a: _converted(rw, v, a.type) for v, a in pairs}
    end = entry.terminator
    assert end is not None
    for inner in (o for o in entry.ops if o is not end):
        for made in clone_ops([inner], known):
            made.location = op.location
            rw.insert(made)
            _lift(rw, made, op, known, inner)
    results = zip(end.operands, op.results, strict=True)
    return (tuple(_converted(rw, known.get(v, v), t.element_type_of(r.type)) for v, r in results),)


def _lift(
    rw: Rewriter, made: Operation, op: Operation, known: dict[Value, Value], inner: Operation
) -> None:
    """In place of an op on tensors, a scalar op works element by element, and a constant is spread."""
    from kt.ir.dialects import tensor

    like = op.operands[0]
    if not isinstance(like.type, t.TensorType):
        return
    shape = like.type
    if made.operands:
        for result in made.results:
            result.type = t.with_element_type(shape, result.type)
        return
    open_ = [i for i, n in enumerate(shape.shape) if n == t.DYNAMIC]
    sizes = [rw.create(tensor.DimOp, like, rw.constant(i)).result for i in open_]
    for old, scalar in zip(inner.results, made.results, strict=True):
        type = t.with_element_type(shape, scalar.type)
        known[old] = rw.create(tensor.SplatOp, scalar, sizes, result_types=[type]).result


def _converted(rw: Rewriter, value: Value, type: t.Type) -> Value:
    """A float value, or a tensor of floats, as another float type."""
    from kt.ir.dialects import arith

    have = t.element_type_of(value.type)
    if have is type:
        return value
    if not isinstance(have, t.FloatType) or not isinstance(type, t.FloatType):
        raise DeviceError(f"can't convert '{have}' to '{type}'", rw.location)
    cast = arith.ExtFOp if type.bits > have.bits else arith.TruncFOp
    return rw.create(cast, value, result_types=[t.with_element_type(value.type, type)]).results[0]


# -- checking ----------------------------------------------------------------------------------------


def check_natives(patterns: Sequence[PatternOp]) -> None:
    """Raise DeviceError when a pattern names an unknown native, or uses one wrongly."""
    for pattern in patterns:
        for op in pattern.walk():
            if isinstance(op, ApplyNativeConstraintOp):
                _check(op, op.callee.value, CONSTRAINTS, "constraint")
            elif isinstance(op, ApplyNativeRewriteOp):
                _check(op, op.callee.value, REWRITES, "rewrite")
            elif isinstance(op, RewriteOp) and op.external is not None:
                _check(op, op.external.value, REWRITES, "rewrite")


def _check(op: Operation, name: str, table: dict[str, Native], word: str) -> None:
    native = table.get(name)
    if native is None:
        raise DeviceError(
            f"the pattern uses an unknown native {word} '{name}'",
            op.location,
            hint=f"known ones: {', '.join(table)}",
        )
    if native.arguments is not None and len(op.operands) not in native.arguments:
        wanted = " or ".join(map(str, native.arguments))
        raise DeviceError(
            f"native {word} '{name}' takes {wanted} arguments, but gets {len(op.operands)}",
            op.location,
        )
    if len(op.results) != native.results:
        raise DeviceError(
            f"native {word} '{name}' has {native.results} results, but {len(op.results)} are declared",
            op.location,
        )
