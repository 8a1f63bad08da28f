"""pdl: what a pattern may look like."""

from __future__ import annotations

from pathlib import Path

import pytest

from kt.ir.diagnostics import KtError
from kt.ir.dialects.pdl import OperationOp, PatternOp
from kt.ir.dialects.pdl_types import RangeType, ValueType
from kt.ir.verifier import verify
from kt.parse import parse_path, parse_text

CORPUS = Path(__file__).parents[2] / "corpus" / "pdl"


def pattern(matcher: str, actions: str = "erase %op", root: str = "%op") -> str:
    return f"pdl.pattern : benefit(1) {{\n{matcher}\nrewrite {root} {{\n{actions}\n}}\n}}\n"


OP = '%op = operation "a.b"'


def findings(text: str) -> str:
    """All that parser or verifier say against a text, one a line."""
    try:
        verify(parse_text(text))
    except KtError as error:
        return "\n".join(d.message for d in error.diagnostics)
    return ""


@pytest.mark.parametrize("path", sorted(CORPUS.glob("*.mlir")), ids=lambda p: p.stem)
def test_examples(path):
    module = parse_path(path)
    verify(module)
    assert any(isinstance(op, PatternOp) for op in module.walk())


@pytest.mark.parametrize(
    "text",
    [
        pattern(OP),
        pattern(f"%t = type : f32\n%x = operand : %t\n{OP} (%x : !pdl.value) -> (%t : !pdl.type)"),
        pattern(f'%a = attribute = 1 : i32\n{OP} {{"k" = %a}}'),
        pattern(f"%ts = types : [i32, i64]\n{OP} -> (%ts : !pdl.range<type>)"),
        pattern(OP, 'apply_native_rewrite "f" (%op : !pdl.operation)'),
        pattern(OP, "replace %op with"),
        pattern(
            f"%x = operand\n{OP} (%x : !pdl.value)",
            "%v = range %x, %x : !pdl.value, !pdl.value\nreplace %op with (%v : !pdl.range<value>)",
        ),
        pattern(
            f"%in = operation\n%r = results of %in\n{OP} (%r : !pdl.range<value>)",
            "%n = range : !pdl.range<value>\nreplace %op with (%n : !pdl.range<value>)",
        ),
        'pdl.pattern @named : benefit(0) {\n%op = operation\nrewrite %op with "external"\n}\n',
        "pdl.pattern : benefit(7) attributes {note = 1} {\n%op = operation\n"
        'rewrite with "f"(%op : !pdl.operation)\n}\n',
        # The result type follows from the operands.
        pattern(
            '%t = type\n%x = operand : %t\n%op = operation "arith.addf" (%x, %x : !pdl.value, '
            "!pdl.value) -> (%t : !pdl.type)",
            '%n = operation "arith.mulf" (%x, %x : !pdl.value, !pdl.value)\nreplace %op with %n',
        ),
    ],
)
def test_accepted(text):
    assert findings(text) == ""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            'pdl.pattern : benefit(1) {\n%op = operation "a.b"\n"x.y"() : () -> ()\nrewrite %op with "f"\n}',
            "expected only `pdl` operations within the pattern body",
        ),
        (
            'pdl.pattern : benefit(1) {\n%op = operation\nrewrite %op with "f"\n%t = type\n}',
            "expected body to terminate with `pdl.rewrite`",
        ),
        (
            'pdl.pattern : benefit(1) {\n%x = operand\nrewrite with "f"(%x : !pdl.value)\n}',
            "the pattern must contain at least one `pdl.operation`",
        ),
        (
            pattern(f"{OP}\n%other = operation", "erase %op\nerase %other"),
            "the operations must form a connected component",
        ),
        (pattern(f"{OP}\n%t = type"), "expected a bindable user when defined in the matcher body"),
        (
            'pdl.pattern : benefit(1) {\n%op = operation\n%r = result 0 of %op\nrewrite with "f"\n}',
            "expected a bindable user",
        ),
        (
            pattern(
                f'%t = type\n%a = "pdl.attribute"(%t) <{{value = 1 : i32}}> : (!pdl.type) -> '
                f'!pdl.attribute\n{OP} {{"k" = %a}}'
            ),
            "expected only one of [`type`, `value`] to be set",
        ),
        (
            pattern(OP, '%a = attribute\n%n = operation "x.y" {"k" = %a}\nreplace %op with %n'),
            "expected constant value when specified within a `pdl.rewrite`",
        ),
        (
            pattern(OP, "%n = operation\nreplace %op with %n"),
            "must have an operation name when nested within a `pdl.rewrite`",
        ),
        (
            pattern(OP, '%n = operation "tensor.empty"\nerase %op'),
            "must have inferable or constrained result types",
        ),
        (
            pattern(OP, '%t = type\n%n = operation "x.y" -> (%t : !pdl.type)\nerase %op'),
            "must have inferable or constrained result types",
        ),
        (
            pattern(
                f'{OP}\n%r = apply_native_constraint "f" (%op : !pdl.operation) : !pdl.operation'
            ),
            "returning an operation from a constraint is not supported",
        ),
        (pattern(OP, 'apply_native_rewrite "f"'), "expected at least one argument or result"),
        (
            f'pdl.pattern : benefit(1) {{\n{OP}\nrewrite %op with "f" {{\nerase %op\n}}\n}}',
            "expected rewrite region to be empty when rewrite is external",
        ),
        (
            f"pdl.pattern : benefit(1) {{\n{OP}\nrewrite %op {{\n}}\n}}",
            "expected rewrite region to be non-empty if external name is not specified",
        ),
        (
            pattern(f'%a = attribute\n{OP} {{"k" = %a, "k" = %a}}'),
            "attribute 'k' occurs more than once",
        ),
        (pattern(OP, "erase %op").replace("benefit(1)", "benefit(-1)"), "non-negative"),
        ("func.func private @f(!pdl.range<thing>)", "expected a pdl type inside pdl.range"),
    ],
)
def test_refused(text, message):
    assert message in findings(text)


def test_range_of_ranges():
    with pytest.raises(ValueError, match="cannot be another range"):
        RangeType(RangeType(ValueType()))


def test_accessors():
    module = parse_text(
        pattern(f'%a = attribute = 1 : i32\n%t = type\n{OP} {{"k" = %a}} -> (%t : !pdl.type)')
    )
    found = next(module.walk_type(PatternOp))
    op = next(module.walk_type(OperationOp))
    assert [o.name for o in found.matcher] == ["pdl.attribute", "pdl.type", "pdl.operation"]
    assert [o.name for o in found.rewrite.actions] == ["pdl.erase"]
    assert found.rewrite.root is op.result
    assert list(op.named_attributes) == ["k"] and len(op.type_values) == 1
