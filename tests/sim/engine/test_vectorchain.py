"""Every vectorchain op of DataflowIR, from text through the artifact, against NumPy."""

from __future__ import annotations

from pathlib import Path

import assemble
import numpy as np
import pytest

from kt.arch import load_device
from kt.binary import encode
from kt.ir.diagnostics import RunError
from kt.parse import parse_text
from kt.sim import Runtime, run_dataflow

DEVICE = Path(__file__).parents[2] / "text" / "mini_device.mlir"
ID = "affine_map<(d0) -> (d0)>"
OUT = 4096
A = np.array([1, -2, 3.5, 0, 0.25, -0.5, 8, 100], np.float16)
B = np.array([2, 5, -1, 0, 4, -0.5, 0.125, -7], np.float16)


def line(count: int) -> str:
    return f"affine_set<(d0) : (d0 >= 0, -d0 + {count - 1} >= 0)>"


def view(name: str, start: int, count: int, element: str) -> str:
    return f"""
    %start_{name} = arith.constant {start} : index
    %{name} = dataflow.get_logical_memory_view %gm, %start_{name} {{addr_unit = "words", layout_map = {ID}}}
      : index, index, memref<{count}x{element}>"""


def evaluate(body: str, lanes: int, element: str, *inputs: tuple[str, np.ndarray]) -> np.ndarray:
    """The vector ``%r`` that a body computes from ``%a``, ``%b``… (element, array) in memory."""
    text, memory = [], {}
    for number, (kind, array) in enumerate(inputs):
        name = "abcd"[number]
        text.append(view(f"in{name}", 256 * number, len(array), kind))
        text.append(
            f"%{name} = agen.vector_load %in{name}[%c0] {{load_order = {ID}, load_set = "
            f"{line(len(array))}}} : memref<{len(array)}x{kind}>, vector<{len(array)}x{kind}>"
        )
        memory[256 * number] = array
    text.append(body)
    text.append(view("out", OUT, lanes, element))
    text.append(
        f"agen.vector_store %r, %out[%c0] {{store_order = {ID}, store_set = {line(lanes)}}} "
        f": memref<{lanes}x{element}>, vector<{lanes}x{element}>"
    )
    program = f"""
func.func @k() attributes {{grid = [1]}} {{
  %c0 = arith.constant 0 : index
  %three = arith.constant 3 : index
  %unit = dataflow.get_unit {{core = 0 : i32, corelet = 0 : i32, name = "C0-p", type = "p"}} : index
  %gm = dataflow.get_unit {{name = "mem", type = "mem"}} : index
  dataflow.program_unit iter_arg : %me -> (%unit) : {{
    {chr(10).join(text)}
  }}
  return
}}"""
    device = assemble.device("chain")
    runtime = Runtime(device)
    for address, array in memory.items():
        runtime.memory().put(address, array)
    runtime.load(encode(parse_text(program, "k.mlir"), device))([])
    stored = {"f16": np.float16, "f32": np.float32, "i1": np.uint8, "i32": np.int32, "i8": np.int8}
    form = np.dtype(stored[element])
    return runtime.memory().get(OUT, lanes * form.itemsize).view(form)


V = "vector<8xf16>"


def binary(word: str, fold: str = ID, lanes: int = 8, mask: str = "") -> str:
    return (
        f"%r = vectorchain.binary %a, %b{mask} {{binary_op = #vectorchain<binary_operator {word}>, "
        f"op_specific_map = {fold}}} : {V}, {V}, vector<{lanes}xf16>"
    )


@pytest.mark.parametrize(
    ("word", "function"),
    [
        ("add", lambda a, b: a + b),
        ("sub", lambda a, b: a - b),
        ("mul", lambda a, b: a * b),
        ("min", np.minimum),
        ("max", np.maximum),
        ("abs_min", lambda a, b: np.minimum(abs(a), abs(b))),
        ("abs_max", lambda a, b: np.maximum(abs(a), abs(b))),
        ("mul_div2", lambda a, b: a * b / np.float16(2)),
    ],
)
def test_binary(word, function):
    assert np.array_equal(evaluate(binary(word), 8, "f16", ("f16", A), ("f16", B)), function(A, B))


@pytest.mark.parametrize(
    ("word", "function"),
    [
        ("and0", lambda a, b: a & b),
        ("or0", lambda a, b: a | b),
        ("xnor", lambda a, b: ~(a ^ b)),
        ("and_not", lambda a, b: a & ~b),
    ],
)
def test_binary_of_bits(word, function):
    a, b = np.arange(-4, 4, dtype=np.int8), np.arange(8, dtype=np.int8) * 37
    body = binary(word).replace("xf16", "xi8")
    assert np.array_equal(evaluate(body, 8, "i8", ("i8", a), ("i8", b)), function(a, b))


def test_folds_accumulate_in_f32_and_round_once():
    fold = "affine_map<(d0) -> (d0 floordiv 4)>"
    a = np.array([2048, 1, 1, 1, 1, 2, 3, 4], np.float16)
    b = np.zeros(8, np.float16)
    found = evaluate(binary("add", fold, 2), 2, "f16", ("f16", a), ("f16", b))
    # In f16, 2048 + 1 would stay 2048 three times.
    assert found.tolist() == [np.float16(2051), 10]
    found = evaluate(binary("max", fold, 3), 3, "f16", ("f16", A), ("f16", B))
    assert found.tolist() == [5, 100, -np.inf]


def test_multiply_and_accumulate():
    fold = "affine_map<(d0) -> (d0 mod 2)>"
    body = f"%r = vectorchain.multiply %a, %b {{reduction_map = {fold}}} : {V}, {V}, vector<2xf16>"
    products = (A.astype(np.float32) * B).reshape(4, 2).sum(0).astype(np.float16)
    assert np.array_equal(evaluate(body, 2, "f16", ("f16", A), ("f16", B)), products)
    c = np.array([1000, -1000], np.float16)
    body = (
        f"%r = vectorchain.multiply_and_accumulate %a, %b, %c {{reduction_map = {fold}}} "
        f": {V}, {V}, vector<2xf16>, vector<2xf16>"
    )
    wanted = ((A.astype(np.float32) * B).reshape(4, 2).sum(0) + c).astype(np.float16)
    assert np.array_equal(evaluate(body, 2, "f16", ("f16", A), ("f16", B), ("f16", c)), wanted)


def test_masks():
    mask = np.array([1, 0, 1, 1, 0, 0, 1, 0], np.uint8)
    inputs = (("f16", A), ("f16", B), ("i1", mask))
    masked = "[%c : vector<8xi1>]"
    found = evaluate(binary("add", mask=masked), 8, "f16", *inputs)
    assert np.array_equal(found, np.where(mask, A + B, A))
    fold = "affine_map<(d0) -> (0)>"
    found = evaluate(binary("mul", fold, 1, masked), 1, "f16", *inputs)
    assert found[0] == np.float16(np.prod((A * B)[mask == 1], dtype=np.float32))
    body = f"%r = vectorchain.neg %a[%c : vector<8xi1>] : {V}, {V}"
    assert np.array_equal(evaluate(body, 8, "f16", *inputs), np.where(mask, -A, A))


@pytest.mark.parametrize(
    ("word", "function"),
    [("eq", np.equal), ("neq", np.not_equal), ("lt", np.less), ("le", np.less_equal),
     ("gt", np.greater), ("ge", np.greater_equal)],
)  # fmt: skip
def test_compare_and_selection(word, function):
    compare = (
        f"%m = vectorchain.element_wise_compare %a, %b {{compare_op = "
        f"#vectorchain<element_wise_compare_operator compare_{word}>}} : {V}, {V}, vector<8xi1>\n"
    )
    a = A.copy()
    a[5] = np.nan
    select = f"%r = vectorchain.element_wise_selection %m ? %a : %b : vector<8xi1>, {V}, {V}, {V}"
    found = evaluate(compare + select, 8, "f16", ("f16", a), ("f16", B))
    assert np.array_equal(found, np.where(function(a, B), a, B), equal_nan=True)
    copied = (
        compare + "%r = vectorchain.shuffle input(%m) {indices = [7 : i32, 6 : i32, 5 : i32, "
        "4 : i32, 3 : i32, 2 : i32, 1 : i32, 0 : i32], repetition = 1 : i32} : vector<8xi1>, vector<8xi1>"
    )
    found = evaluate(copied, 8, "i1", ("f16", a), ("f16", B))
    assert np.array_equal(found, function(a, B)[::-1])


def test_affine_mask_with_a_bound():
    body = (
        "%r = vectorchain.create_affine_mask %three {mask_set = affine_set<(d0)[s0] : (s0 - d0 - 1 >= 0)>} "
        ": vector<8xi1>"
    )
    assert evaluate(body, 8, "i1").tolist() == [1, 1, 1, 0, 0, 0, 0, 0]


def test_lane_moves():
    inputs = (("f16", A), ("f16", B))
    body = f"%r = vectorchain.select %a {{selection_map = affine_map<(d0) -> (7 - d0)>}} : {V}, {V}"
    assert np.array_equal(evaluate(body, 8, "f16", *inputs), A[::-1])
    body = (
        f"%r = vectorchain.pack %a, %b {{indices = [0 : i32, 9 : i32], repetition = 2 : index}} "
        f": {V}, {V}, vector<4xf16>"
    )
    assert np.array_equal(evaluate(body, 4, "f16", *inputs), [A[0], B[1], A[0], B[1]])
    half = "affine_set<(d0) : (d0 >= 0, -d0 + 2 >= 0)>"
    body = (
        "%r = vectorchain.merge %a, %b {access_function_A = affine_map<(d0) -> (d0 + 1)>, "
        f"access_function_B = {ID}, access_function_CA = affine_map<(d0) -> (d0 * 2)>, "
        f"access_function_CB = affine_map<(d0) -> (d0 * 2 + 1)>, iteration_space_CA = {half}, "
        f"iteration_space_CB = {half}}} : {V}, {V}, {V}"
    )
    wanted = [A[1], B[0], A[2], B[1], A[3], B[2], 0, 0]
    assert np.array_equal(evaluate(body, 8, "f16", *inputs), wanted)
    body = (
        "%x = arith.constant 2.0 : f16\n%r = vectorchain.shuffle input(%a), pad(%x) {indices = [1 : i32, "
        "-1 : i32], repetition = 2 : i32} : vector<8xf16>, f16, vector<4xf16>"
    )
    assert np.array_equal(evaluate(body, 4, "f16", *inputs), [A[1], 2, A[1], 2])
    body = f"%r = vectorchain.rotate %a, %three {{right_shift = false}} : {V}, index, {V}"
    assert np.array_equal(evaluate(body, 8, "f16", *inputs), np.roll(A, -3))
    body = f"%r = vectorchain.rotate %a, %three : {V}, index, {V}"
    assert np.array_equal(evaluate(body, 8, "f16", *inputs), np.roll(A, 3))


@pytest.mark.parametrize("order", ["left_to_right", "right_to_left"])
def test_scan(order):
    body = (
        f"%r = vectorchain.scan_with_gap %a {{eval_order = #vectorchain<eval_order {order}>, gap = 3 : index, "
        f"reduction_op = #vectorchain<binary_operator add>}} : {V}, {V}"
    )
    wanted = A.copy() if order == "left_to_right" else A[::-1].copy()
    for i in range(3, 8):
        wanted[i] = wanted[i] + wanted[i - 3]
    wanted = wanted if order == "left_to_right" else wanted[::-1]
    assert np.array_equal(evaluate(body, 8, "f16", ("f16", A)), wanted)


def test_cast_and_constant():
    body = "%r = vectorchain.cast %a : vector<8xf16>, vector<8xi32>"
    assert np.array_equal(evaluate(body, 8, "i32", ("f16", A)), np.trunc(A).astype(np.int32))
    body = "%r = vectorchain.cast %a : vector<8xf16>, vector<8xf32>"
    assert np.array_equal(evaluate(body, 8, "f32", ("f16", A)), A.astype(np.float32))
    body = "%r = vectorchain.constant_bitstream {value = [0x3c00, 0xc000]} : vector<2xf16>"
    assert evaluate(body, 2, "f16").tolist() == [1, -2]


@pytest.mark.parametrize(
    ("op", "function"),
    [
        ("floor", np.floor),
        ("fast_exp", np.exp),
        ("rec_estimate", lambda x: 1 / x),
        ("ln_estimate", np.log),
        ("rsqrt_estimate", lambda x: 1 / np.sqrt(x)),
    ],
)
def test_unary(op, function):
    x = np.array([0.5, 1, 1.5, 2, 3, 4, 5.25, 9], np.float32)
    body = f"%r = vectorchain.{op} %a : vector<8xf32>, vector<8xf32>"
    found = evaluate(body, 8, "f32", ("f32", x))
    assert np.array_equal(found, function(x.astype(np.float64)).astype(np.float32))


def test_estimates_compose_to_what_they_estimate():
    x = np.linspace(-4, 4, 8).astype(np.float32)
    t = "vector<8xf32>"

    def versions(op: str, names: tuple[str, str], kind: str, combine: str) -> np.ndarray:
        parts = [
            f"%{n} = vectorchain.{op} %a {{version = #vectorchain<{kind} {n}>}} : {t}, {t}"
            for n in names
        ]
        return evaluate("\n".join([*parts, combine]), 8, "f32", ("f32", x))

    line = f"%m = arith.mulf %a, %slope : {t}\n%r = arith.addf %m, %offset : {t}"
    found = versions("sigmoid_estimate", ("slope", "offset"), "estimate_versions", line)
    np.testing.assert_allclose(found, 1 / (1 + np.exp(-x)), rtol=1e-5)
    found = versions("tanh_estimate", ("slope", "offset"), "estimate_versions", line)
    np.testing.assert_allclose(found, np.tanh(x), rtol=1e-5, atol=1e-6)
    text = (
        f"%p = vectorchain.exp_estimate %a {{version = #vectorchain<exp_estimate a>}} : {t}, {t}\n"
        f"%q = vectorchain.exp_estimate %a {{version = #vectorchain<exp_estimate b>}} : {t}, {t}\n"
        f"%r = arith.mulf %p, %q : {t}"
    )
    np.testing.assert_allclose(evaluate(text, 8, "f32", ("f32", x)), np.exp(x), rtol=1e-6)


def test_a_fold_by_an_operator_that_is_not_associative_is_an_error():
    with pytest.raises(RunError, match="binary operator 'sub' can't fold lanes"):
        evaluate(binary("sub", "affine_map<(d0) -> (0)>", 1), 1, "f16", ("f16", A), ("f16", B))


def test_upstream_text_runs_and_its_race_is_found():
    """The example of dfir §10.3 has no double buffer: the loader may overwrite what is still read."""
    path = DEVICE.with_name("twice.dfir.mlir")
    device = load_device(DEVICE)
    x = np.arange(256, dtype=np.float16).reshape(8, 32)

    def run(**options):
        module = parse_text(path.read_text(), path.name)
        return run_dataflow(module, {"x": x, "y": np.zeros_like(x)}, device, **options)

    results, report = run(conventions="scheduler")
    assert results["y"].shape == x.shape and report.cycles > 0
    with pytest.raises(RunError, match=r"overwrites byte \d+ of SPAD of core 0") as caught:
        run(conventions="scheduler", hazards=True)
    assert "C0-slu" in caught.value.message and caught.value.notes[0].location.position()
    with pytest.raises(RunError, match="doesn't say what its start address counts"):
        run()
