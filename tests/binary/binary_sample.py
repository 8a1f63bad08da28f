"""A small program written by hand: two cores that double one vector, launched in a host loop."""

from __future__ import annotations

from kt.binary.expressions import Node
from kt.binary.image import write_image
from kt.binary.isa import Instruction, Op, formatted, pack
from kt.binary.model import (
    Access,
    Argument,
    Contents,
    Debug,
    For,
    Image,
    Launch,
    MemoryInfo,
    Operand,
    Relocation,
    Stream,
    Symbol,
    Table,
    TimeDim,
    Unit,
    VectorOp,
)
from kt.binary.plans import prepare_plan
from kt.binary.program import Program

LOADER = (
    Instruction(Op.UTAB, 0, imm=0),
    Instruction(Op.UTAB, 1, imm=2),
    Instruction(Op.SCONST, 2, imm=3),
    Instruction(Op.SCONST, 3, imm=0),
    Instruction(Op.SCONST, 4, imm=1),
    Instruction(Op.IF, a=1, imm=6),
    Instruction(Op.LOOP, 5, 3, 2, pack(4, 4)),
    Instruction(Op.SADD, 6, 5, 0, 7, 1),
    Instruction(Op.XFER, imm=pack(0, 1)),
    Instruction(Op.SYNCS, flags=1),
    Instruction(Op.ENDL, imm=4),
    Instruction(Op.ENDIF),
    Instruction(Op.HALT),
)
COMPUTE = (
    Instruction(Op.UTAB, 0, imm=0),
    Instruction(Op.RECV, 0, b=0, imm=formatted("f16", 8)),
    Instruction(Op.VOP, imm=0),
    Instruction(Op.SEND, a=1, b=0, imm=3),
    Instruction(Op.HALT),
)


def sample() -> Program:
    """The program; every call makes a new equal one."""
    source = Access(3, "f16", 8, 0, 16, 0, 4, ((5, 64),), ((8, 1),), (TimeDim(2, 8),), 0, 1023)
    target = Access(4, "f16", 8, None, 0, 128, 0, (), ((8, 1),), (TimeDim(2, 8),), 0, 15)
    loader = Stream(
        "DMAI", (0, 1), 7, 0,
        (Table((-2, -3)), Table((7, 9)), Table((-4, -5)), Table((4, 4), True), Table((5, 6), True)),
        (source, target), LOADER,
    )  # fmt: skip
    compute = Stream("VPU", (2, 3), 1, 2, (Table((0, 1), True),), (), COMPUTE)
    double = VectorOp(
        "arith.addf", "", (Operand(False, 1, "f16", 8),), (Operand(False, 0, "f16", 8),) * 2
    )
    relocations = tuple(
        Relocation(0, table, ordinal, symbol)
        for table, ordinal, symbol in ((0, 0, 0), (0, 1, 1), (2, 0, 2), (2, 1, 3))
    )
    image = Image("twice", (-2, -3, -4, -5), (loader, compute), (double,), relocations)
    nodes = (
        Node("arg", 1), Node("const", imm=8), Node("ceildivs", 0, 1), Node("arg", 0), Node("iv", 0),
        Node("const", imm=512), Node("mul", 4, 5), Node("add", 3, 6), Node("grid"),
        Node("const", imm=256), Node("mul", 8, 9), Node("add", 7, 10), Node("sub", 2, 8),
        Node("slt", 4, 12),
    )  # fmt: skip
    site = (
        Symbol(-2, "address", 11, 16, 16, 0),
        Symbol(-3, "address", 11, 16, 16, 1),
        Symbol(-4, "predicate", 13, core=0),
        Symbol(-5, "predicate", 13, core=1),
    )
    units = (
        Unit("C0-dmai", "DMAI", 0, 0), Unit("C1-dmai", "DMAI", 1, 0), Unit("C0-vpu", "VPU", 0, 0),
        Unit("C1-vpu", "VPU", 1, 0), Unit("main", "MAIN", memory=0),
        Unit("C0-pad", "PAD", 0, memory=1), Unit("C1-pad", "PAD", 1, memory=2),
    )  # fmt: skip
    memories = (
        MemoryInfo("main", "MAIN", "device", 262144),
        MemoryInfo("C0-pad", "PAD", "core", 8192, 0),
        MemoryInfo("C1-pad", "PAD", "core", 8192, 1),
    )
    arguments = (
        Argument("x", "address", "f16", True, False, (-1, 64), 0, 1 << 40, 16),
        Argument("n", "scalar", "index", minimum=0),
    )
    debug = Debug((("k.mlir", 3, 5),), ("dataflow.receive",), (((), ((-1, -1), (0, 0))),))
    metadata = {
        "abi": 1, "kernel": "k", "grid": [2], "producer": "kt", "args": ["x", "n"],
        "device": {"name": "toy", "digest": "00"}, "programs": ["twice"],
    }  # fmt: skip
    size = len(write_image(image, lambda text: 0))
    contents = Contents(
        metadata, arguments, units, memories, nodes, (image,), (site,), (For(2, (Launch(0, 0),)),),
        prepare_plan([size]), "", debug,
    )  # fmt: skip
    return Program.of(contents)
