"""Dominator trees against the definition: a dominates b if every path to b goes through a."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kt.ir import types as t
from kt.ir.core import Block, Region, UnregisteredOp
from kt.ir.dominance import DominanceInfo, DominatorTree


def region_of(edges, count):
    blocks = [Block() for _ in range(count)]
    for i, block in enumerate(blocks):
        targets = [blocks[b] for a, b in edges if a == i]
        block.append(UnregisteredOp.make("t.jump", successors=targets))
    return Region(blocks), blocks


def reached(edges, start, without):
    seen, todo = set(), [start] if start != without else []
    while todo:
        at = todo.pop()
        if at not in seen:
            seen.add(at)
            todo += [b for a, b in edges if a == at and b != without]
    return seen


@given(st.integers(1, 8), st.data())
def test_tree_matches_definition(count, data):
    node = st.integers(0, count - 1)
    edges = sorted(data.draw(st.sets(st.tuples(node, node), max_size=20)))
    region, blocks = region_of(edges, count)
    tree = DominatorTree(region)
    reachable = reached(edges, 0, None)
    for a in range(count):
        assert tree.is_reachable(blocks[a]) == (a in reachable)
        avoiding = reached(edges, 0, a)
        for b in reachable:
            expected = a == b or (a in reachable and b not in avoiding)
            assert tree.dominates(blocks[a], blocks[b]) == expected


def test_order_in_a_block_survives_changes():
    block = Block()
    ops = [UnregisteredOp.make(f"t.{i}") for i in range(5)]
    for op in ops:
        block.append(op)
    assert ops[0].is_before_in_block(ops[4]) and not ops[4].is_before_in_block(ops[0])
    ops[4].move_before(ops[1])
    order = [op.name for op in block.ops]
    assert order == ["t.0", "t.4", "t.1", "t.2", "t.3"]
    for _ in range(40):
        extra = UnregisteredOp.make("t.x")
        block.insert_after(extra, ops[0])
        assert ops[0].is_before_in_block(extra) and extra.is_before_in_block(ops[4])
    assert not ops[0].is_before_in_block(ops[0])


def test_values_across_regions():
    outer = UnregisteredOp.make("t.a", (), [t.i32])
    inner = UnregisteredOp.make("t.b", (), [t.i32])
    holder = UnregisteredOp.make("t.c", regions=[Region([Block(ops=[inner])])])
    after = UnregisteredOp.make("t.d")
    Region([Block([t.i32], [outer, holder, after])])
    info = DominanceInfo()
    assert info.properly_dominates(outer.results[0], inner)
    assert info.properly_dominates(outer, after)
    assert info.properly_dominates(outer.parent.arguments[0], inner)
    assert not info.properly_dominates(inner.results[0], after)
    assert not info.properly_dominates(after, outer)
    assert not info.properly_dominates(outer, outer)
