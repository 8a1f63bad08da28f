"""Running `kt` in this process, and as a process of its own."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from kt.cli import main

KERNELS = Path(__file__).parent.parent / "corpus" / "kernels"


class Result:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    @property
    def json(self):
        return json.loads(self.out)


@pytest.fixture
def kernels():
    """Folder of the corpus' kernels."""
    return KERNELS


@pytest.fixture
def kt(capsys, monkeypatch, tmp_path):
    """``kt("run", path, …, stdin=text)`` in an empty working directory."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments, stdin=None):
        if stdin is not None:
            monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        capsys.readouterr()
        try:
            code = main([str(a) for a in arguments])
        except SystemExit as stop:
            code = stop.code
        captured = capsys.readouterr()
        return Result(code, captured.out, captured.err)

    return run


@pytest.fixture
def kt_process(tmp_path):
    """The same in a new process, with environment variables."""

    def run(*arguments, **environment):
        done = subprocess.run(
            [sys.executable, "-m", "kt", *map(str, arguments)],
            capture_output=True, text=True, cwd=tmp_path, env={**os.environ, **environment},
        )  # fmt: skip
        return Result(done.returncode, done.stdout, done.stderr)

    return run
