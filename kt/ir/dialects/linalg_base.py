"""The common interface of structured ``linalg`` ops, and their verification."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from kt.ir import registry
from kt.ir import types as t
from kt.ir.affine.expr import AffineDim
from kt.ir.affine.map import AffineMap
from kt.ir.attributes import AffineMapAttr, ArrayAttr, Attribute, EnumAttr, attribute
from kt.ir.clone import clone_region
from kt.ir.constraints import array_of
from kt.ir.core import BlockArgument, Operation, OpResult, Region, Value
from kt.ir.dialects.linalg_payload import (
    PayloadBuilder,
    TypeFnAttr,
    fingerprint,
    implied_fingerprint,
    implied_template,
    make_body,
)
from kt.ir.opdef import variadic_operand
from kt.ir.traits import (
    AttrSizedOperands,
    DestinationStyle,
    ImplicitTerminator,
    Pure,
    RecursiveEffects,
    ReturnLike,
    SingleBlock,
    Terminator,
)


@attribute
class IteratorTypeAttr(EnumAttr):
    """``#linalg.iterator_type<parallel>``."""

    name = "linalg.iterator_type"
    cases = ("parallel", "reduction", "window")


for _kind in (IteratorTypeAttr, TypeFnAttr):
    registry.ATTRIBUTES[_kind.name] = _kind

PARALLEL, REDUCTION = "parallel", "reduction"
STRUCTURED = (
    SingleBlock(),
    ImplicitTerminator("linalg.yield"),
    DestinationStyle(),
    RecursiveEffects(),
)
"""Traits of structured ops; those with several variadic operands add AttrSizedOperands."""
STRUCTURED_SEGMENTS = (*STRUCTURED, AttrSizedOperands())


class YieldOp(Operation):
    """The new elements of the outputs."""

    name = "linalg.yield"
    traits = (Pure(), ReturnLike(), Terminator())
    values: tuple[Value, ...] = variadic_operand()

    def verify_(self) -> None:
        around = self.parent_op
        if not isinstance(around, LinalgOp):
            raise self.error("expected single non-empty parent region")
        outputs = around.outputs
        if len(self.values) != len(outputs):
            raise self.error(
                f"expected number of yield values ({len(self.values)}) to match the number of "
                f"inits / outs operands of the enclosing LinalgOp ({len(outputs)})"
            )
        for i, (value, output) in enumerate(zip(self.values, outputs, strict=True)):
            element = t.element_type_of(output.type)
            if value.type is not element:
                raise self.error(
                    f"type of yield operand {i + 1} ('{value.type}') doesn't match the element "
                    f"type of the enclosing {around.name} op ('{element}')"
                )


MAP_ARRAY = array_of(AffineMapAttr, "AffineMap array attribute")


def map_array(maps: Iterable[AffineMap]) -> ArrayAttr:
    """An ``indexing_maps`` attribute."""
    return ArrayAttr(tuple(AffineMapAttr(m) for m in maps))


def iterator_array(kinds: Iterable[str]) -> ArrayAttr:
    """An ``iterator_types`` attribute."""
    return ArrayAttr(tuple(IteratorTypeAttr(k) for k in kinds))


class LinalgOp(Operation):
    """Base of structured ops: a perfect loop nest whose body computes output elements.

    Every such op answers ``inputs``, ``outputs``, ``indexing_maps()``, ``iterator_types()`` and
    ``body`` alike, whatever its own operands are called.
    """

    traits = STRUCTURED

    @property
    def inputs(self) -> tuple[Value, ...]:
        """Operands that are read (tensors, memrefs or scalars)."""
        return ()

    @property
    def outputs(self) -> tuple[Value, ...]:
        """Operands that are updated; with tensors the results are their new values."""
        return ()

    def indexing_maps(self) -> list[AffineMap]:
        """One map from loop indices to the subscripts of each input and output."""
        return []

    def iterator_types(self) -> list[str]:
        """``"parallel"`` or ``"reduction"`` for each loop."""
        return []

    @property
    def result_values(self) -> tuple[OpResult, ...]:
        """Results, one per tensor output."""
        return self.results

    @property
    def structured_operands(self) -> tuple[Value, ...]:
        """Inputs and outputs in a row, as ``indexing_maps()`` counts them."""
        return self.operands

    @property
    def num_loops(self) -> int:
        return len(self.iterator_types())

    def dims_of_kind(self, kind: str) -> list[int]:
        """Loops of one iterator type."""
        return [i for i, k in enumerate(self.iterator_types()) if k == kind]

    @property
    def input_arguments(self) -> list[BlockArgument]:
        """Block arguments that hold input elements."""
        return self.body.arguments[: len(self.inputs)]

    @property
    def output_arguments(self) -> list[BlockArgument]:
        """Block arguments that hold the outputs' old elements."""
        return self.body.arguments[len(self.inputs) : len(self.inputs) + len(self.outputs)]

    def argument_operand(self, argument: BlockArgument) -> Value:
        """The operand whose elements a block argument holds."""
        return self.structured_operands[argument.index]

    def reads_output(self, index: int = 0) -> bool:
        """Whether the body uses the old element of an output."""
        return self.output_arguments[index].has_uses

    def indexing_map(self, operand_index: int) -> AffineMap:
        """The map of one operand, inputs first."""
        return self.indexing_maps()[operand_index]

    def extents(self) -> list[int]:
        """Trip count of each loop; DYNAMIC where no static operand extent gives it."""
        return _extents(self.operands, self.indexing_maps(), self.num_loops)

    def effects_(self) -> frozenset[str] | bool:
        """Tensors have no effects; memref inputs are read, memref outputs written (and read)."""
        memrefs = (t.MemRefType, t.UnrankedMemRefType)
        reads = any(isinstance(v.type, memrefs) for v in self.inputs)
        outputs = [isinstance(v.type, memrefs) for v in self.outputs]
        reads = reads or any(m and self.reads_output(i) for i, m in enumerate(outputs))
        found = {"read": reads, "write": any(outputs)}
        return frozenset(k for k, holds in found.items() if holds) or True

    def block_argument_hints(self, region: int) -> Sequence[str | None]:
        return ["in"] * len(self.inputs) + ["out"] * len(self.outputs)

    def verify_(self) -> None:
        check_structure(self)


def infer_tensor_results(*groups: Sequence[Value], properties: dict[str, Any]) -> list[t.Type]:
    """Result types of a structured op: those of its tensor outputs (the last operand group)."""
    return [v.type for v in groups[-1] if isinstance(v.type, t.TensorType)]


def _extents(operands: Sequence[Value], maps: Sequence[AffineMap], loops: int) -> list[int]:
    found = [t.DYNAMIC] * loops
    for value, map in zip(operands, maps, strict=True):
        shape = getattr(value.type, "shape", ())
        for extent, expr in zip(shape, map.results, strict=False):
            if isinstance(expr, AffineDim) and found[expr.position] == t.DYNAMIC:
                found[expr.position] = extent
    return found


def check_structure(op: LinalgOp) -> None:
    """Maps, ranks, extents, block arguments and results agree."""
    operands, maps, loops = op.operands, op.indexing_maps(), op.num_loops
    if len(maps) != len(operands):
        raise op.error(
            f"expected the number of indexing_map ({len(maps)}) to be equal to the number of "
            f"input/output operands ({len(operands)})"
        )
    for i, (value, map) in enumerate(zip(operands, maps, strict=True)):
        if map.num_symbols:
            raise op.error(f"unexpected symbols in indexing_map #{i}")
        if map.num_dims != loops:
            raise op.error(
                f"expected indexing_map #{i} to have {loops} dim(s) to match the number of loops"
            )
        rank = len(getattr(value.type, "shape", ()))
        if map.num_results != rank:
            raise op.error(
                f"expected operand #{i} rank ({rank}) to match the result rank of indexing_map "
                f"({map.num_results})"
            )
    _check_extents(op, operands, maps)
    tensors = [v for v in op.outputs if isinstance(v.type, t.TensorType)]
    if len(op.results) != len(tensors):
        raise op.error(
            f"expected the number of tensor results ({len(op.results)}) to be equal to the number "
            f"of output tensors ({len(tensors)})"
        )
    for made, output in zip(op.results, tensors, strict=True):
        if made.type is not output.type:
            raise op.error(
                f"expected type of operand #{operands.index(output)} ('{output.type}') to match type "
                f"of corresponding result ('{made.type}')"
            )
    _check_arguments(op, operands)


def _check_extents(op: LinalgOp, operands: Sequence[Value], maps: Sequence[AffineMap]) -> None:
    """Extents of operands agree with the loop ranges that they imply together."""
    extents = _extents(operands, maps, op.num_loops)
    if all(map.is_identity for map in maps):
        _check_equal_shapes(op, operands, extents)
        return
    used = {d for map in maps for d in map.used_dims}
    plain = {e.position for map in maps for e in map.results if isinstance(e, AffineDim)}
    if missing := sorted(set(range(len(extents))) - plain):
        reason = "stands alone in no" if missing[0] in used else "is used by no"
        raise op.error(
            f"invalid indexing maps are non-invertible: loop d{missing[0]} {reason} indexing map"
        )
    for i, (value, map) in enumerate(zip(operands, maps, strict=True)):
        for j, expr in enumerate(map.results):
            found = value.type.shape[j]  # type: ignore[attr-defined]
            if found == t.DYNAMIC or any(
                expr.depends_on_dim(d) and extents[d] == t.DYNAMIC for d in range(len(extents))
            ):
                continue
            if 0 in extents:
                continue
            last = int(expr.eval([n - 1 for n in extents]))
            if isinstance(expr, AffineDim) and last + 1 != found:
                raise op.error(
                    f"inferred input/output operand #{i} has shape's dimension #{j} to be "
                    f"{last + 1}, but found {found}"
                )
            if last + 1 > found and _is_monotonic(expr):
                raise op.error(
                    f"inferred input/output operand #{i} has shape's dimension #{j} to be greater "
                    f"than or equal to {last + 1}, but found {found}"
                )


def _check_equal_shapes(op: LinalgOp, operands: Sequence[Value], extents: list[int]) -> None:
    """The case that all maps are identities."""
    for i, value in enumerate(operands):
        shape = value.type.shape  # type: ignore[attr-defined]
        for j, (wanted, found) in enumerate(zip(extents, shape, strict=True)):
            if wanted != found and t.DYNAMIC not in (wanted, found):
                raise op.error(
                    f"inferred input/output operand #{i} has shape's dimension #{j} to be "
                    f"{wanted}, but found {found}"
                )


def _is_monotonic(expr: Any) -> bool:
    """Whether the greatest index is reached at the last point of the loops (no ``mod``, no minus)."""
    kind = getattr(expr, "kind", None)
    if kind is None:
        return getattr(expr, "value", 0) >= 0
    return kind != "mod" and _is_monotonic(expr.lhs) and _is_monotonic(expr.rhs)


def _check_arguments(op: LinalgOp, operands: Sequence[Value]) -> None:
    arguments = op.body.arguments
    if len(arguments) != len(operands):
        raise op.error(
            "expected as many non-induction variable region arguments as the number of "
            "input/output operands"
        )
    for i, (argument, value) in enumerate(zip(arguments, operands, strict=True)):
        element = t.element_type_of(value.type)
        if argument.type is not element:
            raise op.error(
                f"expected type of bb argument #{i} ('{argument.type}') to match element or self "
                f"type of the corresponding operand ('{element}')"
            )


class NamedOp(LinalgOp):
    """Base of ops whose name implies the body, which text leaves out.

    An op made without a region gets the implied one.
    """

    variant: ClassVar[str] = "cast"
    """Name of the inherent attribute on which the body depends, where an op has it."""

    def __init__(self, *parts: Any, **named: Any) -> None:
        super().__init__(*parts, **named)
        self.add_implied_parts()

    def add_implied_parts(self) -> None:
        """Fill in what the name implies; the constructor and the parser call it.

        Raises VerifyError where the body has no meaning for the operands' types.
        """
        if self.regions:
            return
        types = tuple(t.element_type_of(v.type) for v in self.operands)
        body = clone_region(
            implied_template(self.__class__, types, self.variant_of(self.properties))
        )
        for op in body.walk():
            op.location = self.location
        body.parent = self
        self.regions = (body,)

    @classmethod
    def payload(cls, build: PayloadBuilder, arguments: list[Value], variant: Any) -> Value:
        """Append the body's ops; returns the value to yield."""
        return arguments[0]

    @classmethod
    def variant_of(cls, properties: Any) -> Attribute | None:
        """The inherent attribute, if any, that the body depends on; None where it isn't what it must be."""
        found = properties.get(cls.variant)
        for declared in cls.fields.attrs:  # type: ignore[attr-defined]
            if (declared.key or declared.name) == cls.variant and found is not None:
                return found if declared.constraint.holds(found) else None
        return None

    @classmethod
    def implied_body(cls, types: tuple[t.Type, ...], variant: Any) -> Region:
        """A new region with the implied body for operand element types."""
        return make_body(cls.name, types, lambda b, args: cls.payload(b, args, variant), YieldOp)

    @property
    def has_implied_body(self) -> bool:
        """Whether the body is the one that the name implies."""
        types = tuple(t.element_type_of(v.type) for v in self.operands)
        implied = implied_fingerprint(self.__class__, types, self.variant_of(self.properties))
        return fingerprint(self.regions[0]) == implied

    def needs_generic_form(self) -> bool:
        """Whether the custom form, which leaves out the body, would lose something."""
        return not self.has_implied_body or any(op._attributes for op in self.body.ops)

    def verify_(self) -> None:
        check_structure(self)
        if not self.has_implied_body:
            raise self.error(
                "has a body that its name doesn't stand for",
                code="strict",
                hint="use linalg.generic for a body of your own",
            )
