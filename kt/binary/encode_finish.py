"""Finishing an encoded program: sites in plan order, node numbers, symbols that are constants."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from attrs import evolve

from kt.binary.encode_host import CallSite
from kt.binary.expression_builder import ExpressionBuilder
from kt.binary.model import For, If, Image, Launch, Step, Symbol, Table


def in_plan_order(
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
                    found.append(
                        evolve(step, then=visit(step.then), otherwise=visit(step.otherwise))
                    )
                case Launch():
                    kept.append(sites[step.site])
                    found.append(Launch(step.image, len(kept) - 1))
        return tuple(found)

    return visit(plan), kept


def plan_roots(plan: Sequence[Step]) -> Iterator[int]:
    for step in plan:
        match step:
            case For():
                yield step.count
                yield from plan_roots(step.body)
            case If():
                yield step.condition
                yield from plan_roots(step.then)
                yield from plan_roots(step.otherwise)


def renumbered_plan(plan: Sequence[Step], numbers: Mapping[int, int]) -> tuple[Step, ...]:
    found: list[Step] = []
    for step in plan:
        match step:
            case For():
                found.append(For(numbers[step.count], renumbered_plan(step.body, numbers)))
            case If():
                then = renumbered_plan(step.then, numbers)
                other = renumbered_plan(step.otherwise, numbers)
                found.append(If(numbers[step.condition], then, other))
            case Launch():
                found.append(step)
    return tuple(found)


def fold_constants(
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
    tables = {
        (s, k): list(x.values)
        for s, part in enumerate(image.streams)
        for k, x in enumerate(part.tables)
    }
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
