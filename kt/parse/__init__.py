"""Text, both ways: :func:`parse_text`, :func:`parse_path` and :func:`print_op`.

Limits, each an error that says so (tests/parse/test_limits.py):

- a text: 2**28 (268,435,456) characters; a file: four bytes for each;
- a number: 4,000 digits; an integer type: 16,777,215 bits; an integer constant: the range of its type,
  signed or unsigned; an extent: 63 bits; the results of an operation: 999,999;
- operations and blocks nest without limit while they are read and verified; printing them, and types,
  attributes and expressions inside each other, end where Python's recursion does (``sys.setrecursionlimit``,
  by default about 200 levels);
- 20 errors are reported for a text that can't be read, 100 for a module that isn't valid.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from kt.ir import registry
from kt.ir.collector import Paused
from kt.ir.diagnostics import UNKNOWN, FileLoc, Location, ParseError, Source

MAX_CHARACTERS = 1 << 28
"""Of a text: more would take minutes and all memory before anything is said."""
_SMALLER = "big constants belong into a resource file or into arguments; modules into files of their own"


def parse_text(text: str, name: str = "<string>", *, allow_unregistered: bool = True) -> Any:
    """Read a module from text; a file without ``module`` around it is wrapped in one.

    Raises ParseError with every error found, each with its place in ``name``.
    """
    from kt.ir.core import Block, Region
    from kt.ir.dialects.builtin import ModuleOp
    from kt.parse.binder import Binder
    from kt.parse.context import Context
    from kt.parse.pending import Pending

    if not isinstance(text, str):
        raise ParseError(f"a {type(text).__name__} is no text", hint="parse a str, or a file by its path")
    source = Source(name, text)
    if len(text) > MAX_CHARACTERS:
        raise ParseError(*_too_large(len(text), "characters"), hint=_SMALLER)
    context = Context(source)
    try:
        with Paused():
            items = _parse_items(source, context)
            block = Block()
            binder = Binder(context, allow_unregistered)
            binder.bind([item for item in items if isinstance(item, Pending)], block)
            binder.finish()
    except RecursionError:
        raise ParseError("attributes, types or expressions are nested too deeply",
                         FileLoc(source, 0)) from None  # fmt: skip
    only = block.first_op
    if isinstance(only, ModuleOp) and only is block.last_op:
        only.detach()
        module = only
    else:
        module = ModuleOp(regions=[Region([block])], location=FileLoc(source, 0) if text else UNKNOWN)
    _keep_resources(module, items)
    return module


def _too_large(size: int, unit: str) -> tuple[str, Location]:
    return f"the text has {size:,} {unit}; at most {MAX_CHARACTERS:,} are read", UNKNOWN


def _parse_items(source: Source, context: Any) -> tuple[Any, ...]:
    from kt.parse.diagnostics import as_parse_error
    from kt.parse.driver import Failed, Unexpected
    from kt.parse.grammar import languages
    from kt.parse.recovery import MAX_ERRORS, resume

    language = languages().core
    states, values = language.begin("file")
    errors: list[ParseError] = []
    at = 0
    while True:
        try:
            items = language.run(source.text, "file", context, states, values, at, 0)
            break
        except Unexpected as error:
            found, at, refused = as_parse_error(error, source), error.start, False
        except Failed as error:
            found, at, refused = context.refusal(error), error.end, True
        except ParseError as error:
            found, at, refused = error, getattr(error.location, "offset", len(source.text)), False
        errors.append(found)
        at = resume(language, source.text, states, values, at, refused)
        if len(errors) >= MAX_ERRORS or at >= len(source.text):
            break
    if errors:
        first = errors[0]
        first.diagnostics += [error.diagnostics[0] for error in errors[1:]]
        raise first
    return items


def _keep_resources(module: Any, items: tuple[Any, ...]) -> None:
    """``{-# … #-}`` sections are kept as they are, on the module."""
    from kt.ir.attributes import StringAttr

    texts = [item for item in items if isinstance(item, str)]
    if texts:
        module.attributes["kt.resources"] = StringAttr("\n".join(texts))


def parse_path(path: str | Path, *, allow_unregistered: bool = True) -> Any:
    """Read a module from a file; ParseError for a file that is missing or isn't UTF-8."""
    return parse_text(read_text(path), str(path), allow_unregistered=allow_unregistered)


def read_text(path: str | Path) -> str:
    """The text of a file; ParseError when it can't be read or isn't UTF-8."""
    if not isinstance(path, (str, os.PathLike)):
        raise ParseError(f"a {type(path).__name__} is no path of a file", hint="give a str or a pathlib.Path")
    try:
        size = os.stat(path).st_size
        if size > 4 * MAX_CHARACTERS:  # UTF-8 takes at most four bytes for one
            raise ParseError(*_too_large(size, "bytes"), hint=_SMALLER)
        data = Path(path).read_bytes()
    except OSError as error:
        reason = error.strerror or str(error)
        raise ParseError(
            f"cannot read '{path}': {reason}",
            FileLoc.at(str(path), 1, 1),
            hint=_other_file(Path(path)),
        ) from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8", "replace")
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        raise ParseError(
            f"the file is not UTF-8: byte 0x{data[error.start]:02X} at offset {error.start}",
            FileLoc.at(str(path), line, column),
            hint="IR files are UTF-8 text",
        ) from None


def _other_file(path: Path) -> str:
    """The way out when a file can't be read."""
    from difflib import get_close_matches

    if path.is_dir():
        return "give a file in it"
    try:
        near = get_close_matches(path.name, sorted(p.name for p in path.parent.iterdir()), 1, 0.8)
    except OSError:
        return "the folder doesn't exist: check the path"
    return f"did you mean '{path.parent / near[0]}'?" if near else "check the path"


def split_input(text: str) -> list[tuple[str, int]]:
    """The parts between lines that are exactly ``// -----``, each with the lines before it."""
    parts: list[tuple[str, int]] = []
    lines: list[str] = []
    first = 0
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        if line.rstrip() == "// -----":
            parts.append(("".join(lines), first))
            lines, first = [], number
        else:
            lines.append(line)
    parts.append(("".join(lines), first))
    return parts


def print_op(op: Any, *, generic: bool = False, locations: bool = False) -> str:
    """Text of an operation; see :mod:`kt.parse.printer`."""
    from kt.parse.printer import print_op as run

    return run(op, generic=generic, locations=locations)


registry.print_op = print_op


class _CallablePackage(ModuleType):
    """``kt.parse(text)`` is the public function, and ``kt.parse`` this package: importing it must not
    take the function away, so the package itself can be called."""

    def __call__(self, text: str, name: str = "<string>") -> Any:
        return parse_text(text, name)


sys.modules[__name__].__class__ = _CallablePackage
