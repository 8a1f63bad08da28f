"""KTIR kernels with the shapes of the figures that ktir-cpu publishes.

Each entry has the text, a maker of inputs, a NumPy program that computes the same (its time bounds
what any executor on NumPy can reach), and the published cycle count.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from attrs import frozen

sys.path.insert(0, str(Path(__file__).parent))
from ktir_text import Text, box, identity, shaped

Arrays = dict[str, np.ndarray]


@frozen
class Kernel:
    """One kernel; ``cycles`` is the published count of the peer's model (None: none published)."""

    name: str
    text: str
    inputs: Callable[[], dict[str, Any]]
    reference: Callable[[dict[str, Any]], Arrays] | None = None
    cycles: float | None = None


def halves(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng([seed, *shape]).standard_normal(shape).astype(np.float16)


def vector_add(
    count: int = 4096, tiles: int = 32, element: str = "f16", cycles: Any = 194
) -> Kernel:
    each, width = count // tiles, {"f16": np.float16, "f32": np.float32}[element]
    t = Text("add", ["%x: index", "%y: index", "%z: index"], [tiles])
    (tid,) = t.tile_ids()
    at = t.op("arith.muli", tid, t.index(each), type="index")
    x, y, z = (t.view(p, [count], element=element) for p in ("%x", "%y", "%z"))
    total = t.op("arith.addf", t.load(x, [at], [each]), t.load(y, [at], [each]))
    t.store(total, z, [at], [each])
    return Kernel(
        "vector_add" if tiles > 1 else "vector_add_dynamic",
        t.module(),
        lambda: {
            "x": halves(count, seed=1).astype(width),
            "y": halves(count, seed=2).astype(width),
            "z": np.zeros(count, width),
        },
        lambda a: {"z": a["x"] + a["y"]},
        cycles,
    )


def softmax(rows: int = 4096, columns: int = 1024, cycles: float = 147456) -> Kernel:
    t = Text("softmax", ["%x: index", "%y: index"], [32])
    (tid,) = t.tile_ids()
    c0 = t.index(0)
    x, y = t.view("%x", [rows, columns]), t.view("%y", [rows, columns])
    low, zero = t.splat("0xFC00", [1]), t.splat("0.0", [1])
    row, _, _ = t.loop(tid, t.index(rows), t.index(32))
    v = t.load(x, [row, c0], [1, columns])
    type = t.types[v]
    top = t.scalar(t.reduce("arith.maximumf", v, low), c0)
    e = t.op("math.exp", t.op("arith.subf", v, t.spread(top, type)))
    total = t.scalar(t.reduce("arith.addf", e, zero), c0)
    t.store(t.op("arith.divf", e, t.spread(total, type)), y, [row, c0], [1, columns])
    t.end()

    def reference(a: dict[str, Any]) -> Arrays:
        f = a["x"].astype(np.float32)
        e = np.exp(f - f.max(axis=1, keepdims=True))
        return {"y": (e / e.sum(axis=1, keepdims=True)).astype(np.float16)}

    return Kernel(
        "softmax" if columns > 64 else "softmax_small",
        t.module(),
        lambda: {"x": halves(rows, columns), "y": np.zeros((rows, columns), np.float16)},
        reference,
        cycles,
    )


def layernorm(rows: int = 1151, columns: int = 8192, cycles: float = 925060) -> Kernel:
    t = Text("layernorm", [f"%{n}: index" for n in ("x", "w", "b", "y", "mean", "rstd")], [32])
    (tid,) = t.tile_ids()
    c0, n, block = t.index(0), t.index(columns), t.index(1024)
    x, y = t.view("%x", [rows, columns]), t.view("%y", [rows, columns])
    w, b = t.view("%w", [1, columns]), t.view("%b", [1, columns])
    mean, rstd = t.view("%mean", [rows]), t.view("%rstd", [rows])
    zeros, zero = t.splat("0.0", [1, 1024]), t.splat("0.0", [1])
    count = t.set(f"arith.constant {columns}.0 : f16", "f16")
    eps = t.set("arith.constant 1.0e-05 : f16", "f16")
    one = t.set("arith.constant 1.0 : f16", "f16")
    row, _, _ = t.loop(tid, t.index(rows), t.index(32))

    at, (s,), (sums,) = t.loop(c0, n, block, [zeros])
    t.end(t.op("arith.addf", s, t.load(x, [row, at], [1, 1024])))
    mu = t.op("arith.divf", t.scalar(t.reduce("arith.addf", sums, zero), c0), count)
    centre = t.spread(mu, t.types[zeros])

    at, (s,), (squares,) = t.loop(c0, n, block, [zeros])
    d = t.op("arith.subf", t.load(x, [row, at], [1, 1024]), centre)
    t.end(t.op("arith.addf", s, t.op("arith.mulf", d, d)))
    var = t.op("arith.divf", t.scalar(t.reduce("arith.addf", squares, zero), c0), count)
    rs = t.op("arith.divf", one, t.op("math.sqrt", t.op("arith.addf", var, eps)))
    scale = t.spread(rs, t.types[zeros])
    t.store(t.spread(mu, "tensor<1xf16>"), mean, [row], [1])
    t.store(t.spread(rs, "tensor<1xf16>"), rstd, [row], [1])

    at, _, _ = t.loop(c0, n, block)
    v = t.op("arith.subf", t.load(x, [row, at], [1, 1024]), centre)
    v = t.op("arith.mulf", t.op("arith.mulf", v, scale), t.load(w, [c0, at], [1, 1024]))
    v = t.op("arith.addf", v, t.load(b, [c0, at], [1, 1024]))
    t.store(v, y, [row, at], [1, 1024])
    t.end()
    t.end()

    def reference(a: dict[str, Any]) -> Arrays:
        f = a["x"].astype(np.float32)
        mu = f.mean(axis=1, keepdims=True)
        rs = 1 / np.sqrt(np.square(f - mu).mean(axis=1, keepdims=True) + 1e-5)
        y = (f - mu) * rs * a["w"].astype(np.float32) + a["b"].astype(np.float32)
        return {"y": y.astype(np.float16)}

    return Kernel(
        "layernorm",
        t.module(),
        lambda: {
            "x": halves(rows, columns), "w": halves(1, columns, seed=1),
            "b": halves(1, columns, seed=2), "y": np.zeros((rows, columns), np.float16),
            "mean": np.zeros(rows, np.float16), "rstd": np.zeros(rows, np.float16),
        },
        reference,
        cycles,
    )  # fmt: skip


def matmul(
    m: int = 64,
    k: int = 2048,
    n: int = 8192,
    grid: tuple[int, int] = (2, 16),
    block: int = 128,
    cycles: float = 634880,
) -> Kernel:
    rows, columns = m // grid[0], n // grid[1]
    t = Text("matmul", ["%a: index", "%b: index", "%c: index"], grid)
    p, q = t.tile_ids()
    c0 = t.index(0)
    i = t.op("arith.muli", p, t.index(rows), type="index")
    j = t.op("arith.muli", q, t.index(columns), type="index")
    a, b, c = t.view("%a", [m, k]), t.view("%b", [k, n]), t.view("%c", [m, n])
    zeros = t.splat("0.0", [rows, columns])
    at, (s,), (total,) = t.loop(c0, t.index(k), t.index(block), [zeros])
    x, y = t.load(a, [i, at], [rows, block]), t.load(b, [at, j], [block, columns])
    t.end(t.op("arith.addf", s, t.matmul(x, y, zeros)))
    t.store(total, c, [i, j], [rows, columns])
    return Kernel(
        "matmul" if k > 64 else "matmul_small",
        t.module(),
        lambda: {
            "a": halves(m, k) / np.float16(16), "b": halves(k, n, seed=1) / np.float16(16),
            "c": np.zeros((m, n), np.float16),
        },
        lambda v: {"c": (v["a"].astype(np.float32) @ v["b"].astype(np.float32)).astype(np.float16)},
        cycles,
    )  # fmt: skip


def _gather(t: Text, pool: str, table: str, page: str, head: str) -> str:
    """The 16 x 128 keys (or values) of one page and head."""
    shape = shaped("!ktdp.access_tile", [16, 128], "index")
    tile = t.set(
        f"ktdp.construct_indirect_access_tile intermediate_variables(%s, %d) "
        f"{pool}[ind({table}[0, {page}]), (%s), ({head}), (%d)] "
        f"{{variables_space_set = {box([16, 128])}, variables_space_order = {identity(2)}}} "
        f": {t.types[pool]}, {t.types[table]} -> {shape}",
        shape,
    )
    return t.load_tile(tile, pool)


def paged_attention(context: int = 120) -> Kernel:
    """8 tokens, 32 query heads, 8 key heads of 128, pages of 16 keys, 8 pages; grid 4 x 8."""
    t = Text(
        "attend", ["%q: index", "%k: index", "%v: index", "%table: index", "%o: index"], [4, 8]
    )
    p, head = t.tile_ids()
    c0, c1, c8 = t.index(0), t.index(1), t.index(8)
    token = t.op("arith.muli", p, t.index(2), type="index")
    first = t.op("arith.muli", head, t.index(4), type="index")
    q, o = t.view("%q", [8, 32, 128]), t.view("%o", [8, 32, 128])
    pools = [t.view(name, [64, 16, 8, 128]) for name in ("%k", "%v")]
    table = t.view("%table", [1, 16], element="i32")
    q3 = t.load(q, [token, first, c0], [2, 4, 128])
    flat = "tensor<8x128xf16>"
    q2 = t.set(f"tensor.collapse_shape {q3} [[0, 1], [2]] : {t.types[q3]} into {flat}", flat)
    low, zero = t.splat("0xFF800000", [8], "f32"), t.splat("0.0", [8], "f32")
    zeros, acc = t.splat("0.0", [8, 16], "f32"), t.splat("0.0", [8, 128], "f32")
    scale = t.splat("0.08838834764", [8, 16], "f32")
    bias = t.set("arith.constant -1.0e+30 : f32", "f32")
    page, (m0, l0, a0), (_, denominator, total) = t.loop(c0, c8, c1, [low, zero, acc])
    k = _gather(t, pools[0], table, page, head)
    turned = shaped("tensor", [128, 16], "f16")
    empty = t.set(f"tensor.empty() : {turned}", turned)
    kt = t.set(
        f"linalg.transpose ins({k} : {t.types[k]}) outs({empty} : {turned}) permutation = [1, 0]",
        turned,
    )
    s = t.op("arith.mulf", t.matmul(q2, kt, zeros), scale)
    s = _masked(t, s, page, token, bias, context)
    m1 = _reduce(t, "arith.maximumf", s, m0)
    e = t.op("math.exp", t.op("arith.subf", s, t.broadcast(m1, [8, 16], 1)))
    alpha = t.op("math.exp", t.op("arith.subf", m0, m1))
    l1 = _reduce(t, "arith.addf", e, t.op("arith.mulf", l0, alpha))
    kept = t.op("arith.mulf", a0, t.broadcast(alpha, [8, 128], 1))
    v = _gather(t, pools[1], table, page, head)
    t.end(m1, l1, t.matmul(t.cast("arith.truncf", e, "f16"), v, kept))
    out = t.op("arith.divf", total, t.broadcast(denominator, [8, 128], 1))
    half = t.cast("arith.truncf", out, "f16")
    cube = "tensor<2x4x128xf16>"
    o3 = t.set(
        f"tensor.expand_shape {half} [[0, 1], [2]] output_shape [2, 4, 128] : {flat} into {cube}",
        cube,
    )
    t.store(o3, o, [token, first, c0], [2, 4, 128])

    def inputs() -> dict[str, Any]:
        pages = np.random.default_rng(5).permutation(64)[:16].astype(np.int32)
        return {
            "q": halves(8, 32, 128), "k": halves(64, 16, 8, 128, seed=1),
            "v": halves(64, 16, 8, 128, seed=2), "table": pages.reshape(1, 16),
            "o": np.zeros((8, 32, 128), np.float16),
        }  # fmt: skip

    def reference(a: dict[str, Any]) -> Arrays:
        pages = a["table"][0, :8]
        k, v = (a[n][pages].reshape(128, 8, 128).astype(np.float32) for n in ("k", "v"))
        q = a["q"].astype(np.float32).reshape(8, 8, 4, 128)
        s = np.einsum("tghd,kgd->tghk", q, k) * np.float32(0.08838834764)
        hidden = np.arange(128) > context - 8 + np.arange(8)[:, None]
        s = np.where(hidden[:, None, None, :], -1e30, s)
        e = np.exp(s - s.max(axis=-1, keepdims=True))
        o = np.einsum("tghk,kgd->tghd", e / e.sum(axis=-1, keepdims=True), v)
        return {"o": o.reshape(8, 32, 128).astype(np.float16)}

    return Kernel("paged_attention", t.module(), inputs, reference)


def _reduce(t: Text, combiner: str, value: str, start: str) -> str:
    return t.reduce(combiner, value, start)


def _masked(t: Text, scores: str, page: str, token: str, bias: str, context: int) -> str:
    """Scores of keys behind a token's own position become very small."""
    keys = t.op("arith.muli", page, t.index(16), type="index")
    limit = t.op("arith.addi", token, t.index(context - 8), type="index")
    four = t.index(4)
    type = t.types[scores]
    empty = t.set(f"tensor.empty() : {type}", type)
    maps = f"[{identity(2)}, {identity(2)}]"
    t.count += 1
    masked = f"%v{t.count}"
    t.types[masked] = type
    t.line(
        f'{masked} = linalg.generic {{indexing_maps = {maps}, iterator_types = ["parallel", "parallel"]}} '
        f"ins({scores} : {type}) outs({empty} : {type}) {{"
    )
    t.line("^bb0(%s: f32, %old: f32):")
    t.line("  %row = linalg.index 0 : index")
    t.line("  %col = linalg.index 1 : index")
    t.line(f"  %key = arith.addi {keys}, %col : index")
    t.line(f"  %of = arith.divui %row, {four} : index")
    t.line(f"  %last = arith.addi {limit}, %of : index")
    t.line("  %hidden = arith.cmpi sgt, %key, %last : index")
    t.line(f"  %kept = arith.select %hidden, {bias}, %s : f32")
    t.line("  linalg.yield %kept : f32")
    t.line(f"}} -> {type}")
    return masked


HEAVY = ("layernorm", "softmax", "matmul", "paged_attention")
SMALL = ("vector_add", "vector_add_dynamic", "softmax_small", "matmul_small")


def kernels() -> dict[str, Kernel]:
    """All benchmark kernels by name."""
    made = [
        layernorm(), softmax(), matmul(), paged_attention(), vector_add(),
        vector_add(1024, 1, "f32", 112), softmax(64, 64, 144), matmul(16, 64, 64, (2, 2), 32, 392),
    ]  # fmt: skip
    return {kernel.name: kernel for kernel in made}
