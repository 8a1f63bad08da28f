"""Kernels of one elementwise op on vectors, for tests of what devices make of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import kt
from kt.ir.numbers import decode, dtype, encode

COUNT = 203
"""Elements: no multiple of any device's lanes."""


def kernel_text(
    body: str, inputs: Sequence[str], outputs: Sequence[str], count: int = COUNT
) -> str:
    """A kernel on one tile: body ops on ``%x0, %x1, …`` that end in values ``%y0, %y1, …``."""
    names = [f"%p{i}" for i in range(len(inputs))] + [f"%q{i}" for i in range(len(outputs))]
    types = [*inputs, *outputs]
    lines = [
        "#id = affine_map<(d0) -> (d0)>",
        f"#box = affine_set<(d0) : (d0 >= 0, -d0 + {count - 1} >= 0)>",
    ]
    lines.append(
        f"func.func @lanes({', '.join(f'{n}: index' for n in names)}) attributes {{grid = [1]}} {{"
    )
    lines.append("  %c0 = arith.constant 0 : index")
    for name, type in zip(names, types, strict=True):
        lines.append(
            f"  {name}v = ktdp.construct_memory_view {name}, sizes: [{count}], strides: [1] {{ coordinate_set = #box, memory_space = #ktdp.memory_space<global> }} : memref<{count}x{type}>"
        )
        lines.append(
            f"  {name}t = ktdp.construct_access_tile {name}v[%c0] {{ access_tile_set = #box, access_tile_order = #id }} : memref<{count}x{type}> -> !ktdp.access_tile<{count}xindex>"
        )
    for i, type in enumerate(inputs):
        lines.append(
            f"  %l{i} = ktdp.load %p{i}t : !ktdp.access_tile<{count}xindex> -> tensor<{count}x{type}>"
        )
    ins = ", ".join(f"%l{i}" for i in range(len(inputs)))
    tensors = ", ".join(f"tensor<{count}x{x}>" for x in inputs)
    arguments = ", ".join(f"%x{i}: {x}" for i, x in enumerate(inputs))
    maps = ", ".join(["#id"] * (len(inputs) + 1))
    for k, type in enumerate(outputs):
        lines.append(f"  %e{k} = tensor.empty() : tensor<{count}x{type}>")
        lines.append(
            f'  %r{k} = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel"]}} ins({ins} : {tensors}) outs(%e{k} : tensor<{count}x{type}>) {{'
        )
        lines.append(
            f"  ^bb0({arguments}, %old: {type}):\n{body}\n    linalg.yield %y{k} : {type}\n  }} -> tensor<{count}x{type}>"
        )
        lines.append(
            f"  ktdp.store %r{k}, %q{k}t : tensor<{count}x{type}>, !ktdp.access_tile<{count}xindex>"
        )
    return "\n".join([*lines, "  return", "}"])


def form(type: str) -> Any:
    return dtype(type.removeprefix("!spyreop."))


def run_lowered(
    text: str,
    device: Any,
    inputs: Sequence[np.ndarray],
    types: Sequence[str],
    outputs: Sequence[str],
) -> tuple[list[np.ndarray], Any]:
    """Outputs of the compiled kernel on the simulated device, and the artifact."""
    program = kt.compile(kt.parse(text), device)
    arrays = arguments(inputs, types, outputs)
    found = kt.Runtime(device).load(program)(arrays)
    return [decode(np.asarray(found[f"q{i}"]), form(t)) for i, t in enumerate(outputs)], program


def run_kernel(
    text: str, inputs: Sequence[np.ndarray], types: Sequence[str], outputs: Sequence[str]
) -> list[np.ndarray]:
    """Outputs by the meaning of the KTIR."""
    found = kt.simulate(kt.parse(text), arguments(inputs, types, outputs))
    return [decode(np.asarray(found[f"q{i}"]), form(t)) for i, t in enumerate(outputs)]


def arguments(
    inputs: Sequence[np.ndarray], types: Sequence[str], outputs: Sequence[str]
) -> dict[str, np.ndarray]:
    """Arrays in storage form by name."""
    made = {f"p{i}": encode(x, form(t)) for i, (x, t) in enumerate(zip(inputs, types, strict=True))}
    for i, type in enumerate(outputs):
        made[f"q{i}"] = np.zeros(len(inputs[0]), form(type).storage)
    return made


def spacing(values: np.ndarray, of: Any) -> np.ndarray:
    """One unit in the last place of a float format at these values (df16 has no subnormals)."""
    fraction, least = {"f16": (10, -14), "f32": (23, -126), "df16": (9, -31)}[of.name]
    exponent = np.floor(np.log2(np.maximum(np.abs(values), 2.0**least)))
    unit = 2.0 ** (np.maximum(exponent, least) - fraction)
    return np.where(np.abs(values) < 2.0**least, 2.0**least, unit) if of.name == "df16" else unit
