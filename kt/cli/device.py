"""Show a device: memories, units, links and routes; draw it; check it.

  kt device                           (the devices that come with kt)
  kt device toy
  kt device toy --route MAIN VPU
  kt device mesh --svg mesh.svg
  kt device mesh --dot | dot -Tpdf -o mesh.pdf
  kt device my.mlir --check
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from kt.cli import common

if TYPE_CHECKING:
    from rich.console import Console

    from kt.arch import Device

CHECKPOINTS = ("pre_mapping", "pre_scheduling", "post_scheduling", "post_lowering")
WAYS = 4
"""Ways that --route names at most."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("device", metavar="D", nargs="?", help="a shipped name, or a device file")
    parser.add_argument(
        "--route", nargs=2, metavar=("A", "B"),
        help="the way data takes from one kind to another, why this one, and what else there is",
    )  # fmt: skip
    parser.add_argument(
        "--core", type=int, default=0, metavar="N", help="the core that --route starts from (0)"
    )
    parser.add_argument(
        "--check", action="store_true", help="can kernels be scheduled for it? Names what lacks"
    )
    parser.add_argument(
        "--dot", nargs="?", const="-", metavar="FILE", help="the graph in Graphviz' language"
    )
    parser.add_argument("--svg", nargs="?", const="-", metavar="FILE", help="a picture")
    common.add_json_option(parser)


def execute(args: argparse.Namespace) -> int:
    from kt.arch import load_device, shipped_devices
    from kt.ir.diagnostics import DeviceError

    if args.device is None:
        if args.json:
            common.print_json({"ok": True, "devices": list(shipped_devices())})
        else:
            print("\n".join(shipped_devices()))
        return 0
    device = load_device(args.device)
    if args.check and (problems := device.schedulable()):
        first, *rest = problems
        raise DeviceError(
            first.message, first.location, notes=first.notes, hint=first.hint, more=rest
        )
    if args.dot or args.svg:
        return _draw(args, device)
    if args.route:
        return _route(args, device)
    if args.json:
        common.print_json(to_json(device))
    elif args.check:
        print(f"{device.name}: kernels can be scheduled for it")
    else:
        show(device, common.console())
    return 0


def _draw(args: argparse.Namespace, device: Device) -> int:
    from kt.view.device import dot, svg

    for path, text in ((args.dot, dot), (args.svg, svg)):
        if path:
            common.write_text(text(device) + "\n", None if path == "-" else path)
    return 0


def to_json(device: Device) -> dict[str, Any]:
    """The device's facts by kind, as plain values."""
    first = {str(u.kind): u for u in reversed(device.units)}
    return {
        "ok": True,
        "device": str(device.name),
        "cores": device.num_cores,
        "memories": [
            {
                "kind": str(kind), "bytes": m.size, "scope": device.scope(kind),
                "count": len(device.instances(kind)), "bandwidth": m.bandwidth,
            }
            for kind, m in ((k, device.memory(k)) for k in device.memory_kinds)
        ],
        "units": [
            {
                "kind": str(kind), "count": len(device.instances(kind)),
                "features": list(first[str(kind)].features), "lanes": _lanes(device, kind),
            }
            for kind in device.unit_kinds
        ],
        "links": [
            {
                "from": x.source.label, "to": x.target.label, "bandwidth": x.bandwidth,
                "latency": x.latency, "granularity": list(x.granularity),
            }
            for x in device.links
        ],
        "patterns": {g: len(device.patterns(g)) for g in CHECKPOINTS if device.patterns(g)},
        "templates": sorted(device.templates),
    }  # fmt: skip


def _lanes(device: Device, kind: Any) -> dict[str, int]:
    return {str(t): device.lanes(kind, t) for t in device.element_types(kind)}


def show(device: Device, out: Console) -> None:
    """The drawing of a device and tables of its memories, units and links."""
    from rich.text import Text

    from kt.view.device import drawing, painted, size_text

    data = to_json(device)
    cores = f"{device.num_cores} cores, one of them drawn" if device.num_cores > 1 else "one core"
    out.print(Text(f"{device.name}: {cores}", "bold"))
    out.print(painted(drawing(device)), soft_wrap=True)
    out.print()
    rows = [
        (
            m["kind"], m["count"], _SCOPES[m["scope"]],
            "—" if m["bytes"] is None else size_text(m["bytes"]), _or_dash(m["bandwidth"]),
        )
        for m in data["memories"]
    ]  # fmt: skip
    out.print(common.table("", ("memory", "count", "one per", "size", "bytes/cycle"), rows))
    out.print()
    rows = [
        (
            u["kind"], u["count"], ", ".join(u["features"]) or "—",
            ", ".join(f"{n}×{t.rpartition('.')[2]}" for t, n in u["lanes"].items()) or "—",
        )
        for u in data["units"]
    ]  # fmt: skip
    out.print(common.table("", ("unit", "count", "does", "lanes"), rows))
    out.print()
    rows = [
        (
            f"{link.source.label} → {link.target.label}", _or_dash(link.bandwidth), link.latency,
            ", ".join(map(str, link.granularity)) or "any", _queue(link),
        )
        for link in _links_of_core(device)
    ]  # fmt: skip
    title = "links that core 0 sees" if device.num_cores > 1 else "links"
    out.print(
        common.table(title, ("link", "bytes/cycle", "latency", "granules", "queue"), rows)
    )
    if device.templates:
        out.print()
        count = sum(len(device.patterns(group)) for group in data["patterns"])
        out.print(f"{len(device.templates)} instruction templates, {count} patterns", highlight=False)


_SCOPES = {"device": "device", "group": "group of cores", "core": "core", "unit": "unit"}


def _queue(link: Any) -> str:
    if link.queue is None:
        return "—"
    depth = "any depth" if link.queue.depth is None else str(link.queue.depth)
    return f"{depth}, in order" if link.queue.ordered else depth


def _links_of_core(device: Device) -> list[Any]:
    seen = set(device.visible(0))
    return [link for link in device.links if link.source in seen and link.target in seen]


def _or_dash(value: Any) -> Any:
    return "—" if value is None else f"{value:,}"


def _route(args: argparse.Namespace, device: Device) -> int:
    source, target = args.route
    route = device.route(source, target, core=args.core)  # says why there is none
    choices = device.alternatives(source, target, WAYS, core=args.core)
    if args.json:
        common.print_json(
            {
                "ok": True, "device": str(device.name), "route": [str(k) for k in route.kinds],
                "latency": route.latency, "bandwidth": route.bandwidth,
                "ways": [
                    {
                        "route": [str(k) for k in c.route.kinds], "latency": c.route.latency,
                        "bandwidth": c.route.bandwidth, "reason": c.reason,
                    }
                    for c in choices
                ],
            }
        )  # fmt: skip
        return 0
    width = "unbounded" if route.bandwidth is None else f"{route.bandwidth} bytes/cycle"
    print(f"{' → '.join(str(k) for k in route.kinds)}: latency {route.latency}, {width}")
    for hop in route.hops:
        print(f"  {hop}")
    for number, choice in enumerate(choices):
        path = "" if not number else f"{' → '.join(str(k) for k in choice.route.kinds)}: "
        print(f"{'chosen' if not number else 'not'}: {path}{choice.reason}")
    return 0
