"""The last recorded stage of the public scheduler's walkthrough, reached in mode ``upstream``."""

from __future__ import annotations

from pathlib import Path

from kt.ir.core import OpResult, Value
from kt.ir.dialects import func, ktdf, memref, scf
from kt.ir.dialects.ktdf_types import FifoSlotType
from kt.ir.folding import constant_int
from kt.parse import parse_path
from kt.passes.manager import PassContext, PassManager
from kt.passes.pipelines import pipeline
from kt.passes.schedule.plan import plan_of

GOLDEN = Path(__file__).parents[2] / "corpus" / "golden_front"


def program(module):
    return next(f for f in module.walk_type(func.FuncOp)
                if not f.is_declaration and f.symbol == "local_schedule_0")  # fmt: skip


def source(value: Value) -> Value:
    """Through casts, and from a private resource to the value behind it."""
    while isinstance(value, OpResult):
        op = value.op
        if isinstance(op, ktdf.PrivateOp):
            terminator = op.regions[0].blocks[0].terminator
            assert terminator is not None
            value = terminator.operands[value.index]
        elif isinstance(op, memref.CastOp):
            value = op.operands[0]
        else:
            break
    return value


def end(value: Value) -> tuple[str, int | None]:
    """Type of a buffer or slot, and the address in a scratchpad."""
    found = source(value)
    address = None
    if isinstance(found, OpResult) and found.op.name == "builtin.unrealized_conversion_cast":
        address = constant_int(found.op.operands[0])
    return str(found.type), address


def bound(value: Value):
    """A constant; or how many iterations a tile has: its size and the total."""
    number = constant_int(value)
    if number is not None:
        return number
    assert isinstance(value, OpResult) and isinstance(value.op, ktdf.DeriveSizeOp)
    return tuple(constant_int(v) for v in value.op.operands[1:])


def tree(op):
    """Loops, pipelines, stages and transfers as nested tuples, without names and pure arithmetic."""
    found = []
    for inner in op.regions[0].blocks[0].ops:
        if isinstance(inner, scf.ForOp):
            limits = bound(inner.lower_bound), bound(inner.upper_bound), bound(inner.step)
            found.append(("for", limits, str(inner.attr("loop_type")), tree(inner)))
        elif isinstance(inner, ktdf.PipelineOp):
            found.append(("pipeline", str(inner.attr("modulo")), tree(inner)))
        elif isinstance(inner, ktdf.StageOp):
            tokens = len(inner.depends_in), len(inner.depends_out)
            found.append(("stage", inner.unit_names, tokens, tree(inner)))
        elif isinstance(inner, ktdf.DataTransferOp):
            sides = inner.source_side, inner.dest_side
            ends = [end(v) for v in (inner.source, inner.destination)]
            moved = [(str(s.map) if not isinstance(v.type, FifoSlotType) else "", s.sizes)
                     for s, v in zip(sides, (inner.source, inner.destination), strict=True)]  # fmt: skip
            found.append(("transfer", ends, moved))
        elif inner.name in ("linalg.generic", "ktdf.read_from_fifo", "ktdf.write_to_fifo"):
            found.append((inner.name, [str(v.type) for v in (*inner.operands, *inner.results)]))
    return found


def test_the_walkthrough_ends_as_recorded():
    """Nest, trip counts, units, transfers, buffers, their addresses and their one copy."""
    module = parse_path(GOLDEN / "gate.mlir")
    PassManager(pipeline("schedule", mode="upstream")).run(module, PassContext())
    expected = program(parse_path(GOLDEN / "gate.normalize-grid-to-1d.mlir"))
    ours = program(module)
    plan = plan_of(ours)
    assert plan is not None and (plan.tile, plan.depth, plan.coalesce) == ({0: 2, 1: 2}, 1, False)
    assert str(ours.attr("grid")) == str(expected.attr("grid"))
    theirs = tree(expected)
    assert [entry[0] for entry in theirs] == ["for"]
    assert tree(ours) == theirs
