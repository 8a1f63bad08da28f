#!/usr/bin/env python3
"""kt beside xDSL on the same generated files: parse, print, verify, clone, walk, memory, start.

    python benchmarks/language.py                        # 1,000, 10,000 and 100,000 operations
    python benchmarks/language.py --sizes 1000 10000     # a minute or two

Every measurement is a fresh process of one tool, the tools by turns; times are CPU seconds, the best
of a few runs, so that a busy machine changes little. The garbage collector is in the same state in
both (on, as a user has it; kt's parser itself pauses it while it reads). The verifier of kt checks
dominance, that of xDSL doesn't. Needs ``pip install xdsl``; without it only kt's figures are shown.
"""

from __future__ import annotations

import argparse
import gc
import importlib.util
import json
import os
import subprocess
import sys
import sysconfig
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
GOALS = {
    "parse": 8.0, "print": 3.5, "verify": 3.0, "clone": 3.0, "walk": 2.0, "bytes/op": 0.75,
}  # fmt: skip
SIZES = (1_000, 10_000, 100_000)


# -- one tool in a process of its own ----------------------------------------------------------------


def kt_tool() -> dict[str, Callable[..., Any]]:
    from kt.ir.verifier import verify
    from kt.parse import parse_text, print_op

    return {
        "parse": parse_text,
        "print": lambda m, generic: print_op(m, generic=generic),
        "verify": verify,
        "clone": lambda m: m.clone(),
        "walk": lambda m: sum(1 for _ in m.walk()),
    }


def xdsl_tool() -> dict[str, Callable[..., Any]]:
    from io import StringIO

    from xdsl.context import Context
    from xdsl.dialects import get_all_dialects
    from xdsl.parser import Parser
    from xdsl.printer import Printer

    context = Context()
    for name, factory in get_all_dialects().items():
        context.register_dialect(name, factory)

    def write(module: Any, generic: bool) -> str:
        stream = StringIO()
        Printer(stream, print_generic_format=generic).print_op(module)
        return stream.getvalue()

    return {
        "parse": lambda text: Parser(context, text, "t").parse_module(),
        "print": write,
        "verify": lambda m: m.verify(),
        "clone": lambda m: m.clone(),
        "walk": lambda m: sum(1 for _ in m.walk()),
    }


def best(action: Callable[[], Any], seconds: float) -> float:
    """Least CPU time of repeated runs, about ``seconds`` in all, but two unless they are very long.

    What earlier runs left to the collector is gone before each run: nobody pays for another one's modules.
    """
    found, spent, runs = float("inf"), 0.0, 0
    while runs < 2 or (spent < seconds and runs < 20):
        gc.collect()
        began = time.process_time()
        action()
        took = time.process_time() - began
        found, spent, runs = min(found, took), spent + took, runs + 1
        if took > 10 * seconds:
            break
    return found


def work(tool: str, generic: bool, path: str, memory: bool) -> dict[str, Any]:
    """All figures of one tool for one file."""
    from gen_mlir import module as text_of

    actions = kt_tool() if tool == "kt" else xdsl_tool()
    text = Path(path).read_text()
    actions["parse"](text_of(60, generic))  # dialects, tables and patterns are loaded
    if memory:
        gc.collect()
        tracemalloc.start()
        before, _ = tracemalloc.get_traced_memory()
        module = actions["parse"](text)
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
        return {"bytes/op": (after - before) / actions["walk"](module)}
    found: dict[str, Any] = {"collector": "on" if gc.isenabled() else "off"}
    found["parse"] = best(lambda: actions["parse"](text), 1.5)
    module = actions["parse"](text)
    found["operations"] = actions["walk"](module)
    found["print"] = best(lambda: actions["print"](module, generic), 1.0)
    for name in ("verify", "clone", "walk"):
        found[name] = best(lambda name=name: actions[name](module), 0.7)
    return found


# -- the comparison ----------------------------------------------------------------------------------


def run_worker(tool: str, generic: bool, path: Path, memory: bool) -> dict[str, Any]:
    command = [sys.executable, __file__, "--worker", tool, "generic" if generic else "custom", str(path)]
    result = subprocess.run(
        [*command, *(["memory"] if memory else [])], capture_output=True, text=True, check=False
    )
    if result.returncode:
        sys.exit(f"{tool} failed on {path.name}:\n{result.stderr[-2000:]}")
    return json.loads(result.stdout)


def compare(size: int, generic: bool, peer: bool, folder: Path) -> dict[str, dict[str, float]]:
    from gen_mlir import module as text_of

    form = "generic" if generic else "custom"
    path = folder / f"{form}_{size}.mlir"
    path.write_text(text_of(size, generic))
    tools = ("kt", "xdsl") if peer else ("kt",)
    figures = {tool: run_worker(tool, generic, path, False) for tool in tools}
    if size <= 10_000:  # recording every allocation makes a parse several times slower
        for tool in tools:
            figures[tool] |= run_worker(tool, generic, path, True)
    return figures


def report(size: int, generic: bool, figures: dict[str, dict[str, Any]]) -> None:
    ours, peer = figures["kt"], figures.get("xdsl")
    count = ours["operations"]
    states = ", ".join(f"{tool} {f['collector']}" for tool, f in figures.items())
    print(f"\n{count:,} operations, {'generic' if generic else 'custom'} form (garbage collector: {states})")
    for name, goal in GOALS.items():
        if name not in ours:
            continue
        if name == "bytes/op":
            mine = f"{ours[name]:>11,.0f}"
            ratio, met = (ours[name] / peer[name], "≤") if peer else (0.0, "≤")
            other = f"{peer[name]:>11,.0f}" if peer else ""
        else:
            mine = f"{count / ours[name]:>11,.0f}"
            other = f"{count / peer[name]:>11,.0f}" if peer else ""
            ratio, met = (peer[name] / ours[name], "≥") if peer else (0.0, "≥")
        unit = "" if name == "bytes/op" else "ops/s"
        beside = f"   xdsl {other} {unit:<5}   ratio {ratio:6.2f}  (goal {met} {goal})" if peer else ""
        print(f"  {name:<9} kt {mine} {unit:<5}{beside}")


def linear(all_figures: dict[tuple[int, bool], dict[str, dict[str, Any]]]) -> None:
    """Cost per operation at the largest size against the smallest."""
    sizes = sorted({size for size, _ in all_figures})
    if len(sizes) < 2:
        return
    print(f"\nCPU time per operation at {sizes[-1]:,} against {sizes[0]:,} operations (linear: about 1)")
    for generic in (False, True):
        row = []
        for name in ("parse", "print", "verify", "clone", "walk"):
            small, large = (all_figures[size, generic]["kt"] for size in (sizes[0], sizes[-1]))
            ratio = (large[name] / large["operations"]) / (small[name] / small["operations"])
            row.append(f"{name} {ratio:.2f}")
        print(f"  {'generic' if generic else 'custom':<8} {', '.join(row)}")


def start_up(peer: bool) -> None:
    """CPU time of whole commands, byte code cached as it is for installed packages."""
    scripts = Path(sysconfig.get_path("scripts"))
    commands = {
        "import numpy": [sys.executable, "-c", "import numpy"],
        "kt --version": [str(scripts / "kt"), "--version"],
        "kt opt": [str(scripts / "kt"), "opt", "empty.mlir"],
        "xdsl-opt": [str(scripts / "xdsl-opt"), "empty.mlir"],
    }
    if not peer:
        del commands["xdsl-opt"]
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    times = dict.fromkeys(commands, float("inf"))
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "empty.mlir").write_text("module {\n}\n")
        for _ in range(8):
            for name, command in commands.items():
                child = subprocess.Popen(
                    command, cwd=folder, env=environment, stdout=subprocess.DEVNULL
                )
                _, status, usage = os.wait4(child.pid, 0)
                child.returncode = status
                if status:
                    sys.exit(f"'{name}' failed")
                times[name] = min(times[name], usage.ru_utime + usage.ru_stime)
    print("\nStart, CPU seconds: " + ", ".join(f"{name} {took:.3f}" for name, took in times.items()))
    print(f"  kt --version against import numpy: {times['kt --version'] / times['import numpy']:.2f}  (goal ≤ 2.5)")
    if peer:
        print(f"  kt opt against xdsl-opt, empty module: {times['kt opt'] / times['xdsl-opt']:.2f}  (goal ≤ 1)")


def constants() -> None:
    """``dense`` constants of 100,000 numbers, kt only."""
    import random

    from kt.parse import parse_text

    numbers = random.Random(0)
    count, row = 100_000, []
    floats = ", ".join(f"{numbers.gauss(0, 1):e}" for _ in range(count))
    whole = ", ".join(str(numbers.randrange(100)) for _ in range(count))
    for type in ("f16", "bf16", "f32", "f64", "f8E4M3FN", "!spyreop.df16", "i8", "i32", "i64"):
        body = whole if type.startswith("i") else floats
        text = f'"t.a"() {{x = dense<[{body}]> : tensor<{count}x{type}>}} : () -> ()'
        row.append(f"{type} {1000 * best(lambda text=text: parse_text(text), 0.3):.0f}")
    print(f"\nParse of a dense constant of 100,000 numbers, CPU ms (goal < 50): {', '.join(row)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, metavar="N")
    parser.add_argument("--worker", nargs="+", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.worker:
        tool, form, path, *memory = args.worker
        print(json.dumps(work(tool, form == "generic", path, bool(memory))))
        return
    peer = importlib.util.find_spec("xdsl") is not None
    if not peer:
        print("xdsl isn't installed (pip install xdsl): no ratios, kt's figures only")
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for size in args.sizes:
            for generic in (False, True):
                found[size, generic] = compare(size, generic, peer, Path(folder))
                report(size, generic, found[size, generic])
    linear(found)
    start_up(peer)
    constants()


if __name__ == "__main__":
    main()
