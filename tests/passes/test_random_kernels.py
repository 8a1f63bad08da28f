"""Random kernels: the decoded artifact, the executor and NumPy agree on every device.

A kernel that fails is made smaller as far as it goes; what is left stands in the message, and in a
file that the message names.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from random_kernels import RandomKernel

import kt
from kt.ir.core import Operation
from kt.ir.diagnostics import InternalError, KtError
from kt.ir.dialects.func import FuncOp
from kt.passes.analysis.nests import programs
from kt.passes.checking import Oracle
from kt.passes.compiler import Compilation, Options
from kt.passes.reduce import reduce_module

DEVICES = ["toy", "spyre", "mesh"]
BATCH = 20
VIEW = "ktdp.construct_memory_view"
STEPS = 300
"""Kernels that are tried to make a failing one smaller."""
LIMITS = [
    r"need \d+ bytes of \w+, which has \d+ bytes left",
    r"doesn't fit \w+: \d+ of its \d+ bytes are taken",
]
"""Reasons for which a device may refuse a kernel."""


@cache
def device(name: str) -> kt.Device:
    return kt.device(name)


def copies(data: dict[str, Any]) -> dict[str, Any]:
    return {n: a.copy() if isinstance(a, np.ndarray) else a for n, a in data.items()}


def difference(k: RandomKernel, found: dict[str, np.ndarray]) -> str:
    """Where the executor's buffers aren't what NumPy says; empty if they are."""
    wanted, allowed = k.wanted()
    for name, want in wanted.items():
        got = found[name]
        with np.errstate(all="ignore"):
            off = np.abs(got.astype(float) - want.astype(float))
        fine = (got == want) | (off <= allowed[name]) | (np.isnan(off) & np.isnan(got) & np.isnan(want))
        if not fine.all():
            at = tuple(np.argwhere(~fine)[0])
            return f"NumPy: {name}{list(map(int, at))} is {got[at]} instead of {want[at]}"
    return ""


def failure(
    module: Operation, data: dict[str, Any], on: kt.Device, plan: dict[str, Any] | None = None
) -> tuple[str, str]:
    """What goes wrong with a kernel on a device: a short name for it, and the message.

    ``refused`` if the device can't run it. Accesses that no signal orders are failures.
    """
    try:
        options = Options(verify_each=False, plan=plan)
        compilation = Compilation.start(module, on, options=options)
        oracle = Oracle.of(compilation, copies(data))
        compilation.lower()
        program = kt.Program.from_bytes(compilation.encode().to_bytes())
    except InternalError as error:
        return f"bug {type(error.__cause__).__name__}", error.message
    except KtError as error:
        if any(re.search(limit, error.message) for limit in LIMITS):
            return "refused", error.message
        return "compilation", error.message
    try:
        result = oracle.compare(oracle.run_program(program))
    except KtError as error:
        return "run", error.message
    return ("", "") if result.ok else ("result", result.message)


def way(kind: str, message: str) -> tuple[str, str]:
    """What two failures have in common that are the same: refusals are told apart by their words."""
    return kind, re.sub(r"[\d.]+", "", message) if kind == "compilation" else ""


def smaller(k: RandomKernel, kind: str, message: str, on: kt.Device) -> str:
    """Text of the smallest kernel found that fails in the same way."""

    def fails(module: Operation) -> bool:
        arguments = [a for f in module.walk_type(FuncOp) for a in f.body.arguments]
        if any({u.name == VIEW for u in a.users} == {True, False} for a in arguments):  # a pointer as a number: its value is the runtime's affair
            return False
        try:
            kt.simulate(module, copies(k.data), device=on)
            return way(*failure(module, k.data, on)) == way(kind, message)
        except KtError:
            return False

    return str(reduce_module(kt.parse(k.text), fails, limit=STEPS)[0])


def run(number: int, name: str, folder: Path) -> str:
    """Run kernel ``number`` on a device; ``refused`` or nothing, AssertionError if it goes wrong."""
    on = device(name)
    k = RandomKernel(number, on.num_cores).build()
    module = kt.parse(k.text, f"kernel {number}")
    kind, message = "", difference(k, kt.simulate(module, copies(k.data)))
    text = k.text
    if not message:
        kind, message = failure(module, k.data, on)
        if kind not in ("", "refused"):
            text = smaller(k, kind, message, on)
    if kind != "refused" and message:
        file = folder / f"{name}_{number}.mlir"
        file.write_text(f"// kernel {number} on {name}: {message}\n{text}")
        raise AssertionError(f"kernel {number} on {name}: {message}\n{file}\n{text}")
    return kind


def refused(numbers: range, name: str, folder: Path) -> int:
    """How many of these kernels a device refuses; the others must be right."""
    return Counter(run(number, name, folder) for number in numbers)["refused"]


@pytest.mark.parametrize("batch", range(5))
@pytest.mark.parametrize("name", DEVICES)
def test_random_kernels(name: str, batch: int, tmp_path: Path) -> None:
    assert refused(range(batch * BATCH, (batch + 1) * BATCH), name, tmp_path) <= BATCH / 20


@pytest.mark.sweep
@pytest.mark.parametrize("batch", range(100))
@pytest.mark.parametrize("name", DEVICES)
def test_random_kernels_sweep(name: str, batch: int, tmp_path: Path) -> None:
    assert refused(range(100 + batch * 100, 200 + batch * 100), name, tmp_path) <= 100 / 20


@cache
def with_queues(name: str, depth: int) -> kt.Device:
    """A shipped device whose queues hold so many elements."""
    text = (Path(kt.__file__).parent / "arch" / "devices" / f"{name}.mlir").read_text()
    text, count = re.subn(r"queue = \{depth = \d+", f"queue = {{depth = {depth}", text)
    assert count
    return kt.device(kt.parse(text))


def failures_with_queues(name: str, slots: int, number: int) -> list[str]:
    """What goes wrong with one buffer and with two: an access that races, or a wait without an end."""
    on = with_queues(name, slots)
    k = RandomKernel(number, on.num_cores).build()
    module = kt.parse(k.text)
    planned = Compilation.start(module, on).lower("plan")
    found = []
    for depth in (1, 2):
        plan = {program.attr("sym_name").value: {"depth": depth} for program in programs(planned)}
        kind, message = failure(module, k.data, on, plan)
        if kind:
            found.append(f"depth {depth}, {kind}: {message}\n{k.text}")
    return found


@pytest.mark.parametrize("slots", [1, 2])
@pytest.mark.parametrize("name", DEVICES)
def test_signals_suffice(name: str, slots: int) -> None:
    assert failures_with_queues(name, slots, slots) == []


@pytest.mark.sweep
@pytest.mark.parametrize("slots", [1, 2, 3])
@pytest.mark.parametrize("name", DEVICES)
def test_signals_suffice_sweep(name: str, slots: int) -> None:
    for number in range(100):
        assert failures_with_queues(name, slots, number) == []


def test_what_fails_is_found_and_made_smaller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A compiler that takes x - y for x - x is found, and the message shows a small kernel."""
    lower = Compilation.lower

    def wrong(self: Compilation, *given: Any, **more: Any) -> Operation:
        for op in list(self.module.walk()):
            if op.name == "arith.subf":
                op.operands = [op.operands[0], op.operands[0]]
        return lower(self, *given, **more)

    monkeypatch.setattr(Compilation, "lower", wrong)
    monkeypatch.setattr(f"{__name__}.STEPS", 25)
    with pytest.raises(AssertionError, match="instead of") as caught:
        refused(range(40), "toy", tmp_path)
    (file,) = tmp_path.iterdir()
    text, number = file.read_text(), int(file.stem.partition("_")[2])
    assert str(file) in str(caught.value) and "arith.subf" in text
    whole = kt.parse(RandomKernel(number, device("toy").num_cores).build().text)
    assert len(list(kt.parse(text).walk())) < len(list(whole.walk()))
