"""A small writer of KTIR text: one operation per line, as line-oriented readers want it."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import define, field


def box(extents: Sequence[int]) -> str:
    """The set of coordinates from 0 to each extent."""
    names = [f"d{i}" for i in range(len(extents))]
    bounds = [f"{d} >= 0, -{d} + {n - 1} >= 0" for d, n in zip(names, extents)]
    return f"affine_set<({', '.join(names)}) : ({', '.join(bounds)})>"


def identity(rank: int) -> str:
    names = ", ".join(f"d{i}" for i in range(rank))
    return f"affine_map<({names}) -> ({names})>"


def shaped(kind: str, extents: Sequence[int], element: str) -> str:
    return f"{kind}<{'x'.join(map(str, (*extents, element)))}>"


@define
class Text:
    """Lines of one function, and fresh names for its values."""

    name: str
    arguments: Sequence[str]
    grid: Sequence[int]
    lines: list[str] = field(factory=list)
    count: int = 0
    depth: int = 1
    types: dict[str, str] = field(factory=dict)

    def line(self, text: str) -> None:
        self.lines.append("  " * self.depth + text)

    def set(self, text: str, type: str = "") -> str:
        """One operation with one result; the result's name."""
        self.count += 1
        name = f"%v{self.count}"
        self.line(f"{name} = {text}")
        self.types[name] = type
        return name

    def index(self, value: int) -> str:
        return self.set(f"arith.constant {value} : index", "index")

    def tile_ids(self) -> list[str]:
        names = [f"%t{i}" for i in range(len(self.grid))]
        types = ", ".join(["index"] * len(names))
        self.line(f"{', '.join(names)} = ktdp.get_compute_tile_id : {types}")
        return names

    def op(self, name: str, *operands: str, type: str | None = None) -> str:
        """An operation on values of one type."""
        type = type or self.types[operands[0]]
        return self.set(f"{name} {', '.join(operands)} : {type}", type)

    def splat(self, value: str, extents: Sequence[int], element: str = "f16") -> str:
        type = shaped("tensor", extents, element)
        return self.set(f"arith.constant dense<{value}> : {type}", type)

    def cast(self, name: str, value: str, element: str) -> str:
        new = self.types[value].rsplit("x", 1)[0] + f"x{element}>"
        return self.set(f"{name} {value} : {self.types[value]} to {new}", new)

    def view(
        self,
        pointer: str,
        extents: Sequence[int],
        strides: Sequence[int] | None = None,
        element: str = "f16",
    ) -> str:
        """A global view, row-major unless strides are given."""
        if strides is None:
            strides = [1]
            for extent in reversed(extents[1:]):
                strides = [strides[0] * extent, *strides]
        type = shaped("memref", extents, element)
        return self.set(
            f"ktdp.construct_memory_view {pointer}, sizes: {list(extents)}, strides: {list(strides)} "
            f"{{coordinate_set = {box(extents)}, memory_space = #ktdp.memory_space<global>}} : {type}",
            type,
        )

    def tile(self, view: str, at: Sequence[str], extents: Sequence[int]) -> str:
        shape = shaped("!ktdp.access_tile", extents, "index")
        return self.set(
            f"ktdp.construct_access_tile {view}[{', '.join(at)}] {{access_tile_set = {box(extents)}, "
            f"access_tile_order = {identity(len(extents))}}} : {self.types[view]} -> {shape}",
            shape,
        )

    def load_tile(self, tile: str, view: str) -> str:
        element = self.types[view].rsplit("x", 1)[1]
        shape = self.types[tile].removeprefix("!ktdp.access_tile<").removesuffix("xindex>")
        type = f"tensor<{shape}x{element}"
        return self.set(f"ktdp.load {tile} : {self.types[tile]} -> {type}", type)

    def load(self, view: str, at: Sequence[str], extents: Sequence[int]) -> str:
        return self.load_tile(self.tile(view, at, extents), view)

    def store(self, value: str, view: str, at: Sequence[str], extents: Sequence[int]) -> None:
        tile = self.tile(view, at, extents)
        self.line(f"ktdp.store {value}, {tile} : {self.types[value]}, {self.types[tile]}")

    def reduce(self, combiner: str, value: str, start: str) -> str:
        """Reduction of a 1 x n tensor along its second axis, into a tensor of one element."""
        type = self.types[start]
        return self.set(
            f"linalg.reduce {{ {combiner} }} ins({value} : {self.types[value]}) "
            f"outs({start} : {type}) dimensions = [1]",
            type,
        )

    def scalar(self, value: str, *at: str) -> str:
        """One element of a tensor."""
        element = self.types[value].rsplit("x", 1)[1].removesuffix(">")
        place = f"{value}[{', '.join(at)}]"
        return self.set(f"tensor.extract {place} : {self.types[value]}", element)

    def spread(self, value: str, type: str) -> str:
        return self.set(f"tensor.splat {value} : {type}", type)

    def broadcast(self, value: str, extents: Sequence[int], axis: int) -> str:
        element = self.types[value].rsplit("x", 1)[1].removesuffix(">")
        type = shaped("tensor", extents, element)
        empty = self.set(f"tensor.empty() : {type}", type)
        return self.set(
            f"linalg.broadcast ins({value} : {self.types[value]}) outs({empty} : {type}) "
            f"dimensions = [{axis}]",
            type,
        )

    def matmul(self, a: str, b: str, start: str) -> str:
        type = self.types[start]
        return self.set(
            f"linalg.matmul ins({a}, {b} : {self.types[a]}, {self.types[b]}) "
            f"outs({start} : {type}) -> {type}",
            type,
        )

    def loop(
        self, low: str, high: str, step: str, carried: Sequence[str] = ()
    ) -> tuple[str, list[str], list[str]]:
        """Open a loop: its variable, the carried values inside, and those after it."""
        self.count += 1
        number = self.count
        names = [f"%a{number}_{i}" for i in range(len(carried))]
        after = [f"%r{number}_{i}" for i in range(len(carried))]
        for name, out, start in zip(names, after, carried):
            self.types[name] = self.types[out] = self.types[start]
        head = f"scf.for %i{number} = {low} to {high} step {step}"
        if carried:
            pairs = ", ".join(f"{n} = {v}" for n, v in zip(names, carried))
            types = ", ".join(self.types[v] for v in carried)
            head = f"{', '.join(after)} = {head} iter_args({pairs}) -> ({types})"
        self.line(head + " {")
        self.depth += 1
        self.types[f"%i{number}"] = "index"
        return f"%i{number}", names, after

    def end(self, *values: str) -> None:
        """Close a loop."""
        if values:
            types = ", ".join(self.types[v] for v in values)
            self.line(f"scf.yield {', '.join(values)} : {types}")
        self.depth -= 1
        self.line("}")

    def module(self) -> str:
        arguments = ", ".join(self.arguments)
        grid = ", ".join(map(str, self.grid))
        head = f"func.func @{self.name}({arguments}) attributes {{grid = [{grid}]}} {{"
        return "\n".join(["module {", head, *self.lines, "  return", "}", "}", ""])
