"""What happens when a command fails: refusals in words, our own bugs with a reproducer."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import sys
import tempfile
import traceback
from collections.abc import Callable, Sequence

from kt.ir.diagnostics import Diagnostic, InternalError, KtError


def guarded(execute: Callable[[argparse.Namespace], int], args: argparse.Namespace, argv: list[str]) -> int:
    """Run a command; a KtError becomes text (or JSON) and exit code 1, any other exception 70."""
    path = getattr(args, "crash_reproducer", None)
    try:
        return execute(args)
    except InternalError as error:
        return report_bug(error, argv, path)
    except KtError as error:
        return refuse(error, json_output=getattr(args, "json", False))
    except (KeyboardInterrupt, BrokenPipeError):
        raise
    except MemoryError:
        return refuse(
            KtError("out of memory", hint="use smaller tensors or a smaller grid"),
            json_output=getattr(args, "json", False),
        )
    except Exception as error:
        if isinstance(error, OSError) and error.filename is None:
            raise  # of a standard stream, see kt.cli
        return report_bug(error, argv, path)


def refuse(error: KtError, *, json_output: bool) -> int:
    """Print a refusal: diagnostics on stderr, or one JSON object on stdout."""
    if json_output:
        print(json.dumps({"ok": False, "error": error.to_json()}))
    else:
        print_diagnostics(error.diagnostics)
    return 1


def print_diagnostics(diagnostics: Sequence[Diagnostic]) -> None:
    """Errors, warnings and remarks to standard error; on a terminal in colours and as wide as it is."""
    if not sys.stderr.isatty():
        print("\n".join(d.render() for d in diagnostics), file=sys.stderr)
        return
    from kt.view.errors import diagnostic_lines
    from kt.view.paging import as_ansi
    from kt.view.themes import default_theme

    width = max(40, shutil.get_terminal_size((100, 24)).columns)
    sys.stderr.write(as_ansi(list(diagnostic_lines(diagnostics, width, default_theme())), width))


def report_bug(error: Exception, argv: list[str], path: str | None = None) -> int:
    """Write a reproducer and say where it is (``path``, or a new temporary file); exit code 70.

    The reproducer is IR that ``kt opt --run-reproducer FILE`` runs again, as far as a pass failed; command
    line and traceback stand in comments behind it.
    """
    if path is None:
        handle, path = tempfile.mkstemp(prefix="kt-crash-", suffix=".mlir")
        os.close(handle)
    repeatable = getattr(error, "reproducer", "")
    trace = "".join(traceback.format_exception(error))
    comments = "\n".join(f"// {line}".rstrip() for line in (f"kt {shlex.join(argv)}", "", *trace.splitlines()))
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"{repeatable}\n{comments}\n" if repeatable else f"{comments}\n")
    except OSError as reason:
        print(f"{trace}\nkt: can't write '{path}': {reason.strerror or reason}", file=sys.stderr)
    kind = type(error).__name__
    message = str(error) if isinstance(error, InternalError) else f"{kind}: {error}"
    plugin = plugin_line(error)
    owner = f"the plug-in ({plugin})" if plugin else "kt"
    how = "`kt opt --run-reproducer` repeats it from" if repeatable else "please report it with"
    print(
        f"kt: internal error: {message}\nThis is a bug of {owner}, not of your input.\n"
        f"help: {how} the reproducer {path}",
        file=sys.stderr,
    )
    return 70


def plugin_line(error: BaseException) -> str | None:
    """``file:line`` of a plug-in, if that is where an exception was raised first."""
    files = {str(path) for path in getattr(sys.modules.get("kt.plugins"), "_loaded", ())}
    while error.__cause__ is not None:
        error = error.__cause__
    frames = traceback.extract_tb(error.__traceback__)
    last = frames[-1] if frames else None
    return f"{last.filename}:{last.lineno}" if last is not None and last.filename in files else None
