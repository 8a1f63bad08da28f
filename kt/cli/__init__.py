"""The ``kt`` command: one file per subcommand, loaded when it is used.

Exit codes: 0 ok; 1 refused input or failed check; 2 wrong usage; 70 a bug of kt, with a reproducer;
130 interrupted.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

COMMANDS = {
    "run": "compile a kernel, run it on the simulator, compare it with the KTIR executor",
    "compile": "compile a kernel to an artifact, or to the text of a level",
    "launch": "run a saved artifact",
    "check": "run the IR after every pass and name the first one that changed the meaning",
    "opt": "parse, run passes, print (mlir-opt's habits)",
    "dump": "show what an artifact contains: sections, plans, instructions",
    "device": "show a device: memories, units, routes",
    "diff": "show what each pass did to a kernel",
    "view": "walk through the passes, and from a line to its instructions",
    "trace": "timeline of a run",
    "reduce": "make a file smaller as long as a command still fails (or succeeds) on it",
    "completion": "the script that completes kt's commands in a shell",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Entry point of the console script; returns the exit code."""
    if argv is not None:
        return _main(list(argv))
    # A process of our own, which ends soon. IR and code live on, so that collecting finds little; and
    # what is left at the end goes with the process: taking it apart would take longer than a small run.
    gc.set_threshold(400_000, 20, 100)
    _standard_streams()
    try:
        return _main(sys.argv[1:])
    finally:
        gc.freeze()


def _main(arguments: list[str]) -> int:
    try:
        try:
            return _dispatch(arguments)
        finally:
            sys.stdout.flush()  # here, where a full disk can still be told
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader (`| head`) has left: not an error of ours
        _drop_output()
        return 0
    except OSError as error:
        if error.filename is not None:
            raise
        _drop_output()
        print(f"error: can't write standard output: {error.strerror or error}", file=sys.stderr)
        return 1


def _standard_streams() -> None:
    """Streams that can be used: closed ones are empty, characters that one can't show become '?'."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None and sys.stdout.errors == "strict":
        reconfigure(errors="replace")


def _drop_output() -> None:
    """What is left in the buffer goes nowhere: writing it at the end would fail once more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def available() -> dict[str, str]:
    """Subcommands that this installation has, with their one-line help."""
    from importlib.util import find_spec

    return {name: text for name, text in COMMANDS.items() if find_spec(f"kt.cli.{name}")}


def _dispatch(arguments: list[str]) -> int:
    if arguments in (["--version"], ["-V"]):
        from kt import __version__

        print(f"kt {__version__}")
        return 0
    from kt.cli.errors import guarded

    if arguments[:1] == ["__complete"]:
        from kt.cli.completion import candidates

        print("\n".join(candidates(arguments[1:])))
        return 0
    try:
        arguments, files = plugin_files(arguments)
    except ValueError as error:
        print(f"kt: {error}", file=sys.stderr)
        return 2
    failed = guarded(lambda _: _load_plugins(files), argparse.Namespace(), arguments)
    return failed or _run(arguments)


def plugin_files(arguments: list[str]) -> tuple[list[str], list[str]]:
    """The arguments without ``--load FILE.py``, which every command takes, and those files."""
    rest, files = [], []
    waiting = iter(arguments)
    for text in waiting:
        if text == "--load":
            file = next(waiting, None)
            if file is None:
                raise ValueError("--load needs a Python file")
            files.append(file)
        elif text.startswith("--load="):
            files.append(text.partition("=")[2])
        else:
            rest.append(text)
    return rest, files


def _load_plugins(files: list[str]) -> int:
    from kt.plugins import load_file, load_installed

    load_installed()
    for file in files:
        load_file(file)
    return 0


def _run(arguments: list[str]) -> int:
    from kt.cli.errors import guarded, refuse
    from kt.ir.diagnostics import KtError

    if arguments[:1] == ["help"]:
        arguments = [*arguments[1:2], "--help"]
    name = next((a for a in arguments if not a.startswith("-")), None)
    if not arguments or arguments[0] in ("-h", "--help") or name is None:
        print(_overview())
        return 0 if arguments and arguments[0] in ("-h", "--help") else 2
    if name not in available():
        print(_unknown(name), file=sys.stderr)
        return 2
    module = importlib.import_module(f"kt.cli.{name}")
    parser = Parser(prog=f"kt {name}", description=module.__doc__, formatter_class=_Help)
    module.add_arguments(parser)
    parser.usage = _usage(parser)
    rest = list(arguments)
    rest.remove(name)
    rewrite = getattr(module, "rewrite", None)  # `kt opt` has a flag for every pass
    try:
        parsed = parser.parse_args(rest if rewrite is None else rewrite(rest))
    except KtError as error:
        return refuse(error, json_output=False)
    return guarded(module.execute, parsed, arguments)


def _usage(parser: argparse.ArgumentParser) -> str:
    """``kt diff [options] FILE …``: the options stand below, with what they do."""
    forms = {None: "{}", "?": "[{}]", "+": "{} …", "*": "[{} …]"}
    operands = [a for a in parser._actions if not a.option_strings]
    words = [forms.get(a.nargs if not isinstance(a.nargs, int) else None, "{}").format(a.metavar or a.dest) for a in operands]
    return " ".join([parser.prog, "[options]", *words])


def _overview() -> str:
    rows = "\n".join(f"  {name:<12}{text}" for name, text in available().items())
    return (
        "usage: kt COMMAND [options] FILE\n\n"
        "Compile KTIR kernels for scratchpad accelerators, and run the result.\n\n"
        f"commands:\n{rows}\n\n"
        "`kt COMMAND --help` (or `kt help COMMAND`) shows options and examples; `kt --version` the version.\n"
        "Every command takes --load FILE.py: a plug-in with dialects, passes or patterns."
    )


def _unknown(name: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, available(), n=1)
    hint = f"; did you mean 'kt {near[0]}'?" if near else ""
    return f"kt: unknown command '{name}'{hint}\n`kt --help` lists the commands"


class _Help(argparse.RawDescriptionHelpFormatter):
    """Keeps the paragraphs and examples of a command's docstring as they stand."""


_FILES = ("FILE", "FILE.ktb", "F", "DIR", "D")
"""What help calls files, directories and devices: none has an empty name."""


class Parser(argparse.ArgumentParser):
    """argparse with kt's usage errors: what is wrong, the way to help, exit code 2."""

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        found = super().parse_args(args, namespace)
        for action in self._actions:
            given = getattr(found, action.dest, None)
            if action.metavar in _FILES and "" in (given if isinstance(given, list) else [given]):
                name = "/".join(action.option_strings) or action.metavar
                self.error(f"argument {name}: expected a name, not ''")
        return found

    def error(self, message: str) -> NoReturn:
        print(f"{self.prog}: {message}{self._near(message)}", file=sys.stderr)
        print(f"`{self.prog} --help` shows the options", file=sys.stderr)
        raise SystemExit(2)

    def _near(self, message: str) -> str:
        """``; did you mean '--canonicalize'?`` for an option that isn't known."""
        from difflib import get_close_matches

        wrong = message.removeprefix("unrecognized arguments: ").partition("=")[0].split()
        if not message.startswith("unrecognized arguments: -"):
            return ""
        known = list(self._option_string_actions)
        if self.prog == "kt opt":
            from kt.passes.registry import pass_names

            known += [f"--{name}" for name in pass_names()]
        near = get_close_matches(wrong[0], known, n=1)
        return f"; did you mean '{near[0]}'?" if near else ""
