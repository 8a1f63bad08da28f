"""How many engine operations per second the event clock runs, without data and with it.

The program has no period: how much work each round has comes from a pseudo-random number, and eight
cores share the device memory. Run: python benchmarks/sim.py [operations]
"""

from __future__ import annotations

import sys
from time import perf_counter

import numpy as np

from kt.arch import load_device
from kt.binary import Program, encode
from kt.parse import parse_text
from kt.sim import Runtime

CORES = 8
VECTOR, SLOTS = 8, 8
MULTIPLIER, INCREMENT, MASK = 1103515245, 12345, (1 << 31) - 1

MAPS = """
#id = affine_map<(d0) -> (d0)>
#zero = affine_map<(d0) -> (0)>
#lanes = affine_set<(d0) : (d0 >= 0, -d0 + 7 >= 0)>
#once = affine_set<(d0) : (d0 == 0)>
"""
ROUND = """
        %x1 = arith.muli %x, %factor : index
        %x2 = arith.addi %x1, %increment : index
        %next = arith.andi %x2, %mask : index
        %shifted = arith.shrui %next, %c16 : index
        %extra = arith.andi %shifted, %c7 : index
        %trips = arith.addi %extra, %c1 : index
"""
LOAD = "{load_order = #id, load_set = #lanes}"
STORE = "{store_order = #id, store_set = #lanes}"
COPY = """time_symbols(), load_iv(%v : vector<8xf16>)
          {load_order = #id, load_set = #lanes, load_time_addr_map = #zero, store_order = #id,
           store_set = #lanes, store_time_addr_map = #zero, time_order = #id, time_set = #once}
          { agen.yield } : memref<64xf16>, memref<64xf16>"""
GIVE = "dataflow.sync_send %{0} {{wait_immediately_for_async_transfers = true}} : index"
TAKE = "dataflow.sync_recv %{0} : index"


def program_text(rounds: int) -> str:
    """DataflowIR of the benchmark for the device ``toy``."""
    kinds = ("dmai", "feed", "vpu", "drain", "dmao")
    lines = [MAPS, f"func.func @bench() attributes {{grid = [{CORES}]}} {{"]
    numbers = {"c0": 0, "c1": 1, "c7": 7, "c8": VECTOR, "c16": 16, "c512": 512, "mask": MASK,
               "factor": MULTIPLIER, "increment": INCREMENT, "rounds": rounds}  # fmt: skip
    lines += [f"%{name} = arith.constant {value} : index" for name, value in numbers.items()]
    lines.append('%main = dataflow.get_unit {name = "main", type = "main"} : index')
    for core in range(CORES):
        place = f"core = {core} : i32, "
        lines.append(
            f'%pad{core} = dataflow.get_unit {{{place}name = "C{core}-pad", type = "pad"}} : index'
        )
        for kind in kinds:
            lines.append(
                f"%{kind}{core} = dataflow.get_unit {{{place}corelet = 0 : i32, "
                f'name = "C{core}-{kind}", type = "{kind}"}} : index'
            )
    bodies = {
        "dmai": f"{TAKE.format('to_feed')}\n|agen.composite_load_and_store src:%mem[%at] dst:%in[%at] {COPY}\n|"
        + GIVE.format("to_feed"),
        "feed": f"{TAKE.format('to_dmai')}\n|%v = agen.vector_load %in[%at] {LOAD} : memref<64xf16>, vector<8xf16>\n"
        f"dataflow.send %to_vpu, %v : vector<8xf16>\n|{GIVE.format('to_dmai')}",
        "vpu": "|%v = dataflow.receive %to_feed : vector<8xf16>\n"
        "%w = arith.addf %v, %v : vector<8xf16>\ndataflow.send %to_drain, %w : vector<8xf16>\n|",
        "drain": f"{TAKE.format('to_dmao')}\n|%v = dataflow.receive %to_vpu : vector<8xf16>\n"
        f"agen.vector_store %v, %out[%at] {STORE} : memref<64xf16>, vector<8xf16>\n|"
        + GIVE.format("to_dmao"),
        "dmao": f"{GIVE.format('to_drain')}\n{TAKE.format('to_drain')}\n|"
        f"agen.composite_load_and_store src:%out[%at] dst:%mem[%at] {COPY}\n|",
    }
    first = {"feed": GIVE.format("to_dmai")}  # the buffer is free at the start
    last = {"dmai": TAKE.format("to_feed")}
    for kind in kinds:
        lines.append(_unit(kind, bodies[kind], first.get(kind, ""), last.get(kind, "")))
    return "\n".join([*lines, "return", "}"])


def _unit(kind: str, body: str, first: str, last: str) -> str:
    peers = {"dmai": ["feed"], "feed": ["dmai", "vpu"], "vpu": ["feed", "drain"],
             "drain": ["vpu", "dmao"], "dmao": ["drain"]}[kind]  # fmt: skip
    listed = ", ".join(f"%{kind}{core}" for core in range(CORES))
    lines = [f"dataflow.program_unit iter_arg : %me -> ({listed}) : {{"]
    for peer in ["pad", *peers]:
        pairs = ", ".join(f"[%{kind}{core} -> %{peer}{core}]" for core in range(CORES))
        name = "pad" if peer == "pad" else f"to_{peer}"
        lines.append(f"%map_{name} = uniform.def_immutable_mapping({pairs}):index")
        lines.append(f"%{name} = uniform.query_map(map:%map_{name}, key:%me) : index")
    for view, memory, start in (
        ("mem", "main", "c512"),
        ("in", "pad", "c0"),
        ("out", "pad", "c512"),
    ):
        lines.append(
            f'%{view} = dataflow.get_logical_memory_view %{memory}, %{start} {{addr_unit = "elements", '
            "layout_map = #id} : index, index, memref<64xf16>"
        )
    before, inner, after = body.split("|")
    lines += [
        first,
        "%end = scf.for %i = %c0 to %rounds step %c1 iter_args(%x = %c1) -> (index) {",
        ROUND,
        before,
        "scf.for %j = %c0 to %trips step %c1 {",
        "%at = arith.muli %j, %c8 : index",
        inner,
        "}",
        after,
        "scf.yield %next : index",
        "}",
        last,
        "}",
    ]
    return "\n".join(lines)


def operations(rounds: int) -> int:
    """Engine operations of the program: transfers, loads, stores, vector ops, sends, signals."""
    total, x = 0, 1
    for _ in range(rounds):
        x = x * MULTIPLIER + INCREMENT & MASK
        total += 9 * ((x >> 16 & 7) + 1) + 8
    return CORES * (total + 2)


def build(rounds: int) -> Program:
    """The artifact of the benchmark."""
    return encode(parse_text(program_text(rounds), "bench.mlir"), load_device("toy"))


def measure(wanted: int, data: bool) -> tuple[int, float, int]:
    """Operations, seconds and cycles of one run."""
    rounds = 1
    while operations(rounds) < wanted:
        rounds += max(1, rounds // 50)
    runtime = Runtime(load_device("toy"), data=data, extrapolate=False)
    kernel = runtime.load(build(rounds))
    if data:
        runtime.memory().put(1024, np.ones(64, np.float16))
    start = perf_counter()
    kernel([])
    return operations(rounds), perf_counter() - start, kernel.last.cycles


def main() -> None:
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    for what, count, data in (("clock only", wanted, False), ("with data", wanted // 10, True)):
        done, seconds, cycles = measure(count, data)
        print(
            f"{what}: {done} operations in {seconds:.2f} s, {done / seconds:,.0f} per second, "
            f"{cycles} cycles"
        )


if __name__ == "__main__":
    main()
