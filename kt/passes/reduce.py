"""Shrinking IR that shows a failure: delta debugging over operations, then over what is left of them.

Every step makes a smaller module that is still valid, and keeps it if the failure is still there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from attrs import define

from kt.ir.core import Operation, Value
from kt.ir.diagnostics import KtError
from kt.ir.traits import Terminator
from kt.ir.verifier import verify

Test = Callable[[Operation], bool]
"""Whether a module still shows what is looked for."""


@define
class Progress:
    """How far a reduction came."""

    tests: int = 0
    before: int = 0
    after: int = 0


def reduce_module(module: Operation, test: Test, limit: int = 2000) -> tuple[Operation, Progress]:
    """The smallest module found for which ``test`` holds, and how it went.

    ``limit`` bounds the number of tests. Raises KtError if the test doesn't hold to begin with.
    """
    progress = Progress(before=_size(module))
    if not _holds(module, test, progress):
        raise KtError("the test doesn't hold for the file as it is", module.location, code="reduce")
    best, size = module, -1
    while size != _size(best) and progress.tests < limit:
        size = _size(best)
        for shrink in (_without_operations, _without_regions, _without_results, _without_attributes):
            best = _exhaust(best, shrink, test, progress, limit)
    progress.after = _size(best)
    return best, progress


def _size(module: Operation) -> int:
    return sum(1 + len(op.attributes) for op in module.walk())


def _holds(module: Operation, test: Test, progress: Progress) -> bool:
    progress.tests += 1
    return test(module)


def _exhaust(
    best: Operation,
    shrink: Callable[[Operation, int, int], bool],
    test: Test,
    progress: Progress,
    limit: int,
) -> Operation:
    """Apply one kind of step in ever smaller chunks."""
    chunk = max(1, _size(best) // 2)
    while True:
        at = 0
        while progress.tests < limit:
            smaller = best.clone()
            if not shrink(smaller, at, chunk):
                break
            if _valid(smaller) and _size(smaller) <= _size(best) and _holds(smaller, test, progress):
                best = smaller
            else:
                at += chunk
        if chunk == 1 or progress.tests >= limit:
            return best
        chunk //= 2


def _valid(module: Operation) -> bool:
    try:
        verify(module, lenient=True)
    except KtError:
        return False
    return True


def _window(found: Iterator[Operation], at: int, count: int) -> list[Operation]:
    return list(found)[at : at + count]


def _without_operations(module: Operation, at: int, count: int) -> bool:
    """Erase operations; users of their results get an earlier value of the same type, or go as well."""
    victims = _window((op for op in _inside(module) if op.trait(Terminator) is None), at, count)
    for op in reversed(victims):
        if op.parent is not None:
            _erase(op)
    return bool(victims)


def _without_regions(module: Operation, at: int, count: int) -> bool:
    """Put what is inside a loop or branch in its place."""
    found = _window((op for op in _inside(module) if op.regions and not op.attr("sym_name")), at, count)
    for op in found:
        if op.parent is None or len(op.regions[0].blocks) != 1:
            continue
        block = op.regions[0].blocks[0]
        if any(argument.has_uses for argument in block.arguments):
            continue
        for inner in list(block.ops):
            if inner.trait(Terminator) is None:
                inner.detach()
                op.parent.insert_before(inner, op)
        _erase(op)
    return bool(found)


def _without_results(module: Operation, at: int, count: int) -> bool:
    """Use earlier values of the same type instead of results."""
    found = _window((op for op in _inside(module) if any(r.has_uses for r in op.results)), at, count)
    for op in found:
        for value in op.results:
            other = _stand_in(op, value)
            if other is not None:
                value.replace_all_uses_with(other)
    return bool(found)


def _without_attributes(module: Operation, at: int, count: int) -> bool:
    """Drop discardable attributes."""
    found = _window((op for op in module.walk() if op.attributes), at, count)
    for op in found:
        op.attributes.clear()
    return bool(found)


def _inside(module: Operation) -> Iterator[Operation]:
    walk = iter(list(module.walk()))
    next(walk, None)
    yield from walk


def _erase(op: Operation) -> None:
    for value in op.results:
        if value.has_uses:
            other = _stand_in(op, value)
            if other is not None:
                value.replace_all_uses_with(other)
    todo = [user for value in op.results for user in value.users]
    for user in todo:
        if user.parent is not None:
            _erase(user)
    if op.parent is not None and not any(value.has_uses for value in op.results):
        op.erase()


def _stand_in(op: Operation, value: Value) -> Value | None:
    """A value of the same type that is defined before ``op``: an operand, or of its block."""
    for operand in op.operands:
        if operand.type is value.type:
            return operand
    block = op.parent
    while block is not None:
        for argument in block.arguments:
            if argument.type is value.type:
                return argument
        at = op.prev_op
        while at is not None:
            for result in at.results:
                if result.type is value.type:
                    return result
            at = at.prev_op
        parent = block.parent.parent if block.parent is not None else None
        if parent is None:
            return None
        op, block = parent, parent.parent
    return None
