"""Scalars that are computed from loaded tensors become tensors without dimensions."""

from __future__ import annotations

from attrs import define, field

from kt.ir import types as t
from kt.ir.affine import AffineMap, const
from kt.ir.builder import Builder
from kt.ir.clone import clone_ops
from kt.ir.core import Operation, Value
from kt.ir.dialects import linalg, tensor
from kt.ir.dialects.linalg_base import PARALLEL
from kt.ir.effects import is_pure
from kt.passes.analysis.index_maps import constant_index

NUMBERS = (t.FloatType, t.IntegerType)


def lift_scalars(function: Operation) -> int:
    """Compute with 0-d tensors what is computed from ``tensor.extract``; how many were extracted.

    Scalar arithmetic becomes generic ops on tensors without dimensions; bodies and splats that use a
    result get it as an input::

        %s = tensor.extract %t[%c0]                %s = linalg.generic {() -> (0), () -> ()} ins(%t)
        %m = arith.mulf %s, %k             →       %m = linalg.generic {() -> ()} ins(%s) { mulf %in, %k }
        %y = tensor.splat %m                       %y = linalg.generic {(d0) -> (), …} ins(%m)
    """
    lifting = _Lifting()
    for op in list(function.walk()):
        lifting.visit(op)
    for op in reversed(lifting.replaced):
        if not any(r.has_uses for r in op.results):
            op.erase()
    return lifting.extracted


@define(eq=False)
class _Lifting:
    lifted: dict[Value, Value] = field(factory=dict)
    """Scalar → tensor without dimensions."""
    replaced: list[Operation] = field(factory=list)
    extracted: int = 0

    def visit(self, op: Operation) -> None:
        if isinstance(op, tensor.ExtractOp):
            self.extract(op)
        elif isinstance(op, tensor.SplatOp) and op.operands[0] in self.lifted:
            self.spread(op)
        elif isinstance(op, linalg.GenericOp):
            self.capture(op)
        elif self.computes(op):
            self.compute(op)

    def extract(self, op: tensor.ExtractOp) -> None:
        places = [constant_index(v) for v in op.indices]
        if not isinstance(op.result.type, NUMBERS) or None in places:
            return
        map = AffineMap(0, 0, [const(n) for n in places])  # type: ignore[arg-type]
        self.lifted[op.result] = self.made(op, [op.tensor], [map], op.result.type, lambda b, a: [a[0]])
        self.replaced.append(op)
        self.extracted += 1

    def computes(self, op: Operation) -> bool:
        """Whether an op is scalar arithmetic on something that is lifted."""
        around = op.parent_op
        return (
            any(v in self.lifted for v in op.operands)
            and not isinstance(around, linalg.GenericOp)
            and is_pure(op)
            and not op.regions
            and len(op.results) == 1
            and all(isinstance(v.type, NUMBERS) for v in (*op.operands, *op.results))
        )

    def compute(self, op: Operation) -> None:
        inputs = [v for v in dict.fromkeys(op.operands) if v in self.lifted]

        def body(block, arguments):  # type: ignore[no-untyped-def]
            (made,) = clone_ops([op], dict(zip(inputs, arguments, strict=False)))
            block.append(made)
            return list(made.results)

        maps = [AffineMap(0, 0, [])] * len(inputs)
        values = [self.lifted[v] for v in inputs]
        self.lifted[op.results[0]] = self.made(op, values, maps, op.results[0].type, body)
        self.replaced.append(op)

    def made(self, op: Operation, inputs: list[Value], maps: list[AffineMap], type: t.Type, body) -> Value:  # type: ignore[no-untyped-def]
        build = Builder.before(op)
        empty = build.insert(tensor.EmptyOp.of((), type, location=op.location)).result
        maps = [*maps, AffineMap(0, 0, [])]
        generic = linalg.GenericOp.of(inputs, [empty], maps, [], body, location=op.location)
        return build.insert(generic).results[0]

    def spread(self, op: tensor.SplatOp) -> None:
        type = op.result.type
        if not isinstance(type, t.TensorType) or not type.has_static_shape:
            return
        build, rank = Builder.before(op), type.rank
        empty = build.insert(tensor.EmptyOp.of(type.shape, type.element_type, location=op.location))
        made = linalg.GenericOp.of(
            [self.lifted[op.operands[0]]], [empty.result],
            [AffineMap(rank, 0, []), AffineMap.identity(rank)], [PARALLEL] * rank,
            lambda b, a: [a[0]], location=op.location,
        )  # fmt: skip
        op.result.replace_all_uses_with(build.insert(made).results[0])
        self.replaced.append(op)

    def capture(self, op: linalg.GenericOp) -> None:
        """Give a body what it uses from outside, or as a scalar input, as inputs without dimensions."""
        free = dict.fromkeys(
            v for inner in op.body.walk() for v in inner.operands if v in self.lifted
        )
        scalars = [v in self.lifted for v in op.inputs]
        if not free and not any(scalars):
            return
        maps, count, loops = op.indexing_maps(), len(op.inputs), op.num_loops
        inputs = [self.lifted.get(v, v) for v in op.inputs]
        flat = AffineMap(loops, 0, [])
        own = [flat if s else m for s, m in zip(scalars, maps)]
        made = linalg.GenericOp.of(
            [*inputs, *(self.lifted[v] for v in free)], list(op.outputs),
            [*own, *[flat] * len(free), *maps[count:]], op.iterator_types(), location=op.location,
        )  # fmt: skip
        arguments = list(made.body.arguments)
        known: dict[Value, Value] = dict(zip(op.body.arguments, [*arguments[:count], *arguments[count + len(free) :]], strict=True))
        known.update(zip(free, arguments[count : count + len(free)], strict=True))
        for inner in clone_ops(list(op.body.ops), known):
            made.body.append(inner)
        op.replace_with(Builder.before(op).insert(made).results)
