"""Against the real mlir-opt (Debian's mlir-22-tools); skipped where it isn't installed.

Our generic text is accepted for every dialect (`--allow-unregistered-dialect`); for upstream's dialects
our custom text is accepted, and both tools print the same.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from scripts import script

from kt.parse import parse_text, print_op, split_input

TOOL = shutil.which("mlir-opt-22") or shutil.which("mlir-opt")
pytestmark = pytest.mark.skipif(TOOL is None, reason="mlir-opt isn't installed")
ROOT = Path(__file__).parents[2]
CORPUS = ROOT / "tests" / "corpus"
WRONG = {"rejected.mlir", "contradictions.mlir", "many_errors.mlir", "accepted.mlir"}
FOLDERS = sorted({f.parent for f in CORPUS.rglob("*.mlir")})
UPSTREAM = sorted(f for f in (CORPUS / "upstream").glob("*.mlir") if ".generic" not in f.name and "ktdp." not in f.read_text())
SEPARATOR = "\n// -----\n"


def mlir_opt(text: str, *options: str) -> str:
    assert TOOL is not None
    result = subprocess.run(
        [TOOL, "--allow-unregistered-dialect", "--split-input-file", *options],
        input=text, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr[:3000]
    return result.stdout


def modules(folder: Path) -> list[str]:
    files = [f for f in sorted(folder.glob("*.mlir")) if f.name not in WRONG]
    return [p for f in files for p, _ in split_input(f.read_text()) if p.strip()]


# Upstream knows our attributes as text only, and takes no such attribute for a memory space.
OPAQUE_SPACE = re.compile(r"memref<[^<>]*(?:<[^<>]*>)?[^<>]*, #(?!map)")


def names(text: str) -> list[str]:
    return re.findall(r'"(\w+\.[\w.]+)"\(', text)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda f: f.name)
def test_generic_text_is_accepted(folder):
    printed = [print_op(parse_text(part), generic=True) for part in modules(folder)]
    texts = [text for text in printed if not OPAQUE_SPACE.search(text)]
    if not texts:
        pytest.skip("every file has a memory space of our dialects")
    # Aliases in such text are text, too: their definitions get lost. So only the ops are compared.
    back = mlir_opt(SEPARATOR.join(texts), "--mlir-print-op-generic").split("// -----\n")
    assert [names(text) for text in texts] == [names(b) for b in back if b.strip()]


@pytest.mark.parametrize("file", UPSTREAM, ids=lambda f: f.stem)
def test_custom_text_of_upstream_dialects(file):
    module = parse_text(file.read_text())
    ours = print_op(module)
    assert mlir_opt(ours).strip() == ours.strip()
    theirs = mlir_opt(ours, "--mlir-print-op-generic")
    assert print_op(parse_text(theirs)) == ours
    if "linalg.memoized_indexing_maps" not in theirs:  # made up in the generic form by upstream
        assert theirs.strip() == print_op(module, generic=True).strip()


@pytest.mark.parametrize("generic", [False, True], ids=["custom", "generic"])
def test_generated_module(generic):
    """The files of the benchmark: accepted, and printed alike by both tools."""
    text = script(ROOT / "benchmarks" / "gen_mlir.py").module(1000, generic)
    module = parse_text(text)
    assert print_op(module).strip() == mlir_opt(text).strip()
    assert print_op(module, generic=True).strip() == mlir_opt(text, "--mlir-print-op-generic").strip()
