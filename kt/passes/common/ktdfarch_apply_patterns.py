"""ktdfarch-apply-patterns: a device rewrites the program in its own words."""

from __future__ import annotations

from attrs import frozen

from kt.arch import Device, device_ops, find_device, load_device
from kt.ir.core import Operation
from kt.ir.diagnostics import Note, PassError
from kt.ir.dialects import func
from kt.ir.rewriter import RewriteReport, apply_patterns
from kt.passes.base import Pass, PassContext
from kt.passes.patterns.rules import PdlPattern, device_rules
from kt.passes.registry import register_pass

SWEEPS = 10


@register_pass
@frozen
class KtdfarchApplyPatterns(Pass):
    """Rewrite functions by the patterns of the device's file.

    Blocks ``patterns`` without groups, and those with one of ``groups``, take part; of several
    patterns for an op the one of higher benefit goes first, else the earlier one::

        patterns ["pre_scheduling"] {                     %d = arith.divf %one, %x : f16
          pdl.pattern : benefit(2) { … 1 / x … }    →
        }                                                 %d = spyreop.reciprocal %x : f16

    Constants are folded and dead code goes on the way, in the functions of devices with patterns.
    Rules that undo each other are an error that names them.
    """

    name = "ktdfarch-apply-patterns"
    groups: tuple[str, ...] = ()

    def run(self, module: Operation, ctx: PassContext) -> None:
        rules: dict[int, list[PdlPattern]] = {}
        for function in [f for f in module.walk_type(func.FuncOp) if not f.is_declaration]:
            device = _device_around(function, ctx)
            if device is None:
                continue
            if id(device) not in rules:
                rules[id(device)] = device_rules(device, self.groups)
            if rules[id(device)]:
                self.rewrite(function, rules[id(device)], ctx)

    def rewrite(self, function: Operation, rules: list[PdlPattern], ctx: PassContext) -> None:
        report = apply_patterns(function, rules, max_iterations=SWEEPS)
        ctx.rewrote(report)
        own = {rule.name for rule in rules}
        for name, count in report.counts().items():
            if name in own:
                ctx.stat(name, count)
        if not report.converged:
            raise _endless(report, rules, function)


def _device_around(function: Operation, ctx: PassContext) -> Device | None:
    """The device that a function belongs to; that of the compilation where none is declared."""
    declared = find_device(function)
    known: Device | None = ctx.device
    if declared is None:
        several = any(device_ops(a) for a in function.ancestors() if a.name == "builtin.module")
        return None if several else known
    if known is not None and known.name == declared.sym_name.value:
        return known
    ctx.device = load_device(declared)
    return ctx.device


def _endless(report: RewriteReport, rules: list[PdlPattern], function: Operation) -> PassError:
    counts = report.counts()
    busy = [rule for rule in rules if counts.get(rule.name)]
    busy.sort(key=lambda rule: -counts[rule.name])
    first = busy[0]
    return PassError(
        f"the patterns of the device don't come to rest: '{first.name}' fired {counts[first.name]} times",
        first.op.location,
        notes=[
            *(Note(f"'{r.name}' fired {counts[r.name]} times", r.op.location) for r in busy[1:3]),
            Note("in this function", function.location),
        ],
        hint="make sure that no pattern makes what it (or another one) matches again",
    )
