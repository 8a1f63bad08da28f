"""scalar-broadcast-legalization: operands that are the same for all lanes fill whole vectors."""

from __future__ import annotations

from attrs import frozen

from kt.arch import Device
from kt.ir import types as t
from kt.ir.affine import AffineConst, AffineDim, AffineMap, dim
from kt.ir.attributes import AffineMapAttr, ArrayAttr, DenseArrayAttr, StringAttr
from kt.ir.core import Operation, Value
from kt.ir.diagnostics import Note, PassError
from kt.ir.dialects import ktdf, linalg
from kt.ir.dialects.ktdf_types import FifoSlotType
from kt.passes.analysis.target import device_of
from kt.passes.manager import Pass, PassContext, register_pass

SPLAT = "splat"


@register_pass
@frozen
class ScalarBroadcastLegalization(Pass):
    """Let the load unit repeat operands that are the same for all lanes.

    Such an operand (a column, a scalar in memory) comes through the pipeline as one element. Its slot
    becomes a full vector, and the transfer that fills the slot repeats the element::

        transfer %b[0] size [1] to %s size [1]                         // slot of 1 element
        %c = read_from_fifo %s -> tensor<1xf16>
        linalg.generic {(d0, d1) -> (d0)} ins(%c)

        transfer %b[0] size [1] to %s size [8] {transfer_mode = "splat"}    // slot of 8 elements
        %c = read_from_fifo %s -> tensor<1x8xf16>
        linalg.generic {(d0, d1) -> (d0, d1)} ins(%c)

    The unit needs the splat feature; if only the compute unit has it, the operand stays one element
    and is repeated there.
    """

    name = "scalar-broadcast-legalization"

    def run(self, module: Operation, ctx: PassContext) -> None:
        sites = [site for op in module.walk_type(linalg.GenericOp) for site in _sites(op)]
        if not sites:
            return
        device = device_of(module, ctx)
        for site in sites:
            if site.legalize(device):
                ctx.stat("widened")
            else:
                ctx.remark(
                    "one element for all lanes, repeated by the compute unit", site.read.location
                )


@frozen(eq=False)
class _Site:
    """Input ``number`` of a generic op in a compute stage: one element for ``lanes`` lanes."""

    body: linalg.GenericOp
    number: int
    read: ktdf.ReadFromFifoOp
    stage: ktdf.StageOp
    vector: int
    lanes: int

    def legalize(self, device: Device) -> bool:
        """Widen slot, read and map; False if the compute unit repeats the element itself."""
        transfer = self.feeding()
        unit = transfer.parent_of_type(ktdf.StageOp).units[0]  # type: ignore[union-attr]
        if not device.has_splat(unit):
            if device.has_splat(self.stage.units[0]):
                return False
            raise PassError(
                f"can't repeat one element over a vector: neither {unit} nor {self.stage.units[0]} of "
                f"device @{device.name} has the splat feature",
                self.read.location,
                notes=[Note("the unit that loads it", device.unit(unit).location)],
                hint="store the operand in memory in its full shape, or use another device",
            )
        self.widen_slot(transfer)
        self.widen_read()
        return True

    def feeding(self) -> ktdf.DataTransferOp:
        """The transfer that fills the slot, in a stage with its unit."""
        found = [
            op for op in self.read.fifo_slot.users
            if isinstance(op, ktdf.DataTransferOp) and op.destination is self.read.fifo_slot
        ]  # fmt: skip
        for op in found:
            stage = op.parent_of_type(ktdf.StageOp)
            if stage is not None and len(stage.units) == 1:
                return op
        raise PassError(
            "nothing that is bound to a unit fills this slot",
            self.read.location,
            hint="run path-expansion first",
        )

    def widen_slot(self, transfer: ktdf.DataTransferOp) -> None:
        slot = self.read.fifo_slot
        old = slot.type
        assert isinstance(old, FifoSlotType)
        wide = FifoSlotType(old.source, old.destination, self.lanes, old.element_type)
        for value in _same_slots(slot):
            value.type = wide
        transfer.properties["static_dest_sizes"] = DenseArrayAttr.of([self.lanes], t.i64)
        transfer.attributes["transfer_mode"] = StringAttr(SPLAT)

    def widen_read(self) -> None:
        """The read gives a vector, and the op's map gets the loop along the lanes."""
        maps = self.body.indexing_maps()
        results = list(maps[self.number].results)
        shape = list(self.read.result.type.shape)  # type: ignore[attr-defined]
        is_wide = self.read.result.type.num_elements() != 1  # type: ignore[attr-defined]
        if results and isinstance(results[-1], AffineConst):
            results.pop()
            shape = shape if is_wide else shape[:-1]
        maps[self.number] = AffineMap(maps[self.number].num_dims, 0, [*results, dim(self.vector)])
        if not is_wide:  # another op that uses the same read may have widened it
            element = t.element_type_of(self.read.result.type)
            self.read.result.type = t.TensorType((*shape, self.lanes), element)
        self.body.properties["indexing_maps"] = ArrayAttr(tuple(AffineMapAttr(m) for m in maps))


def _same_slots(slot: Value) -> list[Value]:
    """A slot outside and inside its ``ktdf.private``."""
    private = slot.defining_op
    assert isinstance(private, ktdf.PrivateOp)
    return [slot, private.inner_value(slot)]


def _sites(op: linalg.GenericOp) -> list[_Site]:
    """Inputs of a generic op in a compute stage that have one element where its output has many."""
    stage = op.parent_of_type(ktdf.StageOp)
    if stage is None or len(stage.units) != 1:
        return []
    types: list[t.TensorType] = [v.type for v in op.outputs]  # type: ignore[misc]
    if not all(isinstance(x, t.TensorType) and x.has_static_shape for x in types):
        return []
    lanes, first = max((x.num_elements(), -i) for i, x in enumerate(types))
    map, output = op.indexing_maps()[len(op.inputs) - first], types[-first]
    wide = [e for e, n in zip(map.results, output.shape, strict=True) if n != 1]
    if len(wide) != 1 or not isinstance(wide[0], AffineDim):
        return []
    found = []
    for i, value in enumerate(op.inputs):
        read = value.defining_op
        if (
            isinstance(read, ktdf.ReadFromFifoOp)
            and read.result.type.num_elements() == 1  # type: ignore[attr-defined]
            and op.indexing_maps()[i].results[-1:] != (wide[0],)
        ):
            found.append(_Site(op, i, read, stage, wide[0].position, lanes))
    return found
