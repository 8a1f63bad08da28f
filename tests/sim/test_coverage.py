"""Every operation of the KTIR level can be executed; the ones added last, against NumPy."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

import numpy as np
import pytest

import kt.ir.dialects
from kt.ir.diagnostics import RunError
from kt.ir.registry import OPS
from kt.parse import parse_text
from kt.sim.interp import HANDLERS, load_handlers
from kt.sim.machine import Machine
from kt.sim.semantics import SEMANTICS
from kt.sim.simulate import simulate

LEVEL = (
    "affine", "arith", "builtin", "cf", "func", "kt", "ktdp", "linalg", "math", "memref", "scf",
    "spyreop", "tensor",
)  # fmt: skip
NOT_RUN = {
    "builtin.module": "holds functions; the driver picks one of them",
    "func.func": "is entered by the driver or by a call, not passed by",
}


def test_every_op_of_the_level_has_a_meaning() -> None:
    for module in pkgutil.iter_modules(kt.ir.dialects.__path__):
        importlib.import_module(f"kt.ir.dialects.{module.name}")
    for dialect in LEVEL:
        load_handlers(dialect)
    names = [n for n in OPS if n.split(".")[0] in LEVEL]
    assert {n.split(".")[0] for n in names} == set(LEVEL)
    without = {n for n in names if n not in HANDLERS and n not in SEMANTICS}
    assert without == set(NOT_RUN)


def run(text: str, arguments: Any = (), **options: Any) -> dict[str, Any]:
    return simulate(parse_text(text), arguments, **options)


GRID = "attributes {grid = [3]}"


def test_forall_fills_shared_tensors() -> None:
    text = """func.func @f(%x: tensor<4x6xf32>, %n: index) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
      %e = tensor.empty() : tensor<4x6xf32>
      %r:2 = scf.forall (%i, %j) = (0, 0) to (%n, 6) step (2, 3) shared_outs(%a = %x, %b = %e)
          -> (tensor<4x6xf32>, tensor<4x6xf32>) {
        %s = tensor.extract_slice %a[%i, %j] [2, 3] [1, 1] : tensor<4x6xf32> to tensor<2x3xf32>
        %d = arith.addf %s, %s : tensor<2x3xf32>
        %m = arith.negf %s : tensor<2x3xf32>
        scf.forall.in_parallel {
          tensor.parallel_insert_slice %d into %a[%i, %j] [2, 3] [1, 1]
            : tensor<2x3xf32> into tensor<4x6xf32>
          tensor.parallel_insert_slice %m into %b[%i, %j] [2, 3] [1, 1]
            : tensor<2x3xf32> into tensor<4x6xf32>
        }
      }
      return %r#0, %r#1 : tensor<4x6xf32>, tensor<4x6xf32>
    }"""
    x = np.arange(24, dtype=np.float32).reshape(4, 6)
    found = run(text, [x, 4])
    assert (found["result0"] == 2 * x).all()
    assert (found["result1"] == -x).all()
    part = run(text.replace("(tensor<4x6xf32>, tensor<4x6xf32>) {\n      %e", "tensor<4x6xf32> {\n      %e")
               .replace("return %r#0, %r#1 : tensor<4x6xf32>, tensor<4x6xf32>", "return %r#0 : tensor<4x6xf32>"), [x, 2])  # fmt: skip
    assert (part["result0"] == np.vstack([2 * x[:2], x[2:]])).all()


def test_forall_slices_that_differ_between_tiles() -> None:
    text = f"""func.func @f() -> tensor<6xindex> {GRID} {{
      %c0 = arith.constant 0 : index
      %t = ktdp.get_compute_tile_id : index
      %z = tensor.splat %c0 : tensor<6xindex>
      %r = scf.forall (%i) in (2) shared_outs(%a = %z) -> (tensor<6xindex>) {{
        %at = arith.addi %t, %i : index
        %v = tensor.from_elements %at : tensor<1xindex>
        scf.forall.in_parallel {{
          tensor.parallel_insert_slice %v into %a[%at] [1] [1] : tensor<1xindex> into tensor<6xindex>
        }}
      }}
      return %r : tensor<6xindex>
    }}"""
    want = [[0, 1, 0, 0, 0, 0], [0, 1, 2, 0, 0, 0], [0, 0, 2, 3, 0, 0]]
    assert run(text)["result0"].tolist() == want


def test_affine_parallel_reduces() -> None:
    text = """func.func @f(%n: index) -> (i64, i64) {
      %r:2 = affine.parallel (%i, %j) = (0, 1) to (min(%n, 5), 4) step (1, 2)
          reduce ("addi", "maxs") -> (i64, i64) {
        %p = arith.muli %i, %j : index
        %v = arith.index_cast %p : index to i64
        affine.yield %v, %v : i64, i64
      }
      return %r#0, %r#1 : i64, i64
    }"""
    points = [i * j for i in range(5) for j in (1, 3)]
    found = run(text, [9])
    assert (found["result0"], found["result1"]) == (sum(points), max(points))
    assert run(text, [0])["result1"] == -(2**63)  # nothing is combined: the identity of maxs


def test_affine_vectors() -> None:
    text = """func.func @f(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
      affine.for %i = 0 to 3 {
        %v = affine.vector_load %x[%i + 1, 4] : memref<4x8xf32>, vector<4xf32>
        %w = arith.addf %v, %v : vector<4xf32>
        affine.vector_store %w, %y[%i, 0] : memref<4x8xf32>, vector<4xf32>
      }
      %q = affine.vector_load %x[2, 6] : memref<4x8xf32>, vector<2x2xf32>
      affine.vector_store %q, %y[2, 6] : memref<4x8xf32>, vector<2x2xf32>
      return
    }"""
    x = np.arange(32, dtype=np.float32).reshape(4, 8)
    y = run(text, [x, np.zeros_like(x)])["y"]
    want = np.zeros_like(x)
    want[:3, :4] = 2 * x[1:, 4:]
    want[2:, 6:] = x[2:, 6:]
    assert (y == want).all()
    with pytest.raises(RunError, match="dimension 1 has coordinates 0 to 7"):
        run(text.replace("%i + 1, 4", "%i + 1, 5"), [x, x])


GATHER = """func.func @f(%x: tensor<5x4x3xf32>, %i: tensor<2x2xi32>) -> TYPE attributes {grid = [1]} {
  %g = tensor.gather %x[%i] gather_dims([0, 2]) : (tensor<5x4x3xf32>, tensor<2x2xi32>) -> TYPE
  return %g : TYPE
}"""


@pytest.mark.parametrize("shape", [(2, 4), (2, 1, 4, 1)])
def test_tensor_gather(shape: tuple[int, ...]) -> None:
    x = np.arange(60, dtype=np.float32).reshape(5, 4, 3)
    i = np.array([[4, 0], [2, 1]], np.int32)
    text = GATHER.replace("TYPE", f"tensor<{'x'.join(map(str, shape))}xf32>")
    want = np.stack([x[4, :, 0], x[2, :, 1]]).reshape(shape)
    assert (run(text, [x, i])["result0"] == want).all()
    i[1, 1] = 3
    with pytest.raises(RunError, match="coordinate 3 along dimension 2 of a tensor with 3 there"):
        run(text, [x, i])


def test_tensor_lists_that_differ_between_tiles() -> None:
    text = f"""func.func @f(%x: tensor<4x2xf32>, %y: tensor<2xf32>)
        -> (tensor<1x2xf32>, tensor<4x2xf32>) {GRID} {{
      %t = ktdp.get_compute_tile_id : index
      %i = tensor.from_elements %t : tensor<1x1xindex>
      %g = tensor.gather %x[%i] gather_dims([0])
        : (tensor<4x2xf32>, tensor<1x1xindex>) -> tensor<1x2xf32>
      %r = tensor.expand_shape %y [[0, 1]] output_shape [1, 2] : tensor<2xf32> into tensor<1x2xf32>
      %s = tensor.scatter %r into %x[%i] scatter_dims([0]) unique
        : (tensor<1x2xf32>, tensor<4x2xf32>, tensor<1x1xindex>) -> tensor<4x2xf32>
      return %g, %s : tensor<1x2xf32>, tensor<4x2xf32>
    }}"""
    x = np.arange(8, dtype=np.float32).reshape(4, 2)
    found = run(text, [x, np.array([-1, -2], np.float32)])
    for tile in range(3):
        want = x.copy()
        want[tile] = -1, -2
        assert (found["result0"][tile] == x[tile : tile + 1]).all()
        assert (found["result1"][tile] == want).all()


def test_points_of_a_tensor_that_differ_between_tiles() -> None:
    diagonal = "affine_set<(i, j) : (i >= 0, -i + 1 >= 0, i - j == 0)>"
    text = f"""func.func @f(%x: tensor<4x4xf32>) -> tensor<2x1xf32> {GRID} {{
      %t = ktdp.get_compute_tile_id : index
      %a = "ktdp.construct_access_tile"(%x, %t, %t) <{{access_tile_set = {diagonal},
        access_tile_order = affine_map<(i, j) -> (i, j)>, base_map = affine_map<(i, j) -> (i, j)>,
        operandSegmentSizes = array<i32: 1, 2, 0>}}> : (tensor<4x4xf32>, index, index)
        -> !ktdp.access_tile<2x1xindex>
      %v = ktdp.load %a : <2x1xindex> -> tensor<2x1xf32>
      return %v : tensor<2x1xf32>
    }}"""
    x = np.arange(16, dtype=np.float32).reshape(4, 4)
    for batch in (None, 1):
        got = run(text, [x], batch=batch)["result0"]
        assert got[:, :, 0].tolist() == [[x[t, t], x[t + 1, t + 1]] for t in range(3)]
    beyond = text.replace("grid = [3]", "grid = [4]")
    with pytest.raises(RunError, match="on tile 3: reads coordinate 4 along dimension 0"):
        run(beyond, [x])


def test_other_views_of_a_buffer() -> None:
    text = """func.func @f(%x: memref<32xi8>, %s: memref<2xi32>)
        -> (index, index, index, f32) {
      %c3 = arith.constant 3 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      %v = memref.view %x[%c8][] : memref<32xi8> to memref<6xf32>
      %r = memref.reshape %v(%s) : (memref<6xf32>, memref<2xi32>) -> memref<2x3xf32>
      %e = memref.load %r[%c1, %c1] : memref<2x3xf32>
      %sub = memref.subview %r[1, 1] [1, 2] [1, 1]
        : memref<2x3xf32> to memref<1x2xf32, strided<[3, 1], offset: 4>>
      %b, %o, %sz:2, %st:2 = memref.extract_strided_metadata %sub
        : memref<1x2xf32, strided<[3, 1], offset: 4>> -> memref<f32>, index, index, index, index, index
      return %o, %sz#1, %st#0, %e : index, index, index, f32
    }"""
    values = np.arange(8, dtype=np.float32)
    found = run(text, [values.view(np.int8), np.array([2, 3], np.int32)])
    assert [found[f"result{i}"] for i in range(4)] == [4, 2, 3, values[2 + 4]]


def test_atomics_add_up_and_are_no_race() -> None:
    text = f"""func.func @f(%x: memref<2xi32>) -> i32 {GRID} {{
      %c0 = arith.constant 0 : index
      %t = ktdp.get_compute_tile_id : index
      %v = arith.index_cast %t : index to i32
      %old = memref.atomic_rmw addi %v, %x[%c0] : (i32, memref<2xi32>) -> i32
      return %old : i32
    }}"""
    found = run(text, [np.array([10, 7], np.int32)])
    assert found["x"].tolist() == [10 + 0 + 1 + 2, 7]
    assert found["result0"].tolist() == [10, 10, 11]


def test_atomics_with_a_region_add_up() -> None:
    text = f"""func.func @f(%x: memref<2xi32>) -> i32 {GRID} {{
      %c1 = arith.constant 1 : index
      %t = ktdp.get_compute_tile_id : index
      %v = arith.index_cast %t : index to i32
      %old = memref.generic_atomic_rmw %x[%c1] : memref<2xi32> {{
      ^bb0(%held: i32):
        %twice = arith.addi %held, %held : i32
        %sum = arith.addi %twice, %v : i32
        memref.atomic_yield %sum : i32
      }}
      return %old : i32
    }}"""
    found = run(text, [np.array([10, 7], np.int32)])
    assert found["x"].tolist() == [10, ((7 * 2 + 0) * 2 + 1) * 2 + 2]
    assert found["result0"].tolist() == [7, 14, 29]


def test_memory_grows_and_keeps_its_elements() -> None:
    text = """func.func @f(%x: memref<2xi32>, %n: index) -> (i32, index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %small = memref.alloc() : memref<2xi32>
      %v = memref.load %x[%c1] : memref<2xi32>
      memref.store %v, %small[%c0] : memref<2xi32>
      memref.store %v, %small[%c1] : memref<2xi32>
      %large = memref.realloc %small(%n) : memref<2xi32> to memref<?xi32>
      %a, %b = memref.distinct_objects %large, %x : memref<?xi32>, memref<2xi32>
      memref.store %v, %a[%n_1] : memref<?xi32>
      %w = memref.load %a[%c1] : memref<?xi32>
      %size = memref.dim %a, %c0 : memref<?xi32>
      return %w, %size : i32, index
    }""".replace("[%n_1]", "[%last]").replace(
        "%large =", "%last = arith.subi %n, %c1 : index\n      %large ="
    )
    found = run(text, [np.array([10, 7], np.int32), 5])
    assert [found["result0"], found["result1"]] == [7, 5]


def test_softmax_is_rounded_once() -> None:
    text = """func.func @f(%x: tensor<3x5xf16>) -> tensor<3x5xf16> {
      %e = tensor.empty() : tensor<3x5xf16>
      %y = linalg.softmax dimension(0) ins(%x : tensor<3x5xf16>) outs(%e : tensor<3x5xf16>) -> tensor<3x5xf16>
      return %y : tensor<3x5xf16>
    }"""
    x = np.random.default_rng(3).normal(0, 4, (3, 5)).astype(np.float16)
    wide = np.exp(x.astype(np.float64))
    assert (run(text, [x])["result0"] == (wide / wide.sum(0)).astype(np.float16)).all()


def test_tiles_of_a_tensor_and_back() -> None:
    text = """func.func @f(%x: tensor<5x6xi32>, %pad: i32, %k: index) -> (tensor<3x2x2x3xi32>, tensor<5x6xi32>) {
      %e = tensor.empty(%k) : tensor<3x2x2x?xi32>
      %p = linalg.pack %x padding_value(%pad : i32) outer_dims_perm = [0, 1] inner_dims_pos = [0, 1] inner_tiles = [2, %k] into %e : tensor<5x6xi32> -> tensor<3x2x2x?xi32>
      %q = tensor.cast %p : tensor<3x2x2x?xi32> to tensor<3x2x2x3xi32>
      %s = tensor.empty() : tensor<2x3x3x2xi32>
      %t = linalg.pack %x padding_value(%pad : i32) outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [3, 2] into %s : tensor<5x6xi32> -> tensor<2x3x3x2xi32>
      %d = tensor.empty() : tensor<5x6xi32>
      %u = linalg.unpack %t outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [3, 2] into %d : tensor<2x3x3x2xi32> -> tensor<5x6xi32>
      return %q, %u : tensor<3x2x2x3xi32>, tensor<5x6xi32>
    }"""
    x = np.arange(30, dtype=np.int32).reshape(5, 6)
    found = run(text, [x, -1, 3])
    for i, j in np.ndindex(6, 6):
        wanted = x[i, j] if i < 5 else -1
        assert found["result0"][i // 2, j // 3, i % 2, j % 3] == wanted
    assert (found["result1"] == x).all()


def test_a_convolution_with_strides_and_dilations() -> None:
    text = """func.func @f(%x: tensor<1x9x8x3xi8>, %k: tensor<2x3x3x4xi8>, %y: tensor<1x4x2x4xi32>) -> tensor<1x4x2x4xi32> {
      %0 = linalg.conv_2d_nhwc_hwcf {dilations = dense<[1, 2]> : tensor<2xi64>, strides = dense<[2, 3]> : tensor<2xi64>} ins(%x, %k : tensor<1x9x8x3xi8>, tensor<2x3x3x4xi8>) outs(%y : tensor<1x4x2x4xi32>) -> tensor<1x4x2x4xi32>
      return %0 : tensor<1x4x2x4xi32>
    }"""
    numbers = np.random.default_rng(1)
    x = numbers.integers(-128, 128, (1, 9, 8, 3)).astype(np.int8)
    k = numbers.integers(-128, 128, (2, 3, 3, 4)).astype(np.int8)
    y = numbers.integers(-9, 9, (1, 4, 2, 4)).astype(np.int32)
    wanted = y.astype(np.int64)
    for oh, ow, f, kh, kw, c in np.ndindex(4, 2, 4, 2, 3, 3):
        wanted[0, oh, ow, f] += int(x[0, oh * 2 + kh, ow * 3 + kw * 2, c]) * int(k[kh, kw, c, f])
    assert (run(text, [x, k, y])["result0"] == wanted).all()


def test_a_pooling_and_zero_points() -> None:
    text = """func.func @f(%x: tensor<1x6x4xi8>, %w: tensor<3xi8>, %y: tensor<1x2x4xi32>, %a: tensor<2x3xi8>, %b: tensor<3x2xi8>, %za: i32, %zb: i32, %c: tensor<2x2xi32>) -> (tensor<1x2x4xi32>, tensor<2x2xi32>) {
      %0 = linalg.pooling_nwc_max_unsigned {strides = dense<3> : tensor<1xi64>} ins(%x, %w : tensor<1x6x4xi8>, tensor<3xi8>) outs(%y : tensor<1x2x4xi32>) -> tensor<1x2x4xi32>
      %1 = linalg.quantized_matmul ins(%a, %b, %za, %zb : tensor<2x3xi8>, tensor<3x2xi8>, i32, i32) outs(%c : tensor<2x2xi32>) -> tensor<2x2xi32>
      return %0, %1 : tensor<1x2x4xi32>, tensor<2x2xi32>
    }"""
    numbers = np.random.default_rng(2)
    x = numbers.integers(-128, 128, (1, 6, 4)).astype(np.int8)
    y = np.full((1, 2, 4), 100, np.int32)
    a = numbers.integers(-128, 128, (2, 3)).astype(np.int8)
    b = numbers.integers(-128, 128, (3, 2)).astype(np.int8)
    c = numbers.integers(-9, 9, (2, 2)).astype(np.int32)
    found = run(text, [x, np.zeros(3, np.int8), y, a, b, 5, -3, c])
    unsigned = x.view(np.uint8).astype(np.int32).reshape(1, 2, 3, 4).max(2)
    assert (found["result0"] == np.maximum(unsigned, 100)).all()
    assert (found["result1"] == c + (a.astype(np.int32) - 5) @ (b.astype(np.int32) + 3)).all()


def test_a_call_of_a_function_value() -> None:
    text = """func.func @double(%x: f32) -> f32 {
      %y = arith.addf %x, %x : f32
      return %y : f32
    }
    func.func @f(%x: f32) -> f32 {
      %g = func.constant @double : (f32) -> f32
      %y = func.call_indirect %g(%x) : (f32) -> f32
      return %y : f32
    }"""
    assert run(text, [1.5], func="f")["result0"] == 3


def test_scales_are_powers_of_two() -> None:
    text = """func.func @f(%x: f16, %s: f32) -> (f32, f16) {
      %u = arith.scaling_extf %x, %s : f16, f32 to f32
      %d = arith.scaling_truncf %u, %s : f32, f32 to f16
      return %u, %d : f32, f16
    }"""
    found = run(text, [3.0, 5.5])  # 5.5 = 1.375 * 2^2: only the exponent counts
    assert (found["result0"], found["result1"]) == (12.0, 3.0)


def test_bits_of_a_tensor() -> None:
    text = """func.func @f(%x: tensor<3xf32>) -> tensor<3xi32> {
      %y = tensor.bitcast %x : tensor<3xf32> to tensor<3xi32>
      return %y : tensor<3xi32>
    }"""
    x = np.array([1.0, -0.0, np.inf], np.float32)
    assert (run(text, [x])["result0"] == x.view(np.int32)).all()


def test_a_pointer_as_a_number() -> None:
    text = """func.func @f(%x: memref<4xf32>) -> index {
      %p = memref.extract_aligned_pointer_as_index %x : memref<4xf32> -> index
      return %p : index
    }"""
    x = np.zeros(4, np.float32)
    machine = Machine()
    assert run(text, [x], memory_map={"x": 512}, machine=machine)["result0"] == 512
