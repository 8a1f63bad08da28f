"""An artifact as text for people, and as plain values for scripts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from attrs import asdict

from kt.binary.container import MAJOR, MINOR
from kt.binary.expressions import text as node_text
from kt.binary.isa import ARITHMETIC, DIRECTIONS, PREDICATES, SHAPES, Instruction, Op
from kt.binary.model import (
    HIGH,
    LOW,
    Access,
    Constant,
    Contents,
    For,
    If,
    Image,
    Lanes,
    Launch,
    Opaque,
    Operand,
    Shuffle,
    Step,
    Stream,
    Symbol,
    Table,
    VectorOp,
)

_CLOSES = (Op.ENDL, Op.ELSE, Op.ENDIF)
_OPENS = (Op.LOOP, Op.IF, Op.ELSE)


def text_of(program: Contents) -> str:
    """The whole artifact as stable text."""
    return "\n".join(_lines(program)) + "\n"


def _lines(program: Contents) -> Iterator[str]:
    static = "yes" if not any(program.sites) else "no"
    meta = program.metadata
    yield f".ktb {MAJOR}.{MINOR}  kernel {meta['kernel']}  grid {meta['grid']}  static={static}"
    yield f".device {meta['device']['name']}"
    for i, a in enumerate(program.arguments):
        access = ("r" if a.reads else "") + ("w" if a.writes else "")
        words = [f".arg   {i} {a.name}  {a.kind}", a.dtype, access]
        if a.shape:
            words.append("x".join("?" if n < 0 else str(n) for n in a.shape))
        if a.multiple_of > 1:
            words.append(f"align {a.multiple_of}")
        if a.span is not None:
            words.append(f"span {_formula(program, a.span)}")
        if a.minimum not in (LOW, 0) or a.maximum != HIGH:
            words.append(f"in [{a.minimum}, {a.maximum}]")
        yield " ".join(w for w in words if w)
    for i, m in enumerate(program.memories):
        yield f".mem   {i} {m.name}  {m.kind} {m.scope}  {m.size} bytes"
    for i, u in enumerate(program.units):
        where = "" if u.core is None else f"  core {u.core}"
        where += "" if u.corelet is None else f".{u.corelet}"
        yield f".unit  {i} {u.name}  {u.kind}{where}" + ("" if u.memory is None else "  memory")
    for number, site in enumerate(program.sites):
        for symbol in site:
            yield f".sym   site {number}  {_symbol_text(program, symbol)}"
    for i, image in enumerate(program.images):
        yield from _image_lines(program, i, image)
    for command in program.prepare:
        if command.op == "allocate":
            yield f".prep  allocate r{command.region} {command.size}"
        else:
            yield f".prep  init r{command.region}+{command.offset} {command.size}"
    yield from _plan_lines(program, program.plan, 0)
    if program.templates:
        yield ".templates"
        yield from program.templates.rstrip("\n").split("\n")


def _symbol_text(program: Contents, symbol: Symbol) -> str:
    formula = _formula(program, symbol.expression)
    division = f" / {symbol.divisor}" if symbol.divisor > 1 else ""
    core = "" if symbol.core is None else f"  grid {symbol.core}"
    align = f"  align {symbol.align}" if symbol.align > 1 else ""
    return f"{symbol.id}  {symbol.kind} = {formula}{division}{core}{align}"


def _formula(program: Contents, root: int) -> str:
    return node_text(program.expressions, root, [a.name for a in program.arguments])


def _plan_lines(program: Contents, steps: Sequence[Step], depth: int) -> Iterator[str]:
    pad = ".exec  " + "  " * depth
    for step in steps:
        match step:
            case For():
                yield f"{pad}for {_formula(program, step.count)}"
                yield from _plan_lines(program, step.body, depth + 1)
                yield f"{pad}endfor"
            case If():
                yield f"{pad}if {_formula(program, step.condition)}"
                yield from _plan_lines(program, step.then, depth + 1)
                if step.otherwise:
                    yield f"{pad}else"
                    yield from _plan_lines(program, step.otherwise, depth + 1)
                yield f"{pad}endif"
            case Launch():
                yield f"{pad}launch {program.images[step.image].name}  site {step.site}"


def _image_lines(program: Contents, number: int, image: Image) -> Iterator[str]:
    yield f".program {image.name}  {len(image.symbols)} symbols, {len(image.relocations)} relocations"
    for index, stream in enumerate(image.streams):
        yield from _stream_lines(program, number, image, index, stream)
    for i, constant in enumerate(image.constants):
        yield f"k{i}  {_constant_text(constant)}"


def _stream_lines(
    program: Contents, number: int, image: Image, index: int, stream: Stream
) -> Iterator[str]:
    units = " ".join(program.units[u].name for u in stream.units)
    yield f".stream {stream.kind}  units [{units}]  sregs {stream.num_sregs}  vregs {stream.num_vregs}"
    symbols = {
        (r.table, r.ordinal): image.symbols[r.symbol]
        for r in image.relocations
        if r.stream == index
    }
    depth = 0
    for pc, instruction in enumerate(stream.code):
        if instruction.op in _CLOSES:
            depth -= 1
        line = f"{pc:4}  {'  ' * depth}{_instruction_text(instruction)}"
        if instruction.op in _OPENS:
            depth += 1
        comment = _comment(program, number, image, index, pc, instruction)
        yield f"{line:<44}; {comment}" if comment else line
    for k, table in enumerate(stream.tables):
        yield f"t{k}  {_table_text(program, table, k, symbols)}"
    for k, access in enumerate(stream.accesses):
        yield f"acc{k}  {_access_text(access)}"


def _comment(
    program: Contents, number: int, image: Image, index: int, pc: int, instruction: Instruction
) -> str:
    words = []
    if instruction.op in (Op.VOP, Op.OPAQUE):
        constant = image.constants[instruction.imm]
        words.append(constant.name if isinstance(constant, (VectorOp, Opaque)) else "")
    if program.debug is not None:
        place, op = program.debug.find(number, index, pc)
        words += [w for w in (op, str(place) if place else "") if w and w not in words]
    return "  ".join(words)


def _table_text(
    program: Contents, table: Table, number: int, symbols: dict[tuple[int, int], int]
) -> str:
    if table.is_units:
        return f"[{' '.join(program.units[v].name for v in table.values)}]"
    entries = [
        f"sym {symbols[number, i]}" if (number, i) in symbols else str(v)
        for i, v in enumerate(table.values)
    ]
    return f"[{', '.join(entries)}]"


def _instruction_text(i: Instruction) -> str:
    name, shape = i.op.name.lower(), SHAPES[i.op]
    fields = [(shape.d, i.d), (shape.a, i.a)]
    if not (i.op in ARITHMETIC and i.immediate):
        fields.append((shape.b, i.b))
    parts = [f"{kind.lower()}{value}" for kind, value in fields if kind]
    match shape.imm:
        case "n" if i.op is Op.SCONST or i.flags:
            parts.append(str(i.imm))
        case "t":
            parts.append(f"t{i.imm}")
        case "x":
            parts.append(f"acc{i.imm}")
        case "xx":
            parts += [f"acc{i.load}", f"acc{i.store}"]
        case "k":
            parts.append(f"k{i.imm}")
        case "f":
            parts.append(f"{i.dtype} x{i.lanes}")
        case "p":
            parts.append(PREDICATES[i.imm])
        case "s":
            parts.append(f"s{i.imm}")
        case "w":
            parts.append(str(i.imm))
        case "r" if i.imm:
            parts.append(DIRECTIONS[i.imm])
        case "l":
            parts += [f"step s{i.step}", f"len {i.length}"]
        case "j":
            parts.append(str(i.imm))
    if shape.direction and i.a:
        parts.append(DIRECTIONS[i.a])
    if i.op is Op.SYNCS and i.wait:
        parts.append("wait")
    return f"{name:<8} {', '.join(parts)}".rstrip()


def _access_text(access: Access) -> str:
    start = [] if access.start is None else [f"s{access.start}*{access.start_scale}B"]
    start += [f"{access.start_bytes}B"] if access.start_bytes or not start else []
    element = [f"{c}*s{r}" for r, c in access.terms] + ([str(access.const)] if access.const else [])
    lanes = " ".join(f"({c},{s})" for c, s in access.lane_dims)
    words = [f"mem t{access.table}  {access.dtype} x{access.lanes}: {lanes or '(1)'}",
             f"start {' + '.join(start)}"]  # fmt: skip
    if element:
        words.append(f"element {' + '.join(element)}")
    if access.time_dims:
        dims = " ".join(
            f"({'s' if d.is_register else ''}{d.count},{d.stride})" for d in access.time_dims
        )
        words.append(f"time {dims}")
    words.append(f"bound [{access.minimum},{access.maximum}]")
    return "  ".join(words)


def _constant_text(constant: Constant) -> str:
    match constant:
        case VectorOp():
            results = ", ".join(map(_operand_text, constant.results))
            operands = ", ".join(map(_operand_text, constant.operands))
            return f"{results} = {constant.name}({operands}) {constant.attributes}".rstrip()
        case Lanes():
            values = constant.array()
            shown = str(values[0]) if len(set(values.tolist())) == 1 else str(values.tolist())
            return f"lanes {constant.dtype} x{constant.lanes}  {shown}"
        case Shuffle():
            inputs = ", ".join(f"v{r} x{n}" for r, n in constant.inputs)
            repeated = f" x{constant.repetition}" if constant.repetition > 1 else ""
            return f"shuffle {constant.dtype}  ({inputs})  {_runs(constant.indices)}{repeated}"
        case Opaque():
            return f"opaque {constant.name} {constant.attributes}".rstrip()


def _runs(indices: Sequence[int]) -> str:
    """``[0..7, 3]``: consecutive numbers as a range."""
    parts: list[str] = []
    at = 0
    while at < len(indices):
        end = at
        while end + 1 < len(indices) and indices[end + 1] == indices[end] + 1:
            end += 1
        few = end - at < 2
        parts += (
            [str(i) for i in indices[at : end + 1]] if few else [f"{indices[at]}..{indices[end]}"]
        )
        at = end + 1
    return f"[{', '.join(parts)}]"


def _operand_text(operand: Operand) -> str:
    return f"{'s' if operand.is_scalar else 'v'}{operand.register}:{operand.dtype}x{operand.lanes}"


# -- plain values ----------------------------------------------------------------------------------


def json_of(program: Contents) -> dict[str, Any]:
    """The artifact as values that JSON can hold."""
    return {
        "format": f"{MAJOR}.{MINOR}",
        "metadata": program.metadata,
        "arguments": [asdict(a) for a in program.arguments],
        "units": [asdict(u) for u in program.units],
        "memories": [asdict(m) for m in program.memories],
        "symbols": [[_symbol_text(program, s) for s in site] for site in program.sites],
        "programs": [_image_json(image) for image in program.images],
        "plan": [line.removeprefix(".exec  ") for line in _plan_lines(program, program.plan, 0)],
        "prepare": [asdict(c) for c in program.prepare],
        "templates": program.templates,
    }


def _image_json(image: Image) -> dict[str, Any]:
    return {
        "name": image.name,
        "symbols": list(image.symbols),
        "relocations": [asdict(r) for r in image.relocations],
        "constants": [_constant_text(c) for c in image.constants],
        "streams": [
            {
                "kind": s.kind,
                "units": list(s.units),
                "sregs": s.num_sregs,
                "vregs": s.num_vregs,
                "tables": [asdict(table) for table in s.tables],
                "accesses": [asdict(access) for access in s.accesses],
                "code": [_instruction_text(i) for i in s.code],
            }
            for s in image.streams
        ],
    }
