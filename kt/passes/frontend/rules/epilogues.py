"""Elementwise ops before and behind a reduction that hand tensors over through a buffer."""

from __future__ import annotations

from attrs import frozen

from kt.ir.core import Operation, Value
from kt.ir.dialects import kt, ktdp, linalg
from kt.ir.dialects.linalg_base import PARALLEL
from kt.ir.dominance import ancestor_in_block
from kt.passes.analysis.aliasing import buffer_of, same_elements
from kt.passes.analysis.structured import is_pointwise
from kt.passes.frontend.rules.reductions import point_by_point


@frozen(eq=False)
class Epilogue:
    """An elementwise op behind a reduction whose result it loads from a buffer.

    ``stored`` puts the result of ``reduction`` into the buffer, ``loaded`` takes it out for ``op``.
    """

    op: linalg.GenericOp
    reduction: linalg.GenericOp
    stored: ktdp.StoreOp
    loaded: ktdp.LoadOp

    @classmethod
    def of(cls, op: linalg.GenericOp) -> Epilogue | None:
        """The last reduction of the block whose result an elementwise op takes point by point."""
        if not is_pointwise(op) or len(op.results) != 1:
            return None
        found = [x for v in dict.fromkeys(op.inputs) if (x := cls._from(op, v)) is not None]
        latest = None
        for one in found:
            if latest is None or latest.reduction.is_before_in_block(one.reduction):
                latest = one
        return latest

    @classmethod
    def _from(cls, op: linalg.GenericOp, value: Value) -> Epilogue | None:
        load = value.defining_op
        if not isinstance(load, ktdp.LoadOp) or load.parent is not op.parent:
            return None
        if point_by_point(op, value) is None:
            return None
        store = _last_store(load)
        made = store.data.defining_op if store is not None else None
        if (
            store is None
            or not isinstance(made, linalg.GenericOp)
            or made.parent is not op.parent
            or len(made.results) != 1
            or all(kind == PARALLEL for kind in made.iterator_types())
        ):
            return None
        return cls(op, made, store, load)

    @property
    def store(self) -> ktdp.StoreOp | None:
        """The store behind the elementwise op, if that is all that its result is used for."""
        value = self.op.results[0]
        user = value.users[0] if value.has_one_use else None
        return user if isinstance(user, ktdp.StoreOp) and user.parent is self.op.parent else None

    @property
    def shares(self) -> bool:
        """Whether anything but the elementwise op needs the result of the reduction.

        Accesses to the buffer before are those of chunks, if they begin with a new value each time.
        """
        users = {*self.reduction.results[0].users, *self.loaded.data.users}
        buffer, block = _buffer_of(self.stored), self.op.parent
        accesses = _accesses(buffer) if buffer is not None else None
        if users != {self.stored, self.op} or accesses is None or block is None:
            return True
        first: Operation | None = None
        for op in accesses:
            if op is self.stored or op is self.loaded:
                continue
            around = ancestor_in_block(block, op)
            if around is None or not around.is_before_in_block(self.stored):
                return True
            if first is None or around.is_before_in_block(first):
                first = around
        if first is None:
            return False
        return not isinstance(first, ktdp.StoreOp) or not same_elements(
            first.access_tile, self.stored.access_tile
        )

    def fuse(self) -> None:
        """Hand the result over without the buffer, which goes unless earlier chunks need it."""
        _hand_over(self.stored, self.loaded)


@frozen(eq=False)
class Prologue:
    """An elementwise op that computes what a reduction starts from, and stores it in a buffer."""

    op: linalg.GenericOp
    reduction: linalg.GenericOp
    stored: ktdp.StoreOp
    loaded: ktdp.LoadOp

    @classmethod
    def of(cls, reduction: linalg.GenericOp) -> Prologue | None:
        """The op before a reduction or contraction with one result."""
        if len(reduction.results) != 1 or all(k == PARALLEL for k in reduction.iterator_types()):
            return None
        load = reduction.outputs[0].defining_op
        if not isinstance(load, ktdp.LoadOp) or load.parent is not reduction.parent:
            return None
        store = _last_store(load)
        op = store.data.defining_op if store is not None else None
        if store is None or not isinstance(op, linalg.GenericOp) or op.parent is not load.parent:
            return None
        if not is_pointwise(op) or not op.inputs or len(op.results) != 1:
            return None
        return cls(op, reduction, store, load) if op.indexing_maps()[-1].is_permutation else None

    @property
    def shares(self) -> bool:
        """Whether anything but the start of the reduction needs the result."""
        users = {*self.op.results[0].users, *self.loaded.data.users}
        buffer = _buffer_of(self.stored)
        accesses = _accesses(buffer) if buffer is not None else None
        alone = accesses is not None and set(accesses) == {self.stored, self.loaded}
        return users != {self.stored, self.reduction} or self.loaded.data in self.reduction.inputs or not alone

    @property
    def store(self) -> ktdp.StoreOp | None:
        """The store of the program: behind the reduction, or behind its epilogue."""
        user: Operation | None = self.reduction
        while isinstance(user, linalg.GenericOp):
            value = user.results[0]
            users = {*value.users}
            user = users.pop() if len(users) == 1 else None
        return user if isinstance(user, ktdp.StoreOp) and user.parent is self.op.parent else None

    def fuse(self) -> None:
        """Let the reduction start from the elements as they are computed."""
        _hand_over(self.stored, self.loaded)


def _hand_over(stored: ktdp.StoreOp, loaded: ktdp.LoadOp) -> None:
    """Replace what is loaded by what was stored; the buffer goes unless something else uses it."""
    buffer, tiles = _buffer_of(loaded), (loaded.access_tile, stored.access_tile)
    loaded.replace_with([stored.data])
    stored.erase()
    for tile in dict.fromkeys(tiles):
        if not tile.has_uses and tile.defining_op is not None:
            tile.defining_op.erase()
    if buffer is not None and not buffer.buffer.has_uses:
        buffer.erase()


def _buffer_of(op: ktdp.LoadOp | ktdp.StoreOp) -> kt.BufferOp | None:
    """The buffer of the compiler that an op loads from or stores to."""
    base = buffer_of(op.access_tile)
    made = base.defining_op if base is not None else None
    return made if isinstance(made, kt.BufferOp) else None


def _accesses(buffer: kt.BufferOp) -> list[ktdp.LoadOp | ktdp.StoreOp] | None:
    """Everything that loads from a buffer or stores to it; None if it is used in other ways, too."""
    found: list[ktdp.LoadOp | ktdp.StoreOp] = []
    for tile in buffer.buffer.users:
        if not isinstance(tile, ktdp.ConstructAccessTileOp) or tile.base is not buffer.buffer:
            return None
        for user in tile.tile.users:
            if not isinstance(user, (ktdp.LoadOp, ktdp.StoreOp)):
                return None
            found.append(user)
    return found


def _last_store(load: ktdp.LoadOp) -> ktdp.StoreOp | None:
    """The store in the same block that fills what is loaded from a buffer."""
    buffer = _buffer_of(load)
    found: ktdp.StoreOp | None = None
    for op in (buffer and _accesses(buffer)) or ():
        here = isinstance(op, ktdp.StoreOp) and op.parent is load.parent
        if here and op.is_before_in_block(load) and (found is None or found.is_before_in_block(op)):
            found = op  # type: ignore[assignment]
    if found is None or not same_elements(found.access_tile, load.access_tile):
        return None
    return found
