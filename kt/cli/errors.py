"""What happens when a command fails: refusals in words, our own bugs with a reproducer."""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import traceback
from collections.abc import Callable

from kt.ir.diagnostics import InternalError, KtError


def guarded(execute: Callable[[argparse.Namespace], int], args: argparse.Namespace, argv: list[str]) -> int:
    """Run a command; a KtError becomes text (or JSON) and exit code 1, any other exception 70."""
    try:
        return execute(args)
    except InternalError as error:
        return report_bug(error, argv)
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
        return report_bug(error, argv)


def refuse(error: KtError, *, json_output: bool) -> int:
    """Print a refusal: diagnostics on stderr, or one JSON object on stdout."""
    if json_output:
        print(json.dumps({"ok": False, "error": error.to_json()}))
    else:
        print(error.render(), file=sys.stderr)
    return 1


def report_bug(error: Exception, argv: list[str]) -> int:
    """Write the traceback and the command line to a file and say where it is; exit code 70."""
    handle, path = tempfile.mkstemp(prefix="kt-crash-", suffix=".txt")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(f"kt {' '.join(argv)}\n\n")
        reproducer = getattr(error, "reproducer", None)
        if reproducer:
            file.write(f"{reproducer}\n\n")
        file.write("".join(traceback.format_exception(error)))
    kind = type(error).__name__
    print(
        f"kt: internal error ({kind}: {error}). This is a bug of kt, not of your input.\n"
        f"help: please report it with the reproducer {path}",
        file=sys.stderr,
    )
    return 70
