"""What a plan must not do: found without building anything, for plan-schedule and for searches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import frozen

from kt.ir.diagnostics import UNKNOWN, Location, Note, PassError
from kt.ir.dialects import ktdf
from kt.passes.analysis.nests import Nest

if TYPE_CHECKING:
    from kt.arch import Device


@frozen
class Violation:
    """One reason why a plan can't be: ``rule`` in one word, the rest as in a diagnostic."""

    rule: str
    message: str
    location: Location = UNKNOWN
    notes: tuple[Note, ...] = ()
    hint: str | None = None
    memory: str = ""
    """The memory that is concerned, if it is one."""

    def error(self) -> PassError:
        return PassError(self.message, self.location, notes=self.notes, hint=self.hint)


def slot_violations(nest: Nest, device: Device) -> list[Violation]:
    """FIFO slots of a pipeline that their queues can't hold."""
    found: dict[ktdf.FifoSlotType, Violation] = {}
    private = nest.pipeline.private
    for resource in private.results if private is not None else ():
        slot = resource.type
        if not isinstance(slot, ktdf.FifoSlotType) or slot in found:
            continue
        size = slot.count * slot.element_type.itemsize  # type: ignore[attr-defined]
        for link in device.route(slot.source, slot.destination).links:
            if link.queue is not None and link.queue.size is not None and link.queue.size < size:
                found[slot] = Violation(
                    "fifo",
                    f"a slot from {slot.source} to {slot.destination} has {size} bytes, but the queue "
                    f"on the way holds {link.queue.size}",
                    nest.pipeline.location,
                    notes=(Note(f"the queue holds {link.queue.size} bytes", link.location),),
                    hint="narrower vectors: fewer lanes in the device file, or a larger queue",
                )
    return list(found.values())
