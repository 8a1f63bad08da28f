"""Running IR of any level, and decoded binaries, on simulated memories."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kt.sim.runtime import Kernel, Report, Runtime

__all__ = ["Kernel", "Report", "Runtime"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from kt.sim import runtime

        return getattr(runtime, name)
    raise AttributeError(f"module 'kt.sim' has no attribute '{name}'")
