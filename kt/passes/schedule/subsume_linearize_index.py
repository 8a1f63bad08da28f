"""subsume-linearize-index: fold tile arithmetic into the maps of transfers.

Before::

    %i = ktdf.tiling.linearize_index [%I : %c4], [%pi : %c1] : index
    ktdf.data_transfer from %A[%i, %j * 32] size [1, %n] to …

After::

    ktdf.data_transfer from %A[%I * 4 + %pi, %j * 32] size [1, %n] to …

Sizes computed by ``affine.min`` are composed alike. Dead arithmetic goes.
"""

from __future__ import annotations

from attrs import frozen

from kt.ir.core import Operation
from kt.passes.analysis.nests import programs
from kt.passes.base import Pass, PassContext
from kt.passes.registry import register_pass
from kt.passes.schedule.normalize_scf_for_loops import fold_index_arithmetic


@register_pass
@frozen
class SubsumeLinearizeIndex(Pass):
    """Express indices of transfers by loop induction variables alone."""

    name = "subsume-linearize-index"

    def run(self, module: Operation, ctx: PassContext) -> None:
        for program in programs(module):
            fold_index_arithmetic(program)
