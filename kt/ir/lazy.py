"""NumPy, imported when it is first used: a module without big constants is read without it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
else:

    class _LazyModule:
        """Stands for NumPy; attributes that were asked for stay, so that only the first access costs."""

        def __getattr__(self, name: str) -> Any:
            import numpy

            value = getattr(numpy, name)
            setattr(self, name, value)
            return value

    np = _LazyModule()

__all__ = ["np"]
