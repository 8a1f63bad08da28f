"""Operands that a stage loads in loops of its own: all that the loops need, staged as one box."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import frozen

from kt.ir.affine import AffineExpr, AffineMap, const, dim, linear_form
from kt.ir.core import Operation, Value
from kt.ir.diagnostics import PassError
from kt.ir.dialects import ktdf, scf
from kt.passes.analysis.index_maps import constant_index
from kt.passes.frontend.rules.pipelines import Side

Mixed = int | Value


def stage_loops(op: Operation) -> list[scf.ForOp]:
    """The loops around an op inside its stage, outermost first."""
    loops: list[scf.ForOp] = []
    around = op.parent_op
    while around is not None and not isinstance(around, ktdf.StageOp):
        if isinstance(around, scf.ForOp):
            loops.append(around)
        around = around.parent_op
    return loops[::-1]


@frozen(eq=False)
class Span:
    """What the loops of a load stage read of one operand.

    ``whole`` is the box in memory that covers all iterations, ``shape`` that of a buffer for it
    (rows of vectors are whole vectors). ``part`` is where one iteration finds its data in the buffer,
    with the induction variables of the loops as indices.
    """

    whole: Side
    shape: tuple[int, ...]
    part: Side

    @classmethod
    def of(cls, load: ktdf.DataTransferOp) -> Span | None:
        """The span of a transfer into a slot; None if no loop of its stage stands around it."""
        loops = stage_loops(load)
        side = load.source_side
        if not loops or side.map is None or side.sizes is None:
            return None
        ivs: dict[Value, scf.ForOp] = {loop.induction_variable: loop for loop in loops}
        rest = [v for v in side.indices if v not in ivs]
        outer: list[AffineExpr] = []
        inner: list[AffineExpr] = []
        for v in side.indices:
            outer.append(const(0) if v in ivs else dim(rest.index(v)))
            inner.append(dim(list(ivs).index(v)) if v in ivs else const(0))
        starts = [e.replace_dims_and_symbols(outer, ()) for e in side.map.results]
        parts = []
        sizes: list[Mixed] = []
        shape = []
        for e, size in zip(side.map.results, side.sizes, strict=True):
            part = e.replace_dims_and_symbols(inner, ())
            part = part - part.replace_dims_and_symbols([const(0)] * len(ivs), ())
            covered, room = _covered(part, size, loops, load)
            parts.append(part)
            sizes.append(covered)
            shape.append(room)
        whole = Side(side.value, tuple(sizes), AffineMap(len(rest), 0, starts), tuple(rest))
        map = AffineMap(len(ivs), 0, parts)
        used = tuple(list(ivs)[d] for d in map.used_dims)
        return cls(
            whole, tuple(shape), Side(side.value, side.sizes, map.drop_unused_dims(), used)
        )

    def of_buffer(self, buffer: Value) -> Side:
        """All of it, in a buffer."""
        return Side(buffer, self.whole.sizes, AffineMap(0, 0, [0] * len(self.shape)))

    def part_of(self, buffer: Value, known: Mapping[Value, Value]) -> Side:
        """What one iteration reads from a buffer; ``known`` are the loops' variables and sizes."""
        sizes = tuple(n if isinstance(n, int) else known.get(n, n) for n in self.part.sizes)
        indices = tuple(known.get(v, v) for v in self.part.indices)
        return Side(buffer, sizes, self.part.map, indices)


def _covered(
    part: AffineExpr, size: Mixed, loops: list[scf.ForOp], load: Operation
) -> tuple[Mixed, int]:
    """Extent that all iterations cover along one subscript, and the buffer's extent for it."""
    form = linear_form(part)
    if form is None or any(factor < 0 for factor in form[0].values()):
        raise PassError(
            f"can't stage an operand whose subscript {part} isn't a growing sum of loops",
            load.location,
            hint="store the operand in the order in which it is used",
        )
    if not form[0]:
        slot = load.destination.type  # type: ignore[attr-defined]
        return size, size if isinstance(size, int) else slot.count
    covered, room = 1, 1
    for d, factor in form[0].items():
        upper, step = constant_index(loops[d].upper_bound), constant_index(loops[d].step)
        if upper is None or step is None:
            raise PassError(
                "the extent of a reduction isn't a known number",
                load.location,
                hint="give the tiles that are reduced fixed extents",
            )
        covered += factor * (upper - 1)
        room += factor * (-(-upper // step) * step - 1)
    if isinstance(size, int) and size != 1 and all(constant_index(loops[d].step) == 1 for d in form[0]):
        covered, room = covered + size - 1, room + size - 1
    return covered, room
