"""Wrapped DataflowIR → :class:`Program`.

The module holds an unnamed declaration module with the kernel (the orchestrator), and one named module
per program: a function with the ``symbol.create_id`` arithmetic, and an inner module with the program
units. A program that isn't wrapped yet (one function with both), and a kernel that is its own program,
are accepted as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import define, evolve, field

from kt.binary import plans
from kt.binary.encode_arguments import make_arguments
from kt.binary.encode_common import is_scalar
from kt.binary.encode_finish import (
    fold_constants,
    in_plan_order,
    merge_equal,
    plan_roots,
    renumbered_plan,
)
from kt.binary.encode_host import CallSite, HostEncoder, Scope
from kt.binary.encode_image import ImageEncoder, SymbolRef
from kt.binary.encode_source import Source, body_of, find_kernel, grid_of, used_ids
from kt.binary.encode_stream import StreamEncoder
from kt.binary.errors import EncodeError, refuse
from kt.binary.expression_builder import ExpressionBuilder, compacted
from kt.binary.image import write_image
from kt.binary.model import (
    Argument,
    Contents,
    Debug,
    Image,
    Launch,
    MemoryInfo,
    Relocation,
    Step,
    Symbol,
    Unit,
)
from kt.binary.program import Program
from kt.ir.attributes import IntegerAttr
from kt.ir.core import Operation
from kt.ir.diagnostics import DeviceError, FileLoc, RunError
from kt.ir.dialects import builtin, func
from kt.ir.dialects.dataflow import GetUnitOp, ProgramUnitOp
from kt.ir.dialects.symbol import CreateIdOp

PRODUCER_VERSION = "0.1.0"


def encode(
    module: Operation,
    device: Any = None,
    *,
    func: str | None = None,
    arguments: Sequence[Argument] | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> Program:
    """The artifact of a wrapped module.

    ``device`` (:class:`kt.arch.Device`) tells kinds, memories and word sizes; ``func`` names the
    kernel if there are several; ``arguments`` describes the kernel's arguments (else what the
    program does with them is used); ``metadata`` adds keys to the artifact's own.
    EncodeError names the operation that has no binary form.
    """
    return _Encoder(module, device, find_kernel(module, func)).run(arguments, metadata or {})


@define(eq=False)
class _Encoder:
    module: Operation
    device: Any
    kernel: func.FuncOp
    grid: tuple[int, ...] = (1,)
    units: list[Unit] = field(factory=list)
    memories: list[MemoryInfo] = field(factory=list)
    unit_ops: dict[str, GetUnitOp] = field(factory=dict)
    numbers: dict[str, int] = field(factory=dict)
    sources: list[Source] = field(factory=list)
    builder: ExpressionBuilder = field(factory=ExpressionBuilder)
    origins: list[list[list[Operation]]] = field(factory=list)
    images: list[ImageEncoder] = field(factory=list)

    # -- the whole -------------------------------------------------------------------------------

    def run(self, arguments: Sequence[Argument] | None, metadata: Mapping[str, Any]) -> Program:
        plan, sites = self._host()
        encoded = [self._image(i, s, sites) for i, s in enumerate(self.sources)]
        symbols = [self._symbols(site, encoded[site.image]) for site in sites]
        images, symbols = fold_constants(encoded, symbols, sites, self.builder)
        images, symbols = merge_equal(images, symbols, sites, self.builder)
        roots = [s.expression for site in symbols for s in site]
        nodes, numbers = compacted(self.builder.nodes, [*plan_roots(plan), *roots])
        plan = renumbered_plan(plan, numbers)
        symbols = [tuple(evolve(s, expression=numbers[s.expression]) for s in x) for x in symbols]
        made = make_arguments(self.kernel, nodes, images, symbols, sites, self.images, arguments)
        sizes = [len(write_image(image, lambda text: 0)) for image in images]
        contents = Contents(
            self._metadata(made, images, metadata), made, tuple(self.units), tuple(self.memories),
            nodes, tuple(images), tuple(symbols), plan, plans.prepare_plan(sizes), self._templates(),
            self._debug(),
        )  # fmt: skip
        return Program.of(contents)

    def _host(self) -> tuple[tuple[Step, ...], list[CallSite]]:
        """The plan, with nodes of the builder, and its launch sites in order."""
        kernel, builder = self.kernel, self.builder
        for argument in kernel.arguments:
            if not is_scalar(argument.type):
                raise EncodeError(
                    f"argument #{argument.index} of '@{kernel.symbol}' has type {argument.type}",
                    argument.location,
                    hint="kernel arguments are addresses (index), integers and floats",
                )
        leaves = [builder.arg(i) for i in range(len(kernel.arguments))]
        own = any(True for _ in kernel.walk_type(ProgramUnitOp))
        body = body_of(kernel) if own else None
        self.grid = grid_of(body or kernel)
        if self.grid == (1,):
            self.grid = next(
                (g for f in self.module.walk_type(func.FuncOp) if (g := grid_of(f)) != (1,)), (1,)
            )
        if own:
            self.sources.append(Source.of(kernel.symbol, kernel))
            return (Launch(0, 0),), [CallSite(0, tuple(leaves), None, kernel)]
        scope = Scope(builder, self.grid)
        scope.known.update(zip(kernel.arguments, leaves, strict=True))
        host = HostEncoder(scope, self.cores, self._program_of)
        try:
            plan = tuple(host.steps(kernel.entry))
        except RunError as error:
            raise EncodeError(error.message, kernel.location) from None
        if not self.sources:
            raise EncodeError(
                f"kernel '@{kernel.symbol}' launches no program",
                kernel.location,
                hint="a kernel without stores does nothing; DataflowIR must have gone through wrap-program-dfir",
            )
        used, order = in_plan_order(plan, host.sites)
        return used, order

    @property
    def cores(self) -> int:
        cores = 1
        for extent in self.grid:
            cores *= extent
        return cores

    def _program_of(self, call: Any) -> int | None:
        """Number of a called program; None for a function of the host."""
        name = call.callee.root
        for i, source in enumerate(self.sources):
            if source.name == name:
                return i
        for child in self.module.walk_type(builtin.ModuleOp):
            if child is self.module or getattr(child.attr("sym_name"), "value", None) != name:
                continue
            for function in child.body.ops:
                if isinstance(function, func.FuncOp) and function.symbol == name:
                    self.sources.append(Source.of(name, function))
                    return len(self.sources) - 1
            raise refuse(child, f"holds no function of its own name '@{name}'")
        return None

    # -- programs --------------------------------------------------------------------------------

    def _image(self, number: int, source: Source, sites: Sequence[CallSite]) -> Image:
        """One program; its symbols are all ids that it uses, and predicates if a site is guarded."""
        guarded = any(site.guard is not None for site in sites if site.image == number)
        image = ImageEncoder(self.device, self._unit_index, self._memory_index)
        self.images.append(image)
        first_free = min([0, *source.create_ids, *used_ids(source)]) - 1
        streams, origins, entries = [], [], []
        for program_unit in source.units:
            encoder = StreamEncoder(image, program_unit)
            guard = None
            if guarded:
                guard = tuple(SymbolRef(first_free - (u.core or 0)) for u in encoder.units)
            stream, places, relocated = encoder.encode(guard)
            streams.append(stream)
            origins.append(places)
            entries.append(relocated)
        self.origins.append(origins)
        ids = tuple(sorted({id for part in entries for _, _, id in part}, reverse=True))
        slots = {id: slot for slot, id in enumerate(ids)}
        relocations = tuple(
            Relocation(stream, table, ordinal, slots[id])
            for stream, part in enumerate(entries)
            for table, ordinal, id in part
        )
        return Image(source.name, ids, tuple(streams), tuple(image.constants), relocations)

    def _symbols(self, site: CallSite, image: Image) -> tuple[Symbol, ...]:
        """The symbols of a program at one site."""
        source, encoder = self.sources[site.image], self.images[site.image]
        scope = Scope(self.builder, self.grid)
        scope.known.update(zip(source.outer.arguments, site.operands, strict=True))
        base = min([0, *source.create_ids, *used_ids(source)]) - 1
        found = []
        for id in image.symbols:
            if id <= base:
                found.append(self._predicate(id, base - id, site))
                continue
            declared = source.create_ids.get(id)
            if declared is None:
                raise EncodeError(
                    f"program '@{source.name}' uses symbol {id}, which nothing declares",
                    source.outer.location,
                    hint="declare it by symbol.create_id in the program's function",
                )
            node = scope.node(declared.value)
            is_address = id in encoder.starts and id not in encoder.values
            found.append(self._symbol(declared, id, node, is_address))
        return tuple(found)

    def _symbol(self, declared: CreateIdOp, id: int, node: int, is_address: bool) -> Symbol:
        core = declared.attributes.get("kt.core")
        place = core.value if isinstance(core, IntegerAttr) else None
        if self.builder.depends_on_grid(node):
            if place is None:
                raise refuse(
                    declared,
                    f"declares symbol {id}, which depends on the tile id, but names no core",
                    hint="add the attribute kt.core = c : i64",
                )
        else:
            place = None
        divisor = 1
        if is_address:
            node, divisor = _split_division(self.builder, node)
        return Symbol(id, "address" if is_address else "value", node, divisor, divisor, place)

    def _predicate(self, id: int, core: int, site: CallSite) -> Symbol:
        guard = self.builder.const(1) if site.guard is None else site.guard
        place = core if self.builder.depends_on_grid(guard) else None
        return Symbol(id, "predicate", guard, core=place)

    # -- units -----------------------------------------------------------------------------------

    def _unit_index(self, op: GetUnitOp) -> int:
        name = op.unit_name.value
        found = self.numbers.get(name)
        if found is None:
            found = self.numbers[name] = len(self.units)
            self.unit_ops[name] = op
            corelet = None if op.corelet < 0 else op.corelet
            kind = ImageEncoder.kind_of(self.images[-1], op)
            self.units.append(Unit(name, kind, op.core, corelet))
            if op.core is not None and op.core >= self.cores:
                raise refuse(op, f"is on core {op.core}, but the grid has {self.cores} elements")
        else:
            known = self.unit_ops[name]
            if (known.core, known.corelet, known.unit_type) != (op.core, op.corelet, op.unit_type):
                raise refuse(op, f"describes unit '{name}' otherwise than before")
        return found

    def _memory_index(self, op: GetUnitOp) -> None:
        number = self._unit_index(op)
        unit = self.units[number]
        if unit.memory is None:
            self.units[number] = evolve(unit, memory=len(self.memories))
            self.memories.append(self._memory(unit, op))

    def _memory(self, unit: Unit, op: GetUnitOp) -> MemoryInfo:
        if self.device is None:
            scope = "device" if unit.core is None else "core"
            return MemoryInfo(unit.name, unit.kind, scope, 0, unit.core)
        try:
            memory = self.device.memory(unit.kind, core=unit.core or 0)
        except DeviceError as error:
            raise refuse(op, f"is used as a memory: {error.message}") from error
        scope = self.device.scope(unit.kind)
        if scope == "group":  # the memory of the core that the handle names; others reach it too
            scope = "core"
        return MemoryInfo(unit.name, unit.kind, scope, memory.size or 0, unit.core)

    # -- the rest --------------------------------------------------------------------------------

    def _metadata(
        self, arguments: Sequence[Argument], images: Sequence[Image], extra: Mapping[str, Any]
    ) -> dict[str, Any]:
        device = {"digest": "", "name": "none"}
        if self.device is not None:
            device = {"digest": self.device.digest, "name": str(self.device.name)}
        return {
            "abi": 1,
            "args": [a.name for a in arguments],
            "device": device,
            "grid": list(self.grid),
            "kernel": self.kernel.symbol,
            "producer": "kt",
            "producer_version": PRODUCER_VERSION,
            "programs": [image.name for image in images],
            **extra,
        }

    def _templates(self) -> str:
        """Text of the template functions that the programs use."""
        names = list(dict.fromkeys(n for image in self.images for n in image.templates))
        if not names:
            return ""
        from kt.parse.printer import print_op

        known = dict(getattr(self.device, "templates", None) or {})
        local = {
            f.symbol: f for f in self.module.walk_type(func.FuncOp) if "kt.template" in f.attributes
        }
        parts = []
        for name in names:
            function = known.get(name) or local.get(name)
            if function is None:
                raise EncodeError(
                    f"a program uses the template '@{name}', which nobody defines",
                    self.module.location,
                    hint="add a func.func with the attribute kt.template to the device's file",
                )
            parts.append(print_op(function).rstrip("\n") + "\n")
        return "".join(parts)

    def _debug(self) -> Debug:
        positions: dict[tuple[str, int, int], int] = {}
        ops: dict[str, int] = {}

        def place(op: Operation) -> tuple[int, int]:
            position = op.location.position()
            number = -1
            if position is not None:
                number = positions.setdefault(_position(position), len(positions))
            return number, ops.setdefault(op.name, len(ops))

        places = tuple(
            tuple(tuple(place(op) for op in stream) for stream in image) for image in self.origins
        )
        return Debug(tuple(positions), tuple(ops), places)


def _position(place: FileLoc) -> tuple[str, int, int]:
    """Base name, line, column: nothing of the machine's paths."""
    return place.file.replace("\\", "/").rpartition("/")[2], place.line, place.column


def _split_division(builder: ExpressionBuilder, node: int) -> tuple[int, int]:
    """``x / c`` of an address becomes x with an exact division, checked at launch."""
    found = builder.nodes[node]
    if found.op != "divs":
        return node, 1
    divisor = builder.value(found.rhs)
    if divisor is None or not 1 <= divisor < 1 << 31 or divisor & divisor - 1:
        return node, 1
    return found.lhs, divisor
