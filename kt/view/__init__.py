"""Looking at what the compiler does: differences between passes, explorer, reports, timelines.

>>> import kt                                               # doctest: +SKIP
>>> kt.diff(before, after)                                  # doctest: +SKIP
>>> kt.diff_passes(module, kt.device("toy"))                # doctest: +SKIP
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kt.ir.core import Operation
    from kt.view.pipeline import PipelineDiff


def diff(before: Operation | str | Path, after: Operation | str | Path, **selection: Any) -> PipelineDiff:
    """What is different between two modules (or texts, or files): prints itself, in notebooks too.

    Operations are matched by structure: renumbered values are no difference. Keyword arguments are
    those of :class:`kt.view.pipeline.Selection` (``context``, ``func``, ``ops``, ``everything``).
    """
    from kt.view.pipeline import PipelineDiff, Selection
    from kt.view.record import stages_of

    (one, first), (two, second) = _module(before, "before"), _module(after, "after")
    stages = stages_of([(first, one), (second, two)])
    return PipelineDiff(f"{first} → {second}", stages, Selection(**selection))


def diff_passes(
    module: Operation, device: Any = None, func: str | None = None, passes: Any = None, **selection: Any
) -> PipelineDiff:
    """What each pass does to a kernel on its way to ``device`` (or what each of ``passes`` does)."""
    from kt.api import module_of
    from kt.passes.compiler import Compilation, Options
    from kt.view.pipeline import PipelineDiff, Selection
    from kt.view.record import Recorder

    recorder = Recorder()
    compilation = Compilation.start(module_of(module), device, func, Options())
    compilation.lower(instruments=[recorder], passes=passes)
    title = f"@{compilation.kernel} on {compilation.device.name}"
    return PipelineDiff(title, recorder.stages, Selection(**selection))


def _module(source: Any, name: str) -> tuple[Operation, str]:
    from kt.api import module_of
    from kt.parse import parse_path, parse_text

    if isinstance(source, Path):
        return parse_path(source), source.name
    if isinstance(source, str):
        return (parse_path(source), source) if "\n" not in source else (parse_text(source, name), name)
    return module_of(source), name
