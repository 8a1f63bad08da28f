"""Pipelines: text, options, instruments, and what happens when a pass breaks."""

from __future__ import annotations

import io
from typing import Literal

import pytest
from attrs import frozen

from kt.ir.attributes import IntegerAttr
from kt.ir.builder import Builder
from kt.ir.core import Block, Operation, Region, UnregisteredOp
from kt.ir.diagnostics import InternalError, PassError, VerifyError
from kt.ir.dialects import arith, func
from kt.ir.opdef import region
from kt.ir.traits import NoTerminator, SymbolTable
from kt.ir.types import i32, i64, index
from kt.passes import registry
from kt.passes.manager import (
    Pass,
    PassManager,
    PrintIR,
    Snapshots,
    Timing,
    list_passes,
    lookup_pass,
    make_pass,
    parse_pipeline,
    pass_names,
    passes_from_flags,
)


class Module(Operation):
    name = "pm.module"
    traits = (NoTerminator(), SymbolTable())
    inside = region(single_block=True)


@frozen
class Mark(Pass):
    """Count itself on the op.

    More words.
    """

    name = "pm-mark"
    amount: int = 1
    loud: bool = False
    label: str = "x"
    sizes: tuple[int, ...] = ()
    mode: Literal["fast", "small"] = "fast"
    limit: int | None = None

    def run(self, module, ctx):
        old = module.attributes.get("mark")
        total = self.amount + (old.value if old is not None else 0)
        module.attributes["mark"] = IntegerAttr(total, i64)
        ctx.stat("marked", self.amount)
        if self.loud:
            ctx.remark("marked", module.location)


@frozen
class Twice(Pass):
    """Run another pass twice."""

    name = "pm-twice"

    def run(self, module, ctx):
        ctx.run([Mark(), Mark(amount=2)], module)


@frozen
class Crash(Pass):
    """Break."""

    name = "pm-crash"
    how: str = "python"

    def run(self, module, ctx):
        if self.how == "refuse":
            raise PassError("can't", hint="do something else")
        if self.how == "invalid":
            b = Builder.at_end(module.body)
            b.insert(arith.AddIOp([b.constant(1, i32), b.constant(1, i64)], [i32]))
        if self.how == "python":
            raise KeyError("oops")


@pytest.fixture(autouse=True)
def known(monkeypatch):
    for cls in (Mark, Twice, Crash):
        monkeypatch.setitem(registry.PASSES, cls.name, cls)


@pytest.fixture
def module():
    return Module.build(regions=[Region([Block()])])


def mark(op):
    return op.attributes["mark"].value


def test_options_from_text():
    made = make_pass("pm-mark", 'amount=3 loud label="a b" sizes=1,2 mode=small limit=9')
    assert made == Mark(3, True, "a b", (1, 2), "small", 9)
    assert str(made) == 'pm-mark{amount=3 loud=true label="a b" sizes=1,2 mode=small limit=9}'
    assert parse_pipeline(str(made)) == (made,)
    assert str(make_pass("pm-mark")) == "pm-mark"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("amount=x", "option 'amount' of pass 'pm-mark' needs an integer, but got 'x'"),
        ("loud=maybe", "option 'loud' of pass 'pm-mark' needs true or false, but got 'maybe'"),
        ("colour=1", "pass 'pm-mark' has no option 'colour'"),
        ("=", "options of pass 'pm-mark': can't read '='"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(PassError) as info:
        make_pass("pm-mark", options)
    assert info.value.message == message


def test_pipeline_text():
    items = parse_pipeline(
        "builtin.module( pm-mark{amount=2}, func.func(pm-mark,pm-twice) ,pm-mark)"
    )
    assert [str(i) for i in items] == [
        "pm-mark{amount=2}",
        "func.func(pm-mark,pm-twice)",
        "pm-mark",
    ]
    assert parse_pipeline("") == ()
    manager = PassManager("pm-mark,func.func(pm-twice)")
    assert str(manager) == "builtin.module(pm-mark,func.func(pm-twice))"


@pytest.mark.parametrize(
    "text", ["pm-mark{", "func.func(pm-mark", "pm-mark pm-mark", ",", "(", "pm-mark)"]
)
def test_bad_pipelines(text):
    with pytest.raises(PassError, match="in pipeline at character"):
        parse_pipeline(text)


def test_flags():
    items = passes_from_flags(
        ["--pm-mark", "-pm-mark=amount=4 loud=true", "--pass-pipeline=pm-twice"]
    )
    assert items == (Mark(), Mark(4, True), Twice())


def test_unknown_pass_suggests_a_name():
    with pytest.raises(PassError) as info:
        lookup_pass("canonicalise")
    assert info.value.message == "no pass is called 'canonicalise'"
    assert info.value.hint == "did you mean 'canonicalize'?"


def test_passes_are_found_by_file_name():
    assert lookup_pass("loop-invariant-code-motion").name == "loop-invariant-code-motion"
    assert {"canonicalize", "cse", "dce"} <= set(pass_names())
    classes = list_passes()
    assert all(c.summary() for c in classes)
    assert [c.name for c in classes] == sorted(c.name for c in classes)


def test_run_in_order_with_remarks_and_statistics(module):
    ctx = PassManager([Mark(), "pm-mark{amount=5 loud}"]).run(module)
    assert mark(module) == 6
    assert ctx.statistics == {("pm-mark", "marked"): 6}
    assert [d.message for d in ctx.remarks] == ["marked"]


def test_nested_passes_see_every_function_once(module):
    functions = [func.FuncOp.of(name) for name in "fg"]
    for function in functions:
        Builder.at_end(function.entry).create(func.ReturnOp)
        module.body.append(function)
    PassManager("builtin.module(func.func(pm-mark,pm-mark{amount=10}))").run(module)
    assert [mark(f) for f in functions] == [11, 11]
    assert not module.attributes


def test_snapshots_of_nested_passes(module):
    snapshots = Snapshots()
    PassManager([Mark(), Twice()], instruments=[snapshots]).run(module)
    found = [(s.number, s.text, s.depth) for s in snapshots.snapshots]
    assert found == [
        (0, "input", 0),
        (1, "pm-mark", 0),
        (2, "pm-mark", 1),
        (3, "pm-mark{amount=2}", 1),
        (4, "pm-twice", 0),
    ]
    assert [mark(s.module) for s in snapshots.snapshots[1:]] == [1, 2, 4, 4]
    assert "mark" not in snapshots.snapshots[0].module.attributes
    module.attributes["mark"] = IntegerAttr(99, i64)
    assert mark(snapshots.snapshots[4].module) == 4


def test_snapshots_keep_the_rules_that_fired(module):
    b = Builder.at_end(module.body)
    total = b.create(arith.AddIOp, b.constant(1, index), b.constant(2, index))
    b.insert(UnregisteredOp.make("pm.use", total.results))
    snapshots = Snapshots()
    PassManager("canonicalize,pm-mark", instruments=[snapshots]).run(module)
    fired = [[rule for rule, _ in s.fired] for s in snapshots.snapshots]
    assert fired == [[], ["fold arith.addi", "dead", "dead"], []]


def test_timing_and_printing(module, monkeypatch):
    out = io.StringIO()
    timing = Timing()
    printer = PrintIR(after_names=None, out=out)
    monkeypatch.setattr(Module, "__str__", lambda self: f"module {len(self.attributes)}")
    PassManager([Mark(), Twice()], instruments=[timing, printer]).run(module)
    assert timing.runs == {"pm-mark": 3, "pm-twice": 1}
    assert timing.seconds["pm-twice"] > 0 and timing.verify_seconds > 0
    assert "pm-twice" in timing.report()
    heads = [line for line in out.getvalue().splitlines() if line.startswith("//")]
    assert heads[0] == "// -----// IR Dump After pm-mark //----- //"
    assert len(heads) == 4


def test_refusals_pass_through(module):
    with pytest.raises(PassError, match="can't"):
        PassManager([Crash("refuse")]).run(module)


def test_a_crash_names_the_pass_and_keeps_the_input(module):
    snapshots = Snapshots()
    manager = PassManager([Mark(), Crash()], keep_input=True, instruments=[snapshots])
    with pytest.raises(InternalError) as info:
        manager.run(module)
    assert info.value.message == "pass 'pm-crash' failed: KeyError: 'oops'"
    failure = info.value.details
    assert (failure.pass_name, failure.pass_number) == ("pm-crash", 2)
    assert failure.pipeline == "builtin.module(pm-mark,pm-crash)"
    assert "mark" not in failure.module.attributes
    command, _, text = info.value.reproducer.partition("\n")
    assert command == "// kt opt --pass-pipeline='builtin.module(pm-mark,pm-crash)'"
    assert text == str(failure.module)
    assert [s.name for s in snapshots.snapshots] == ["input", "pm-mark"]


def test_invalid_results_are_the_fault_of_the_pass(module):
    with pytest.raises(InternalError, match="pass 'pm-crash' made invalid IR") as info:
        PassManager([Crash("invalid")]).run(module)
    assert info.value.details.pass_name == "pm-crash"
    PassManager([Crash("invalid")], verify_each=False).run(
        Module.build(regions=[Region([Block()])])
    )


def test_invalid_input_is_refused(module):
    Crash("invalid").run(module, None)
    with pytest.raises(VerifyError):
        PassManager([Mark()]).run(module)
    assert not module.attributes


def test_context_survives_a_failure(module):
    from kt.passes.manager import PassContext

    ctx = PassContext()
    timing = Timing()
    with pytest.raises(InternalError):
        PassManager([Crash()], instruments=[timing]).run(module, ctx)
    assert ctx.instruments == [] and ctx.running == []
