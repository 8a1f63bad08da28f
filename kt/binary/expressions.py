"""Expressions over launch facts: arguments, loop counters, the grid element. Checked int64.

Nodes are numbered so that operands come first; equal nodes are one node. Division by zero and
results outside 64 bits are launch errors that name the node.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from types import CodeType

from attrs import frozen

from kt.ir.diagnostics import RunError

LOW, HIGH = -(1 << 63), (1 << 63) - 1
MASK = (1 << 64) - 1

OPS: dict[str, int] = {
    "const": 0,
    "arg": 1,
    "grid": 4,
    "iv": 5,
    "sext": 10,
    "zext": 11,
    "add": 16,
    "sub": 17,
    "mul": 18,
    "divs": 19,
    "rems": 20,
    "mins": 21,
    "ceildivs": 22,
    "maxs": 23,
    "floordivs": 24,
    "divu": 25,
    "remu": 26,
    "and": 27,
    "or": 28,
    "xor": 29,
    "shl": 30,
    "shrs": 31,
    "shru": 32,
    "eq": 33,
    "ne": 34,
    "slt": 35,
    "sle": 36,
    "sgt": 37,
    "sge": 38,
    "ult": 39,
    "ule": 40,
    "ugt": 41,
    "uge": 42,
    "select": 48,
}
NAMES = {code: name for name, code in OPS.items()}
LEAVES = frozenset(("const", "arg", "grid", "iv"))
UNARY = frozenset(("sext", "zext"))
BINARY = frozenset(name for name in OPS if name not in LEAVES | UNARY | {"select"})


@frozen
class Node:
    """``lhs``/``rhs``: operand nodes; of ``arg`` and ``iv``, lhs is the argument or loop depth.

    ``imm``: value of ``const``, width of ``sext``/``zext``, the "else" node of ``select``.
    """

    op: str
    lhs: int = 0
    rhs: int = 0
    imm: int = 0

    @property
    def operands(self) -> tuple[int, ...]:
        """Nodes that this one reads."""
        if self.op in LEAVES:
            return ()
        if self.op in UNARY:
            return (self.lhs,)
        return (self.lhs, self.rhs, self.imm) if self.op == "select" else (self.lhs, self.rhs)


def divs(a: int, b: int) -> int:
    """Truncating division."""
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


def rems(a: int, b: int) -> int:
    """Remainder with the dividend's sign."""
    return a - divs(a, b) * b


def ceildivs(a: int, b: int) -> int:
    """Division rounded up."""
    return -(-a // b)


def sext(a: int, width: int) -> int:
    """The low ``width`` bits as a signed number."""
    a &= (1 << width) - 1
    return a - (1 << width) if a >> (width - 1) else a


def zext(a: int, width: int) -> int:
    """The low ``width`` bits as an unsigned number."""
    return a & (1 << width) - 1


def shl(a: int, b: int) -> int:
    return a << _shift(b)


def shrs(a: int, b: int) -> int:
    return a >> _shift(b)


def shru(a: int, b: int) -> int:
    return (a & MASK) >> _shift(b)


def _shift(amount: int) -> int:
    if not 0 <= amount < 64:
        raise ValueError(f"shift by {amount}")
    return amount


FUNCTIONS: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "divs": divs,
    "rems": rems,
    "mins": min,
    "maxs": max,
    "ceildivs": ceildivs,
    "floordivs": lambda a, b: a // b,
    "divu": lambda a, b: (a & MASK) // (b & MASK),
    "remu": lambda a, b: (a & MASK) % (b & MASK),
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "shl": shl,
    "shrs": shrs,
    "shru": shru,
    "eq": lambda a, b: int(a == b),
    "ne": lambda a, b: int(a != b),
    "slt": lambda a, b: int(a < b),
    "sle": lambda a, b: int(a <= b),
    "sgt": lambda a, b: int(a > b),
    "sge": lambda a, b: int(a >= b),
    "ult": lambda a, b: int((a & MASK) < (b & MASK)),
    "ule": lambda a, b: int((a & MASK) <= (b & MASK)),
    "ugt": lambda a, b: int((a & MASK) > (b & MASK)),
    "uge": lambda a, b: int((a & MASK) >= (b & MASK)),
    "sext": sext,
    "zext": zext,
}

# Text of the common ops in a compiled evaluator; the others call their function.
_INFIX = {"add": "{} + {}", "sub": "{} - {}", "mul": "{} * {}", "and": "{} & {}", "or": "{} | {}",
          "xor": "{} ^ {}", "mins": "min({}, {})", "maxs": "max({}, {})"}  # fmt: skip
_CAN_LEAVE = frozenset(("add", "sub", "mul", "divs", "ceildivs", "floordivs", "divu", "remu", "shl",
                        "shru", "zext"))  # fmt: skip
"""Ops whose result may lie outside 64 bits although the operands don't."""
_WIDEST = 256
"""Bits that an unchecked intermediate result may have, so that no file makes numbers grow without end."""


def evaluate(
    nodes: Sequence[Node],
    root: int,
    args: Sequence[int],
    ivs: Sequence[int] = (),
    core: int = -1,
    names: Sequence[str] = (),
) -> int:
    """The value of one node. RunError names the first node that has none, by the arguments' names.

    >>> evaluate([Node("arg"), Node("const", imm=4), Node("add", 0, 1)], 2, [38])
    42
    """
    known: dict[int, int] = {}
    stack = [root]
    while stack:
        at = stack[-1]
        if at in known:
            stack.pop()
            continue
        missing = [i for i in nodes[at].operands if i not in known]
        if missing:
            stack.extend(reversed(missing))
            continue
        known[at] = _value(nodes, at, known, args, ivs, core, names)
        stack.pop()
    return known[root]


def _value(
    nodes: Sequence[Node],
    at: int,
    known: dict[int, int],
    args: Sequence[int],
    ivs: Sequence[int],
    core: int,
    names: Sequence[str],
) -> int:
    node = nodes[at]
    try:
        match node.op:
            case "const":
                value = node.imm
            case "arg":
                value = args[node.lhs]
            case "grid":
                value = core
            case "iv":
                value = ivs[node.lhs]
            case "select":
                value = known[node.rhs] if known[node.lhs] else known[node.imm]
            case op if op in UNARY:
                value = FUNCTIONS[op](known[node.lhs], node.imm)
            case op:
                value = FUNCTIONS[op](known[node.lhs], known[node.rhs])
    except ZeroDivisionError:
        raise RunError(f"division by zero in {text(nodes, at, names)}") from None
    except ValueError as error:
        raise RunError(f"{error} in {text(nodes, at, names)}") from None
    if not LOW <= value <= HIGH:
        raise RunError(f"the value {value} of {text(nodes, at, names)} does not fit 64 bits")
    return value


def text(nodes: Sequence[Node], root: int, arguments: Sequence[str] = (), limit: int = 200) -> str:
    """A node in words, cut off when it gets long; ``arguments``: names instead of ``arg0`` …."""
    symbols = {"add": "+", "sub": "-", "mul": "*", "divs": "/", "rems": "%", "eq": "==",
               "ne": "!=", "slt": "<", "sle": "<=", "sgt": ">", "sge": ">=", "and": "&", "or": "|",
               "xor": "^"}  # fmt: skip

    def show(at: int, depth: int) -> str:
        node = nodes[at]
        if node.op == "const":
            return str(node.imm)
        if node.op == "arg" and node.lhs < len(arguments):
            return arguments[node.lhs]
        if node.op in LEAVES:
            return node.op if node.op == "grid" else f"{node.op}{node.lhs}"
        if depth > 8:
            return f"n{at}"
        parts = [show(i, depth + 1) for i in node.operands]
        if node.op in symbols:
            return f"({parts[0]} {symbols[node.op]} {parts[1]})"
        if node.op in UNARY:
            parts.append(str(node.imm))
        return f"{node.op}({', '.join(parts)})"

    shown = show(root, 0)
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


Root = tuple[int, int]
"""A node and the grid element for which it is evaluated (-1: none)."""


@frozen
class Evaluator:
    """Several roots compiled to one plain Python function."""

    nodes: Sequence[Node]
    roots: tuple[Root, ...]
    function: Callable[[Sequence[int], Sequence[int]], tuple[int, ...]]
    names: tuple[str, ...] = ()
    """Of the arguments, for messages."""

    def __call__(self, args: Sequence[int], ivs: Sequence[int] = ()) -> tuple[int, ...]:
        """The values of all roots. RunError names the node that has none."""
        try:
            return self.function(args, ivs)
        except (ArithmeticError, ValueError):
            # Rare: the slow evaluation finds the culprit, and is the judge.
            return tuple(
                evaluate(self.nodes, n, args, ivs, core, self.names) for n, core in self.roots
            )


def compile_roots(
    nodes: Sequence[Node], roots: Iterable[Root], arguments: Iterable[str] = ()
) -> Evaluator:
    """An evaluator for these roots; shared nodes are computed once. ``arguments``: names for messages."""
    wanted = tuple(roots)
    on_grid, _ = dependencies(nodes)
    names: dict[Root, str] = {}
    widths: dict[str, int] = {}
    lines: list[str] = []
    checked: list[str] = []

    def emit(root: int, core: int) -> str:
        stack = [root]
        while stack:
            at = stack[-1]
            key = (at, core if on_grid[at] else -1)
            if key in names:
                stack.pop()
                continue
            operands = [(i, core if on_grid[i] else -1) for i in nodes[at].operands]
            missing = [i for i, c in operands if (i, c) not in names]
            if missing:
                stack.extend(reversed(missing))
                continue
            parts = [names[k] for k in operands]
            name = names[key] = _emit_node(nodes[at], parts, core, lines, checked)
            width = _width(nodes[at].op, [widths[part] for part in parts])
            if width > _WIDEST:
                lines.append(f" if not {LOW} <= {name} <= {HIGH}: raise OverflowError\n")
                width = 64
            widths[name] = width
            stack.pop()
        return names[(root, core if on_grid[root] else -1)]

    results = "".join(f"{emit(n, core)}, " for n, core in wanted)
    check = ""
    if checked:
        row = ", ".join(checked)
        check = f" c = ({row},)\n if min(c) < {LOW} or max(c) > {HIGH}: raise OverflowError\n"
    source = f"def evaluate(a, v):\n{''.join(lines)}{check} return ({results})\n"
    # The text holds nothing but our own names, positions and integers.
    scope: dict[str, Callable[..., object]] = {f"f_{k}": f for k, f in FUNCTIONS.items()}
    exec(_compiled(source), scope)
    return Evaluator(nodes, wanted, scope["evaluate"], tuple(arguments))  # type: ignore[arg-type]


@functools.lru_cache(maxsize=1024)
def _compiled(source: str) -> CodeType:
    """The same expressions, of many launches or on other runtimes, are compiled once."""
    return compile(source, "<expressions>", "exec")


def _emit_node(
    node: Node, operands: list[str], core: int, lines: list[str], checked: list[str]
) -> str:
    match node.op:
        case "const":
            return f"({node.imm})"
        case "arg":
            return f"a[{node.lhs}]"
        case "iv":
            return f"v[{node.lhs}]"
        case "grid":
            return f"({core})"
        case "select":
            value = f"{operands[1]} if {operands[0]} else {operands[2]}"
        case op if op in UNARY:
            value = f"f_{op}({operands[0]}, {node.imm})"
        case op if op in _INFIX:
            value = _INFIX[op].format(*operands)
        case op:
            value = f"f_{op}({operands[0]}, {operands[1]})"
    name = f"t{len(lines)}"
    lines.append(f" {name} = {value}\n")
    if node.op in _CAN_LEAVE:
        checked.append(name)
    return name


def _width(op: str, parts: Sequence[int]) -> int:
    """Bits that a result may have, if its operands have these."""
    match op:
        case "add" | "sub":
            return max(parts) + 1
        case "mul":
            return sum(parts)
        case "shl":
            return parts[0] + 63
        case _:
            return max([64, *parts]) + 1 if op in _CAN_LEAVE else max([64, *parts])


def dependencies(nodes: Sequence[Node]) -> tuple[list[bool], list[int]]:
    """Per node: whether it depends on the grid element; 1 + the deepest loop counter it reads."""
    on_grid: list[bool] = []
    depth: list[int] = []
    for node in nodes:
        parts = node.operands
        on_grid.append(node.op == "grid" or any([on_grid[i] for i in parts]))
        own = node.lhs + 1 if node.op == "iv" else 0
        depth.append(max([own, *[depth[i] for i in parts]]))
    return on_grid, depth
