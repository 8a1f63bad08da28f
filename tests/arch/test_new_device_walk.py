"""The walk through a new device: its files are written and its commands run, in order."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from kt.cli import main

TEXT = (Path(__file__).parents[2] / "examples" / "new_device.md").read_text()
FENCE = re.compile(r"^```(mlir|console)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def write(words: list[str], body: str) -> None:
    """``FILE``, ``FILE append`` or ``FILE insert`` (before the end of the device)."""
    path = Path(words[0])
    if words[1:] == ["append"]:
        body = path.read_text() + "\n" + body
    elif words[1:] == ["insert"]:
        text = path.read_text()
        end = text.index("\n}\n", text.index("ktdf_arch.device"))
        body = f"{text[:end]}\n{body.rstrip()}{text[end:]}"
    path.write_text(body)


def test_every_command_says_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    commands = 0
    for kind, info, body in FENCE.findall(TEXT):
        if kind == "mlir":
            write(info.split(), body)
            continue
        shown = ""
        for line in body.splitlines():
            if line.startswith("$ "):
                command, *arguments = shlex.split(line[2:])
                assert command == "kt"
                main(arguments)
                captured = capsys.readouterr()
                shown, commands = captured.out + captured.err, commands + 1
            else:
                assert line in shown, f"{line!r} isn't in:\n{shown}"
    assert commands == 8
