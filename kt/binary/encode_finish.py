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


def merge_equal(
    images: Sequence[Image],
    symbols: Sequence[tuple[Symbol, ...]],
    sites: Sequence[CallSite],
    builder: ExpressionBuilder,
) -> tuple[list[Image], list[tuple[Symbol, ...]]]:
    """Symbols of a program that are the same at every site become one, that of the first of them."""
    merged, kept_symbols = list(images), list(symbols)
    for number, image in enumerate(images):
        mine = [i for i, site in enumerate(sites) if site.image == number]
        first: dict[tuple[object, ...], int] = {}
        into = []
        for slot in range(len(image.symbols)):
            key = tuple(_meaning(builder, symbols[i][slot]) for i in mine)
            into.append(first.setdefault(key, slot))
        kept = sorted(set(into))
        if len(kept) == len(into):
            continue
        places = {slot: i for i, slot in enumerate(kept)}
        ids = {image.symbols[slot]: image.symbols[target] for slot, target in enumerate(into)}
        merged[number] = evolve(
            _with_ids(image, ids),
            symbols=tuple(image.symbols[slot] for slot in kept),
            relocations=tuple(evolve(r, symbol=places[into[r.symbol]]) for r in image.relocations),
        )
        for i in mine:
            kept_symbols[i] = tuple(symbols[i][slot] for slot in kept)
    return merged, kept_symbols


def _meaning(builder: ExpressionBuilder, symbol: Symbol) -> tuple[object, ...]:
    node = symbol.expression
    if symbol.core is not None:
        node = builder.at_core(node, symbol.core)
    return symbol.kind, node, symbol.divisor, symbol.align


def _with_ids(image: Image, ids: Mapping[int, int]) -> Image:
    """An image whose relocated entries hold other ids."""
    return _with_entries(
        image,
        {(r.stream, r.table, r.ordinal): ids[image.symbols[r.symbol]] for r in image.relocations},
    )


def _with_entries(image: Image, entries: Mapping[tuple[int, int, int], int]) -> Image:
    """An image with other numbers in some entries (stream, table, ordinal) of its tables."""

    def changed(stream: int, number: int, table: Table) -> Table:
        values = enumerate(table.values)
        return evolve(table, values=tuple(entries.get((stream, number, k), v) for k, v in values))

    streams = tuple(
        evolve(part, tables=tuple(changed(s, k, table) for k, table in enumerate(part.tables)))
        for s, part in enumerate(image.streams)
    )
    return evolve(image, streams=streams)


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
    entries = {}
    relocations = []
    for r in image.relocations:
        if r.symbol in constant:
            entries[r.stream, r.table, r.ordinal] = constant[r.symbol]
        else:
            relocations.append(evolve(r, symbol=places[r.symbol]))
    return evolve(
        _with_entries(image, entries),
        symbols=tuple(image.symbols[slot] for slot in kept),
        relocations=tuple(relocations),
    )
