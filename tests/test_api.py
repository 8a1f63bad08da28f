"""`import kt`: the public names, arguments by name and in order, refusals."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from slice_kernels import FOLDER, inputs

import kt

TEXT = (FOLDER / "add_single.mlir").read_text()


@pytest.fixture
def module():
    return kt.parse(TEXT, "add.mlir")


def numbers(seed=0):
    random = np.random.default_rng(seed)
    x, y = (random.standard_normal((12, 192)).astype(np.float16) for _ in range(2))
    return x, y, np.zeros_like(x)


def test_every_public_name_is_there():
    for name in kt.__all__:
        assert getattr(kt, name) is not None
    assert set(kt.__all__) <= set(dir(kt))
    with pytest.raises(AttributeError):
        _ = kt.nothing


def test_import_stays_cheap():
    code = "import sys, kt, kt.cli; print(sorted(m for m in sys.modules if m in ('numpy', 'lark', 'rich')))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_text_round_trips_in_both_forms(module, tmp_path):
    (tmp_path / "k.mlir").write_text(kt.print_module(module))
    again = kt.parse_file(tmp_path / "k.mlir")
    assert kt.print_module(again) == kt.print_module(module)
    generic = kt.print_module(module, generic=True)
    assert '"arith.constant"' in generic
    assert kt.print_module(kt.parse(generic)) == kt.print_module(module)


def test_arguments_by_name_and_in_order(module):
    x, y, z = numbers()
    named = kt.simulate(module, {"x": x, "y": y, "z": z})
    ordered = kt.simulate(module, [x, y, z])
    np.testing.assert_array_equal(named["z"], x + y)
    np.testing.assert_array_equal(ordered["z"], x + y)
    assert not z.any()  # arrays are copied in
    kernel = kt.Runtime(kt.device("toy")).load(kt.compile(module, "toy"))
    np.testing.assert_array_equal(kernel([x, y, z])["z"], x + y)
    assert not z.any()


def test_missing_arguments_come_from_the_seed(module):
    first, same, other = (kt.simulate(module, seed=seed) for seed in (7, 7, 8))
    np.testing.assert_array_equal(first["x"], same["x"])
    assert (first["x"] != other["x"]).any()
    np.testing.assert_array_equal(first["z"], first["x"] + first["y"])


def test_compiling_leaves_the_module_alone(module):
    before = kt.print_module(module)
    kt.compile(module, "toy")
    kt.check(module, "toy")
    assert kt.print_module(module) == before


def test_an_artifact_is_the_same_after_saving(module, tmp_path):
    program = kt.compile(module, kt.device("toy"))
    program.save(tmp_path / "k.ktb")
    assert kt.Program.load(tmp_path / "k.ktb") == program
    assert [a.name for a in program.arguments] == ["x", "y", "z"]
    assert [a.shape for a in program.arguments] == [(12, 192)] * 3
    assert [(a.reads, a.writes) for a in program.arguments] == [(True, False)] * 2 + [(False, True)]


def test_a_device_in_the_file_wins_with_a_warning():
    from kt.passes.compiler import Compilation

    module = kt.parse('ktdf_arch.device @toy import("kt:toy")\n' + TEXT)
    assert kt.compile(module, "spyre").metadata["device"]["name"] == "toy"
    assert kt.compile(module).metadata["device"]["name"] == "toy"
    for device, warnings in (("spyre", 1), ("toy", 0), (None, 0)):
        found = Compilation.start(module, device).context.remarks
        assert len(found) == warnings


def test_a_file_may_hold_several_kernels():
    text = TEXT + TEXT.replace("@add_single", "@other").replace("linalg.add", "linalg.mul")
    module = kt.parse(text)
    x, y, z = numbers()
    for name, want in (("add_single", x + y), ("other", x * y)):
        program = kt.compile(module, "toy", func=name)
        assert program.metadata["kernel"] == name
        kernel = kt.Runtime(kt.device("toy")).load(program)
        np.testing.assert_array_equal(kernel([x, y, z])["z"], want)
        assert kt.check(module, "toy", func=name).ok
    with pytest.raises(kt.KtError, match="which function") as refusal:
        kt.compile(module, "toy")
    assert refusal.value.hint


def test_an_own_device_that_is_called_like_a_shipped_one():
    """Its declaration travels with the module; the shipped file is not taken instead."""
    from importlib.resources import files

    text = (files("kt.arch") / "devices" / "toy.mlir").read_text()
    small = kt.device(kt.parse(text.replace("size = 8192", "size = 64")))
    with pytest.raises(kt.KtError, match="which has 64 bytes left") as refusal:
        kt.compile(kt.parse(TEXT), small)
    assert refusal.value.location.position() is not None


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: kt.device("nothing"), "no device is called 'nothing'"),
        (lambda m: kt.parse_file("no/such.mlir"), "cannot read"),
        (lambda m: kt.parse("func.func @f( {"), "expected"),
        (lambda m: kt.simulate(m, {"w": 1}), "no argument 'w'"),
        (lambda m: kt.simulate(m, func="g"), "no function @g"),
        (lambda m: kt.compile(m, "toy", func="g"), "no function @g"),
        (lambda m: kt.compile(m, "toy", fast=True), "no option 'fast'"),
        (lambda m: kt.compile(m, "toy", mode="best"), "no mode 'best'"),
        (lambda m: kt.compile(m), "none was given"),
        (
            lambda m: kt.compile(m, "toy", plan={"local_schedule_0": {"coalesce": "no"}}),
            "coalesce is true or false",
        ),
        (lambda m: kt.compile(m, "toy", plan={"local_schedule_0": 3}), "not a plan"),
        (lambda m: kt.compile(m, "toy", plan={"nobody": {}}), "no program 'nobody'"),
        (lambda m: kt.Program.from_bytes(b"no artifact"), "."),
        (lambda m: kt.Program.load("no/such.ktb"), "can't read"),
        (lambda m: kt.compile(m, "toy").save("no/such/k.ktb"), "can't write"),
        (lambda m: kt.Runtime(kt.device("spyre")).load(kt.compile(m, "toy")), "was compiled for"),
        (lambda m: kt.Runtime(kt.device("toy")).load(kt.compile(m, "toy"))([]), "arguments"),
    ],
)
def test_refusals_are_kt_errors(module, call, message):
    with pytest.raises(kt.KtError, match=message) as refusal:
        call(module)
    assert refusal.value.code and refusal.value.render()


def test_verify_reports_all_findings_with_places(module):
    kt.verify(module)
    text = TEXT.replace("outs(%s_e : tensor<12x192xf16>) -> tensor<12x192xf16>",
                        "outs(%s_e : tensor<12x192xf16>) -> tensor<12x19xf16>")  # fmt: skip
    with pytest.raises(kt.KtError) as refusal:
        kt.verify(kt.parse(text, "bad.mlir"))
    assert str(refusal.value).startswith("bad.mlir:")


def test_check_of_generated_inputs_reports_each_pass():
    report = kt.check(kt.parse_file(FOLDER / "silu_gate.mlir"), kt.device("toy"), seed=3)
    assert report.ok and report.failed is None and report.max_error == 0
    data = report.to_json()
    assert data["kernel"] == "silu_gate" and data["device"] == "toy" and data["cycles"] > 0
    assert all(entry["ok"] for entry in data["passes"])


def test_runs_with_given_inputs_agree_between_executor_and_device():
    given = inputs("bias_gelu", seed=11)
    module = kt.parse_file(FOLDER / "bias_gelu.mlir")
    assert kt.check(module, "spyre", given).ok
    assert kt.check(module, "spyre", list(given.values())).ok


def test_parse_stays_a_function_when_the_package_is_imported() -> None:
    import kt.parse.printer

    assert kt.parse.printer.print_op(kt.parse("func.func private @f()")).startswith("module {")


@pytest.mark.parametrize("given", [None, 3, b"module {}", ["add.mlir"]])
@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        (kt.parse, "text"),
        (kt.parse_file, "path of a file"),
        (kt.print_module, "module"),
        (kt.verify, "module"),
        (kt.compile, "module"),
        (kt.simulate, "module"),
        (kt.device, "device"),
        (kt.Runtime, "device"),
    ],
)
def test_what_is_of_the_wrong_kind_is_refused(call, wanted, given):
    with pytest.raises(kt.KtError, match=f"^a {type(given).__name__} is no {wanted}$") as refusal:
        call(given)
    assert refusal.value.hint


def test_a_kernel_in_python_stands_for_its_module():
    @kt.kernel(grid=1, x="f16[64]")
    def twice(tile, x):
        x[:] = x[:] + x[:]

    kt.verify(twice)
    assert kt.print_module(twice) == kt.print_module(twice.module)


def test_kernels_of_one_name_are_told_apart():
    def first():
        @kt.kernel(grid=1, x="f16[64]")
        def same(tile, x):
            x[:] = x[:] + x[:]

        return same

    def second():
        @kt.kernel(grid=1, x="f16[64]")
        def same(tile, x):
            x[:] = x[:] * x[:]

        return same

    places = {op.module.location.position().file for op in (first(), second())}
    assert len(places) == 2 and all(name.startswith("same@") for name in places)
