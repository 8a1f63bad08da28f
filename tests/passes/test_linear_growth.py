"""Work of every pass grows no faster than the kernel: function calls are counted, not seconds."""

from __future__ import annotations

import sys

from attrs import define, field

import kt
from kt.passes.instruments import Instrument
from kt.passes.manager import PassContext, PassManager
from kt.passes.pipelines import pipeline

SHORT = 24
BOX = "affine_set<(i, j) : (i >= 0, -i + 15 >= 0, j >= 0, -j + 63 >= 0)>"


def chain(count: int, inputs: int = 1) -> str:
    """A kernel of ``count`` elementwise ops in a row; operands alternate between ``inputs`` tiles."""
    names = ", ".join(f"%x{i}: index" for i in range(inputs))
    lines = [f"func.func @chain({names}, %out: index) attributes {{grid = [1]}} {{"]
    lines.append("  %c0 = arith.constant 0 : index")
    for name in (*(f"x{i}" for i in range(inputs)), "out"):
        lines.append(
            f"  %{name}v = ktdp.construct_memory_view %{name}, sizes: [16, 64], strides: [64, 1] "
            f"{{coordinate_set = {BOX}, memory_space = #ktdp.memory_space<global>}} : memref<16x64xf16>"
        )
        lines.append(
            f"  %{name}t = ktdp.construct_access_tile %{name}v[%c0, %c0] {{access_tile_set = {BOX}, "
            "access_tile_order = affine_map<(i, j) -> (i, j)>} : memref<16x64xf16> "
            "-> !ktdp.access_tile<16x64xindex>"
        )
    loaded = "!ktdp.access_tile<16x64xindex> -> tensor<16x64xf16>"
    lines.extend(f"  %a{i} = ktdp.load %x{i}t : {loaded}" for i in range(inputs))
    last = "%a0"
    for i in range(count):
        op = ("arith.addf", "arith.mulf", "arith.maximumf")[i % 3]
        lines.append(f"  %v{i} = {op} {last}, %a{i % inputs} : tensor<16x64xf16>")
        last = f"%v{i}"
    lines.append(f"  ktdp.store {last}, %outt : tensor<16x64xf16>, !ktdp.access_tile<16x64xindex>")
    return "\n".join([*lines, "  return", "}"])


@define(eq=False)
class Calls(Instrument):
    """Python calls per pass, the verifier behind it included."""

    counts: dict[str, int] = field(factory=dict)
    _now: int = 0

    def before(self, item, op, ctx):
        self._now = 0
        sys.setprofile(self._count)

    def after(self, item, op, ctx):
        sys.setprofile(None)
        self.counts[item.name] = self.counts.get(item.name, 0) + self._now

    def _count(self, frame, event, argument):
        self._now += event == "call"


def calls(count: int, inputs: int = 1) -> dict[str, int]:
    module, found = kt.parse(chain(count, inputs)), Calls()
    before = sys.getprofile()
    try:
        PassManager(pipeline(), instruments=[found]).run(module, PassContext(device=kt.device("toy")))
    finally:
        sys.setprofile(before)
    return found.counts


def too_much(short: dict[str, int], middle: dict[str, int], long: dict[str, int]) -> dict[str, tuple]:
    """Passes whose work grows more from the middle to the long kernel than twice what it did before."""
    return {
        name: (short[name], middle[name], long[name])
        for name in long
        if long[name] - middle[name] > 2.2 * max(0, middle[name] - short[name]) + 2000
    }


def test_no_pass_is_quadratic_in_a_chain():
    calls(SHORT)  # what is made once
    counts = [calls(n * SHORT) for n in (1, 2, 4)]
    assert too_much(*counts) == {}
    total = [sum(c.values()) for c in counts]
    assert total[2] - total[1] < 2.2 * (total[1] - total[0])


def test_fusion_adds_only_what_is_new():
    from kt.ir.dialects import linalg
    from kt.passes.frontend.rules.fusion import fuse_pointwise

    for count in (8, 80):
        module = kt.parse(chain(count, inputs=2))
        PassManager("ensure-device-declaration,normalize-ktir").run(module, PassContext(device=kt.device("toy")))
        function = next(op for op in module.walk() if op.name == "func.func")
        generics = [op for op in function.walk() if isinstance(op, linalg.GenericOp)]
        last = generics[-1]
        assert fuse_pointwise(function) == len(generics) - 1
        left = [op for op in function.walk() if isinstance(op, linalg.GenericOp)]
        assert left == [last], "the last op took all others in, it wasn't made again"
        assert len(last.inputs) == 2
        assert [op.name for op in last.body.ops].count("linalg.yield") == 1
        assert sum(op.name != "linalg.yield" for op in last.body.ops) == count
