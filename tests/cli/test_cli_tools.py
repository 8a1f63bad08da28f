"""Plug-ins, completion, reduction."""

from __future__ import annotations

import sys

import pytest

from kt.cli.completion import SCRIPTS, candidates

PLUGIN = '''
from attrs import frozen
from kt.ir.core import Operation, OpResult, Value
from kt.ir.opdef import operand, result
from kt.ir.traits import Pure, SameOperandsAndResultType
from kt.passes.base import Pass
from kt.plugins import register_dialect, register_pass, register_pattern

register_dialect("NAME")

class NegOp(Operation):
    """Minus."""
    name = "NAME.neg"
    traits = (Pure(), SameOperandsAndResultType())
    assembly_format = "$input attr-dict `:` type($result)"
    input: Value = operand()
    result: OpResult = result()

@register_pattern(NegOp)
def double_neg(op, rw):
    inner = op.input.defining_op
    if inner is None or inner.name != "NAME.neg":
        return False
    rw.replace(op, inner.input)
    return True

@register_pass
@frozen
class NAMECount(Pass):
    """Puts the number of negations on the module."""
    name = "NAME-count"
    def run(self, module, ctx):
        from kt.ir.attributes import IntegerAttr
        from kt.ir.types import i64
        n = sum(1 for op in module.walk() if op.name == "NAME.neg")
        module.attributes["negations"] = IntegerAttr(n, i64)
'''
TWICE = """\
func.func @f(%a: i32) -> i32 {
  %0 = NAME.neg %a : i32
  %1 = NAME.neg %0 : i32
  return %1 : i32
}
"""


@pytest.fixture
def plugin(tmp_path):
    """A plug-in whose dialect no other test uses."""

    def make(name):
        path = tmp_path / f"{name}.py"
        path.write_text(PLUGIN.replace("NAME", name))
        return path, TWICE.replace("NAME", name)

    return make


def test_a_plug_in_brings_dialect_pass_and_pattern(kt, plugin):
    path, text = plugin("tpone")
    count = kt("opt", "-", "--load", path, "--tpone-count", stdin=text)
    assert "negations = 2 : i64" in count.out
    assert "tpone.neg %0" in count.out
    done = kt("opt", "-", f"--load={path}", "--canonicalize", stdin=text)
    assert "tpone.neg" not in done.out


def test_a_broken_plug_in_is_refused_with_its_line(kt, tmp_path):
    path = tmp_path / "broken.py"
    path.write_text("x = 1\ny = x / 0\n")
    done = kt("opt", "-", "--load", path, stdin="module {}")
    assert done.code == 1
    assert "broken.py:2" in done.err
    assert "ZeroDivisionError" in done.err


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (["opt", "--load"], 2, "--load needs a Python file"),
        (["opt", "--load", "nowhere.py"], 1, "no such Python file"),
    ],
)
def test_refusals(kt, arguments, code, text):
    done = kt(*arguments)
    assert done.code == code
    assert text in done.err


def test_kt_s_own_dialects_can_not_be_replaced():
    from kt.ir.diagnostics import KtError
    from kt.plugins import register_dialect

    with pytest.raises(KtError, match="itself"):
        register_dialect("arith", "somewhere")


@pytest.mark.parametrize("shell", sorted(SCRIPTS))
def test_scripts_call_kt(kt, shell):
    assert "kt __complete" in kt("completion", shell).out


@pytest.mark.parametrize(
    ("words", "some"),
    [
        (["d"], {"diff", "device", "dump"}),
        (["diff", "x.mlir", "--device", ""], {"toy", "spyre"}),
        (["diff", "x.mlir", "--si"], {"--side-by-side"}),
        (["opt", "--canon"], {"--canonicalize"}),
        (["diff", "x.mlir", "--color", "n"], {"never"}),
        (["device", "t"], {"toy"}),
        (["completion", "z"], {"zsh"}),
    ],
)
def test_candidates(words, some):
    found = candidates(words)
    assert some <= set(found)
    assert all(w.startswith(words[-1]) for w in found)


def test_files_are_left_to_the_shell():
    assert candidates(["diff", "x"]) == []
    assert candidates(["nothing", "x"]) == []


def test_reduce(kt, tmp_path):
    """The smallest file on which a script still finds a division."""
    script = tmp_path / "has.py"
    script.write_text("import sys\nsys.exit(3 if 'arith.divf' in open(sys.argv[1]).read() else 0)\n")
    (tmp_path / "a.mlir").write_text(
        "func.func @f(%a: f32) -> f32 {\n  %0 = arith.addf %a, %a : f32\n"
        "  %1 = arith.divf %0, %a : f32\n  return %1 : f32\n}\n"
    )
    done = kt("reduce", "a.mlir", "--test", f"{sys.executable} {script} {{}}", "-o", "b.mlir")
    assert done.code == 0
    text = (tmp_path / "b.mlir").read_text()
    assert "arith.divf" in text
    assert "arith.addf" not in text


def test_reduce_refuses_text_that_is_not_printed(kt, tmp_path):
    (tmp_path / "a.mlir").write_text("module {}\n")
    done = kt("reduce", "a.mlir", "--test", f"{sys.executable} -c pass", "--match", "boom")
    assert done.code == 1
    assert "doesn't print 'boom'" in done.err
