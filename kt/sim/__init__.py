"""Running IR of any level, and decoded binaries, on simulated memories."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kt.sim.dataflow import run_dataflow
    from kt.sim.runtime import Counters, Kernel, Report, Runtime
    from kt.sim.streams import Event, Stream
    from kt.sim.tensors import Tensor

_HOMES = {
    "Counters": "kt.sim.runtime",
    "Event": "kt.sim.streams",
    "Kernel": "kt.sim.runtime",
    "Report": "kt.sim.runtime",
    "Runtime": "kt.sim.runtime",
    "Stream": "kt.sim.streams",
    "Tensor": "kt.sim.tensors",
    "run_dataflow": "kt.sim.dataflow",
}
__all__ = ["Counters", "Event", "Kernel", "Report", "Runtime", "Stream", "Tensor", "run_dataflow"]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'kt.sim' has no attribute '{name}'")
    return getattr(importlib.import_module(home), name)
