"""Questions about memories: spaces, the tree of what is filled from what, and who shares it."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from kt.arch.resources import Kind, Memory, plain
from kt.arch.units import UnitQueries
from kt.ir.attributes import Attribute
from kt.ir.dialects.ktdp_types import MemorySpaceAttr


@frozen
class Part:
    """A core's share of a memory: part ``core // period % count``, ``size`` bytes long (None: unknown)."""

    period: int
    count: int
    size: int | None

    def start(self, core: int) -> int:
        """First byte of a core's part."""
        return core // self.period % self.count * (self.size or 0)


class MemoryQueries(UnitQueries):
    """Queries by memory kind or memory space."""

    def memory_for_space(self, space: Kind) -> Memory | None:
        """The memory of core 0 behind a memory space or kind; a tile number in it is ignored."""
        kind = self.memory_kind(space)
        return next((m for m in self.memories if m.key == kind), None)

    def canonical_space(self, space: Kind) -> Attribute | None:
        """The kind attribute of the memory behind a space; None when there is no such memory."""
        found = self.memory_for_space(space)
        return found.kind_attr if found is not None else None

    def spaces_for(self, kind: Kind) -> tuple[Attribute, ...]:
        """The memory spaces that stand for a memory kind."""
        wanted = plain(kind)
        return tuple(space for space, found in self.space_mapping.items() if found == wanted)

    def same_memory(self, a: Kind, b: Kind) -> bool:
        """Whether two spaces or kinds mean one memory."""
        return self.memory_kind(a) == self.memory_kind(b)

    @property
    def global_memory(self) -> Memory:
        """The memory behind the kernels' global space, else the first root that all cores share."""
        found = self.memory_for_space(MemorySpaceAttr("global"))
        roots = [m for m in self.memories if m.parent is None and m.core is None]
        if found is None and not roots:
            raise self.error("has no memory that all cores share")
        return found or roots[0]

    def scope(self, memory: Kind) -> str:
        """Who shares a memory.

        ``device``: all cores; ``group``: some cores; ``core``: one per core; ``unit``: below that
        (registers).
        """
        found = self.memory(memory)
        if not self.cores:
            return ("device", "core")[found.depth] if found.depth < 2 else "unit"
        if found.core is None:
            return "device" if len(self.sharers(found)) == self.num_cores else "group"
        below = any(m.core is not None for m in found.ancestors[1:])
        return "unit" if below or self._is_register_file(found) else "core"

    def sharers(self, memory: Memory) -> tuple[int, ...]:
        """The cores that see one memory."""
        key = ("sharers", memory)
        if key not in self._memo:
            self._memo[key] = tuple(i for i in range(self.num_cores) if memory in self.visible(i))
        return self._memo[key]

    def part(self, memory: Kind) -> Part:
        """What a core may use of a memory of this kind for itself.

        Where some cores share a memory it is cut into equal parts: as few as keep any two of them apart.
        """
        kind = self.memory_kind(memory)
        key = ("part", kind)
        if key not in self._memo:
            self._memo[key] = self._find_part(kind)
        return self._memo[key]

    def _find_part(self, kind: Kind) -> Part:
        size = self.memory(kind).size
        if self.scope(kind) != "group":
            return Part(1, 1, size)
        shared = {self.sharers(m) for m in self.memories if m.key == kind}
        most = max(map(len, shared))
        choices = (
            (p, n) for n in range(most, self.num_cores + 1) for p in range(1, self.num_cores + 1)
        )
        period, count = next(
            (p, n)
            for p, n in choices
            if all(len({c // p % n for c in s}) == len(s) for s in shared)
        )
        if size is not None:
            size = size // count // (step := self.alignment(kind)) * step
        return Part(period, count, size)

    def _is_register_file(self, memory: Memory) -> bool:
        """Whether a memory lies in a block inside a core and no datapath leads to it."""
        assert memory.core is not None
        linked = any(memory in (link.source, link.target) for link in self.links)
        return memory.group is not self.cores[memory.core] and not linked

    def is_global(self, memory: Kind) -> bool:
        """Whether all cores share the memory (unknown spaces: no)."""
        return self._has_scope(memory, "device")

    def is_scratchpad(self, memory: Kind) -> bool:
        """Whether the memory is one core's own, filled from a shared one."""
        return self._has_scope(memory, "core")

    def is_below_scratchpad(self, memory: Kind) -> bool:
        """Whether the memory lies below a core's scratchpad."""
        return self._has_scope(memory, "unit")

    def _has_scope(self, memory: Kind, scope: str) -> bool:
        return self.memory_for_space(memory) is not None and self.scope(memory) == scope

    def local_memory(self, unit_kind: Kind) -> Memory | None:
        """The only memory in the unit's own group (registers of the compute unit), or None.

        Counted over all groups that directly hold the unit kind: a memory kind in each of them.
        """
        wanted = plain(unit_kind)
        kinds: list[Kind] | None = None
        for group in self.groups:
            if any(u.key == wanted for u in group.units):
                here = list(dict.fromkeys(m.key for m in group.memories))
                kinds = here if kinds is None else [k for k in kinds if k in here]
        return self.memory(kinds[0]) if kinds is not None and len(kinds) == 1 else None

    def memory_path(self, a: Kind, b: Kind, core: int = 0) -> tuple[Memory, ...]:
        """From one memory to another on the tree, over the nearest common one; () across trees."""
        up, down = self.memory(a, core).ancestors, self.memory(b, core).ancestors
        meet = next((m for m in up if m in down), None)
        if meet is None:
            return ()
        return (*up[: up.index(meet) + 1], *reversed(down[: down.index(meet)]))

    def nearest_common_memory(self, memories: Sequence[Kind], core: int = 0) -> Memory | None:
        """The deepest memory that all of these are or are filled from, at any distance."""
        chains = [self.memory(m, core).ancestors for m in memories]
        if not chains:
            return None
        return next((m for m in chains[0] if all(m in other for other in chains[1:])), None)
