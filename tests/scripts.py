"""Python files that belong to no package: benchmarks, generators of documents, kernels of the corpus."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any


def script(path: Path) -> Any:
    """The module that a file is, loaded once under the file's name, by which others may import it."""
    path = path.resolve()
    known = sys.modules.get(path.stem)
    if known is None:
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None and spec.loader is not None
        known = sys.modules[path.stem] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(known)
    assert known.__file__ == str(path), f"two scripts called {path.stem}"
    return known
