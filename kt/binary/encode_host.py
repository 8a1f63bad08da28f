"""The host's half: orchestrator → execution plan, arithmetic of arguments → expressions.

Every launch site substitutes the expressions of its call operands for the parameters of the program
function; the program's ``symbol.create_id`` arithmetic over them gives the symbols of that site. A
loop bound or condition that depends on the grid element becomes the maximum over the grid, and the
program gets one predicate per core that guards its streams.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from attrs import define, field

from kt.binary.encode_common import (
    CASTS,
    INTEGER_OPS,
    cast_of,
    constant_bits,
    is_integer_like,
    is_scalar,
    narrowing,
)
from kt.binary.errors import EncodeError, refuse
from kt.binary.expression_builder import ExpressionBuilder
from kt.binary.formats import bit_width
from kt.binary.isa import PREDICATES
from kt.binary.model import For, If, Launch, Step
from kt.ir.affine import AffineBinary, AffineConst, AffineDim, AffineExpr, AffineSymbol
from kt.ir.core import Block, Operation, Value
from kt.ir.diagnostics import RunError
from kt.ir.dialects import func
from kt.ir.effects import is_effect_free
from kt.ir.traits import Terminator

MAX_CALLS = 8


@define(eq=False)
class Scope:
    """Values of one function as expression nodes, made on demand from their defining ops."""

    builder: ExpressionBuilder
    grid: tuple[int, ...]
    known: dict[Value, int] = field(factory=dict)

    def node(self, value: Value) -> int:
        """The expression of a host value. EncodeError at the op that has none."""
        found = self.known.get(value)
        if found is not None:
            return found
        op = value.defining_op
        if op is None:
            raise EncodeError(
                "a value of the host depends on a block argument that the plan doesn't know",
                value.location,
            )
        # Operands first, without recursion into deep chains of arithmetic.
        stack = [op]
        while stack:
            current = stack[-1]
            missing = [
                v.defining_op
                for v in current.operands
                if v not in self.known and v.defining_op is not None
            ]
            if missing:
                if len(stack) > 10_000:
                    raise refuse(op, "depends on too long a chain of host arithmetic")
                stack.extend(missing)
                continue
            stack.pop()
            if any(r not in self.known for r in current.results):
                self._evaluate(current)
        return self.known[value]

    def _evaluate(self, op: Operation) -> None:
        try:
            values = self._results(op)
        except RunError as error:
            raise refuse(op, f"can't be evaluated: {error.message}") from None
        self.known.update(zip(op.results, values, strict=True))

    def _results(self, op: Operation) -> Sequence[int]:
        if op.name == "ktdp.get_compute_tile_id":
            return self._tile_id(op)
        if op.name == "arith.constant":
            bits = constant_bits(op.attr("value"))
            if bits is not None:
                return [self.builder.const(bits)]
        if op.name in ("affine.apply", "affine.min", "affine.max"):
            return [self._affine(op)]
        if not all(is_scalar(v.type) for v in (*op.operands, *op.results)):
            raise self._no_host_op(op)
        parts = [self.node(v) for v in op.operands]
        if op.name in INTEGER_OPS:
            return [self._integer(op, *parts)]
        if op.name in CASTS:
            extension = cast_of(op.name, op.operands[0].type, op.results[0].type)
            return [
                self.builder.unary(extension[0], parts[0], extension[1]) if extension else parts[0]
            ]
        if op.name == "arith.cmpi":
            return [self._compare(op, *parts)]
        if op.name == "arith.select":
            return [self.builder.select(*parts)]
        raise self._no_host_op(op)

    @staticmethod
    def _no_host_op(op: Operation) -> EncodeError:
        return refuse(
            op,
            "can't be evaluated by the host at launch",
            hint="the host does integer and index arithmetic on arguments, loop counters and the tile "
            "id; compute other values inside a program",
        )

    def _tile_id(self, op: Operation) -> list[int]:
        """The grid element, taken apart row-major if there are several results."""
        count, grid = len(op.results), self.grid
        if count == 1:
            return [self.builder.grid()]
        if count != len(grid):
            raise refuse(op, f"has {count} results for a grid of rank {len(grid)}")
        parts, stride = [], 1
        for extent in reversed(grid):
            at = self.builder.binary("divs", self.builder.grid(), self.builder.const(stride))
            parts.append(self.builder.binary("rems", at, self.builder.const(extent)))
            stride *= extent
        return parts[::-1]

    def _integer(self, op: Operation, a: int, b: int) -> int:
        spec, type = INTEGER_OPS[op.name], op.results[0].type
        if not is_integer_like(type):
            raise self._no_host_op(op)
        builder, width = self.builder, bit_width(type)
        if spec.unsigned and width < 64:
            a, b = builder.unary("zext", a, width), builder.unary("zext", b, width)
        match spec.expression:
            case "minu" | "maxu" as kind:
                less = builder.binary("ult", a, b)
                value = builder.select(less, a, b) if kind == "minu" else builder.select(less, b, a)
            case "ceildivu":
                rest = builder.binary("ne", builder.binary("remu", a, b), builder.const(0))
                value = builder.binary("add", builder.binary("divu", a, b), rest)
            case expression:
                value = builder.binary(expression, a, b)
        narrow = narrowing(type)
        return builder.unary(narrow[0], value, narrow[1]) if narrow else value

    def _compare(self, op: Operation, a: int, b: int) -> int:
        predicate = PREDICATES[op.attr("predicate").value]
        if bit_width(op.operands[0].type) == 1 and predicate.startswith("s"):
            a, b = self.builder.unary("sext", a, 1), self.builder.unary("sext", b, 1)
        return self.builder.binary(predicate, a, b)

    def _affine(self, op: Any) -> int:
        map = op.map.map
        inputs = [self.node(v) for v in op.operands]
        dims, symbols = inputs[: map.num_dims], inputs[map.num_dims :]
        values = [self.affine(expr, dims, symbols) for expr in map.results]
        result = values[0]
        for value in values[1:]:
            result = self.builder.binary(
                "mins" if op.name == "affine.min" else "maxs", result, value
            )
        return result

    def affine(self, expr: AffineExpr, dims: Sequence[int], symbols: Sequence[int]) -> int:
        """An affine expression over nodes."""
        match expr:
            case AffineConst():
                return self.builder.const(expr.value)
            case AffineDim():
                return dims[expr.position]
            case AffineSymbol():
                return symbols[expr.position]
            case AffineBinary():
                a, b = self.affine(expr.lhs, dims, symbols), self.affine(expr.rhs, dims, symbols)
                if expr.kind == "mod":
                    whole = self.builder.binary("floordivs", a, b)
                    return self.builder.binary("sub", a, self.builder.binary("mul", whole, b))
                names = {"floordiv": "floordivs", "ceildiv": "ceildivs"}
                return self.builder.binary(names.get(expr.kind, expr.kind), a, b)
        raise AssertionError(expr)


@define(eq=False)
class CallSite:
    """A launch: its image, the expressions of the call's operands, and what guards it."""

    image: int
    operands: tuple[int, ...]
    guard: int | None
    """A condition that depends on the grid element; None if all cores run."""
    op: Operation


@define(eq=False)
class HostEncoder:
    """Walks the orchestrator. ``program_of`` gives the number of a called program, or None."""

    scope: Scope
    cores: int
    program_of: Callable[[Operation], int | None]
    sites: list[CallSite] = field(factory=list)
    _guards: list[int] = field(factory=list)
    _calls: int = 0

    @property
    def builder(self) -> ExpressionBuilder:
        return self.scope.builder

    def steps(self, block: Block, depth: int = 0) -> list[Step]:
        """The plan of a block; ``depth`` loops are around it."""
        found: list[Step] = []
        for op in block.ops:
            match op.name:
                case "scf.for":
                    found += self._for(op, depth)
                case "scf.if":
                    found += self._if(op, depth)
                case "func.call":
                    found += self._call(op, depth)
                case "symbol.create_id" | "func.return" | "scf.yield":
                    pass
                case "kt.barrier":  # between two launches there is always one
                    pass
                case _ if not is_effect_free(op) and not op.has_trait(Terminator):
                    raise refuse(
                        op,
                        "can't stand in the orchestrator",
                        hint="the host runs loops, conditionals, integer arithmetic and calls of "
                        "programs; move the op into a program",
                    )
        return found

    def _for(self, op: Any, depth: int) -> list[Step]:
        if op.init_args:
            raise refuse(
                op,
                "carries values from one iteration of a host loop to the next",
                hint="compute them from the loop's counter, or keep them in a buffer",
            )
        build = self.builder.binary
        lower, upper, step = (self.scope.node(v) for v in op.operands[:3])
        count = build("ceildivs", build("sub", upper, lower), step)
        zero = self.builder.const(0)
        count = build("maxs", count, zero)
        trips = self.builder.value(count)
        if trips == 0:
            return []
        argument = op.body.arguments[0]
        if trips == 1:
            self.scope.known[argument] = lower
            return self._body(op.body, depth)
        counter = self.builder.iv(depth)
        self.scope.known[argument] = build("add", lower, build("mul", counter, step))
        total, guarded = count, self.builder.depends_on_grid(count)
        if guarded:
            total = self._over_grid(count)
            self._guards.append(build("slt", counter, count))
        body = self._body(op.body, depth + 1)
        if guarded:
            self._guards.pop()
        return [For(total, tuple(body))] if body else []

    def _body(self, block: Block, depth: int) -> list[Step]:
        """Steps of a block that may be visited again: forget what was computed inside before."""
        inside = {r for op in block.walk() for r in op.results}
        for value in inside.intersection(self.scope.known):
            del self.scope.known[value]
        return self.steps(block, depth)

    def _if(self, op: Any, depth: int) -> list[Step]:
        condition = self.scope.node(op.operands[0])
        blocks = [region.block if not region.is_empty else None for region in op.regions]
        known = self.builder.value(condition)
        guarded = known is None and self.builder.depends_on_grid(condition)
        inverse = self.builder.binary("eq", condition, self.builder.const(0))
        parts: list[list[Step]] = []
        for block, holds in zip(blocks, (condition, inverse), strict=True):
            if block is None or self.builder.value(holds) == 0:
                parts.append([])
                continue
            if guarded:
                self._guards.append(holds)
            parts.append(self._body(block, depth))
            if guarded:
                self._guards.pop()
        for i, result in enumerate(op.results):
            ends = [
                self.scope.node(b.last_op.operands[i])
                for b in blocks
                if b is not None and b.last_op
            ]
            self.scope.known[result] = self.builder.select(condition, *ends)
        then, otherwise = parts
        if known is not None or not (then or otherwise):
            return then or otherwise
        if not guarded:
            return [If(condition, tuple(then), tuple(otherwise))]
        # Some cores go one way, some the other: both are run, each under its predicate.
        found: list[Step] = []
        for part, holds in ((then, condition), (otherwise, inverse)):
            if part:
                found.append(If(self._over_grid(holds), tuple(part)))
        return found

    def _call(self, op: Any, depth: int) -> list[Step]:
        operands = tuple(self.scope.node(v) for v in op.operands)
        image = self.program_of(op)
        if image is None:
            return self._inline(op, operands, depth)
        guard: int | None = None
        for part in self._guards:
            guard = part if guard is None else self.builder.binary("and", guard, part)
        self.sites.append(CallSite(image, operands, guard, op))
        return [Launch(image, len(self.sites) - 1)]

    def _inline(self, op: Any, operands: tuple[int, ...], depth: int) -> list[Step]:
        """A call of a function of the host."""
        from kt.ir.symbols import lookup

        target = lookup(op, op.callee)
        if not isinstance(target, func.FuncOp) or target.is_declaration:
            raise refuse(
                op, f"calls '@{op.callee.root}', which is neither a program nor defined here"
            )
        if self._calls >= MAX_CALLS:
            raise refuse(op, f"is nested deeper than {MAX_CALLS} calls")
        self._calls += 1
        self.scope.known.update(zip(target.arguments, operands, strict=True))
        found = self._body(target.entry, depth)
        end = target.entry.last_op
        for result, value in zip(op.results, end.operands if end else (), strict=True):
            self.scope.known[result] = self.scope.node(value)
        self._calls -= 1
        return found

    def _over_grid(self, root: int) -> int:
        """The maximum of an expression over all grid elements."""
        best: int | None = None
        for core in range(self.cores):
            value = self.builder.at_core(root, core)
            best = value if best is None else self.builder.binary("maxs", best, value)
        assert best is not None
        return best
