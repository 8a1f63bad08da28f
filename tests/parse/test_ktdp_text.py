"""ktdp and spyreop as text: golden round trips, spellings, refusals."""

from __future__ import annotations

from pathlib import Path

import pytest

from kt.ir.diagnostics import KtError, ParseError
from kt.ir.verifier import verify
from kt.parse import parse_path, parse_text
from kt.parse.printer import print_op

CORPUS = Path(__file__).parents[1] / "corpus"
GOLDEN = sorted((CORPUS / "ktir").glob("ex*.mlir"))
KERNELS = sorted((CORPUS / "kernels").glob("*.mlir"))


def cases(name: str) -> list[str]:
    return (CORPUS / "ktir" / name).read_text().split("// -----\n")


def case_id(text: str) -> str:
    return text.partition("@")[2].partition("(")[0]


@pytest.mark.parametrize("path", GOLDEN, ids=lambda p: p.stem)
def test_golden_text(path):
    module = parse_path(path)
    verify(module)
    custom = path.with_suffix(".canon").read_text().rstrip("\n")
    generic = path.with_suffix(".generic").read_text().rstrip("\n")
    assert print_op(module).rstrip("\n") == custom
    assert print_op(module, generic=True).rstrip("\n") == generic


@pytest.mark.parametrize(
    "path", GOLDEN + KERNELS + [CORPUS / "ktir" / "stats.mlir"], ids=lambda p: p.stem
)
def test_round_trip(path):
    module = parse_path(path)
    verify(module)
    custom, generic = print_op(module), print_op(module, generic=True)
    assert print_op(parse_text(custom)) == custom
    again = parse_text(generic)
    verify(again)
    assert print_op(again) == custom


@pytest.mark.parametrize("text", cases("accepted.mlir"), ids=case_id)
def test_accepted(text):
    module = parse_text(text)
    verify(module)
    custom = print_op(module)
    assert print_op(parse_text(custom)) == custom


@pytest.mark.parametrize("text", cases("rejected.mlir"), ids=case_id)
def test_rejected(text):
    message = text.splitlines()[0].removeprefix("// ")
    with pytest.raises(KtError) as caught:
        verify(parse_text(text), lenient=True)
    assert message in caught.value.message


@pytest.mark.parametrize("text", cases("contradictions.mlir"), ids=case_id)
def test_contradictions(text):
    message = text.splitlines()[0].removeprefix("// ")
    module = parse_text(text)
    verify(module, lenient=True)
    with pytest.raises(KtError) as caught:
        verify(module)
    assert message in caught.value.message


def attribute(text: str) -> str:
    """A memory space, read and printed."""
    module = parse_text(f'"test.op"() {{space = {text}}} : () -> ()')
    return print_op(module.body.first_op)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("#ktdp.spyre_memory_space<HBM>", "#ktdp.memory_space<global>"),
        ("#ktdp.spyre_memory_space<LX>", "#ktdp.memory_space<ct_local>"),
        ("#ktdp.spyre_memory_space<LX, core = 3>", "#ktdp.memory_space<ct_local, ct_id = 3>"),
        ("#ktdp.spyre_memory_space<LX, core=0>", "#ktdp.memory_space<ct_local, ct_id = 0>"),
    ],
)
def test_old_memory_spaces(old, new):
    assert f"{{space = {new}}}" in attribute(old)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("#ktdp.spyre_memory_space<unspecified>", "expected one of [HBM, LX]"),
        ("#ktdp.spyre_memory_space<HBM, core = 3>", "ct_id is only valid for ct_local"),
        ("#ktdp.memory_space<LX>", "expected one of [global, ct_local]"),
        ("#ktdp.memory_space<ct_local, tile = 1>", "expected 'ct_id', got 'tile'"),
    ],
)
def test_wrong_memory_spaces(text, message):
    with pytest.raises(ParseError) as caught:
        attribute(text)
    assert message in caught.value.message


def in_function(body: str, arguments: str) -> list[str]:
    """The lines of a function's body as printed."""
    module = parse_text(f"func.func @f({arguments}) {{\n{body}\nreturn }}")
    verify(module)
    inside = print_op(module).partition("func.func @f(")[2].splitlines()[1:]
    return [line.strip() for line in inside[: inside.index("    return")]]


def test_captured_values_come_first_in_indirect_maps():
    body = """
      %t = ktdp.construct_indirect_access_tile intermediate_variables(%i)
          %a[ind(%x[%i + %k]), (%n * 2 + %k)] {
          variables_space_set = affine_set<(q) : (q >= 0, -q + 3 >= 0)>,
          variables_space_order = affine_map<(q) -> (q)>
      } : memref<8x8xf16>, memref<8xi32> -> !ktdp.access_tile<4xindex>"""
    arguments = "%a: memref<8x8xf16>, %x: memref<8xi32>, %n: index, %k: index"
    module = parse_text(f"func.func @f({arguments}) {{ {body}\nreturn }}")
    op = module.body.first_op.body.first_op
    _, _, n, k = op.parent.arguments
    assert op.captured == (k, n)
    assert [str(m.map) for m in op.per_dim_subscript_maps] == [
        "(d0, d1, d2) -> (d2 + d0)",
        "(d0, d1, d2) -> (d1 * 2 + d0)",
    ]
    (line,) = in_function(body, arguments)
    assert (
        "intermediate_variables(%arg4) %arg0[ind(%arg1[%arg4 + %arg3]), (%arg2 * 2 + %arg3)]"
        in line
    )


def test_spyreop_forms():
    assert in_function(
        """
        %a = spyreop.idx32toaddr %i base 0xDEADBEEF stride 4
        %b = spyreop.idx32toaddr %i base %i stride %a
        %c = spyreop.addi32toi32 %v, %v : vector<8xi32>
        %d = spyreop.constant 1.5 : f16
        %e = spyreop.exx2_fused %d : f16 -> !spyreop.fp16_fused
        %f = spyreop.layernormscale_fused %e : !spyreop.fp16_fused -> f16
        %g = spyreop.layernormscale %f : f16
        %r = spyreop.slice_reduction %t {reduction_scope = #spyreop.reduction_scope<in_slice>,
            reduction_kind = #spyreop.reduction_kind<add>} : tensor<64xf16> -> tensor<64xf16>
        """,
        "%i: i32, %v: vector<8xi32>, %t: tensor<64xf16>",
    ) == [
        "%0 = spyreop.idx32toaddr %arg0 base 0xDEADBEEF stride 4",
        "%1 = spyreop.idx32toaddr %arg0 base %arg0 stride %0",
        "%2 = spyreop.addi32toi32 %arg1, %arg1 : vector<8xi32>",
        "%3 = spyreop.constant 1.500000e+00 : f16",
        "%4 = spyreop.exx2_fused %3 : f16 -> !spyreop.fp16_fused",
        "%5 = spyreop.layernormscale_fused %4 : !spyreop.fp16_fused -> f16",
        "%6 = spyreop.layernormscale %5 : f16",
        "%7 = spyreop.slice_reduction %arg2 {reduction_kind = #spyreop.reduction_kind<add>, "
        "reduction_scope = #spyreop.reduction_scope<in_slice>} : tensor<64xf16> -> tensor<64xf16>",
    ]
    with pytest.raises(ParseError, match="must both be values or both be numbers"):
        in_function("%a = spyreop.idx32toaddr %i base %i stride 4", "%i: i32")


def test_df16_literals_and_casts():
    assert in_function(
        """
        %a = arith.constant 1.0 : !spyreop.df16
        %b = arith.extf %a : !spyreop.df16 to f32
        %c = arith.truncf %b : f32 to !spyreop.df16
        %d = kt.convert %x : f16 to !spyreop.df16
        %e = arith.addf %c, %d : !spyreop.df16
        """,
        "%x: f16",
    ) == [
        "%cst = arith.constant 1.000000e+00 : !spyreop.df16",
        "%0 = arith.extf %cst : !spyreop.df16 to f32",
        "%1 = arith.truncf %0 : f32 to !spyreop.df16",
        "%2 = kt.convert %arg0 : f16 to !spyreop.df16",
        "%3 = arith.addf %1, %2 : !spyreop.df16",
    ]
