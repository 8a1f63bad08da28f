"""Where rewrite rules and passes are written, so that the viewer can say why something changed."""

from __future__ import annotations

import inspect
import sys
from functools import lru_cache
from pathlib import Path
from typing import Any

import kt
from kt.ir.diagnostics import FusedLoc, Location
from kt.view.difference import Difference, Mark, Row
from kt.view.hunks import Hunk
from kt.view.record import Stage


@lru_cache(maxsize=1024)
def rule_place(rule: str) -> str:
    """``kt/ir/folds/arith.py:120`` for the name of a rule as reports give it; "" if unknown."""
    if rule.startswith("fold "):
        return place_of_object(_folder(rule[5:]))
    return place_of_object(_pattern(rule))


def place_of_object(found: Any) -> str:
    """File and line of a function or class, relative to the package."""
    found = inspect.unwrap(found) if found is not None else None
    code = getattr(found, "__code__", None)
    try:
        if code is not None:
            path, line = code.co_filename, code.co_firstlineno
        elif inspect.isclass(found):
            path, line = inspect.getsourcefile(found) or "", inspect.getsourcelines(found)[1]
        else:
            return ""
    except (OSError, TypeError):
        return ""
    root = Path(kt.__file__).parent.parent
    inside = Path(path).is_relative_to(root)
    return f"{Path(path).relative_to(root).as_posix() if inside else Path(path).name}:{line}"


def _folder(name: str) -> Any:
    from kt.ir.folding import FOLDERS

    return FOLDERS.get(name)


def _pattern(name: str) -> Any:
    from kt.ir import rewriter

    for known in _subclasses(rewriter.Pattern):
        if known.__name__ == name:
            return known
    # Patterns made of functions are values of the modules that write them.
    for module in [m for n, m in sorted(sys.modules.items()) if n.startswith("kt.")]:
        for known in vars(module).values():
            if isinstance(known, rewriter.FunctionPattern) and known.name == name:
                return known.function
    return None


def _subclasses(cls: type) -> list[type]:
    found = []
    for sub in cls.__subclasses__():
        found += [sub, *_subclasses(sub)]
    return found


def reasons(stage: Stage, found: Difference, hunk: Hunk) -> list[str]:
    """Rules of the pass that were applied where this hunk has changes: ``name ×2 (file:line)``."""
    places = _places(found, hunk.rows)
    counts: dict[str, int] = {}
    for rule, location in stage.fired:
        if any(part in places for part in _parts(location)):
            counts[rule] = counts.get(rule, 0) + 1
    made = []
    for rule, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        where = rule_place(rule)
        made.append(f"{rule}{f' ×{count}' if count > 1 else ''}{f'  {where}' if where else ''}")
    return made or [f"{stage.name}  {pass_place(stage.name)}"]


def pass_place(name: str) -> str:
    """File and line of a pass."""
    from kt.passes.registry import PASSES

    return place_of_object(PASSES.get(name))


def _places(found: Difference, rows: list[Row]) -> set[Location]:
    places: set[Location] = set()
    for row in rows:
        if row.mark is Mark.SAME:
            continue
        for listing, line in ((found.before, found.old_line(row)), (found.after, found.new_line(row))):
            if line is not None and line.node >= 0:
                places.update(_parts(listing.tree.nodes[line.node].location))
    return places


def _parts(location: Location) -> tuple[Location, ...]:
    return location.locations if isinstance(location, FusedLoc) else (location,)
