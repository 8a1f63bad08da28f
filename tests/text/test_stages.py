"""What every pass makes of three small kernels, from the kernel's text to DataflowIR.

``stages/KERNEL/00_input.mlir`` is the kernel; it begins with ``// device: NAME`` and ``// plan: JSON``:
what it is compiled for, and its tiles, so that the texts stay when the cost model learns.
``NN_PASS.mlir`` is the IR after pass number NN, for every pass that changed something. Values and maps
may be called anything: both sides are printed anew before they are compared. Run with
KT_UPDATE_GOLDEN=1 in the environment to write the files again, then review them by reading: what a
reader should find in them stands in ``stages/README.md``.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from kt.ir.verifier import verify
from kt.parse import parse_path, parse_text
from kt.parse.printer import print_op
from kt.passes.compiler import Compilation, Options
from kt.view.record import Recorder

FOLDER = Path(__file__).parent / "stages"
KERNELS = sorted(path.parent.name for path in FOLDER.glob("*/00_input.mlir"))


def compiled(kernel):
    """By file name: the IR after each pass that changes something."""
    path = FOLDER / kernel / "00_input.mlir"
    found = re.match(r"// device: (\w+)\n// plan: (.*)\n", path.read_text(encoding="utf-8"))
    assert found is not None
    recorder = Recorder()
    options = Options(plan=json.loads(found[2]))
    compilation = Compilation.start(parse_path(path), found[1], options=options)
    recorder.start(compilation.module)
    compilation.lower(instruments=[recorder])
    stages = [stage for stage in recorder.stages[1:] if stage.changed]
    return {f"{s.number:02}_{s.name}.mlir": s.listing.text() for s in stages}


def recorded(kernel):
    """By file name: what the files say."""
    paths = sorted((FOLDER / kernel).glob("*.mlir"))[1:]
    return {path.name: path.read_text(encoding="utf-8") for path in paths}


def write(kernel, texts):
    """Replace the files."""
    for name in recorded(kernel):
        (FOLDER / kernel / name).unlink()
    for name, text in texts.items():
        (FOLDER / kernel / name).write_text(text, encoding="utf-8")


def normal_form(text):
    """The text, names and aliases chosen anew; it must be a valid module."""
    module = parse_text(text)
    verify(module)
    return print_op(module)


@pytest.mark.parametrize("kernel", KERNELS)
def test_stages(kernel):
    made = compiled(kernel)
    if os.environ.get("KT_UPDATE_GOLDEN"):
        write(kernel, made)
    expected = recorded(kernel)
    assert list(made) == list(expected)
    for name, text in expected.items():
        assert normal_form(made[name]) == normal_form(text), f"{kernel}/{name}"


def test_kernels_are_there():
    assert KERNELS == ["add", "matmul", "row_sum"]
