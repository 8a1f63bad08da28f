"""Watching a pipeline: snapshots of the IR, printing, timing."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, TextIO

from attrs import define, field, frozen

from kt.ir.core import Operation
from kt.ir.diagnostics import Diagnostic, Location

if TYPE_CHECKING:
    from kt.passes.base import Pass, PassContext


class Instrument:
    """Gets to see the IR around every pass, nested ones included."""

    def before(self, item: Pass, op: Operation, ctx: PassContext) -> None:
        """Called before a pass runs on ``op``."""

    def after(self, item: Pass, op: Operation, ctx: PassContext) -> None:
        """Called after a pass (and the verifier) succeeded on ``op``."""

    def failed(self, item: Pass, op: Operation, ctx: PassContext, error: Exception) -> None:
        """Called when a pass, or the verifier after it, raised."""


def top_of(op: Operation) -> Operation:
    """The outermost op around ``op``."""
    while op.parent_op is not None:
        op = op.parent_op
    return op


@frozen(eq=False)
class Snapshot:
    """The whole module after one pass.

    ``number`` counts passes as they end (0 is the input), ``depth`` says how deeply the pass was nested
    in others. ``fired`` are the rules it applied.
    """

    number: int
    name: str
    text: str
    """The pass with its options."""
    module: Operation
    depth: int = 0
    seconds: float = 0.0
    remarks: tuple[Diagnostic, ...] = ()
    fired: tuple[tuple[str, Location], ...] = ()


@define(eq=False)
class Snapshots(Instrument):
    """Keeps a copy of the module after every pass for which ``wanted`` holds.

    A copy shares nothing with the module, so it can be printed, executed and compared later.
    """

    wanted: Callable[[Pass], bool] = lambda item: True
    snapshots: list[Snapshot] = field(factory=list)
    _open: list[tuple[float, int, int]] = field(factory=list)

    def before(self, item: Pass, op: Operation, ctx: PassContext) -> None:
        if not self.snapshots:
            self.snapshots.append(Snapshot(0, "input", "input", top_of(op).clone()))
        self._open.append((time.perf_counter(), len(ctx.remarks), len(ctx.fired)))

    def after(self, item: Pass, op: Operation, ctx: PassContext) -> None:
        start, remarks, fired = self._open.pop()
        if self.wanted(item):
            seconds = time.perf_counter() - start
            self.snapshots.append(
                Snapshot(
                    len(self.snapshots), item.name, str(item), top_of(op).clone(), len(self._open),
                    seconds, tuple(ctx.remarks[remarks:]), tuple(ctx.fired[fired:]),
                )
            )  # fmt: skip

    def failed(self, item: Pass, op: Operation, ctx: PassContext, error: Exception) -> None:
        self._open.pop()


@define(eq=False)
class PrintIR(Instrument):
    """Writes the IR before or after passes, as ``--print-ir-after-all`` does.

    ``before_names`` and ``after_names`` are pass names, or None for all. With ``only_changes``, a pass
    that left the text as it was prints a single line.
    """

    after_names: frozenset[str] | None = frozenset()
    before_names: frozenset[str] | None = frozenset()
    only_changes: bool = False
    whole_module: bool = True
    out: TextIO | None = None
    _texts: list[str] = field(factory=list)

    def before(self, item: Pass, op: Operation, ctx: PassContext) -> None:
        if self.before_names is None or item.name in self.before_names:
            self._print("Before", item, op)
        self._texts.append(self._text(op) if self.only_changes else "")

    def after(self, item: Pass, op: Operation, ctx: PassContext) -> None:
        old = self._texts.pop()
        if self.after_names is None or item.name in self.after_names:
            if self.only_changes and self._text(op) == old:
                self._write(f"// -----// IR Dump After {item.name} (no change)\n")
            else:
                self._print("After", item, op)

    def failed(self, item: Pass, op: Operation, ctx: PassContext, error: Exception) -> None:
        self._texts.pop()

    def _text(self, op: Operation) -> str:
        return str(top_of(op) if self.whole_module else op)

    def _print(self, when: str, item: Pass, op: Operation) -> None:
        self._write(f"// -----// IR Dump {when} {item.name} //----- //\n{self._text(op)}\n\n")

    def _write(self, text: str) -> None:
        (self.out or sys.stderr).write(text)


@define(eq=False)
class DebugLog(Instrument):
    """Writes what chosen passes did: operations before and after, rules with their places, counts, remarks.

    ``names`` are pass names, or None for all; they may be patterns (``*loops``).
    """

    names: frozenset[str] | None = None
    out: TextIO | None = None
    _open: list[tuple[int, int, int, dict[tuple[str, str], int]]] = field(factory=list)

    def before(self, item: Pass, op: Operation, ctx: PassContext) -> None:
        ops = sum(1 for _ in op.walk()) if self._wants(item) else 0
        self._open.append((ops, len(ctx.remarks), len(ctx.fired), dict(ctx.statistics)))

    def after(self, item: Pass, op: Operation, ctx: PassContext) -> None:
        ops, remarks, fired, counts = self._open.pop()
        if not self._wants(item):
            return
        self._write(item, f"{ops} → {sum(1 for _ in op.walk())} operations")
        for rule, location in ctx.fired[fired:]:
            self._write(item, f"rule {rule} at {location}")
        for (owner, name), count in ctx.statistics.items():
            if count != counts.get((owner, name), 0):
                self._write(item, f"{name}: {count - counts.get((owner, name), 0)}")
        for found in ctx.remarks[remarks:]:
            self._write(item, f"{found.severity}: {found.message}")

    def failed(self, item: Pass, op: Operation, ctx: PassContext, error: Exception) -> None:
        self._open.pop()
        if self._wants(item):
            self._write(item, f"failed: {type(error).__name__}: {error}")

    def _wants(self, item: Pass) -> bool:
        return self.names is None or any(fnmatchcase(item.name, name) for name in self.names)

    def _write(self, item: Pass, text: str) -> None:
        (self.out or sys.stderr).write(f"[{item.name}] {text}\n")


@define(eq=False)
class Timing(Instrument):
    """Seconds per pass in the order of the first run; time of nested passes counts for both."""

    seconds: dict[str, float] = field(factory=dict)
    runs: dict[str, int] = field(factory=dict)
    verify_seconds: float = 0.0
    _open: list[float] = field(factory=list)

    def before(self, item: Pass, op: Operation, ctx: PassContext) -> None:
        self.seconds.setdefault(item.name, 0.0)
        self._open.append(time.perf_counter())

    def after(self, item: Pass, op: Operation, ctx: PassContext) -> None:
        self._close(item)

    def failed(self, item: Pass, op: Operation, ctx: PassContext, error: Exception) -> None:
        self._close(item)

    def _close(self, item: Pass) -> None:
        self.seconds[item.name] += time.perf_counter() - self._open.pop()
        self.runs[item.name] = self.runs.get(item.name, 0) + 1

    def report(self) -> str:
        """A table, slowest last line the total (nested passes are counted twice in it)."""
        lines = [
            f"{s * 1e3:10.2f} ms  {self.runs.get(n, 0):4}×  {n}" for n, s in self.seconds.items()
        ]
        lines.append(f"{self.verify_seconds * 1e3:10.2f} ms         (verifier)")
        return "\n".join(lines)
