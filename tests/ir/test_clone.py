"""Deep copies: equal in structure, sharing nothing that can change."""

from __future__ import annotations

from kt.ir import types as t
from kt.ir.attributes import IntegerAttr
from kt.ir.clone import clone_ops, clone_region
from kt.ir.core import Block, Operation, Region, UnregisteredOp
from kt.ir.verifier import verify
from kt.parse import parse_text

TEXT = """
func.func @f(%c: i1, %x: index) -> index attributes {note = 1 : i64} {
  %0 = arith.addi %x, %x {tag = "a"} : index
  %1 = scf.if %c -> (index) {
    %2 = arith.muli %0, %x : index
    scf.yield %2 : index
  } else {
    scf.yield %0 : index
  }
  cf.br ^next(%1 : index)
^next(%n: index):
  cf.cond_br %c, ^next(%0 : index), ^end
^end:
  return %n : index
}
"""


def test_a_copy_is_equal_and_apart():
    module = parse_text(TEXT)
    before = str(module)
    copy = module.clone()
    verify(copy)
    assert str(copy) == before
    originals = set(module.walk())
    for op in copy.walk():
        assert op not in originals
        assert all(v.owner not in originals for v in op.operands)
        op.attributes["changed"] = IntegerAttr(1, t.i64)
    function = next(copy.body.ops)
    function.properties.clear()
    assert str(module) == before
    verify(module)


def test_outside_values_are_shared_or_replaced():
    source, other = (UnregisteredOp.make("c.v", (), [t.i32]) for _ in range(2))
    user = UnregisteredOp.make("c.u", source.results, [t.i32])
    copy = user.clone()
    assert copy.operands == source.results and source.results[0].num_uses == 2
    mapping = {source.results[0]: other.results[0]}
    replaced = user.clone(mapping)
    assert replaced.operands == other.results
    assert mapping[user.results[0]] is replaced.results[0]
    assert copy.name == "c.u"


def test_forward_uses_and_groups():
    first, second = (UnregisteredOp.make("c.x", (), [t.i32]) for _ in range(2))
    first.operands = second.results
    second.operands = first.results
    a, b = clone_ops([first, second], {})
    assert a.operands == b.results and b.operands == a.results
    assert first.operands == second.results and first.results[0].num_uses == 1


def test_regions():
    block = Block([t.i32])
    block.append(UnregisteredOp.make("c.u", block.arguments))
    block.arguments[0].name_hint = "named"
    region = Region([block])
    copy = clone_region(region)
    (argument,) = copy.block.arguments
    assert argument.name_hint == "named" and argument.num_uses == 1
    assert argument is not block.arguments[0] and block.arguments[0].num_uses == 1


def test_depth_is_no_limit():
    op: Operation = UnregisteredOp.make("c.leaf")
    for _ in range(3000):
        op = UnregisteredOp.make("c.nest", regions=[Region([Block(ops=[op])])])
    assert sum(1 for _ in op.clone().walk()) == 3001


def test_copies_keep_successors_inside():
    module = parse_text(TEXT)
    function = next(module.body.ops)
    blocks = set(function.regions[0].blocks)
    copy = function.clone()
    for op in copy.walk():
        assert not blocks & set(op.successors)
