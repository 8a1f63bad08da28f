"""The SSA core: values, operations, blocks, regions.

Operations of a block form an intrusive doubly linked list, every value knows its users, so insert,
erase, move and replace-all-uses are O(1) or O(uses). Op classes are declared with
:mod:`kt.ir.opdef`; an operation that no dialect knows is an :class:`UnregisteredOp`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Self, TypeVar

from attrs import define

from kt.ir import registry
from kt.ir.attributes import Attribute
from kt.ir.diagnostics import UNKNOWN, Location
from kt.ir.opdef import OpMeta
from kt.ir.types import Type

OpT = TypeVar("OpT", bound="Operation")


@define(eq=False)
class Value:
    """Something an operation can use: a result or a block argument.

    ``_uses`` is None, the only user (with one use), or a dict from users to their number of uses:
    most values have one use, and it then costs no container.
    """

    type: Type
    name_hint: str | None
    _uses: Any

    @property
    def users(self) -> tuple[Operation, ...]:
        """Operations that use this value, each once, in the order of their first use."""
        uses = self._uses
        if uses is None:
            return ()
        return tuple(uses) if isinstance(uses, dict) else (uses,)

    @property
    def uses(self) -> list[tuple[Operation, int]]:
        """All (operation, operand number) pairs."""
        return [(op, i) for op in self.users for i, v in enumerate(op._operands) if v is self]

    @property
    def has_uses(self) -> bool:
        return self._uses is not None

    @property
    def num_uses(self) -> int:
        uses = self._uses
        if uses is None:
            return 0
        return sum(uses.values()) if isinstance(uses, dict) else 1

    @property
    def has_one_use(self) -> bool:
        return self.num_uses == 1

    def _add_use(self, op: Operation) -> None:
        uses = self._uses
        if uses is None:
            self._uses = op
        elif isinstance(uses, dict):
            uses[op] = uses.get(op, 0) + 1
        else:
            self._uses = {uses: 2} if uses is op else {uses: 1, op: 1}

    def _drop_use(self, op: Operation) -> None:
        uses = self._uses
        if uses is op:
            self._uses = None
            return
        count = uses[op] - 1
        if count:
            uses[op] = count
            return
        del uses[op]
        if len(uses) == 1 and next(iter(uses.values())) == 1:
            self._uses = next(iter(uses))
        elif not uses:
            self._uses = None

    def replace_all_uses_with(
        self, new: Value, where: Callable[[Operation], bool] | None = None
    ) -> None:
        """Make every user (for which ``where`` holds) use ``new`` instead; keeps a name hint."""
        if new is self:
            return
        for op in self.users:
            if where is None or where(op):
                op.operands = tuple([new if v is self else v for v in op._operands])
        if new.name_hint is None:
            new.name_hint = self.name_hint

    @property
    def owner(self) -> Operation | Block:
        raise TypeError("a bare Value has no owner")

    @property
    def defining_op(self) -> Operation | None:
        """The operation whose result this is; None for block arguments."""
        owner = self.owner
        return owner if isinstance(owner, Operation) else None

    @property
    def parent_block(self) -> Block | None:
        owner = self.owner
        return owner.parent if isinstance(owner, Operation) else owner

    @property
    def location(self) -> Location:
        owner = self.owner
        return owner.location if isinstance(owner, Operation) else UNKNOWN


@define(eq=False)
class OpResult(Value):
    """Result number ``index`` of ``op``."""

    op: Operation
    index: int

    def __init__(self, type: Type, op: Operation, index: int, name_hint: str | None = None) -> None:
        self.type = type
        self.name_hint = name_hint
        self._uses = None
        self.op = op
        self.index = index

    @property
    def owner(self) -> Operation:
        return self.op

    @property
    def defining_op(self) -> Operation:
        return self.op

    @property
    def parent_block(self) -> Block | None:
        return self.op.parent

    def __repr__(self) -> str:
        return f"<result #{self.index} of {self.op.name}>"


@define(eq=False)
class BlockArgument(Value):
    """Argument number ``index`` of ``block``."""

    block: Block
    index: int
    loc: Location

    def __init__(
        self,
        type: Type,
        block: Block,
        index: int,
        name_hint: str | None = None,
        loc: Location = UNKNOWN,
    ) -> None:
        self.type = type
        self.name_hint = name_hint
        self._uses = None
        self.block = block
        self.index = index
        self.loc = loc

    @property
    def owner(self) -> Block:
        return self.block

    @property
    def defining_op(self) -> None:
        return None

    @property
    def parent_block(self) -> Block:
        return self.block

    @property
    def location(self) -> Location:
        return self.loc

    def __repr__(self) -> str:
        return f"<block argument #{self.index}: {self.type}>"


@define(eq=False, init=False, repr=False)
class Operation(metaclass=OpMeta):
    """One operation.

    ``properties`` are inherent attributes (declared by the op; ``<{…}>`` in generic form),
    ``attributes`` are discardable ones. Both are plain dicts.
    """

    name: ClassVar[str] = ""
    traits: ClassVar[tuple[Any, ...]] = ()
    assembly_format: ClassVar[str | None] = None

    _operands: tuple[Value, ...]
    results: tuple[OpResult, ...]
    _properties: dict[str, Attribute] | None
    _attributes: dict[str, Attribute] | None
    regions: tuple[Region, ...]
    _successors: tuple[Block, ...]
    parent: Block | None
    prev_op: Operation | None
    next_op: Operation | None
    location: Location
    _order: int | None
    """Place among the ops of the block, None until somebody asks (see is_before_in_block)."""

    def __init__(
        self,
        operands: Iterable[Value] = (),
        result_types: Iterable[Type] = (),
        properties: Mapping[str, Attribute] | None = None,
        attributes: Mapping[str, Attribute] | None = None,
        regions: Iterable[Region] = (),
        successors: Iterable[Block] = (),
        location: Location = UNKNOWN,
    ) -> None:
        """The generic constructor; checks nothing. Use ``OpClass.build(…)`` in passes."""
        self._operands = operands = tuple(operands)
        for value in operands:
            value._add_use(self)
        self.results = tuple([OpResult(t, self, i) for i, t in enumerate(result_types)])
        self._properties = dict(properties) if properties else None
        self._attributes = dict(attributes) if attributes else None
        self.regions = regions = tuple(regions)
        for region in regions:
            region.parent = self
        self._successors = tuple(successors)
        self.parent = self.prev_op = self.next_op = self._order = None
        self.location = location

    # -- data ------------------------------------------------------------------------------------

    @property
    def operands(self) -> tuple[Value, ...]:
        return self._operands

    @operands.setter
    def operands(self, values: Iterable[Value]) -> None:
        new = tuple(values)
        for value in self._operands:
            value._drop_use(self)
        self._operands = new
        for value in new:
            value._add_use(self)

    def set_operand(self, index: int, value: Value) -> None:
        """Replace one operand."""
        old = self._operands[index]
        if old is not value:
            old._drop_use(self)
            self._operands = (*self._operands[:index], value, *self._operands[index + 1 :])
            value._add_use(self)

    @property
    def properties(self) -> dict[str, Attribute]:
        if self._properties is None:
            self._properties = {}
        return self._properties

    @property
    def attributes(self) -> dict[str, Attribute]:
        if self._attributes is None:
            self._attributes = {}
        return self._attributes

    def attr(self, key: str) -> Any:
        """An inherent or discardable attribute by name, or None."""
        found = self._properties.get(key) if self._properties else None
        if found is None and self._attributes:
            found = self._attributes.get(key)
        return found

    @property
    def successors(self) -> tuple[Block, ...]:
        return self._successors

    @successors.setter
    def successors(self, blocks: Iterable[Block]) -> None:
        self._successors = tuple(blocks)

    @property
    def result(self) -> OpResult:
        """The only result."""
        (value,) = self.results
        return value

    @property
    def dialect(self) -> str:
        return self.name.partition(".")[0]

    @classmethod
    def has_trait(cls, trait: type) -> bool:
        """Whether the op class declares this trait (or a subclass of it)."""
        return trait in cls._trait_types  # type: ignore[attr-defined]

    @classmethod
    def trait(cls, kind: type) -> Any:
        """The declared trait object of this class, or None (for traits with parameters)."""
        return next((t for t in cls.traits if isinstance(t, kind)), None)

    # -- structure -------------------------------------------------------------------------------

    @property
    def parent_op(self) -> Operation | None:
        block = self.parent
        return block.parent.parent if block is not None and block.parent is not None else None

    @property
    def parent_region(self) -> Region | None:
        return self.parent.parent if self.parent is not None else None

    def parent_of_type(self, kind: type[OpT]) -> OpT | None:
        """The nearest strict ancestor that is a ``kind``."""
        op = self.parent_op
        while op is not None and not isinstance(op, kind):
            op = op.parent_op
        return op

    def ancestors(self) -> Iterator[Operation]:
        """Strict ancestors, innermost first."""
        op = self.parent_op
        while op is not None:
            yield op
            op = op.parent_op

    def is_ancestor_of(self, other: Operation) -> bool:
        """Whether ``other`` is this op or lies inside it."""
        return other is self or any(op is self for op in other.ancestors())

    def is_before_in_block(self, other: Operation) -> bool:
        """Whether this op stands before ``other`` in their common block.

        O(1): ops are numbered on demand, and keep their number until they move.
        """
        assert self.parent is not None and self.parent is other.parent
        mine, theirs = _order_of(self), _order_of(other)
        if mine is None or theirs is None:
            self.parent.number_ops()
            mine, theirs = self._order, other._order
        return mine < theirs  # type: ignore[operator]

    def walk(self, post_order: bool = False) -> Iterator[Operation]:
        """This op and all ops inside it, textual order (or children first).

        The op just yielded may be erased or moved (with pre-order: its regions are entered after
        the yield, unless it was detached); don't erase its next sibling.
        """
        return _walk_post(self) if post_order else _walk_pre(self)

    def walk_type(self, kind: type[OpT]) -> Iterator[OpT]:
        """All ops of one class below and including this one."""
        return (op for op in self.walk() if isinstance(op, kind))

    @property
    def body(self) -> Block:
        """The only block of the first region."""
        return self.regions[0].block

    # -- mutation --------------------------------------------------------------------------------

    def detach(self) -> Self:
        """Take this op out of its block (it keeps its operands and users)."""
        block = self.parent
        if block is not None:
            before, after = self.prev_op, self.next_op
            if before is None:
                block.first_op = after
            else:
                before.next_op = after
            if after is None:
                block.last_op = before
            else:
                after.prev_op = before
            self.parent = self.prev_op = self.next_op = None
        return self

    def move_before(self, other: Operation) -> None:
        assert other.parent is not None
        self.detach()
        other.parent.insert_before(self, other)

    def move_after(self, other: Operation) -> None:
        assert other.parent is not None
        self.detach()
        other.parent.insert_after(self, other)

    def drop_all_references(self) -> None:
        """Forget operands and successors here and in all nested ops, so that they can be erased."""
        for op in self.walk():
            op.operands = ()
            op._successors = ()

    def erase(self) -> None:
        """Remove this op for good. Its results must be unused (uses inside itself don't count)."""
        self.detach()
        self.drop_all_references()
        for value in self.results:
            if value._uses is not None:
                raise ValueError(f"'{self.name}' is erased while its result is used")

    def replace_with(self, values: Sequence[Value]) -> None:
        """Replace the results by ``values`` everywhere and erase this op."""
        for old, new in zip(self.results, values, strict=True):
            old.replace_all_uses_with(new)
        self.erase()

    def clone(self, mapping: dict[Value, Value] | None = None) -> Self:
        """A deep copy. ``mapping`` gives substitutes for outside values and receives new ones."""
        from kt.ir.clone import clone_op

        return clone_op(self, {} if mapping is None else mapping)  # type: ignore[return-value]

    def verify_(self) -> None:
        """The op's own rules beyond its declaration; raises VerifyError (see ``self.error``)."""

    def error(self, message: str, **details: Any) -> Exception:
        """A VerifyError at this op: ``raise self.error("…")``. Message gets MLIR's prefix."""
        from kt.ir.diagnostics import VerifyError

        return VerifyError(f"'{self.name}' op {message}", self.location, **details)

    def __str__(self) -> str:
        return registry.print_op(self)

    def __repr__(self) -> str:
        return f"<{self.name} at {self.location}>"


class UnregisteredOp(Operation):
    """An operation that no dialect knows; generic form only, kept unchanged.

    ``attributes`` hold what stood in ``{…}``, ``properties`` what stood in ``<{…}>``.
    """

    __slots__ = ("op_name",)
    op_name: str

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.op_name

    @classmethod
    def make(cls, op_name: str, *args: Any, **kwargs: Any) -> UnregisteredOp:
        op = cls(*args, **kwargs)
        op.op_name = op_name
        return op


@define(eq=False, init=False, repr=False)
class Block:
    """A list of operations with arguments."""

    arguments: list[BlockArgument]
    first_op: Operation | None
    last_op: Operation | None
    parent: Region | None

    def __init__(self, argument_types: Iterable[Type] = (), ops: Iterable[Operation] = ()) -> None:
        self.arguments = [BlockArgument(t, self, i) for i, t in enumerate(argument_types)]
        self.first_op = self.last_op = None
        self.parent = None
        for op in ops:
            self.append(op)

    def add_argument(
        self, type: Type, name_hint: str | None = None, location: Location = UNKNOWN
    ) -> BlockArgument:
        argument = BlockArgument(type, self, len(self.arguments), name_hint, location)
        self.arguments.append(argument)
        return argument

    def set_arguments(self, arguments: Sequence[BlockArgument]) -> None:
        """Give the block these arguments in this order. Nothing may use those that go any more."""
        self.arguments = list(arguments)
        for i, argument in enumerate(self.arguments):
            argument.block, argument.index = self, i

    def erase_argument(self, index: int) -> None:
        """Remove an unused argument."""
        if self.arguments[index].has_uses:
            raise ValueError(f"block argument #{index} is erased while it is used")
        del self.arguments[index]
        for i, argument in enumerate(self.arguments):
            argument.index = i

    @property
    def ops(self) -> Iterator[Operation]:
        """Operations in order; the current one may be erased, moved or followed by new ones."""
        op = self.first_op
        while op is not None:
            after = op.next_op
            yield op
            op = after

    __iter__ = ops.fget  # type: ignore[assignment]

    def __len__(self) -> int:
        return sum(1 for _ in self.ops)

    def __bool__(self) -> bool:
        return True

    @property
    def is_empty(self) -> bool:
        return self.first_op is None

    @property
    def terminator(self) -> Operation | None:
        """The last op (whether it is a terminator is the verifier's business)."""
        return self.last_op

    @property
    def parent_op(self) -> Operation | None:
        return self.parent.parent if self.parent is not None else None

    def append(self, op: Operation) -> None:
        assert op.parent is None, "the op already is in a block"
        op.parent = self
        op._order = None
        last = self.last_op
        op.prev_op = last
        if last is None:
            self.first_op = op
        else:
            last.next_op = op
        self.last_op = op

    def prepend(self, op: Operation) -> None:
        if self.first_op is None:
            self.append(op)
        else:
            self.insert_before(op, self.first_op)

    def insert_before(self, op: Operation, anchor: Operation) -> None:
        assert op.parent is None, "the op already is in a block"
        op.parent = self
        op._order = None
        before = anchor.prev_op
        op.prev_op, op.next_op = before, anchor
        anchor.prev_op = op
        if before is None:
            self.first_op = op
        else:
            before.next_op = op

    def insert_after(self, op: Operation, anchor: Operation) -> None:
        if anchor.next_op is None:
            self.append(op)
        else:
            self.insert_before(op, anchor.next_op)

    def number_ops(self) -> None:
        """Number all ops, with gaps for ops that are inserted later."""
        op, number = self.first_op, 0
        while op is not None:
            op._order = number
            number += _ORDER_GAP
            op = op.next_op

    def split_before(self, op: Operation) -> Block:
        """Move ``op`` and everything behind it into a new block, placed after this one."""
        tail = Block()
        rest = []
        current: Operation | None = op
        while current is not None:
            rest.append(current)
            current = current.next_op
        for moved in rest:
            tail.append(moved.detach())
        if self.parent is not None:
            self.parent.insert_block(self.parent.blocks.index(self) + 1, tail)
        return tail

    def inline_before(self, anchor: Operation, values: Sequence[Value] = ()) -> None:
        """Move all ops of this block in front of ``anchor``, arguments replaced by ``values``."""
        for argument, value in zip(self.arguments, values, strict=True):
            argument.replace_all_uses_with(value)
        for op in self.ops:
            op.move_before(anchor)

    def walk(self) -> Iterator[Operation]:
        for op in self.ops:
            yield from op.walk()


@define(eq=False, init=False, repr=False)
class Region:
    """A list of blocks that belongs to an operation."""

    blocks: list[Block]
    parent: Operation | None

    def __init__(self, blocks: Iterable[Block] = ()) -> None:
        self.blocks = []
        self.parent = None
        for block in blocks:
            self.append(block)

    def append(self, block: Block) -> Block:
        return self.insert_block(len(self.blocks), block)

    def insert_block(self, index: int, block: Block) -> Block:
        assert block.parent is None, "the block already is in a region"
        block.parent = self
        self.blocks.insert(index, block)
        return block

    def detach_block(self, block: Block) -> Block:
        self.blocks.remove(block)
        block.parent = None
        return block

    @property
    def block(self) -> Block:
        """The only block."""
        (block,) = self.blocks
        return block

    def __iter__(self) -> Iterator[Block]:
        return iter(self.blocks)

    @property
    def is_empty(self) -> bool:
        return not self.blocks

    def move_blocks_to(self, other: Region) -> None:
        """Append all blocks to another region."""
        for block in self.blocks:
            block.parent = None
            other.append(block)
        self.blocks = []

    def walk(self) -> Iterator[Operation]:
        for block in self.blocks:
            yield from block.walk()


_ORDER_GAP = 16


def _order_of(op: Operation) -> int | None:
    """The number of an op in its block, in the gap between its neighbours if it has none yet."""
    order = op._order
    if order is None:
        before, after = op.prev_op, op.next_op
        low = before._order if before is not None else -_ORDER_GAP
        if low is None:
            return None
        if after is None:
            order = low + _ORDER_GAP
        elif after._order is None or after._order - low < 2:
            return None
        else:
            order = (low + after._order) // 2
        op._order = order
    return order


def _blocks_of(op: Operation) -> Iterator[Block]:
    for region in op.regions:
        yield from region.blocks


def _walk_pre(root: Operation) -> Iterator[Operation]:
    yield root
    # Enclosing levels: the blocks still to visit there, and the op to go on with.
    outer: list[tuple[Iterator[Block], Operation | None]] = []
    blocks, op = _blocks_of(root), None
    while True:
        if op is None:
            block = next(blocks, None)
            if block is not None:
                op = block.first_op
            elif outer:
                blocks, op = outer.pop()
            else:
                return
            continue
        after = op.next_op
        yield op
        if op.regions and op.parent is not None:
            outer.append((blocks, after))
            blocks, op = _blocks_of(op), None
        else:
            op = after


def _walk_post(root: Operation) -> Iterator[Operation]:
    outer: list[tuple[Iterator[Block], Operation | None, Operation]] = []
    blocks, op, owner = _blocks_of(root), None, root
    while True:
        if op is None:
            block = next(blocks, None)
            if block is not None:
                op = block.first_op
            elif outer:
                done = owner
                blocks, op, owner = outer.pop()
                yield done
            else:
                yield root
                return
            continue
        after = op.next_op
        if op.regions:
            outer.append((blocks, after, owner))
            blocks, op, owner = _blocks_of(op), None, op
        else:
            yield op
            op = after
