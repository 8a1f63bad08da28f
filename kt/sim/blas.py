"""Matrix products on one thread of the BLAS library that NumPy brings along.

The products of tiles are small: a library that spreads each of them over all processors spends its
time waiting for them, most of all on a busy machine, and its bits would depend on their number.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

_NAMES = [
    (f"{prefix}openblas_get_num_threads{suffix}", f"{prefix}openblas_set_num_threads{suffix}")
    for prefix in ("scipy_", "")
    for suffix in ("64_", "", "_64_")
]


@functools.cache
def _switch() -> tuple[Callable[[], int], Callable[[int], object]] | None:
    """Functions that get and set the number of threads; None for a library without them."""
    home = Path(np.__file__).parent
    for folder in (home.parent / "numpy.libs", home / ".dylibs"):
        for path in sorted(folder.glob("*openblas*")):
            try:
                library = ctypes.CDLL(str(path))
            except OSError:
                continue
            for get, set_ in _NAMES:
                if hasattr(library, get) and hasattr(library, set_):
                    return getattr(library, get), getattr(library, set_)
    return None


@contextmanager
def one_thread() -> Iterator[None]:
    """While the context lasts, products use one thread (where the library can be told)."""
    switch = _switch()
    before = switch[0]() if switch else 1
    if switch is None or before == 1:
        yield
        return
    switch[1](1)
    try:
        yield
    finally:
        switch[1](before)
