"""The argument table: given by the caller, or read off what programs do with the arguments."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from attrs import evolve

from kt.binary.encode_host import CallSite
from kt.binary.encode_image import ImageEncoder
from kt.binary.errors import EncodeError
from kt.binary.expressions import Node
from kt.binary.formats import dtype_name
from kt.binary.isa import Op
from kt.binary.model import ADDRESS, SCALAR, Argument, Image, Stream, Symbol
from kt.ir.attributes import StringAttr
from kt.ir.dialects.func import FuncOp


def make_arguments(
    kernel: FuncOp,
    nodes: Sequence[Node],
    images: Sequence[Image],
    symbols: Sequence[Sequence[Symbol]],
    sites: Sequence[CallSite],
    encoders: Sequence[ImageEncoder],
    given: Sequence[Argument] | None,
) -> tuple[Argument, ...]:
    """One row per kernel argument; ``given`` rows get their alignment from the symbols."""
    found = _distinct([_default(kernel, i) for i in range(len(kernel.arguments))])
    for site, row in zip(sites, symbols, strict=True):
        image, encoder = images[site.image], encoders[site.image]
        for symbol in row:
            use: Any = encoder.starts.get(symbol.id)
            if symbol.kind != "address" or use is None:
                continue
            reads, writes = _directions(image, symbol.id)
            for index in _base_arguments(nodes, symbol.expression):
                known = found[index]
                found[index] = evolve(
                    known,
                    kind=ADDRESS,
                    dtype=use.dtype,
                    shape=known.shape or tuple(max(n, -1) for n in use.shape),
                    reads=known.reads or reads,
                    writes=known.writes or writes,
                    multiple_of=math.lcm(
                        known.multiple_of,
                        symbol.align if nodes[symbol.expression].op == "arg" else 1,
                    ),
                    minimum=0,
                )
    if given is None:
        return tuple(found)
    if len(given) != len(found):
        raise EncodeError(
            f"{len(given)} arguments are described, '@{kernel.symbol}' has {len(found)}",
            kernel.location,
        )
    return tuple(
        evolve(a, multiple_of=math.lcm(a.multiple_of, b.multiple_of)) if a.kind == ADDRESS else a
        for a, b in zip(given, found, strict=True)
    )


def _default(kernel: FuncOp, index: int) -> Argument:
    argument = kernel.arguments[index]
    stated = kernel.argument_attrs(index).get("kt.name")
    name = stated.value if isinstance(stated, StringAttr) else argument.name_hint or f"arg{index}"
    return Argument(name, SCALAR, dtype_name(argument.type) or "")


def _distinct(arguments: list[Argument]) -> list[Argument]:
    """Give a number to names that are taken."""
    taken: set[str] = set()
    found = []
    for argument in arguments:
        name, number = argument.name, 0
        while name in taken:
            number += 1
            name = f"{argument.name}_{number}"
        taken.add(name)
        found.append(evolve(argument, name=name))
    return found


def _base_arguments(nodes: Sequence[Node], root: int) -> list[int]:
    """Arguments that an address is the sum of: reached through additions only."""
    found, todo = [], [root]
    while todo:
        node = nodes[todo.pop()]
        if node.op == "arg":
            found.append(node.lhs)
        elif node.op == "add":
            todo += [node.rhs, node.lhs]
        elif node.op == "sub":
            todo.append(node.lhs)
    return found


def _directions(image: Image, id: int) -> tuple[bool, bool]:
    """Whether accesses that start at a symbol read or write."""
    slot = image.symbols.index(id)
    reads = writes = False
    for number, stream in enumerate(image.streams):
        tables = {r.table for r in image.relocations if r.stream == number and r.symbol == slot}
        registers = {i.d for i in stream.code if i.op is Op.UTAB and i.imm in tables}
        accesses = {k for k, a in enumerate(stream.accesses) if a.start in registers}
        read, write = _access_directions(stream, accesses)
        reads, writes = reads or read, writes or write
    return reads, writes


def _access_directions(stream: Stream, accesses: set[int]) -> tuple[bool, bool]:
    reads = writes = False
    for i in stream.code:
        if i.op in (Op.LDV, Op.LDS):
            reads = reads or i.imm in accesses
        elif i.op is Op.STV:
            writes = writes or i.imm in accesses
        elif i.op is Op.XFER:
            reads, writes = reads or i.load in accesses, writes or i.store in accesses
    return reads, writes
