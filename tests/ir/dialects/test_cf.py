"""cf: operands of successors."""

from __future__ import annotations

import pytest
from refusal import accepted, refusal

from kt.ir.dialects import cf

REFUSED = [
    (
        ("cf.br ^x(%f : f32)\n^x(%y: f16):\n  cf.br ^z\n^z:"),
        (
            "'cf.br' op type mismatch for bb argument #0 of successor #0: 'f32' passed, "
            "'f16' expected"
        ),
    ),
    (
        ("cf.cond_br %c, ^x, ^x\n^x(%y: f16):\n cf.br ^z\n^z:"),
        "'cf.cond_br' op branch has 0 operands for successor #0, but target block has 1",
    ),
    (
        ("cf.cond_br %c weights([1]), ^x, ^x\n^x:"),
        "'cf.cond_br' op number of weights (1) does not match the number of successors (2)",
    ),
]


@pytest.mark.parametrize(("body", "message"), REFUSED, ids=range(len(REFUSED)))
def test_refused(body, message):
    assert refusal(body) == message


BRANCHES = """cf.cond_br %c, ^x(%f, %i : f32, index), ^y(%a : i32)
^x(%p: f32, %q: index):
  cf.switch %a : i32, [
    default: ^y(%a : i32),
    7: ^x(%f, %n : f32, index),
    -1: ^y(%a : i32)
  ]
^y(%z: i32):"""


def test_operands_of_each_successor():
    module = accepted(BRANCHES)
    (branch,) = module.walk_type(cf.CondBranchOp)
    assert [v.type for v in branch.successor_operands(0)] == [v.type for v in branch.operands[1:3]]
    assert branch.successor_operands(1) == branch.operands[3:]
    (switch,) = module.walk_type(cf.SwitchOp)
    assert switch.cases == (7, -1)
    assert [len(switch.successor_operands(i)) for i in range(3)] == [1, 2, 1]


def test_erasing_an_operand_keeps_the_others():
    module = accepted(BRANCHES)
    (switch,) = module.walk_type(cf.SwitchOp)
    _, n = switch.successor_operands(1)
    switch.erase_successor_operand(1, 0)
    assert [len(switch.successor_operands(i)) for i in range(3)] == [1, 1, 1]
    assert switch.successor_operands(1) == (n,)
    (branch,) = module.walk_type(cf.CondBranchOp)
    branch.erase_successor_operand(0, 0)
    assert len(branch.successor_operands(0)) == 1 and len(branch.successor_operands(1)) == 1
