"""What the arguments of a kernel stand for: which are buffers, of what type, and how large."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from attrs import define, field, frozen

from kt.ir import types as t
from kt.ir.affine import AffineMap, bounds
from kt.ir.core import BlockArgument, Operation, Value
from kt.ir.diagnostics import RunError
from kt.ir.numbers import DType
from kt.sim.values import dtype_of

_SUMS = ("arith.addi", "arith.subi")
_CASTS = (
    "ktdp.runtime_arg_extract",
    "arith.index_cast",
    "arith.index_castui",
    "arith.extsi",
    "arith.extui",
    "arith.trunci",
)


@frozen
class ViewUse:
    """A memory view whose address comes from an argument; ``displaced`` when something is added."""

    view: Any
    displaced: bool

    @property
    def dtype(self) -> DType:
        return dtype_of(self.view.type)


@define
class Parameter:
    """One argument of the kernel: its name, its value in the IR, and the views made from it."""

    name: str
    value: BlockArgument
    uses: list[ViewUse] = field(factory=list)
    added: list[tuple[Any, str]] = field(factory=list)
    """Views whose address it is a number in, and the name of their pointer."""

    @property
    def type(self) -> t.Type:
        return self.value.type

    @property
    def is_pointer(self) -> bool:
        """Whether some view starts at the argument, or at it plus a number."""
        return bool(self.uses)

    @property
    def dtypes(self) -> list[DType]:
        """Element types of the views, without repetition."""
        return list(dict.fromkeys(use.dtype for use in self.uses))


def parameters_of(function: Any, lookup: Callable[[str], Any]) -> list[Parameter]:
    """The arguments of a function with the views that they reach, through calls as well.

    ``lookup`` finds a called function by name (None if there is none).
    """
    found = []
    for i, argument in enumerate(function.regions[0].blocks[0].arguments):
        parameter = Parameter(argument.name_hint or f"arg{i}", argument)
        if isinstance(argument.type, t.IndexType):
            _trace(argument, False, parameter.uses, lookup, set())
        found.append(parameter)
    _drop_displacements(found)
    return found


def _trace(
    value: Value, displaced: bool, uses: list[ViewUse], lookup: Any, seen: set[Value]
) -> None:
    if value in seen:
        return
    seen.add(value)
    for user in value.users:
        if user.name == "ktdp.construct_memory_view":
            if user.operands[0] is value:
                uses.append(ViewUse(user, displaced))
        elif user.name in _SUMS:
            _trace(user.result, True, uses, lookup, seen)
        elif user.name == "func.call":
            callee = lookup(user.attr("callee").leaf)
            if callee is not None:
                for given, inner in zip(user.operands, callee.regions[0].blocks[0].arguments):
                    if given is value:
                        _trace(inner, displaced, uses, lookup, seen)
        elif user.name == "scf.for":
            for given, inner in zip(user.operands[3:], user.body.arguments[1:]):
                if given is value:
                    _trace(inner, True, uses, lookup, seen)


def _drop_displacements(parameters: list[Parameter]) -> None:
    """Leave each view to one argument: of several that are added up, the others are numbers.

    The pointer is one that some view starts at without a displacement, else the first that is not
    used as a size or factor.
    """
    for view in {use.view: None for p in parameters for use in p.uses}:
        sharing = [p for p in parameters if any(use.view is view for use in p.uses)]
        if len(sharing) > 1:
            sharing.sort(key=lambda p: (not any(not u.displaced for u in p.uses), _is_number(p)))
            for other in sharing[1:]:
                other.added.append((view, sharing[0].name))
                other.uses = [use for use in other.uses if use.view is not view]


def _is_number(parameter: Parameter) -> bool:
    """Whether an index argument is also used as a size or in products: then it is no pointer."""
    for user in parameter.value.users:
        if user.name == "arith.muli" or (
            user.name == "ktdp.construct_memory_view" and user.operands[0] is not parameter.value
        ):
            return True
    return False


def check_displacements(parameter: Parameter) -> None:
    """A buffer's address is no number in another's; with two element sizes it has no displacement."""
    for view, pointer in parameter.added:
        raise RunError(
            f"the address of this view adds up '{pointer}' and '{parameter.name}', but a buffer was "
            f"given for '{parameter.name}'",
            view.location,
            hint="an address is one pointer and a displacement",
        )
    sizes = {use.dtype.itemsize for use in parameter.uses}
    if len(sizes) < 2:
        return
    moved = next((use for use in parameter.uses if use.displaced), None)
    if moved is not None:
        names = " and ".join(d.name for d in parameter.dtypes)
        raise RunError(
            f"argument '{parameter.name}' is viewed as {names}, which differ in size, so the "
            "displacement of this view has no one meaning",
            moved.view.location,
            hint="use one element type for the argument, or pass the displaced pointer as another",
        )


# -- extents -------------------------------------------------------------------------------------


@define
class Ranges:
    """Bounds of index values: from constants, given scalars, the grid and the loops around."""

    scalars: Mapping[Value, int]
    tiles: tuple[int, ...]
    callers: Mapping[Value, Value]
    """Arguments of called functions → what the caller passes."""

    def of(self, value: Value) -> tuple[int, int] | None:
        """Inclusive bounds, None when unknown."""
        if value in self.scalars:
            number = int(self.scalars[value])
            return number, number
        if value in self.callers:
            return self.of(self.callers[value])
        if isinstance(value, BlockArgument):
            return self._loop(value)
        op = value.defining_op
        assert op is not None
        if op.name == "ktdp.get_compute_tile_id":
            extents = self.tiles
            return 0, (extents[value.index] if value.index < len(extents) else 1) - 1  # type: ignore[attr-defined]
        if op.name == "arith.constant":
            number = getattr(op.attr("value"), "value", None)
            return None if number is None else (int(number), int(number))
        if op.name == "ktdp.runtime_arg_extract" and op.constant is not None:  # type: ignore[attr-defined]
            return op.constant, op.constant  # type: ignore[attr-defined]
        inner = [self.of(v) for v in op.operands]
        if not inner or any(b is None for b in inner):
            return None
        return _apply(op, inner)  # type: ignore[arg-type]

    def _loop(self, value: BlockArgument) -> tuple[int, int] | None:
        loop = value.block.parent_op
        if loop is None or loop.name != "scf.for" or value.index != 0:
            return None
        low, high = self.of(loop.operands[0]), self.of(loop.operands[1])
        if low is None or high is None:
            return None
        return low[0], max(low[0], high[1] - 1)


def _apply(op: Operation, inner: list[tuple[int, int]]) -> tuple[int, int] | None:
    if op.name in _CASTS:
        return inner[0]
    if op.name == "affine.apply":
        map: AffineMap = op.attr("map").map
        return bounds(map.results[0], inner[: map.num_dims], inner[map.num_dims :])
    if len(inner) != 2:
        return None
    (a, b), (c, d) = inner
    if op.name == "arith.addi":
        return a + c, b + d
    if op.name == "arith.subi":
        return a - d, b - c
    if op.name == "arith.muli":
        products = [x * y for x in (a, b) for y in (c, d)]
        return min(products), max(products)
    if op.name in ("arith.divui", "arith.divsi", "arith.floordivsi") and a >= 0 and c > 0:
        return a // d, b // c
    if op.name in ("arith.ceildivui", "arith.ceildivsi") and a >= 0 and c > 0:
        return -(-a // d), -(-b // c)
    if op.name in ("arith.remui", "arith.remsi") and a >= 0 and c > 0:
        return 0, min(b, d - 1)
    if op.name in ("arith.minsi", "arith.minui"):
        return min(a, c), min(b, d)
    if op.name in ("arith.maxsi", "arith.maxui"):
        return max(a, c), max(b, d)
    return None


def buffer_shape(parameter: Parameter, ranges: Ranges) -> tuple[tuple[int, ...], DType]:
    """Shape and element type of the buffer behind a pointer, from the views that use it.

    The extents of the first undisplaced view when it is dense and covers all others, else one
    dimension. RunError when a view's extent isn't known.
    """
    dtype = parameter.uses[0].dtype
    need, dense = 0, None
    for use in parameter.uses:
        sizes = [_top(n, ranges, parameter) for n in use.view.mixed_sizes]
        strides = [_top(n, ranges, parameter) for n in use.view.mixed_strides]
        reach = _displacement(use, parameter, ranges) if use.displaced else 0
        span = reach + sum((n - 1) * s for n, s in zip(sizes, strides) if n) + 1
        need = max(need, span * use.dtype.itemsize)
        row_major = tuple(np.cumprod([1, *sizes[:0:-1]])[::-1].tolist()) if sizes else ()
        if not use.displaced and tuple(strides) == row_major and dense is None:
            dense, dtype = tuple(sizes), use.dtype
    count = -(-need // dtype.itemsize)
    if dense is not None and int(np.prod(dense, dtype=np.int64)) >= count:
        return dense, dtype
    return (count,), dtype


def _top(number: Any, ranges: Ranges, parameter: Parameter) -> int:
    if isinstance(number, int):
        return number
    found = ranges.of(number)
    if found is None:
        raise _unknown(parameter)
    return found[1]


def _displacement(use: ViewUse, parameter: Parameter, ranges: Ranges) -> int:
    inner = Ranges({**ranges.scalars, parameter.value: 0}, ranges.tiles, ranges.callers)
    found = inner.of(use.view.operands[0])
    if found is None:
        raise _unknown(parameter)
    return max(0, found[1])


def _unknown(parameter: Parameter) -> RunError:
    return RunError(
        f"the size of the buffer '{parameter.name}' isn't known from the views that use it",
        parameter.value.location,
        hint=f"give an array for '{parameter.name}', or the scalars that its views' sizes depend on",
    )


def calls(function: Any, lookup: Callable[[str], Any]) -> dict[Value, Value]:
    """Arguments of the functions that ``function`` calls → the values passed (first call counts)."""
    found: dict[Value, Value] = {}
    todo, seen = [function], {function}
    while todo:
        for op in todo.pop().walk():
            if op.name == "func.call" and (callee := lookup(op.attr("callee").leaf)) is not None:
                for given, inner in zip(op.operands, callee.regions[0].blocks[0].arguments):
                    found.setdefault(inner, given)
                if callee not in seen:
                    seen.add(callee)
                    todo.append(callee)
    return found
