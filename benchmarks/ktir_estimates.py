"""More kernels with published cycle counts: attention parts, feed-forward, gather, small reductions."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from ktir_kernels import Kernel, halves
from ktir_text import Text, box, identity, shaped


def transposed(t: Text, value: str, rows: int, columns: int) -> str:
    type = shaped("tensor", [columns, rows], "f16")
    empty = t.set(f"tensor.empty() : {type}", type)
    return t.set(
        f"linalg.transpose ins({value} : {t.types[value]}) outs({empty} : {type}) permutation = [1, 0]",
        type,
    )


def attention() -> Kernel:
    """One head of 32 x 64 on one tile."""
    t = Text("attention", ["%q: index", "%k: index", "%v: index", "%o: index"], [1])
    c0 = t.index(0)
    q, k, v = (t.load(t.view(p, [32, 64]), [c0, c0], [32, 64]) for p in ("%q", "%k", "%v"))
    scores, out = t.splat("0.0", [32, 32]), t.splat("0.0", [32, 64])
    s = t.matmul(q, transposed(t, k, 32, 64), scores)
    s = t.op("arith.mulf", s, t.splat("0.125", [32, 32]))
    top = t.reduce("arith.maximumf", s, t.splat("0xFC00", [32]))
    e = t.op("math.exp", t.op("arith.subf", s, t.broadcast(top, [32, 32], 1)))
    total = t.reduce("arith.addf", e, t.splat("0.0", [32]))
    p = t.op("arith.divf", e, t.broadcast(total, [32, 32], 1))
    t.store(t.matmul(p, v, out), t.view("%o", [32, 64]), [c0, c0], [32, 64])
    arrays = {n: halves(32, 64, seed=i) for i, n in enumerate("qkvo")}
    return Kernel("sdpa_2d", t.module(), lambda: arrays, None, 528)


def _swish(t: Text, gate: str, up: str, shape: list[int]) -> str:
    """gate * sigmoid(gate) * up."""
    one = t.splat("1.0", shape)
    e = t.op("math.exp", t.op("arith.negf", gate))
    sigmoid = t.op("arith.divf", one, t.op("arith.addf", e, one))
    return t.op("arith.mulf", t.op("arith.mulf", gate, sigmoid), up)


def feed_forward(tiles: int, rows: int, width: int, hidden: int, cycles: float) -> Kernel:
    """x + down(swish(gate(x)) * up(x)); each tile has a share of the hidden columns."""
    t = Text("ffn", ["%x: index", "%g: index", "%u: index", "%d: index", "%y: index"], [tiles])
    (tid,) = t.tile_ids()
    c0, each = t.index(0), hidden // tiles
    at = t.op("arith.muli", tid, t.index(each), type="index")
    x = t.load(t.view("%x", [rows, width]), [c0, c0], [rows, width])
    g, u = (t.load(t.view(p, [width, hidden]), [c0, at], [width, each]) for p in ("%g", "%u"))
    d = t.load(t.view("%d", [hidden, width]), [at, c0], [each, width])
    inner, outer = t.splat("0.0", [rows, each]), t.splat("0.0", [rows, width])
    h = _swish(t, t.matmul(x, g, inner), t.matmul(x, u, inner), [rows, each])
    y = t.matmul(h, d, outer)
    out = t.view("%y", [rows, width])
    if tiles == 1:
        t.store(t.op("arith.addf", y, x), out, [c0, c0], [rows, width])
    else:
        y = all_reduce(t, y, outer, tiles, 1)
        total = t.op("arith.addf", y, x)
        first = t.set(f"arith.cmpi eq, {tid}, {c0} : index", "i1")
        t.line(f"scf.if {first} {{")
        t.store(total, out, [c0, c0], [rows, width])
        t.line("}")

    def inputs() -> dict[str, Any]:
        shapes = [(rows, width), (width, hidden), (width, hidden), (hidden, width), (rows, width)]
        return {n: halves(*s) / np.float16(16) for n, s in zip("xgudy", shapes)}

    return Kernel("ffn_swiglu" if tiles == 1 else f"ffn_swiglu_{tiles}core", t.module(), inputs, None, cycles)  # fmt: skip


def all_reduce(t: Text, value: str, zero: str, tiles: int, groups: int) -> str:
    """The sum over the tiles of a group, on all of them; group g has the tiles g, g + groups, …"""
    type = t.types[value]
    members = f"affine_set<(t)[g] : (t - g >= 0, -t + {tiles - 1} >= 0, (t - g) mod {groups} == 0)>"
    future = (
        f"!ktdp.tile_future<({type}), groups = affine_set<(g) : (g >= 0, -g + {groups - 1} >= 0)>>"
    )
    t.line(f"%f = ktdp.inter_tile_produce producer_tiles_per_group = {members} -> {future} {{")
    t.line("^bb0(%gid: index):")
    t.line(f"  ktdp.yield_partial {value} : {type}")
    t.line("}")
    t.line(
        f"%sum = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = {members}, "
        f"identity({zero} : {type}) : {future} -> {type} {{"
    )
    t.line(f"^bb0(%lhs: {type}, %rhs: {type}):")
    t.line(f"  %both = arith.addf %lhs, %rhs : {type}")
    t.line(f"  ktdp.yield_reduced %both : {type}")
    t.line("}")
    t.types["%sum"] = type
    return "%sum"


def split_keys() -> Kernel:
    """1 x 8192 @ 8192 x 128 on 2 x 16 tiles: the tile's number is half + 2 * part."""
    t = Text("pv", ["%p: index", "%v: index", "%o: index"], [16, 2])
    part, half = t.tile_ids()
    c0 = t.index(0)
    k = t.op("arith.muli", part, t.index(512), type="index")
    j = t.op("arith.muli", half, t.index(64), type="index")
    p = t.load(t.view("%p", [1, 8192]), [c0, k], [1, 512])
    v = t.load(t.view("%v", [8192, 128]), [k, j], [512, 64])
    zero = t.splat("0.0", [1, 64])
    total = all_reduce(t, t.matmul(p, v, zero), zero, 32, 2)
    first = t.set(f"arith.cmpi eq, {part}, {c0} : index", "i1")
    t.line(f"scf.if {first} {{")
    t.store(total, t.view("%o", [1, 128]), [c0, j], [1, 64])
    t.line("}")
    return Kernel(
        "sdpa_pv_ksplit",
        t.module(),
        lambda: {
            "p": halves(1, 8192),
            "v": halves(8192, 128) / np.float16(64),
            "o": halves(1, 128),
        },
        None,
        16813,
    )


def indexed_add() -> Kernel:
    """out[a, :, b] = x[index[a], s : s + 32, b] + y[a, :, b] on 2 x 8 tiles."""
    t = Text(
        "indexed_add", ["%x: index", "%i: index", "%y: index", "%o: index", "%s: index"], [2, 8]
    )
    a, b = t.tile_ids()
    c0 = t.index(0)
    x = t.view("%x", [128, 64, 8, 128])
    index = t.view("%i", [2], element="i64")
    shape = shaped("!ktdp.access_tile", [1, 32, 1, 128], "index")
    tile = t.set(
        f"ktdp.construct_indirect_access_tile intermediate_variables(%p, %q, %r, %d) "
        f"{x}[ind({index}[{a} + %p]), (%s + %q), ({b} + %r), (%d)] "
        f"{{variables_space_set = {box([1, 32, 1, 128])}, variables_space_order = {identity(4)}}} "
        f": {t.types[x]}, {t.types[index]} -> {shape}",
        shape,
    )
    found = t.load_tile(tile, x)
    y, o = t.view("%y", [2, 32, 8, 128]), t.view("%o", [2, 32, 8, 128])
    at, extents = [a, c0, b, c0], [1, 32, 1, 128]
    t.store(t.op("arith.addf", found, t.load(y, at, extents)), o, at, extents)
    return Kernel(
        "indexed_add",
        t.module(),
        lambda: {
            "x": halves(128, 64, 8, 128), "i": np.array([77, 3]), "y": halves(2, 32, 8, 128),
            "o": np.zeros((2, 32, 8, 128), np.float16), "s": 8,
        },
        None,
        3152,
    )  # fmt: skip


def small_reduction(count: int, body: list[str], name: str, cycles: float) -> Kernel:
    t = Text("reduction", ["%x: index", "%y: index"], [1])
    c0 = t.index(0)
    v = t.load(t.view("%x", [1, count]), [c0, c0], [1, count])
    start = t.splat("0.0", [1])
    t.line(
        f"%r = linalg.reduce ins({v} : {t.types[v]}) outs({start} : tensor<1xf16>) dimensions = [1] ("
    )
    t.line("%in: f16, %acc: f16) {")
    for line in body:
        t.line("  " + line)
    t.line("}")
    t.types["%r"] = "tensor<1xf16>"
    t.store("%r", t.view("%y", [1]), [c0], [1])
    text = t.module().replace("(\n  %in", "\n  (%in")
    return Kernel(
        name, text, lambda: {"x": halves(1, count), "y": np.zeros(1, np.float16)}, None, cycles
    )


def rotary() -> Kernel:
    """40 heads of 4096 positions x 128, rotated in two halves of 64; 4 x 2 tiles."""
    t = Text("rope", ["%x: index", "%cos: index", "%sin: index", "%y: index"], [4, 2])
    p, h = t.tile_ids()
    c0, c1, c64, heads = t.index(0), t.index(1), t.index(64), t.index(20)
    x, y = t.view("%x", [163840, 128]), t.view("%y", [163840, 128])
    cos, sin = t.view("%cos", [4096, 64]), t.view("%sin", [4096, 64])
    block, _, _ = t.loop(c0, t.index(4), c1)
    n = t.op("arith.muli", p, t.index(4), type="index")
    at = t.op("arith.muli", t.op("arith.addi", n, block, type="index"), t.index(256), type="index")
    size = [256, 64]
    c, s = t.load(cos, [at, c0], size), t.load(sin, [at, c0], size)
    head, _, _ = t.loop(c0, heads, c1)
    number = t.op("arith.addi", t.op("arith.muli", h, heads, type="index"), head, type="index")
    row = t.op(
        "arith.addi", t.op("arith.muli", number, t.index(4096), type="index"), at, type="index"
    )
    a, b = t.load(x, [row, c0], size), t.load(x, [row, c64], size)
    low = t.op("arith.subf", t.op("arith.mulf", a, c), t.op("arith.mulf", b, s))
    high = t.op("arith.addf", t.op("arith.mulf", b, c), t.op("arith.mulf", a, s))
    t.store(low, y, [row, c0], size)
    t.store(high, y, [row, c64], size)
    t.end()
    t.end()
    return Kernel(
        "rope_fwd_4x2",
        t.module(),
        lambda: {
            "x": halves(163840, 128), "cos": halves(4096, 64), "sin": halves(4096, 64),
            "y": np.zeros((163840, 128), np.float16),
        },
        None,
        794624,
    )  # fmt: skip


def kernels() -> dict[str, Kernel]:
    """All of them by name."""
    add = ["%s = arith.addf %in, %acc : f16", "linalg.yield %s : f16"]
    pick = [
        "%more = arith.cmpf ogt, %in, %acc : f16",
        "%s = arith.select %more, %in, %acc : f16",
        "linalg.yield %s : f16",
    ]
    made = [
        attention(), feed_forward(1, 1, 64, 128, 453), feed_forward(4, 4, 256, 1024, 14256),
        split_keys(), indexed_add(), small_reduction(4, add, "reduce_generic", 2.06),
        small_reduction(8, pick, "reduce_multiop", 2.25), rotary(),
    ]  # fmt: skip
    return {kernel.name: kernel for kernel in made}
