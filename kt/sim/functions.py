"""The functions of a module: all of them by name, and the one that is meant."""

from __future__ import annotations

from typing import Any

from kt.ir.core import BlockArgument, Operation
from kt.ir.diagnostics import RunError


def function_table(module: Operation) -> dict[str, Any]:
    """All functions with a body by name, nested modules included."""
    found: dict[str, Any] = {}
    for op in module.walk():
        if op.name == "func.func" and op.regions[0].blocks:
            found.setdefault(op.attr("sym_name").value, op)
    return found


def find_function(module: Operation, name: str | None = None) -> Any:
    """The function to run: by name, or the only one that no other calls. RunError otherwise."""
    functions = function_table(module)
    if name is not None:
        if name not in functions:
            known = ", ".join(f"@{n}" for n in functions) or "none"
            raise RunError(
                f"no function @{name} in the module", module.location, hint=f"there are: {known}"
            )
        return functions[name]
    called = {op.attr("callee").leaf for op in module.walk() if op.name == "func.call"}
    templates = {n for n, f in functions.items() if f.attr("kt.template") is not None}
    roots = [n for n in functions if n not in called and n not in templates]
    if not functions:
        raise RunError(
            "there is no function with a body to run", module.location, hint="a kernel is a func.func that stores something"
        )
    if len(roots) != 1:
        names = ", ".join(f"@{n}" for n in roots) or "none"
        raise RunError(
            f"which function is to be run? There are {len(roots)} that no other calls: {names}",
            module.location,
            hint="name one",
        )
    return functions[roots[0]]


def argument_names(function: Any) -> list[str]:
    """The names of a function's arguments as in its text, without ``%``."""
    blocks: list[BlockArgument] = function.regions[0].blocks[0].arguments
    return [a.name_hint or f"arg{i}" for i, a in enumerate(blocks)]
