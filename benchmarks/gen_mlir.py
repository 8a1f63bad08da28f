#!/usr/bin/env python3
"""Write a synthetic MLIR module of about N operations, in custom or in generic form.

    gen_mlir.py 10000 > custom.mlir
    gen_mlir.py 10000 --generic > generic.mlir

Both hold the same operations of builtin, func, arith, math, scf, cf, memref, tensor and linalg. The
same arguments give the same bytes. Any MLIR tool reads them; nothing of kt is used.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Iterable, Sequence

FAST = "fastmath = #arith.fastmath<none>"
WRAP = "overflowFlags = #arith.overflow<none>"
ID = "affine_map<(d0, d1) -> (d0, d1)>"
LEFT = "affine_map<(d0, d1, d2) -> (d0, d2)>"
RIGHT = "affine_map<(d0, d1, d2) -> (d2, d1)>"
OUT = "affine_map<(d0, d1, d2) -> (d0, d1)>"
PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")


class Writer:
    """Lines of one form; every method writes an operation and returns its result."""

    def __init__(self, seed: int, generic: bool) -> None:
        self.random = random.Random(seed)
        self.generic = generic
        self.lines: list[str] = []
        self.depth = 0
        self.count = 0
        self.names = 0

    def line(self, text: str) -> None:
        self.lines.append("  " * self.depth + text)

    def name(self) -> str:
        self.names += 1
        return f"%v{self.names}"

    def op(
        self, name: str, operands: Sequence[str], types: str, custom: str, *, result: str | None = "",
        props: str = "", count: int = 1,
    ) -> str:  # fmt: skip
        """An operation on one line; ``custom`` is what follows its name in custom form."""
        self.count += 1
        result = self.name() if result == "" else result
        head = f"{result}{f':{count}' if count > 1 else ''} = " if result else ""
        if self.generic:
            held = f" <{{{props}}}>" if props else ""
            self.line(f'{head}"{name}"({", ".join(operands)}){held} : {types}')
        else:
            self.line(f"{head}{name} {custom}".rstrip())
        return result or ""

    def binary(self, name: str, a: str, b: str, type: str) -> str:
        flags = {"addi": WRAP, "muli": WRAP, "subi": WRAP}.get(name[6:], FAST if name[-1] == "f" else "")
        return self.op(name, (a, b), f"({type}, {type}) -> {type}", f"{a}, {b} : {type}", props=flags)

    def constant(self, text: str, type: str) -> str:
        return self.op("arith.constant", (), f"() -> {type}", f"{text} : {type}", props=f"value = {text} : {type}")

    def cast(self, name: str, a: str, source: str, target: str) -> str:
        return self.op(name, (a,), f"({source}) -> {target}", f"{a} : {source} to {target}")

    def compare(self, a: str, b: str, type: str) -> str:
        number = self.random.randrange(len(PREDICATES))
        return self.op(
            "arith.cmpi", (a, b), f"({type}, {type}) -> i1", f"{PREDICATES[number]}, {a}, {b} : {type}",
            props=f"predicate = {number} : i64",
        )  # fmt: skip

    def load(self, memory: str, indices: Sequence[str], type: str) -> str:
        element = type.split("x")[-1].rstrip(">")
        types = ", ".join([type, *["index"] * len(indices)])
        return self.op("memref.load", (memory, *indices), f"({types}) -> {element}", f"{memory}[{', '.join(indices)}] : {type}")

    def store(self, value: str, memory: str, indices: Sequence[str], type: str) -> None:
        element = type.split("x")[-1].rstrip(">")
        types = ", ".join([element, type, *["index"] * len(indices)])
        self.op(
            "memref.store", (value, memory, *indices), f"({types}) -> ()",
            f"{value}, {memory}[{', '.join(indices)}] : {type}", result=None,
        )  # fmt: skip

    def end(self, name: str, values: Sequence[str], types: Sequence[str]) -> None:
        """A terminator; without values the custom form leaves out those of scf."""
        self.count += 1
        if self.generic:
            self.line(f'"{name}"({", ".join(values)}) : ({", ".join(types)}) -> ()')
        elif values:
            self.line(f"{name.removeprefix('func.')} {', '.join(values)} : {', '.join(types)}")
        elif not name.startswith("scf."):
            self.line(name.removeprefix("func."))

    # -- operations with regions ---------------------------------------------------------------------

    def loop(self, low: str, high: str, step: str, inits: Sequence[str], types: Sequence[str],
             body: Callable[[str, list[str]], Iterable[str]]) -> str:  # fmt: skip
        self.count += 1
        result = self.name() if inits else ""
        variable, carried = self.name(), [self.name() for _ in inits]
        head = f"{result}{f':{len(inits)}' if len(inits) > 1 else ''} = " if result else ""
        if self.generic:
            self.line(f'{head}"scf.for"({", ".join((low, high, step, *inits))}) ({{')
            args = ", ".join(f"{n}: {t}" for n, t in zip((variable, *carried), ("index", *types)))
            self.line(f"^bb0({args}):")
        else:
            pairs = ", ".join(f"{a} = {b}" for a, b in zip(carried, inits))
            tail = f" iter_args({pairs}) -> ({', '.join(types)})" if inits else ""
            self.line(f"{head}scf.for {variable} = {low} to {high} step {step}{tail} {{")
        self.depth += 1
        self.end("scf.yield", list(body(variable, carried)), types)
        self.depth -= 1
        closing = ", ".join(("index", "index", "index", *types))
        self.line(f"}}) : ({closing}) -> ({', '.join(types)})" if self.generic else "}")
        return result

    def branch(self, condition: str, types: Sequence[str], then: Callable[[], Iterable[str]],
               other: Callable[[], Iterable[str]]) -> str:  # fmt: skip
        self.count += 1
        result = self.name() if types else ""
        head = f"{result}{f':{len(types)}' if len(types) > 1 else ''} = " if result else ""
        arrow = f" -> ({', '.join(types)})" if types else ""
        self.line(f'{head}"scf.if"({condition}) ({{' if self.generic else f"{head}scf.if {condition}{arrow} {{")
        for i, part in enumerate((then, other)):
            self.depth += 1
            self.end("scf.yield", list(part()), types)
            self.depth -= 1
            if i == 0:
                self.line("}, {" if self.generic else "} else {")
        self.line(f"}}) : (i1) -> ({', '.join(types)})" if self.generic else "}")
        return result

    def linalg(self, ins: Sequence[str], out: str, type: str, body: Callable[..., str]) -> str:
        """``linalg.generic`` over all points of one two-dimensional type."""
        self.count += 1
        result, args = self.name(), [self.name() for _ in (*ins, out)]
        maps = ", ".join([ID] * len(args))
        types = [type] * len(ins)
        if self.generic:
            words = ", ".join(["#linalg.iterator_type<parallel>"] * 2)
            sizes = f"operandSegmentSizes = array<i32: {len(ins)}, 1>"
            self.line(f'{result} = "linalg.generic"({", ".join((*ins, out))}) <{{indexing_maps = [{maps}], iterator_types = [{words}], {sizes}}}> ({{')
        else:
            operands = f"ins({', '.join(ins)} : {', '.join(types)}) outs({out} : {type})"
            self.line(f'{result} = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel", "parallel"]}} {operands} {{')
        self.line(f"^bb0({', '.join(f'{a}: f32' for a in args)}):")
        self.depth += 1
        self.end("linalg.yield", [body(*args)], ["f32"])
        self.depth -= 1
        self.line(f"}}) : ({', '.join((*types, type))}) -> {type}" if self.generic else f"}} -> {type}")
        return result

    def named(self, name: str, ins: Sequence[str], in_types: Sequence[str], out: str, type: str, maps: str,
              body: Callable[..., str]) -> str:  # fmt: skip
        """A named op of linalg, whose body only the generic form shows."""
        if not self.generic:
            operands = f"ins({', '.join(ins)} : {', '.join(in_types)}) outs({out} : {type}) -> {type}"
            result = self.op(name, (), "", operands)
            self.names += len(ins) + 1
            shown = self.lines
            self.lines = []
            self.end("linalg.yield", [body(*["%x"] * (len(ins) + 1))], ["f32"])
            self.lines = shown
            return result
        self.count += 1
        result, args = self.name(), [self.name() for _ in (*ins, out)]
        sizes = f"{maps}operandSegmentSizes = array<i32: {len(ins)}, 1>"
        self.line(f'{result} = "{name}"({", ".join((*ins, out))}) <{{{sizes}}}> ({{')
        self.line(f"^bb0({', '.join(f'{a}: f32' for a in args)}):")
        self.depth += 1
        self.end("linalg.yield", [body(*args)], ["f32"])
        self.depth -= 1
        self.line(f"}}) : ({', '.join((*in_types, type))}) -> {type}")
        return result

    def function(self, name: str, arguments: Sequence[tuple[str, str]], results: Sequence[str],
                 body: Callable[[], None]) -> None:  # fmt: skip
        self.count += 1
        args = ", ".join(f"{n}: {t}" for n, t in arguments)
        type = f"({', '.join(t for _, t in arguments)}) -> ({', '.join(results)})"
        if self.generic:
            self.line(f'"func.func"() <{{function_type = {type}, sym_name = "{name}"}}> ({{')
            self.line(f"^bb0({args}):")
        else:
            arrow = f" -> ({', '.join(results)})" if results else ""
            self.line(f"func.func @{name}({args}){arrow} {{")
        self.depth += 1
        body()
        self.depth -= 1
        self.line("}) : () -> ()" if self.generic else "}")


# -- what the module holds ---------------------------------------------------------------------------


def tiles(w: Writer, zero: str, one: str) -> None:
    """Tensors: fill, matmul, an elementwise generic, slices."""
    type = f"tensor<{w.random.choice((16, 32, 64))}x64xf32>"
    factor = w.constant("1.250000e-01", "f32")
    rows = type.split("<")[1].split("x")[0]
    left = w.op("tensor.empty", (), f"() -> tensor<{rows}x8xf32>", f"() : tensor<{rows}x8xf32>")
    right = w.op("tensor.empty", (), "() -> tensor<8x64xf32>", "() : tensor<8x64xf32>")
    empty = w.op("tensor.empty", (), f"() -> {type}", f"() : {type}")
    filled = w.named("linalg.fill", (factor,), ("f32",), empty, type, "", lambda a, b: a)

    def dot(a: str, b: str, c: str) -> str:
        return w.binary("arith.addf", c, w.binary("arith.mulf", a, b, "f32"), "f32")

    maps = f"indexing_maps = [{LEFT}, {RIGHT}, {OUT}], "
    product = w.named("linalg.matmul", (left, right), (f"tensor<{rows}x8xf32>", "tensor<8x64xf32>"), filled, type, maps, dot)

    def body(a: str, b: str, c: str) -> str:
        shifted = w.binary("arith.subf", w.binary("arith.mulf", a, b, "f32"), factor, "f32")
        return w.op("math.exp", (shifted,), "(f32) -> f32", f"{shifted} : f32", props=FAST)

    mapped = w.linalg((product, filled), empty, type, body)
    part = "tensor<4x8xf32>"
    sizes = "static_offsets = array<i64: -9223372036854775808, 0>, static_sizes = array<i64: 4, 8>, static_strides = array<i64: 1, 1>"
    w.op(
        "tensor.extract_slice", (mapped, one), f"({type}, index) -> {part}",
        f"{mapped}[{one}, 0] [4, 8] [1, 1] : {type} to {part}",
        props=f"operandSegmentSizes = array<i32: 1, 1, 0, 0>, {sizes}",
    )  # fmt: skip
    w.op("tensor.extract", (mapped, zero, one), f"({type}, index, index) -> f32", f"{mapped}[{zero}, {one}] : {type}")


def loops(w: Writer, zero: str, one: str, memory: str, type: str) -> None:
    """Memories: a loop nest with carried values, a branch in it."""
    bound = w.constant(str(w.random.choice((8, 16, 32))), "index")
    start = w.constant("0xFF800000", "f32")

    def outer(i: str, carried: list[str]) -> list[str]:
        a = w.load(memory, (i, zero), type)
        b = w.load(memory, (i, one), type)
        total = w.binary("arith.addf", w.binary("arith.mulf", a, b, "f32"), carried[0], "f32")

        def inner(j: str, _: list[str]) -> list[str]:
            x = w.load(memory, (i, j), type)
            w.store(w.binary("arith.divf", x, total, "f32"), memory, (j, i), type)
            return []

        w.loop(zero, bound, one, (), (), inner)
        return [total, w.binary("arith.addi", carried[1], i, "index")]

    found = w.loop(zero, bound, one, (start, zero), ("f32", "index"), outer)
    below = w.compare(f"{found}#1", bound, "index")

    def then() -> list[str]:
        return [w.binary("arith.mulf", f"{found}#0", start, "f32")]

    def other() -> list[str]:
        return [w.binary("arith.subf", f"{found}#0", start, "f32")]

    value = w.branch(below, ("f32",), then, other)
    w.store(value, memory, (zero, one), type)


def integers(w: Writer, argument: str) -> None:
    """A chain of integer arithmetic and casts."""
    value = argument
    for _ in range(4):
        number = w.constant(str(w.random.randrange(100)), "i32")
        value = w.binary(w.random.choice(("arith.addi", "arith.muli", "arith.subi", "arith.andi")), value, number, "i32")
    smaller = w.compare(value, argument, "i32")
    value = w.op("arith.select", (smaller, value, argument), "(i1, i32, i32) -> i32", f"{smaller}, {value}, {argument} : i32")
    real = w.cast("arith.sitofp", value, "i32", "f32")
    half = w.cast("arith.truncf", real, "f32", "f16")
    w.cast("arith.extf", half, "f16", "f64")
    w.cast("arith.index_cast", value, "i32", "index")


def blocks(w: Writer, condition: str, value: str) -> str:
    """Control flow: a diamond of blocks with an argument."""
    n = w.names
    same = f"({value} : i32)"
    w.count += 2
    if w.generic:
        w.line(f'"cf.cond_br"({condition}, {value})[^a{n}, ^b{n}] <{{operandSegmentSizes = array<i32: 1, 0, 1>}}> : (i1, i32) -> ()')
        w.line(f"^a{n}:")
        w.line(f'"cf.br"({value})[^b{n}] : (i32) -> ()')
    else:
        w.line(f"cf.cond_br {condition}, ^a{n}, ^b{n}{same}")
        w.line(f"^a{n}:")
        w.line(f"cf.br ^b{n}{same}")
    joined = w.name()
    w.line(f"^b{n}({joined}: i32):")
    return joined


def kernel(w: Writer, name: str) -> None:
    """A function with some of everything, about 80 operations."""
    memory, integer, flag = w.name(), w.name(), w.name()
    type = f"memref<{w.random.choice((32, 64))}x128xf32>"

    def body() -> None:
        zero, one = w.constant("0", "index"), w.constant("1", "index")
        integers(w, integer)
        tiles(w, zero, one)
        joined = blocks(w, flag, integer)
        loops(w, zero, one, memory, type)
        w.end("func.return", [joined], ["i32"])

    w.function(name, ((memory, type), (integer, "i32"), (flag, "i1")), ("i32",), body)


def module(operations: int, generic: bool, seed: int = 0) -> str:
    """The text of a module of at least ``operations`` operations (the module's own counted)."""
    w = Writer(seed, generic)
    w.count = 1
    w.line('"builtin.module"() ({' if generic else "module {")
    w.depth += 1
    number = 0
    while w.count < operations:
        kernel(w, f"kernel_{number}")
        number += 1
    w.depth -= 1
    w.line("}) : () -> ()" if generic else "}")
    return "\n".join(w.lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("operations", type=int)
    parser.add_argument("--generic", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    print(module(args.operations, args.generic, args.seed), end="")


if __name__ == "__main__":
    main()
