"""Effects of ops, and what follows from them."""

from __future__ import annotations

import pytest

from kt.ir import effects
from kt.ir.core import Operation
from kt.parse import parse_text

BODY = """
func.func @f(%x: index, %y: index, %m: memref<4xindex>, %a: tensor<4xf32>, %b: memref<4xf32>, %c: i1) {
  %two = arith.constant 2 : index
  %zero = arith.constant 0 : index
  %minus = arith.constant -1 : index
  %add = arith.addi %x, %y : index
  %load = memref.load %m[%x] : memref<4xindex>
  memref.store %x, %m[%y] : memref<4xindex>
  %alloc = memref.alloc() : memref<4xf32>
  %div = arith.divsi %x, %y : index
  %div_two = arith.divsi %x, %two : index
  %div_minus = arith.divsi %x, %minus : index
  %divui_minus = arith.divui %x, %minus : index
  %rem_zero = arith.remsi %x, %zero : index
  %pure_if = scf.if %c -> (index) {
    %1 = arith.addi %x, %y : index
    scf.yield %1 : index
  } else {
    scf.yield %x : index
  }
  scf.if %c {
    %1 = memref.load %m[%x] : memref<4xindex>
    "t.unknown"(%1) {tag = "unknown_if"} : (index) -> ()
  } {tag = "odd_if"}
  scf.if %c {
    memref.store %x, %m[%y] : memref<4xindex>
  } {tag = "store_if"}
  %on_tensors = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>],
      iterator_types = ["parallel"]} outs(%a : tensor<4xf32>) {
  ^bb0(%o: f32):
    linalg.yield %o : f32
  } -> tensor<4xf32>
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"],
      tag = "on_memrefs"} outs(%b : memref<4xf32>) {
  ^bb0(%o: f32):
    linalg.yield %o : f32
  }
  return
}
"""


@pytest.fixture(scope="module")
def ops() -> dict[str, Operation]:
    found: dict[str, Operation] = {}
    for op in parse_text(BODY).walk():
        tag = op.attr("tag")
        name = tag.value if tag is not None else op.results[0].name_hint if op.results else op.name
        found.setdefault(name or op.name, op)
    return found


def test_effects(ops):
    expected = {
        "add": set(), "load": {"read"}, "memref.store": {"write"}, "alloc": {"alloc"}, "div": set(),
        "pure_if": set(), "odd_if": None, "store_if": {"write"}, "unknown_if": None,
        "on_tensors": set(), "on_memrefs": {"read", "write"}, "func.func": None,
    }  # fmt: skip
    assert {name: effects.effects(ops[name]) for name in expected} == expected


def test_speculation(ops):
    expected = {
        "add": True, "div": False, "div_two": True, "div_minus": False, "divui_minus": True,
        "rem_zero": False, "pure_if": True, "two": True,
    }  # fmt: skip
    assert {name: effects.is_pure(ops[name]) for name in expected} == expected


def test_what_may_go_when_unused(ops):
    goes = {n for n, op in ops.items() if effects.erasable_when_unused(op)}
    assert {"add", "load", "alloc", "div", "rem_zero", "pure_if", "on_tensors", "two"} <= goes
    assert not goes & {
        "memref.store",
        "odd_if",
        "store_if",
        "func.return",
        "on_memrefs",
        "unknown_if",
    }
    assert effects.is_dead(ops["add"]) and not effects.is_dead(ops["two"])
