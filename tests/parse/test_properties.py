"""Random valid IR of every dialect → print → parse → equal; random types, attributes and locations."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from random_ir import changed_module, corpus, made_op, standalone

from kt.ir import attributes as a
from kt.ir import registry
from kt.ir import types as t
from kt.ir.affine import AffineMap, AffineSet, const, dim, sym
from kt.ir.core import UnregisteredOp
from kt.ir.diagnostics import UNKNOWN, CallSiteLoc, FileLoc, FusedLoc, NameLoc
from kt.ir.dialects.builtin import ModuleOp
from kt.parse import parse_text, print_op

QUICK = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


def texts(module: ModuleOp) -> list[str]:
    """The module in its three forms: generic (for the custom one, too), and with locations."""
    generic = print_op(module, generic=True)
    return [generic, generic, print_op(module, locations=True)]


def read_back(module: ModuleOp) -> list[str]:
    """The same of what reading each form gives."""
    generic, custom, located = print_op(module, generic=True), print_op(module), print_op(module, locations=True)
    return [
        print_op(parse_text(generic), generic=True),
        print_op(parse_text(custom), generic=True),
        print_op(parse_text(located), locations=True),
    ]


@QUICK
@given(st.integers(0, 2**32))
def test_changed_modules_come_back(seed):
    module = changed_module(random.Random(seed))
    assume(module is not None)
    assert read_back(module) == texts(module)


@pytest.mark.sweep
@pytest.mark.parametrize("first", range(0, 8000, 1000))
def test_changed_modules_come_back_at_length(first):
    valid = 0
    for seed in range(first, first + 1000):
        module = changed_module(random.Random(seed))
        if module is not None:
            assert read_back(module) == texts(module)
            valid += 1
    assert valid > 300


DIALECTS = registry.DIALECTS


@pytest.mark.parametrize("dialect", DIALECTS)
def test_made_operations_come_back(dialect):
    registry.load_all()
    rng = random.Random(dialect)
    for name, cls in registry.OPS.items():
        if name.partition(".")[0] != dialect or not standalone(cls):
            continue
        for _ in range(12):
            module = made_op(cls, rng)
            if module is not None:
                assert read_back(module) == texts(module)


def test_every_operation_is_read_and_printed_somewhere():
    """Each op of the package stands in the corpus, or is made from its declaration."""
    registry.load_all()
    met = Counter(op.name for module in corpus(1 << 20) for op in module.walk())
    rng = random.Random(1)
    missing = []
    for name, cls in registry.OPS.items():
        if name.partition(".")[0] in DIALECTS and not met[name]:
            made = (made_op(cls, rng) for _ in range(400)) if standalone(cls) else ()
            if next((m for m in made if m is not None), None) is None:
                missing.append(name)
    assert missing == []


# -- types, attributes, locations --------------------------------------------------------------------

WORDS = st.sampled_from(["x", "a.b", "_1", "dim", "for", "é", 'say "hi"', "back\\slash", "\n\t\x00", "0", ""])
EXTENTS = st.sampled_from([0, 1, 4, 7, 1 << 40, t.DYNAMIC])
FLOATS = st.sampled_from(
    [t.BuiltinFloatType(n) for n in ("f16", "bf16", "f32", "f64", "tf32", "f8E5M2", "f8E4M3FN", "f8E3M4")]
)
SCALARS = st.one_of(
    FLOATS, st.builds(t.IntegerType, st.integers(1, 130), st.sampled_from(["", "s", "u"])), st.just(t.index)
)


def affine_exprs() -> st.SearchStrategy:
    leaves = st.one_of(
        st.integers(-9, 9).map(const), st.integers(0, 1).map(dim), st.integers(0, 1).map(sym)
    )
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.tuples(inner, inner).map(lambda p: p[0] + p[1]),
            st.tuples(inner, st.integers(-5, 5)).map(lambda p: p[0] * p[1]),
            st.tuples(inner, st.integers(1, 9)).map(lambda p: p[0] % p[1]),
            st.tuples(inner, st.integers(1, 9)).map(lambda p: p[0] // p[1]),
        ),
        max_leaves=6,
    )


MAPS = st.lists(affine_exprs(), max_size=3).map(lambda exprs: AffineMap(2, 2, exprs))
SETS = st.lists(st.tuples(affine_exprs(), st.booleans()), min_size=1, max_size=3).map(
    lambda rows: AffineSet(2, 2, [r[0] for r in rows], [r[1] for r in rows])
)
SHAPES = st.lists(EXTENTS, max_size=3).map(tuple)
TYPES = st.recursive(
    st.one_of(SCALARS, st.just(t.none)),
    lambda inner: st.one_of(
        st.builds(t.TensorType, SHAPES, SCALARS),
        st.builds(t.UnrankedTensorType, SCALARS),
        st.builds(t.MemRefType, SHAPES, SCALARS),
        st.builds(t.VectorType, st.lists(st.integers(1, 9), min_size=1, max_size=3).map(tuple), SCALARS),
        st.builds(t.ComplexType, FLOATS),
        st.builds(t.TupleType, st.lists(inner, max_size=3).map(tuple)),
        st.builds(
            t.FunctionType, st.lists(inner, max_size=2).map(tuple), st.lists(inner, max_size=2).map(tuple)
        ),
    ),
    max_leaves=5,
)


def float_attrs() -> st.SearchStrategy:
    from kt.ir import numbers

    def make(pair: tuple[int, t.BuiltinFloatType]) -> a.FloatAttr:
        bits, type = pair
        return a.FloatAttr.of(numbers.bits_to_float(bits % (1 << type.bits), type.dtype_name), type)

    return st.tuples(st.integers(0, 2**64 - 1), FLOATS).map(make).filter(lambda f: f.value == f.value)


def integers(type: t.IntegerType) -> st.SearchStrategy:
    low = 0 if type.signedness == "u" or type is t.i1 else -(1 << (type.width - 1))
    high = (1 << type.width) - 1 if type.signedness == "u" or type is t.i1 else (1 << (type.width - 1)) - 1
    return st.integers(low, high).map(lambda value: a.IntegerAttr(value, type))


ATTRS = st.recursive(
    st.one_of(
        st.just(a.UnitAttr()), WORDS.map(a.StringAttr), TYPES, float_attrs(),
        st.sampled_from([t.i1, t.i8, t.IntegerType(7), t.i64, t.IntegerType(16, "u"), t.IntegerType(128)]).flatmap(integers),
        st.builds(a.SymbolRefAttr, st.sampled_from(["f", "a b"]), st.lists(st.sampled_from(["g", "h.i"]), max_size=2).map(tuple)),
        st.lists(st.integers(-128, 127), max_size=4).map(lambda v: a.DenseArrayAttr.of(v, t.i8)),
        st.lists(st.integers(-9, 9), min_size=4, max_size=4).map(
            lambda v: a.DenseElementsAttr.of([v[:2], v[2:]], t.TensorType((2, 2), t.i32))),
        st.builds(a.StridedLayoutAttr, SHAPES, EXTENTS),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda v: a.ArrayAttr(tuple(v))),
        st.dictionaries(WORDS.filter(bool), inner, max_size=3).map(a.DictAttr.of),
    ),
    max_leaves=6,
)  # fmt: skip
LOCATIONS = st.recursive(
    st.one_of(st.just(UNKNOWN), st.builds(FileLoc.at, WORDS, st.integers(0, 99), st.integers(0, 99))),
    lambda inner: st.one_of(
        st.builds(NameLoc, WORDS, inner),
        st.builds(CallSiteLoc, inner, inner),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: FusedLoc(tuple(parts))),
    ),
    max_leaves=5,
)


@settings(QUICK, max_examples=300)
@given(ATTRS)
def test_attributes_come_back_as_the_same_object(attr):
    op = UnregisteredOp.make("t.a", attributes={"x": attr})
    assert parse_text(str(op)).body.first_op.attr("x") is attr


@settings(QUICK, max_examples=200)
@given(st.one_of(MAPS.map(a.AffineMapAttr), SETS.map(a.AffineSetAttr)))
def test_affine_attributes_come_to_rest(attr):
    """Reading simplifies sums that were built step by step; what was read once stays."""

    def read(text: str) -> a.Attribute:
        return parse_text(f'"t.a"() {{x = {text}}} : () -> ()').body.first_op.attr("x")

    once = read(str(attr))
    assert read(str(once)) is once


@settings(QUICK, max_examples=200)
@given(st.lists(TYPES, max_size=3), LOCATIONS)
def test_types_and_locations_come_back(types, location):
    op = UnregisteredOp.make("t.a", result_types=types, location=location)
    text = print_op(op, locations=True)
    again = parse_text(text).body.first_op
    assert [r.type for r in again.results] == types
    assert again.location == location
