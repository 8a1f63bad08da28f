"""Routes, stages and buffers of the naive schedule."""

from __future__ import annotations

from pathlib import Path

import pytest

from kt.ir.diagnostics import PassError
from kt.ir.dialects import ktdf, memref
from kt.parse import parse_path, parse_text
from kt.passes.manager import PassContext, PassManager
from kt.passes.pipelines import ktir_to_schedule

GOLDEN = Path(__file__).parents[2] / "corpus" / "golden_front"
KERNELS = ["add2d", "chain4", "local_out", "loop", "rowvec_scale", "sub3d", "two_groups"]


@pytest.mark.parametrize("kernel", KERNELS)
def test_every_transfer_follows_links_of_the_device(kernel):
    module = parse_path(GOLDEN / f"{kernel}.mlir")
    ctx = PassManager(ktir_to_schedule()).run(module)
    seen = 0
    for stage in module.walk_type(ktdf.StageOp):
        (unit,) = stage.unit_names
        for op in stage.walk_type(ktdf.DataTransferOp):
            ends = []
            for i, (_, side) in enumerate(op.sides()):
                type = side.value.type
                kind = type.channel[1 - i] if side.is_fifo else type.memory_space
                assert not side.is_fifo or type.channel[i] == kind or unit in (
                    c.value for c in type.channel
                )  # fmt: skip
                ends.append(kind.value)
            source = unit if op.source_side.is_fifo else ends[0]
            target = unit if op.dest_side.is_fifo else ends[1]
            for a, b in ((source, unit), (unit, target)):
                assert a == b or ctx.device.link(a, b) is not None, (a, b)
            seen += 1
    assert seen


def test_each_buffer_is_filled_by_one_stage_and_emptied_by_the_next():
    module = parse_path(GOLDEN / "chain4.mlir")
    PassManager(ktir_to_schedule()).run(module)
    (private,) = module.walk_type(ktdf.PrivateOp)
    buffers = [
        v for v in private.results if private.inner_value(v).defining_op.name == "memref.alloc"
    ]
    assert len(buffers) == len(list(module.walk_type(memref.AllocOp))) == 5
    stages = next(module.walk_type(ktdf.PipelineOp)).stages
    for buffer in buffers:
        writers = [
            s for s in stages for op in s.walk_type(ktdf.DataTransferOp) if op.destination is buffer
        ]
        readers = [
            s for s in stages for op in s.walk_type(ktdf.DataTransferOp) if op.source is buffer
        ]
        assert len(writers) == len(readers) == 1
        assert stages.index(readers[0]) == stages.index(writers[0]) + 1


def test_labelled_pipelines_stay_as_they_are():
    module = parse_path(GOLDEN / "add2d.mlir")
    ctx = PassManager(ktir_to_schedule()).run(module)
    before = str(module)
    PassManager("path-expansion,scalar-broadcast-legalization").run(
        module, PassContext(device=ctx.device)
    )
    assert str(module) == before


def test_missing_datapath_names_both_ends_and_the_way_out():
    text = (GOLDEN / "pebble.mlir").read_text().replace(
        "    datapath #WIDE %pad to %gst : memory, exec_unit\n", ""
    )  # fmt: skip
    kernel = (GOLDEN / "add2d.mlir").read_text().split("\n", 1)[1]
    space = 'mem_space_mapping = #ktdf_arch.map<#ktdp.memory_space<global> = "HBM", #ktdp.memory_space<ct_local> = "PAD">'
    text = text.replace(
        "ktdf_arch.device @pebble {", f"ktdf_arch.device @pebble attributes {{{space}}} {{"
    )
    module = parse_text(text + kernel[kernel.index("func.func") :])
    passes = [p for p in ktir_to_schedule() if p not in ("ensure-device-declaration",)]
    with pytest.raises(PassError) as refused:
        PassManager(passes).run(module)
    rendered = refused.value.render()
    assert "HBM" in rendered and "help:" in rendered and "ktdp.store" in rendered
