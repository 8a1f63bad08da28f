"""Symbol lookup, uses and renaming across nested tables."""

from __future__ import annotations

from kt.ir import symbols
from kt.ir import types as t
from kt.ir.attributes import ArrayAttr, DictAttr, StringAttr, SymbolRefAttr
from kt.ir.core import Block, Operation, Region, UnregisteredOp
from kt.ir.opdef import region
from kt.ir.traits import NoTerminator, SymbolTable


class Table(Operation):
    name = "sy.table"
    traits = (SymbolTable(), NoTerminator())
    inside = region(single_block=True)


def named(name):
    return UnregisteredOp.make("sy.thing", (), (), {"sym_name": StringAttr(name)})


def table(name, *ops):
    properties = {"sym_name": StringAttr(name)} if name else None
    return Table((), (), properties, None, [Region([Block(ops=ops)])])


def user(attribute):
    return UnregisteredOp.make("sy.user", (), (), None, {"to": attribute})


def test_lookup_goes_inwards_only_by_name():
    f, g, inside = named("f"), named("g"), user(SymbolRefAttr("f"))
    inner = table("inner", g, inside)
    top = table(None, f, inner)
    assert symbols.lookup(top, "f") is f
    assert symbols.lookup(top, "g") is None
    assert symbols.lookup(top, SymbolRefAttr("inner", ("g",))) is g
    assert symbols.lookup(inside, "g") is g
    assert symbols.lookup(inside, "f") is None
    assert symbols.nearest_symbol_table(inside) is inner
    assert symbols.nearest_symbol_table(inner) is inner


def test_uses_are_found_inside_other_attributes():
    f = named("f")
    deep = user(ArrayAttr((DictAttr.of({"x": SymbolRefAttr("f")}),)))
    near = user(SymbolRefAttr("f"))
    other = user(SymbolRefAttr("g"))
    table(None, f, deep, near, other)
    assert [op for op, _ in symbols.symbol_uses(f)] == [deep, near]


def test_rename_follows_nested_references():
    g = named("g")
    inner = table("inner", g, near := user(SymbolRefAttr("g")))
    far = user(ArrayAttr((SymbolRefAttr("inner", ("g",)), SymbolRefAttr("g"))))
    table(None, inner, far)
    symbols.rename(g, "h")
    assert symbols.symbol_name(g) == "h"
    assert near.attributes["to"] is SymbolRefAttr("h")
    # The plain @g outside means another symbol.
    assert far.attributes["to"] is ArrayAttr((SymbolRefAttr("inner", ("h",)), SymbolRefAttr("g")))
    symbols.rename(inner, "outer")
    assert far.attributes["to"].elements[0] is SymbolRefAttr("outer", ("h",))


def test_names_of_an_inner_table_are_its_own():
    f, shadow = named("f"), named("f")
    hidden = user(SymbolRefAttr("f"))
    table(None, f, table("inner", shadow, hidden))
    assert symbols.symbol_uses(f) == []
    assert [op for op, _ in symbols.symbol_uses(shadow)] == [hidden]


def test_insert_finds_a_free_name():
    top = table(None, named("f"), named("f_0"))
    names = symbols.SymbolTable(top)
    new = named("f")
    assert names.insert(new) == "f_1"
    assert symbols.lookup(top, "f_1") is new and names.lookup("f_1") is new


def test_attributes_are_rebuilt_only_where_needed():
    same = ArrayAttr((StringAttr("a"), t.i32))
    assert symbols.replace_in_attribute(same, lambda a: a) is same
    widened = symbols.replace_in_attribute(
        t.MemRefType((4,), t.i32), lambda a: t.i64 if a is t.i32 else a
    )
    assert widened is t.MemRefType((4,), t.i64)
