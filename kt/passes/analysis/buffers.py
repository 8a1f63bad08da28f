"""Staging buffers of a pipeline: what they depend on and how many bytes they take."""

from __future__ import annotations

from typing import TYPE_CHECKING

import networkx as nx
from attrs import frozen

from kt.ir import types as t
from kt.ir.attributes import IntegerAttr
from kt.ir.core import Operation, OpResult, Value
from kt.ir.dialects import ktdf, scf
from kt.passes.analysis.nests import Nest, depends_on

if TYPE_CHECKING:
    from kt.arch import Device, Memory


OPERAND = "kt.operand"
"""Discardable attribute of FIFO and buffer allocations: the number of the operand they carry.

Inputs of the computation come first, then its output."""


@frozen(eq=False)
class StagingBuffer:
    """A private memref of a pipeline that stages hand to each other through a memory.

    ``dims`` are positions in the nest of the loops with which its contents vary; ``loaded`` says that one
    transfer fills it, from outside the pipeline.
    """

    resource: OpResult
    memory: Memory
    dims: tuple[int, ...]
    loaded: bool = False

    @property
    def type(self) -> t.MemRefType:
        return self.resource.type  # type: ignore[return-value]

    @property
    def operand(self) -> int | None:
        """The number of the operand that is staged."""
        return operand_of(self.resource)

    @property
    def bytes(self) -> int:
        """Bytes of one copy for one iteration of the nest."""
        return bytes_of(self.type)


def operand_of(resource: OpResult) -> int | None:
    """The number of the operand that a private resource of a pipeline carries, if it says so."""
    private = resource.op
    assert isinstance(private, ktdf.PrivateOp)
    maker = private.inner_value(resource).defining_op
    found = maker.attr(OPERAND) if maker is not None else None
    return found.value if isinstance(found, IntegerAttr) else None


def item_size(type: t.Type) -> int:
    """Bytes of one element in memory."""
    return t.element_type_of(type).itemsize  # type: ignore[attr-defined]


def bytes_of(type: t.MemRefType) -> int:
    """Bytes of a memref with a static shape."""
    return type.num_elements() * item_size(type)


def is_shared_memory(device: Device, type: t.Type) -> bool:
    """Whether a memref lies in a memory through which stages hand data over (not in registers)."""
    if not isinstance(type, t.MemRefType) or type.memory_space is None:
        return False
    known = device.memory_for_space(type.memory_space) is not None
    return known and not device.is_below_scratchpad(type.memory_space)


def transfers(op: Operation) -> list[ktdf.DataTransferOp]:
    """All transfers inside an op."""
    return [inner for inner in op.walk() if isinstance(inner, ktdf.DataTransferOp)]


def varying_loops(op: Operation, loops: tuple[scf.ForOp, ...]) -> set[int]:
    """Positions of the loops on whose induction variables operands of ``op`` depend."""
    return {
        i
        for i, loop in enumerate(loops)
        if any(depends_on(v, loop.induction_variable) for v in op.operands)
    }


def staging_buffers(nest: Nest, device: Device) -> list[StagingBuffer]:
    """The private memrefs of the nest's pipeline in shared memories, in order.

    Contents vary with a loop if an index or size of a transfer at the buffer does, or those of
    another buffer that it is copied to or from.
    """
    private = nest.pipeline.private
    if private is None:
        return []
    resources = [r for r in private.results if is_shared_memory(device, r.type)]
    varies: dict[Value, set[int]] = {r: set() for r in resources}
    sources: dict[Value, list[Value]] = {r: [] for r in resources}
    linked: nx.Graph = nx.Graph()
    linked.add_nodes_from(resources)
    for op in transfers(nest.pipeline):
        if op.destination in sources:
            sources[op.destination].append(op.source)
        ends = [v for v in (op.source, op.destination) if v in varies]
        for end in ends:
            varies[end] |= varying_loops(op, nest.loops)
        if len(ends) == 2:
            linked.add_edge(*ends)
    for component in nx.connected_components(linked):
        together = set().union(*(varies[r] for r in component))
        for resource in component:
            varies[resource] = together
    found = []
    for resource in resources:
        memory = device.memory_for_space(resource.type.memory_space)  # type: ignore[attr-defined]
        assert memory is not None
        loaded = len(sources[resource]) == 1 and not _is_private(sources[resource][0], private)
        found.append(StagingBuffer(resource, memory, tuple(sorted(varies[resource])), loaded))
    return found


def _is_private(value: Value, private: ktdf.PrivateOp) -> bool:
    return isinstance(value, OpResult) and value.op is private
