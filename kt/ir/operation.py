"""Operations: operands, results, attributes, regions, and a place in a block."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

from attrs import define

from kt.ir import registry
from kt.ir.attributes import Attribute
from kt.ir.diagnostics import UNKNOWN, Location
from kt.ir.opdef import OpMeta
from kt.ir.order import number_ops, order_of
from kt.ir.types import Type
from kt.ir.value import OpResult, Value
from kt.ir.walk import walk_post, walk_pre

if TYPE_CHECKING:
    from kt.ir.block import Block, Region

OpT = TypeVar("OpT", bound="Operation")


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
        mine, theirs = order_of(self), order_of(other)
        if mine is None or theirs is None:
            number_ops(self.parent)
            mine, theirs = self._order, other._order
        return mine < theirs  # type: ignore[operator]

    def walk(self, post_order: bool = False) -> Iterator[Operation]:
        """This op and all ops inside it, textual order (or children first).

        The op just yielded may be erased or moved (with pre-order: its regions are entered after
        the yield, unless it was detached); don't erase its next sibling.
        """
        return walk_post(self) if post_order else walk_pre(self)

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
