"""How fast KTIR kernels run, and how well the estimate meets published cycle counts.

    python benchmarks/ktir.py                                  kt against plain NumPy
    python benchmarks/ktir.py --ktir-cpu CHECKOUT --python PY  ... and against ktir-cpu, side by side

CHECKOUT is a checkout of the public ktir-cpu package and PY a Python (3.12 or newer) with NumPy. Both
run the same texts on the same arrays, in turns, and their results are compared. Times are those of the
processor, which other work on the machine disturbs less than the clock. The time of the same computation
in plain NumPy bounds what any executor on NumPy can reach.

Only the first table is a measurement; without the checkout it lacks the columns of ktir-cpu. The second
one divides figures that were published for ktir-cpu by our times: they were taken on another day, maybe
on another machine, and for the peer's own texts of kernels with these shapes.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
import ktir_estimates
import ktir_kernels
import numpy as np
from ktir_kernels import HEAVY, Kernel
from rich.console import Console
from rich.table import Table

from kt.parse import parse_text
from kt.sim.estimate import estimate
from kt.sim.simulate import simulate

PUBLISHED = {
    "layernorm": 10.67, "softmax": 5.41, "matmul": 6.41, "paged_attention": 10.2,
    "vector_add": 0.00044, "vector_add_dynamic": 0.00038, "softmax_small": 0.064,
    "matmul_small": 0.0045,
}  # fmt: skip
"""Seconds of the fastest execution that was published for ktir-cpu (parsing not included)."""

PEER = """
import json, sys, time
import numpy as np
sys.path.insert(0, sys.argv[1])
from ktir_cpu import KTIRInterpreter
text, name = open(sys.argv[2]).read(), sys.argv[4]
arrays = dict(np.load(sys.argv[3]))
arrays = {k: v if v.ndim else v.item() for k, v in arrays.items()}
best, out = None, None
for _ in range(int(sys.argv[5])):
    k = KTIRInterpreter()
    k.load(text)
    t = time.process_time()
    out = k.execute_function(name, **{n: np.copy(a) for n, a in arrays.items()})
    spent = time.process_time() - t
    best = spent if best is None else min(best, spent)
np.savez(sys.argv[6], **{n: np.asarray(a) for n, a in out.items()})
print(json.dumps(best))
"""


def fastest(call: Any, repeats: int) -> float:
    """Seconds of the fastest of several calls."""
    best = float("inf")
    for _ in range(repeats):
        began = time.process_time()
        call()
        best = min(best, time.process_time() - began)
    return best


def peer_run(
    kernel: Kernel, checkout: str, python: str, repeats: int
) -> tuple[float, dict[str, np.ndarray]] | None:
    """Seconds of ktir-cpu's fastest execution, and its buffers; None if it fails (and says why)."""
    name = kernel.text.split("@", 1)[1].split("(", 1)[0]
    with tempfile.TemporaryDirectory() as folder:
        text, arrays, found = (Path(folder, n) for n in ("k.mlir", "a.npz", "found.npz"))
        text.write_text(kernel.text)
        np.savez(arrays, **kernel.inputs())
        files = [str(text), str(arrays), name, str(repeats), str(found)]
        done = subprocess.run(
            [python, "-c", PEER, checkout, *files], capture_output=True, text=True
        )
        if done.returncode:
            print(f"ktir-cpu fails on {kernel.name}: {done.stderr.strip()[-300:]}", file=sys.stderr)
            return None
        with np.load(found) as buffers:
            return float(json.loads(done.stdout.strip().splitlines()[-1])), dict(buffers)


def error_of(found: dict[str, np.ndarray], wanted: dict[str, np.ndarray]) -> float:
    """The largest deviation of an element."""
    return max(float(np.abs(found[n].astype(np.float64) - w).max()) for n, w in wanted.items())


def measure(kernel: Kernel, args: argparse.Namespace) -> dict[str, Any]:
    """Times of one kernel in seconds."""
    module, inputs = parse_text(kernel.text, kernel.name), kernel.inputs()
    repeats = args.repeats if kernel.name in HEAVY else 10 * args.repeats
    row: dict[str, Any] = {"name": kernel.name, "published": PUBLISHED[kernel.name]}
    row["checked"] = fastest(lambda: simulate(module, inputs), repeats)
    row["unchecked"] = fastest(lambda: simulate(module, inputs, checks=False), repeats)
    assert kernel.reference is not None
    row["numpy"] = fastest(lambda: kernel.reference(inputs), repeats)
    wanted = kernel.reference(inputs)
    row["error"] = error_of(simulate(module, inputs), wanted)
    peer = peer_run(kernel, args.ktir_cpu, args.python, args.repeats) if args.ktir_cpu else None
    if peer is not None:
        row["peer"], row["peer_error"] = peer[0], error_of(peer[1], wanted)
    return row


def show_times(rows: list[dict[str, Any]], console: Console, with_peer: bool) -> None:
    """What was measured in this run, and then what the published figures let one guess."""
    table = Table(title="measured here: processor seconds, fastest of several runs")
    names = ["kernel", "kt", "kt without checks", "NumPy", "kt / NumPy", "error of kt"]
    if with_peer:
        names += ["ktir-cpu", "ktir-cpu / kt", "error of ktir-cpu"]
    for name in names:
        table.add_column(name, justify="left" if name == "kernel" else "right")
    for row in rows:
        cells = [
            row["name"], f"{row['checked']:.5f}", f"{row['unchecked']:.5f}", f"{row['numpy']:.6f}",
            f"{row['checked'] / row['numpy']:.1f}", f"{row['error']:.2g}",
        ]  # fmt: skip
        if with_peer and "peer" in row:
            ratio = row["peer"] / row["checked"]
            cells += [f"{row['peer']:.5f}", f"{ratio:.1f}", f"{row['peer_error']:.2g}"]
        table.add_row(*cells)
    console.print(table)

    table = Table(title="published for ktir-cpu, not measured here")
    for name in ("kernel", "kt", "published", "published / kt"):
        table.add_column(name, justify="left" if name == "kernel" else "right")
    for row in rows:
        ratio = row["published"] / row["checked"]
        table.add_row(
            row["name"], f"{row['checked']:.5f}", f"{row['published']:.5f}", f"{ratio:.1f}"
        )
    console.print(table)


def show_cycles(kernels: dict[str, Kernel], console: Console) -> list[dict[str, Any]]:
    table = Table(title="cycles by the model of ktir-cpu, and on the device spyre")
    for name in (
        "kernel",
        "published",
        "estimate",
        "off by",
        "bytes",
        "spyre",
        "overlapped",
        "roofline",
    ):
        table.add_column(name, justify="left" if name == "kernel" else "right")
    rows = []
    for kernel in kernels.values():
        module, inputs = parse_text(kernel.text, kernel.name), kernel.inputs()
        found = estimate(module, inputs, checks=False)
        device = estimate(module, inputs, device="spyre", checks=False)
        known = kernel.cycles
        off = "-" if known is None else f"{abs(found.cycles - known) / known:.2%}"
        table.add_row(
            kernel.name, "-" if known is None else f"{known:,}", f"{found.cycles:,.6g}", off,
            f"{found.bytes:,}", f"{device.cycles:,.6g}", f"{device.overlapped:,.6g}", f"{device.roofline:,.6g}",
        )  # fmt: skip
        rows.append({"name": kernel.name, "published": known, "estimate": found.cycles})
    console.print(table)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--ktir-cpu", metavar="CHECKOUT", help="checkout of ktir-cpu")
    parser.add_argument("--python", default=sys.executable, help="the Python that runs ktir-cpu")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", action="append", help="name of a kernel (may be repeated)")
    parser.add_argument("--json", metavar="FILE", help="write the numbers there as well")
    args = parser.parse_args()
    console = Console(width=150)
    timed = ktir_kernels.kernels()
    every = {**timed, **ktir_estimates.kernels()}
    if args.only:
        timed = {n: k for n, k in timed.items() if n in args.only}
        every = {n: k for n, k in every.items() if n in args.only}
    times = [measure(kernel, args) for kernel in timed.values()]
    show_times(times, console, args.ktir_cpu is not None)
    cycles = show_cycles(every, console)
    if args.json:
        Path(args.json).write_text(json.dumps({"times": times, "cycles": cycles}, indent=2) + "\n")


if __name__ == "__main__":
    main()
