"""What a call of a kernel gives, by name."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from kt.ir.diagnostics import UNKNOWN, Location, RunError


def bind(names: Sequence[str], given: Sequence[Any], named: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call ``kernel(x, y, n=18)`` by name, each exactly once.

    A single mapping or list among those that are ``given`` stands for all of them. RunError for
    arguments that are unknown, missing, given twice or too many.
    """
    only = given[0] if len(given) == 1 else None
    if isinstance(only, Mapping):
        found = dict(only)
    else:
        values = only if isinstance(only, (list, tuple)) else given
        count = len(values) + len(named)
        if (values or only is not None) and count != len(names):
            raise _error(f"expected {len(names)} arguments, got {count}", names)
        found = dict(zip(names, values))
    for name, value in named.items():
        if name in found:
            raise _error(f"argument '{name}' is given twice", names)
        found[name] = value
    unknown = [n for n in found if n not in names]
    missing = [n for n in names if n not in found]
    if unknown or missing:
        what = f"has no argument '{unknown[0]}'" if unknown else f"needs argument '{missing[0]}'"
        raise _error(f"the kernel {what}", names)
    return found


def integer(name: str, value: Any, type: Any, location: Location = UNKNOWN) -> int:
    """The number that is given for an integer argument: what Python takes for an index.

    So 2.0 isn't one; NumPy's booleans are for i1 only. RunError names the argument and its type.
    """
    given: Any = int(value) if isinstance(value, np.bool_) and str(type) == "i1" else value
    try:
        return operator.index(given)
    except TypeError:
        raise RunError(f"argument '{name}' is an integer ({type}), got {value!r}", location) from None


def _error(message: str, names: Sequence[str]) -> RunError:
    return RunError(message, hint=f"the kernel's arguments are: {', '.join(names) or 'none'}")
