"""Accesses, transfers and lane moves, run on the plain machine, against NumPy indexing."""

from __future__ import annotations

import numpy as np
import pytest
from encode_helpers import (
    FUNCTIONS,
    encoded,
    flat_view,
    load,
    mini,
    on_one_unit,
    result,
    run,
    store,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from mini_machine import Machine

from kt.binary import EncodeError, Op
from kt.binary.model import TimeDim

IOTA = np.arange(512, dtype=np.float16)


def box_text(extents: list[int]) -> str:
    dims = ", ".join(f"d{i}" for i in range(len(extents)))
    parts = [f"d{i} >= 0, -d{i} + {n - 1} >= 0" for i, n in enumerate(extents)]
    return f"affine_set<({dims}) : ({', '.join(parts)})>"


def map_text(rank: int, results: list[str]) -> str:
    dims = ", ".join(f"d{i}" for i in range(rank))
    return f"affine_map<({dims}) -> ({', '.join(results)})>"


@st.composite
def boxes(draw: st.DrawFn) -> tuple[list[int], list[int], list[int], list[int]]:
    """Shape of a view, origin and extents of a box in it, and an order of its dims."""
    rank = draw(st.integers(1, 3))
    shape = [draw(st.integers(1, 6)) for _ in range(rank)]
    extents = [draw(st.integers(1, n)) for n in shape]
    origin = [draw(st.integers(0, n - e)) for n, e in zip(shape, extents)]
    order = draw(st.permutations(range(rank)))
    return shape, origin, extents, list(order)


@settings(max_examples=25, deadline=None)
@given(boxes())
def test_any_box_in_any_order(case: tuple) -> None:
    shape, origin, extents, order = case
    rank, count = len(shape), int(np.prod(extents))
    strides = [int(np.prod(shape[i + 1 :])) for i in range(rank)]
    layout = map_text(rank, [" + ".join(f"d{i} * {s}" for i, s in enumerate(strides))])
    memref = "x".join(map(str, shape)) + "xf16"
    subscripts = ", ".join(map(str, origin))
    body = f"""
    %v = dataflow.get_logical_memory_view %gm, %c0 {{layout_map = {layout}}} : index, index, memref<{memref}>
    %x = agen.vector_load %v[{subscripts}] {{load_order = {map_text(rank, [f"d{i}" for i in order])}, load_set = {box_text(extents)}}} : memref<{memref}>, vector<{count}xf16>
    """
    body += flat_view("out", 1024, count, "f16") + store("%x", "out", "0", count, "f16", count)
    machine = run(on_one_unit(body), data={0: IOTA})
    array = IOTA[: int(np.prod(shape))].reshape(shape)
    picked = array[tuple(slice(o, o + e) for o, e in zip(origin, extents))].transpose(order)
    assert result(machine, 2048, count, "<f2").tolist() == picked.reshape(-1).tolist()


def test_contiguous_boxes_are_one_lane_dimension() -> None:
    body = """
    %v = dataflow.get_logical_memory_view %gm, %c0 {layout_map = affine_map<(d0, d1) -> (d0 * 8 + d1)>} : index, index, memref<4x8xf16>
    %x = agen.vector_load %v[1, 0] {load_order = affine_map<(d0, d1) -> (d0, d1)>, load_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 7 >= 0)>} : memref<4x8xf16>, vector<16xf16>
    """
    (access,) = encoded(on_one_unit(body)).images[0].streams[0].accesses
    assert (access.lane_dims, access.const, access.lanes) == (((16, 1),), 8, 16)
    assert (access.minimum, access.maximum) == (0, 31)


TRANSFER = """
    %a = dataflow.get_logical_memory_view %gm, %c0 {layout_map = affine_map<(d0, d1) -> (d0 * 64 + d1)>} : index, index, memref<5x64xf16>
    %start = arith.constant 1024 : index
    %b = dataflow.get_logical_memory_view %gm, %start {layout_map = affine_map<(d0, d1) -> (d0 * 40 + d1)>} : index, index, memref<8x40xf16>
    agen.composite_load_and_store src:%a[1, 0] dst:%b[0, 4]
     time_symbols(TIMES), load_iv(%x:vector<32xf16>)
     {load_order = affine_map<(d0, d1) -> (d0, d1)>, load_set = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 31 >= 0)>,
      store_order = affine_map<(d0, d1) -> (d0, d1)>, store_set = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 31 >= 0)>,
      load_time_addr_map = affine_map<(d0, d1) -> (d0, d1 * 32)>, store_time_addr_map = affine_map<(d0, d1) -> (d0 * 2 + d1, 0)>,
      time_order = affine_map<(d0, d1) -> (d0, d1)>, time_set = SET}
    {
      YIELD
    } : memref<5x64xf16>, memref<8x40xf16>
"""
STATIC_SET = "affine_set<(d0, d1) : (d0 >= 0, -d0 + 2 >= 0, d1 >= 0, -d1 + 1 >= 0)>"
SYMBOL_SET = "affine_set<(d0, d1)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + 1 >= 0)>"


def transferred(rows: int, factor: float = 1) -> np.ndarray:
    out = np.zeros((8, 40), np.float16)
    for i in range(rows):
        for j in range(2):
            out[2 * i + j, 4:36] = factor * IOTA.reshape(8, 64)[1 + i, 32 * j : 32 * j + 32]
    return out


def test_time_steps_of_a_transfer() -> None:
    text = TRANSFER.replace("TIMES", "").replace("SET", STATIC_SET).replace("YIELD", "agen.yield")
    program = encoded(on_one_unit(text))
    load_access, store_access = program.images[0].streams[0].accesses
    assert load_access.time_dims == (TimeDim(3, 64), TimeDim(2, 32))
    assert store_access.time_dims == (TimeDim(3, 80), TimeDim(2, 40))
    machine = run(on_one_unit(text), data={0: IOTA})
    assert np.array_equal(result(machine, 2048, 320, "<f2").reshape(8, 40), transferred(3))


def test_time_steps_from_a_symbol() -> None:
    before = "symbol.create_id %n {symbol_id = -1 : si64} : index"
    text = "%rows = symbol.create_symbol {SymbolId = -1 : i64} : index\n" + TRANSFER
    text = text.replace("TIMES", "%rows").replace("SET", SYMBOL_SET).replace("YIELD", "agen.yield")
    for rows in (1, 2):
        machine = run(on_one_unit(text, "%n: index", before), [rows], {0: IOTA})
        assert np.array_equal(result(machine, 2048, 320, "<f2").reshape(8, 40), transferred(rows))


def test_computing_transfers_become_loops() -> None:
    compute = "%y = arith.addf %x, %x : vector<32xf16>\nagen.yield %y : vector<32xf16>"
    text = TRANSFER.replace("TIMES", "").replace("SET", STATIC_SET).replace("YIELD", compute)
    code = encoded(on_one_unit(text)).images[0].streams[0].code
    assert [i.op for i in code if i.op in (Op.XFER, Op.LOOP)] == [Op.LOOP, Op.LOOP]
    machine = run(on_one_unit(text), data={0: IOTA})
    assert np.array_equal(result(machine, 2048, 320, "<f2").reshape(8, 40), transferred(3, 2))


def test_indirect_and_symbolic_accesses() -> None:
    body = flat_view("ix", 64, 4, "index") + flat_view("out", 1024, 16, "f16")
    body += """
    %m = dataflow.get_logical_memory_view %gm, %c0 {layout_map = affine_map<(d0, d1) -> (d0 * 8 + d1)>} : index, index, memref<32x8xf16>
    %flat = dataflow.get_logical_memory_view %gm, %c0 {layout_map = affine_map<(d0) -> (d0)>} : index, index, memref<256xf16>
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    scf.for %i = %c0 to %c2 step %c1 {
      %v = agen.indirect_vector_load indirect:%ix[%i + 1] direct:%m[1, 0]
        {load_order = affine_map<(d0, d1) -> (d0, d1)>, load_set = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 3 >= 0)>}
        : memref<4xindex>, memref<32x8xf16>, vector<4xf16>
      %w = agen.symbolic_vector_load %flat[indices:(%i, %c1), strides:(%c8, %c2)] {load_order = affine_map<(d0) -> (d0)>, load_set = affine_set<(d0) : (d0 >= 0, -d0 + 3 >= 0)>} : memref<256xf16>, vector<4xf16>
      %p = arith.muli %i, %c8 : index
      PUT
    }
    """
    put = store("%v", "out", "%p", 4, "f16", 16) + store("%w", "out", "%p + 4", 4, "f16", 16)
    text = on_one_unit(body.replace("PUT", put))
    machine = run(text, data={0: IOTA[:256], 512: np.asarray([9, 5, 2, 9], np.int64)})
    rows = IOTA[:256].reshape(32, 8)
    expected = [*rows[6, :4], *IOTA[2:6], *rows[3, :4], *IOTA[10:14]]
    assert result(machine, 2048, 16, "<f2").tolist() == expected


def test_words_and_elements_of_start_addresses() -> None:
    """GLU counts words of 32 bytes in GMEM: a symbol start of 3 is byte 96, plus elements."""
    before = """
    %c32 = arith.constant 32 : index
    %w = arith.divsi %x, %c32 : index
    symbol.create_id %w {symbol_id = -1 : si64} : index
    """
    body = """
    %s = symbol.create_symbol {SymbolId = -1 : i64} : index
    %c2 = arith.constant 2 : index
    %a = dataflow.get_logical_memory_view %gm, %s {layout_map = affine_map<(d0) -> (d0)>} : index, index, memref<16xf16>
    %b = dataflow.get_logical_memory_view %gm, %c2 {addr_unit = "words", layout_map = affine_map<(d0) -> (d0)>} : index, index, memref<16xf16>
    """
    body += "%v = " + load("a", "2", 4, "f16", 16) + "%w2 = " + load("b", "0", 4, "f16", 16)
    body += flat_view("out", 1024, 8, "f16")
    body += store("%v", "out", "0", 4, "f16", 8) + store("%w2", "out", "4", 4, "f16", 8)
    text = on_one_unit(body, "%x: index", before)
    program = encoded(text)
    (symbol,) = program.sites[0]
    assert (symbol.kind, symbol.divisor, symbol.align) == ("address", 32, 32)
    (argument,) = program.arguments
    assert (argument.kind, argument.dtype, argument.shape) == ("address", "f16", (16,))
    assert (argument.reads, argument.writes, argument.multiple_of) == (True, False, 32)
    machine = run(text, [96], {0: IOTA})
    assert result(machine, 2048, 8, "<f2").tolist() == [50, 51, 52, 53, 32, 33, 34, 35]


def test_a_truncating_division_that_is_no_address_stays_one() -> None:
    before = "%c4 = arith.constant 4 : index\n%q = arith.divsi %n, %c4 : index\nsymbol.create_id %q {symbol_id = -1 : si64} : index"
    body = "%s = symbol.create_symbol {SymbolId = -1 : i64} : index\n%v = kt.splat %s : index -> vector<1xindex>\n"
    body += flat_view("out", 0, 1, "index") + store("%v", "out", "0", 1, "index", 1)
    text = on_one_unit(body, "%n: index", before)
    assert encoded(text).sites[0][0].divisor == 1
    assert result(run(text, [11]), 0, 1, "<i8").tolist() == [2]


def test_lane_moves() -> None:
    body = flat_view("in", 0, 16, "f16") + flat_view("out", 1024, 64, "f16")
    body += "%a = " + load("in", "0", 8, "f16", 16) + "%b = " + load("in", "8", 4, "f16", 16)
    body += """
    %seven = arith.constant 7.5 : f16
    %z = arith.constant 0.0 : f16
    %s = vectorchain.shuffle input(%b), variable(%seven), pad(%z) {indices = [3 : i32, -1 : i32, -2 : i32, 0 : i32], repetition = 2 : i32} : vector<4xf16>, f16, f16, vector<8xf16>
    %h = vectorchain.select %a {selection_map = affine_map<(d0) -> (d0 * 2 + 1)>} : vector<8xf16>, vector<4xf16>
    %m = vectorchain.merge %b, %b {access_function_A = affine_map<(d0) -> (d0)>, access_function_B = affine_map<(d0) -> (3)>, access_function_CA = affine_map<(d0) -> (d0 * 2)>, access_function_CB = affine_map<(d0) -> (7)>, iteration_space_CA = affine_set<(d0) : (d0 >= 0, -d0 + 2 >= 0)>, iteration_space_CB = affine_set<(d0) : (d0 == 0)>} : vector<4xf16>, vector<4xf16>, vector<8xf16>
    %p = vectorchain.pack %a, %b {indices = [8 : i32, 1 : i32], repetition = 2 : index, sign_extend = false} : vector<8xf16>, vector<4xf16>, vector<4xf16>
    %k = vectorchain.constant_bitstream {value = [0x3c00, 0xc000]} : vector<2xf16>
    %d = arith.constant dense<[1.5, 2.5]> : vector<2xf16>
    """
    for name, at, count in (
        ("%s", 0, 8),
        ("%h", 8, 4),
        ("%m", 12, 8),
        ("%p", 20, 4),
        ("%k", 24, 2),
        ("%d", 26, 2),
    ):
        body += store(name, "out", str(at), count, "f16", 64)
    machine = run(on_one_unit(body), data={0: IOTA[:16]})
    assert result(machine, 2048, 28, "<f2").tolist() == [
        11, 7.5, 0, 8, 11, 7.5, 0, 8,
        1, 3, 5, 7,
        8, 0, 9, 0, 10, 0, 0, 11,
        8, 1, 8, 1,
        1, -2, 1.5, 2.5,
    ]  # fmt: skip


def test_vector_ops_are_named() -> None:
    template = """
    func.func private @double(%x: f16) -> f16 attributes {kt.template} {
      %y = arith.addf %x, %x : f16
      return %y : f16
    }
    """
    body = flat_view("in", 0, 8, "f16") + flat_view("out", 1024, 8, "f32")
    body += "%a = " + load("in", "0", 8, "f16", 8)
    body += """
    %e = func.call @double(%a) : (vector<8xf16>) -> vector<8xf16>
    %w = arith.extf %e : vector<8xf16> to vector<8xf32>
    %f = arith.addf %w, %w : vector<8xf32>
    """
    body += store("%f", "out", "0", 8, "f32", 8)
    text = template + on_one_unit(body, kind="vpu")
    program = encoded(text)
    ops = [c for c in program.images[0].constants if hasattr(c, "operands")]
    assert [c.name for c in ops] == ["@double", "arith.extf", "arith.addf"]
    assert (ops[1].operands[0].dtype, ops[1].results[0].dtype) == ("f16", "f32")
    assert "func.func private @double" in program.templates and "kt.template" in program.templates
    machine = run(text, data={0: IOTA[:8]})
    assert result(machine, 4096, 8, "<f4").tolist() == [4.0 * i for i in range(8)]


def test_attributes_of_vector_ops() -> None:
    body = flat_view("in", 0, 8, "f16") + "%a = " + load("in", "0", 8, "f16", 8)
    body += """
    %n = symbol.create_symbol {SymbolId = -1 : i64} : index
    %b = vectorchain.binary %a, %a {binary_op = #vectorchain<binary_operator max>, op_specific_map = affine_map<(d0) -> (d0 floordiv 4)>} : vector<8xf16>, vector<8xf16>, vector<2xf16>
    %c = arith.cmpf olt, %a, %a : vector<8xf16>
    %m = vectorchain.create_affine_mask %n {mask_set = affine_set<(d0)[s0] : (s0 - d0 - 1 >= 0)>} : vector<8xi1>
    %g = vectorchain.neg %a[%m : vector<8xi1>] : vector<8xf16>, vector<8xf16>
    %r = vectorchain.rotate %a, %n {right_shift = false} : vector<8xf16>, index, vector<8xf16>
    %o = arith.addf %g, %r : vector<8xf16>
    %q = arith.select %c, %o, %a : vector<8xi1>, vector<8xf16>
    %t = arith.addf %b, %b : vector<2xf16>
    """
    before = "symbol.create_id %n0 {symbol_id = -1 : si64} : index"
    program = encoded(on_one_unit(body + store("%q", "in", "0", 8, "f16", 8), "%n0: index", before))
    ops = {c.name: c for c in program.images[0].constants if hasattr(c, "operands")}
    assert ops["vectorchain.binary"].attrs == {"binary_op": "max", "lanes": [0] * 4 + [1] * 4}
    assert ops["arith.cmpf"].attrs == {"predicate": "olt"}
    assert ops["vectorchain.create_affine_mask"].attrs == {"constraints": [[-1, 1, -1, 0]]}
    assert ops["vectorchain.create_affine_mask"].operands[0].is_scalar
    assert (
        ops["vectorchain.neg"].attrs == {"masked": True}
        and len(ops["vectorchain.neg"].operands) == 2
    )
    assert ops["vectorchain.rotate"].attrs == {"right_shift": False}
    assert ops["arith.addf"].attrs == {}


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ("load_order = affine_map<(d0, d1) -> (d0 + d1)>, load_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 1 >= 0)>", "no permutation"),
        ("load_order = affine_map<(d0, d1) -> (d0)>, load_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 1 >= 0)>", "leaves d1 undecided"),
        ("load_order = affine_map<(d0, d1) -> (d0, d1)>, load_set = affine_set<(d0, d1) : (d0 >= 0, d1 - d0 >= 0, -d1 + 1 >= 0)>", "is not a box"),
        ("load_order = affine_map<(d0, d1) -> (d0, d1)>, load_set = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 1 >= 0)>", "moves a set of 2 elements"),
    ],
)  # fmt: skip
def test_refusals_of_accesses(attributes: str, message: str) -> None:
    body = f"""
    %v = dataflow.get_logical_memory_view %gm, %c0 {{layout_map = affine_map<(d0, d1) -> (d0 * 8 + d1)>}} : index, index, memref<4x8xf16>
    %x = agen.vector_load %v[0, 0] {{{attributes}}} : memref<4x8xf16>, vector<4xf16>
    """
    with pytest.raises(EncodeError, match=message):
        encoded(on_one_unit(body))


def test_refusal_of_a_layout_that_is_not_linear() -> None:
    body = """
    %v = dataflow.get_logical_memory_view %gm, %c0 {layout_map = affine_map<(d0) -> (d0 mod 4)>} : index, index, memref<8xf16>
    %x = agen.vector_load %v[0] {load_order = affine_map<(d0) -> (d0)>, load_set = affine_set<(d0) : (d0 == 0)>} : memref<8xf16>, vector<1xf16>
    """
    with pytest.raises(EncodeError, match="not linear") as caught:
        encoded(on_one_unit(body))
    assert caught.value.hint


def test_the_machine_of_these_tests_checks_bounds() -> None:
    body = flat_view("out", 0, 4, "f16") + "%k = arith.constant dense<1.0> : vector<4xf16>\n"
    body += "%n = arith.constant 2 : index\nscf.for %i = %c0 to %n step %c1 {\n"
    body += store("%k", "out", "%i", 4, "f16", 4) + "}\n"
    with pytest.raises(AssertionError):
        Machine(encoded(on_one_unit(body)), FUNCTIONS).run([])


def test_device_facts_reach_the_artifact() -> None:
    program = encoded(
        on_one_unit(flat_view("a", 0, 8, "f16") + "%v = " + load("a", "0", 8, "f16", 8))
    )
    assert [(m.kind, m.scope, m.size) for m in program.memories] == [("GMEM", "device", 1 << 29)]
    assert (
        program.metadata["device"]["name"] == "mini"
        and len(program.metadata["device"]["digest"]) == 64
    )
    assert mini().name == "mini"
