"""Builders, walks and moves: the places where ops end up."""

from __future__ import annotations

import pytest

from kt.ir import types as t
from kt.ir.attributes import FloatAttr, IntegerAttr
from kt.ir.builder import Builder
from kt.ir.core import Block, Region, UnregisteredOp
from kt.ir.diagnostics import FileLoc
from kt.ir.dialects import arith, scf


def op(name, **parts):
    return UnregisteredOp.make(f"b.{name}", **parts)


def names(block):
    return [o.name.removeprefix("b.") for o in block.ops]


def test_places():
    block = Block()
    Builder.at_end(block).insert(op("m"))
    Builder.at_end(block).insert(op("z"))
    start = Builder.at_start(block)
    start.insert(op("a"))
    start.insert(op("b"))
    middle = block.last_op.prev_op
    Builder.before(middle).insert(op("l"))
    after = Builder.after(middle)
    after.insert(op("n"))
    after.insert(op("o"))
    assert names(block) == ["a", "b", "l", "m", "n", "o", "z"]
    with pytest.raises(ValueError, match="no insertion point"):
        Builder(None).insert(op("x"))


def test_locations_come_from_the_neighbour_or_the_builder():
    place, other = FileLoc.at("a", 1, 2), FileLoc.at("b", 3, 4)
    block = Block()
    first = op("a", location=place)
    block.append(first)
    assert Builder.after(first).constant(1).op.location is place
    assert Builder.before(first, other).constant(1).op.location is other
    builder = Builder.at_end(block, other)
    assert builder.create(arith.ConstantOp, value=IntegerAttr(1, t.i8)).location is other
    assert (
        builder.create(arith.ConstantOp, value=IntegerAttr(1, t.i8), location=place).location
        is place
    )


def test_constants():
    b = Builder.at_end(Block())
    assert b.constant(3).type is t.index
    assert b.constant(3, t.i8).op.value is IntegerAttr(3, t.i8)
    assert b.constant(3, t.f16).op.value is FloatAttr.of(3.0, t.f16)
    assert b.constant(IntegerAttr(3, t.i8)).type is t.i8


def test_regions():
    b = Builder.at_end(Block())
    low, step = b.constant(0), b.constant(1)
    region, inside = b.region(t.index)
    inside.create(scf.YieldOp)
    loop = b.create(scf.ForOp, low, low, step, regions=[region])
    assert loop.body.arguments[0].type is t.index and inside.block is loop.body


def nest(depth, width):
    inside = [
        op(f"{depth}{i}", regions=[Region([nest(depth - 1, width)])] if depth else [])
        for i in range(width)
    ]
    return Block(ops=inside)


def test_walks():
    root = op("r", regions=[Region([nest(1, 2)]), Region(), Region([Block(), nest(0, 1)])])
    assert [o.name[2:] for o in root.walk()] == ["r", "10", "00", "01", "11", "00", "01", "00"]
    post = [o.name[2:] for o in root.walk(post_order=True)]
    assert post == ["00", "01", "10", "00", "01", "11", "00", "r"]


def test_walk_while_erasing_and_moving():
    root = op("r", regions=[Region([nest(1, 3)])])
    seen = []
    for o in root.walk():
        seen.append(o.name[2:])
        if o.name == "b.11":
            o.erase()
        elif o.name == "b.02":
            o.detach()
    assert seen == ["r", "10", "00", "01", "02", "11", "12", "00", "01", "02"]
    assert names(root.body) == ["10", "12"]


def test_erasing_a_used_op_is_refused():
    block = Block()
    b = Builder.at_end(block)
    one = b.constant(1)
    b.create(arith.AddIOp, one, one)
    with pytest.raises(ValueError, match="erased while its result is used"):
        one.op.erase()
