"""The simulated machine: memories by kind, and which memory a memory space means.

A device is optional. What is asked of one is small: ``memory_for_space(space)`` (None, or an object
with ``kind`` and ``size`` in bytes), ``memory(kind, core=…)`` (the instance that a core uses),
``global_memory``, ``num_cores``, ``name`` and ``templates``: :class:`kt.arch.Device` has them all.
Without a device the space ``global`` is one memory of all tiles and every other space one per tile;
a string names the memory that ``mem_space_mapping`` of a device in the module maps a space to.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import define, field

from kt.ir.attributes import Attribute, StringAttr
from kt.ir.core import Operation
from kt.ir.dialects.ktdp_types import MemorySpaceAttr
from kt.sim.errors import Fault
from kt.sim.memory import Bank, Sharing
from kt.sim.order import Order

GLOBAL_BYTES = 1 << 33
"""Capacity of the shared memory when no device states one (it takes only what is used)."""

LOCAL_BYTES = 2 << 20
"""Capacity of a scratchpad when no device states one."""

GLOBAL, LOCAL = MemorySpaceAttr("global"), MemorySpaceAttr("ct_local")


@define(eq=False)
class Machine:
    """Global memory and one scratchpad per tile of each kind; contents last until it is dropped."""

    tiles: int = 1
    device: Any = None
    checks: bool = True
    banks: dict[str, Bank] = field(factory=dict, init=False)
    aliases: dict[Attribute, str] = field(factory=dict, init=False)
    """Spaces named by the module's own device declaration: the kind that each one means."""
    order: Order | None = field(default=None, init=False)
    sharing: Sharing = field(factory=Sharing, init=False)
    _names: dict[Any, str] = field(factory=dict, init=False)
    _shared: dict[str, bool] = field(factory=dict, init=False)

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
        for bank in self.banks.values():
            bank.begin_launch(checks, self.sharing)

    def adopt_mapping(self, module: Operation) -> None:
        """Learn the spaces of device declarations in ``module`` (used when no device is given)."""
        for op in module.walk():
            if op.name == "ktdf_arch.device" and (mapping := op.attr("mem_space_mapping")):
                for space, kind in mapping.items():
                    if isinstance(kind, StringAttr):
                        self.aliases[space] = kind.value

    def bank(self, space: Any) -> Bank:
        """The memories that a memory space (attribute, kind or None = the tile's own) means."""
        name = self.kind_of(space)
        bank = self.banks.get(name)
        if bank is None:
            bank = self.banks[name] = self._make(name)
            bank.begin_launch(self.checks, self.sharing)
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

    def temporary(self, space: Any, size: int, tiles: np.ndarray) -> Bank:
        """Fresh bytes for each of the tiles that are part of no numbered memory."""
        if size > (capacity := self.bank(space).capacity):
            raise Fault(
                f"a buffer of {size} bytes doesn't fit memory {self.kind_of(space)} of {capacity} bytes"
            )
        rows = np.zeros(int(tiles.max()) + 1, np.int64)
        rows[tiles] = np.arange(len(tiles))
        bank = Bank(self.kind_of(space), size, len(tiles), rows, private=True)
        bank.begin_launch(self.checks, self.sharing)
        return bank


def _word(space: Any) -> str:
    """The bare name of a space: ``global``, ``ct_local`` or the text of a string."""
    for key in ("kind", "value"):
        if isinstance(found := getattr(space, key, None), str):
            return found
    return str(space)
