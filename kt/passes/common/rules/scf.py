"""Canonical forms of ``scf``: loops and branches whose course is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kt.ir import types as t
from kt.ir.attributes import IntegerAttr
from kt.ir.core import Block, Operation, Region, Value
from kt.ir.dialects import arith, scf
from kt.ir.folding import constant_int
from kt.ir.rewriter import Rewriter, canonicalization


def inline_block(op: Operation, block: Block, values: Sequence[Value], rw: Rewriter) -> None:
    """Replace ``op`` by the body of one of its blocks; the terminator's operands become its results."""
    end = block.last_op
    assert end is not None
    # Read only after inlining: an operand may be an argument that is replaced.
    rw.inline_before(block, op, values)
    results = end.operands
    rw.erase(end)
    rw.replace(op, list(results))


@canonicalization("scf.for", name="loop-of-few-trips", benefit=3)
def simplify_trip_count(op: Any, rw: Rewriter) -> bool:
    """No trip: the results are the inits. One trip: the body, for the lower bound."""
    trips = constant_trip_count(op)
    if trips == 0:
        rw.replace(op, list(op.init_args))
        return True
    if trips == 1:
        inline_block(op, op.body, (op.lower_bound, *op.init_args), rw)
        return True
    return False


def constant_trip_count(op: scf.ForOp) -> int | None:
    """Trips of a loop whose bounds and step are constant (or whose bounds are one value)."""
    if op.lower_bound is op.upper_bound:
        return 0
    low, high = constant_int(op.lower_bound), constant_int(op.upper_bound)
    step = constant_int(op.step)
    if low is None or high is None:
        return None
    if op.unsigned_cmp is not None and (low < 0 or high < 0):
        return None
    if high <= low:
        return 0
    return -(-(high - low) // step) if step is not None and step > 0 else None


@canonicalization("scf.for", name="drop-carried-values", benefit=2)
def drop_carried(op: Any, rw: Rewriter) -> bool:
    """Carried values that never change are their inits; those that nobody reads go."""
    block = op.body
    end = block.last_op
    kept = []
    for i, argument in enumerate(block.arguments[1:]):
        init, result, last = op.init_args[i], op.results[i], end.operands[i]
        constant = last is argument or last is init
        unread = not argument.has_uses and not result.has_uses
        if constant:
            rw.replace_uses(argument, init)
            rw.replace_uses(result, init)
        if not constant and not unread:
            kept.append(i)
    if len(kept) == len(op.init_args):
        return False
    rw.set_operands(end, [end.operands[i] for i in kept])
    for i in reversed(range(len(op.init_args))):
        if i not in kept:
            block.erase_argument(i + 1)
    body = op.regions[0]
    body.detach_block(block)
    made = scf.ForOp(
        (*op.operands[:3], *(op.init_args[i] for i in kept)),
        [op.results[i].type for i in kept],
        op.properties,
        op.attributes,
        [Region([block])],
        location=op.location,
    )
    _replace_kept(op, made, kept, rw)
    return True


def _replace_kept(op: Operation, made: Operation, kept: Sequence[int], rw: Rewriter) -> None:
    """Insert ``made``, whose results are the ``kept`` ones of ``op``, and erase ``op``."""
    for new, i in zip(made.results, kept, strict=True):
        new.name_hint = op.results[i].name_hint
    rw.insert(made)
    for new, i in zip(made.results, kept, strict=True):
        rw.replace_uses(op.results[i], new)
    rw.erase(op)


@canonicalization("scf.if", name="known-condition", benefit=3)
def known_condition(op: Any, rw: Rewriter) -> bool:
    """The branch that a constant condition takes."""
    condition = constant_int(op.condition)
    if condition is None:
        return False
    region = op.then_region if condition & 1 else op.else_region
    if region.is_empty:
        rw.erase(op)
    else:
        inline_block(op, region.block, (), rw)
    return True


@canonicalization("scf.if", name="empty-else", benefit=2)
def drop_empty_else(op: Any, rw: Rewriter) -> bool:
    """An else branch that does nothing goes."""
    if op.results or op.else_region.is_empty:
        return False
    block = op.else_region.block
    if len(block) > 1 or block.last_op.operands:
        return False
    rw.erase(block.last_op)
    op.else_region.detach_block(block)
    rw.update(op)
    return True


@canonicalization("scf.if", name="condition-inside")
def condition_inside(op: Any, rw: Rewriter) -> bool:
    """Inside the branches the condition is known."""
    condition = op.condition
    changed = False
    for region, value in zip(op.regions, (1, 0), strict=True):
        users = [u for u in condition.users if _is_in(u, region)]
        if users:
            rw.move_to(op.parent, op)
            known = rw.constant(IntegerAttr(value, t.i1), t.i1)
            rw.replace_uses(condition, known, lambda u, users=users: u in users)
            changed = True
    return changed


def _is_in(op: Operation, region: Region) -> bool:
    current: Operation | None = op
    while current is not None:
        if current.parent_region is region:
            return True
        current = current.parent_op
    return False


@canonicalization("scf.if", name="if-to-select")
def if_to_select(op: Any, rw: Rewriter) -> bool:
    """A result chosen between two values from outside is a select."""
    if not op.results:
        return False
    ends = [region.block.last_op for region in op.regions]
    kept, changed = [], False
    for i, result in enumerate(op.results):
        yes, no = (end.operands[i] for end in ends)
        if any(_is_in_branches(v, op) for v in (yes, no)):
            kept.append(i)
            continue
        if not result.has_uses:
            continue
        made = yes if yes is no else rw.create(arith.SelectOp, op.condition, yes, no).result
        rw.replace_uses(result, made)
        changed = True
    unused = [i for i in range(len(op.results)) if not op.results[i].has_uses]
    if not changed and not unused:
        return False
    kept = [i for i in kept if i not in unused]
    for end in ends:
        rw.set_operands(end, [end.operands[i] for i in kept])
    blocks = [region.block for region in op.regions]
    for region, block in zip(op.regions, blocks, strict=True):
        region.detach_block(block)
    made = scf.IfOp(
        (op.condition,),
        [op.results[i].type for i in kept],
        op.properties,
        op.attributes,
        [Region([block]) for block in blocks],
        location=op.location,
    )
    _replace_kept(op, made, kept, rw)
    return True


def _is_in_branches(value: Value, op: Operation) -> bool:
    definition = value.defining_op
    block = value.parent_block
    around = definition if definition is not None else (block.parent_op if block else None)
    return around is not None and op.is_ancestor_of(around)


@canonicalization("scf.index_switch", name="known-case")
def known_case(op: Any, rw: Rewriter) -> bool:
    """The region of a constant."""
    number = constant_int(op.arg)
    if number is None:
        return False
    cases = list(op.cases)
    region = op.case_regions[cases.index(number)] if number in cases else op.default_region
    inline_block(op, region.block, (), rw)
    return True


@canonicalization("scf.execute_region", name="inline-region")
def inline_region(op: Any, rw: Rewriter) -> bool:
    """A region of one block is the block."""
    blocks = op.regions[0].blocks
    if op.no_inline is not None or len(blocks) != 1 or blocks[0].last_op.name != "scf.yield":
        return False
    inline_block(op, blocks[0], (), rw)
    return True
