"""Compute groups: stores with everything that their data and coordinates are computed from."""

from __future__ import annotations

from attrs import define, field

from kt.ir import types as t
from kt.ir.core import Block, Operation, Value
from kt.ir.diagnostics import Note, PassError
from kt.ir.dialects import func, kt, ktdp
from kt.ir.dominance import ancestor_in_block
from kt.ir.effects import is_effect_free
from kt.passes.analysis.aliasing import index_views, may_alias, may_change, same_elements
from kt.passes.analysis.structured import free_values

_NUMBERS = (t.IndexType, t.IntegerType, t.FloatType, ktdp.RuntimeArgType)
_INTER_TILE = (ktdp.InterTileOp, ktdp.DeliveryOp)


@define(eq=False)
class ComputeGroup:
    """What one program does: loads, computations on tensors, stores of one block.

    ``ops`` are in dependency order, the stores last, with all constants and index arithmetic.
    ``parameters`` are the values that can't be computed again: arguments, induction variables,
    results of control flow. The program runs at its first store, or before that of the group
    ``before``.
    """

    stores: list[ktdp.StoreOp]
    ops: list[Operation] = field(factory=list)
    parameters: list[Value] = field(factory=list)
    before: ComputeGroup | None = None

    def __attrs_post_init__(self) -> None:
        _Slicer(self).run()

    @property
    def store(self) -> ktdp.StoreOp:
        """The first store."""
        return self.stores[0]

    @property
    def place(self) -> Operation:
        """The store at which the program runs."""
        return self.store if self.before is None else self.before.place

    @property
    def loads(self) -> list[ktdp.LoadOp]:
        return [op for op in self.ops if isinstance(op, ktdp.LoadOp)]


def refuse(op: Operation, what: str, hint: str, *notes: Note) -> PassError:
    """The error for a construct that has no schedule yet."""
    return PassError(f"can't schedule '{op.name}': {what}", op.location, hint=hint, notes=notes)


@define(eq=False)
class _Slicer:
    group: ComputeGroup
    done: set[Value | Operation] = field(factory=set)

    def run(self) -> None:
        for store in self.group.stores:
            self.op(store)
        ops = self.group.ops
        ops.sort(key=lambda op: op in self.group.stores)

    def op(self, root: Operation) -> None:
        """Take an op after all it needs; iterative, as chains may be long."""
        stack: list[tuple[Operation, list[Value]]] = [(root, list(free_values(root)))]
        self.done.add(root)
        while stack:
            op, needed = stack[-1]
            if not needed:
                stack.pop()
                self.group.ops.append(op)
                continue
            value = needed.pop(0)
            made = self.source(value)
            if made is not None and made not in self.done:
                self.done.add(made)
                stack.append((made, list(free_values(made))))

    def source(self, value: Value) -> Operation | None:
        """The op to compute again for a value; None if the value is a parameter."""
        op = value.defining_op
        if op is not None and not _is_control_flow(op) and self.recomputable(op):
            return op
        if isinstance(value.type, _NUMBERS) or isinstance(op, kt.BufferOp):
            if value not in self.done:
                self.done.add(value)
                self.group.parameters.append(value)
            return None
        raise self.no_parameter(value)

    def recomputable(self, op: Operation) -> bool:
        if isinstance(op, (ktdp.LoadOp, ktdp.TileSpaceOp)):
            return True
        if isinstance(op, _INTER_TILE):
            raise refuse(
                op,
                "exchange between compute tiles is not scheduled yet",
                "run this kernel with the KTIR executor, or exchange through global memory",
            )
        if op.name in ("tensor.extract", "memref.load"):
            raise refuse(
                op,
                "a single number that is computed from loaded data has no schedule yet",
                "use the tensor as an operand of elementwise ops, or pass the number as an argument",
            )
        return is_effect_free(op)

    def no_parameter(self, value: Value) -> PassError:
        op = value.defining_op
        stored = Note("it is needed for this store", self.group.store.location)
        if op is not None:
            return refuse(
                op,
                f"its result of type '{value.type}' is no number, and can't be computed again",
                "store and load it through memory inside the loop or branch instead",
                stored,
            )
        around = value.parent_block.parent_op if value.parent_block is not None else None
        where = around.location if around is not None else self.group.store.location
        if isinstance(around, func.FuncOp):
            return PassError(
                f"a function argument of type '{value.type}' has no place in memory",
                where,
                notes=[stored],
                hint="pass the buffer's address as an 'index' argument and load from a view",
            )
        return PassError(
            f"can't schedule a value of type '{value.type}' that a loop carries",
            where,
            notes=[stored],
            hint="keep the running value in memory: load it at the begin of the iteration and "
            "store it at the end",
        )


def _is_control_flow(op: Operation) -> bool:
    return op.name.startswith(("scf.", "func.", "cf."))


def find_groups(function: func.FuncOp) -> list[list[ComputeGroup]]:
    """The groups of each block, one per store in their order, inner blocks before outer ones."""
    found: list[list[ComputeGroup]] = []
    for block in _blocks(function):
        groups = [ComputeGroup([op]) for op in block.ops if isinstance(op, ktdp.StoreOp)]
        by_store: dict[Operation, ComputeGroup] = {g.store: g for g in groups}
        for group in groups:
            _check_in_place(group)
            _check_outer_loads(group)
            _choose_place(group, by_store)
        found.append(groups)
    return found


def _blocks(function: Operation) -> list[Block]:
    """All blocks, inner ones first."""
    owners = [function, *(op for op in function.walk(post_order=True) if op is not function)]
    owners = owners[1:] + owners[:1]
    return [block for op in owners for region in op.regions for block in region.blocks]


def _in_loop(op: Operation, outermost: Operation) -> bool:
    """Whether a loop stands around ``op``, inside ``outermost`` or being it."""
    around = [a for a in op.ancestors() if outermost.is_ancestor_of(a)]
    return any(a.name in ("scf.for", "scf.while", "scf.forall", "scf.parallel") for a in around)


def _stores(op: Operation) -> list[ktdp.StoreOp]:
    return [inner for inner in op.walk() if isinstance(inner, ktdp.StoreOp)]


def overwrites_operand(load: Operation, store: Operation) -> PassError:
    """The error for a program whose store may change what it has not loaded yet."""
    return PassError(
        "the store may overwrite elements that are still to be loaded",
        store.location,
        notes=[Note("loaded here", load.location)],
        hint="store to another buffer, or to exactly the elements that were loaded",
    )


def _check_in_place(group: ComputeGroup) -> None:
    """Loaded and stored elements are all the same or all different.

    Looked at in the kernel, where it is known which arguments are pointers.
    """
    tile = group.store.access_tile
    for load in group.loads:
        if may_alias(load.access_tile, tile) and not same_elements(load.access_tile, tile):
            raise overwrites_operand(load, group.store)
    for view in index_views(group.ops):
        if may_change(tile, view):
            made = view.defining_op or group.store
            raise overwrites_operand(made, group.store)


def _overwritten(load: ktdp.LoadOp, store: Operation, needed: Operation) -> PassError:
    return PassError(
        "a loaded tile is used after its memory may have been overwritten, so it can't be loaded "
        "again where it is needed",
        load.location,
        notes=[
            Note("overwritten here", store.location),
            Note("needed for this store", needed.location),
        ],
        hint="store to another buffer, or move the stores that use the tile in front",
    )


def _overwrites(store: ktdp.StoreOp, load: ktdp.LoadOp) -> bool:
    """Whether a store may change what is loaded, or the coordinates that are looked up for it."""
    made = load.access_tile.defining_op
    return may_alias(store.access_tile, load.access_tile) or any(
        may_change(store.access_tile, view) for view in index_views([made] if made else [])
    )


def _check_outer_loads(group: ComputeGroup) -> None:
    """Loads outside the block of the store run again inside: nothing may change them meanwhile."""
    block = group.store.parent
    for load in group.loads:
        if load.parent is block or load.parent is None:
            continue
        around = ancestor_in_block(load.parent, group.store)
        repeated = around is not None and _in_loop(group.store, around)
        op: Operation | None = load.next_op
        while op is not None:
            for store in _stores(op):
                if store is group.store and not repeated:
                    continue
                if _overwrites(store, load):
                    raise _overwritten(load, store, group.store)
            op = None if op is around else op.next_op


def _choose_place(group: ComputeGroup, by_store: dict[Operation, ComputeGroup]) -> None:
    """A program runs at its store, or earlier if a store before it overwrites what it loads."""
    store = group.store
    for load in group.loads:
        if load.parent is not store.parent:
            continue
        op = load.next_op
        while op is not None and op is not store:
            hit = next((s for s in _stores(op) if _overwrites(s, load)), None)
            if hit is not None:
                other = by_store.get(op)
                if other is None or not may_move(group, op, by_store):
                    raise _overwritten(load, hit, store)
                if group.before is None or other.place.is_before_in_block(group.place):
                    group.before = other
                break
            op = op.next_op


def may_move(
    group: ComputeGroup, first: Operation, by_store: dict[Operation, ComputeGroup]
) -> bool:
    """Whether the program may run before that of ``first``, past all memory ops in between.

    One that looks up coordinates stays where it is.
    """
    store = group.store
    if index_views(group.ops):
        return False
    op: Operation | None = by_store[first].place
    while op is not None and op is not store:
        other = by_store.get(op)
        written = [s.access_tile for s in _stores(op)]
        read = [
            inner.access_tile
            for root in ([op] if other is None else other.ops)
            for inner in root.walk()
            if isinstance(inner, ktdp.LoadOp) and (other is not None or root.regions)
        ]
        if any(may_alias(tile, store.access_tile) for tile in (*written, *read)):
            return False
        for load in group.loads:
            behind = load.parent is op.parent and op.is_before_in_block(load)
            if behind and any(may_alias(tile, load.access_tile) for tile in written):
                return False
        if any(v.defining_op is op for v in group.parameters):
            return False
        op = op.next_op
    return True
