"""Loading devices: by name, path, module and import; refusals say what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from kt.arch import Device, find_device, load_device, shipped_devices
from kt.ir.diagnostics import DeviceError, ParseError, VerifyError
from kt.ir.dialects.ktdp_types import MemorySpaceAttr
from kt.parse import parse_path, parse_text

DEVICES = Path(__file__).parent / "devices"


def test_shipped_names():
    assert {"toy", "spyre"} <= set(shipped_devices())
    for name in shipped_devices():
        device = load_device(name)
        assert device.name == name
        assert load_device(f"kt:{name}").name == name
        assert device.schedulable() == []
        assert load_device(device) is device


def test_unknown_name_lists_the_known_ones():
    with pytest.raises(DeviceError, match="no device is called 'toi'") as error:
        load_device("toi")
    assert "toy" in error.value.hint
    with pytest.raises(DeviceError, match="no device 'nope' comes with kt"):
        load_device("kt:nope")


def test_path_and_module():
    assert load_device(DEVICES / "pebble.mlir").name == "pebble"
    assert load_device(str(DEVICES / "pebble.mlir")).name == "pebble"
    module = parse_path(DEVICES / "pebble.mlir")
    assert load_device(module).op.parent_op is module


def test_missing_file():
    with pytest.raises(DeviceError, match="No such file"):
        load_device(DEVICES / "absent.mlir")


def test_import_is_relative_to_the_file(tmp_path):
    (tmp_path / "boards").mkdir()
    text = (DEVICES / "pebble.mlir").read_text()
    (tmp_path / "boards" / "p.mlir").write_text(text)
    main = tmp_path / "kernel.mlir"
    main.write_text('ktdf_arch.device @pebble import("boards/p.mlir")\n')
    device = load_device(main)
    assert device.memory("PAD").size == 65536
    assert load_device(parse_path(main)).name == "pebble"


def test_import_overrides_discardable_attributes(tmp_path):
    (tmp_path / "d.mlir").write_text(
        "ktdf_arch.device @d attributes {version = 3, a = 1, b = 2} {\n"
        '  %m = memory {kind = "M", size = 16}\n}\n'
    )
    main = tmp_path / "k.mlir"
    main.write_text(
        "ktdf_arch.device @d attributes {version = 9, b = 7, mem_space_mapping = "
        '#ktdf_arch.map<#ktdp.memory_space<global> = "M">} import("d.mlir")\n'
    )
    device = load_device(main)
    assert device.version == 3
    assert (device.attributes["a"].value, device.attributes["b"].value) == (1, 7)
    assert device.memory_for_space(MemorySpaceAttr("global")).kind == "M"
    # The definition itself stays as it is: another import sees its own attributes.
    assert load_device(tmp_path / "d.mlir").attributes["b"].value == 2


def test_kt_import_in_a_kernel():
    device = load_device(parse_text('ktdf_arch.device @toy import("kt:toy")'))
    assert device.num_cores == 8
    assert device.location.position().file == "kt:toy"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('ktdf_arch.device @toi import("kt:toy")', "no device named 'toi'"),
        ('ktdf_arch.device @d import("gone.mlir")', "unable to import device graph: .*gone.mlir"),
        ("", "no 'ktdf_arch.device' in"),
        (
            'ktdf_arch.device @a import("kt:toy")\nktdf_arch.device @b import("kt:toy")',
            "several devices in .*: a, b",
        ),
    ],
)
def test_refusals(text, message):
    with pytest.raises(DeviceError, match=message):
        load_device(parse_text(text, "k.mlir"))


def test_recursive_import(tmp_path):
    (tmp_path / "one.mlir").write_text('ktdf_arch.device @d import("two.mlir")\n')
    (tmp_path / "two.mlir").write_text('ktdf_arch.device @d import("one.mlir")\n')
    with pytest.raises(DeviceError, match="recursive importing is prohibited") as error:
        load_device(tmp_path / "one.mlir")
    assert error.value.notes[0].location.position().file.endswith("two.mlir")


def test_errors_of_the_imported_file_keep_their_place(tmp_path):
    (tmp_path / "bad.mlir").write_text("ktdf_arch.device @d {\n  %m = memory {size = 4}\n}\n")
    with pytest.raises(VerifyError, match="requires attribute 'kind'") as error:
        load_device(tmp_path / "bad.mlir")
    assert error.value.location.position().line == 2
    (tmp_path / "worse.mlir").write_text("ktdf_arch.device @d {\n  %m = memori {}\n}\n")
    with pytest.raises(ParseError):
        load_device(tmp_path / "worse.mlir")


def test_find_device():
    module = parse_text(
        'ktdf_arch.device @toy import("kt:toy")\n'
        "module {\n  func.func private @f()\n}\n"
        "func.func private @g() attributes {ktdf_arch.maps_to = @toy}\n"
    )
    ops = {op.attr("sym_name").value: op for op in module.walk() if op.name == "func.func"}
    assert find_device(ops["f"]).sym_name.value == "toy"
    assert find_device(ops["g"]).sym_name.value == "toy"


def test_find_device_of_two_is_none():
    module = parse_text(
        'ktdf_arch.device @toy import("kt:toy")\nktdf_arch.device @spyre import("kt:spyre")\n'
        "func.func private @f()\n"
        "func.func private @g() attributes {ktdf_arch.maps_to = @spyre}\n"
    )
    f, g = (op for op in module.walk() if op.name == "func.func")
    assert find_device(f) is None
    assert find_device(g).sym_name.value == "spyre"


def test_unknown_native_is_found_at_load_time():
    module = parse_text(
        """
ktdf_arch.device @d {
  %m = memory {kind = "M"}
  patterns ["x"] {
    pdl.pattern : benefit(1) {
      %op = operation "arith.addf"
      apply_native_constraint "d.unheard" (%op : !pdl.operation)
      rewrite %op {
        erase %op
      }
    }
  }
}
"""
    )
    with pytest.raises(DeviceError, match=r"unknown native constraint 'd\.unheard'"):
        Device(next(op for op in module.walk() if op.name == "ktdf_arch.device"))
