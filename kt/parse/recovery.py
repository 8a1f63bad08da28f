"""Going on behind an operation that can't be read, so that one run reports several errors."""

from __future__ import annotations

import re
from typing import Any

from kt.parse.driver import Language, State

MAX_ERRORS = 20
_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n\r]*|[{}\n]')


def resume(
    language: Language, text: str, states: list[State], values: list[Any], at: int, refused: bool
) -> int:
    """Drop the op in which the error at ``at`` stands from the stacks; where to go on reading.

    An op that is complete before the error (the bad text begins an op itself) is kept, unless a
    callback ``refused`` it.
    """
    start = at
    if refused:
        at = len(text[:at].rstrip())
    if refused or not states[-1].takes_op:
        for i in range(len(states) - 1, 0, -1):
            if states[i].index in language.op_begins:
                start = values[i - 1]
                del states[i:], values[i - 1 :]
                break
        else:
            del states[1:], values[:]
    return _behind_op(text, start, at)


def _behind_op(text: str, start: int, error: int) -> int:
    """End of the first line behind ``error`` at which all braces opened since ``start`` are closed."""
    depth = 0
    for token in _TOKEN.finditer(text, start):
        mark = token[0]
        if mark == "{":
            depth += 1
        elif mark == "}":
            if depth == 0 and token.start() >= error:
                # The end of the region around; but a stray one, where an op should begin, is skipped.
                return token.end() if token.start() == start else token.start()
            depth = max(0, depth - 1)
        elif mark == "\n" and depth == 0 and token.start() >= error:
            return token.end()
    return len(text)
