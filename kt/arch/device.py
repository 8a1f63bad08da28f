"""A device as the compiler and the simulator see it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from kt.arch.check import find_problems
from kt.arch.natives import check_natives
from kt.arch.ways import RouteQueries
from kt.ir import types as t
from kt.ir.core import Operation
from kt.ir.diagnostics import DeviceError, Diagnostic
from kt.ir.dialects.ktdf_arch import DeviceOp, MapAttr

if TYPE_CHECKING:
    from kt.ir.dialects.pdl import PatternOp


class Device(RouteQueries):
    """A device: definition, merged attributes, resources, and questions in the field's terms.

    Queries take kinds as ``str`` or attribute; memories also by a memory space that the device maps
    (``#ktdp.memory_space<global>``). Tuples are in file order. Nothing changes after construction.
    """

    def __init__(self, definition: DeviceOp, declaration: DeviceOp | None = None) -> None:
        super().__init__(definition, declaration)
        groups = [name for block in self._pattern_blocks for name in block.group_names]
        check_natives(self.patterns(*groups))

    # -- rewrites, templates, storage types ------------------------------------------------------

    def patterns(self, *groups: str) -> list[PatternOp]:
        """The rewrites of all blocks without groups, or with one of these, in textual order."""
        found: list[Any] = []
        for block in self._pattern_blocks:
            if not block.group_names or any(g in groups for g in block.group_names):
                found += block.regions[0].blocks[0].ops
        return found

    @cached_property
    def templates(self) -> dict[str, Operation]:
        """Functions with ``kt.template`` beside the device: the meaning of its instructions."""
        if self.module is None:
            return {}
        return {
            op.attr("sym_name").value: op
            for op in self.module.regions[0].walk()
            if op.name == "func.func" and op.attr("kt.template") is not None
        }

    @property
    def storage(self) -> dict[t.Type, t.Type]:
        """How element types are stored (``kt.storage``); empty: as they are."""
        table = self.attributes.get("kt.storage")
        entries = table.items() if isinstance(table, MapAttr) else ()
        return {k: v for k, v in entries if isinstance(k, t.Type) and isinstance(v, t.Type)}

    def with_native_types(self) -> Device:
        """This device with ``kt.native_types`` as its storage types."""
        native = self.attributes.get("kt.native_types")
        if native is None:
            return self
        other = Device(self.op, self.declaration if self.declaration is not self.op else None)
        other.attributes["kt.storage"] = native
        return other

    # -- checks ----------------------------------------------------------------------------------

    def schedulable(self) -> list[Diagnostic]:
        """What keeps the compiler from using this device; each with the line of the file."""
        return find_problems(self)

    def check_schedulable(self) -> None:
        """Raise DeviceError with everything that :meth:`schedulable` finds."""
        problems = self.schedulable()
        if problems:
            first, *rest = problems
            raise DeviceError(
                first.message, first.location, notes=first.notes, hint=first.hint, more=rest
            )
