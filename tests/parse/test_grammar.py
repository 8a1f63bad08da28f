"""The assembled grammars, the driver against Lark's own parser, and the cache of tables."""

from __future__ import annotations

import itertools
import logging
import marshal
import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from reference import Reference

from kt.ir.diagnostics import ParseError
from kt.parse import cache, cold_build, grammar, parse_path, parse_text, print_op
from kt.parse.grammar import languages

CORPUS = Path(__file__).parents[1] / "corpus"
FILES = sorted(
    path
    for pattern in ("kernels/*.mlir", "ktir/ex*.mlir", "ktdf/*.mlir", "upstream/*.mlir", "text/everything*", "dfir/*.mlir", "pdl/*.mlir")
    for path in CORPUS.glob(pattern)
)  # fmt: skip


@pytest.fixture(scope="module")
def texts():
    return cold_build.assemble()


@pytest.fixture(scope="module")
def reference():
    return Reference()


def test_every_format_compiles(texts):
    assert texts.problems == []
    for name in {name for _, name in texts.words.values()}:
        grammar._make_builder(name)


def test_op_rules_stay_few(texts):
    kinds = {kind for kind, _ in texts.words.values()}
    assert len(kinds) <= 180, f"{len(kinds)} syntax classes"


def test_only_known_conflicts(texts):
    """Lark resolves shift/reduce conflicts silently (as shift); each must be one that is meant so."""
    records: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: records.append(record.getMessage())
    logger = logging.getLogger("lark")
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    try:
        cold_build.build_lark(texts.core, ["file"], debug=True)
        cold_build.build_lark(texts.attributes, ["type_text", "attr_text"], debug=True)
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
    conflicts = {
        (m[1], n[1])
        for first, second in itertools.pairwise(records)
        if (m := re.match(r"Shift/Reduce conflict for terminal (\w+)", first))
        and (n := re.match(r" \* <(\S+) :", second))
    }
    # A number or string followed by `:` takes the type; an op takes the dictionary, alias or type
    # that may follow it, rather than ending there.
    greedy = {"COLON", "LBRACE", "KT_ALIAS", "KT_TYPE_ALIAS", "KT_STRING", "COMMA", "LSQB", "LPAR"}
    assert {terminal for terminal, _ in conflicts} <= greedy


@pytest.mark.parametrize("path", FILES, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_driver_agrees_with_lark(reference, path):
    text = path.read_text()
    assert reference.by_driver(text) == reference.by_lark(text)


def test_whole_operations_are_an_accelerator_only(monkeypatch):
    """Text with and without the tokens of whole operations means the same, locations too."""
    texts = {path: path.read_text() for path in FILES}
    fused = {p: print_op(parse_text(text), generic=True, locations=True) for p, text in texts.items()}
    used = [kind for kind, _ in languages().core.words.values() if languages().core.fuse(kind)]
    assert len(used) > 150
    monkeypatch.setattr(languages().core, "fuse", lambda kind: None)
    for path, text in texts.items():
        assert print_op(parse_text(text), generic=True, locations=True) == fused[path], path


@pytest.mark.parametrize(
    "text",
    [
        "%0 = arith.addi %a, %b : i32 loc(unknown)",
        "%0 = arith.addi %a, %b : i32 {x}",
        "%0 = arith.addi %a, %b {x} : i32 // said",
        "%0 = arith.addi %a , // first\n %b : i32",
        "%0 = arith.addi %a, %b : i32, i32",
        "%0 = arith.addi %a, %b : f32",
        "%0 = arith.addi %a, %b : vector<4x",
        "%0 = arith.addi %a, %c : i32",
        "%0 = arith.extsi %a : i32 to i64 %1 = arith.trunci %0 : i64 to i8",
        "%0 = arith.extsi %a : i32 to i64, i8",
        "%0 = arith.constant 01 : i32",
        "%0 = arith.constant 5 : f32",
        "%0 = arith.constant 0x10 : i32",
        "%0 = arith.constant 300 : i8",
        "%0 = arith.cmpi foo, %a, %b : i32",
        "%0 = arith.cmpi slt, %a, %b : i32",
        "func.return %a : i32",
        "func.call @g(%a) : (i32) -> i32",
    ],
)
def test_whole_operations_or_their_rules(monkeypatch, text):
    """Plain or not, right or wrong: the same IR, or the same message at the same place."""
    text = f"func.func @f(%a: i32, %b: i32) {{\n  {text}\n  return\n}}"

    def outcome() -> str:
        try:
            return print_op(parse_text(text), locations=True)
        except ParseError as error:
            return error.render()

    fused = outcome()
    monkeypatch.setattr(languages().core, "fuse", lambda kind: None)
    assert outcome() == fused


def test_cold_and_cached_tables_agree(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    built = cold_build.build_tables()
    cache.store("k" * 64, built)
    assert cache.load("k" * 64) == built
    folder = tmp_path / "kt"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[:-10],
        lambda data: data[:100] + b"\x00" + data[101:],
        lambda data: b"not a table at all",
    ],
)
def test_broken_cache_is_ignored(tmp_path, monkeypatch, damage):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    cache.store("k" * 64, {"rows": [1, 2, 3], "text": "x" * 300})
    (file,) = (tmp_path / "kt").glob("grammar-*.bin")
    file.write_bytes(damage(file.read_bytes()))
    assert cache.load("k" * 64) is None


def test_unusable_cache_folder(tmp_path, monkeypatch):
    (tmp_path / "kt").write_text("a file where the folder should be")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache.cache_dir() is None
    cache.store("k" * 64, {"a": 1})
    assert cache.load("k" * 64) is None


def test_old_tables_are_removed(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for i in range(9):
        cache.store(f"{i:064}", {"n": i})
        os.utime(next((tmp_path / "kt").glob(f"grammar-{f'{i:064}'[:32]}.bin")), (i, i))
    assert len(list((tmp_path / "kt").glob("*"))) <= 5


def test_tables_are_plain_data():
    data = marshal.dumps(cold_build.build_tables())
    assert marshal.loads(data)["core"]["starts"].keys() == {"file"}


def test_cached_start_needs_no_lark():
    code = (
        "import sys, kt.parse as p; p.parse_text('func.func @f(%a: i32) { return }');"
        "sys.exit('lark' in sys.modules)"
    )
    parse_text("module {}")  # fills the cache
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_same_bytes_under_any_hash_seed():
    code = f"import kt.parse as p; print(p.print_op(p.parse_path({str(FILES[0])!r})))"
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("0", "7")
    }  # fmt: skip
    assert outputs == {print_op(parse_path(FILES[0])) + "\n"}


def test_op_declared_later_shares_a_rule():
    from kt.ir.constraints import SIGNLESS_INTEGER_LIKE
    from kt.ir.core import Operation
    from kt.ir.opdef import operand, result
    from kt.ir.traits import SameOperandsAndResultType

    class TwiceOp(Operation):
        """A stranger whose format is that of many binary ops."""

        name = "stranger.twice"
        traits = (SameOperandsAndResultType(),)
        assembly_format = "$lhs `,` $rhs attr-dict `:` type($out)"
        lhs = operand(SIGNLESS_INTEGER_LIKE)
        rhs = operand(SIGNLESS_INTEGER_LIKE)
        out = result(SIGNLESS_INTEGER_LIKE)

    text = "func.func @f(%arg0: i8) {\n    %0 = stranger.twice %arg0, %arg0 {x} : i8\n    return\n  }"
    module = parse_text(text)
    assert isinstance(module.body.first_op.body.first_op, TwiceOp)
    assert text in print_op(module)
