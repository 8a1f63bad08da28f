"""Where a program accesses memories: the addresses that it fixes itself, and those of arguments."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import define, field

from kt.binary.isa import SHAPES, Instruction, Op
from kt.binary.model import UNBOUNDED, Access, Stream
from kt.binary.plans import launches_of
from kt.binary.program import Program
from kt.ir.numbers import dtype

Range = tuple[int, int]


@define
class Usage:
    """``fixed``: byte ranges by memory kind. ``memories``: memory kinds by argument number."""

    fixed: dict[str, list[Range]] = field(factory=dict)
    memories: dict[int, list[str]] = field(factory=dict)

    @classmethod
    def of(cls, program: Program) -> Usage:
        """Look at all accesses of a program."""
        found = cls()
        leaves = _symbol_arguments(program)
        for number, image in enumerate(program.images):
            relocated = {(r.stream, r.table, r.ordinal): r.symbol for r in image.relocations}
            for index, stream in enumerate(image.streams):
                for access in stream.accesses:
                    for ordinal, unit in enumerate(stream.tables[access.table].values):
                        memory = program.units[unit].memory
                        assert memory is not None
                        info = program.memories[memory]
                        if info.scope == "unit":
                            continue
                        table = _start_table(stream, access)
                        symbol = None if table is None else relocated.get((index, table, ordinal))
                        if symbol is None:
                            found._fix(info.kind, access, _start(stream, access, ordinal))
                        for argument in leaves.get((number, symbol), ()):
                            kinds = found.memories.setdefault(argument, [])
                            if info.kind not in kinds:
                                kinds.append(info.kind)
        found.fixed = {k: sorted(dict.fromkeys(v)) for k, v in found.fixed.items()}
        return found

    def _fix(self, kind: str, access: Access, start: int | None) -> None:
        item = dtype(access.dtype).itemsize
        low, high = access.minimum, access.maximum
        if high >= UNBOUNDED:
            low, high = _static_extent(access)
        if start is not None and high >= low:
            self.fixed.setdefault(kind, []).append((start + low * item, start + (high + 1) * item))


def _static_extent(access: Access) -> Range:
    """First and last element that are known without registers."""
    low = high = access.const
    dims = list(access.lane_dims)
    dims += [(d.count, d.stride) for d in access.time_dims if not d.is_register]
    for count, stride in dims:
        low += min(0, (count - 1) * stride)
        high += max(0, (count - 1) * stride)
    return low, high


def _writer(stream: Stream, register: int | None) -> Instruction | None:
    """The only instruction that writes a scalar register."""
    writers = [x for x in stream.code if SHAPES[x.op].d == "S" and x.d == register]
    return writers[0] if register is not None and len(writers) == 1 else None


def _start_table(stream: Stream, access: Access) -> int | None:
    """The table that gives a view's start."""
    writer = _writer(stream, access.start)
    return writer.imm if writer is not None and writer.op is Op.UTAB else None


def _start(stream: Stream, access: Access, ordinal: int) -> int | None:
    """The byte where a view starts, if the program fixes it."""
    if access.start is None:
        return access.start_bytes
    writer, table = _writer(stream, access.start), _start_table(stream, access)
    if table is not None:
        value = stream.tables[table].values[ordinal]
    elif writer is not None and writer.op is Op.SCONST:
        value = writer.imm
    else:
        return None
    return access.start_bytes + value * access.start_scale


def _symbol_arguments(program: Program) -> dict[tuple[int, int | None], list[int]]:
    """Address arguments that the symbols of an image depend on, by image and symbol."""
    found: dict[tuple[int, int | None], list[int]] = {}
    for launch, _ in launches_of(program.plan):
        for number, symbol in enumerate(program.sites[launch.site]):
            kept = found.setdefault((launch.image, number), [])
            kept += [a for a in _arguments(program, symbol.expression) if a not in kept]
    return found


def _arguments(program: Program, root: int) -> Iterator[int]:
    stack, seen = [root], {root}
    while stack:
        node = program.expressions[stack.pop()]
        if node.op == "arg" and program.arguments[node.lhs].kind == "address":
            yield node.lhs
        more = [i for i in node.operands if i not in seen]
        seen.update(more)
        stack += more
