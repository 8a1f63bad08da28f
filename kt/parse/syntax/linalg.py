"""Text of ``linalg``: generic ops, named ops (whose body isn't written), reduce and map."""

from __future__ import annotations

from typing import Any

from kt.ir import registry
from kt.ir.attributes import ArrayAttr, StringAttr
from kt.ir.dialects import linalg
from kt.ir.dialects.linalg import IteratorTypeAttr
from kt.ir.dialects.linalg_contractions import MappedContractionOp
from kt.ir.types import element_type_of
from kt.parse.syntax_api import (
    Pending,
    PendingBlock,
    PendingRegion,
    action,
    fail,
    printer,
    segments,
    static_array,
    syntax,
)

MEMOIZED = "linalg.memoized_indexing_maps"
"""Upstream keeps derived maps under this name; they are never written in custom form."""

NAMED = tuple(
    name
    for name, cls in registry.OPS.items()
    if issubclass(cls, linalg.NamedOp)
    and name not in ("linalg.transpose", "linalg.broadcast", "linalg.elementwise")
)


action("linalg_operands")(lambda ins, outs: (*ins, *outs))
action("linalg_only_outs")(lambda outs: ((), (), *outs))


# -- yield -----------------------------------------------------------------------------------------


@syntax("linalg.yield", rule="linalg_yield")
def build_yield(cls: Any, form: Any) -> Pending:
    if len(form) == 1:
        return Pending(cls, attributes=form[0])
    names, attributes, types = form
    if len(names) != len(types):
        fail(f"expected {len(names)} types for {len(names)} operands, got {len(types)}")
    return Pending(cls, operands=names, types=types, attributes=attributes)


@printer("linalg.yield")
def print_yield(p: Any, op: Any) -> None:
    if op.values:
        p.write(" ")
        p.values(op.values)
    p.attr_dict(op)
    if op.values:
        p.write(" : ")
        p.types([v.type for v in op.values])


# -- generic and named ops -------------------------------------------------------------------------


def _structured(
    cls: Any,
    operands: Any,
    results: Any,
    properties: dict[str, Any],
    attributes: Any,
    regions: Any = (),
) -> Pending:
    """An op with ``ins``, ``outs`` and segment sizes. Named ops make their body themselves."""
    ins, in_types, outs, out_types = operands
    properties["operandSegmentSizes"] = segments(len(ins), len(outs))
    return Pending(
        cls,
        operands=(*ins, *outs),
        types=(*in_types, *out_types),
        result_types=results,
        properties=properties,
        attributes=attributes,
        regions=regions,
    )


def _merged(first: Any, second: Any) -> dict[str, Any]:
    return {**(first or {}), **(second or {})}


@syntax("linalg.generic", rule="linalg_generic")
def build_generic(
    cls: Any, given: dict[str, Any], operands: Any, attributes: Any, body: Any, types: Any
) -> Pending:
    properties = dict(given)
    kinds = properties.get("iterator_types")
    if isinstance(kinds, ArrayAttr):
        properties["iterator_types"] = ArrayAttr(tuple(_iterator(k) for k in kinds))
    own = {f.key or f.name for f in cls.fields.attrs}
    others = {k: v for k, v in properties.items() if k not in own}
    properties = {k: v for k, v in properties.items() if k in own}
    return _structured(cls, operands, types, properties, _merged(others, attributes), (body,))


def _iterator(kind: Any) -> Any:
    if isinstance(kind, StringAttr):
        if kind.value not in IteratorTypeAttr.cases:
            fail(f"unexpected iterator_type ({kind.value})")
        return IteratorTypeAttr(kind.value)
    return kind


@printer("linalg.generic")
def print_generic(p: Any, op: Any) -> None:
    entries = {"indexing_maps": op.maps, "doc": op.doc, "library_call": op.library_call}
    entries["iterator_types"] = ArrayAttr(tuple(StringAttr(k) for k in op.iterator_types()))
    p.write(" {")
    for i, key in enumerate(sorted(k for k, v in entries.items() if v is not None)):
        p.write(f"{', ' if i else ''}{key} = ")
        p.attribute(entries[key])
    p.write("}")
    _print_ins_outs(p, op)
    others = {k: v for k, v in op.attributes.items() if k != MEMOIZED}
    if others:
        p.write(" attrs = ")
        p.attr_dict(op, elided=(*OWN_GENERIC, MEMOIZED))
    p.write(" ")
    p.region(op.regions[0])
    p.arrow_types([v.type for v in op.results])


OWN_GENERIC = ("indexing_maps", "iterator_types", "doc", "library_call", "operandSegmentSizes")


def _print_ins_outs(p: Any, op: Any) -> None:
    for word, values in ((" ins(", op.inputs), (" outs(", op.outputs)):
        if values:
            p.write(word)
            p.values(values)
            p.write(" : ")
            p.types([v.type for v in values])
            p.write(")")


@syntax(*NAMED, "linalg.elementwise", rule="linalg_named")
def build_named(
    cls: Any, kind: Any, maps: Any, before: Any, operands: Any, behind: Any, types: Any
) -> Pending:
    properties = {}
    for key, value in (("kind", kind), ("indexing_maps", maps)):
        if value is not None:
            if cls.fields.attr(key) is None:
                fail(f"this operation has no {key} of its own")
            properties[key] = value
    if kind is None and cls is linalg.ElementwiseOp:
        fail("expected 'kind = #linalg.elementwise_kind<…>'")
    return _structured(cls, operands, types, properties, _merged(before, behind))


@printer(*NAMED)
def print_named(p: Any, op: Any) -> None:
    if isinstance(op, linalg.ContractOp) or (
        isinstance(op, MappedContractionOp) and not op.has_default_maps
    ):
        p.write(" indexing_maps = ")
        p.attribute(op.maps)
    p.attr_dict(op, elided=("operandSegmentSizes", "indexing_maps", MEMOIZED))
    _print_ins_outs(p, op)
    p.arrow_types([v.type for v in op.results])


@printer("linalg.elementwise")
def print_elementwise(p: Any, op: Any) -> None:
    p.write(" kind=")
    p.attribute(op.kind)
    if not all(m.is_identity for m in op.indexing_maps()):
        p.write(" indexing_maps = ")
        p.attribute(op.maps)
    p.attr_dict(op, elided=("operandSegmentSizes", "indexing_maps", "kind", MEMOIZED))
    _print_ins_outs(p, op)
    p.arrow_types([v.type for v in op.results])


# -- map and reduce --------------------------------------------------------------------------------

action("linalg_short_op")(lambda name, attributes: (name, attributes))
action("linalg_long_body")(lambda arguments, body: body.set_arguments(arguments))


def _combiner(
    short: Any, body: Any, in_types: Any, out_types: Any, outs_first: bool
) -> PendingRegion:
    """The region: as written, or one op on all arguments."""
    if (short is None) == (body is None):
        fail("expected either a payload operation in braces or a region")
    if body is not None:
        return body
    name, attributes = short
    cls = registry.lookup_op(name)
    if cls is None:
        fail(f"unknown payload operation '{name}'")
    if not out_types:
        fail("expected an operand behind 'outs'")
    ins = [(f"%in.{i}", element_type_of(x)) for i, x in enumerate(in_types)]
    outs = [(f"%out.{i}", element_type_of(x)) for i, x in enumerate(out_types)]
    used = [*outs, *ins] if outs_first else ins
    payload = Pending(
        cls,
        operands=tuple(n for n, _ in used),
        types=tuple(x for _, x in used),
        result_types=(outs[0][1],),
        attributes=attributes,
    )
    payload.result_names = "%payload"
    end = Pending(linalg.YieldOp, operands=("%payload",), types=(outs[0][1],))
    return PendingRegion(
        [PendingBlock(None, [(n, x, None) for n, x in (*ins, *outs)], [payload, end])]
    )


@syntax("linalg.map", "linalg.reduce", rule="linalg_fold")
def build_fold(
    cls: Any, short: Any, operands: Any, dimensions: Any, attributes: Any, body: Any
) -> Pending:
    reduces = cls is linalg.ReduceOp
    if reduces is (dimensions is None):
        fail("expected 'dimensions = […]'" if reduces else "this operation has no dimensions")
    region = _combiner(short, body, operands[1], operands[3], outs_first=reduces)
    properties = {"dimensions": static_array(dimensions)} if reduces else None
    return _by_dims(cls, operands, properties, attributes, (region,))


@syntax("linalg.transpose", "linalg.broadcast", rule="linalg_relayout")
def build_relayout(cls: Any, operands: Any, words: Any, numbers: Any, attributes: Any) -> Pending:
    (field,), (word,) = cls.fields.attrs, words
    if word != field.name:
        fail(f"expected '{field.name}', got '{word}'")
    return _by_dims(cls, operands, {word: static_array(numbers)}, attributes)


def _by_dims(
    cls: Any, operands: Any, properties: Any, attributes: Any, regions: Any = ()
) -> Pending:
    """An op whose results have the types of its tensor outputs, without segment sizes."""
    from kt.ir.types import TensorType

    ins, in_types, outs, out_types = operands
    return Pending(
        cls,
        operands=(*ins, *outs),
        types=(*in_types, *out_types),
        result_types=tuple(x for x in out_types if isinstance(x, TensorType)),
        properties=properties,
        attributes=attributes,
        regions=regions,
    )


def _payload_of(op: Any, outs_first: bool) -> Any:
    """The only op of the body, if it takes the arguments in their order and is yielded; or None."""
    ops = list(op.body.ops)
    ins, outs = list(op.input_arguments), list(op.output_arguments)
    if len(ops) != 2 or len(ops[0].results) != 1 or ops[0].regions or not ops[0].operands:
        return None
    payload, end = ops
    wanted = [*outs, *ins] if outs_first else ins
    same = list(payload.operands) == wanted and list(end.operands) == [payload.result]
    same = same and not end.attributes
    return payload if same else None


def _print_short(p: Any, payload: Any) -> None:
    p.write(f" {{ {payload.name}")
    p.attr_dict(payload)
    p.write(" }")


def _print_long(p: Any, op: Any) -> None:
    """The body with its arguments, indented on lines of its own."""
    with p.indented():
        p.newline()
        p.write("(")
        for i, argument in enumerate(op.body.arguments):
            p.write(", " if i else "")
            p.value(argument)
            p.write(": ")
            p.type(argument.type)
        p.write(") ")
        p.region(op.regions[0], entry_args=False)


@printer("linalg.map")
def print_map(p: Any, op: Any) -> None:
    payload = _payload_of(op, outs_first=False)
    if payload is not None:
        _print_short(p, payload)
    _print_ins_outs(p, op)
    p.attr_dict(op)
    if payload is None:
        _print_long(p, op)


@printer("linalg.reduce")
def print_reduce(p: Any, op: Any) -> None:
    payload = _payload_of(op, outs_first=True)
    if payload is not None:
        _print_short(p, payload)
    _print_ins_outs(p, op)
    _print_dims(p, "dimensions", op.dimensions)
    p.attr_dict(op, elided=("dimensions",))
    if payload is None:
        _print_long(p, op)


def _print_dims(p: Any, word: str, values: Any) -> None:
    p.write(f" {word} = [{', '.join(map(str, values))}] ")  # upstream leaves a blank behind it


@printer("linalg.transpose")
def print_transpose(p: Any, op: Any) -> None:
    _print_ins_outs(p, op)
    _print_dims(p, "permutation", op.permutation)
    p.attr_dict(op, elided=("permutation", MEMOIZED))


@printer("linalg.broadcast")
def print_broadcast(p: Any, op: Any) -> None:
    _print_ins_outs(p, op)
    _print_dims(p, "dimensions", op.dimensions)
    p.attr_dict(op, elided=("dimensions", MEMOIZED))
