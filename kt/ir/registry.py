"""Which dialects and operations exist. A dialect's module is imported when one of its names is met."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kt.ir.attributes import Attribute
    from kt.ir.core import Operation

DIALECTS = (
    "builtin", "func", "arith", "math", "scf", "cf", "tensor", "memref", "affine", "linalg",
    "ktdp", "spyreop", "ktdf", "ktdf_arch", "ktdf_lowering", "dataflow", "uniform", "agen",
    "vectorchain", "symbol", "pdl", "kt",
)  # fmt: skip
"""Dialects of the package: each one is ``kt/ir/dialects/<name>.py``."""

OPS: dict[str, type[Operation]] = {}
ATTRIBUTES: dict[str, type[Attribute]] = {}
"""Dialect attributes and types by full name (``ktdp.memory_space``)."""
ATTRIBUTE_RULES: dict[str, Callable[[Operation, str, Attribute], None]] = {}
"""By dialect: check ``(op, name, value)`` of a discardable attribute ``dialect.name`` on any op."""
print_op: Callable[[Operation], str] = repr
"""Text of an operation; kt.parse puts its printer here, so that ``str(op)`` needs no import of it."""
_loaded: set[str] = set()
_PLUGINS: dict[str, str] = {}


def register_dialect(name: str, module: str) -> None:
    """Make a dialect of another package known: ``module`` is imported at first use."""
    _PLUGINS[name] = module


def load_dialect(name: str) -> bool:
    """Import the module that defines a dialect; False when there is none."""
    if name in _loaded:
        return True
    module = _PLUGINS.get(name)
    if module is None:
        if name not in DIALECTS:
            return False
        module = f"kt.ir.dialects.{name}"
        if importlib.util.find_spec(module) is None:
            return False
    _loaded.add(name)
    importlib.import_module(module)
    return True


def load_all() -> None:
    """Import every known dialect."""
    for name in dialect_names():
        load_dialect(name)


def dialect_names() -> Iterator[str]:
    yield from DIALECTS
    yield from _PLUGINS


def lookup_op(name: str) -> type[Operation] | None:
    """The class of an operation, its dialect loaded if need be."""
    found = OPS.get(name)
    if found is None and load_dialect(name.partition(".")[0]):
        found = OPS.get(name)
    return found


def lookup_attribute(name: str) -> type[Attribute] | None:
    """The class of a dialect's attribute or type by full name."""
    found = ATTRIBUTES.get(name)
    if found is None and load_dialect(name.partition(".")[0]):
        found = ATTRIBUTES.get(name)
    return found


def plugins() -> dict[str, str]:
    """Dialects of other packages and their modules."""
    return dict(_PLUGINS)
