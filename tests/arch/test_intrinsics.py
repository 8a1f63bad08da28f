"""Every intrinsic of kernels on every shipped device: patterns lower it, and the result stays the same.

What the lowered kernel gives is compared with float64, within the ulp that the device's template
(or the generic expansion) states, and with the kernel's own meaning.
"""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from lane_kernels import COUNT, form, kernel_text, run_kernel, run_lowered, spacing

import kt
from kt.arch import shipped_devices
from kt.arch.files import imported_module
from kt.ir.diagnostics import UNKNOWN, KtError
from kt.ir.symbols import lookup
from kt.sim.semantics.special import erfc

HALVES, FLOATS = ("f16", "!spyreop.df16"), ("f16", "!spyreop.df16", "f32")


def sigmoid(x: np.ndarray) -> np.ndarray:
    small = np.exp(-np.abs(x))
    return np.where(x < 0, small, 1.0) / (1.0 + small)


FLOAT_OPS = {
    # op: (body on %x0, …; types; number of operands; reference in float64)
    "exp": ("%y0 = spyreop.exp %x0 : T", FLOATS, 1, np.exp),
    "sigmoid": ("%y0 = spyreop.sigmoid %x0 : T", FLOATS, 1, sigmoid),
    "silu": ("%y0 = spyreop.silu %x0 : T", FLOATS, 1, lambda x: x * sigmoid(x)),
    "gelu": ("%y0 = spyreop.gelu %x0 : T", HALVES, 1, lambda x: 0.5 * x * erfc(-x / math.sqrt(2))),
    "softplus": (
        "%y0 = spyreop.softplus %x0 beta 0.5 threshold 4.0 : T", HALVES, 1,
        lambda x: np.where(0.5 * x > 4.0, x, np.log1p(np.exp(0.5 * x)) / 0.5),
    ),
    "sqrt": ("%y0 = spyreop.sqrt %x0 : T", FLOATS, 1, np.sqrt),
    "rsqrt": ("%y0 = spyreop.rsqrt %x0 : T", FLOATS, 1, lambda x: 1 / np.sqrt(x)),
    "reciprocal": ("%y0 = spyreop.reciprocal %x0 : T", FLOATS, 1, lambda x: 1 / x),
    "realdiv": ("%y0 = spyreop.realdiv %x0, %x1 : T", FLOATS, 2, lambda a, b: a / b),
    "layernormscale": (
        "%y0 = spyreop.layernormscale %x0 squares %x1 : T", FLOATS, 2,
        lambda mean, squares: 1 / np.sqrt(squares - mean * mean),
    ),
    "layernormscale_old": ("%y0 = spyreop.layernormscale %x0 : T", FLOATS, 1, lambda v: 1 / np.sqrt(v)),
    "layernormnorm": (
        "%y0 = spyreop.layernormnorm %x0 squares %x1 scale %x2 weight %x3 bias %x4 : T", FLOATS, 5,
        lambda x, mean, scale, weight, bias: (x - mean) * scale * weight + bias,
    ),
    "exx2": ("%y0, %y1 = spyreop.exx2 %x0 : T", FLOATS, 1, lambda x: (x, x * x)),
}  # fmt: skip
PAIRS = {"f16": "fp16", "!spyreop.df16": "df16", "f32": "fp32"}
"""Packed statistics: a pair can't be stored, so what is made of it is. 1/√(x² - 0²) = 1/|x|."""
FLOAT_OPS["layernormscale_fused"] = (
    "%s = spyreop.exx2_zeromean_fused %x0 : T -> !spyreop.PAIR_fused\n"
    "%y0 = spyreop.layernormscale_fused %s : !spyreop.PAIR_fused -> T", FLOATS, 1,
    lambda x: 1 / np.abs(x),
)  # fmt: skip
POSITIVE = ("sqrt", "rsqrt", "layernormscale_old")


def operands(op: str, count: int, type: str) -> list[np.ndarray]:
    """Reproducible inputs of a format: normal numbers around 1, far ones, and small ones."""
    from kt.ir.numbers import decode, encode

    random = np.random.default_rng([len(op), count])
    found = []
    for i in range(count):
        x = random.normal(0, 1, COUNT) * np.exp2(random.integers(-4, 3, COUNT))
        if op in POSITIVE or (op == "layernormnorm" and i > 0):
            x = np.abs(x) + 2.0**-8
        if op == "layernormnorm" and i == 0:
            x = (
                np.abs(x) + 256.0
            )  # no cancellation: its error is one of the operands', not the op's
        if op == "layernormscale_fused":
            x = np.abs(x) + 0.25  # the square, which the pair holds in the format, is no tiny number
        if op == "layernormscale":
            x = np.abs(x) + (64.0 if i else 0.0) if i else np.clip(x, -4, 4)
        found.append(decode(encode(x, form(type)), form(type)))
    return found


EXPANSIONS = {
    "layernormscale": "scale",
    "layernormscale_old": "scale_of_variance",
    "layernormnorm": "normalise",
}


def stated_ulp(op: str, program: object) -> float:
    """What the template in the artifact states, else what the generic expansion does (at least one)."""
    stated = re.findall(r"kt\.ulp = (\d+)", program.templates)  # type: ignore[attr-defined]
    if stated:
        return max(map(int, stated))
    library = imported_module("kt:patterns/intrinsics", UNKNOWN)
    function = lookup(library, EXPANSIONS.get(op, op))
    found = function.attr("kt.ulp") if function is not None else None
    return 1 if found is None else found.value


@pytest.mark.parametrize("device", shipped_devices())
@pytest.mark.parametrize("op", FLOAT_OPS)
def test_float_intrinsics(op: str, device: str) -> None:
    body, types, count, reference = FLOAT_OPS[op]
    for type in types:
        outputs = [type] * len(set(re.findall(r"%y\d", body)))
        written = re.sub(r"\bT\b", type, body).replace("PAIR", PAIRS[type])
        text = kernel_text(written, [type] * count, outputs)
        inputs = operands(op, count, type)
        found, program = run_lowered(text, kt.device(device), inputs, [type] * count, outputs)
        wide = reference(*(np.asarray(x, np.float64) for x in inputs))
        wide = wide if isinstance(wide, tuple) else (wide,)
        meant = run_kernel(text, inputs, [type] * count, outputs)
        ulp = stated_ulp(op, program)
        for got, exact, kernel in zip(found, wide, meant, strict=True):
            error = np.abs(np.asarray(got, np.float64) - exact) / spacing(exact, form(type))
            assert error.max() <= ulp, (
                f"{op} on {type}: {error.max():.2f} ulp at {inputs[0][error.argmax()]}"
            )
            apart = np.abs(np.asarray(got, np.float64) - np.asarray(kernel, np.float64))
            assert (apart <= (ulp + 0.5) * spacing(exact, form(type))).all()


INTEGER_OPS = {
    "addi32": ("%y0 = spyreop.addi32toi32 %x0, %x1", "i32", 2),
    "muli32": ("%y0 = spyreop.muli32toi32 %x0, %x1", "i32", 2),
    "addi64": ("%y0 = spyreop.addi64toi64 %x0, %x1", "i64", 2),
    "idx32": ("%y0 = spyreop.idx32toaddr %x0 base %x1 stride %x2", "i32", 3),
    "idx32_old": ("%y0 = spyreop.idx32toaddr %x0 base 0x00001000 stride 12", "i32", 1),
}  # fmt: skip


@pytest.mark.parametrize("device", shipped_devices())
@pytest.mark.parametrize("op", INTEGER_OPS)
def test_integer_intrinsics_wrap_around(op: str, device: str) -> None:
    body, type, count = INTEGER_OPS[op]
    bits = int(type[1:])
    random = np.random.default_rng(len(op))
    inputs = [
        random.integers(-(2 ** (bits - 1)), 2 ** (bits - 1), COUNT, dtype=np.int64).astype(
            f"i{bits // 8}"
        )
        for _ in range(count)
    ]
    a, b, c = (*map(lambda x: x.astype(object), inputs), 0, 0)[:3]
    exact = {
        "addi32": a + b,
        "addi64": a + b,
        "muli32": a * b,
        "idx32": b + c * a,
        "idx32_old": 4096 + 12 * a,
    }[op]
    exact = (exact + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1)
    found, _ = run_lowered(
        kernel_text(body, [type] * count, [type]), kt.device(device), inputs, [type] * count, [type]
    )
    assert found[0].tolist() == exact.tolist()


@pytest.mark.parametrize("device", shipped_devices())
def test_special_values(device: str) -> None:
    """Zeros, infinities, NaN and the ends of f16 give what the intrinsic means."""
    special = np.array(
        [0.0, -0.0, np.inf, -np.inf, np.nan, 65504.0, -65504.0, 6e-8, -6e-8, 11.0, -17.0]
    )
    values = np.resize(special, COUNT).astype(np.float16)
    for op in ("exp", "sigmoid", "sqrt", "rsqrt", "reciprocal"):
        text = kernel_text(FLOAT_OPS[op][0].replace(": T", ": f16"), ["f16"], ["f16"])
        (found,), _ = run_lowered(text, kt.device(device), [values], ["f16"], ["f16"])
        (meant,) = run_kernel(text, [values], ["f16"], ["f16"])
        np.testing.assert_allclose(found, meant, rtol=2**-10, atol=2**-24, err_msg=op)


def test_devices_use_different_ways() -> None:
    """One intrinsic, three lowerings."""
    text = kernel_text("%y0 = spyreop.exp %x0 : f16", ["f16"], ["f16"])
    templates = [
        kt.compile(kt.parse(text), kt.device(d)).templates for d in ("toy", "spyre", "mesh")
    ]
    assert "math.roundeven" in templates[0] and "math.exp2" not in templates[0]
    assert "math.exp2" in templates[1]
    assert templates[2] == "", "mesh has no instruction: additions and multiplications on vectors"


BARE = """
#q = {ktdf_arch.features = {ktdf_arch.feature.queue = {ordered, depth = 2}}}
ktdf_arch.device @bare attributes {mem_space_mapping = #ktdf_arch.map<#ktdp.memory_space<global> = "BIG", #ktdp.memory_space<ct_local> = "SMALL">} {
  %big = memory {kind = "BIG", size = 65536}
  group @core {kind = "core", kt.role = "core"} share(%big) {
    %pad = memory {kind = "SMALL", size = 4096}
    %in = exec_unit {kind = "IN", kt.partial = 2, ktdf_arch.features = {ktdf_arch.feature.load}}
    %out = exec_unit {kind = "OUT", kt.partial = 2, ktdf_arch.features = {ktdf_arch.feature.store}}
    %ld = exec_unit {kind = "LD", ktdf_arch.features = {ktdf_arch.feature.load, ktdf_arch.feature.simd = {splat, zero_pad}}}
    %st = exec_unit {kind = "ST", ktdf_arch.features = {ktdf_arch.feature.store}}
    %alu = exec_unit {kind = "ALU", ktdf_arch.features = {ktdf_arch.feature.compute,
      ktdf_arch.feature.simd = {lanes = #ktdf_arch.map<f16 = 8, f32 = 4>}}}
    datapath %big to %in : memory, exec_unit
    datapath %in to %pad : exec_unit, memory
    datapath %pad to %out : memory, exec_unit
    datapath %out to %big : exec_unit, memory
    datapath %pad to %ld : memory, exec_unit
    datapath #q %ld to %alu : exec_unit, exec_unit
    datapath #q %alu to %st : exec_unit, exec_unit
    datapath %st to %pad : exec_unit, memory
  }
  PATTERNS
}
"""


def test_a_device_without_the_intrinsic_names_it_and_the_line(tmp_path) -> None:
    (tmp_path / "bare.mlir").write_text(BARE.replace("PATTERNS", ""))
    text = kernel_text("%y0 = spyreop.gelu %x0 : f16", ["f16"], ["f16"])
    with pytest.raises(KtError) as caught:
        kt.compile(kt.parse(text, "k.mlir"), kt.device(tmp_path / "bare.mlir"))
    line = 1 + text[: text.index("spyreop.gelu")].count("\n")
    assert "device @bare has no instruction for 'spyreop.gelu'" in caught.value.message
    assert caught.value.render().startswith(f"k.mlir:{line}:")
    assert "kt.import" in caught.value.render()


def test_a_device_may_import_the_generic_patterns(tmp_path) -> None:
    imports = 'patterns ["pre_mapping"] attributes {kt.import = "kt:patterns/intrinsics"} {}'
    (tmp_path / "bare.mlir").write_text(BARE.replace("PATTERNS", imports))
    text = kernel_text("%y0 = spyreop.gelu %x0 : f16", ["f16"], ["f16"])
    (values,) = operands("gelu", 1, "f16")
    (found,), _ = run_lowered(text, kt.device(tmp_path / "bare.mlir"), [values], ["f16"], ["f16"])
    (meant,) = run_kernel(text, [values], ["f16"], ["f16"])
    np.testing.assert_allclose(found, meant, rtol=2**-10, atol=2**-24)
