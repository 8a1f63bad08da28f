"""The pipelines: names of passes, in order, by level."""

from __future__ import annotations

from typing import Any


def ktir_to_schedule(device: Any = None, options: Any = None) -> list[str]:
    """From KTIR to pipelines whose transfers follow real routes.

    ``device`` and ``options`` are those of the compilation; no pass of this part depends on them yet.
    """
    return [
        "ensure-device-declaration",
        "ktir-legality-check",
        "normalize-ktir",
        "compute-group-extraction",
        "construct-three-stage-pipeline",
        "path-expansion",
        "scalar-broadcast-legalization",
    ]
