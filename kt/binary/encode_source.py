"""Where the kernel and its programs are in a module."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import define

from kt.binary.errors import EncodeError, refuse
from kt.ir.attributes import ArrayAttr, IntegerAttr
from kt.ir.core import Operation
from kt.ir.dialects import func
from kt.ir.dialects.dataflow import ProgramUnitOp
from kt.ir.dialects.symbol import CreateIdOp


def find_kernel(module: Operation, name: str | None) -> func.FuncOp:
    """The function that no other one calls."""
    functions = [f for f in module.walk_type(func.FuncOp) if not f.is_declaration]
    if name is not None:
        functions = [f for f in functions if f.symbol == name]
        if not functions:
            raise EncodeError(f"there is no function '@{name}'", module.location)
        return functions[0]
    called = {c.callee.root for c in module.walk_type(func.CallOp)}
    kernels = [
        f
        for f in functions
        if f.symbol not in called
        and "kt.template" not in f.attributes
        and not _in_program(f, module)
    ]
    if len(kernels) == 1:
        return kernels[0]
    listed = ", ".join(f"@{f.symbol}" for f in kernels)
    raise EncodeError(
        f"the module has several kernels: {listed}" if kernels else "the module has no kernel",
        module.location,
        hint="name one" if kernels else "a kernel is a function with a body that no function calls",
    )


def _in_program(function: func.FuncOp, root: Operation) -> bool:
    """Whether a function belongs to a program's module: a named one below ``root``."""
    inside = (op for op in function.ancestors() if op is not root and not op.is_ancestor_of(root))
    return any(op.attr("sym_name") is not None for op in inside)


def grid_of(function: func.FuncOp) -> tuple[int, ...]:
    grid = function.attributes.get("grid")
    if not isinstance(grid, ArrayAttr) or not len(grid):
        return (1,)
    extents = tuple(a.value if isinstance(a, IntegerAttr) else 0 for a in grid)
    if any(n < 1 for n in extents):
        raise EncodeError(
            f"function '@{function.symbol}' has an odd grid: {grid}", function.location
        )
    return extents


@define(eq=False)
class Source:
    """One program: the function that declares its symbols, and the one with its units."""

    name: str
    outer: func.FuncOp
    body: func.FuncOp
    create_ids: dict[int, CreateIdOp]

    @classmethod
    def of(cls, name: str, outer: func.FuncOp) -> Source:
        declared: dict[int, CreateIdOp] = {}
        for op in outer.entry.ops:
            if isinstance(op, CreateIdOp) and declared.setdefault(op.symbol_id.value, op) is not op:
                raise refuse(op, f"declares symbol {op.symbol_id.value} a second time")
        return cls(name, outer, body_of(outer), declared)

    @property
    def units(self) -> list[ProgramUnitOp]:
        found = list(self.body.walk_type(ProgramUnitOp))
        if not found:
            raise EncodeError(f"program '@{self.name}' has no program unit", self.body.location)
        return found


def body_of(outer: func.FuncOp) -> func.FuncOp:
    """The function with the program units: ``outer`` itself, or what it calls."""
    if any(True for _ in outer.walk_type(ProgramUnitOp)):
        return outer
    table = outer.parent_op
    assert table is not None
    called = {c.callee.root for c in outer.walk_type(func.CallOp)}
    for function in table.walk_type(func.FuncOp):
        if function.symbol in called and not function.is_declaration:
            return function
    raise EncodeError(
        f"program '@{outer.symbol}' has no body with program units",
        outer.location,
        hint="run the pipeline to wrap-program-dfir first",
    )


def used_ids(source: Source) -> Iterator[int]:
    """Symbols that a program's units name."""
    for op in source.body.walk():
        if op.name == "symbol.create_symbol":
            yield op.symbol_id  # type: ignore[attr-defined]
