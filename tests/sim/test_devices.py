"""A device decides which memories there are and how large; results stay the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kt.arch import load_device
from kt.ir.diagnostics import RunError
from kt.parse import parse_path, parse_text
from kt.sim.machine import GLOBAL, LOCAL, Machine
from kt.sim.simulate import simulate

KERNELS = Path(__file__).parent.parent / "corpus" / "kernels"


@pytest.mark.parametrize("device", ["toy", "spyre"])
@pytest.mark.parametrize("name", ["distributed_rows", "local_chain", "matmul_splitk"])
def test_results_do_not_depend_on_the_device(name: str, device: str) -> None:
    module = parse_path(KERNELS / f"{name}.mlir")
    plain = simulate(module, seed=4)
    found = simulate(module, seed=4, device=load_device(device))
    assert all(found[key].tobytes() == plain[key].tobytes() for key in plain)


def test_a_grid_larger_than_the_device_is_refused() -> None:
    module = parse_path(KERNELS / "add_grid32.mlir")
    with pytest.raises(RunError, match="the grid has 32 tiles, but device 'toy' has 8 cores"):
        simulate(module, device=load_device("toy"))


def test_memories_have_the_sizes_of_the_device() -> None:
    device = load_device("toy")
    machine = Machine(device=device)
    assert machine.bank(GLOBAL).capacity == device.global_memory.size
    local = machine.bank(LOCAL)
    assert local.capacity == device.memory_for_space(LOCAL).size
    assert local.rows == device.num_cores
    assert machine.bank(local.name) is local
    big = (
        device.memory_for_space(LOCAL).size // 2 - 1
    )  # the last of the two f16 elements is outside
    text = f"""func.func @f() {{
      %a = arith.constant {big} : index
      %c0 = arith.constant 0 : index
      %v = ktdp.construct_memory_view %a, sizes: [2], strides: [1] {{
        coordinate_set = affine_set<(i) : (i >= 0, -i + 1 >= 0)>,
        memory_space = #ktdp.memory_space<ct_local>}} : memref<2xf16>
      %t = ktdp.construct_access_tile %v[%c0] {{
        access_tile_set = affine_set<(i) : (i >= 0, -i + 1 >= 0)>,
        access_tile_order = affine_map<(i) -> (i)>}} : memref<2xf16> -> !ktdp.access_tile<2xindex>
      %z = arith.constant dense<0.0> : tensor<2xf16>
      ktdp.store %z, %t : tensor<2xf16>, <2xindex>
      return
    }}"""
    with pytest.raises(RunError, match=f"of memory {local.name}, which has {local.capacity} bytes"):
        simulate(parse_text(text), device=device)


def test_arguments_must_fit_the_global_memory() -> None:
    device = load_device("toy")
    text = "func.func @f(%x: memref<?xf32>) { return }"
    count = device.global_memory.size // 4
    assert (
        simulate(parse_text(text), [np.zeros(count, np.float32)], device=device)["x"].size == count
    )
    with pytest.raises(RunError, match="bytes don't fit memory"):
        simulate(parse_text(text), [np.zeros(count + 1, np.float32)], device=device)


def test_a_buffer_larger_than_its_memory_is_refused() -> None:
    device = load_device("toy")
    kind = str(device.memory_for_space(LOCAL).kind)
    text = f"""func.func @f() {{
      %b = memref.alloc() : memref<{device.memory_for_space(LOCAL).size + 1}xi8, "{kind}">
      return
    }}"""
    with pytest.raises(
        RunError, match=f"'memref.alloc' op on tile 0: a buffer of .* doesn't fit memory {kind}"
    ):
        simulate(parse_text(text), device=device)
