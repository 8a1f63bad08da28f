"""Comparing modules by structure: what values are called doesn't matter, their order does."""

from __future__ import annotations

import pytest

from kt.ir.verifier import verify
from kt.parse import parse_text
from kt.passes.manager import PassManager


def dump(root):
    """One line per op: numbered values, attributes, types."""
    numbers, lines = {}, []

    def number(value):
        return numbers.setdefault(value, f"%{len(numbers)}")

    def visit(op, depth):
        results = [number(v) for v in op.results]
        attributes = {**(op._properties or {}), **(op._attributes or {})}
        # Segment sizes and symbol tables follow from the rest.
        shown = {k: str(v) + repr(getattr(v, "value", "")) for k, v in sorted(attributes.items())}
        types = [str(v.type) for v in op.results]
        operands = [number(v) for v in op.operands]
        lines.append(f"{'  ' * depth}{results} = {op.name}{operands} {shown} {types}")
        for region in op.regions:
            for block in region.blocks:
                arguments = [f"{number(a)}: {a.type}" for a in block.arguments]
                lines.append(f"{'  ' * depth} ^{arguments}")
                for inner in block.ops:
                    visit(inner, depth + 1)

    visit(root, 0)
    return "\n".join(lines)


@pytest.fixture(name="dump")
def dump_of():
    """The structure of a module as text."""
    return dump


@pytest.fixture
def form():
    """``form(text)``: the structure of a valid module that is given as text."""

    def read(text):
        module = parse_text(text)
        verify(module)
        return dump(module)

    return read


@pytest.fixture
def after():
    """``after(pipeline, text)``: the structure of what passes make of a module.

    If running them again changes something more, that follows.
    """

    def run(pipeline, text):
        module = parse_text(text)
        verify(module)
        PassManager(pipeline).run(module)
        once = dump(module)
        PassManager(pipeline).run(module)
        twice = dump(module)
        return once if once == twice else f"{once}\n\nand then\n\n{twice}"

    return run
