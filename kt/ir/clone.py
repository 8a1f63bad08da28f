"""Deep copies of operations, blocks and regions."""

from __future__ import annotations

from kt.ir.core import Block, BlockArgument, Operation, OpResult, Region, UnregisteredOp, Value


def clone_op(op: Operation, mapping: dict[Value, Value]) -> Operation:
    """Copy ``op`` with everything inside; values not in ``mapping`` are used as they are.

    ``mapping`` receives the results and block arguments of the copy. Values used before their
    definition (graph regions, back edges) are patched once everything exists.
    """
    return clone_ops([op], mapping)[0]


def clone_ops(ops: list[Operation], mapping: dict[Value, Value]) -> list[Operation]:
    """Copies of several ops that may use each other's results."""
    blocks: dict[Block, Block] = {}
    copies: list[Operation] = []
    defined_inside: list[tuple[Operation, Operation]] = []
    made = [_copy(op, mapping, blocks, defined_inside) for op in ops]
    copies.extend(made)
    # Second look at ops whose operands or successors were met before their definition.
    for old, new in defined_inside:
        operands = tuple([mapping.get(v, v) for v in old._operands])
        if operands != new._operands:
            new.operands = operands
        if old._successors:
            new._successors = tuple([blocks.get(b, b) for b in old._successors])
    return copies


def _copy(
    op: Operation,
    mapping: dict[Value, Value],
    blocks: dict[Block, Block],
    revisit: list[tuple[Operation, Operation]],
) -> Operation:
    cls = op.__class__
    new: Operation = cls.__new__(cls)
    get = mapping.get
    late = False
    operands = []
    for value in op._operands:
        found = get(value)
        if found is None:
            late = True
            found = value
        operands.append(found)
        found._add_use(new)
    new._operands = tuple(operands)
    results = []
    for old in op.results:
        result = OpResult(old.type, new, old.index, old.name_hint)
        mapping[old] = result
        results.append(result)
    new.results = tuple(results)
    new._properties = op._properties.copy() if op._properties else None
    new._attributes = op._attributes.copy() if op._attributes else None
    new._successors = op._successors
    new.parent = new.prev_op = new.next_op = new._order = None
    new.location = op.location
    if isinstance(op, UnregisteredOp):
        new.op_name = op.op_name  # type: ignore[attr-defined]
    if late or op._successors:
        revisit.append((op, new))
    if op.regions:
        new.regions = tuple([_copy_region(r, mapping, blocks, revisit) for r in op.regions])
        for region in new.regions:
            region.parent = new
    else:
        new.regions = ()
    return new


def _copy_region(
    region: Region,
    mapping: dict[Value, Value],
    blocks: dict[Block, Block],
    revisit: list[tuple[Operation, Operation]],
) -> Region:
    copies = []
    for old in region.blocks:
        block = Block()
        for argument in old.arguments:
            copy = BlockArgument(
                argument.type, block, argument.index, argument.name_hint, argument.loc
            )
            block.arguments.append(copy)
            mapping[argument] = copy
        blocks[old] = block
        copies.append(block)
    for old, block in zip(region.blocks, copies, strict=True):
        op = old.first_op
        while op is not None:
            block.append(_copy(op, mapping, blocks, revisit))
            op = op.next_op
    return Region(copies)


def clone_region(region: Region, mapping: dict[Value, Value] | None = None) -> Region:
    """A copy of a region (its blocks, arguments and ops)."""
    revisit: list[tuple[Operation, Operation]] = []
    blocks: dict[Block, Block] = {}
    values: dict[Value, Value] = {} if mapping is None else mapping
    made = _copy_region(region, values, blocks, revisit)
    for old, new in revisit:
        new.operands = tuple([values.get(v, v) for v in old._operands])
        new._successors = tuple([blocks.get(b, b) for b in old._successors])
    return made
