"""Random valid IR of every dialect.

Two sources: modules of the corpus with random changes that keep them valid (other attributes, doubled,
moved and removed operations), and single operations made from what their class declares.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from kt.ir import registry
from kt.ir import types as t
from kt.ir.attributes import (
    ArrayAttr,
    Attribute,
    DenseArrayAttr,
    DictAttr,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    UnitAttr,
)
from kt.ir.core import Block, Operation, Region, UnregisteredOp
from kt.ir.diagnostics import KtError
from kt.ir.dialects.builtin import ModuleOp
from kt.ir.opdef import SINGLE
from kt.ir.traits import HasParent, Symbol, Terminator
from kt.ir.verifier import verify
from kt.parse import parse_text, split_input

CORPUS = Path(__file__).parents[1] / "corpus"
WRONG = {"rejected.mlir", "contradictions.mlir", "many_errors.mlir"}
LARGEST = 8000


@cache
def corpus(largest: int = LARGEST) -> list[ModuleOp]:
    """Modules of all dialects, of moderate size in characters."""
    registry.load_all()
    texts = [
        part
        for file in sorted(CORPUS.rglob("*.mlir"))
        if file.name not in WRONG
        for part, _ in split_input(file.read_text())
    ]
    return [parse_text(text) for text in texts if 0 < len(text) <= largest]


@cache
def attribute_pool() -> dict[str, list[Attribute]]:
    """Attributes of the corpus by class name, plus some of every builtin kind."""
    found: dict[str, dict[Attribute, None]] = {}
    plain = [
        IntegerAttr(-1, t.i64), IntegerAttr(7, t.i32), IntegerAttr(1, t.i1), IntegerAttr(200, t.index),
        IntegerAttr(-8, t.i8), FloatAttr.of(0.1, t.f64), FloatAttr.of(-1.5, t.f16), StringAttr('a "b"\n\u00e9'),
        StringAttr(""), UnitAttr(), ArrayAttr(()), ArrayAttr((t.f32, UnitAttr(), StringAttr("x"))),
        DictAttr.of({"k": t.i1, "a b": UnitAttr()}), t.TensorType((4, t.DYNAMIC), t.bf16),
        t.FunctionType((t.index,), ()), t.VectorType((4,), t.i8, (True,)),
    ]  # fmt: skip
    held = [a for m in corpus() for op in m.walk() for a in (*op.properties.values(), *op.attributes.values())]
    for attr in (*plain, *held):
        if isinstance(attr, StringAttr) and attr.type is not None:
            continue  # a message or name with a type: custom forms write the text only, as upstream's
        found.setdefault(type(attr).__name__, {})[attr] = None
    return {kind: list(attrs) for kind, attrs in found.items()}


@cache
def type_pool() -> list[t.Type]:
    """Types of the corpus' values, plus some builtin ones; equal order in every process."""
    listed = [
        t.index, t.i1, t.i32, t.i64, t.f16, t.f32, t.f64, t.bf16, t.TensorType((4, 8), t.f32),
        t.TensorType((8,), t.f32), t.TensorType((), t.f32), t.VectorType((4,), t.f32), t.VectorType((64,), t.f16),
        t.MemRefType((4, 8), t.f32), t.MemRefType((8,), t.i32), t.IntegerType(8), t.UnrankedTensorType(t.f32),
    ]  # fmt: skip
    values = {str(v.type): v.type for m in corpus() for op in m.walk() for v in op.results}
    return [*listed, *(values[text] for text in sorted(values))]


def changed_module(rng: random.Random) -> ModuleOp | None:
    """A module of the corpus after a few changes; None if they make it invalid."""
    module = rng.choice(corpus()).clone()
    for _ in range(rng.randint(1, 4)):
        ops = [op for op in module.walk() if op is not module]
        if not ops:
            return None
        rng.choice(_CHANGES)(rng.choice(ops), rng)
    try:
        verify(module)
    except KtError:
        return None
    return module


def _other_attribute(op: Operation, rng: random.Random) -> None:
    """Another attribute of the class for a property, if the declaration allows it."""
    if isinstance(op, UnregisteredOp) or not op.properties:
        return _discardable(op, rng)
    key = rng.choice(sorted(op.properties))
    declared = type(op).fields.attr(key)  # type: ignore[attr-defined]
    if key.endswith("map"):  # of subscripts: dims that it doesn't use are not written
        return None
    choices = attribute_pool()[type(op.properties[key]).__name__]
    new = rng.choice(choices)
    if declared is None or not declared.constraint.holds(new):
        return None
    if declared.optional and rng.random() < 0.3:
        if key != "indexing_maps":  # the custom form says its default, here and in mlir-opt
            del op.properties[key]
    else:
        op.properties[key] = new
    return None


def _discardable(op: Operation, rng: random.Random) -> None:
    kind = rng.choice(sorted(attribute_pool()))
    key = rng.choice(("note", "my.note", "a b", "0", "else", "x-y"))
    op.attributes[key] = rng.choice(attribute_pool()[kind])


def _double(op: Operation, rng: random.Random) -> None:
    if op.parent is not None and not op.has_trait(Terminator) and not op.has_trait(Symbol):
        op.parent.insert_after(op.clone(), op)


def _remove(op: Operation, rng: random.Random) -> None:
    if not op.has_trait(Terminator) and not any(result.has_uses for result in op.results):
        op.erase()


def _other_operand(op: Operation, rng: random.Random) -> None:
    """A value of the same type that is defined above."""
    if not op._operands or op.parent is None:
        return
    at = rng.randrange(len(op._operands))
    known = [
        result
        for other in op.parent.ops
        if other.is_before_in_block(op)
        for result in other.results
        # A value twice is one dim of an access map in custom form.
        if result.type is op._operands[at].type and result not in op._operands
    ]
    if known:
        op.set_operand(at, rng.choice(known))


_CHANGES: tuple[Callable[[Operation, random.Random], None], ...] = (
    _other_attribute, _other_attribute, _discardable, _double, _remove, _other_operand,
)  # fmt: skip


def made_op(cls: Any, rng: random.Random) -> ModuleOp | None:
    """A module with an operation of this class, made from its declaration; None if it isn't valid."""
    groups, types = _types(cls, rng)
    properties = _properties(cls, rng)
    if properties is None or types is None:
        return None
    sizes = [len(group) for group in groups]
    operand_types = [type for group in groups for type in group]
    if _segmented(cls):
        properties["operandSegmentSizes"] = DenseArrayAttr.of(sizes, t.i32)
    source = UnregisteredOp.make("test.values", result_types=operand_types)
    if _ALIKE.get(cls.name, lambda held: False)(properties):
        return None
    try:
        op = cls(
            source.results, types, properties=properties,
            regions=() if hasattr(cls, "implied_body") else [Region([Block()]) for _ in cls.fields.regions],
        )  # fmt: skip
        module = ModuleOp(regions=[Region([Block((), [source, op])])])
        verify(module)
    except (KtError, ValueError, TypeError, IndexError, AssertionError, AttributeError, KeyError):
        return None  # a wrong guess; only valid operations are of interest here
    return module


# Spellings of one meaning, of which the custom form knows one.
_ALIKE: dict[str, Callable[[dict[str, Attribute]], bool]] = {
    "affine.linearize_index": lambda held: held.get("disjoint") is IntegerAttr(1, t.i1),
    **dict.fromkeys(
        ("affine.load", "affine.store", "affine.vector_load", "affine.vector_store", "affine.prefetch"),
        lambda held: "map" in held,  # dims that no result uses are not written
    ),
}


def _segmented(cls: Any) -> bool:
    return any(type(trait).__name__ == "AttrSizedOperands" for trait in cls.traits)


def _types(cls: Any, rng: random.Random) -> tuple[list[list[t.Type]], list[t.Type] | None]:
    """Types of the operands by declared group, and of the results."""
    pool = type_pool()
    favourite = rng.choice(pool)

    def choose(constraint: Any) -> t.Type | None:
        if rng.random() < 0.8 and constraint.holds(favourite):
            return favourite
        fitting = [type for type in pool if constraint.holds(type)]
        return rng.choice(fitting) if fitting else None

    groups: list[list[t.Type]] = []
    for f in cls.fields.operands:
        count = 1 if f.kind == SINGLE else rng.randint(0, 1 if f.kind == "optional" else 2)
        chosen = [choose(f.constraint) for _ in range(count)]
        groups.append([type for type in chosen if type is not None])
    results: list[t.Type] = []
    for f in cls.fields.results:
        if f.kind == SINGLE:
            type = choose(f.constraint)
            if type is None:
                return groups, None
            results.append(type)
    return groups, results


def _properties(cls: Any, rng: random.Random) -> dict[str, Attribute] | None:
    found: dict[str, Attribute] = {}
    for f in cls.fields.attrs:
        if f.optional and rng.random() < 0.5:
            continue
        choices = [a for attrs in attribute_pool().values() for a in attrs if f.constraint.holds(a)]
        kind = f.constraint.kind
        if kind is not None and getattr(kind, "cases", ()):
            choices = [kind(case) for case in kind.cases]
        if choices:
            found[f.key or f.name] = rng.choice(choices)
        elif not f.optional:
            return None
    return found


def standalone(cls: Any) -> bool:
    """Whether an operation of the class may stand in a module."""
    return not cls.has_trait(HasParent) and not cls.has_trait(Terminator)
