"""Which passes exist. A pass's module is imported when its name is used."""

from __future__ import annotations

import importlib
import importlib.util
from difflib import get_close_matches
from pathlib import Path
from typing import TypeVar

from kt.ir.diagnostics import PassError
from kt.passes.base import Pass

FOLDERS = ("frontend", "schedule", "backend", "common")
PASSES: dict[str, type[Pass]] = {}
"""Passes met so far by name; :func:`lookup_pass` finds the others."""

PassT = TypeVar("PassT", bound=type[Pass])


def register_pass(cls: PassT) -> PassT:
    """Class decorator: make a pass known under its ``name``."""
    PASSES[cls.name] = cls
    return cls


def lookup_pass(name: str) -> type[Pass]:
    """The class of a pass; its module is imported if need be. Raises PassError if there is none."""
    if name not in PASSES and name.replace("-", "").isalnum():
        for folder in FOLDERS:
            module = f"kt.passes.{folder}.{name.replace('-', '_')}"
            if importlib.util.find_spec(f"kt.passes.{folder}") and importlib.util.find_spec(module):
                importlib.import_module(module)
    found = PASSES.get(name)
    if found is None:
        near = get_close_matches(name, pass_names(), 1)
        raise PassError(
            f"no pass is called '{name}'",
            hint=f"did you mean '{near[0]}'?" if near else "see --list-passes",
        )
    return found


def pass_names() -> list[str]:
    """Names of all passes, those not imported yet by their files."""
    here = Path(__file__).parent
    files = (f for folder in FOLDERS for f in (here / folder).glob("*.py"))
    names = {f.stem.replace("_", "-") for f in files if f.stem != "__init__"}
    loaded = {cls.__module__.rpartition(".")[2].replace("_", "-") for cls in PASSES.values()}
    return sorted(set(PASSES) | (names - loaded))


def list_passes() -> list[type[Pass]]:
    """All pass classes by name (imports them all)."""
    here = Path(__file__).parent
    for folder in FOLDERS:
        for file in sorted((here / folder).glob("*.py")):
            importlib.import_module(f"kt.passes.{folder}.{file.stem}".removesuffix(".__init__"))
    return [PASSES[name] for name in sorted(PASSES)]
