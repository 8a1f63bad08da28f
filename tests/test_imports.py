"""Imports flow one way, also those inside functions; nothing in the core knows a device."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import kt

ROOT = Path(kt.__file__).parent
ORDER = ("ir", "parse", "arch", "binary", "sim", "passes", "plugins", "kernels", "ops", "api", "view", "cli")
# The public names in kt/__init__.py stand above everything.
LEVELS = {name: level for level, name in enumerate(ORDER)} | {"": len(ORDER)}


def part_of(module: str) -> str:
    """``kt.ir.core`` → ``ir``."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else ""


def imports_of(path: Path, module: str):
    """(line, module) of every import of kt in a file."""
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "kt":
                    yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                up = package.split(".")
                base = ".".join([*up[: len(up) - node.level + 1], *filter(None, [base])])
            if base == "kt":
                for alias in node.names:
                    yield node.lineno, f"kt.{alias.name}"
            elif base.startswith("kt."):
                yield node.lineno, base


def files():
    for path in sorted(ROOT.rglob("*.py")):
        relative = path.relative_to(ROOT.parent).with_suffix("")
        parts = relative.parts[:-1] if path.name == "__init__.py" else relative.parts
        yield path, ".".join(parts)


def wrong_imports(path, module):
    mine = LEVELS.get(part_of(module), 9)
    for line, imported in imports_of(path, module):
        part = part_of(imported)
        # A name of kt/__init__.py that is no part is an object of the package itself.
        level = LEVELS.get(part)
        if level is not None and part and level > mine:
            yield f"{path.relative_to(ROOT.parent)}:{line} imports {imported}"


@pytest.mark.parametrize(
    "part", [p for p in ORDER if (ROOT / p).exists() or (ROOT / f"{p}.py").exists()]
)
def test_imports_flow_one_way(part):
    found = [
        wrong
        for path, module in files()
        if part_of(module) == part
        for wrong in wrong_imports(path, module)
    ]
    assert found == []


def test_the_check_sees_lazy_and_relative_imports(tmp_path):
    file = tmp_path / "bad.py"
    file.write_text(
        "def f():\n    from kt.sim import machine\n    from ..passes import manager\n    import kt.cli\n"
    )
    found = [name for _, name in imports_of(file, "kt.ir.bad")]
    assert found == ["kt.sim", "kt.passes", "kt.cli"]


def test_every_part_is_in_the_order():
    parts = {p.stem for p in ROOT.iterdir() if p.suffix == ".py" or (p / "__init__.py").exists()}
    assert parts - {"__init__", "__main__"} <= set(ORDER) | {"grammars"}
