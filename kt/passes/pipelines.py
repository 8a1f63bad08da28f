"""The pipelines: names of passes, in order, by level.

Checkpoints (``pre_mapping``, …) run the patterns that the device's file brings.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from kt.passes.base import Pass
from kt.passes.registry import lookup_pass

LEVELS = ("ktir", "plan", "schedule", "dataflow")
"""How far a pipeline can go: normalised KTIR; planned; scheduled; DataflowIR."""
LEGALITY = ("ensure-device-declaration", "ktir-legality-check")


def ktir_to_schedule(device: Any = None, options: Any = None) -> list[Pass | str]:
    """From KTIR to pipelines whose transfers follow real routes.

    ``device`` and ``options`` are those of the compilation; no pass of this part depends on them yet.
    """
    return [*normalise(), *schedule_programs()]


def normalise() -> list[str]:
    """Checks, then one form for every tensor operation."""
    return [*LEGALITY, *checkpoint("pre_mapping"), "normalize-ktir", "pull-partitions", "mirror-partitions", "exchange-over-links", "exchange-through-memory", "insert-buffers"]


REDUCTIONS = "reductions"
"""Entry of a plan from outside that is about the kernel: how its reductions are cut before there are programs."""


def schedule_programs(
    mode: str = "capacity", given: Mapping[str, Any] | None = None
) -> list[Pass | str]:
    """One program per store; its naive schedule; real routes. Mode ``upstream`` keeps no tiles."""
    cut = given.get(REDUCTIONS) if isinstance(given, Mapping) else None
    chunking: Any = lookup_pass("reduction-dim-chunking")
    return [
        *(["keep-tiles"] if mode == "capacity" else []),
        "reduction-dim-chunking" if cut is None else chunking(plan=json.dumps(cut, sort_keys=True)),
        "fuse-epilogues",
        "compute-group-extraction",
        "place-buffers",
        "construct-three-stage-pipeline",
        *checkpoint("pre_scheduling"),
        "path-expansion",
        "scalar-broadcast-legalization",
    ]


def plan_programs(
    mode: str = "capacity", given: Mapping[str, Any] | None = None
) -> list[Pass | str]:
    """The plans of programs: chosen by ``mode``, or ``given`` by program."""
    if isinstance(given, Mapping):
        given = {name: plan for name, plan in given.items() if name != REDUCTIONS}
    text = json.dumps(given, sort_keys=True) if given else ""
    plan: Any = lookup_pass("plan-schedule")
    return ["normalize-scf-for-loops", "canonicalize", plan(mode=mode, plan=text)]


def build_nest() -> list[str]:
    """The loop nest, the buffers and their addresses, as the plan says."""
    return [
        "tile-scf-for-loops",
        "canonicalize",
        "loop-invariant-code-motion",
        "stage-coarsening",
        "tile-size-selection",
        "canonicalize",
        "broadcast-promotion",
        "double-buffering",
        "canonicalize",
        "subsume-linearize-index",
        "coalesce-transfers",
        "parallelize-loops-across-instances",
        "check-plan",
        "unroll-and-jam",
        *checkpoint("post_scheduling"),
        "address-assignment",
        "normalize-grid-to-1d",
    ]


def to_dataflow() -> list[str]:
    """Units, signals, DataflowIR."""
    return [
        "ktdf-to-ktdflowering",
        "ktdflowering-to-dfir",
        "cse",
        *checkpoint("post_lowering"),
        "wrap-program-dfir",
    ]


def checkpoint(group: str) -> list[str]:
    """The device's patterns of one group."""
    return [f"ktdfarch-apply-patterns{{groups={group}}}"]


def pipeline(
    level: str = "dataflow", mode: str = "capacity", plan: Mapping[str, Any] | None = None
) -> list[Pass | str]:
    """All passes from KTIR to ``level`` (one of LEVELS)."""
    parts: dict[str, list[Pass | str]] = {
        "ktir": [*normalise()],
        "plan": [*schedule_programs(mode, plan), *plan_programs(mode, plan)],
        "schedule": [*build_nest()],
        "dataflow": [*to_dataflow()],
    }
    wanted = LEVELS[: LEVELS.index(level) + 1]
    return [item for name in wanted for item in parts[name]]
