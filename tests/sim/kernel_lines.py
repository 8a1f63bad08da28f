"""Lines of KTIR for tests: sets, views, tiles, loads and stores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kt.parse import parse_text
from kt.sim.simulate import simulate

C = "\n".join(f"%c{i} = arith.constant {i} : index" for i in range(5))
"""Definitions of ``%c0`` to ``%c4``."""


def run(text: str, arguments: Any = (), conventions: str = "", **options: Any) -> dict[str, Any]:
    """Run a kernel's text; ``conventions`` wraps it into a module that states them."""
    if conventions:
        text = f'module attributes {{kt.conventions = "{conventions}"}} {{ {text} }}'
    return simulate(parse_text(text), arguments, **options)


def box(*extents: int) -> str:
    names = [f"d{i}" for i in range(len(extents))]
    bounds = ", ".join(f"{d} >= 0, -{d} + {n - 1} >= 0" for d, n in zip(names, extents))
    return f"affine_set<({', '.join(names)}) : ({bounds or '0 == 0'})>"


def order(rank: int) -> str:
    names = ", ".join(f"d{i}" for i in range(rank))
    return f"affine_map<({names}) -> ({names})>"


def shaped(kind: str, extents: Sequence[int], element: str) -> str:
    return f"{kind}<{'x'.join(map(str, (*extents, element)))}>"


def view(
    pointer: str,
    extents: Sequence[int],
    element: str = "f32",
    strides: Sequence[int] | None = None,
    space: str = "global",
) -> str:
    if strides is None:
        strides = [int(np.prod(extents[i + 1 :])) for i in range(len(extents))]
    return (
        f"ktdp.construct_memory_view {pointer}, sizes: {list(extents)}, strides: {list(strides)} "
        f"{{coordinate_set = {box(*extents)}, memory_space = #ktdp.memory_space<{space}>}} "
        f": {shaped('memref', extents, element)}"
    )


def tile(
    base: str, at: str, extents: Sequence[int], whole: Sequence[int], element: str = "f32"
) -> str:
    """An access tile of ``extents`` in the view ``base`` of shape ``whole``."""
    return (
        f"ktdp.construct_access_tile {base}[{at}] {{access_tile_set = {box(*extents)}, "
        f"access_tile_order = {order(len(extents))}}} : {shaped('memref', whole, element)} "
        f"-> {shaped('!ktdp.access_tile', extents, 'index')}"
    )


def load(into: str, base: str, at: str, extents: Any, whole: Any, element: str = "f32") -> str:
    return (
        f"{into}_tile = {tile(base, at, extents, whole, element)}\n"
        f"{into} = ktdp.load {into}_tile : {shaped('', extents, 'index')} -> "
        f"{shaped('tensor', extents, element)}\n"
    )


def store(value: str, base: str, at: str, extents: Any, whole: Any, element: str = "f32", name: str = "%dst") -> str:  # fmt: skip
    return (
        f"{name} = {tile(base, at, extents, whole, element)}\n"
        f"ktdp.store {value}, {name} : {shaped('tensor', extents, element)}, {shaped('', extents, 'index')}\n"
    )


def numbers(*shape: int, dtype: Any = np.float32) -> np.ndarray:
    return np.arange(int(np.prod(shape))).reshape(shape).astype(dtype)
