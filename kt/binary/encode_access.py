"""Memory views and access sets → flat address generators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import define, frozen

from kt.binary.encode_image import Entry, SymbolRef
from kt.binary.encode_stream import StreamEncoder
from kt.binary.errors import refuse
from kt.binary.formats import item_size
from kt.binary.isa import Op
from kt.binary.model import UNBOUNDED, Access, TimeDim
from kt.ir import types as t
from kt.ir.affine import (
    AffineBinary,
    AffineConst,
    AffineDim,
    AffineExpr,
    AffineMap,
    AffineSet,
    AffineSymbol,
    const,
    linear_form,
    simplify,
)
from kt.ir.attributes import StringAttr
from kt.ir.core import Operation, Value
from kt.ir.dialects.dataflow import GetLogicalMemoryViewOp, GetUnitOp

ELEMENTS, WORDS = "elements", "words"


@frozen
class ArgumentUse:
    """What a start address tells about the buffer behind it."""

    dtype: str
    shape: tuple[int, ...]


@frozen
class Time:
    """The time axis of a composite access."""

    points: AffineSet
    order: AffineMap
    step: AffineMap
    symbols: tuple[Value, ...]


@define(eq=False)
class Linear:
    """A sum being built: known part, per-unit parts, and registers with coefficients."""

    encoder: StreamEncoder
    per_unit: list[int]
    terms: dict[int, int]

    @classmethod
    def of(cls, encoder: StreamEncoder) -> Linear:
        return cls(encoder, [0] * len(encoder.units), {})

    def add(self, number: int) -> None:
        self.per_unit = [n + number for n in self.per_unit]

    def add_register(self, register: int, coefficient: int) -> None:
        self.terms[register] = self.terms.get(register, 0) + coefficient

    def add_value(self, value: Value, coefficient: int) -> None:
        """Add ``coefficient · value``; what is known per unit doesn't cost a register each."""
        if not coefficient:
            return
        entries = self.encoder.static(value)
        numbers = [e for e in entries or () if isinstance(e, int)]
        if entries is not None and len(numbers) == len(entries):
            self.per_unit = [
                n + coefficient * e for n, e in zip(self.per_unit, numbers, strict=True)
            ]
        else:
            self.add_register(self.encoder.scalar(value), coefficient)

    def add_expr(
        self, expr: AffineExpr, coefficient: int, dims: Sequence[Value], symbols: Sequence[Value]
    ) -> None:
        """Add ``coefficient · expr``; divisions and remainders become instructions."""
        form = linear_form(expr)
        if form is None:
            self.add_register(emit_affine(self.encoder, expr, dims, symbols), coefficient)
            return
        by_dim, by_symbol, constant = form
        self.add(constant * coefficient)
        for position, factor in sorted(by_dim.items()):
            self.add_value(dims[position], factor * coefficient)
        for position, factor in sorted(by_symbol.items()):
            self.add_value(symbols[position], factor * coefficient)

    def finish(self) -> tuple[int, tuple[tuple[int, int], ...]]:
        """The constant and the terms."""
        constant = self.per_unit[0]
        if any(n != constant for n in self.per_unit):
            self.add_register(self.encoder.lookup(self.per_unit), 1)
            constant = 0
        return constant, tuple((r, c) for r, c in self.terms.items() if c)


def emit_affine(
    encoder: StreamEncoder, expr: AffineExpr, dims: Sequence[Value], symbols: Sequence[Value]
) -> int:
    """Instructions that compute an affine expression; gives the register."""
    match expr:
        case AffineConst():
            return encoder.constant(expr.value)
        case AffineDim():
            return encoder.scalar(dims[expr.position])
        case AffineSymbol():
            return encoder.scalar(symbols[expr.position])
        case AffineBinary():
            a = emit_affine(encoder, expr.lhs, dims, symbols)
            b = emit_affine(encoder, expr.rhs, dims, symbols)
            if expr.kind == "mod":
                whole, product, rest = (encoder.new_scalar() for _ in range(3))
                encoder.emit(Op.SFLOORDIVS, whole, a, b)
                encoder.emit(Op.SMUL, product, whole, b)
                encoder.emit(Op.SSUB, rest, a, product)
                return rest
            codes = {
                "add": Op.SADD,
                "mul": Op.SMUL,
                "floordiv": Op.SFLOORDIVS,
                "ceildiv": Op.SCEILDIVS,
            }
            result = encoder.new_scalar()
            encoder.emit(codes[expr.kind], result, a, b)
            return result
    raise AssertionError(expr)


@define(eq=False)
class View:
    """A logical memory view, taken apart."""

    op: GetLogicalMemoryViewOp
    strides: tuple[int, ...]
    offset: int
    dtype: str
    shape: tuple[int, ...]

    @classmethod
    def of(cls, encoder: StreamEncoder, value: Value, user: Operation) -> View:
        op = value.defining_op
        if not isinstance(op, GetLogicalMemoryViewOp):
            maker = "a block argument" if op is None else f"'{op.name}'"
            raise refuse(
                user,
                f"accesses memory through {maker}",
                hint="only dataflow.get_logical_memory_view has a binary form",
            )
        type: Any = value.type
        map = op.layout_map.map
        form = linear_form(map.results[0]) if map.num_results == 1 else None
        if form is None or map.num_symbols or map.num_dims != type.rank:
            raise refuse(
                op,
                f"has the layout '{map}', which is not linear in the view's {type.rank} indices",
                hint="use a sum of index times constant",
            )
        strides = tuple(form[0].get(i, 0) for i in range(type.rank))
        return cls(op, strides, form[2], encoder.dtype(type), tuple(type.shape))

    def bounds(self) -> tuple[int, int]:
        """Least and greatest element of the view."""
        if t.DYNAMIC in self.shape:
            return -UNBOUNDED, UNBOUNDED
        low = high = self.offset
        for extent, stride in zip(self.shape, self.strides, strict=True):
            low += min(0, (extent - 1) * stride)
            high += max(0, (extent - 1) * stride)
        return low, max(low, high)

    @property
    def tensor_shape(self) -> tuple[int, ...]:
        """Extents of the tensor: without a leading dimension that only carries a displacement."""
        displaced = len(self.shape) > 1 and self.strides[0] == 1 and self.shape[-1] > 1
        return self.shape[1:] if displaced else self.shape

    def memory_table(self, encoder: StreamEncoder) -> int:
        """The table of the memory's handle per unit."""
        entries = encoder.static(self.op.from_unit)
        if entries is None or not all(isinstance(e, GetUnitOp) for e in entries):
            raise refuse(
                self.op,
                "is in a memory that isn't known when the program is encoded",
                hint="name it by dataflow.get_unit, or look it up in a uniform mapping",
            )
        for entry in entries:
            encoder.image.memory_index(entry)  # type: ignore[arg-type]
        return encoder.table(entries)

    def start(self, encoder: StreamEncoder) -> tuple[int | None, int, int]:
        """Register, bytes per unit of it, and constant bytes of the start address."""
        value = self.op.start_address
        entries = encoder.static(value)
        words = self._counts_words(encoder)
        scale = self._word_size(encoder) if words else item_size(self.dtype)
        number = encoder.known(value)
        if number is not None:
            return None, 0, number * scale
        if entries is None:
            return encoder.scalar(value), scale, 0
        for entry in entries:
            if isinstance(entry, SymbolRef):
                use = encoder.image.starts if words else None
                if use is None:
                    encoder.image.values.add(entry.id)
                else:
                    use.setdefault(entry.id, ArgumentUse(self.dtype, self.tensor_shape))
        return encoder.lookup(entries), scale, 0

    def _counts_words(self, encoder: StreamEncoder) -> bool:
        """By attribute ``addr_unit``; without it, symbols count words and numbers elements."""
        unit = self.op.attributes.get("addr_unit")
        if isinstance(unit, StringAttr):
            return unit.value == WORDS
        return _reads_symbol(encoder, self.op.start_address)

    def _word_size(self, encoder: StreamEncoder) -> int:
        device = encoder.image.device
        memories = {encoder.image.kind_of(e) for e in encoder.static(self.op.from_unit) or ()}  # type: ignore[arg-type]
        sizes = {device.word_size(encoder.kind, m) for m in sorted(memories)} if device else {1}
        if len(sizes) > 1:
            raise refuse(self.op, f"counts words of several sizes: {sorted(sizes)}")
        return sizes.pop()


def _reads_symbol(encoder: StreamEncoder, value: Value) -> bool:
    """Whether an address depends on a symbol."""
    todo, seen = [value], set()
    while todo:
        current = todo.pop()
        if current in seen:
            continue
        seen.add(current)
        entries: tuple[Entry, ...] = encoder.static(current) or ()
        if any(isinstance(e, SymbolRef) for e in entries):
            return True
        op = current.defining_op
        if op is not None and not entries:
            todo.extend(op.operands)
    return False


def make_access(
    encoder: StreamEncoder,
    user: Operation,
    memref: Value,
    subscripts: tuple[AffineMap, Sequence[Value]],
    points: AffineSet,
    order: AffineMap,
    time: Time | None = None,
    counters: Sequence[int] = (),
    extra: Sequence[tuple[int, int]] = (),
) -> int:
    """Number of the access of ``user``.

    ``counters``: registers of the time digits, if loops run the time axis instead of one transfer.
    ``extra``: (register, dimension) pairs that are added to subscripts.
    """
    view = View.of(encoder, memref, user)
    sum = Linear.of(encoder)
    sum.add(view.offset)
    map, operands = subscripts
    if map.num_results != len(view.strides):
        raise refuse(
            user, f"has {map.num_results} subscripts for a view of rank {len(view.strides)}"
        )
    dims, symbols = operands[: map.num_dims], operands[map.num_dims :]
    for expr, stride in zip(map.results, view.strides, strict=True):
        sum.add_expr(expr, stride, dims, symbols)
    for register, dimension in extra:
        sum.add_register(register, view.strides[dimension])
    lane_dims = _lane_dims(user, points, order, view, sum)
    time_dims: tuple[TimeDim, ...] = ()
    if time is not None:
        digits = time_axis(encoder, user, time)
        strides = _time_strides(user, time, view, sum, digits)
        if counters:
            for register, stride in zip(counters, strides, strict=True):
                sum.add_register(register, stride)
        else:
            time_dims = tuple(
                TimeDim(d.count, stride, d.is_register)
                for d, stride in zip(digits, strides, strict=True)
            )
    lanes = 1
    for count, _ in lane_dims:
        lanes *= count
    constant, terms = sum.finish()
    start, scale, start_bytes = view.start(encoder)
    low, high = view.bounds()
    table = view.memory_table(encoder)
    return encoder.access(
        Access(
            table, view.dtype, lanes, start, scale, start_bytes, constant, terms, lane_dims, time_dims,
            low, high,
        )
    )  # fmt: skip


def _lane_dims(
    user: Operation, points: AffineSet, order: AffineMap, view: View, sum: Linear
) -> tuple[tuple[int, int], ...]:
    """Lane digits, outermost first, neighbours merged; the lowest corner is added to ``sum``."""
    box = points.as_box() if not points.num_symbols else None
    if box is None or points.num_dims != len(view.strides):
        raise refuse(
            user,
            f"moves the set '{points}', which is not a box of constant size in the view's dimensions",
            hint="bound each dimension by constants",
        )
    extents = [hi - lo for lo, hi in box]
    if any(extent < 1 for extent in extents):
        raise refuse(user, f"moves the empty set '{points}'")
    for (low, _), stride in zip(box, view.strides, strict=True):
        sum.add(low * stride)
    merged: list[tuple[int, int]] = []
    for position in _sorted_dims(user, order, extents):
        count, stride = extents[position], view.strides[position]
        if merged and merged[-1][1] == count * stride:
            merged[-1] = (merged[-1][0] * count, stride)
        else:
            merged.append((count, stride))
    return tuple(merged)


def _sorted_dims(user: Operation, order: AffineMap, extents: Sequence[int]) -> list[int]:
    """Dims with more than one value in the order of an order map, slowest first."""
    order = order.simplify()
    kept: list[int] = []
    for expr in order.results:
        fixed = {i: const(0) for i, extent in enumerate(extents) if extent == 1}
        expr = simplify(
            expr.replace_dims_and_symbols(
                [fixed.get(i, AffineDim(i)) for i in range(order.num_dims)], []
            )
        )
        if isinstance(expr, AffineDim):
            if expr.position not in kept:
                kept.append(expr.position)
        elif not isinstance(expr, AffineConst):
            raise refuse(
                user,
                f"has the order '{order}', which is no permutation of dimensions",
                hint="order lanes by one dimension after the other",
            )
    missing = [i for i, extent in enumerate(extents) if extent > 1 and i not in kept]
    if missing:
        raise refuse(user, f"has the order '{order}', which leaves d{missing[0]} undecided")
    return kept


@frozen
class TimeDigit:
    """One digit of the time axis: the dimension it runs, its first value, its number of steps."""

    position: int
    lower: AffineExpr
    count: int
    is_register: bool


def time_axis(encoder: StreamEncoder, user: Operation, time: Time) -> list[TimeDigit]:
    """The digits of the time axis with more than one step, slowest first."""
    points = time.points
    box = points.as_box() if not points.num_symbols else None
    if box is not None:
        lowers = [const(lo) for lo, _ in box]
        extents = [hi - lo for lo, hi in box]
        if any(extent < 1 for extent in extents):
            raise refuse(user, f"has the empty time set '{points}'")
        kept = _sorted_dims(user, time.order, extents)
        return [TimeDigit(i, lowers[i], extents[i], False) for i in kept]
    bounds = points.as_symbolic_box()
    if bounds is None:
        raise refuse(user, f"has the time set '{points}', which is not a box")
    digits = []
    sizes = [simplify(hi - lo) for lo, hi in zip(*bounds, strict=True)]
    counts = [size.value if isinstance(size, AffineConst) else 2 for size in sizes]
    for i in _sorted_dims(user, time.order, counts):
        if isinstance(sizes[i], AffineConst):
            digits.append(TimeDigit(i, bounds[0][i], counts[i], False))
        else:
            register = emit_affine(encoder, sizes[i], (), time.symbols)
            digits.append(TimeDigit(i, bounds[0][i], register, True))
    return digits


def _time_strides(
    user: Operation, time: Time, view: View, sum: Linear, digits: Sequence[TimeDigit]
) -> list[int]:
    """What one step of each digit adds; the first values of all dims are added to ``sum``."""
    step = time.step
    if step.num_results != len(view.strides):
        raise refuse(user, f"has the time map '{step}' for a view of rank {len(view.strides)}")
    by_dim: dict[int, int] = {}
    for expr, stride in zip(step.results, view.strides, strict=True):
        form = linear_form(expr)
        if form is None:
            raise refuse(user, f"has the time map '{step}', which is not linear")
        for position, factor in form[0].items():
            by_dim[position] = by_dim.get(position, 0) + factor * stride
        for position, factor in form[1].items():
            sum.add_value(time.symbols[position], factor * stride)
        sum.add(form[2] * stride)
    lowers = _lower_bounds(user, time.points)
    for position, factor in sorted(by_dim.items()):
        sum.add_expr(lowers[position], factor, (), time.symbols)
    return [by_dim.get(digit.position, 0) for digit in digits]


def _lower_bounds(user: Operation, points: AffineSet) -> Sequence[AffineExpr]:
    box = points.as_box() if not points.num_symbols else None
    if box is not None:
        return [const(lo) for lo, _ in box]
    bounds = points.as_symbolic_box()
    if bounds is None:
        raise refuse(user, f"has the time set '{points}', which is not a box")
    return bounds[0]
