"""Scalars and control flow of units, run on the plain machine."""

from __future__ import annotations

import pytest
from encode_helpers import encoded, flat_view, indices, on_one_unit, result, run, store
from hypothesis import given, settings
from hypothesis import strategies as st

from kt.binary import EncodeError, Op

OPS = {
    "addi": lambda a, b: a + b,
    "subi": lambda a, b: a - b,
    "muli": lambda a, b: a * b,
    "divsi": lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1),
    "remsi": lambda a, b: abs(a) % abs(b) * (-1 if a < 0 else 1),
    "ceildivsi": lambda a, b: -(-a // b),
    "floordivsi": lambda a, b: a // b,
    "minsi": min,
    "maxsi": max,
    "andi": lambda a, b: a & b,
    "ori": lambda a, b: a | b,
    "xori": lambda a, b: a ^ b,
}
UNSIGNED = {
    "divui": lambda a, b: a // b,
    "remui": lambda a, b: a % b,
    "minui": min,
    "maxui": max,
    "ceildivui": lambda a, b: -(-a // b),
}


def signed(value: int, width: int) -> int:
    low = value % (1 << width)
    return low - (1 << width) if low >> (width - 1) else low


@settings(max_examples=15, deadline=None)
@given(st.integers(-40, 40), st.integers(-9, 9).filter(bool))
def test_index_arithmetic_on_run_time_values(a: int, b: int) -> None:
    """Symbols are unknown to the encoder, so every op becomes an instruction."""
    body = "\n".join(f"%r_{n} = arith.{n} %x, %y : index" for n in OPS)
    symbols = "%x = symbol.create_symbol {SymbolId = -1 : i64} : index\n%y = symbol.create_symbol {SymbolId = -2 : i64} : index\n"
    text = symbols + body
    found = indices_of(text, [f"%r_{n}" for n in OPS], [a, b])
    assert found == [f(a, b) for f in OPS.values()]


def indices_of(body: str, names: list[str], values: list[int]) -> list[int]:
    declared = "symbol.create_id %first {symbol_id = -1 : si64} : index\nsymbol.create_id %second {symbol_id = -2 : si64} : index"
    count = len(names)
    tail = flat_view("out", 0, count, "index")
    for i, name in enumerate(names):
        tail += f"%at{i} = arith.constant {i} : index\n%lane{i} = kt.splat {name} : index -> vector<1xindex>\n"
        tail += store(f"%lane{i}", "out", f"%at{i}", 1, "index", count)
    machine = run(on_one_unit(body + tail, "%first: index, %second: index", declared), values)
    return result(machine, 0, count, "<i8").tolist()


@settings(max_examples=15, deadline=None)
@given(st.integers(-130, 130), st.integers(-5, 5).filter(bool))
def test_narrow_integers_wrap(a: int, b: int) -> None:
    body = """
    %x = symbol.create_symbol {SymbolId = -1 : i64} : index
    %y = symbol.create_symbol {SymbolId = -2 : i64} : index
    %p = arith.index_cast %x : index to i8
    %q = arith.index_cast %y : index to i8
    """
    names = []
    for name in ("addi", "muli", "subi", "minsi", *UNSIGNED):
        body += f"%n_{name} = arith.{name} %p, %q : i8\n%r_{name} = arith.index_cast %n_{name} : i8 to index\n"
        names.append(f"%r_{name}")
    body += "%u = arith.index_castui %p : i8 to index\n"
    body += "%f = arith.cmpi ult, %p, %q : i8\n%g = arith.index_castui %f : i1 to index\n"
    body += "%h = arith.index_cast %f : i1 to index\n"
    found = indices_of(body, [*names, "%u", "%g", "%h"], [a, b])
    x, y = signed(a, 8), signed(b, 8)
    expected = [signed(f(x, y), 8) for f in (OPS["addi"], OPS["muli"], OPS["subi"], min)]
    expected += [signed(f(x % 256, y % 256), 8) for f in UNSIGNED.values()]
    less = x % 256 < y % 256
    assert found == [*expected, x % 256, int(less), -int(less)]


def test_loops_carry_values_at_once() -> None:
    """Fibonacci: the two carried values are exchanged in each step."""
    body = """
    %n = arith.constant 20 : index
    %s:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0, %b = %c1) -> (index, index) {
      %sum = arith.addi %a, %b : index
      scf.yield %b, %sum : index, index
    }
    %t:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0, %b = %c1) -> (index, index) {
      scf.yield %b, %a : index, index
    }
    """
    assert indices(body, ["%s#0", "%s#1", "%t#0", "%t#1"]) == [6765, 10946, 0, 1]


def test_nested_loops_and_conditionals() -> None:
    body = """
    %n = arith.constant 7 : index
    %c2 = arith.constant 2 : index
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0) -> (index) {
      %s = scf.for %j = %i to %n step %c2 iter_args(%b = %a) -> (index) {
        %odd = arith.remsi %j, %c2 : index
        %is = arith.cmpi eq, %odd, %c1 : index
        %d = scf.if %is -> (index) {
          %x = arith.muli %i, %j : index
          scf.yield %x : index
        } else {
          scf.yield %c1 : index
        }
        %e = arith.addi %b, %d : index
        scf.yield %e : index
      }
      scf.yield %s : index
    }
    """
    expected = sum(i * j if j % 2 else 1 for i in range(7) for j in range(i, 7, 2))
    assert indices(body, ["%r"]) == [expected]


def test_affine_ops_and_selections() -> None:
    body = """
    %n = arith.constant 5 : index
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0) -> (index) {
      %p = affine.apply affine_map<(d0)[s0] -> (d0 mod 3 + (d0 floordiv 2) * 10 + s0)>(%i)[%n]
      %q = affine.min affine_map<(d0) -> (d0 * 7, 15, -d0 + 30)>(%i)
      %m = affine.max affine_map<(d0) -> (d0, 2)>(%i)
      %big = arith.cmpi sgt, %q, %n : index
      %s = arith.select %big, %p, %m : index
      %b = arith.addi %a, %s : index
      scf.yield %b : index
    }
    """
    expected = 0
    for i in range(5):
        expected += i % 3 + i // 2 * 10 + 5 if min(i * 7, 15, 30 - i) > 5 else max(i, 2)
    assert indices(body, ["%r"]) == [expected]


def test_float_scalars_travel_as_bits() -> None:
    """An f16 argument becomes a symbol, its bits are splat, and scalar float ops work on one lane."""
    before = """
    %bits = arith.bitcast %alpha : f16 to i16
    %word = arith.index_castui %bits : i16 to index
    symbol.create_id %word {symbol_id = -2 : si64} : index
    """
    body = """
    %s = symbol.create_symbol {SymbolId = -2 : i64} : index
    %w = arith.index_castui %s : index to i16
    %f = arith.bitcast %w : i16 to f16
    %half = arith.constant 0.5 : f16
    %g = arith.mulf %f, %half : f16
    %v = kt.splat %f : f16 -> vector<4xf16>
    %u = kt.splat %g : f16 -> vector<4xf16>
    %less = arith.cmpf olt, %g, %f : f16
    %pick = arith.select %less, %f, %half : f16
    %x = kt.splat %pick : f16 -> vector<4xf16>
    """
    body += flat_view("out", 0, 12, "f16")
    for i, name in enumerate(("%v", "%u", "%x")):
        body += store(name, "out", str(4 * i), 4, "f16", 12)
    text = on_one_unit(body, "%alpha: f16", before, "vpu")
    program = encoded(text)
    (argument,) = program.arguments
    assert (argument.name, argument.kind, argument.dtype) == ("alpha", "scalar", "f16")
    machine = run(text, [argument.value(-1.5)])
    assert result(machine, 0, 12, "<f2").tolist() == [-1.5] * 4 + [-0.75] * 4 + [0.5] * 4
    machine = run(text, [argument.value(3.0)])
    assert result(machine, 0, 12, "<f2").tolist() == [3.0] * 4 + [1.5] * 4 + [3.0] * 4


def test_tables_differ_per_unit_and_fold() -> None:
    """query(trip) * 2 + 1 is a table; both units run the same code."""
    text = """
    func.func @k() attributes {grid = [2]} {
      %c0 = arith.constant 0 : index
      %c2 = arith.constant 2 : index
      %c5 = arith.constant 5 : index
      %u0 = dataflow.get_unit {core = 0 : i32, name = "C0-glu", type = "glu"} : index
      %u1 = dataflow.get_unit {core = 1 : i32, name = "C1-glu", type = "glu"} : index
      %gm = dataflow.get_unit {name = "gmem", type = "gmem"} : index
      dataflow.program_unit iter_arg : %me -> (%u0, %u1) : {
        %m = uniform.def_immutable_mapping([%u0 -> %c2], [%u1 -> %c5]):index
        %q = uniform.query_map(map:%m, key:%me) : index
        %d = arith.muli %q, %c2 : index
        %k = kt.splat %d : index -> vector<1xindex>
        %v = dataflow.get_logical_memory_view %gm, %c0 {layout_map = affine_map<(d0) -> (d0)>} : index, index, memref<16xindex>
        agen.vector_store %k, %v[%d] {store_order = affine_map<(d0) -> (d0)>, store_set = affine_set<(d0) : (d0 == 0)>} : memref<16xindex>, vector<1xindex>
      }
      return
    }
    """
    program = encoded(text)
    (stream,) = program.images[0].streams
    assert [t.values for t in stream.tables if not t.is_units] == [(4, 10)]
    assert {i.op for i in stream.code} == {Op.UTAB, Op.VSPLAT, Op.STV, Op.HALT}
    assert program.is_static
    out = result(run(text), 0, 16, "<i8")
    assert out.tolist() == [4 if i == 4 else 10 if i == 10 else 0 for i in range(16)]


def test_clauses_run_on_their_units() -> None:
    text = """
    func.func @k() attributes {grid = [2]} {
      %c0 = arith.constant 0 : index
      %u0 = dataflow.get_unit {core = 0 : i32, name = "C0-glu", type = "glu"} : index
      %u1 = dataflow.get_unit {core = 1 : i32, name = "C1-glu", type = "glu"} : index
      %gm = dataflow.get_unit {name = "gmem", type = "gmem"} : index
      dataflow.program_unit iter_arg : %me -> (%u0, %u1) : {
        %r = uniform.uniformize_regions -> index {
          (%a -> %u0) {
            %x = arith.constant 3 : index
            uniform.yield %x : index
          }
          (%b -> %u1) {
            %x = arith.constant 6 : index
            %m = uniform.def_immutable_mapping([%u1 -> %x]):index
            %q = uniform.query_map(map:%m, key:%b) : index
            uniform.yield %q : index
          }
        }
        %k = kt.splat %r : index -> vector<1xindex>
        %v = dataflow.get_logical_memory_view %gm, %c0 {layout_map = affine_map<(d0) -> (d0)>} : index, index, memref<8xindex>
        agen.vector_store %k, %v[%r] {store_order = affine_map<(d0) -> (d0)>, store_set = affine_set<(d0) : (d0 == 0)>} : memref<8xindex>, vector<1xindex>
      }
      return
    }
    """
    assert result(run(text), 0, 8, "<i8").tolist() == [0, 0, 0, 3, 0, 0, 6, 0]


def test_symbols_by_iteration() -> None:
    body = """
    %s = symbol.create_symbol {SymbolId = -1 : i64} : index
    %t = symbol.create_symbol {SymbolId = -2 : i64} : index
    %m = symbol.symbol_immutable_mapping ([%c0 -> %s], [%c1 -> %t]) : index
    %c2 = arith.constant 2 : index
    %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %c0) -> (index) {
      %q = symbol.query_map(map:%m, key:%i) : index
      %c10 = arith.constant 10 : index
      %x = arith.muli %a, %c10 : index
      %y = arith.addi %x, %q : index
      scf.yield %y : index
    }
    """
    assert indices_of(body, ["%r"], [4, 7]) == [47]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ('%x = "demo.op"() : () -> index', "'demo.op' op has no binary form"),
        ("%x = symbol.create_symbol {SymbolId = -9 : i64} : index\n"
         "%v = kt.splat %x : index -> vector<1xindex>", "uses symbol -9, which nothing declares"),
        ("dataflow.sync_send %c0 : index", "addresses a unit that isn't known"),
        ("%x = arith.constant 1 : i48\n%v = kt.splat %x : i48 -> vector<2xi48>", "no binary format"),
    ],
)  # fmt: skip
def test_refusals_say_where_and_what(body: str, message: str) -> None:
    with pytest.raises(EncodeError, match=message) as caught:
        encoded(on_one_unit(body))
    assert "k.mlir" in str(caught.value)


def test_arguments_in_units_are_refused() -> None:
    text = on_one_unit("%v = kt.splat %n : index -> vector<1xindex>", "%n: index")
    with pytest.raises(EncodeError, match="has no value there") as caught:
        encoded(text)
    assert "only units, constants, symbols" in caught.value.render()


def test_wrapped_constants_fold_to_a_static_program() -> None:
    """A symbol that is the same number at every launch needs no launch-time work."""
    before = (
        "%c12 = arith.constant 12 : index\nsymbol.create_id %c12 {symbol_id = -5 : si64} : index"
    )
    body = "%s = symbol.create_symbol {SymbolId = -5 : i64} : index\n%v = kt.splat %s : index -> vector<1xindex>\n"
    body += flat_view("out", 0, 1, "index") + store("%v", "out", "0", 1, "index", 1)
    text = on_one_unit(body, before=before)
    program = encoded(text)
    assert program.is_static and program.sites == ((),) and not program.images[0].relocations
    assert result(run(text), 0, 1, "<i8").tolist() == [12]
