"""Wrapped DataflowIR → :class:`Program`.

The module holds an unnamed declaration module with the kernel (the orchestrator), and one named module
per program: a function with the ``symbol.create_id`` arithmetic, and an inner module with the program
units. A program that isn't wrapped yet (one function with both), and a kernel that is its own program,
are accepted as well.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import define, evolve, field

from kt.binary import plans
from kt.binary.encode_arguments import make_arguments
from kt.binary.encode_common import is_scalar
from kt.binary.encode_host import CallSite, HostEncoder, Scope
from kt.binary.encode_stream import ImageEncoder, StreamEncoder, SymbolRef
from kt.binary.errors import EncodeError, refuse
from kt.binary.expressions import ExpressionBuilder, compacted
from kt.binary.image import write_image
from kt.binary.model import (
    Argument,
    Contents,
    Debug,
    For,
    If,
    Image,
    Launch,
    MemoryInfo,
    Relocation,
    Step,
    Symbol,
    Table,
    Unit,
)
from kt.binary.program import Program
from kt.ir.attributes import ArrayAttr, IntegerAttr
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
    return _Encoder(module, device, _find_kernel(module, func)).run(arguments, metadata or {})


def _find_kernel(module: Operation, name: str | None) -> func.FuncOp:
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
        if f.symbol not in called and "kt.template" not in f.attributes and not _in_program(f, module)
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


def _grid_of(function: func.FuncOp) -> tuple[int, ...]:
    grid = function.attributes.get("grid")
    if not isinstance(grid, ArrayAttr) or not len(grid):
        return (1,)
    extents = tuple(a.value if isinstance(a, IntegerAttr) else 0 for a in grid)
    if any(n < 1 for n in extents):
        raise EncodeError(f"function '@{function.symbol}' has an odd grid: {grid}", function.location)
    return extents


@define(eq=False)
class _Source:
    """One program: the function that declares its symbols, and the one with its units."""

    name: str
    outer: func.FuncOp
    body: func.FuncOp
    create_ids: dict[int, CreateIdOp]

    @classmethod
    def of(cls, name: str, outer: func.FuncOp) -> _Source:
        declared: dict[int, CreateIdOp] = {}
        for op in outer.entry.ops:
            if isinstance(op, CreateIdOp) and declared.setdefault(op.symbol_id.value, op) is not op:
                raise refuse(op, f"declares symbol {op.symbol_id.value} a second time")
        return cls(name, outer, _body_of(outer), declared)

    @property
    def units(self) -> list[ProgramUnitOp]:
        found = list(self.body.walk_type(ProgramUnitOp))
        if not found:
            raise EncodeError(f"program '@{self.name}' has no program unit", self.body.location)
        return found


def _body_of(outer: func.FuncOp) -> func.FuncOp:
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
    sources: list[_Source] = field(factory=list)
    builder: ExpressionBuilder = field(factory=ExpressionBuilder)
    origins: list[list[list[Operation]]] = field(factory=list)
    images: list[ImageEncoder] = field(factory=list)

    # -- the whole -------------------------------------------------------------------------------

    def run(self, arguments: Sequence[Argument] | None, metadata: Mapping[str, Any]) -> Program:
        plan, sites = self._host()
        encoded = [self._image(i, s, sites) for i, s in enumerate(self.sources)]
        symbols = [self._symbols(site, encoded[site.image]) for site in sites]
        images, symbols = _fold_constants(encoded, symbols, sites, self.builder)
        roots = [s.expression for site in symbols for s in site]
        nodes, numbers = compacted(self.builder.nodes, [*_plan_roots(plan), *roots])
        plan = _renumbered_plan(plan, numbers)
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
        body = _body_of(kernel) if own else None
        self.grid = _grid_of(body or kernel)
        if self.grid == (1,):
            self.grid = next(
                (g for f in self.module.walk_type(func.FuncOp) if (g := _grid_of(f)) != (1,)), (1,)
            )
        if own:
            self.sources.append(_Source.of(kernel.symbol, kernel))
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
                hint="run the pipeline to wrap-program-dfir first",
            )
        used, order = _in_plan_order(plan, host.sites)
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
                    self.sources.append(_Source.of(name, function))
                    return len(self.sources) - 1
            raise refuse(child, f"holds no function of its own name '@{name}'")
        return None

    # -- programs --------------------------------------------------------------------------------

    def _image(self, number: int, source: _Source, sites: Sequence[CallSite]) -> Image:
        """One program; its symbols are all ids that it uses, and predicates if a site is guarded."""
        guarded = any(site.guard is not None for site in sites if site.image == number)
        image = ImageEncoder(self.device, self._unit_index, self._memory_index)
        self.images.append(image)
        first_free = min([0, *source.create_ids, *_used_ids(source)]) - 1
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
        base = min([0, *source.create_ids, *_used_ids(source)]) - 1
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
        return MemoryInfo(unit.name, unit.kind, scope, memory.size or 0, unit.core)

    # -- the rest --------------------------------------------------------------------------------

    def _metadata(
        self, arguments: Sequence[Argument], images: Sequence[Image], extra: Mapping[str, Any]
    ) -> dict[str, Any]:
        device = {"digest": "", "name": "none"}
        if self.device is not None:
            device = {"digest": _device_digest(self.device), "name": str(self.device.name)}
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
        local = {f.symbol: f for f in self.module.walk_type(func.FuncOp) if "kt.template" in f.attributes}
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


def _device_digest(device: Any) -> str:
    """Names the device by its canonical text."""
    from kt.parse.printer import print_op

    return hashlib.sha256(print_op(device.op).encode()).hexdigest()


def _used_ids(source: _Source) -> Iterator[int]:
    for op in source.body.walk():
        if op.name == "symbol.create_symbol":
            yield op.symbol_id  # type: ignore[attr-defined]


def _split_division(builder: ExpressionBuilder, node: int) -> tuple[int, int]:
    """``x / c`` of an address becomes x with an exact division, checked at launch."""
    found = builder.nodes[node]
    if found.op != "divs":
        return node, 1
    divisor = builder.value(found.rhs)
    if divisor is None or not 1 <= divisor < 1 << 31 or divisor & divisor - 1:
        return node, 1
    return found.lhs, divisor


def _in_plan_order(
    plan: Sequence[Step], sites: Sequence[CallSite]
) -> tuple[tuple[Step, ...], list[CallSite]]:
    """Sites renumbered in the order of the plan's launches (some may have been dropped)."""
    kept: list[CallSite] = []

    def visit(steps: Sequence[Step]) -> tuple[Step, ...]:
        found: list[Step] = []
        for step in steps:
            match step:
                case For():
                    found.append(evolve(step, body=visit(step.body)))
                case If():
                    found.append(evolve(step, then=visit(step.then), otherwise=visit(step.otherwise)))
                case Launch():
                    kept.append(sites[step.site])
                    found.append(Launch(step.image, len(kept) - 1))
        return tuple(found)

    return visit(plan), kept


def _plan_roots(plan: Sequence[Step]) -> Iterator[int]:
    for step in plan:
        match step:
            case For():
                yield step.count
                yield from _plan_roots(step.body)
            case If():
                yield step.condition
                yield from _plan_roots(step.then)
                yield from _plan_roots(step.otherwise)


def _renumbered_plan(plan: Sequence[Step], numbers: Mapping[int, int]) -> tuple[Step, ...]:
    found: list[Step] = []
    for step in plan:
        match step:
            case For():
                found.append(For(numbers[step.count], _renumbered_plan(step.body, numbers)))
            case If():
                then = _renumbered_plan(step.then, numbers)
                other = _renumbered_plan(step.otherwise, numbers)
                found.append(If(numbers[step.condition], then, other))
            case Launch():
                found.append(step)
    return tuple(found)


def _fold_constants(
    images: Sequence[Image],
    symbols: Sequence[tuple[Symbol, ...]],
    sites: Sequence[CallSite],
    builder: ExpressionBuilder,
) -> tuple[list[Image], list[tuple[Symbol, ...]]]:
    """Symbols that are the same number at every site go into the tables for good."""
    folded: list[Image] = []
    kept_symbols = list(symbols)
    for number, image in enumerate(images):
        mine = [i for i, site in enumerate(sites) if site.image == number]
        constant: dict[int, int] = {}
        for slot in range(len(image.symbols)):
            values = {_constant_value(builder, symbols[i][slot]) for i in mine}
            value = values.pop()
            if not values and value is not None:
                constant[slot] = value
        folded.append(_without(image, constant))
        for i in mine:
            kept_symbols[i] = tuple(s for k, s in enumerate(symbols[i]) if k not in constant)
    return folded, kept_symbols


def _constant_value(builder: ExpressionBuilder, symbol: Symbol) -> int | None:
    node = symbol.expression
    if symbol.core is not None:
        node = builder.at_core(node, symbol.core)
    value = builder.value(node)
    if value is None or value % symbol.align or (symbol.kind == "address" and value < 0):
        return None
    return value // symbol.divisor


def _without(image: Image, constant: Mapping[int, int]) -> Image:
    """An image with some symbols replaced by numbers."""
    if not constant:
        return image
    kept = [slot for slot in range(len(image.symbols)) if slot not in constant]
    places = {slot: i for i, slot in enumerate(kept)}
    tables = {(s, k): list(x.values) for s, part in enumerate(image.streams) for k, x in enumerate(part.tables)}
    relocations = []
    for r in image.relocations:
        if r.symbol in constant:
            tables[r.stream, r.table][r.ordinal] = constant[r.symbol]
        else:
            relocations.append(evolve(r, symbol=places[r.symbol]))
    streams = tuple(
        evolve(
            stream,
            tables=tuple(
                Table(tuple(tables[s, k]), table.is_units) for k, table in enumerate(stream.tables)
            ),
        )
        for s, stream in enumerate(image.streams)
    )
    return evolve(
        image,
        symbols=tuple(image.symbols[slot] for slot in kept),
        streams=streams,
        relocations=tuple(relocations),
    )
