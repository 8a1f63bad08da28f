"""What a device needs so that kernels can be scheduled on it, checked with the line of the file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kt.arch.resources import ExecUnit, Memory, Node, Resource
from kt.arch.templates import ulp_of
from kt.ir.attributes import StringAttr
from kt.ir.diagnostics import DeviceError, Diagnostic, KtError, Note
from kt.ir.dialects.ktdp_types import MemorySpaceAttr
from kt.ir.dialects.pdl import ApplyNativeRewriteOp, AttributeOp

if TYPE_CHECKING:
    from kt.arch.device import Device


def find_problems(device: Device) -> list[Diagnostic]:
    """All findings, in the order of the checks; empty when the device can be used."""
    found: list[Diagnostic] = []
    for check in _CHECKS:
        try:
            found += check(device)
        except KtError as error:
            found += [d for d in error.diagnostics if d not in found]
    return found


def _problem(message: str, at: Resource | Device, hint: str | None = None) -> Diagnostic:
    return Diagnostic(message, at.location, hint=hint)


def _numbers(device: Device) -> Iterator[Diagnostic]:
    """Every kt.* number has the right form (reading one raises)."""
    readers: list[tuple[Resource, tuple[str, ...]]] = [
        *((m, ("size", "bandwidth", "ports", "latency")) for m in device.memories),
        *((u, ("partial", "issue", "sync", "slice_lanes", "costs")) for u in device.units),
        *((x, ("bandwidth", "latency")) for x in device.links),
    ]
    for resource, names in readers:
        try:
            for name in names:
                getattr(resource, name)
        except DeviceError as error:
            yield error.diagnostics[0]
    for function in device.inexact:
        try:
            ulp_of(function)
        except DeviceError as error:
            yield error.diagnostics[0]


def _compute(device: Device) -> Iterator[Diagnostic]:
    if not device.compute_units:
        yield _problem(
            "the device has no compute unit",
            device,
            "give one execution unit kind the feature ktdf_arch.feature.compute",
        )
        return
    kinds = device.compute_kinds
    if len(kinds) > 1:
        second = next(u for u in device.compute_units if u.key == kinds[1])
        yield Diagnostic(
            f"a second kind of compute unit: '{kinds[1]}' beside '{kinds[0]}'",
            second.location,
            notes=(Note("the first one is here", device.compute_units[0].location),),
        )
    for kind in kinds:
        unit = device.unit(kind, _core_of(device, kind))
        if not unit.simd.lanes:
            yield _problem(
                f"compute unit '{kind}' has lanes for no element type",
                unit,
                "add ktdf_arch.feature.simd = {lanes = #ktdf_arch.map<f16 = …>}",
            )


def _core_of(device: Device, kind: object) -> int:
    return next((n.core or 0 for n in device.nodes if n.key == kind), 0)


def _links(device: Device) -> Iterator[Diagnostic]:
    """Every unit has a way in and a way out; the ways of compute units are ordered FIFOs."""
    told: set[tuple[object, str]] = set()
    for unit in device.units:
        for word, links in (
            ("into", device.links_of(unit, outgoing=False)),
            ("out of", device.links_of(unit, incoming=False)),
        ):
            if not links and (unit.key, word) not in told:
                told.add((unit.key, word))
                yield _problem(
                    f"no datapath leads {word} execution unit '{unit.label}'",
                    unit,
                    "add a datapath between it and a memory or another unit",
                )
            for link in links if unit.is_compute else ():
                other = link.source if link.target is unit else link.target
                if isinstance(other, ExecUnit) and not (link.queue and link.queue.ordered):
                    key = (unit.key, str(other.key))
                    if key not in told:
                        told.add(key)
                        yield _problem(
                            f"the datapath {word} compute unit '{unit.label}' is no ordered queue",
                            link,
                            "add ktdf_arch.feature.queue = {ordered, depth = …}",
                        )


def _memories(device: Device) -> Iterator[Diagnostic]:
    told: list[object] = []
    for memory in device.memories:
        if memory.size is None and memory.key not in told:
            told.append(memory.key)
            yield _problem(f"memory '{memory.label}' has no size", memory, "add size = <bytes>")


def _spaces(device: Device) -> Iterator[Diagnostic]:
    spaces = dict(device.space_mapping)
    kinds = (*spaces, *(m.key for m in device.memories))  # a kind may be a space itself
    if MemorySpaceAttr("global") not in kinds:
        yield _problem(
            "no memory stands for the kernels' global space",
            device,
            'add mem_space_mapping = #ktdf_arch.map<#ktdp.memory_space<global> = "…"> to the device',
        )
    pads = [m for m in device.memories if m.core == 0 and device.scope(m.key) == "core"]
    if pads and MemorySpaceAttr("ct_local") not in kinds:
        yield Diagnostic(
            "no memory stands for the kernels' local space ct_local",
            device.location,
            "warning",
            hint=f'add #ktdp.memory_space<ct_local> = "{pads[0].key}" to mem_space_mapping',
        )
    for space, kind in spaces.items():
        if kind not in device.memory_kinds:
            known = ", ".join(map(str, device.memory_kinds))
            yield _problem(
                f"memory space {space} is mapped to '{kind}', which is no memory of the device",
                device,
                f"memories: {known}",
            )


def _cores(device: Device) -> Iterator[Diagnostic]:
    """All cores offer the same kinds, as a program's tile may run on any of them."""

    def offered(core: int) -> list[Node]:
        return [n for n in device.visible(core) if isinstance(n, (Memory, ExecUnit))]

    first = dict.fromkeys(n.key for n in offered(0))
    for i in range(1, device.num_cores):
        here = dict.fromkeys(n.key for n in offered(i))
        missing = [k for k in first if k not in here]
        extra = [k for k in here if k not in first]
        for kinds, word in ((missing, "lacks"), (extra, "alone has")):
            if kinds:
                names = ", ".join(f"'{k}'" for k in kinds)
                yield _problem(f"core {i} {word} {names}, unlike core 0", device.cores[i])


def _tags(device: Device) -> Iterator[Diagnostic]:
    """Unit kinds are strings that stay distinct in lower case, which is how programs name them."""
    seen: dict[str, object] = {}
    for node in (*device.memories, *device.units):
        kind = node.kind
        if isinstance(node, ExecUnit) and not isinstance(kind, str):
            yield _problem(f"execution unit '{node.label}' needs a string as its kind", node)
            continue
        other = seen.setdefault(device.tag(node.key), node.key)
        if other != node.key:
            yield _problem(f"kinds '{other}' and '{kind}' differ only in case", node)


def _routes(device: Device) -> Iterator[Diagnostic]:
    """Data gets from the global memory to the compute unit and back, moved by units, in each core."""
    kind = device.compute_kinds[0] if device.compute_kinds else None
    if kind is None or device.memory_for_space(MemorySpaceAttr("global")) is None:
        return
    home = device.global_memory.key
    told: list[str] = []
    for core in range(device.num_cores):
        if not device.instances(kind, core):
            continue
        for source, target in ((home, kind), (kind, home)):
            try:
                route = device.route(source, target, core)
            except DeviceError as error:
                if error.message not in told:
                    told.append(error.message)
                    yield error.diagnostics[0]
                continue
            bare = next((hop for hop in route.hops if not hop.units), None)
            if bare is not None and str(bare) not in told:
                told.append(str(bare))
                yield _problem(
                    f"nothing moves data from '{bare.source.label}' to '{bare.target.label}'",
                    bare.links[0] if bare.links else device,
                    "put a load or store unit between them",
                )


def _accesses(device: Device) -> Iterator[Diagnostic]:
    """Units state words and accesses of memories that they reach; its transfers in and out fit together."""
    told: set[tuple[object, object]] = set()
    for unit in device.units:
        ends = {x.source for x in device.links_of(unit, outgoing=False)}
        ends |= {x.target for x in device.links_of(unit, incoming=False)}
        near = {node.key for node in ends}
        for kind in unit.stated_memories:
            if kind not in near and (unit.key, kind) not in told:
                told.add((unit.key, kind))
                yield _problem(
                    f"unit '{unit.label}' states how it accesses '{kind}', but no datapath joins them",
                    unit,
                    "add the datapath, or leave the memory out of word_size and access_granularity",
                )
        for come in device.links_of(unit, outgoing=False) if not unit.is_compute else ():
            for go in device.links_of(unit, incoming=False):
                sizes = (come.granularity, go.granularity)
                if all(sizes) and not any(_fit(a, b) for a in sizes[0] for b in sizes[1]):
                    key = (come.source.key, go.target.key)
                    if key not in told:
                        told.add(key)
                        yield Diagnostic(
                            f"transfers of unit '{unit.label}' don't fit together: {_listed(sizes[0])} "
                            f"bytes on the way in, {_listed(sizes[1])} on the way out",
                            go.location,
                            notes=(Note("the other datapath", come.location),),
                            hint="give both a size in transfer_granularity that is a multiple of the other's",
                        )


def _fit(a: int, b: int) -> bool:
    """Whether several transfers of one size make one of the other."""
    return min(a, b) == 0 or max(a, b) % min(a, b) == 0


def _listed(sizes: tuple[int, ...]) -> str:
    return ", ".join(map(str, sizes))


def _templates(device: Device) -> Iterator[Diagnostic]:
    """Every template that a pattern makes has a function that says what it computes."""
    names = tuple(device.templates)
    for pattern in device.all_patterns:
        for op in pattern.walk():
            if not isinstance(op, ApplyNativeRewriteOp) or op.callee.value != "kt.template":
                continue
            maker = op.operands[1].defining_op
            value = maker.value if isinstance(maker, AttributeOp) else None
            name = value.value if isinstance(value, StringAttr) else None
            if name is not None and not any(n.startswith(f"{name}_") for n in names):
                yield Diagnostic(
                    f"no function says what the template '{name}' computes",
                    op.location,
                    hint=f"add func.func private @{name}_f16(…) attributes {{kt.template}} to the file",
                )


_CHECKS = (
    _numbers, _compute, _links, _memories, _spaces, _cores, _tags, _accesses, _templates, _routes,
)  # fmt: skip
