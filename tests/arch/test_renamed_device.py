"""No pass knows a device's words: renamed and permuted, a device gets the same artifacts and cycles."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from renaming import rename

import kt
from kt.arch import load_device, shipped_devices
from kt.sim.functions import find_function
from kt.sim.inputs import generate_arguments

KERNELS = Path(__file__).parents[1] / "corpus" / "kernels"
PACKAGE = Path(kt.__file__).parent


def compiled(kernel: str, device: Any) -> tuple[Any, Any, dict[str, np.ndarray]]:
    """Artifact, report and outputs of a kernel on generated inputs."""
    module = kt.parse_file(KERNELS / f"{kernel}.mlir")
    program = kt.compile(module, device)
    arguments = generate_arguments(module, find_function(module, kernel), seed=3)
    loaded = kt.Runtime(device).load(program)
    outputs = loaded(arguments)
    return program, loaded.last, outputs


@pytest.mark.parametrize("kernel", ["silu_gate", "affine_broadcast", "mean_var"])
@pytest.mark.parametrize("name", shipped_devices())
def test_same_artifact_and_cycles_under_other_words(name: str, kernel: str, tmp_path: Path) -> None:
    original = load_device(name)
    other = rename(original, tmp_path, seed=len(name) + len(kernel))
    assert not set(map(str, original.kinds)) & set(map(str, other.device.kinds))
    first, report, outputs = compiled(kernel, original)
    second, again, same = compiled(kernel, other.device)
    texts = [p.disassemble() for p in (first, second)]
    plain, renamed = (re.sub(r"digest\S*.*", "", text) for text in (texts[0], other.original(texts[1])))
    assert plain == renamed
    assert report.cycles == again.cycles
    for key, array in outputs.items():
        assert np.array_equal(array, same[key], equal_nan=True)


def test_no_words_of_a_device_in_the_package() -> None:
    """Only device files (and what documents them) name kinds of units and memories."""
    kinds = {str(k) for name in shipped_devices() for k in load_device(name).kinds}
    names = {f"@{name}" for name in shipped_devices()}
    places = [PACKAGE / part for part in ("ir", "passes", "sim", "binary", "parse", "arch")]
    found = []
    for path in sorted(p for place in places for p in place.rglob("*.py")):
        text = path.read_text()
        if not any(w in kinds or w in names for w in re.findall(r"@?\w+", text)):
            continue
        code = without_documentation(text)
        found += [f"{path.name}: {w}" for w in re.findall(r"@?\w+", code) if w in kinds or w in names]
    # `#ktdp.spyre_memory_space<LX>` is an old spelling of upstream's text, not a word of a device.
    assert [f for f in found if f != "ktdp.py: LX"] == []


def without_documentation(source: str) -> str:
    """Python text without docstrings and comments."""
    import ast

    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            node.value.value = ""
    return ast.unparse(tree)
