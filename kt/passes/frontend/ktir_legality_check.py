"""ktir-legality-check: everything about a kernel that can't be compiled, at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from attrs import define, field, frozen

from kt.arch import Device
from kt.arch.load import device_ops
from kt.ir import types as t
from kt.ir.attributes import ArrayAttr, IntegerAttr
from kt.ir.core import Operation, UnregisteredOp
from kt.ir.diagnostics import Diagnostic, Note, PassError
from kt.ir.dialects import func, ktdp
from kt.ir.dialects.linalg_base import LinalgOp
from kt.ir.registry import plugins
from kt.ir.traits import Elementwise, Terminator
from kt.passes.analysis.target import device_of
from kt.passes.manager import Pass, PassContext, register_pass

_DIALECTS = ("builtin", "func", "arith", "math", "tensor", "linalg", "ktdp", "spyreop", "kt")
_OTHERS = ("scf.for", "scf.if", "scf.yield", "affine.apply", "affine.min", "affine.max")


@register_pass
@frozen
class KtirLegalityCheck(Pass):
    """Refuse what can't be compiled, with all reasons at once; changes nothing.

    A kernel is made of ``scf.for`` and ``scf.if`` around loads, ops on tensors and stores. With a
    device: the grid has at most as many compute tiles as the device has cores (if it says so), and
    every memory space stands for a memory::

        func.func @f() attributes {grid = [32]} …

        error: grid [32] needs 32 compute tiles, but device @toy has 8 cores
    """

    name = "ktir-legality-check"

    def run(self, module: Operation, ctx: PassContext) -> None:
        known = ctx.device is not None or bool(device_ops(module))
        check = _Check(device_of(module, ctx) if known else None)
        for function in module.walk_type(func.FuncOp):
            if not function.is_declaration and function.attr("kt.template") is None:
                check.function(function)
        if check.found:
            first, *rest = check.found
            raise PassError(
                first.message, first.location, notes=first.notes, hint=first.hint, more=rest
            )


@define
class _Check:
    device: Device | None
    found: list[Diagnostic] = field(factory=list)

    def reject(self, op: Operation, message: str, hint: str, *notes: Note) -> None:
        self.found.append(Diagnostic(message, op.location, "error", notes, hint))

    def function(self, function: func.FuncOp) -> None:
        grid = self.grid(function)
        for i, type in enumerate(function.function_type.inputs):
            if isinstance(type, t.ShapedType):
                self.reject(
                    function,
                    f"argument {i} of @{function.symbol} is a '{type}', which is nowhere in memory",
                    "pass the address of the buffer as an 'index' argument and make a view of it",
                )
        if function.function_type.results:
            self.reject(
                function,
                f"@{function.symbol} returns values, but a kernel leaves its results in memory",
                "store the results through a view",
            )
        if len(function.body_region.blocks) > 1:
            self.reject(
                function,
                f"@{function.symbol} has branches between blocks",
                "write loops and conditions as scf.for and scf.if",
            )
        for op in function.walk():
            if op is not function:
                self.op(op, grid)

    def grid(self, function: func.FuncOp) -> tuple[int, ...] | None:
        """The grid of a function; checks it."""
        given = function.attr("grid")
        if given is None:
            return (1,)
        sizes = given.elements if isinstance(given, ArrayAttr) else ()
        numbers = tuple(s.value for s in sizes if isinstance(s, IntegerAttr))
        if not numbers or len(numbers) != len(sizes) or min(numbers) < 1:
            self.reject(
                function, f"grid {given} is no list of positive numbers", "write e.g. grid = [4]"
            )
            return None
        tiles, device = math.prod(numbers), self.device
        if device is not None and tiles > device.num_cores and _states_cores(device):
            shape = ", ".join(map(str, numbers))
            self.reject(
                function,
                f"grid [{shape}] needs {tiles} compute tiles, but device @{device.name} has "
                f"{device.num_cores} cores",
                "let each compute tile do more, or choose a larger device",
                Note("the device", device.location),
            )
        return numbers

    def op(self, op: Operation, grid: tuple[int, ...] | None) -> None:
        for rule in _RULES:
            for message, hint in rule(op):
                self.reject(op, message, hint)
        if isinstance(op, ktdp.GetComputeTileIdOp) and grid and len(op.results) != len(grid):
            self.reject(
                op,
                f"asks for {len(op.results)} coordinates of a compute tile in a grid of rank "
                f"{len(grid)}",
                "take one result per dimension of the grid",
            )
        if isinstance(op, ktdp.ConstructMemoryViewOp):
            self.memory(op)

    def memory(self, view: ktdp.ConstructMemoryViewOp) -> None:
        device = self.device
        if device is not None and device.memory_for_space(view.memory_space) is None:
            self.reject(
                view,
                f"device @{device.name} has no memory for {view.memory_space}",
                "add the space to mem_space_mapping of the device",
                Note("the device", device.location),
            )


def _states_cores(device: Device) -> bool:
    """Whether a device says how many cores it has, rather than showing one that stands for all."""
    return len(device.cores) > 1 or any(group.role == "core" for group in device.cores)


Rule = Callable[[Operation], Iterator[tuple[str, str]]]


def _unknown(op: Operation) -> Iterator[tuple[str, str]]:
    if isinstance(op, UnregisteredOp):
        yield f"unknown op '{op.name}'", "spell it as a dialect of kt does, or register the dialect"
    elif op.dialect in plugins() and op.has_trait(Elementwise):
        return  # an intrinsic of somebody's device
    elif op.dialect not in _DIALECTS and op.name not in _OTHERS and not op.has_trait(Terminator):
        yield f"'{op.name}' is no op of a kernel", _instead(op)


def _instead(op: Operation) -> str:
    if op.dialect in ("scf", "cf", "affine"):
        return "write loops and conditions as scf.for and scf.if"
    if op.dialect == "memref":
        return "use ktdp views, access tiles, loads and stores"
    return "lower-level IR enters the pipeline behind the frontend"


def _calls(op: Operation) -> Iterator[tuple[str, str]]:
    if op.name in ("func.call", "func.call_indirect"):
        yield "a kernel can't call functions", "inline the function"


def _buffers(op: Operation) -> Iterator[tuple[str, str]]:
    if isinstance(op, LinalgOp) and any(isinstance(v.type, t.MemRefType) for v in op.operands):
        yield f"'{op.name}' works on memrefs", "load tensors, compute, and store the result"


def _tiles(op: Operation) -> Iterator[tuple[str, str]]:
    if isinstance(op, ktdp.TileSpaceOp) and op.space.as_symbolic_box() is None:
        yield (
            f"the points of the access tile are no box: {op.space}",
            "give each dimension one first and one last coordinate",
        )


def _empty(op: Operation) -> Iterator[tuple[str, str]]:
    if isinstance(op, ktdp.TileSpaceOp) and 0 in op.type.shape:
        yield f"the access tile {op.type} has no elements", "leave out what loads or stores it"


def _reductions(op: Operation) -> Iterator[tuple[str, str]]:
    if not isinstance(op, LinalgOp):
        return
    reduced = op.dims_of_kind("reduction")
    for map in op.indexing_maps()[len(op.inputs) :]:
        kept = [d for d in reduced if d in map.used_dims]
        if kept:
            yield (
                f"d{kept[0]} is a reduction, but each of its steps has its own element of the output",
                "call the iterator parallel",
            )


_RULES: tuple[Rule, ...] = (_unknown, _calls, _buffers, _tiles, _empty, _reductions)
