"""Stages on disk: ``000_input.mlir``, ``004_canonicalize.mlir``, … and back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from pathlib import Path

from kt.ir.diagnostics import KtError
from kt.view.record import Stage, stages_of

_NAME = re.compile(r"(\d+)_(.+)\.mlir$")


def write_stages(stages: list[Stage], directory: Path) -> list[Path]:
    """Write the stages that changed something; returns the files. KtError if that is impossible."""
    written = []
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for stage in stages:
            if stage.changed:
                path = directory / f"{stage.number:03}_{stage.name}.mlir"
                path.write_text(stage.listing.text(), encoding="utf-8")
                written.append(path)
    except OSError as error:
        raise KtError(f"cannot write '{error.filename}': {error.strerror}", code="output") from None
    return written


def read_stages(directory: Path) -> list[Stage]:
    """The stages that a directory holds, in order, matched by structure. KtError if it has none."""
    from kt.parse import parse_path

    files = [(m, path) for path in sorted(directory.iterdir()) if (m := _NAME.match(path.name))]
    if not files:
        raise KtError(
            f"'{directory}' holds no dumps",
            hint="`kt diff FILE --device D --dump-dir DIR` writes NNN_pass.mlir files",
            code="option",
        )
    files.sort(key=lambda item: int(item[0][1]))
    stages = stages_of([(m[2], parse_path(path)) for m, path in files])
    for stage, (match, _) in zip(stages, files, strict=True):
        stage.number = int(match[1])
    return stages


def read_runs(first: Path, second: Path) -> tuple[list[Stage], list[Stage]]:
    """The stages of two runs of a pipeline, pass by pass, each pair matched by structure.

    Passes are paired by name, in order. One that left a dump in one run only changed nothing in the
    other; its stage there is the one before.
    """
    befores, stages = [], []
    for old, new, name in _paired(read_stages(first), read_stages(second)):
        before, stage = stages_of([(name, old.tree.root), (name, new.tree.root)])
        before.number = stage.number = len(stages)
        befores.append(before)
        stages.append(stage)
    return befores, stages


def _paired(old: list[Stage], new: list[Stage]) -> Iterator[tuple[Stage, Stage, str]]:
    names = [[stage.name for stage in run] for run in (old, new)]
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, *names, autojunk=False).get_opcodes():
        if tag == "equal":
            for a, b in zip(old[i1:i2], new[j1:j2], strict=True):
                yield a, b, b.name
            continue
        for stage in old[i1:i2]:
            yield stage, new[max(0, j1 - 1)], stage.name
        for stage in new[j1:j2]:
            yield old[max(0, i2 - 1)], stage, stage.name
