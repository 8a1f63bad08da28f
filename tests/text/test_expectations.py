"""IR in, IR out: every file of ``passes/`` shows what a pipeline makes of a module.

First lines ``// passes: NAMES`` and, if needed, ``// device: NAME``; then the input, a line
``// becomes``, and the expected module; or a line ``// error: TEXT`` with part of the refusal. Values may
be called anything: both sides are printed anew before they are compared.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kt.arch import load_device
from kt.ir.diagnostics import KtError
from kt.ir.verifier import verify
from kt.parse import parse_text
from kt.parse.printer import print_op
from kt.passes.manager import PassContext, PassManager

FILES = sorted((Path(__file__).parent / "passes").glob("*.mlir"))


def setting(text, key):
    found = re.search(rf"^// {key}: *(.*)$", text, re.MULTILINE)
    return found.group(1).strip() if found else None


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_file(file):
    text = file.read_text(encoding="utf-8")
    before, found, after = text.partition("\n// becomes\n")
    module = parse_text(before, file.name)
    verify(module)
    name = setting(text, "device")
    ctx = PassContext(device=load_device(name) if name else None)
    error = setting(text, "error")
    if error is not None:
        with pytest.raises(KtError) as refused:
            PassManager(setting(text, "passes")).run(module, ctx)
        assert error in refused.value.render()
        return
    PassManager(setting(text, "passes")).run(module, ctx)
    expected = parse_text(after, file.name)
    verify(expected)
    assert found and print_op(module) == print_op(expected)


def test_files_are_there():
    assert len(FILES) >= 8
