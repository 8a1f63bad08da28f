"""What an artifact says: the structures that the encoder makes, the file holds and machines run.

Everything is immutable and compared by value. Numbers that point somewhere are indices into a tuple
of the program, of its image, or of the stream that holds them.
"""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np
from attrs import field, frozen

from kt.binary.expressions import Node
from kt.binary.isa import Instruction
from kt.ir.diagnostics import FileLoc, RunError
from kt.ir.numbers import dtype, to_bits

LOW, HIGH = -(1 << 63), (1 << 63) - 1
UNBOUNDED = 1 << 62
"""Bound of an access to a view of unknown extent."""

ADDRESS, SCALAR = "address", "scalar"
KINDS = (ADDRESS, SCALAR)
SYMBOL_KINDS = ("address", "value", "predicate")
SCOPES = ("device", "core", "unit")


@frozen
class Argument:
    """A kernel argument. ``shape`` has -1 for unknown extents and is () if nothing is known.

    ``span``: the expression that says how many bytes a buffer must have.
    """

    name: str
    kind: str
    dtype: str = ""
    reads: bool = False
    writes: bool = False
    shape: tuple[int, ...] = ()
    minimum: int = LOW
    maximum: int = HIGH
    multiple_of: int = 1
    span: int | None = None

    def value(self, given: Any) -> int:
        """The number that expressions see: an address or integer as it is, a float's bit pattern.

        TypeError for what Python doesn't take for an index, where an integer is wanted.
        """
        if self.is_float:
            form = dtype(self.dtype)
            return int(to_bits(np.asarray(given, form.compute), form))
        return index(given)

    @property
    def is_float(self) -> bool:
        """Whether it is a number of a float type."""
        return self.kind == SCALAR and bool(self.dtype) and not dtype(self.dtype).is_integer

    def check(self, value: int) -> None:
        """RunError if ``value`` is outside the argument's range or off its alignment."""
        if not self.minimum <= value <= self.maximum:
            raise RunError(
                f"argument '{self.name}' is {value}, outside [{self.minimum}, {self.maximum}]"
            )
        if value % self.multiple_of:
            raise RunError(
                f"argument '{self.name}' is {value}, not a multiple of {self.multiple_of}",
                hint="allocate the buffer at an aligned address" if self.kind == ADDRESS else None,
            )


@frozen
class Unit:
    """A hardware unit, or a memory of the device when ``memory`` is set."""

    name: str
    kind: str
    core: int | None = None
    corelet: int | None = None
    memory: int | None = None


@frozen
class MemoryInfo:
    """A memory. ``scope``: one for the device, one per core, or one for each unit that uses it."""

    name: str
    kind: str
    scope: str
    size: int = 0
    core: int | None = None


@frozen
class Symbol:
    """What a symbol is at one launch site: ``expression`` (GRID = ``core``), exactly divided."""

    id: int
    kind: str
    expression: int
    divisor: int = 1
    align: int = 1
    core: int | None = None


@frozen
class Table:
    """One number per unit of the stream: unit indices, or integers. Relocated entries hold ids."""

    values: tuple[int, ...]
    is_units: bool = False


@frozen
class Relocation:
    """Where a symbol (by its place in ``Image.symbols``) goes: an entry of a table."""

    stream: int
    table: int
    ordinal: int
    symbol: int


@frozen
class TimeDim:
    """One time dimension; ``count`` is a scalar register if ``is_register``."""

    count: int
    stride: int
    is_register: bool = False


@frozen
class Access:
    """Address generator of one vector, or of one per time step. Counts elements.

    ``element = const + Σ coef·s[term] + Σ lane digit·stride + Σ time digit·stride``, within
    [minimum, maximum]; ``byte = start_bytes + s[start]·start_scale + element·item size``.
    """

    table: int
    dtype: str
    lanes: int
    start: int | None
    start_scale: int
    start_bytes: int
    const: int
    terms: tuple[tuple[int, int], ...]
    lane_dims: tuple[tuple[int, int], ...]
    time_dims: tuple[TimeDim, ...]
    minimum: int
    maximum: int


@frozen
class Operand:
    """A register of a vector op."""

    is_scalar: bool
    register: int
    dtype: str
    lanes: int = 1


@frozen
class VectorOp:
    """An op by name (``"@NAME"``: a template), its attributes as canonical JSON, and registers."""

    name: str
    attributes: str
    results: tuple[Operand, ...]
    operands: tuple[Operand, ...]

    @property
    def attrs(self) -> dict[str, Any]:
        """Attributes as plain values."""
        return plain(self.attributes)


@frozen
class Lanes:
    """A vector constant in storage form, little-endian."""

    dtype: str
    lanes: int
    data: bytes

    def array(self) -> np.ndarray:
        """The lanes in storage form."""
        return np.frombuffer(self.data, dtype(self.dtype).storage)


@frozen
class Shuffle:
    """Lanes of ``inputs`` in a row, picked by ``indices`` (-1: zero), ``repetition`` times."""

    dtype: str
    inputs: tuple[tuple[int, int], ...]
    indices: tuple[int, ...]
    repetition: int = 1

    @property
    def lanes(self) -> int:
        return len(self.indices) * self.repetition


@frozen
class Opaque:
    """A call of a function that only the device knows."""

    name: str
    attributes: str

    @property
    def attrs(self) -> dict[str, Any]:
        return plain(self.attributes)


Constant = VectorOp | Lanes | Shuffle | Opaque


def plain(text: str) -> dict[str, Any]:
    """Attributes from their canonical JSON; "" is none."""
    import json

    return json.loads(text) if text else {}


@frozen
class Stream:
    """The program of all ``units``; a unit's *ordinal* is its place among them."""

    kind: str
    units: tuple[int, ...]
    num_sregs: int
    num_vregs: int
    tables: tuple[Table, ...]
    accesses: tuple[Access, ...]
    code: tuple[Instruction, ...]


@frozen
class Image:
    """One program: its streams, and where the values of its symbols go."""

    name: str
    symbols: tuple[int, ...]
    streams: tuple[Stream, ...]
    constants: tuple[Constant, ...]
    relocations: tuple[Relocation, ...]

    def bind(self, values: tuple[int, ...] | list[int]) -> list[list[list[int]]]:
        """All tables (stream, table, ordinal) with the values of the symbols put in."""
        if len(values) != len(self.symbols):
            raise RunError(
                f"program '{self.name}' has {len(self.symbols)} symbols, got {len(values)} values"
            )
        bound = [[list(table.values) for table in stream.tables] for stream in self.streams]
        for place in self.relocations:
            bound[place.stream][place.table][place.ordinal] = values[place.symbol]
        return bound


@frozen
class For:
    """Run ``body`` as often as the node ``count`` says; its counter is ``iv(depth)`` inside."""

    count: int
    body: tuple[Step, ...]


@frozen
class If:
    """Run one of two bodies, by the node ``condition``."""

    condition: int
    then: tuple[Step, ...]
    otherwise: tuple[Step, ...] = ()


@frozen
class Launch:
    """Run an image with the symbols of a site."""

    image: int
    site: int


Step = For | If | Launch


@frozen
class Prepare:
    """A command that runs once: ``allocate`` a region of ``size`` bytes, or ``init`` a part of it."""

    op: str
    region: int
    offset: int = 0
    source: int = 0
    size: int = 0


@frozen
class Debug:
    """Where instructions come from. ``places[image][stream][pc]`` is (position, op) or (-1, -1)."""

    positions: tuple[tuple[str, int, int], ...] = ()
    ops: tuple[str, ...] = ()
    places: tuple[tuple[tuple[tuple[int, int], ...], ...], ...] = ()

    def find(self, image: int, stream: int, pc: int) -> tuple[FileLoc | None, str]:
        """Location and op name of an instruction, as far as they are known."""
        try:
            position, op = self.places[image][stream][pc]
        except IndexError:
            return None, ""
        place = FileLoc.at(*self.positions[position]) if position >= 0 else None
        return place, self.ops[op] if op >= 0 else ""


@frozen
class Contents:
    """All that a file holds. :class:`kt.binary.program.Program` adds what one does with it."""

    metadata: dict[str, Any]
    arguments: tuple[Argument, ...]
    units: tuple[Unit, ...]
    memories: tuple[MemoryInfo, ...]
    expressions: tuple[Node, ...]
    images: tuple[Image, ...]
    sites: tuple[tuple[Symbol, ...], ...]
    plan: tuple[Step, ...]
    prepare: tuple[Prepare, ...] = ()
    templates: str = ""
    debug: Debug | None = field(default=None, eq=False)

    @property
    def num_cores(self) -> int:
        """Number of grid elements."""
        cores = 1
        for extent in self.metadata.get("grid", [1]):
            cores *= extent
        return cores
