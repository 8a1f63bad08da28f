"""The SSA core: values, operations, blocks, regions.

Operations of a block form an intrusive doubly linked list, every value knows its users, so insert,
erase, move and replace-all-uses are O(1) or O(uses). Op classes are declared with
:mod:`kt.ir.opdef`; an operation that no dialect knows is an :class:`UnregisteredOp`.
"""

from __future__ import annotations

from kt.ir.block import Block, Region
from kt.ir.operation import Operation, OpT, UnregisteredOp
from kt.ir.value import BlockArgument, OpResult, Value

__all__ = ["Block", "BlockArgument", "OpResult", "OpT", "Operation", "Region", "UnregisteredOp", "Value"]
