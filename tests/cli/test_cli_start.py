"""What a command loads: `kt diff` starts fast as long as it leaves alone what it doesn't use."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ADD = Path(__file__).parents[2] / "examples" / "add.mlir"


CODE = "import sys; from kt.cli import main; main(sys.argv[1:]); sys.stderr.write('\\n'.join(sys.modules))"


def loaded(*arguments: str) -> set[str]:
    """The modules that are loaded when a command is through."""
    command = [sys.executable, "-c", CODE, *arguments]
    return set(subprocess.run(command, capture_output=True, text=True, check=True).stderr.splitlines())


@pytest.mark.parametrize(
    ("arguments", "used", "unused"),
    [
        (
            ("diff", str(ADD), "--device", "toy"),
            {"kt.passes.backend.ktdflowering_to_dfir", "kt.view.screen", "networkx"},
            {"numpy", "kt.sim.simulate", "kt.sim.interp", "kt.binary.model", "rich.console"},
        ),
        (("opt", str(ADD)), {"kt.parse.printer"}, {"numpy", "networkx", "rich", "kt.passes.compiler", "kt.arch"}),
        (("--version",), {"kt"}, {"attr", "kt.ir", "kt.plugins"}),
    ],
)
def test_a_command_leaves_alone_what_it_does_not_use(arguments, used, unused):
    found = loaded(*arguments)
    assert used <= found
    assert not unused & found
