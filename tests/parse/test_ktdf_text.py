"""ktdf and ktdf_lowering as text: samples, spellings, printing conventions, refusals."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kt.ir import registry
from kt.ir.diagnostics import KtError
from kt.ir.verifier import verify
from kt.parse import parse_path, parse_text
from kt.parse.printer import print_op

SAMPLES = sorted((Path(__file__).parents[1] / "corpus" / "ktdf").glob("*.mlir"))


def needs_other_dialects(path: Path) -> None:
    """Samples name devices and units; their dialects have other authors."""
    text = path.read_text()
    for dialect in ("ktdf_arch", "dataflow", "uniform"):
        if f"{dialect}." in text and not registry.load_dialect(dialect):
            pytest.skip(f"the dialect {dialect} isn't there")


@pytest.mark.parametrize("path", SAMPLES, ids=lambda p: p.stem)
def test_round_trip(path):
    needs_other_dialects(path)
    module = parse_path(path)
    verify(module)
    custom, generic = print_op(module), print_op(module, generic=True)
    assert print_op(parse_text(custom)) == custom
    again = parse_text(generic)
    verify(again)
    assert print_op(again) == custom


@pytest.mark.parametrize(
    "path", [p for p in SAMPLES if re.search(r"\d\d$", p.stem)], ids=lambda p: p.stem
)
def test_printed_like_the_upstream_tool(path):
    """Files that the upstream tool wrote are a fixed point of our printer."""
    needs_other_dialects(path)
    text = path.read_text()
    text = text[: text.rindex("\n}\n") + 3]
    assert print_op(parse_text(text)).rstrip("\n") == text.rstrip("\n")


ARGUMENTS = (
    "%i: index, %n: index, %m: memref<6x24xf16>, %p: memref<8xf16>, %q: memref<8xf16>, "
    '%z: memref<f16>, %zz: memref<f16>, %s: !ktdf.fifo.slot<"A" -> "B", 8xf16>, '
    "%x: tensor<8xf16>"
)


def body(text: str) -> list[str]:
    """The lines of a function's body as printed, arguments under their names."""
    module = parse_text(f"func.func @f({ARGUMENTS}) {{\n{text}\nreturn }}")
    verify(module)
    printed = print_op(module)
    assert print_op(parse_text(printed)) == printed
    names = re.findall(r"%(\w+):", ARGUMENTS)
    for i in reversed(range(len(names))):
        printed = re.sub(rf"%arg{i}\b", f"%{names[i]}", printed)
    return [line.removeprefix("    ") for line in printed.splitlines()[2:-3]]


def in_pipeline(text: str) -> list[str]:
    return [line.strip() for line in body(f"ktdf.pipeline {{\n{text}\n}}")[1:-1]]


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("ktdf.pipeline {}", ["ktdf.pipeline {", "}"]),
        (
            "ktdf.pipeline modulo(size : 2) {} {note}",
            ["ktdf.pipeline modulo(size : 2) {", "} {note}"],
        ),
        (
            "%0 = ktdf.tiling.reserve_size {min_value = 4 : index, divisibility = 2 : index} : index",
            [
                "%0 = ktdf.tiling.reserve_size {divisibility = 2 : index, min_value = 4 : index} : index"
            ],
        ),
        (
            "%0 = ktdf.tiling.derive_size [%i : %n] [%n : %i] total_size = %n : index",
            ["%0 = ktdf.tiling.derive_size [%i : %n], [%n : %i], total_size = %n : index"],
        ),
        (
            "%0 = ktdf.tiling.linearize_index [%i : %n], [%n : %i], {note} : index",
            ["%0 = ktdf.tiling.linearize_index [%i : %n], [%n : %i] {note} : index"],
        ),
        (
            "%0 = ktdf.buffer_phase(%i, %n) {num_phases = 2 : i64} : index\n"
            "%1 = ktdf.select_memref %0[%p, %q] {a = 1 : i32} : memref<8xf16>",
            [
                "%0 = ktdf.buffer_phase(%i, %n) {num_phases = 2 : i64} : index",
                "%1 = ktdf.select_memref %0[%p, %q] {a = 1 : i32} : memref<8xf16>",
            ],
        ),
        (
            '%a, %b = ktdf.fifo.allocate(%n) -> !ktdf.fifo.slot<"A" -> "B", ?xf16>, '
            "!ktdf.fifo.slot<#ktdp.memory_space<global> -> 3, 4xi8>",
            [
                '%0:2 = ktdf.fifo.allocate(%n) -> !ktdf.fifo.slot<"A" -> "B", ?xf16>, '
                "!ktdf.fifo.slot<#ktdp.memory_space<global> -> 3 : i64, 4xi8>"
            ],
        ),
        (
            '%0 = ktdf.read_from_fifo %s : !ktdf.fifo.slot<"A"->"B", 8xf16> -> tensor<2x4xf16>\n'
            'ktdf.write_to_fifo %0, %s : tensor<2x4xf16>, !ktdf.fifo.slot<"A" -> "B", 8xf16>',
            [
                '%0 = ktdf.read_from_fifo %s : <"A" -> "B", 8xf16> -> tensor<2x4xf16>',
                'ktdf.write_to_fifo %0, %s : tensor<2x4xf16>, <"A" -> "B", 8xf16>',
            ],
        ),
        (
            "ktdf.data_transfer from %m[%i + 0, 2 * %n - %i] size [1, %n] to %s "
            '{transfer_mode = "pad"} : memref<6x24xf16>, !ktdf.fifo.slot<"A" -> "B", 8xf16>',
            [
                "ktdf.data_transfer from %m[%i, %n * 2 - %i] size [1, %n] to %s "
                '{transfer_mode = "pad"} : memref<6x24xf16>, !ktdf.fifo.slot<"A" -> "B", 8xf16>'
            ],
        ),
        (
            "ktdf.data_transfer from %z[] size [] to %zz[] size [] : memref<f16>, memref<f16>",
            ["ktdf.data_transfer from %z[] size [] to %zz[] size [] : memref<f16>, memref<f16>"],
        ),
        (
            "ktdf.parallel (%a, %id) = (%i) to (%n) step (%i) distribute(num_instances = 2) {\n"
            "ktdf.parallel_yield } {note}",
            [
                "ktdf.parallel (%arg9, %arg10) = (%i) to (%n) step (%i) distribute(num_instances = 2) {",
                "  ktdf.parallel_yield",
                "} {note}",
            ],
        ),
        (
            'ktdf.opaque "FENCE" ins() outs()',
            ['ktdf.opaque "FENCE"', "  ins()", "  outs()"],
        ),
        (
            '%r = ktdf.opaque "FMA8" {k = 1 : i32} -> tensor<8xf16> ins(%x, %i : tensor<8xf16>, index) '
            "outs(%x : tensor<8xf16>)",
            [
                '%FMA8 = ktdf.opaque "FMA8" {k = 1 : i32} -> tensor<8xf16>',
                "  ins(%x, %i: tensor<8xf16>, index)",
                "  outs(%x: tensor<8xf16>)",
            ],
        ),
        (
            "ktdf_lowering.execute_on %i, %n { ktdf_lowering.signal %i, %n } {a}",
            ["ktdf_lowering.execute_on %i, %n {", "  ktdf_lowering.signal %i, %n", "} {a}"],
        ),
        ("ktdf_lowering.execute_on %i {}", ["ktdf_lowering.execute_on %i {", "}"]),
    ],
)
def test_spellings(text, printed):
    assert body(text) == printed


def test_private_and_stage():
    assert in_pipeline(
        """
        %r:2 = ktdf.private -> (!ktdf.token, index) {
          %t = ktdf.create_token : !ktdf.token
          ktdf.private_yield {a} %t, %n : !ktdf.token, index
        } attributes {b}
        ktdf.stage depends_in(none) depends_out(%r#0) {} {applicable_units = ["X"], c}
        ktdf.stage depends_in(%r#0) depends_out(none) {}
        """
    ) == [
        "%0:2 = ktdf.private -> (!ktdf.token, index) {",
        "%1 = ktdf.create_token : !ktdf.token",
        "ktdf.private_yield {a} %1, %n : !ktdf.token, index",
        "} attributes {b}",
        "ktdf.stage depends_in(none) depends_out(%0#0) {",
        '} {applicable_units = ["X"], c}',
        "ktdf.stage depends_in(%0#0) depends_out(none) {",
        "}",
    ]


def test_yield_without_values_is_left_out():
    assert in_pipeline("ktdf.private { ktdf.private_yield }") == ["ktdf.private {", "}"]
    assert in_pipeline("ktdf.private { ktdf.private_yield {a} }")[1] == "ktdf.private_yield {a}"


def test_private_results_are_always_in_parentheses():
    first, *_ = in_pipeline("%t = ktdf.private -> (index) { ktdf.private_yield %n : index }")
    assert first == "%0 = ktdf.private -> (index) {"


def test_loop_types():
    lines = body("scf.for %k = %i to %n step %i {} {loop_type = #ktdf.loop_type<reduction_loop>}")
    assert lines[-1] == "} {loop_type = #ktdf.loop_type<reduction_loop>}"


def test_repeated_values_share_a_dimension():
    module = parse_text(
        f"func.func @f({ARGUMENTS}) {{ ktdf.data_transfer from %m[%n + %i, -%i * 2] size [1, 8] to %p[0]"
        " size [8] : memref<6x24xf16>, memref<8xf16> return }"
    )
    op = module.body.first_op.body.first_op
    arguments = op.parent.arguments
    assert op.source_indices == (arguments[1], arguments[0])
    assert str(op.source_map.map) == "(d0, d1) -> (d0 + d1, d1 * -2)"
    assert str(op.dest_map.map) == "() -> (0)"
    assert op.attr("operandSegmentSizes").values == (1, 2, 0, 1, 0, 0)


def test_generic_text_numbers_what_is_never_merged():
    text = (
        "func.func @f() { %a = ktdf.create_token : !ktdf.token\n%b = ktdf.tiling.reserve_size "
        "{min_value = 1 : index, divisibility = 1 : index} : index return }"
    )
    generic = print_op(parse_text(text), generic=True)
    assert '"ktdf.create_token"() <{unique_id = 0 : index}> : () -> !ktdf.token' in generic
    assert "min_value = 1 : index, unique_id = 1 : index}> : () -> index" in generic
    assert print_op(parse_text(generic), generic=True) == generic
    assert "unique_id" not in print_op(parse_text(generic))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "ktdf.data_transfer from %m[%i * %n, 0] size [1, 8] to %p[0] size [8] "
            ": memref<6x24xf16>, memref<8xf16>",
            "non-affine expression: at least one of the multiply operands has to be either a "
            "constant or symbolic",
        ),
        (
            "ktdf.data_transfer from %m[symbol(%i), 0] size [1, 8] to %p[0] size [8] "
            ": memref<6x24xf16>, memref<8xf16>",
            "source_map must have 0 symbols (dims-only); got 1",
        ),
        (
            "ktdf.data_transfer from %m to %p[0] size [8] : memref<6x24xf16>, memref<8xf16>",
            "source_map must be present when source is a memref",
        ),
        (
            "ktdf.data_transfer from %m[0, 0] to %p[0] size [8] : memref<6x24xf16>, memref<8xf16>",
            "source size count (0) must match memref rank (2)",
        ),
        (
            'ktdf.data_transfer from %s[0] to %p[0] size [8] : !ktdf.fifo.slot<"A" -> "B", 8xf16>, '
            "memref<8xf16>",
            "source_map must be absent for fifo source",
        ),
        (
            "ktdf.parallel (%a) = () to () step () distribute(num_instances = 2) { ktdf.parallel_yield }",
            "expected at least one induction variable plus an instance id (got 1 block arguments)",
        ),
        (
            "ktdf.parallel (%a, %b) = (%i) to (%i, %n) step (%i) distribute(num_instances = 2) "
            "{ ktdf.parallel_yield }",
            "expected 2 operands",
        ),
        (
            "ktdf.parallel (%a, %b) = (%i) to (%n) step (%i) distribute(num_instances = 0) "
            "{ ktdf.parallel_yield }",
            "expected num_instances >= 1, got 0",
        ),
        (
            "ktdf.parallel (%a, %b) = (%i) to (%n) step (%i) distribute(num_instances = 2) {}",
            "expects a non-empty block",
        ),
        (
            "%0 = ktdf.tiling.reserve_size {min_value = 4 : index} : index",
            "requires attribute 'divisibility'",
        ),
        ("%0 = ktdf.tiling.linearize_index : index", "must have at least one [iv : stride] pair"),
        (
            "%0 = ktdf.select_memref %i[%p] : memref<8xf16>",
            "requires at least 2 candidate memrefs, got 1",
        ),
        (
            "%0 = ktdf.select_memref %i[%p, %z] : memref<8xf16>",
            "use of value '%z' expects different type than prior uses: 'memref<8xf16>' vs 'memref<f16>'",
        ),
        ("ktdf.pipeline modulo(size : 0) {}", "attribute 'modulo' failed to satisfy constraint"),
        ("ktdf.pipeline { ktdf.private_yield }", "immediate children must be"),
        ("ktdf.stage depends_in(none) depends_out(none) {}", "expects parent op 'ktdf.pipeline'"),
        ("ktdf.stage depends_in() depends_out(none) {}", "expected"),
        ("ktdf_lowering.signal", "expected"),
    ],
)
def test_rejected(text, message):
    with pytest.raises(KtError) as caught:
        body(text)
    assert message in caught.value.message


@pytest.mark.parametrize(
    ("type", "message"),
    [
        ('!ktdf.fifo.slot<FEED -> "VPU", 8xf16>', "FEED"),
        ('!ktdf.fifo.slot<"A" -> "B", 4>', "expected"),
        ('!ktdf.fifo.slot<"A" -> "B", 0xf32>', ""),
        ('!ktdf.fifo.slot<"A" -> "B", -4xf16>', "expected"),
    ],
)
def test_wrong_slots(type, message):
    with pytest.raises(KtError) as caught:
        parse_text(f"func.func private @f({type})")
    assert message in caught.value.message


def test_wrong_loop_type():
    with pytest.raises(KtError, match="to be one of: parallel_loop, reduction_loop"):
        parse_text('"test.op"() {a = #ktdf.loop_type<vector_loop>} : () -> ()')


def test_kt_ops():
    assert body(
        """
        %a = kt.buffer() : memref<4x8xf16>
        %b = kt.buffer(%n) {kt.operand = 1 : i64} : memref<?x8xf16>
        %c = kt.convert %x : tensor<8xf16> to tensor<8x!spyreop.df16>
        %d = arith.constant 1.0 : f16
        %e = kt.splat %d : f16 -> vector<8xf16>
        """
    ) == [
        "%0 = kt.buffer() : memref<4x8xf16>",
        "%1 = kt.buffer(%n) {kt.operand = 1 : i64} : memref<?x8xf16>",
        "%2 = kt.convert %x : tensor<8xf16> to tensor<8x!spyreop.df16>",
        "%cst = arith.constant 1.000000e+00 : f16",
        "%3 = kt.splat %cst : f16 -> vector<8xf16>",
    ]
