"""A device as the compiler and the simulator see it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property
from math import ceil
from typing import TYPE_CHECKING

from kt.arch.check import find_problems
from kt.arch.files import imported_module
from kt.arch.natives import check_natives
from kt.arch.templates import TEMPLATE, ULP, templates_of, ulp_of
from kt.arch.ways import RouteQueries
from kt.ir import types as t
from kt.ir.attributes import Attribute, StringAttr
from kt.ir.core import Operation
from kt.ir.diagnostics import DeviceError, Diagnostic
from kt.ir.dialects.func import FuncOp
from kt.ir.dialects.ktdf_arch import DeviceOp, MapAttr, PatternsOp
from kt.parse.printer import print_op

if TYPE_CHECKING:
    from kt.ir.dialects.pdl import PatternOp

IMPORT = "kt.import"
"""On a ``patterns`` block: the file (``kt:patterns/NAME`` for those of kt) whose patterns stand there."""


class Device(RouteQueries):
    """A device: definition, merged attributes, resources, and questions in the field's terms.

    Queries take kinds as ``str`` or attribute; memories also by a memory space that the device maps
    (``#ktdp.memory_space<global>``). Tuples are in file order. Nothing changes after construction.
    """

    def __init__(self, definition: DeviceOp, declaration: DeviceOp | None = None) -> None:
        super().__init__(definition, declaration)
        self._libraries: list[Operation] = []
        self._patterns = self._collect(self._pattern_blocks)
        check_natives(self.all_patterns)

    def _collect(
        self, blocks: Sequence[PatternsOp], within: tuple[str, ...] = ()
    ) -> list[tuple[tuple[str, ...], PatternOp]]:
        """Patterns and the groups that enable them, in textual order, imports (``kt.import``) in place."""
        found: list[tuple[tuple[str, ...], PatternOp]] = []
        for block in blocks:
            groups = block.group_names or within
            found += [(groups, op) for op in block.regions[0].blocks[0].ops]  # type: ignore[misc]
            path = block.attributes.get(IMPORT)
            if path is not None:
                found += self._imported(block, path, groups)
        return found

    def _imported(self, block: PatternsOp, path: Attribute, groups: tuple[str, ...]) -> list:
        """What another file's ``patterns`` hold: blocks without groups take those of the importing one."""
        if not isinstance(path, StringAttr):
            raise self.error(f"'{IMPORT}' must be the path of a file of patterns", block.location)
        module = imported_module(path.value, block.location)
        if module in self._libraries:
            raise self.error(f'the patterns of "{path.value}" are imported twice', block.location)
        self._libraries.append(module)
        return self._collect(list(module.walk_type(PatternsOp)), groups)

    # -- rewrites, templates, storage types ------------------------------------------------------

    def patterns(self, *groups: str) -> list[PatternOp]:
        """The rewrites of all blocks without groups, or with one of these, in textual order."""
        return [op for names, op in self._patterns if not names or any(g in groups for g in names)]

    @property
    def all_patterns(self) -> tuple[PatternOp, ...]:
        """The rewrites of all blocks, whatever their groups."""
        return tuple(op for _, op in self._patterns)

    @cached_property
    def templates(self) -> dict[str, Operation]:
        """Functions with ``kt.template`` beside the device or the patterns that it imports: the meaning
        of its instructions."""
        return templates_of(m for m in (*self._libraries, self.module) if m is not None)

    @cached_property
    def inexact(self) -> list[Operation]:
        """The functions whose results may be off: templates, and expansions that state ``kt.ulp``."""
        modules = (m for m in (*self._libraries, self.module) if m is not None)
        functions = (f for module in modules for f in module.walk_type(FuncOp))
        return [f for f in functions if TEMPLATE in f.attributes or ULP in f.attributes]

    @cached_property
    def ulps(self) -> int:
        """What a result may be off that a template or an expansion computes; 0 without any."""
        return max((ceil(ulp_of(f)) for f in self.inexact), default=0)

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
        """What keeps the compiler from using this device (errors), or some kernels (warnings).

        Each with the line of the file.
        """
        return list(self._problems)

    @cached_property
    def _problems(self) -> list[Diagnostic]:
        return find_problems(self)

    @cached_property
    def digest(self) -> str:
        """Names the device by its canonical text."""
        return hashlib.sha256(print_op(self.op).encode()).hexdigest()

    def check_schedulable(self) -> None:
        """Raise DeviceError with all errors that :meth:`schedulable` finds."""
        problems = [d for d in self.schedulable() if d.severity == "error"]
        if problems:
            first, *rest = problems
            raise DeviceError(
                first.message, first.location, notes=first.notes, hint=first.hint, more=rest
            )
