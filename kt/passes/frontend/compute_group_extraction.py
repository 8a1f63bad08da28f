"""compute-group-extraction: a program per store or several, and an orchestrator that calls them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

from attrs import define, field, frozen

from kt.ir.attributes import ArrayAttr, DictAttr, SymbolRefAttr, UnitAttr
from kt.ir.clone import clone_ops
from kt.ir.core import Operation, Region, Value
from kt.ir.dce import region_dce
from kt.ir.diagnostics import Location, fuse
from kt.ir.dialects import func, ktdf_arch, ktdp
from kt.ir.dialects.builtin import ModuleOp
from kt.ir.symbols import SymbolTable
from kt.ir.types import FunctionType
from kt.passes.analysis.groups import ComputeGroup, find_groups, refuse
from kt.passes.analysis.linear import depends_on_op
from kt.passes.analysis.sharing import share_loads
from kt.passes.analysis.target import device_if_known
from kt.passes.frontend.rules.split_bodies import fit_together, may_exceed
from kt.passes.manager import Pass, PassContext, register_pass

if TYPE_CHECKING:
    from kt.arch import Device

PER_TILE = "kt.per_tile"
"""Argument attribute of programs: the value that is passed differs between compute tiles."""


@register_pass
@frozen
class ComputeGroupExtraction(Pass):
    """Cut each load → compute → store chain out of the kernel into a program of its own.

    A program is a function in a module of its own name. It computes again what it needs
    (constants, tile ids, views, index arithmetic); function arguments, induction variables and
    results of control flow are its parameters, those that depend on the tile id with the argument
    attribute ``kt.per_tile``. What is left of the kernel is the orchestrator: loops, conditions,
    calls::

        func.func @f(%p: index) {                module {
          scf.for %i = … {                         func.func @f(%p: index) {
            %x = ktdp.load …                         scf.for %i = … { call @local_schedule_0(%p, %i) }
            ktdp.store f(%x) …              →      }
          }                                        func.func private @local_schedule_0(index, index)
        }                                        }
                                                 module @local_schedule_0 { func.func @local_schedule_0 … }

    Programs are numbered from inner to outer blocks. Stores of elementwise results over the same
    points share a program when they load a tile in common, no store changes what another one needs, and
    the registers of the engine hold the vectors of all; so do copies from the scratchpads of other
    tiles. Else a value that several stores need is loaded and computed again in each of their
    programs; the order of memory accesses stays, and where a store overwrites what a later program
    would load again, that program runs first.
    """

    name = "compute-group-extraction"

    def run(self, module: Operation, ctx: PassContext) -> None:
        functions = [op for op in module.walk_type(func.FuncOp) if not op.is_declaration]
        device = device_if_known(module, ctx)
        groups = [
            (f, group)
            for f in functions
            for block in find_groups(f)
            for group in share_loads(block, _room(f, device))
        ]
        if not groups:
            return
        split = _Splitter(module, ctx)
        for function, group in groups:
            split.extract(function, group)
        _tell_repeated([group for _, group in groups], ctx)
        for _, group in groups:
            for store in group.stores:
                store.erase()
        region_dce(module)
        _check_rest(split.original)


def _room(function: func.FuncOp, device: Device | None) -> Callable[[list[Operation]], bool]:
    """Whether the registers of the engine hold what some ops compute."""
    if device is None or not may_exceed(function, device):
        return lambda ops: True
    return lambda ops: fit_together(ops, device)


@define(eq=False)
class _Splitter:
    """Builds the modules; ``original`` is the unnamed one that keeps the kernels."""

    top: Operation
    ctx: PassContext
    original: ModuleOp = field(init=False)
    symbols: SymbolTable = field(init=False)
    calls: dict[ComputeGroup, func.CallOp] = field(factory=dict)
    number: int = 0

    def __attrs_post_init__(self) -> None:
        self.original = ModuleOp.empty()
        for op in self.top.body.ops:
            if not isinstance(op, ktdf_arch.DeviceOp):
                self.original.body.append(op.detach())
        self.top.body.prepend(self.original)
        self.symbols = SymbolTable(self.top)

    def free_name(self) -> str:
        while self.symbols.lookup(name := f"local_schedule_{self.number}") is not None:
            self.number += 1
        return name

    def extract(self, kernel: func.FuncOp, group: ComputeGroup) -> None:
        """Make the program of a group and the call to it."""
        name = self.free_name()
        location = fuse([store.location for store in group.stores])
        inner = ModuleOp.empty(name)
        inner.location = fuse([kernel.location, location])
        self.top.body.append(inner)
        self.symbols.names[name] = inner
        types = [v.type for v in group.parameters]
        attributes = {k: v for k, v in kernel.attributes.items() if k == "grid"}
        program = func.FuncOp.of(name, types, attributes=attributes, location=location)
        inner.body.append(program)
        mapping: dict[Value, Value] = {}
        for value, argument in zip(group.parameters, program.arguments, strict=True):
            argument.name_hint, argument.loc = value.name_hint, value.location
            mapping[value] = argument
        for op in clone_ops(group.ops, mapping):
            program.entry.append(op)
        program.entry.append(func.ReturnOp.build([], location=location))
        declaration = _declaration(name, types, location)
        marks = [
            DictAttr.of({PER_TILE: UnitAttr()} if _varies(v) else {}) for v in group.parameters
        ]
        if any(len(mark) for mark in marks):
            program.arg_attrs = ArrayAttr(tuple(marks))
            declaration.arg_attrs = ArrayAttr(tuple(marks))
        self.original.body.append(declaration)
        call = func.CallOp.build(
            group.parameters, callee=SymbolRefAttr(name), result_types=(), location=location
        )
        self.calls[group] = call
        before = group.store if group.before is None else self.calls[group.before]
        assert before.parent is not None
        before.parent.insert_before(call, before)
        self.ctx.stat("programs")
        self.ctx.remark(f"{_described(group)} became @{name}", location)


def _declaration(name: str, types: list, location: Location) -> func.FuncOp:
    return func.FuncOp.build(
        sym_name=name,
        function_type=FunctionType(tuple(types), ()),
        sym_visibility="private",
        regions=[Region()],
        result_types=(),
        location=location,
    )


def _varies(value: Value) -> bool:
    return depends_on_op(value, ktdp.GetComputeTileIdOp.name)


def _described(group: ComputeGroup) -> str:
    loads = len(group.loads)
    work = sum(op.dialect == "linalg" for op in group.ops)
    parts = [f"{loads} load{'s' * (loads != 1)}"]
    if work:
        parts.append(f"{work} computation{'s' * (work != 1)}")
    stores = "a store" if len(group.stores) == 1 else f"{len(group.stores)} stores"
    return f"{stores} with {' and '.join(parts)}"


def _tell_repeated(groups: list[ComputeGroup], ctx: PassContext) -> None:
    """Remarks on tiles that several programs load."""
    counts = Counter(load for group in groups for load in group.loads)
    for load, count in counts.items():
        if count > 1:
            ctx.remark(f"loaded by {count} programs, the stores that need it have no program in common", load.location)
            ctx.stat("repeated-loads", count - 1)


def _check_rest(original: Operation) -> None:
    """Whatever works on tensors is in a program now, or nothing would run it."""
    for op in original.walk():
        if isinstance(op, (ktdp.LoadOp, ktdp.InterTileOp)) or op.dialect in ("linalg", "tensor"):
            raise refuse(
                op,
                "it has an effect on control flow or on values that no store in its block uses",
                "store its result, or compute it from arguments instead of loaded data",
            )
