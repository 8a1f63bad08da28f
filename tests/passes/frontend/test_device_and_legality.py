"""ensure-device-declaration and ktir-legality-check."""

from __future__ import annotations

from pathlib import Path

import pytest

from kt.arch import load_device
from kt.ir.diagnostics import KtError, PassError
from kt.ir.dialects.ktdf_arch import DeviceOp
from kt.parse import parse_path, parse_text
from kt.passes.manager import PassContext, PassManager

GOLDEN = Path(__file__).parents[2] / "corpus" / "golden_front"
EMPTY = "func.func @f() {\n  return\n}\n"


def declared(text, passes="ensure-device-declaration", **context):
    module = parse_text(text)
    ctx = PassManager(passes).run(module, PassContext(**context))
    return module, ctx


def imports(module):
    return [
        (op.sym_name.value, op.import_path.value)
        for op in module.walk_type(DeviceOp)
        if op.import_path
    ]


def test_shipped_device_is_imported_by_name():
    for context in ({"device": load_device("toy")}, {"options": {"device": "toy"}}):
        module, ctx = declared(EMPTY, **context)
        assert imports(module) == [("toy", "kt:toy")]
        assert ctx.device.name == "toy"
        PassManager("ensure-device-declaration").run(module, ctx)
        assert imports(module) == [("toy", "kt:toy")], "twice changes nothing"


MAPPING = (
    'mem_space_mapping = #ktdf_arch.map<#ktdp.memory_space<global> = "HBM", '
    '#ktdp.memory_space<ct_local> = "PAD">'
)


def mapped_device():
    """A device file that says which memories the kernels' spaces are."""
    text = (GOLDEN / "pebble.mlir").read_text()
    return text.replace("device @pebble {", f"device @pebble attributes {{{MAPPING}}} {{")


def test_path_stays_relative(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "my.mlir").write_text(mapped_device())
    for given in ("sub/my.mlir", str(tmp_path / "sub" / "my.mlir")):
        module, _ = declared(EMPTY, f'ensure-device-declaration{{device="{given}"}}')
        assert imports(module) == [("pebble", "sub/my.mlir")]


def test_device_without_memory_for_the_kernels_is_refused():
    module = parse_text((GOLDEN / "pebble.mlir").read_text(), "here.mlir")
    with pytest.raises(KtError, match="no memory stands for") as refused:
        declared(EMPTY, device=load_device(module))
    assert "here.mlir:50:1" in refused.value.render()


def test_device_that_is_nowhere_else_is_put_into_the_module():
    module = parse_text(mapped_device(), "here.mlir")
    device = load_device(module)
    made, _ = declared(EMPTY, device=device)
    (op,) = made.walk_type(DeviceOp)
    assert op.has_content and op.sym_name.value == "pebble"


def test_declaration_wins_with_a_warning():
    module = parse_path(GOLDEN / "add2d.mlir")
    ctx = PassManager("ensure-device-declaration").run(
        module, PassContext(device=load_device("toy"))
    )
    assert ctx.device.name == "pebble"
    assert [d.severity for d in ctx.remarks] == ["warning"]
    assert "@pebble" in ctx.remarks[0].message and "@toy" in ctx.remarks[0].message


@pytest.mark.parametrize(
    ("passes", "text"),
    [
        ("ensure-device-declaration", "none was given"),
        ('ensure-device-declaration{device="nowhere.mlir"}', "nowhere.mlir"),
        ('ensure-device-declaration{device="unknown"}', "shipped devices"),
    ],
)
def test_device_that_cannot_be_had(passes, text):
    with pytest.raises(KtError) as refused:
        declared(EMPTY, passes)
    assert text in refused.value.render()


ILLEGAL = """
func.func private @g(index)
func.func @f(%t: tensor<4xf16>, %p: index, %m: memref<4xf16>, %c: i1) -> index attributes {grid = [2]} {
  %a:2 = ktdp.get_compute_tile_id : index, index
  func.call @g(%p) : (index) -> ()
  "my.op"() : () -> ()
  %w = scf.while (%i = %p) : (index) -> index {
    scf.condition(%c) %i : index
  } do {
  ^bb0(%i: index):
    scf.yield %i : index
  }
  linalg.exp ins(%m : memref<4xf16>) outs(%m : memref<4xf16>)
  %z = arith.constant 0.0 : f16
  memref.store %z, %m[%p] : memref<4xf16>
  return %p : index
}
"""


def test_all_violations_at_once():
    module = parse_text(ILLEGAL, allow_unregistered=True)
    with pytest.raises(PassError) as refused:
        PassManager("ktir-legality-check").run(module)
    found = [d.message for d in refused.value.diagnostics]
    for part in (
        "argument 0 of @f is a 'tensor<4xf16>'",
        "argument 2 of @f is a 'memref<4xf16>'",
        "@f returns values",
        "asks for 2 coordinates of a compute tile in a grid of rank 1",
        "can't call functions",
        "unknown op 'my.op'",
        "'scf.while' is no op of a kernel",
        "'linalg.exp' works on memrefs",
        "'memref.store' is no op of a kernel",
    ):
        assert sum(part in message for message in found) == 1, part
    assert len(found) == 9
    assert all(d.hint and d.location.position() for d in refused.value.diagnostics)


@pytest.mark.parametrize("grid", ["[]", "[0]", "[2, -1]", '["a"]', "4"])
def test_grid_is_a_list_of_positive_numbers(grid):
    module = parse_text(f"func.func @f() attributes {{grid = {grid}}} {{\n  return\n}}\n")
    with pytest.raises(PassError, match="no list of positive numbers"):
        PassManager("ktir-legality-check").run(module)
