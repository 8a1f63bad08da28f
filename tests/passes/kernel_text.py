"""Small KTIR kernels as text."""

from __future__ import annotations

import numpy as np

NUMPY = {
    "f16": np.float16,
    "f32": np.float32,
    "i32": np.int32,
    "i16": np.int16,
    "i8": np.int8,
    "f64": np.float64,
}


def shaped(kind, shape, element):
    return f"{kind}<{''.join(f'{n}x' for n in shape)}{element}>"


def box(shape):
    dims = ", ".join(f"d{i}" for i in range(len(shape)))
    bounds = [f"d{i} >= 0, -d{i} + {n - 1} >= 0" for i, n in enumerate(shape)]
    return f"affine_set<({dims}) : ({', '.join(bounds) or '0 == 0'})>"


def identity(rank):
    dims = ", ".join(f"d{i}" for i in range(rank))
    return f"affine_map<({dims}) -> ({dims})>"


class KernelText:
    """Collects arguments and lines of one function, with NumPy data for its buffers."""

    def __init__(self, grid=(1,), seed=0):
        self.grid, self.arguments, self.lines, self.data = grid, [], [], {}
        self.random = np.random.default_rng(seed)
        self.count = 0
        self.views = {}

    def line(self, text):
        self.lines.append(text)

    def new(self):
        self.count += 1
        return f"%t{self.count}"

    def scalar(self, name, type, value):
        self.arguments.append(f"%{name}: {type}")
        self.data[name] = value
        return f"%{name}"

    def buffer(self, name, shape, element, strides=None, space="global", base=None, fill=True):
        """A view of a buffer of its own (or at a constant ``base``); row-major unless strided."""
        view = f"%{name}_v"
        strides = strides or [int(np.prod(shape[i + 1 :])) for i in range(len(shape))]
        if base is None:
            self.arguments.append(f"%{name}: index")
            size = sum((n - 1) * s for n, s in zip(shape, strides)) + 1
            data = self.random.standard_normal(size) * 4 if fill else np.zeros(size)
            self.data[name] = data.astype(NUMPY[element])
            base = f"%{name}"
        else:
            self.line(f"%{name}_b = arith.constant {base} : index")
            base = f"%{name}_b"
        self.line(
            f"{view} = ktdp.construct_memory_view {base}, sizes: {list(shape)}, strides: "
            f"{list(strides)} {{coordinate_set = {box(shape)}, memory_space = "
            f"#ktdp.memory_space<{space}>}} : {shaped('memref', shape, element)}"
        )
        self.views[view] = shape, element
        return view

    def tile(self, view, shape=None, at=None, order=None):
        """An access tile; ``order`` is a permutation of its dims."""
        whole, element = self.views[view]
        points = tuple(shape or whole)
        at = at or [0] * len(points)
        made = self.new()
        order = order or range(len(points))
        dims = ", ".join(f"d{i}" for i in range(len(points)))
        results = ", ".join(f"d{i}" for i in order)
        shape = tuple(points[i] for i in order)
        self.line(
            f"{made} = ktdp.construct_access_tile {view}[{', '.join(map(str, at))}] "
            f"{{access_tile_set = {box(points)}, access_tile_order = "
            f"affine_map<({dims}) -> ({results})>}} : {shaped('memref', whole, element)} -> "
            f"{shaped('!ktdp.access_tile', shape, 'index')}"
        )
        return made, shape, element

    def load(self, view, shape=None, at=None, order=None):
        tile, shape, element = self.tile(view, shape, at, order)
        made = self.new()
        self.line(
            f"{made} = ktdp.load {tile} : {shaped('!ktdp.access_tile', shape, 'index')} -> "
            f"{shaped('tensor', shape, element)}"
        )
        return made

    def store(self, value, view, shape=None, at=None, order=None):
        tile, shape, element = self.tile(view, shape, at, order)
        self.line(
            f"ktdp.store {value}, {tile} : {shaped('tensor', shape, element)}, "
            f"{shaped('!ktdp.access_tile', shape, 'index')}"
        )

    def op(self, name, *operands, type, to=None):
        """``%new = name operands : type`` (``to type`` for casts)."""
        made = self.new()
        end = f" to {to}" if to else ""
        self.line(f"{made} = {name} {', '.join(operands)} : {type}{end}")
        return made

    def empty(self, type):
        return self.op("tensor.empty()", type=type)

    def linalg(self, name, ins, out, suffix="", region=""):
        """``linalg.name ins(…) outs(empty)``; ``ins`` are (value, type) pairs."""
        empty, made = self.empty(out), self.new()
        values = ", ".join(v for v, _ in ins)
        types = ", ".join(t for _, t in ins)
        result = "" if suffix else f" -> {out}"
        self.line(
            f"{made} = linalg.{name} {region}ins({values} : {types}) outs({empty} : {out}){suffix}"
            f"{result}"
        )
        return made

    @property
    def text(self):
        body = "\n  ".join(self.lines)
        return (
            f"func.func @kernel({', '.join(self.arguments)}) attributes "
            f"{{grid = {list(self.grid)}}} {{\n  {body}\n  return\n}}\n"
        )
