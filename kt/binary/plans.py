"""The prepare plan and the execution plan: bytes, and running the host's part of a launch.

The execution plan is structured: ``FOR count … ENDFOR``, ``IF condition … [ELSE …] ENDIF``, ``LAUNCH``.
A launch evaluates the symbols of its site, puts them into the program's tables and starts it.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from operator import floordiv, itemgetter, mod
from typing import NoReturn

from attrs import frozen

from kt.binary.errors import bad
from kt.binary.expressions import Evaluator, Node, compile_roots, dependencies, text
from kt.binary.model import Contents, For, If, Launch, Prepare, Step, Symbol
from kt.ir.diagnostics import RunError

COMMAND = struct.Struct("<HHIQQQQ")
ALLOCATE, INIT = 1, 2
LAUNCH, FOR, ENDFOR, IF, ELSE, ENDIF = 19, 32, 33, 34, 35, 36
MAX_NESTING = 64
MAX_TRIPS = 1 << 40

Sites = tuple[tuple[Symbol, ...], ...]


# -- bytes -----------------------------------------------------------------------------------------


def write_prepare(commands: Sequence[Prepare]) -> list[bytes]:
    """PREP records: allocate (size) or init (offset in the region, offset in IMAG, size)."""
    return [
        COMMAND.pack(ALLOCATE, 0, c.region, c.size, 128, 0, 0)
        if c.op == "allocate"
        else COMMAND.pack(INIT, 0, c.region, c.offset, c.source, c.size, 0)
        for c in commands
    ]


def read_prepare(rows: Sequence[tuple[int, ...]]) -> tuple[Prepare, ...]:
    """The prepare plan. ArtifactError E24 if it has unknown commands."""
    found = []
    for at, (op, _, region, b, c, d, _) in enumerate(rows):
        if op == ALLOCATE:
            found.append(Prepare("allocate", region, size=b))
        elif op == INIT:
            found.append(Prepare("init", region, b, c, d))
        else:
            raise bad("E24", f"unknown command {op}", "PREP", at)
    return tuple(found)


def prepare_plan(sizes: Sequence[int]) -> tuple[Prepare, ...]:
    """One region that holds all images (of these sizes) in a row."""
    plan = [Prepare("allocate", 0, size=sum(sizes))]
    at = 0
    for size in sizes:
        plan.append(Prepare("init", 0, at, at, size))
        at += size
    return tuple(plan)


def write_plan(plan: Sequence[Step], sites: Sites) -> list[bytes]:
    """EXEC records in order. A launch names its image and its range of symbols."""
    first = [0]
    for site in sites:
        first.append(first[-1] + len(site))

    def emit(steps: Sequence[Step]) -> Iterator[bytes]:
        for step in steps:
            match step:
                case For():
                    yield COMMAND.pack(FOR, 0, step.count, 0, 0, 0, 0)
                    yield from emit(step.body)
                    yield COMMAND.pack(ENDFOR, 0, 0, 0, 0, 0, 0)
                case If():
                    yield COMMAND.pack(IF, 0, step.condition, 0, 0, 0, 0)
                    yield from emit(step.then)
                    if step.otherwise:
                        yield COMMAND.pack(ELSE, 0, 0, 0, 0, 0, 0)
                        yield from emit(step.otherwise)
                    yield COMMAND.pack(ENDIF, 0, 0, 0, 0, 0, 0)
                case Launch():
                    symbols = len(sites[step.site])
                    yield COMMAND.pack(LAUNCH, 0, step.image, first[step.site], symbols, 0, 0)

    return list(emit(plan))


def read_plan(
    rows: Sequence[tuple[int, ...]], symbols: Sequence[Symbol]
) -> tuple[tuple[Step, ...], Sites]:
    """The plan and its launch sites in order. ArtifactError E24 if it isn't well formed."""
    sites: list[tuple[Symbol, ...]] = []
    # Open constructs: (op, expression, steps so far, steps of the first branch).
    stack: list[tuple[int, int, list[Step], list[Step] | None]] = [(0, 0, [], None)]
    taken = 0
    for at, (op, _, a, b, c, _, _) in enumerate(rows):
        kind, expression, steps, before = stack[-1]
        if op in (FOR, IF):
            if len(stack) > MAX_NESTING:
                raise bad("E24", f"nested deeper than {MAX_NESTING}", "EXEC", at)
            stack.append((op, a, [], None))
        elif op == ELSE and kind == IF and before is None:
            stack[-1] = (IF, expression, [], steps)
        elif op == ENDIF and kind == IF:
            stack.pop()
            then, other = (steps, []) if before is None else (before, steps)
            stack[-1][2].append(If(expression, tuple(then), tuple(other)))
        elif op == ENDFOR and kind == FOR:
            stack.pop()
            stack[-1][2].append(For(expression, tuple(steps)))
        elif op == LAUNCH:
            if b != taken or c > len(symbols) - taken:
                raise bad("E24", "the symbols of a launch are out of order", "EXEC", at)
            taken += c
            steps.append(Launch(a, len(sites)))
            sites.append(tuple(symbols[b : b + c]))
        else:
            raise bad("E24", f"unknown or misplaced command {op}", "EXEC", at)
    if len(stack) != 1:
        raise bad("E24", "a loop or conditional is not closed", "EXEC")
    if taken != len(symbols):
        raise bad("E24", "symbols belong to no launch", "EXEC")
    return tuple(stack[0][2]), tuple(sites)


def launches_of(plan: Sequence[Step]) -> Iterator[tuple[Launch, int]]:
    """All launch steps in order, with the number of loops around each."""

    def visit(steps: Sequence[Step], depth: int) -> Iterator[tuple[Launch, int]]:
        for step in steps:
            match step:
                case For():
                    yield from visit(step.body, depth + 1)
                case If():
                    yield from visit(step.then, depth)
                    yield from visit(step.otherwise, depth)
                case Launch():
                    yield step, depth

    return visit(plan, 0)


def site_symbols(plan: Sequence[Step], sites: Sites) -> dict[int, tuple[int, ...]]:
    """The symbol ids of each image; all sites of an image must agree."""
    found: dict[int, tuple[int, ...]] = {}
    for launch, _ in launches_of(plan):
        ids = tuple(symbol.id for symbol in sites[launch.site])
        if found.setdefault(launch.image, ids) != ids:
            raise bad("E16", f"two launches of program {launch.image} disagree in symbols", "SYMB")
    return found


# -- running ---------------------------------------------------------------------------------------


@frozen
class Call:
    """One launch: ``symbols`` has a value for each symbol of the image."""

    image: int
    site: int
    symbols: tuple[int, ...]
    ivs: tuple[int, ...] = ()


@frozen
class Values:
    """Evaluates symbols, all at once, and divides them as the tables take them."""

    symbols: tuple[Symbol, ...]
    function: Evaluator
    aligns: tuple[int, ...]
    divisors: tuple[int, ...]
    addresses: tuple[int, ...]
    """Places of those that must not be negative."""

    @classmethod
    def of(cls, nodes: Sequence[Node], symbols: Sequence[Symbol], names: Sequence[str]) -> Values:
        return cls(
            tuple(symbols),
            compile_roots(nodes, [(s.expression, _core(s)) for s in symbols], names),
            tuple([s.align for s in symbols]),
            tuple([s.divisor for s in symbols]),
            tuple([i for i, s in enumerate(symbols) if s.kind == "address"]),
        )

    def __call__(self, args: Sequence[int], ivs: Sequence[int] = ()) -> tuple[int, ...]:
        """The values. RunError names the symbol that has none, or not the alignment that it needs."""
        numbers = self.function(args, ivs)
        if any(map(mod, numbers, self.aligns)) or any([numbers[i] < 0 for i in self.addresses]):
            self._refuse(numbers)
        return tuple(map(floordiv, numbers, self.divisors))

    def _refuse(self, numbers: Sequence[int]) -> NoReturn:
        for symbol, number in zip(self.symbols, numbers, strict=True):
            words = text(self.function.nodes, symbol.expression, self.function.names)
            if number % symbol.align:
                raise RunError(
                    f"symbol {symbol.id}, {words}, is {number}, not a multiple of {symbol.align}",
                    hint="the unit addresses words of that size; allocate the buffer at an aligned "
                    "address",
                )
            if symbol.kind == "address" and number < 0:
                raise RunError(f"symbol {symbol.id}, {words}, is the negative address {number}")
        raise AssertionError("symbols were refused, but none of them is odd")


@frozen
class Site:
    """A launch site: the places of its symbols that depend on loop counters, and of the others."""

    fixed: tuple[int, ...]
    varying: tuple[int, ...]
    fixed_values: Values
    varying_values: Values
    in_order: Callable[[tuple[int, ...]], tuple[int, ...]]
    """Puts the fixed ones and then the varying ones in the order of the symbols."""

    @classmethod
    def of(cls, nodes: Sequence[Node], symbols: Sequence[Symbol], names: Sequence[str]) -> Site:
        _, depth = dependencies(nodes)
        fixed = tuple([i for i, s in enumerate(symbols) if not depth[s.expression]])
        varying = tuple([i for i, s in enumerate(symbols) if depth[s.expression]])
        fixed_values, varying_values = (
            Values.of(nodes, [symbols[i] for i in which], names) for which in (fixed, varying)
        )
        both = (*fixed, *varying)
        places = sorted(range(len(both)), key=both.__getitem__)
        mixed = fixed and varying and places != list(range(len(both)))
        return cls(
            fixed, varying, fixed_values, varying_values,
            itemgetter(*places) if mixed else lambda values: values,
        )  # fmt: skip

    def values(
        self, fixed: tuple[int, ...], args: Sequence[int], ivs: Sequence[int]
    ) -> tuple[int, ...]:
        """All symbols in order: the ``fixed`` ones as they are, the others evaluated."""
        if not self.varying:
            return fixed
        return self.in_order(fixed + self.varying_values(args, ivs))


def _core(symbol: Symbol) -> int:
    return -1 if symbol.core is None else symbol.core


@frozen
class Host:
    """The compiled execution plan of a program."""

    plan: tuple[Step, ...]
    sites: tuple[Site, ...]
    expressions: dict[int, Evaluator]
    spans: tuple[Evaluator | None, ...] = ()
    """By argument: how many bytes its buffer must have."""

    @classmethod
    def of(cls, program: Contents) -> Host:
        nodes, names = program.expressions, [a.name for a in program.arguments]
        roots: list[int] = []

        def visit(steps: Sequence[Step]) -> None:
            for step in steps:
                if isinstance(step, For):
                    roots.append(step.count)
                    visit(step.body)
                elif isinstance(step, If):
                    roots.append(step.condition)
                    visit(step.then)
                    visit(step.otherwise)

        visit(program.plan)
        return cls(
            program.plan,
            tuple(Site.of(nodes, site, names) for site in program.sites),
            {root: compile_roots(nodes, [(root, -1)], names) for root in dict.fromkeys(roots)},
            tuple(
                None if a.span is None else compile_roots(nodes, [(a.span, -1)], names)
                for a in program.arguments
            ),
        )

    def run(self, args: Sequence[int], limit: int = MAX_TRIPS) -> Iterator[Call]:
        """The launches of one kernel launch, in order. RunError after ``limit`` trips of host loops."""
        started: dict[int, tuple[int, ...]] = {}
        left = limit

        def visit(steps: Sequence[Step], ivs: tuple[int, ...]) -> Iterator[Call]:
            nonlocal left
            for step in steps:
                match step:
                    case For():
                        (count,) = self.expressions[step.count](args, ivs)
                        left -= max(count, 0)
                        if left < 0:
                            what = f"a host loop has {count} trips" if count > limit else "they go on"
                            raise RunError(
                                f"{what}, but all host loops of a call have {limit} together",
                                hint="Runtime(max_trips=…) lets them have more",
                            )
                        for i in range(count):
                            yield from visit(step.body, (*ivs, i))
                    case If():
                        (condition,) = self.expressions[step.condition](args, ivs)
                        yield from visit(step.then if condition else step.otherwise, ivs)
                    case Launch():
                        site = self.sites[step.site]
                        fixed = started.get(step.site)
                        if fixed is None:
                            fixed = started[step.site] = site.fixed_values(args)
                        yield Call(step.image, step.site, site.values(fixed, args, ivs), ivs)

        return visit(self.plan, ())
