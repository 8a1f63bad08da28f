"""Names of values and blocks in printed text: MLIR's numbering and name hints.

A region numbers all arguments and results of its blocks first, then the regions inside continue from
there, each sibling from the same number. In generic form numbers are unique in the whole text and
regions are numbered last one first (MLIR does both).
"""

from __future__ import annotations

import re
from typing import Any

from kt.ir.core import Block, Operation, Region, Value

_ILLEGAL = re.compile(r"[^A-Za-z0-9_$.\-]")

UNKNOWN_NAME = "<<UNKNOWN SSA VALUE>>"
"""Of a value that isn't part of what is printed."""


class Naming:
    """The names of everything inside one op."""

    def __init__(self, root: Operation, generic: bool) -> None:
        self.values: dict[Value, str] = {}
        self.blocks: dict[Block, str] = {}
        self.packs: dict[Operation, list[tuple[str, int]]] = {}
        """Ops whose results fall into several groups: (name, count) of each."""
        self.generic = generic
        self.next_value = self.next_argument = self.next_conflict = 0
        self.used: set[str] = set()
        self._number(root)

    def _number(self, root: Operation) -> None:
        self._results(root)
        start = (self.next_value, self.next_argument, self.next_conflict)
        todo: list[tuple[Region, tuple[int, int, int], frozenset[str] | set[str]]] = []
        todo += [(region, start, self.used) for region in root.regions]
        while todo:
            region, start, used = todo.pop()
            if not self.generic:
                self.next_value, self.next_argument, self.next_conflict = start
            # Names taken here are visible inside only; copying is rare and small: hints only.
            self.used = set(used)
            inner = self._region(region)
            start = (self.next_value, self.next_argument, self.next_conflict)
            todo += [(r, start, self.used) for op in inner for r in op.regions]

    def _region(self, region: Region) -> list[Operation]:
        inner: list[Operation] = []
        hints: Any = ()
        parent = region.parent
        if not self.generic and parent is not None:
            method = getattr(parent, "block_argument_hints", None)
            if method is not None and region.blocks:
                hints = method(parent.regions.index(region)) or ()
        values = self.values
        for number, block in enumerate(region.blocks):
            self.blocks[block] = f"^bb{number}"
            for i, argument in enumerate(block.arguments):
                hint = hints[i] if number == 0 and i < len(hints) else None
                if hint is not None:
                    values[argument] = self._unique(hint)
                elif number == 0:
                    values[argument] = self._unique(f"arg{self.next_argument}")
                    self.next_argument += 1
                else:
                    values[argument] = f"%{self.next_value}"
                    self.next_value += 1
            op = block.first_op
            while op is not None:
                if op.results:
                    self._results(op)
                if op.regions:
                    inner.append(op)
                op = op.next_op
        return inner

    def _results(self, op: Operation) -> None:
        results = op.results
        if not results:
            return
        if not self.generic and hasattr(op.__class__, "result_name_hint"):
            hint = op.result_name_hint()  # type: ignore[attr-defined]
            if hint is not None:
                self._hinted(op, hint)
                return
        name = f"%{self.next_value}"
        self.next_value += 1
        if len(results) == 1:
            self.values[results[0]] = name
        else:
            self._pack(op, 0, len(results), name)

    def _hinted(self, op: Operation, hint: Any) -> None:
        if isinstance(hint, str):
            self._pack(op, 0, len(op.results), self._unique(hint))
            return
        starts = sorted({0, *(i for i, h in enumerate(hint) if h is not None and i < len(op.results))})
        groups = []
        for start, end in zip(starts, [*starts[1:], len(op.results)], strict=True):
            own = hint[start] if start < len(hint) else None
            if own is None:
                name = f"%{self.next_value}"
                self.next_value += 1
            else:
                name = self._unique(own)
            self._pack(op, start, end, name)
            groups.append((name, end - start))
        if len(groups) > 1:
            self.packs[op] = groups

    def _pack(self, op: Operation, start: int, end: int, name: str) -> None:
        if end - start == 1:
            self.values[op.results[start]] = name
            return
        for i in range(start, end):
            self.values[op.results[i]] = f"{name}#{i - start}"

    def _unique(self, name: str) -> str:
        name = _ILLEGAL.sub("_", name)
        if name and name[0].isdigit():
            name = f"_{name}"
        if name in self.used:
            base = name
            while name in self.used:
                name = f"{base}_{self.next_conflict}"
                self.next_conflict += 1
        self.used.add(name)
        return f"%{name}"
