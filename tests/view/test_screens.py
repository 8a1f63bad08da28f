"""Every screen at 80, 120 and 200 columns, dark and without colour, pinned as text."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console
from rich.text import Text
from test_report import PLACE, program, report
from view_samples import LOOP, pipeline_diff

from kt.arch import load_device
from kt.cli.device import show
from kt.ir.diagnostics import FileLoc, Note, PassError, Source
from kt.view.errors import diagnostic_lines
from kt.view.explore import Explorer
from kt.view.history import BinaryLine, History
from kt.view.paging import as_ansi
from kt.view.report import render_report
from kt.view.scratchpad import Buffer
from kt.view.screen import render
from kt.view.themes import DARK

DEVICE = Path(__file__).parents[1] / "text" / "mini_device.mlir"
WIDTHS = (80, 120, 200)
KERNEL = Source("kernel.mlir", f"""\
func.func @f(%x: index) attributes {{grid = [1]}} {{
  %v = math.exp %t {{{', '.join(f'note{i} = "{i} of many attributes"' for i in range(9))}}} : tensor<8xf64>
}}
""")  # fmt: skip
CHIP = Source("chip.mlir", 'ktdf_arch.device @chip {\n\t%alu = exec_unit @alu {kind = "ALU"}\n}\n')


def diff_screen(width: int) -> list[Text]:
    diff = pipeline_diff(LOOP, "canonicalize,cse,loop-invariant-code-motion", why=True)
    diff.theme = DARK
    for stage in diff.stages:
        stage.seconds = stage.number / 100
    return list(render(diff, width))


def view_screen(width: int) -> list[Text]:
    diff = pipeline_diff(LOOP, "loop-invariant-code-motion,cse,canonicalize")
    binary = [BinaryLine(".program p"), BinaryLine("   0  ldv", ("sample.mlir", 11, 10))]
    explorer = Explorer(diff, History(diff.stages, binary), width, 24)
    explorer.theme = DARK
    for key in ("right", "down", "down", "down"):
        explorer.press(key)
    return explorer.draw()


def run_screen(width: int) -> list[Text]:
    buffers = [
        Buffer("p", "BIG", 0, 128, "memref<64xf16>", "%a = ktdp.load", PLACE),
        Buffer("p", "BIG", 128, 128, "memref<64xf16>", "%b = ktdp.load", PLACE),
    ]
    made = render_report(report(), program(), None, buffers)
    made.theme = DARK
    return list(made.lines(width))


def device_screen(width: int) -> list[Text]:
    out = Console(file=io.StringIO(), width=width, record=True, force_terminal=True, color_system="truecolor")
    show(load_device(DEVICE), out)
    return [Text.from_ansi(line) for line in out.export_text(styles=True).splitlines()]


def error_screen(width: int) -> list[Text]:
    exp = KERNEL.text.index("math.exp")
    more = PassError("the grid [64] needs 64 compute tiles", FileLoc(KERNEL, 0, 4), hint="take a larger device")
    error = PassError(
        "device @chip computes no vectors of 'f64', and no pattern of its file replaces 'math.exp' on it",
        FileLoc(KERNEL, exp, 8),
        notes=[Note("its 'ALU' has lanes for f16 and f32", FileLoc(CHIP, CHIP.text.index("exec_unit"), 9))],
        hint="convert to one of these types in the kernel",
        more=more.diagnostics,
    )
    return list(diagnostic_lines(error.diagnostics, width, DARK))


SCREENS = {"diff": diff_screen, "view": view_screen, "run": run_screen, "device": device_screen, "error": error_screen}


@pytest.fixture(autouse=True)
def dark(monkeypatch):
    for name in ("NO_COLOR", "KT_THEME", "COLORFGBG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLORTERM", "truecolor")
    monkeypatch.setenv("TERM", "xterm-256color")


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("screen", SCREENS)
def test_without_colour(golden, screen, width):
    lines = SCREENS[screen](width)
    assert max(line.cell_len for line in lines) <= width
    golden(f"screen_{screen}_{width}.txt", "".join(f"{line.plain.rstrip()}\n" for line in lines))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("screen", SCREENS)
def test_dark(golden, screen, width):
    """Spans of each line with their styles, so that a change of colour is seen as one."""
    rows = []
    for line in SCREENS[screen](width):
        spans = "".join(f" {s.start}-{s.end}[{s.style}]" for s in sorted(line.spans, key=lambda s: (s.start, s.end)))
        rows.append(f"{line.plain.rstrip()}\n    ={f' [{line.style}]' if line.style else ''}{spans}\n")
    golden(f"dark_{screen}_{width}.txt", "".join(rows))


@pytest.mark.parametrize("screen", SCREENS)
def test_no_color_has_no_colour(monkeypatch, screen):
    monkeypatch.setenv("NO_COLOR", "1")
    codes = [part.partition("m")[0] for part in as_ansi(SCREENS[screen](80), 80).split("\x1b[")[1:]]
    colours = {c for code in codes for c in code.split(";") if c not in ("0", "1", "2", "3", "4", "7")}
    assert colours == set()
