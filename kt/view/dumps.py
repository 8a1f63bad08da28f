"""Stages on disk: ``000_input.mlir``, ``004_canonicalize.mlir``, … and back."""

from __future__ import annotations

import re
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
