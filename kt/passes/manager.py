"""Running passes in order, with the verifier after each and instruments around each."""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterable, Sequence
from typing import Any

from attrs import define, field, frozen

from kt.ir.core import Operation
from kt.ir.diagnostics import InternalError, KtError, VerifyError
from kt.ir.verifier import verify
from kt.passes.base import Pass, PassContext
from kt.passes.instruments import DebugLog, Instrument, PrintIR, Snapshot, Snapshots, Timing
from kt.passes.pipeline_text import Item, Nested, make_pass, parse_pipeline, passes_from_flags
from kt.passes.registry import PASSES, list_passes, lookup_pass, pass_names, register_pass

__all__ = [
    "PASSES",
    "DebugLog",
    "Failure",
    "Instrument",
    "Pass",
    "PassContext",
    "PassManager",
    "PrintIR",
    "Snapshot",
    "Snapshots",
    "Timing",
    "list_passes",
    "lookup_pass",
    "make_pass",
    "parse_pipeline",
    "pass_names",
    "passes_from_flags",
    "register_pass",
]


@frozen(eq=False)
class Failure:
    """What is known when a pass breaks: enough for a reproducer."""

    pass_name: str
    pass_number: int
    pipeline: str
    """Text of the whole pipeline."""
    module: Operation | None
    """Copy of the input of the pipeline, if the manager kept one."""
    options: str = ""
    """More options of the command that repeats the failure: ``" --device toy"``."""

    def __str__(self) -> str:
        """A file that repeats the failure; its first line is the command."""
        command = f"// kt opt --pass-pipeline='{self.pipeline}'{self.options}"
        return f"{command}\n{self.module}" if self.module is not None else command


def _items(passes: str | Iterable[Item | str]) -> tuple[Item, ...]:
    if isinstance(passes, str):
        return parse_pipeline(passes)
    return tuple(
        item for p in passes for item in (parse_pipeline(p) if isinstance(p, str) else (p,))
    )


@define(eq=False)
class PassManager:
    """A pipeline: passes (or a pipeline text) and how to run them.

    ``verify_each`` verifies the module before the first and after every pass. ``keep_input`` copies the
    input, so that a failure can be reproduced.
    """

    passes: Sequence[Item] = field(converter=_items)
    verify_each: bool = True
    instruments: Sequence[Instrument] = ()
    keep_input: bool = False
    lenient: bool = False

    def __str__(self) -> str:
        return f"builtin.module({','.join(map(str, self.passes))})"

    def run(self, module: Operation, ctx: PassContext | None = None) -> PassContext:
        """Run all passes on ``module``; returns the context with remarks and statistics.

        Raises what a pass raises if it is a KtError, else InternalError that names the pass and has a
        :class:`Failure` as ``details``.
        """
        ctx = PassContext() if ctx is None else ctx
        added = [i for i in self.instruments if i not in ctx.instruments]
        ctx.instruments.extend(added)
        try:
            if self.verify_each:
                self._verify(module, ctx)
            run = _Run(self, ctx, module.clone() if self.keep_input else None)
            run.items(self.passes, module)
        finally:
            for instrument in added:
                ctx.instruments.remove(instrument)
        return ctx

    def _verify(self, op: Operation, ctx: PassContext) -> None:
        start = time.perf_counter()
        try:
            verify(op, self.lenient)
        finally:
            for instrument in ctx.instruments:
                if isinstance(instrument, Timing):
                    instrument.verify_seconds += time.perf_counter() - start


@define(eq=False)
class _Run:
    manager: PassManager
    ctx: PassContext
    input: Operation | None
    number: int = 0

    def items(self, items: Sequence[Item], op: Operation) -> None:
        for item in items:
            if isinstance(item, Nested):
                inside = [x for r in op.regions for b in r.blocks for x in b.ops]
                for inner in inside:
                    if inner.name == item.anchor and inner.parent is not None:
                        self.items(item.items, inner)
            else:
                self.one(item, op)

    def one(self, item: Pass, op: Operation) -> None:
        ctx = self.ctx
        self.number += 1
        watchers = tuple(ctx.instruments)
        for watcher in watchers:
            watcher.before(item, op, ctx)
        ctx.running.append(item.name)
        try:
            item.run(op, ctx)
            if self.manager.verify_each:
                self.verify(item, op)
        except Exception as error:
            for watcher in reversed(watchers):
                watcher.failed(item, op, ctx, error)
            if isinstance(error, KtError):
                if not isinstance(error, InternalError):
                    raise
                error.details = error.details or self.failure(item)
                raise
            raise InternalError(
                f"pass '{item.name}' failed: {type(error).__name__}: {error}",
                op.location,
                self.failure(item),
            ) from error
        finally:
            ctx.running.pop()
        for watcher in reversed(watchers):
            watcher.after(item, op, ctx)
        if not ctx.running:
            ctx.fired.clear()

    def verify(self, item: Pass, op: Operation) -> None:
        try:
            self.manager._verify(op, self.ctx)
        except VerifyError as error:
            # The pass got valid IR, so this is its fault, not the kernel's.
            broken = InternalError(
                f"pass '{item.name}' made invalid IR: {error.message}",
                error.location,
                self.failure(item),
            )
            broken.notes = error.notes
            broken.diagnostics[0].notes = error.notes
            broken.diagnostics += error.diagnostics[1:]
            raise broken from error

    def failure(self, item: Any) -> Failure:
        device = self.ctx.options.get("device")
        options = f" --device {shlex.quote(str(device))}" if isinstance(device, str) else ""
        options += " --lenient" if self.manager.lenient else ""
        return Failure(item.name, self.number, str(self.manager), self.input, options)
