"""Extending kt from outside: dialects, passes, rewrite patterns.

A plug-in is a Python file (``kt COMMAND --load my.py``) or a package with an entry point in the group
``kt.plugins``, which names a module, or a function to call. It registers what it brings::

    import kt
    from kt.ir.core import Operation
    from kt.ir.opdef import operand, result
    from kt.passes.base import Pass

    kt.register_dialect("mine")                   # its op classes stand in this module

    class NegOp(Operation):
        '''Minus one times.'''
        name = "mine.neg"
        ...

    @kt.register_pass
    @frozen
    class MyPass(Pass): ...

    @kt.register_pattern("mine.neg")              # applied by the pass canonicalize
    def double_neg(op, rw): ...
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from kt.ir import registry
from kt.ir.diagnostics import FileLoc, KtError

if TYPE_CHECKING:
    from kt.passes.registry import PassT

__all__ = ["load_file", "load_installed", "register_dialect", "register_pass", "register_pattern"]

GROUP = "kt.plugins"
_loaded: dict[Path, ModuleType] = {}
_installed: list[str] = []


def register_dialect(name: str, module: str | None = None) -> None:
    """Make a dialect known. ``module`` defines its ops, types and attributes; default: the caller's.

    Raises KtError if kt has a dialect of that name itself.
    """
    if name in registry.DIALECTS:
        raise KtError(f"kt has a dialect '{name}' itself", code="plugin")
    home: str = module or sys._getframe(1).f_globals["__name__"]
    registry.register_dialect(name, home)


def register_pass(cls: PassT) -> PassT:
    """Class decorator: make a pass known under its ``name``."""
    # Imported late: who only launches artifacts needs no passes.
    from kt.passes.registry import register_pass as register

    return register(cls)


def register_pattern(*roots: Any, benefit: int = 1, name: str | None = None) -> Callable[[Any], Any]:
    """Decorator for ``f(op, rewriter) -> bool``: a rewrite of these ops that ``canonicalize`` applies."""
    from kt.ir.rewriter import canonicalization

    return canonicalization(*roots, benefit=benefit, name=name)


def load_file(path: str | Path) -> ModuleType:
    """Run a plug-in's file, once. KtError names the line at which it fails."""
    file = Path(path).resolve()
    if file in _loaded:
        return _loaded[file]
    name = f"kt_plugin_{file.stem.replace('-', '_')}_{len(_loaded)}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None or not file.is_file():
        raise KtError(f"cannot load '{path}': there is no such Python file", code="plugin")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except KtError:
        raise
    except Exception as error:
        del sys.modules[name]
        raise KtError(
            f"the plug-in failed: {type(error).__name__}: {error}", _line_of(error, str(path)), code="plugin"
        ) from error
    _loaded[file] = module
    return module


def load_installed() -> list[str]:
    """Load the plug-ins of installed packages, once; returns their names."""
    from importlib.metadata import entry_points

    for point in sorted(entry_points(group=GROUP), key=lambda p: p.name):
        if point.name not in _installed:
            _installed.append(point.name)
            try:
                found = point.load()
                if callable(found):
                    found()
            except KtError:
                raise
            except Exception as error:
                raise KtError(
                    f"the plug-in '{point.name}' failed: {type(error).__name__}: {error}",
                    hint=f"it belongs to the entry points {GROUP}; uninstall its package to do without",
                    code="plugin",
                ) from error
    return list(_installed)


def _line_of(error: Exception, path: str) -> FileLoc:
    """The last line of the plug-in's own file in a traceback."""
    line = getattr(error, "lineno", None) or 1
    step = error.__traceback__
    while step is not None:
        if Path(step.tb_frame.f_code.co_filename).name == Path(path).name:
            line = step.tb_lineno
        step = step.tb_next
    return FileLoc.at(path, line, 1)
