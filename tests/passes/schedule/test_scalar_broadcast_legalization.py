"""Operands with one element for all lanes."""

from __future__ import annotations

from pathlib import Path

import pytest

from kt.ir.diagnostics import PassError
from kt.ir.dialects import ktdf
from kt.parse import parse_text
from kt.passes.manager import PassManager
from kt.passes.pipelines import ktir_to_schedule

KERNEL = """
ktdf_arch.device @DEVICE attributes {mem_space_mapping = #ktdf_arch.map<#ktdp.memory_space<global> = "MEMORY", #ktdp.memory_space<ct_local> = "PAD">} import("IMPORT")
#s1 = affine_set<(d0) : (d0 >= 0, -d0 + 3 >= 0)>
#s2 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 63 >= 0)>
func.func @k(%c: index, %o: index) attributes {grid = [1]} {
  %z = arith.constant 0 : index
  %cv = ktdp.construct_memory_view %c, sizes: [4], strides: [1] {coordinate_set = #s1, memory_space = #ktdp.memory_space<global>} : memref<4xf16>
  %ov = ktdp.construct_memory_view %o, sizes: [4, 64], strides: [64, 1] {coordinate_set = #s2, memory_space = #ktdp.memory_space<global>} : memref<4x64xf16>
  %ct = ktdp.construct_access_tile %cv[%z] {access_tile_set = #s1, access_tile_order = affine_map<(d0) -> (d0)>} : memref<4xf16> -> !ktdp.access_tile<4xindex>
  %ot = ktdp.construct_access_tile %ov[%z, %z] {access_tile_set = #s2, access_tile_order = affine_map<(d0, d1) -> (d0, d1)>} : memref<4x64xf16> -> !ktdp.access_tile<4x64xindex>
  %x = ktdp.load %ct : <4xindex> -> tensor<4xf16>
  %e = tensor.empty() : tensor<4x64xf16>
  %b = linalg.broadcast ins(%x : tensor<4xf16>) outs(%e : tensor<4x64xf16>) dimensions = [1]
  %n = arith.negf %b : tensor<4x64xf16>
  ktdp.store %n, %ot : tensor<4x64xf16>, <4x64xindex>
  return
}
"""
FOLDER = Path(__file__).parents[2] / "corpus" / "golden_front"


def kernel(device, memory, path):
    return KERNEL.replace("DEVICE", device).replace("MEMORY", memory).replace("IMPORT", path)


def test_the_loader_repeats_the_element():
    module = parse_text(kernel("toy", "MAIN", "kt:toy"))
    PassManager(ktir_to_schedule()).run(module)
    moved = [
        (op.transfer_mode, op.source_side.sizes, op.dest_side.sizes)
        for op in module.walk_type(ktdf.DataTransferOp)
    ]
    assert moved[:2] == [(None, (1,), (1,)), ("splat", (1,), (8,))]
    (read,) = module.walk_type(ktdf.ReadFromFifoOp)
    assert read.fifo_slot.type.count == 8 and read.result.type.shape == (1, 8)


def test_no_unit_can_repeat_it(monkeypatch):
    monkeypatch.chdir(FOLDER)
    module = parse_text(kernel("pebble", "HBM", "pebble.mlir"))
    with pytest.raises(PassError, match="has the splat feature") as refused:
        PassManager(ktir_to_schedule()).run(module)
    assert "@pebble" in refused.value.message and refused.value.hint
