"""Compile a kernel, run it twice on the simulated device, and look at what it cost.

    python examples/quickstart.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import kt

here = Path(__file__).parent
module = kt.parse_file(here / "scale_rows.mlir")
device = kt.device("toy")

# One artifact for any number of rows: a launch puts in sizes and addresses, it compiles nothing.
program = kt.compile(module, device)
kernel = kt.Runtime(device).load(program)

for rows in (6, 22):
    x = np.random.default_rng(rows).standard_normal((rows, 64)).astype(np.float16)
    given = {"x": x, "out": np.zeros_like(x), "n": rows, "alpha": 0.5}
    found = kernel(given)
    assert np.array_equal(found["out"], x * np.float16(0.5))
    report = kernel.last
    print(f"{rows:3} rows: {report.programs} programs, {report.cycles} cycles")
    for memory, traffic in report.bytes.items():
        print(f"    {memory}: {traffic.read} bytes read, {traffic.written} written")

# What the kernel means, without a device; and whether every pass keeps it.
meaning = kt.simulate(module, given)
assert np.array_equal(meaning["out"], found["out"])
report = kt.check(module, device, given)
print(f"{len(report.entries)} runs agree" if report.ok else f"{report.failed.name} is wrong")
