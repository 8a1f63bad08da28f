"""The simulated machine: memories by kind, and which memory a memory space means.

A device is optional. What is asked of one is small: ``memory_for_space(space)`` (None, or an object
with ``kind`` and ``size`` in bytes), ``memory(kind, core=…)`` (the instance that a core uses),
``global_memory``, ``num_cores``, ``name`` and ``templates``: :class:`kt.arch.Device` has them all.
Without a device the space ``global`` is one memory of all tiles and every other space one per tile;
a string names the memory that ``mem_space_mapping`` of a device in the module maps a space to.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from attrs import define, field

from kt.ir.attributes import Attribute, StringAttr
from kt.ir.core import Operation
from kt.ir.diagnostics import RunError
from kt.ir.dialects.ktdp_types import MemorySpaceAttr
from kt.sim.errors import Fault
from kt.sim.memory import Bank, Sharing
from kt.sim.meter import Meter
from kt.sim.order import Order

GLOBAL_BYTES = 1 << 33
"""Capacity of the shared memory when no device states one (it takes only what is used)."""

LOCAL_BYTES = 2 << 20
"""Capacity of a scratchpad when no device states one."""

MAX_TRIPS = 1 << 32
"""Trips of loops in a launch, as for the units of a device: hours of them."""

GLOBAL, LOCAL = MemorySpaceAttr("global"), MemorySpaceAttr("ct_local")


@define(eq=False)
class Machine:
    """Global memory and one scratchpad per tile of each kind; contents last until it is dropped.

    Give the same machine to several runs (``kt.sim.simulate.simulate(…, machine=machine)``), and what
    one kernel leaves in the scratchpads is there for the next; :meth:`write` and :meth:`read` set and
    show contents per tile. Buffers of arguments are the exception: they last for one run.
    """

    tiles: int = 1
    device: Any = None
    checks: bool = True
    banks: dict[str, Bank] = field(factory=dict, init=False)
    aliases: dict[Attribute, str] = field(factory=dict, init=False)
    """Spaces named by the module's own device declaration: the kind that each one means."""
    order: Order | None = field(default=None, init=False)
    sharing: Sharing = field(factory=Sharing, init=False)
    meter: Meter | None = None
    """Told of all accesses and operations of a launch, if there is one."""
    progress: Callable[[float], None] | None = None
    """Told now and then which part of a launch is done, from 0 to 1."""
    max_trips: int = MAX_TRIPS
    """Trips that all loops of a launch may have together; tiles that run as one count once."""
    left: int = field(default=MAX_TRIPS, init=False)
    """Trips that the launch still has."""
    _names: dict[Any, str] = field(factory=dict, init=False)
    _shared: dict[str, bool] = field(factory=dict, init=False)

    # -- contents from outside --------------------------------------------------------------------

    def write(self, space: Any, address: int, array: Any, tile: int | None = None) -> None:
        """Put an array into a memory, its elements one after the other, before or between kernels.

        Parameters
        ----------
        space : ``"global"``, ``"ct_local"``, a memory kind of the device, or a memory space attribute.
        address : of the first element, in bytes.
        array : elements as memory holds them: NumPy's own types, codes for df16, bf16 and the like.
        tile : whose scratchpad; None for a memory that all tiles share.

        Raises RunError for a tile that the memory doesn't belong to, or beyond its capacity.
        """
        stored = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        bank, start = self._place(space, address, len(stored), tile)
        bank.data[start : start + len(stored)] = stored
        if bank.valid is not None:
            bank.valid[start : start + len(stored)] = 1

    def read(
        self, space: Any, address: int, shape: Any, dtype: Any, tile: int | None = None
    ) -> np.ndarray:
        """A copy of what a memory holds: ``shape`` elements of a NumPy type from a byte address on.

        ``space`` and ``tile`` as in :meth:`write`. With checks, elements that were never written are
        a RunError.
        """
        kind = np.dtype(dtype)
        size = int(np.prod(shape, dtype=np.int64)) * kind.itemsize
        bank, start = self._place(space, address, size, tile)
        if bank.valid is not None and not bank.valid[start : start + size].all():
            first = int(np.argmin(bank.valid[start : start + size]))
            whose = "" if tile is None else f" of tile {tile}"
            raise RunError(f"memory {bank.name}{whose} was never written at byte {address + first}")
        return np.ndarray(shape, kind, bank.data, start).copy()

    def _place(self, space: Any, address: int, size: int, tile: int | None) -> tuple[Bank, int]:
        """The bank and the position in its data of bytes in the memory of a tile."""
        space = LOCAL if space == LOCAL.kind else GLOBAL if space == GLOBAL.kind else space
        bank = self.bank(space)
        if bank.row_of is None:
            row = 0
        elif tile is None:
            raise RunError(f"memory {bank.name} belongs to tiles: name one")
        else:
            if tile >= len(bank.row_of) and bank.per_tile:
                self.tiles = max(self.tiles, tile + 1)
                bank.add_rows(self.tiles)
            if not 0 <= tile < len(bank.row_of):
                raise RunError(f"there is no tile {tile}: the tiles are 0 to {len(bank.row_of) - 1}")
            row = int(bank.row_of[tile])
        if address < 0 or address + size > bank.capacity:
            raise RunError(
                f"bytes {address}..{address + size - 1} of memory {bank.name}, which has "
                f"{bank.capacity} bytes"
            )
        bank.reach(address + size)
        return bank, row * bank.pitch + address

    # -- launches --------------------------------------------------------------------------------

    def begin_launch(self, tiles: int, checks: bool, sharing: Sharing | None = None) -> None:
        """Get ready for a function on ``tiles`` tiles: scratchpads exist, clocks start anew.

        ``sharing`` tells what the tiles may have in common; None: everything.
        """
        if tiles > self.tiles:
            self.tiles = tiles
            for bank in self.banks.values():
                bank.add_rows(tiles)
        self.checks = checks
        self.order = Order.of(tiles) if checks and tiles > 1 else None
        self.sharing = sharing or Sharing()
        self.left = self.max_trips
        if self.meter is not None:
            self.meter.begin(tiles)
        for bank in self.banks.values():
            bank.begin_launch(checks, self.sharing)
            bank.meter = self.meter

    def take(self, count: int) -> None:
        """A loop is about to have ``count`` trips. Fault if a launch may not have that many."""
        if count <= self.left:
            self.left -= count
            return
        what = f"the loop has {count} trips" if count > self.max_trips else "it goes on"
        raise Fault(
            f"{what}, but all loops of a launch have {self.max_trips} together",
            hint="Machine(max_trips=…) of kt.sim.machine lets them have more",
        )

    def bank(self, space: Any) -> Bank:
        """The memories that a memory space (attribute, kind or None = the tile's own) means."""
        name = self.kind_of(space)
        bank = self.banks.get(name)
        if bank is None:
            bank = self.banks[name] = self._make(name)
            bank.begin_launch(self.checks, self.sharing)
            bank.meter = self.meter
        return bank

    def kind_of(self, space: Any) -> str:
        """The name of the memory kind behind a space."""
        found = self._names.get(space)
        if found is None:
            found = self._names[space] = self._find_kind(space)
        return found

    def _find_kind(self, space: Any) -> str:
        if space is None:
            space = LOCAL
        if self.device is not None:
            memory = self.device.memory_for_space(space)
            if memory is None and space is GLOBAL:
                memory = self.device.global_memory
            if memory is not None:
                return str(memory.kind)
        for alias, kind in self.aliases.items():
            if alias is space or _word(alias) == _word(space):
                return kind
        return _word(space)

    def _make(self, name: str) -> Bank:
        memory = None if self.device is None else self.device.memory_for_space(name)
        if memory is not None:
            return self._of_device(name, memory)
        shared = name == GLOBAL.kind or any(
            kind == name and _word(alias) == GLOBAL.kind for alias, kind in self.aliases.items()
        )
        if shared:
            return Bank(name, GLOBAL_BYTES)
        return Bank(name, LOCAL_BYTES, self.tiles, np.arange(self.tiles), per_tile=True)

    def _of_device(self, name: str, memory: Any) -> Bank:
        """One row per instance: a memory may belong to one core, to some, or to all of them."""
        cores = [self.device.memory(name, core=core) for core in range(self.device.num_cores)]
        number = {id(m): i for i, m in enumerate({id(m): m for m in cores}.values())}
        size = memory.size or (GLOBAL_BYTES if len(number) == 1 else LOCAL_BYTES)
        if len(number) == 1:
            return Bank(name, size)
        return Bank(name, size, len(number), np.array([number[id(m)] for m in cores]))

    def temporary(self, space: Any, size: int, count: int, common: bool = False) -> Bank:
        """Memories of fresh bytes that are part of no numbered one: one for each entry of a batch.

        ``common``: one for each tile instead, within reach of the others.
        """
        if size > (capacity := self.bank(space).capacity):
            raise Fault(
                f"a buffer of {size} bytes doesn't fit memory {self.kind_of(space)} of {capacity} bytes"
            )
        rows = np.arange(count) if common else None
        bank = Bank(self.kind_of(space), size, count, rows, private=not common)
        bank.begin_launch(self.checks, self.sharing)
        return bank


def aliases_of(module: Operation) -> dict[Attribute, str]:
    """The memory kinds that device declarations in a module give to spaces."""
    found: dict[Attribute, str] = {}
    for op in module.walk():
        if op.name == "ktdf_arch.device" and (mapping := op.attr("mem_space_mapping")):
            for space, kind in mapping.items():
                if isinstance(kind, StringAttr):
                    found[space] = kind.value
    return found


def _word(space: Any) -> str:
    """The bare name of a space: ``global``, ``ct_local`` or the text of a string."""
    for key in ("kind", "value"):
        if isinstance(found := getattr(space, key, None), str):
            return found
    return str(space)
