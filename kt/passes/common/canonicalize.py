"""canonicalize: folding, canonicalization patterns, unique constants, dead code."""

from __future__ import annotations

import importlib
import importlib.util

from attrs import frozen

from kt.ir.core import Operation
from kt.ir.rewriter import CANONICALIZATIONS, Pattern, apply_patterns
from kt.passes.base import Pass, PassContext
from kt.passes.registry import register_pass

_met: set[str] = set()


def canonicalization_patterns(root: Operation) -> list[Pattern]:
    """The patterns of all dialects that occur inside ``root``."""
    dialects = sorted({op.name.partition(".")[0] for op in root.walk()})
    # Canonical forms of one dialect are often made of another's ops.
    for dialect in dict.fromkeys((*dialects, "arith", "affine", "memref", "tensor")):
        if dialect not in _met:
            _met.add(dialect)
            module = f"kt.passes.common.rules.{dialect}"
            if importlib.util.find_spec(module) is not None:
                importlib.import_module(module)
    return [p for dialect in sorted(CANONICALIZATIONS) for p in CANONICALIZATIONS[dialect]]


@register_pass
@frozen
class Canonicalize(Pass):
    """Bring ops into their canonical form: fold, simplify, unique constants, drop dead code.

    Constants move to the front of their function, one per value and type. Loops of zero or one trips,
    branches on constants and identity casts disappear::

        %c = arith.constant 256 : index          %c = arith.constant 32768 : index
        %d = arith.constant 128 : index     →    %b = arith.muli %t, %c : index
        %a = arith.muli %t, %c : index
        %b = arith.muli %a, %d : index

    Runs until nothing changes, at most ``max_iterations`` times over the module.
    """

    name = "canonicalize"
    max_iterations: int = 10

    def run(self, module: Operation, ctx: PassContext) -> None:
        patterns = canonicalization_patterns(module)
        report = apply_patterns(module, patterns, max_iterations=self.max_iterations)
        ctx.rewrote(report)
        for rule, count in report.counts().items():
            ctx.stat(rule, count)
