"""Random kernels as KTIR text, each with its meaning in NumPy, written down while it is made.

A kernel loads tiles, computes a chain of operations on them (elementwise, casts, reductions,
broadcasts, transposes, generic ops, products) and stores one or two results. It runs on a grid of
compute tiles and perhaps in a loop; every buffer is divided among them along some of its dimensions.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
from kernel_text import NUMPY, KernelText, shaped
from random_reference import BINARY, ULPS, Place, Run, Value, summed

EXTENTS = [1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 17, 23, 31, 32, 33, 64, 67, 129]
TILES = [1, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 7, 8, 32]
LARGEST, TOTAL = 150, 600
"""Elements of a tensor, and of all tiles together."""
FLOAT_OPS = ["addf", "subf", "mulf", "maximumf", "minimumf", "maxnumf", "minnumf", "divf"]
INTEGER_OPS = ["addi", "subi", "muli", "maxsi", "minsi", "andi", "ori", "xori"]
UNARY = ["arith.negf", "math.absf", "math.exp", "math.sqrt"]
COMBINERS = {"f": ["addf", "addf", "maximumf", "minimumf", "maxnumf"], "i": ["addi", "maxsi", "minsi", "ori"]}
COMPARE = {"f": [("cmpf olt", np.less), ("cmpf oge", np.greater_equal), ("cmpf une", np.not_equal)],
           "i": [("cmpi slt", np.less), ("cmpi sge", np.greater_equal), ("cmpi eq", np.equal)]}  # fmt: skip
CASTS = {
    "f16": [("f32", "arith.extf")],
    "f32": [("f16", "arith.truncf")],
    "i32": [("f32", "arith.sitofp"), ("i8", "arith.trunci")],
    "i16": [("i32", "arith.extsi"), ("f32", "arith.sitofp")],
    "i8": [("f16", "arith.sitofp"), ("i16", "arith.extui")],
}


class RandomKernel(KernelText):
    """A kernel; :meth:`wanted` gives the buffers that it leaves, and how far each element may be off."""

    def __init__(self, seed: int, cores: int) -> None:
        super().__init__(seed=seed)
        self.number, self.chosen, self.head = seed, random.Random(seed), []
        self.exact = self.chance(75)
        tiles = self.pick([t for t in TILES if t <= cores])
        self.grid = (tiles,)
        if tiles % 2 == 0 and self.chance(50):
            self.grid = (2, tiles // 2)
        names = [f"%id{i}" for i in range(len(self.grid))]
        self.head.append(f"{', '.join(names)} = ktdp.get_compute_tile_id : {', '.join(['index'] * len(names))}")
        self.coordinates, self.counts = names, list(self.grid)
        self.turns = self.pick([0, 0, 0, 1, 2, 3])
        if self.turns:
            self.coordinates, self.counts = [*names, "%turn"], [*self.grid, self.turns]
        self.places: list[tuple[Place, list[int]]] = []
        self.pool: list[Value] = []
        self.stores: list[tuple[Value, Place, list[int]]] = []
        self.most = min(LARGEST, TOTAL // math.prod(self.counts))

    def pick(self, choices: Any) -> Any:
        return self.chosen.choice(list(choices))

    def shuffled(self, items: Any) -> list[int]:
        found = list(items)
        self.chosen.shuffle(found)
        return found

    def chance(self, percent: int) -> bool:
        return self.chosen.random() * 100 < percent

    # -- memory ------------------------------------------------------------------------------------

    def buffer(self, name, shape, element, strides=None, space="global", base=None, fill=True):
        body, self.lines = self.lines, self.head  # views stand in front of the loop
        view = super().buffer(name, shape, element, strides, space, base, fill)
        self.lines = body
        size = self.data[name].size
        if fill and (element[0] == "i" or self.exact):
            numbers = self.random.integers(-9, 10, size)
            self.data[name] = numbers.astype(NUMPY[element]) / (2 if element[0] == "f" else 1)
            self.data[name] = self.data[name].astype(NUMPY[element])
        return view

    def place(self, shape: tuple[int, ...], element: str, output: bool) -> Place:
        """A new buffer whose tiles have ``shape``; tiles of an output are disjoint."""
        spread: list[list[int]] = [[] for _ in shape]
        for c in range(len(self.counts)):
            if shape and (output or self.chance(75)):
                spread[self.chosen.randint(0, len(shape) - 1)].append(c)
        pad = [self.chosen.randint(1, 3) if self.chance(15) else 0 for _ in shape]
        whole = [
            size * math.prod(self.counts[c] for c in over) + more
            for size, over, more in zip(shape, spread, pad)
        ]
        order = list(range(len(shape)))
        if self.chance(25):
            order = self.shuffled(order)
        strides, step = [0] * len(shape), 1
        for d in reversed(order):
            strides[d] = step
            step *= whole[d] + (self.chosen.randint(1, 5) if self.chance(8) else 0)
        name = f"y{len(self.stores)}" if output else f"x{len(self.data)}"
        view = self.buffer(name, tuple(whole), element, strides, fill=not output)
        return Place(name, view, shape, element, strides, spread, self.counts, pad)

    def offsets(self, place: Place, shift: list[int]) -> list[str]:
        """Starts of the tile as index values."""
        found = []
        for size, over, start in zip(place.shape, place.spread, shift):
            value = None
            for c in over:
                name = self.coordinates[c]
                if value is not None:
                    scaled = self.index("muli", value, self.constant(self.counts[c]))
                    name = self.index("addi", scaled, name)
                value = name
            if value is not None and size != 1:
                value = self.index("muli", value, self.constant(size))
            if value is None:
                value = self.constant(start)
            elif start:
                value = self.index("addi", value, self.constant(start))
            found.append(value)
        return found

    def index(self, op: str, a: str, b: str) -> str:
        return self.op(f"arith.{op}", a, b, type="index")

    def constant(self, number: int) -> str:
        line = f"%c{number} = arith.constant {number} : index"
        if line not in self.head:
            self.head.append(line)
        return f"%c{number}"

    def loaded(self, place: Place, shift: list[int]) -> Value:
        name = self.load(place.view, place.shape, self.offsets(place, shift))
        return Value(name, place.shape, place.element, lambda run: place.at(run, shift).copy())

    def shift(self, place: Place) -> list[int]:
        return [self.chosen.randint(0, p) if p else 0 for p in place.pad]

    def fresh(self, shape: tuple[int, ...], element: str) -> Value:
        """A tensor from memory, perhaps from a buffer that was read before."""
        known = [p for p, _ in self.places if (p.shape, p.element) == (shape, element)]
        if known and self.chance(40):
            place = self.pick(known)
        else:
            place = self.place(shape, element, False)
        self.places.append((place, self.shift(place)))
        return self.loaded(*self.places[-1])

    def write(self, value: Value) -> None:
        if not value.shape:
            value = self.widened(value, (1,), [])
        place = self.place(value.shape, value.element, True)
        self.stores.append((value, place, self.shift(place)))

    # -- operations --------------------------------------------------------------------------------

    def computed(self, name: str, shape: Any, element: str, of: Callable[[Run], Any]) -> Value:
        return Value(name, tuple(shape), element, of)

    def widened(self, value: Value, shape: tuple[int, ...], kept: list[int]) -> Value:
        """linalg.broadcast; dimension i of ``value`` becomes dimension kept[i]."""
        dropped = [d for d in range(len(shape)) if d not in kept]
        type = shaped("tensor", shape, value.element)
        name = self.linalg("broadcast", [(value.name, value.type)], type, f" dimensions = {dropped}")

        def of(run: Run) -> Any:
            return np.broadcast_to(np.expand_dims(run(value), tuple(dropped)), shape)

        return self.computed(name, shape, value.element, of)

    def operand(self, shape: tuple[int, ...], element: str) -> Value:
        """A tensor of this form: from the pool, from memory, or from a smaller one."""
        same = [v for v in self.pool if (v.shape, v.element) == (shape, element)]
        kind = self.pick(["full", "full", "pool", "pool", "part", "part", "splat", "constant"])
        if kind == "pool" and same:
            return self.pick(same)
        if kind == "splat":
            name = f"s{len(self.data)}"
            argument = self.scalar(name, element, 3)
            made = self.op("tensor.splat", argument, type=shaped("tensor", shape, element))
            return self.computed(made, shape, element, lambda run: np.full(shape, 3))
        if kind == "constant":
            number = self.pick([2.5, -1.0, 0.0] if element[0] == "f" else [3, -1, 0])
            made = self.op(f"arith.constant dense<{number}>", type=shaped("tensor", shape, element))
            return self.computed(made, shape, element, lambda run: np.full(shape, number))
        if kind == "part":
            kept = [d for d in range(len(shape)) if self.chance(50)]
            if len(kept) < len(shape):
                part = tuple(shape[d] for d in kept)
                known = [v for v in self.pool if (v.shape, v.element) == (part, element)]
                value = self.pick(known) if known and self.chance(50) else self.fresh(part, element)
                return self.widened(value, shape, kept)
        return self.fresh(shape, element)

    def unary(self, v: Value) -> Value:
        if v.kind == "i":
            return self.binary(v)
        op = self.pick(UNARY)
        name = self.op(op, v.name, type=v.type)
        if op in ("arith.negf", "math.absf"):
            of = np.negative if op == "arith.negf" else np.abs
            return self.computed(name, v.shape, v.element, lambda run: of(run(v)))
        function = np.exp if op == "math.exp" else np.sqrt

        def estimate(run: Run) -> Any:
            return run.moved(function(run(v).astype(np.float64)), 0, ULPS, v.element)

        return self.computed(name, v.shape, v.element, estimate)

    def binary(self, v: Value) -> Value:
        a, b = v, self.operand(v.shape, v.element)
        if self.chance(50):
            a, b = b, a
        op = self.pick(FLOAT_OPS if v.kind == "f" else INTEGER_OPS)
        name = self.op(f"arith.{op}", a.name, b.name, type=v.type)
        return self.computed(name, v.shape, v.element, lambda run: BINARY[op](run(a), run(b)))

    def select(self, v: Value) -> Value:
        a, b, c = v, self.operand(v.shape, v.element), self.operand(v.shape, v.element)
        op, compare = self.pick(COMPARE[v.kind])
        mask = self.op(f"arith.{op},", a.name, b.name, type=v.type)
        bits = shaped("tensor", v.shape, "i1")
        name = self.op("arith.select", mask, b.name, c.name, type=f"{bits}, {v.type}")
        return self.computed(
            name, v.shape, v.element, lambda run: np.where(compare(run(a), run(b)), run(b), run(c))
        )

    def cast(self, v: Value) -> Value:
        to, op = self.pick(CASTS[v.element])
        name = self.op(op, v.name, type=v.type, to=shaped("tensor", v.shape, to))
        if op == "arith.extui":
            return self.computed(name, v.shape, to, lambda run: run(v).view(f"u{run(v).itemsize}"))
        return self.computed(name, v.shape, to, lambda run: run(v).astype(NUMPY[to]))

    def transpose(self, v: Value) -> Value:
        order = self.shuffled(list(range(len(v.shape))))
        shape = tuple(v.shape[d] for d in order)
        type = shaped("tensor", shape, v.element)
        name = self.linalg("transpose", [(v.name, v.type)], type, f" permutation = {order}")
        return self.computed(name, shape, v.element, lambda run: np.transpose(run(v), order))

    def broadcast(self, v: Value) -> Value:
        rank = len(v.shape)
        room = [n for n in EXTENTS if n * math.prod(v.shape) <= self.most]
        if rank == 4 or not room:
            return self.binary(v)
        added = self.chosen.randint(0, rank)
        shape = (*v.shape[:added], self.pick(room), *v.shape[added:])
        return self.widened(v, shape, [d for d in range(rank + 1) if d != added])

    def reduce(self, v: Value) -> Value:
        rank = len(v.shape)
        axes = [d for d in range(rank) if self.chance(50)] or [rank - 1]
        kept = [d for d in range(rank) if d not in axes]
        shape = tuple(v.shape[d] for d in kept)
        op = self.pick(COMBINERS[v.kind])
        type = shaped("tensor", shape, v.element)
        # A start from memory may be a tensor that a later operation reads as well.
        start = self.operand(shape, v.element) if self.chance(60) and shape else None
        outs = start.name if start else self.empty(type)
        made = self.new()
        if self.chance(50):
            self.line(
                f"{made} = linalg.reduce {{ arith.{op} }} ins({v.name} : {v.type}) "
                f"outs({outs} : {type}) dimensions = {axes}"
            )
        else:
            maps = [_map(rank, range(rank)), _map(rank, kept)]
            iterators = ["reduction" if d in axes else "parallel" for d in range(rank)]
            e = v.element
            self.line(
                f"{made} = linalg.generic {_traits(maps, iterators)} ins({v.name} : {v.type}) "
                f"outs({outs} : {type}) {{\n  ^bb0(%a: {e}, %b: {e}):\n    "
                f"%r = arith.{op} {self.pick(['%a, %b', '%b, %a'])} : {e}\n    linalg.yield %r : {e}\n  }} -> {type}"
            )

        def of(run: Run) -> Any:
            terms = np.moveaxis(run(v), axes, range(len(axes))).reshape(-1, *shape)
            if start is not None:
                terms = np.concatenate([run(start)[None], terms])
            if op == "addf":
                return summed(run, terms, v.element)
            result = terms[0]
            for term in terms[1:]:
                result = BINARY[op](result, term)
            return result

        return self.computed(made, shape, v.element, of)

    def generic(self, v: Value) -> Value:
        """One op per point of 1 to 3 operands, each read by some dimensions, written in any order."""
        rank, e = len(v.shape), v.element
        values, kepts = [v], [list(range(rank))]
        for _ in range(self.chosen.randint(0, 2)):
            kept = [d for d in range(rank) if self.chance(50)]
            values.append(self.operand(tuple(v.shape[d] for d in kept), e))
            kepts.append(kept)
        order = self.shuffled(list(range(rank))) if self.chance(30) else kepts[0]
        shape = tuple(v.shape[d] for d in order)
        type = shaped("tensor", shape, e)
        names = [f"%a{i}" for i in range(len(values))]
        body, ops, count = [], [], len(values)
        for i in range(self.chosen.randint(1, 3)):
            op = self.pick((FLOAT_OPS if v.kind == "f" else INTEGER_OPS)[:-1])
            a, b = (self.chosen.randint(0, count + i - 1) for _ in range(2))
            ops.append((op, a, b))
            body.append(f"    %r{i} = arith.{op} {names[a]}, {names[b]} : {e}")
            names.append(f"%r{i}")
        maps = [_map(rank, kept) for kept in (*kepts, order)]
        empty, made = self.empty(type), self.new()
        arguments = ", ".join(f"%a{i}: {e}" for i in range(count))
        self.line(
            f"{made} = linalg.generic {_traits(maps, ['parallel'] * rank)} "
            f"ins({', '.join(x.name for x in values)} : {', '.join(x.type for x in values)}) "
            f"outs({empty} : {type}) {{\n  ^bb0({arguments}, %o: {e}):\n" + "\n".join(body)
            + f"\n    linalg.yield {names[-1]} : {e}\n  }} -> {type}"
        )  # fmt: skip

        def of(run: Run) -> Any:
            found = []
            for value, kept in zip(values, kepts):
                wide = np.expand_dims(run(value), tuple(d for d in range(rank) if d not in kept))
                found.append(np.broadcast_to(wide, v.shape))
            for op, a, b in ops:
                found.append(BINARY[op](found[a], found[b]))
            return np.transpose(found[-1], order)

        return self.computed(made, shape, e, of)

    def matmul(self, v: Value) -> Value:
        """A product with a matrix from memory, added to a third one or to nothing."""
        if len(v.shape) != 2 or v.element not in ("f16", "f32"):
            return self.binary(v)
        m, depth = v.shape
        n = self.pick([x for x in EXTENTS if x * max(m, depth) <= self.most] or [1])
        other = self.fresh((depth, n), v.element)
        type = shaped("tensor", (m, n), v.element)
        start = self.operand((m, n), v.element) if self.chance(50) else None
        outs, made = start.name if start else self.empty(type), self.new()
        self.line(
            f"{made} = linalg.matmul ins({v.name}, {other.name} : {v.type}, {other.type}) "
            f"outs({outs} : {type}) -> {type}"
        )

        def of(run: Run) -> Any:
            terms = run(v).T[:, :, None].astype(np.float64) * run(other)[:, None, :]
            if start is not None:
                terms = np.concatenate([run(start)[None].astype(np.float64), terms])
            return summed(run, terms, v.element)

        return self.computed(made, (m, n), v.element, of)

    # -- the whole ---------------------------------------------------------------------------------

    def build(self) -> RandomKernel:
        shape: list[int] = []
        for _ in range(self.pick([1, 2, 2, 3, 4])):
            room = [n for n in EXTENTS if n * math.prod(shape) <= self.most]
            shape.insert(self.chosen.randint(0, len(shape)), self.pick(room))
        element = self.pick(["f16"] * 5 + ["f32"] * 3 + ["i32", "i16", "i8"])
        self.pool.append(self.fresh(tuple(shape), element))
        steps = [self.binary] * 3 + [self.reduce] * 2 + [
            self.unary, self.select, self.cast, self.transpose, self.broadcast, self.generic, self.matmul,
        ]  # fmt: skip
        for _ in range(self.pick([1, 1, 1, 2, 2, 2, 3, 4, 6, 8])):
            value = self.pool[-1] if self.chance(80) else self.pick(self.pool)
            step = self.pick(steps)
            if not value.shape:
                step = self.pick([self.unary, self.binary, self.broadcast])
            self.pool.append(step(value))
            if step in (self.reduce, self.matmul) and self.chance(30):  # an epilogue
                made = self.pool[-1]
                then = [self.unary, self.binary, *([self.cast, self.select, self.generic] if made.shape else [])]
                self.pool.append(self.pick(then)(made))
        self.write(self.pool[-1])
        if self.chance(35):
            self.write(self.pick(self.pool))
        self.in_place()
        for value, place, shift in self.stores:
            self.store(value.name, place.view, place.shape, self.offsets(place, shift))
        if self.turns:
            zero, one = self.constant(0), self.constant(1)
            stop = self.scalar("turns", "index", self.turns) if self.chance(50) else self.constant(self.turns)
            self.lines = [f"scf.for %turn = {zero} to {stop} step {one} {{", *self.lines, "}"]
        self.lines = [*self.head, *self.lines]
        return self

    def in_place(self) -> None:
        """Sometimes a result goes where an operand came from, if no other tile reads there."""
        count = range(len(self.counts))
        for place, shift in self.places:
            alone = [p.buffer for p, _ in self.places].count(place.buffer) == 1
            apart = sorted(c for over in place.spread for c in over) == list(count)
            value = self.stores[-1][0]
            same = (value.shape, value.element) == (place.shape, place.element)
            if alone and apart and same and self.chance(30):
                self.stores.append((value, place, shift))
                return

    def wanted(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """The buffers, and what each element may be off."""
        runs = [self._evaluate(nudge) for nudge in (0, 1, -1)]
        off = {}
        for name, array in runs[0].items():
            with np.errstate(all="ignore"):
                others = [np.abs(r[name].astype(float) - array.astype(float)) for r in runs[1:]]
            worst = np.nan_to_num(np.maximum(*others), nan=0.0, posinf=0.0)
            with np.errstate(all="ignore"):
                unit = np.spacing(np.abs(array)) if array.dtype.kind == "f" else 0.0
            off[name] = np.where(worst > 0, 2 * worst + np.nan_to_num(unit), 0.0)
        return runs[0], off

    def _evaluate(self, nudge: int) -> dict[str, np.ndarray]:
        arrays = {n: a.copy() for n, a in self.data.items() if isinstance(a, np.ndarray)}
        with np.errstate(all="ignore"):
            for place in product(*map(range, self.counts)):
                run = Run(place, arrays, nudge)
                results = [(run(value), where, shift) for value, where, shift in self.stores]
                for result, where, shift in results:
                    where.at(run, shift)[...] = result
        return arrays


def _map(rank: int, results: Any) -> str:
    dims = ", ".join(f"d{i}" for i in range(rank))
    return f"affine_map<({dims}) -> ({', '.join(f'd{i}' for i in results)})>"


def _traits(maps: list[str], iterators: list[str]) -> str:
    kinds = ", ".join(f'"{i}"' for i in iterators)
    return f"{{indexing_maps = [{', '.join(maps)}], iterator_types = [{kinds}]}}"
