"""Attributes and types of the `ktdp` dialect: memory spaces, access tiles, futures, runtime args."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from attrs import field

from kt.ir import registry
from kt.ir import types as t
from kt.ir.attributes import AffineSetAttr, Attribute, attribute
from kt.ir.constraints import instance
from kt.ir.text import dims

if TYPE_CHECKING:
    from kt.ir.affine import AffineSet

NO_TILE = -1
"""``ct_id`` of a memory space that names no compute tile: the executing tile's own scratchpad."""


@attribute
class MemorySpaceAttr(Attribute):
    """``#ktdp.memory_space<global>``, ``<ct_local>``, ``<ct_local, ct_id = 3>``.

    ``global`` is the memory that all tiles share, ``ct_local`` a tile's own scratchpad, with
    ``ct_id`` the scratchpad of that tile.
    """

    name = "ktdp.memory_space"
    kind: str
    ct_id: int = NO_TILE

    KINDS = ("global", "ct_local")

    def __attrs_post_init__(self) -> None:
        if self.kind not in self.KINDS:
            raise ValueError(
                f"expected one of [{', '.join(self.KINDS)}] for KTDP memory-space enum, "
                f"got: {self.kind}"
            )
        if self.ct_id != NO_TILE and self.kind != "ct_local":
            raise ValueError(
                "ct_id is only valid for ct_local memory spaces, "
                f"but got memory space '{self.kind}' with ct_id = {self.ct_id}"
            )
        if self.ct_id < NO_TILE:
            raise ValueError(f"ct_id must be non-negative, but got: {self.ct_id}")

    @property
    def is_global(self) -> bool:
        return self.kind == "global"

    @property
    def is_local(self) -> bool:
        return self.kind == "ct_local"

    @property
    def tile(self) -> int | None:
        """Number of the compute tile whose scratchpad this is; None for the executing tile's own."""
        return None if self.ct_id == NO_TILE else self.ct_id

    def parameters(self) -> str:
        where = "" if self.ct_id == NO_TILE else f", ct_id = {self.ct_id}"
        return f"<{self.kind}{where}>"


@attribute
class AccessTileType(t.ShapedType):
    """``!ktdp.access_tile<4x?xindex>``: coordinates in an order, not data. Rank 0 is ``<index>``."""

    name = "ktdp.access_tile"
    shape: tuple[int, ...] = field(converter=tuple)

    @property
    def element_type(self) -> t.Type:
        return t.index

    def parameters(self) -> str:
        return f"<{dims(self.shape)}index>"


@attribute
class RuntimeArgType(t.Type):
    """``!ktdp.runtime_arg<index, granularity=16, upperbound=512>``: a scalar that the host supplies.

    ``granularity`` promises a multiple of it, ``upperbound`` a maximum; None where not promised.
    """

    name = "ktdp.runtime_arg"
    type: t.Type
    granularity: int | None = None
    upperbound: int | None = None

    def __attrs_post_init__(self) -> None:
        if not isinstance(self.type, (t.IndexType, t.IntegerType, t.FloatType)):
            raise ValueError(
                "runtime_arg underlying type must be a builtin type (index, integer, or float), "
                f"but got: '{self.type}'"
            )
        for word in ("granularity", "upperbound"):
            value = getattr(self, word)
            if value is not None and value <= 0:
                raise ValueError(f"runtime_arg {word} must be positive, but got: {value}")

    def parameters(self, nested: Callable[[Attribute], str] = str) -> str:
        promises = "".join(
            f", {word}={value}"
            for word in ("granularity", "upperbound")
            if (value := getattr(self, word)) is not None
        )
        return f"<{nested(self.type)}{promises}>"


@attribute
class TileFutureType(t.Type):
    """``!ktdp.tile_future<(tensor<4xf16>), groups = #set>``: partial results, one set per group.

    ``groups`` is the set of group numbers that exist (one dim, no symbols).
    """

    name = "ktdp.tile_future"
    partials: tuple[t.Type, ...] = field(converter=tuple)
    groups: AffineSetAttr

    def __attrs_post_init__(self) -> None:
        if not self.partials:
            raise ValueError("tile_future must carry at least one partial type")
        for type in self.partials:
            if not isinstance(type, t.TensorType):
                raise ValueError(f"tile_future partial types must be ranked tensors, got '{type}'")
        if self.groups.set.num_dims != 1:
            raise ValueError("tile_future `groups` must have exactly one dimension (g)")
        if self.groups.set.num_symbols:
            raise ValueError("tile_future `groups` must have no symbols")

    @property
    def group_set(self) -> AffineSet:
        return self.groups.set

    def parameters(self, nested: Callable[[Attribute], str] = str) -> str:
        partials = ", ".join(map(nested, self.partials))
        return f"<({partials}), groups = {nested(self.groups)}>"


ACCESS_TILE = instance(AccessTileType, "tile of memory coordinates")
RUNTIME_ARG = instance(RuntimeArgType, "runtime argument")
TILE_FUTURE = instance(TileFutureType, "tile future")

for _kind in (MemorySpaceAttr, AccessTileType, RuntimeArgType, TileFutureType):
    registry.ATTRIBUTES[_kind.name] = _kind
registry.ATTRIBUTES["ktdp.spyre_memory_space"] = MemorySpaceAttr  # the old spelling, only read
