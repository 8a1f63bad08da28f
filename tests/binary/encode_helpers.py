"""Texts of small programs, and running them on the plain machine."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from mini_machine import Machine

from kt.arch import load_device
from kt.binary import Program, encode
from kt.parse import parse_text

TEXTS = Path(__file__).parents[1] / "text"
FUNCTIONS = {
    "vectorchain.binary": lambda a, b, attrs: {"add": a + b, "mul": a * b}[attrs["binary_op"]],
    "arith.addf": lambda a, b, attrs: a + b,
    "arith.mulf": lambda a, b, attrs: a * b,
    "arith.extf": lambda a, attrs: a.astype(np.float32),
    "arith.addi": lambda a, b, attrs: a + b,
    "arith.cmpf": lambda a, b, attrs: {"olt": a < b}[attrs["predicate"]],
    "arith.select": lambda c, a, b, attrs: np.where(c, a, b),
    "math.exp": lambda a, attrs: np.exp(a),
    "@double": lambda a, attrs: 2 * a,
}


@cache
def mini() -> Any:
    """Two cores; 32-byte words towards GMEM for GLU and GSU."""
    return load_device(TEXTS / "mini_device.mlir")


def encoded(text: str, **named: Any) -> Program:
    """The program of a text, taken through its bytes."""
    program = encode(parse_text(text, "k.mlir"), mini(), **named)
    again = Program.from_bytes(program.to_bytes())
    assert again == program and again.debug == program.debug
    return again


def on_one_unit(body: str, params: str = "", before: str = "", kind: str = "glu") -> str:
    """A kernel with one unit of core 0 (``%me``), ``%gm`` = global memory, ``%c0`` and ``%c1``."""
    return f"""
func.func @k({params}) attributes {{grid = [1]}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %unit = dataflow.get_unit {{core = 0 : i32, corelet = 0 : i32, name = "C0-{kind}", type = "{kind}"}} : index
  %gm = dataflow.get_unit {{name = "gmem", type = "gmem"}} : index
  {before}
  dataflow.program_unit iter_arg : %me -> (%unit) : {{
    {body}
  }}
  return
}}
"""


def flat_view(name: str, start: int, count: int, element: str) -> str:
    """A one-dimensional view of the global memory; ``start`` counts elements."""
    return f"""
    %start_{name} = arith.constant {start} : index
    %{name} = dataflow.get_logical_memory_view %gm, %start_{name}
      {{addr_unit = "elements", layout_map = affine_map<(d0) -> (d0)>}} : index, index, memref<{count}x{element}>
"""


ORDER = "affine_map<(d0) -> (d0)>"


def line(count: int) -> str:
    """The set of the first ``count`` elements."""
    return f"affine_set<(d0) : (d0 >= 0, -d0 + {count - 1} >= 0)>"


def store(vector: str, view: str, at: str, count: int, element: str, size: int) -> str:
    """Store ``count`` lanes into a flat view of ``size`` elements."""
    return (
        f"agen.vector_store {vector}, %{view}[{at}] {{store_order = {ORDER}, store_set = {line(count)}}} "
        f": memref<{size}x{element}>, vector<{count}x{element}>\n"
    )


def load(view: str, at: str, count: int, element: str, size: int) -> str:
    """Load ``count`` lanes from a flat view of ``size`` elements."""
    return (
        f"agen.vector_load %{view}[{at}] {{load_order = {ORDER}, load_set = {line(count)}}} "
        f": memref<{size}x{element}>, vector<{count}x{element}>\n"
    )


def run(
    text: str, values: list[int] | None = None, data: dict[int, np.ndarray] | None = None
) -> Machine:
    """Run a kernel on the plain machine. ``data``: contents of the global memory by byte address."""
    machine = Machine(encoded(text), FUNCTIONS)
    for at, array in (data or {}).items():
        raw = np.ascontiguousarray(array).view(np.uint8).reshape(-1)
        machine.memories["gmem"][at : at + len(raw)] = raw
    machine.run(values or [])
    return machine


def result(machine: Machine, at: int, count: int, dtype: str) -> np.ndarray:
    """What stands in the global memory."""
    size = np.dtype(dtype).itemsize * count
    return machine.memories["gmem"][at : at + size].view(dtype)


def indices(
    body: str, names: list[str], params: str = "", values: list[int] | None = None
) -> list[int]:
    """The values that index values of a unit's program have at its end."""
    count = len(names)
    tail = flat_view("out", 0, max(count, 1), "index")
    for i, name in enumerate(names):
        tail += f"%at{i} = arith.constant {i} : index\n"
        tail += f"%lane{i} = kt.splat {name} : index -> vector<1xindex>\n"
        tail += store(f"%lane{i}", "out", f"%at{i}", 1, "index", count)
    return result(run(on_one_unit(body + tail, params), values), 0, count, "<i8").tolist()
