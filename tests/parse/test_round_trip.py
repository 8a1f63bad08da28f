"""Every text of the corpus goes in and comes out again, in both forms, with and without locations."""

from __future__ import annotations

from pathlib import Path

import pytest

from kt.ir.diagnostics import KtError
from kt.ir.verifier import verify
from kt.parse import parse_text, print_op, split_input

CORPUS = Path(__file__).parents[1] / "corpus"
WRONG = {"rejected.mlir", "contradictions.mlir", "many_errors.mlir"}
FILES = sorted(f for f in CORPUS.rglob("*.mlir") if f.name not in WRONG)
SPEC = {"backend_passes": 23, "dfir": 15, "ktdf": 7, "ktdf_arch": 4, "ktdf_lowering": 2, "ktir": 7, "pdl_patterns": 4}  # fmt: skip


def parts(file: Path) -> list[str]:
    return [part for part, _ in split_input(file.read_text()) if part.strip()]


@pytest.mark.parametrize("file", FILES, ids=lambda f: f"{f.parent.name}-{f.stem}")
def test_both_forms_come_back(file):
    for part in parts(file):
        module = parse_text(part, file.name)
        verify(module, lenient=True)
        generic, custom = print_op(module, generic=True), print_op(module)
        from_generic, from_custom = parse_text(generic), parse_text(custom)
        assert print_op(from_generic, generic=True) == generic
        assert print_op(from_custom) == custom
        assert print_op(from_custom, generic=True) == generic
        assert print_op(from_generic) == custom


@pytest.mark.parametrize("file", FILES[::3], ids=lambda f: f"{f.parent.name}-{f.stem}")
@pytest.mark.parametrize("generic", [False, True], ids=["custom", "generic"])
def test_locations_come_back(file, generic):
    for part in parts(file):
        text = print_op(parse_text(part, file.name), generic=generic, locations=True)
        assert print_op(parse_text(text, "other.mlir"), generic=generic, locations=True) == text


@pytest.mark.parametrize(("name", "count"), SPEC.items())
def test_examples_of_the_spec_are_all_there(name, count):
    texts = parts(CORPUS / "spec" / f"{name}.mlir")
    assert len(texts) == count
    for text in texts:
        verify(parse_text(text))


def test_wrong_texts_are_rejected():
    for file in (CORPUS / "ktir" / "rejected.mlir", CORPUS / "ktir" / "contradictions.mlir"):
        for number, part in enumerate(parts(file)):
            with pytest.raises(KtError) as caught:
                verify(parse_text(part, file.name))
                pytest.fail(f"{file.name}, part {number} is accepted")
            assert caught.value.location.position() is not None, caught.value.message
