"""What the loader checks before anything may run: no index, register or jump leaves its range.

Error codes are those of the artifact format: E13 arguments, E14 units, E15 expressions, E16 symbols,
E17 programs, E19 instructions, E20 structure, E21 accesses, E22 relocations, E23 flags, E24 plans.
"""

from __future__ import annotations

from collections.abc import Sequence

from kt.binary import plans
from kt.binary.errors import bad
from kt.binary.expressions import LEAVES, UNARY, Node, dependencies
from kt.binary.isa import MAX_LANES
from kt.binary.model import (
    Access,
    Contents,
    For,
    If,
    Image,
    Launch,
    Step,
    Stream,
)
from kt.binary.streams import check_code

MAX_EXTENT = 1 << 34
MAX_MEMORY = 1 << 48
"""Bytes of a memory of the device; nothing is allocated by it."""
MAX_TERMS, MAX_DIMS = 256, 64
"""Terms, and lane or time dimensions, of one access."""


def validate(program: Contents, static: bool) -> None:
    """ArtifactError with the code of the first broken rule."""
    _check_arguments(program)
    _check_units(program)
    _check_nodes(program)
    on_grid, depth = dependencies(program.expressions)
    for i, argument in enumerate(program.arguments):
        span = argument.span
        if span is not None and (span >= len(on_grid) or on_grid[span] or depth[span]):
            raise bad("E13", f"node {span} can't say how large '{argument.name}' is", "ARGS", i)
    _check_symbols(program, on_grid)
    _check_plan(program, program.plan, on_grid, depth, 0)
    launched = {launch.image for launch, _ in plans.launches_of(program.plan)}
    if launched != set(range(len(program.images))):
        raise bad("E24", "a launch names no program, or a program is never launched", "EXEC")
    for number, image in enumerate(program.images):
        _check_image(program, number, image)
    _check_prepare(program)
    symbols = any(program.sites) or any(image.relocations for image in program.images)
    if static == symbols:
        raise bad("E23", "the flag STATIC disagrees with the symbols")


def _check_arguments(program: Contents) -> None:
    for i, argument in enumerate(program.arguments):
        if argument.minimum > argument.maximum or argument.multiple_of < 1:
            raise bad("E13", f"argument '{argument.name}' has an empty range", "ARGS", i)
    names = [a.name for a in program.arguments]
    if len(set(names)) != len(names) or "" in names:
        raise bad("E13", "argument names must be there and differ", "ARGS")


def _check_units(program: Contents) -> None:
    cores = program.num_cores
    for i, memory in enumerate(program.memories):
        if memory.core is not None and memory.core >= cores:
            raise bad(
                "E14", f"memory '{memory.name}' is on core {memory.core} of {cores}", "MEMS", i
            )
        if memory.size > MAX_MEMORY:
            raise bad("E25", f"memory '{memory.name}' is too large", "MEMS", i)
    for i, unit in enumerate(program.units):
        if unit.core is not None and unit.core >= cores:
            raise bad("E14", f"unit '{unit.name}' is on core {unit.core} of {cores}", "UNIT", i)
        if unit.memory is not None and unit.memory >= len(program.memories):
            raise bad("E14", f"unit '{unit.name}' names no memory", "UNIT", i)
    for section, rows in (("UNIT", program.units), ("MEMS", program.memories)):
        if len({row.name for row in rows}) != len(rows):
            raise bad("E14", "a name appears twice", section)


def _check_nodes(program: Contents) -> None:
    for at, node in enumerate(program.expressions):
        if any(i >= at or i < 0 for i in node.operands):
            raise bad("E15", f"an operand of '{node.op}' does not come before it", "EXPR", at)
        if node.op == "arg" and node.lhs >= len(program.arguments):
            raise bad("E15", f"argument {node.lhs} does not exist", "EXPR", at)
        if node.op in UNARY and not 1 <= node.imm <= 64:
            raise bad("E15", f"width {node.imm} is not in [1, 64]", "EXPR", at)
        if _unused_fields(node):
            raise bad("E15", f"an unused field of '{node.op}' is not zero", "EXPR", at)


def _unused_fields(node: Node) -> bool:
    keep_lhs = node.op not in ("const", "grid")
    keep_rhs = node.op not in LEAVES | UNARY
    keep_imm = node.op in UNARY or node.op in ("const", "select")
    return any(
        value and not keep
        for value, keep in ((node.lhs, keep_lhs), (node.rhs, keep_rhs), (node.imm, keep_imm))
    )


def _check_symbols(program: Contents, on_grid: Sequence[bool]) -> None:
    at = 0
    for site in program.sites:
        for i, symbol in enumerate(site):
            if symbol.id >= 0 or (i and symbol.id >= site[i - 1].id):
                raise bad("E16", f"id {symbol.id} is not negative and descending", "SYMB", at)
            if symbol.expression >= len(program.expressions):
                raise bad("E16", f"node {symbol.expression} does not exist", "SYMB", at)
            if symbol.divisor < 1 or symbol.align < 1 or symbol.align % symbol.divisor:
                raise bad("E16", "the divisor does not divide the alignment", "SYMB", at)
            if symbol.core is not None and symbol.core >= program.num_cores:
                raise bad("E16", f"core {symbol.core} does not exist", "SYMB", at)
            if symbol.core is None and on_grid[symbol.expression]:
                raise bad("E16", "the expression needs a core", "SYMB", at)
            at += 1


def _check_plan(
    program: Contents,
    plan: Sequence[Step],
    on_grid: Sequence[bool],
    depth: Sequence[int],
    loops: int,
) -> None:
    """Expressions exist, don't need a core, and read only counters of enclosing loops."""

    def check(root: int) -> None:
        if root >= len(program.expressions) or on_grid[root] or depth[root] > loops:
            raise bad("E24", f"node {root} can't be evaluated here", "EXEC")

    for step in plan:
        match step:
            case For():
                check(step.count)
                _check_plan(program, step.body, on_grid, depth, loops + 1)
            case If():
                check(step.condition)
                _check_plan(program, step.then, on_grid, depth, loops)
                _check_plan(program, step.otherwise, on_grid, depth, loops)
            case Launch():
                for symbol in program.sites[step.site]:
                    if depth[symbol.expression] > loops:
                        raise bad("E16", f"symbol {symbol.id} reads a counter of no loop", "SYMB")


def _check_prepare(program: Contents) -> None:
    sizes: dict[int, int] = {}
    regions = [c for c in program.prepare if c.op == "allocate"]
    if len(regions) != 1 or program.prepare[0] is not regions[0] or regions[0].region:
        raise bad("E24", "the plan must begin with the allocation of region 0", "PREP")
    at = 0
    for i, command in enumerate(program.prepare[1:], 1):
        if command.region or command.offset != at or command.source != at:
            raise bad("E24", "images are not laid out in order", "PREP", i)
        sizes[i] = command.size
        at += command.size
    if len(sizes) != len(program.images) or at != regions[0].size or at > MAX_EXTENT:
        raise bad("E24", "the plan does not cover each image once", "PREP")


def _check_image(program: Contents, number: int, image: Image) -> None:
    seen: set[int] = set()
    for stream in image.streams:
        if not stream.units or any(u >= len(program.units) for u in stream.units):
            raise bad("E17", f"a stream of '{image.name}' names no unit", "IMAG", number)
        if seen.intersection(stream.units) or len(set(stream.units)) != len(stream.units):
            raise bad("E17", f"two streams of '{image.name}' run on one unit", "IMAG", number)
        seen.update(stream.units)
        for table in stream.tables:
            if table.is_units and not all(0 <= v < len(program.units) for v in table.values):
                raise bad("E14", "a table of units names no unit", "IMAG", number)
        for at, access in enumerate(stream.accesses):
            _check_access(program, stream, at, access)
        check_code(stream, image.constants)
    for place in image.relocations:
        if place.symbol >= len(image.symbols):
            raise bad("E22", f"symbol {place.symbol} does not exist", "RELO")
        table = image.streams[place.stream].tables[place.table]
        if table.is_units or table.values[place.ordinal] != image.symbols[place.symbol]:
            raise bad("E22", "a relocated entry does not hold its symbol's id", "RELO")


def _check_access(program: Contents, stream: Stream, at: int, access: Access) -> None:
    tables = stream.tables
    if access.table >= len(tables) or not tables[access.table].is_units:
        raise bad("E21", "the access names no table of units", "IMAG", at)
    if any(program.units[u].memory is None for u in tables[access.table].values):
        raise bad("E21", "the access reaches a unit that isn't a memory", "IMAG", at)
    dims = max(len(access.lane_dims), len(access.time_dims))
    if len(access.terms) > MAX_TERMS or dims > MAX_DIMS:
        raise bad("E25", "the access has too many terms or dimensions", "IMAG", at)
    registers = [r for r, _ in access.terms]
    registers += [] if access.start is None else [access.start]
    registers += [d.count for d in access.time_dims if d.is_register]
    if any(r >= stream.num_sregs for r in registers):
        raise bad("E21", "the access reads a register that does not exist", "IMAG", at)
    lanes = 1
    for count, _ in access.lane_dims:
        lanes *= count
    if lanes != access.lanes or not 1 <= lanes <= MAX_LANES:
        raise bad("E21", f"{access.lanes} lanes, but the lane counts give {lanes}", "IMAG", at)
    if any(d.count < 1 for d in access.time_dims if not d.is_register):
        raise bad("E21", "a time dimension has no step", "IMAG", at)
    _check_range(access, at)


def _check_range(access: Access, at: int) -> None:
    """The static part lies within the bounds (lanes and time steps of known number)."""
    low = high = access.const
    dims = [
        *access.lane_dims,
        *((d.count, d.stride) for d in access.time_dims if not d.is_register),
    ]
    for count, stride in dims:
        low += min(0, (count - 1) * stride)
        high += max(0, (count - 1) * stride)
    if access.minimum > access.maximum:
        raise bad("E21", "the bounds are empty", "IMAG", at)
    dynamic = access.terms or any(d.is_register for d in access.time_dims)
    if not dynamic and not (access.minimum <= low and high <= access.maximum):
        raise bad(
            "E21",
            f"elements {low} to {high} leave the bounds {access.minimum} to {access.maximum}",
            "IMAG",
            at,
        )
