"""Symbols: names of ops inside a symbol table, references to them, and renaming."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from attrs import define, field

from kt.ir.attributes import ArrayAttr, Attribute, DictAttr, StringAttr, SymbolRefAttr
from kt.ir.core import Operation
from kt.ir.traits import SymbolTable as SymbolTableTrait


def symbol_name(op: Operation) -> str | None:
    """The ``sym_name`` of an op, if it has one."""
    found = op.attr("sym_name")
    return found.value if isinstance(found, StringAttr) else None


def nearest_symbol_table(op: Operation) -> Operation | None:
    """The symbol table that ``op`` is, or else the innermost one around it."""
    current: Operation | None = op
    while current is not None and not current.has_trait(SymbolTableTrait):
        current = current.parent_op
    return current


def lookup_in(table: Operation, name: str) -> Operation | None:
    """The op called ``name`` directly inside a symbol table."""
    for region in table.regions:
        for block in region.blocks:
            for op in block.ops:
                if symbol_name(op) == name:
                    return op
    return None


def lookup(op: Operation, reference: str | SymbolRefAttr) -> Operation | None:
    """What ``reference`` means at ``op``: looked up in the nearest symbol table, then inwards."""
    if isinstance(reference, str):
        reference = SymbolRefAttr(reference)
    found = nearest_symbol_table(op)
    for name in (reference.root, *reference.nested):
        if found is None or not found.has_trait(SymbolTableTrait):
            return None
        found = lookup_in(found, name)
    return found


@define(eq=False, init=False)
class SymbolTable:
    """Fast lookup in one symbol table, and insertion under names that are still free."""

    op: Operation
    names: dict[str, Operation] = field(factory=dict)

    def __init__(self, op: Operation) -> None:
        self.op = op
        self.names = {}
        for region in op.regions:
            for block in region.blocks:
                for inner in block.ops:
                    name = symbol_name(inner)
                    if name is not None:
                        self.names.setdefault(name, inner)

    def lookup(self, name: str) -> Operation | None:
        return self.names.get(name)

    def free_name(self, wish: str) -> str:
        """``wish``, or ``wish_0``, ``wish_1``… if it is taken."""
        if wish not in self.names:
            return wish
        number = 0
        while f"{wish}_{number}" in self.names:
            number += 1
        return f"{wish}_{number}"

    def insert(self, op: Operation) -> str:
        """Append a detached symbol to the table, renamed if need be; returns its name."""
        name = self.free_name(symbol_name(op) or "symbol")
        set_symbol_name(op, name)
        self.names[name] = op
        if op.parent is None:
            self.op.body.append(op)
        return name


def set_symbol_name(op: Operation, name: str) -> None:
    """Change the name of the op alone; see :func:`rename` for its references."""
    where = op.attributes if "sym_name" in op.attributes else op.properties
    where["sym_name"] = StringAttr(name)


def walk_attribute(attribute: object) -> Iterator[Attribute]:
    """An attribute and all attributes inside it."""
    if isinstance(attribute, tuple):
        for part in attribute:
            yield from walk_attribute(part)
    elif isinstance(attribute, Attribute):
        yield attribute
        for f in type(attribute).__attrs_attrs__:  # type: ignore[attr-defined]
            value = getattr(attribute, f.name)
            if isinstance(value, (Attribute, tuple)):
                yield from walk_attribute(value)


def replace_in_attribute(
    attribute: Attribute, change: Callable[[Attribute], Attribute]
) -> Attribute:
    """The attribute with ``change`` applied to every part, innermost first."""
    match attribute:
        case ArrayAttr():
            made: Attribute = ArrayAttr(
                tuple(replace_in_attribute(e, change) for e in attribute.elements)
            )
        case DictAttr():
            entries = attribute.entries
            made = DictAttr(tuple((k, replace_in_attribute(v, change)) for k, v in entries))
        case _:
            made = _rebuilt(attribute, change)
    return change(made)


def _rebuilt(attribute: Attribute, change: Callable[[Attribute], Attribute]) -> Attribute:
    old = [getattr(attribute, f.name) for f in type(attribute).__attrs_attrs__]  # type: ignore
    new = [_replaced(value, change) for value in old]
    return attribute if all(a is b for a, b in zip(old, new)) else type(attribute)(*new)


def _replaced(value: object, change: Callable[[Attribute], Attribute]) -> object:
    if isinstance(value, Attribute):
        return replace_in_attribute(value, change)
    if isinstance(value, tuple) and any(isinstance(part, (Attribute, tuple)) for part in value):
        made = tuple(_replaced(part, change) for part in value)
        return value if all(a is b for a, b in zip(value, made)) else made
    return value


def references(op: Operation) -> Iterator[SymbolRefAttr]:
    """All symbol references in the attributes of one op."""
    for attributes in (op._properties, op._attributes):
        for value in (attributes or {}).values():
            for part in walk_attribute(value):
                if isinstance(part, SymbolRefAttr):
                    yield part


def symbol_uses(symbol: Operation) -> list[tuple[Operation, SymbolRefAttr]]:
    """All references to a symbol in the table that holds it: (user, reference)."""
    return [(op, reference) for op, reference, _ in _uses(symbol)]


def _uses(symbol: Operation) -> list[tuple[Operation, SymbolRefAttr, int]]:
    """References to a symbol, with the place of its name in each of them."""
    name, table = symbol_name(symbol), symbol.parent_op
    if name is None or table is None:
        return []
    return [
        (op, reference, len(path))
        for op, path in _scopes(table)
        for reference in references(op)
        if (reference.root, *reference.nested)[: len(path) + 1] == (*path, name)
    ]


def _scopes(table: Operation) -> Iterator[tuple[Operation, tuple[str, ...]]]:
    """Ops from which names of ``table`` are visible, with the path by which they are reached."""
    stack = [(op, ()) for region in table.regions for b in region.blocks for op in b.ops]
    stack.reverse()
    # From outside, the table's symbols are reached through the table's own name.
    outer = table.parent_op
    while stack:
        op, path = stack.pop()
        yield op, path
        if not op.has_trait(SymbolTableTrait):
            inner = [(x, path) for r in op.regions for b in r.blocks for x in b.ops]
            stack += inner[::-1]
    name = symbol_name(table)
    if outer is not None and name is not None:
        for op, path in _scopes(outer):
            if not table.is_ancestor_of(op) or op is table:
                yield op, (*path, name)


def rename(symbol: Operation, name: str) -> None:
    """Give a symbol another name, with all references to it."""
    for op, old, depth in _uses(symbol):
        full = [old.root, *old.nested]
        full[depth] = name
        new = SymbolRefAttr(full[0], tuple(full[1:]))

        def change(attribute: Attribute, old: Attribute = old, new: Attribute = new) -> Attribute:
            return new if attribute is old else attribute

        for attributes in (op._properties, op._attributes):
            for key, value in list((attributes or {}).items()):
                attributes[key] = replace_in_attribute(value, change)  # type: ignore[index]
    set_symbol_name(symbol, name)
