"""Make a file smaller as long as a command behaves on it as it does now.

The command gets the file's name in place of {} (or at its end). A smaller file counts if the command
exits with the same code, and prints the text of --match if that is given.

  kt reduce big.mlir --test 'kt opt --canonicalize {}' -o small.mlir
  kt reduce big.mlir --test 'kt compile --device toy' --match 'has no route'
"""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from attrs import define

from kt.cli import common
from kt.ir.diagnostics import KtError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("file", metavar="FILE", help="IR text; '-' reads standard input")
    add("--test", metavar="CMD", required=True, help="the command; {} stands for the file")
    add("--match", metavar="TEXT", help="text that it must print")
    add("--timeout", metavar="S", type=float, default=60, help="seconds for one run (60)")
    add("--limit", metavar="N", type=int, default=2000, help="at most so many runs (2000)")
    add("-o", dest="out", metavar="FILE", help="where to write (default: standard output)")


def execute(args: argparse.Namespace) -> int:
    from kt.parse import parse_text, print_op
    from kt.passes.reduce import reduce_module

    text, name = common.read_source(args.file)
    module = parse_text(text, name)
    with tempfile.TemporaryDirectory() as folder:
        probe = Probe(Path(folder) / "reduced.mlir", args.test, args.match, args.timeout)
        probe.expected = probe.run(text)
        if args.match is not None and not probe.expected[1]:
            raise KtError(f"the command doesn't print '{args.match}' on the file as it is", code="reduce")
        best, progress = reduce_module(module, probe, args.limit)
    common.write_text(print_op(best), args.out)
    print(
        f"{progress.before} → {progress.after} operations and attributes after {progress.tests} runs",
        file=sys.stderr,
    )
    return 0


@define
class Probe:
    """Runs the command on modules."""

    path: Path
    command: str
    match: str | None
    timeout: float
    expected: tuple[int, bool] = (0, True)

    def run(self, text: str) -> tuple[int, bool]:
        """Exit code, and whether the text to match was printed."""
        self.path.write_text(text, encoding="utf-8")
        words = shlex.split(self.command)
        if not words:
            raise KtError("--test needs a command", code="reduce")
        file = str(self.path)
        line = [w.replace("{}", file) for w in words] if "{}" in self.command else [*words, file]
        if line[0] == "kt":  # this one, not whatever the shell would find
            line[:1] = [sys.executable, "-m", "kt"]
        try:
            done = subprocess.run(line, capture_output=True, timeout=self.timeout)
        except subprocess.TimeoutExpired:
            return -1, self.match is None
        except OSError as error:
            raise KtError(f"cannot run '{line[0]}': {error.strerror}", code="reduce") from None
        output = (done.stdout + done.stderr).decode(errors="replace")
        return done.returncode, self.match is None or self.match in output

    def __call__(self, module: Any) -> bool:
        from kt.parse import print_op

        return self.run(print_op(module)) == self.expected
