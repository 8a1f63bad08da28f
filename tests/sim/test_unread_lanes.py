"""Lanes behind the end of a row are computed and never stored: nothing that they give is a fault."""

from __future__ import annotations

import numpy as np
import pytest

import kt

SIZE = 13  # no multiple of any device's lanes

DIVIDE = {
    "divsi": lambda a, b: np.trunc(a / b),
    "ceildivsi": lambda a, b: np.ceil(a / b),
    "floordivsi": lambda a, b: a // b,
    "remsi": np.fmod,
}


def kernel(element, lines):
    """A kernel of ``%a`` and ``%b``, arrays of SIZE elements, that stores ``%r`` to ``%o``."""
    views = "".join(
        f"""
  %{n}v = ktdp.construct_memory_view %{n}, sizes: [{SIZE}], strides: [1]
    {{coordinate_set = #all, memory_space = #ktdp.memory_space<global>}} : memref<{SIZE}x{element}>
  %{n}t = ktdp.construct_access_tile %{n}v[%c0] {{access_tile_set = #all, access_tile_order = #id}}
    : memref<{SIZE}x{element}> -> !ktdp.access_tile<{SIZE}xindex>"""
        for n in "abo"
    )
    loads = "".join(f"\n  %{n}l = ktdp.load %{n}t : !ktdp.access_tile<{SIZE}xindex> -> $T" for n in "ab")
    text = f"""#all = affine_set<(i) : (i >= 0, -i + {SIZE - 1} >= 0)>
#id = affine_map<(i) -> (i)>
func.func @f(%a: index, %b: index, %o: index) attributes {{grid = [1]}} {{
  %c0 = arith.constant 0 : index{views}{loads}
{lines}
  ktdp.store %r, %ot : $T, !ktdp.access_tile<{SIZE}xindex>
  return
}}
"""
    return kt.parse(text.replace("$T", f"tensor<{SIZE}x{element}>"))


def computed(module, device, a, b):
    """The artifact's result, and the first pass that changes the meaning."""
    arguments = {"a": a, "b": b, "o": np.zeros_like(a)}
    found = kt.Runtime(kt.device(device)).load(kt.compile(module, device))(arguments)
    return found["o"].tolist(), kt.check(module, device, arguments).failed


@pytest.mark.parametrize("device", ["toy", "spyre"])
@pytest.mark.parametrize("op", DIVIDE)
def test_the_padding_of_a_divisor(op, device):
    random = np.random.default_rng(3)
    a = random.integers(-1000, 1000, SIZE, np.int32)
    b = random.integers(1, 30, SIZE, np.int32)
    module = kernel("i32", f"  %r = arith.{op} %al, %bl : $T")
    assert computed(module, device, a, b) == (DIVIDE[op](a, b).tolist(), None)


def test_the_padding_of_a_shift_amount():
    a, b = np.arange(SIZE, dtype=np.int32), np.arange(1, SIZE + 1, dtype=np.int32)
    lines = """  %one = arith.constant dense<1> : $T
  %by = arith.subi %bl, %one : $T
  %r = arith.shli %al, %by : $T"""
    assert computed(kernel("i32", lines), "toy", a, b) == ((a << (b - 1)).tolist(), None)


def test_the_padding_of_a_quotient_that_becomes_an_integer():
    a, b = np.full(SIZE, 7, np.float32), np.arange(1, SIZE + 1, dtype=np.float32)
    lines = f"""  %q = arith.divf %al, %bl : $T
  %i = arith.fptosi %q : $T to tensor<{SIZE}xi32>
  %r = arith.sitofp %i : tensor<{SIZE}xi32> to $T"""
    assert computed(kernel("f32", lines), "toy", a, b) == (np.trunc(a / b).tolist(), None)


def test_an_element_of_the_kernel_without_a_value_is_a_fault():
    module = kernel("i32", "  %r = arith.divsi %al, %bl : $T")
    ones = np.ones(SIZE, np.int32)
    with pytest.raises(kt.KtError, match=r"divsi: division by zero at element \[4\]"):
        kt.simulate(module, {"a": ones, "b": ones - (np.arange(SIZE) == 4), "o": ones})
