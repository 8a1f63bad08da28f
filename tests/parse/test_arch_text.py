"""ktdf_arch, pdl and the DataflowIR dialects as text: round trips and spellings."""

from __future__ import annotations

from pathlib import Path

import pytest

from kt.arch import load_device, shipped_devices
from kt.ir.diagnostics import ParseError
from kt.ir.verifier import verify
from kt.parse import parse_path, parse_text
from kt.parse.printer import print_op

TESTS = Path(__file__).parents[1]
FILES = [
    path
    for folder in ("corpus/dfir", "corpus/pdl", "corpus/ktdf_arch", "arch/devices")
    for path in sorted((TESTS / folder).glob("*.mlir"))
]


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
@pytest.mark.parametrize("generic", [False, True], ids=["custom", "generic"])
def test_round_trip(path, generic):
    module = parse_path(path)
    text = print_op(module, generic=generic)
    again = parse_text(text)
    verify(again)
    assert print_op(again, generic=generic) == text
    # Both forms hold the same module.
    assert print_op(again) == print_op(module)


@pytest.mark.parametrize("name", shipped_devices())
def test_shipped_devices_round_trip(name):
    device = load_device(name)
    again = load_device(parse_text(print_op(device.module)))
    assert (again.kinds, again.num_cores) == (device.kinds, device.num_cores)
    assert [x.label for x in again.links] == [x.label for x in device.links]
    assert print_op(again.module) == print_op(device.module)


def body(text: str) -> str:
    """What stands inside ``module { … }``."""
    lines = print_op(parse_text(text)).splitlines()
    start = lines.index("module {")
    return "\n".join(line[2:] for line in lines[start + 1 : -1])


@pytest.mark.parametrize(
    "text",
    [
        'ktdf_arch.device @d attributes {note = "x", version = 2 : i64} import("boards/d.mlir")',
        """ktdf_arch.device @d {
  %memory = memory @ram {kind = "RAM", size = 4096 : i64}
  %exec_unit = group @cell {kind = "cell"} share(%memory) {
    %exec_unit_0 = exec_unit {kind = "MOVER"}
    datapath @wire {ktdf_arch.bandwidth = 4 : i64} %memory to %exec_unit_0 : memory, exec_unit
    yield %exec_unit_0
  } -> exec_unit
  group share() {
  }
  %switch:2 = switch [2] {id = "xbar"}
  datapath %exec_unit to %switch#0 : exec_unit, port
  patterns ["a", "b"] {
    pdl.pattern : benefit(3) {
      %0 = type : f16
      %1 = operand : %0
      %2 = attribute = 1.000000e+00 : f16
      %3 = operation "x.y"(%1 : !pdl.value) {"k" = %2} -> (%0 : !pdl.type)
      rewrite %3 {
        replace %3 with(%1 : !pdl.value)
      }
    }
  }
}""",
    ],
)
def test_canonical_text(text):
    assert body(text) == text


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("#dataflow<direction Clockwise>", "#dataflow<direction Clockwise>"),
        ("#dataflow.direction<BothWays>", "#dataflow<direction BothWays>"),
        ("#agen<direction PseudoRandom>", "#agen<direction PseudoRandom>"),
        ("#vectorchain<binary_operator mul_div2>", "#vectorchain<binary_operator mul_div2>"),
        ("#vectorchain<exp_estimate b>", "#vectorchain<exp_estimate b>"),
        ("!dataflow.mxfp<8>", "!dataflow.custom<mxfp8>"),
        ("!dataflow.mxfp<6>", "!dataflow.mxfp<6>"),
        ("!dataflow.custom<mxint4>", "!dataflow.custom<mxint4>"),
        ("!dataflow.mxint<8>", "!dataflow.mxint<8>"),
        ("!dataflow.custom_vector<24xf16>", "!dataflow.custom_vector<24xf16>"),
        ("!pdl.range<value>", "!pdl.range<value>"),
        ("!ktdf_arch.exec_unit", "!ktdf_arch.exec_unit"),
        ("#ktdf_arch.map<f16 = 8, {x} = [1]>", "#ktdf_arch.map<f16 = 8 : i64, {x} = [1]>"),
    ],
)
def test_attributes_and_types(written, canonical):
    module = parse_text(f"func.func private @f() attributes {{x = {written}}}")
    assert str(module.body.first_op.attributes["x"]) == canonical


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("#dataflow<direction Sideways>", "expected one of PseudoRandom"),
        ("!dataflow.custom<mxfp5>", "expected 'mxfp4', 'mxfp8' or 'mxint4'"),
        ("#ktdf_arch.map<f16 = 8,>", "expected"),
        ("#ktdf_arch.map<f16>", "expected"),
    ],
)
def test_wrong_attributes(text, message):
    with pytest.raises(ParseError, match=message):
        parse_text(f"func.func private @f() attributes {{x = {text}}}")


def test_ids_and_aliases():
    module = parse_text(
        '#big = {kind = "A", size = 8}\nktdf_arch.device @d {\n'
        "  %a = memory @one #big\n  %b = memory #big\n"
        '  %c = memory @x {kind = "A", size = 8, id = "y"}\n}\n'
    )
    ids = [op.resource_id for op in module.walk() if op.name == "ktdf_arch.memory"]
    assert ids == ["one", None, "y"]


def test_a_group_prints_the_outer_name_inside():
    text = (
        'ktdf_arch.device @d {\n  %memory = memory {kind = "A"}\n  %memory_0 = memory {kind = "B"}\n'
        "  group share(%memory_0) {\n    %exec_unit = exec_unit\n"
        "    datapath %memory_0 to %exec_unit : memory, exec_unit\n  }\n}"
    )
    assert body(text) == text


def test_interleave_keeps_its_braces():
    text = "func.func @f() {\n  agen.composite_memory_interleave {} {\n  }\n  return\n}"
    assert body(text) == text


def test_program_unit_forms():
    text = """func.func @f() {
  %0 = dataflow.get_unit {name = "a", type = "a"} : index
  dataflow.program_unit iter_arg : %arg0 -> (%0) {precision = "fp16"} : {
  }
  dataflow.program_unit %0 : {
  }
  return
}"""
    assert body(text) == text
    with pytest.raises(ParseError):
        parse_text(text.replace("program_unit %0", "program_unit (%0)"))
