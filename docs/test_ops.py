"""Documents that are generated are current."""

from __future__ import annotations

from pathlib import Path

from scripts import script

from kt.ir import registry

DOCS = Path(__file__).parent


def generator():
    return script(DOCS / "ops.py")


def test_table_of_operations_is_current():
    assert (DOCS / "ops.md").read_text() == generator().document(), "run python docs/ops.py"


def test_every_dialect_has_a_level():
    listed = [dialect for dialects in generator().LEVELS.values() for dialect in dialects]
    assert sorted(listed) == sorted(registry.DIALECTS)


def test_every_operation_says_what_it_does():
    module = generator()
    registry.load_all()
    silent = [n for n, c in registry.OPS.items() if n.partition(".")[0] in registry.DIALECTS and not module.summary(c)]
    assert silent == []
