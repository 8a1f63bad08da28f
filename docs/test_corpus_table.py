"""The table of the corpus says what is so: what is refused, and that nothing else is."""

from __future__ import annotations

from pathlib import Path

import pytest
from scripts import script

import kt
from kt.passes.compiler import Compilation, Options

REFUSED = {("add_grid32", "toy"): "32 compute tiles", ("residual_rmsnorm", "toy"): "10 compute tiles"}
"""More tiles than the device has cores; everything else compiles for every device in both modes."""
FAST = [("row_sum", "mesh"), ("scatter_rows", "mesh"), ("branch_int", "toy"), ("col_max", "toy")]


def table():
    """``docs/corpus.py`` as a module."""
    return script(Path(__file__).with_name("corpus.py"))


def cells():
    """(kernel, device, mode) and what the written table says."""
    written = table().rows((Path(__file__).with_name("corpus.md")).read_text())
    return {
        (name, device, mode): text.strip()
        for name, line in written.items()
        for (device, mode), text in zip(table().RUNS, line.strip("| ").split(" | ")[1:], strict=True)
    }


def test_the_table_has_nothing_wrong():
    found = cells()
    assert found and {name for name, _, _ in found} <= set(table().names())
    for (name, device, _), text in found.items():
        if (name, device) in REFUSED:
            assert text.startswith("refused: ") and REFUSED[name, device] in text
        else:
            assert text.replace(",", "").isdigit(), f"{name} on {device}: {text}"


@pytest.mark.parametrize("device", ["spyre", "mesh", "toy"])
def test_just_these_kernels_are_refused(device):
    for name in table().names():
        module = kt.parse_file(table().FOLDER / f"{name}.mlir")
        compilation = Compilation.start(module, device, options=Options())
        wanted = REFUSED.get((name, device))
        if wanted is None:
            compilation.check_legal()
            continue
        with pytest.raises(kt.KtError, match=wanted) as refused:
            compilation.check_legal()
        assert "cores" in str(refused.value)
        assert refused.value.location.position() and refused.value.notes[0].location.position()


@pytest.mark.parametrize(("name", "device"), FAST)
@pytest.mark.parametrize("mode", ["capacity", "upstream"])
def test_a_few_checks_are_clean(name, device, mode):
    assert table().outcome(name, device, mode).cycles


@pytest.mark.sweep
def test_the_whole_table_is_current():
    assert {name for name, _, _ in cells()} == set(table().names())
    assert table().main(["--check"]) == 0
