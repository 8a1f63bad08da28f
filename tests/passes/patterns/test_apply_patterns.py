"""The pass ktdfarch-apply-patterns: what matches, what is made of it, order, limits, messages."""

from __future__ import annotations

from pathlib import Path

import pytest

from kt.arch import load_device
from kt.ir.diagnostics import DeviceError, KtError, PassError
from kt.ir.verifier import verify
from kt.parse import parse_path, parse_text
from kt.passes.manager import PassContext, PassManager

CORPUS = Path(__file__).parents[2] / "corpus" / "pdl"
DEVICE = (
    'ktdf_arch.device @d { %m = memory {kind = "M", size = 64}\n patterns ["g"] { PATTERNS } }\n'
)
X, T = "%x = operand : %t\n", "%t = type\n"


def applied(patterns: str, body: str, groups: str = "g") -> tuple[list[str], PassContext]:
    """Names of the ops in the function after the pass, and the context."""
    module = parse_text(DEVICE.replace("PATTERNS", patterns) + body)
    verify(module)
    context = PassContext()
    PassManager(f"ktdfarch-apply-patterns{{groups={groups}}}").run(module, context)
    (function,) = [op for op in module.body.ops if op.name == "func.func" and op.regions[0].blocks]
    return [op.name for op in function.walk()][1:-1], context


def pattern(text: str, benefit: int = 1) -> str:
    return f"pdl.pattern : benefit({benefit}) {{\n{text}\n}}\n"


def unary(old: str, new: str, benefit: int = 1, extra: str = "") -> str:
    """old(x) -> new(x)."""
    return pattern(
        f'{T}{X}%r = operation "{old}"(%x : !pdl.value) -> (%t : !pdl.type)\n{extra}\n'
        f'rewrite %r {{ %n = operation "{new}"(%x : !pdl.value) -> (%t : !pdl.type)\n replace %r with %n }}',
        benefit,
    )


ABS = "func.func @f(%x: f32) -> f32 { %y = math.absf %x : f32\n return %y : f32 }"


def test_fusion_of_the_spec() -> None:
    module = parse_path(CORPUS / "fusion.mlir")
    PassManager("ktdfarch-apply-patterns").run(module, PassContext())
    text = str(module)
    assert "math.fma %arg0, %arg1, %arg2 : f16" in text
    assert text.count("arith.mulf %") == 1, "the product that is bound to a unit stays"
    assert "arith.constant 1" not in text, "x * 1.0 is x"


@pytest.mark.parametrize(
    ("name", "group", "there"),
    [
        ("intrinsic", "pre_scheduling", 'ktdf.opaque "GELU16"'),
        ("reduction", "post_scheduling", 'ktdf.opaque "LANE_REDUCE"'),
        ("ranges", "post_lowering", "call @exp_table(%arg0, %arg1) : (f16, i32) -> (f16, i1)"),
    ],
)
def test_examples_of_the_spec_only_in_their_group(name: str, group: str, there: str) -> None:
    for groups, expected in ((group, True), ("another", False)):
        module = parse_path(CORPUS / f"{name}.mlir")
        PassManager(f"ktdfarch-apply-patterns{{groups={groups}}}").run(module, PassContext())
        verify(module)
        assert (there in str(module)) is expected


def test_higher_benefit_first_then_textual_order() -> None:
    rules = unary("math.absf", "math.exp") + unary("math.absf", "math.sin", 2)
    assert applied(rules + unary("math.absf", "math.cos", 2), ABS)[0] == ["math.sin"]


def test_statistics_name_op_and_line() -> None:
    _, context = applied(unary("math.absf", "math.sin"), ABS)
    assert list(context.statistics.values()) == [1]
    ((_, rule),) = context.statistics
    assert rule == "math.absf (<string>:2)"


def test_output_of_a_pattern_is_matched_again() -> None:
    assert applied(unary("math.absf", "math.sin") + unary("math.sin", "math.cos"), ABS)[0] == [
        "math.cos"
    ]


def test_patterns_that_undo_each_other_are_an_error() -> None:
    with pytest.raises(PassError, match="don't come to rest: 'math"):
        applied(unary("math.absf", "math.sin") + unary("math.sin", "math.absf"), ABS)


def test_same_handle_means_same_value() -> None:
    rule = pattern(
        f'{T}{X}%r = operation "arith.addf"(%x, %x : !pdl.value, !pdl.value) -> (%t : !pdl.type)\n'
        'rewrite %r { %n = operation "math.absf"(%x : !pdl.value) -> (%t : !pdl.type)\n replace %r with %n }'
    )
    body = "func.func @f(%x: f32, %y: f32) -> (f32, f32) {{ %a = arith.addf %x, {0} : f32\n return %a, %y : f32, f32 }}"
    assert applied(rule, body.format("%x"))[0] == ["math.absf"]
    assert applied(rule, body.format("%y"))[0] == ["arith.addf"]


def test_omitted_operands_match_only_ops_without_operands() -> None:
    rule = pattern(f'{T}%r = operation "math.absf" -> (%t : !pdl.type)\nrewrite %r {{ erase %r }}')
    assert applied(rule, ABS)[0] == ["math.absf"]


def test_type_constants_and_one_of() -> None:
    only = '%ts = attribute = [f16, bf16]\napply_native_constraint "kt.one_of"(%t, %ts : !pdl.type, !pdl.attribute)'
    rule = unary("math.absf", "math.sin", extra=only)
    assert applied(rule, ABS)[0] == ["math.absf"]
    assert applied(rule, ABS.replace("f32", "f16"))[0] == ["math.sin"]
    assert applied(
        rule.replace(
            ": !pdl.type, !pdl.attribute)", ": !pdl.type, !pdl.attribute) {isNegated = true}"
        ),
        ABS,
    )[0] == ["math.sin"]


def test_result_of_an_inner_op_and_replacement_by_values() -> None:
    rule = pattern(
        f'{T}{X}%in = operation "arith.negf"(%x : !pdl.value) -> (%t : !pdl.type)\n%v = result 0 of %in\n'
        '%r = operation "arith.negf"(%v : !pdl.value) -> (%t : !pdl.type)\n'
        "rewrite %r { replace %r with (%x : !pdl.value) }"
    )
    body = "func.func @f(%x: f32) -> f32 { %a = arith.negf %x : f32\n %b = arith.negf %a : f32\n return %b : f32 }"
    assert applied(rule, body)[0] == [], "the inner op is dead then"


def test_upwards_from_a_value_to_its_user() -> None:
    """The root lies below another op of the pattern, so all users of its result are tried."""
    rule = pattern(
        f'{T}{X}%r = operation "math.absf"(%x : !pdl.value) -> (%t : !pdl.type)\n%v = result 0 of %r\n'
        '%up = operation "math.sqrt"(%v : !pdl.value) -> (%t : !pdl.type)\n'
        'rewrite %r { %n = operation "math.exp"(%x : !pdl.value) -> (%t : !pdl.type)\n replace %up with %n }'
    )
    body = (
        "func.func @f(%x: f32) -> (f32, f32) { %a = math.absf %x : f32\n %s = math.sin %a : f32\n"
        " %b = math.sqrt %a : f32\n return %s, %b : f32, f32 }"
    )
    assert sorted(applied(rule, body)[0]) == ["math.absf", "math.exp", "math.sin"]


def test_attribute_is_matched_by_value_and_kept() -> None:
    rule = pattern(
        f'{T}%a = attribute = 2.0 : f32\n%r = operation "arith.constant" {{"value" = %a}} -> (%t : !pdl.type)\n'
        '%v = result 0 of %r\n%x = operand\n%m = operation "arith.mulf"(%x, %v : !pdl.value, !pdl.value) -> (%t : !pdl.type)\n'
        'rewrite %m { %n = operation "arith.addf"(%x, %x : !pdl.value, !pdl.value) {"tag" = %a}\n replace %m with %n }'
    )
    body = "func.func @f(%x: f32) -> f32 {{ %c = arith.constant {0} : f32\n %y = arith.mulf %x, %c : f32\n return %y : f32 }}"
    assert applied(rule, body.format("2.0"))[0] == ["arith.addf"]
    assert "arith.mulf" in applied(rule, body.format("3.0"))[0]


def test_wrong_replacements_say_where() -> None:
    rule = pattern(
        f'{T}{X}%r = operation "math.absf"(%x : !pdl.value) -> (%t : !pdl.type)\n'
        "rewrite %r { replace %r with (%x, %x : !pdl.value, !pdl.value) }"
    )
    with pytest.raises(PassError, match="has 1 results, but 2 values replace it"):
        applied(rule, ABS)
    with pytest.raises(PassError, match="is erased although its results are used"):
        applied(rule.replace("replace %r with (%x, %x : !pdl.value, !pdl.value)", "erase %r"), ABS)


def test_type_of_a_replacement_must_agree() -> None:
    rule = pattern(
        f'{T}{X}%r = operation "math.absf"(%x : !pdl.value) -> (%t : !pdl.type)\n'
        'rewrite %r { %w = type : f64\n%n = operation "arith.extf"(%x : !pdl.value) -> (%w : !pdl.type)\n replace %r with %n }'
    )
    with pytest.raises(PassError, match="a value of type 'f64' replaces one of type 'f32'"):
        applied(rule, ABS)


@pytest.mark.parametrize(
    ("use", "message"),
    [
        ('"no.such"(%r : !pdl.operation)', "unknown native constraint 'no.such'"),
        ('"kt.one_of"(%t : !pdl.type)', "takes 2 arguments, but gets 1"),
        ('"ktdf_arch.mapped_to"(%r : !pdl.operation)', "has 1 results, but 0 are declared"),
    ],
)
def test_natives_are_checked_when_a_device_is_loaded(use: str, message: str) -> None:
    rule = unary("math.absf", "math.sin", extra=f"apply_native_constraint {use}")
    with pytest.raises(DeviceError, match=message):
        load_device(parse_text(DEVICE.replace("PATTERNS", rule)))


def test_a_function_without_a_device_is_left_alone() -> None:
    module = parse_text(ABS)
    before = str(module)
    PassManager("ktdfarch-apply-patterns").run(module, PassContext())
    assert str(module) == before


def test_errors_are_kt_errors() -> None:
    rule = pattern(
        f'{T}%f = type\n{X}%r = operation "math.absf"(%x : !pdl.value) -> (%t : !pdl.type)\n'
        '%ts = attribute = [f16]\napply_native_constraint "kt.one_of"(%f, %ts : !pdl.type, !pdl.attribute)\n'
        "rewrite %r { erase %r }"
    )
    with pytest.raises(KtError, match="gets a handle that nothing binds"):
        applied(rule, ABS)
