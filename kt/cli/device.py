"""Show a device: memories, units, links and routes.

  kt device                           (the devices that come with kt)
  kt device toy
  kt device toy --route MAIN VPU
  kt device my.mlir --check
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from kt.cli import common

if TYPE_CHECKING:
    from kt.arch import Device, Route


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("device", metavar="D", nargs="?", help="a shipped name, or a device file")
    parser.add_argument(
        "--route", nargs=2, metavar=("A", "B"), help="the way data takes from one kind to another"
    )
    parser.add_argument(
        "--check", action="store_true", help="can kernels be scheduled for it? Names what lacks"
    )
    common.add_json_option(parser)


def execute(args: argparse.Namespace) -> int:
    from kt.arch import load_device, shipped_devices

    if args.device is None:
        if args.json:
            common.print_json({"ok": True, "devices": list(shipped_devices())})
        else:
            print("\n".join(shipped_devices()))
        return 0
    device = load_device(args.device)
    if args.check:
        device.check_schedulable()
    if args.route:
        return _route(args, device)
    if args.json:
        common.print_json(to_json(device))
    elif args.check:
        print(f"{device.name}: kernels can be scheduled for it")
    else:
        _show(device)
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
    }  # fmt: skip


def _lanes(device: Device, kind: Any) -> dict[str, int]:
    return {str(t): device.lanes(kind, t) for t in device.element_types(kind)}


def _show(device: Device) -> None:
    out, facts = common.console(), to_json(device)
    out.print(f"{device.name}: {device.num_cores} cores", markup=False)
    rows = [
        (m["kind"], m["count"], m["scope"], _or_dash(m["bytes"]), _or_dash(m["bandwidth"]))
        for m in facts["memories"]
    ]
    out.print(common.table("", ("memory", "count", "one per", "bytes", "bytes/cycle"), rows))
    rows = [
        (
            u["kind"], u["count"], ", ".join(u["features"]) or "—",
            ", ".join(f"{n} x {t}" for t, n in u["lanes"].items()) or "—",
        )
        for u in facts["units"]
    ]  # fmt: skip
    out.print(common.table("", ("unit", "count", "does", "lanes"), rows))
    rows = [
        (
            f"{link.source.label} → {link.target.label}", _or_dash(link.bandwidth), link.latency,
            ", ".join(map(str, link.granularity)) or "any",
        )
        for link in _links_of_core(device)
    ]  # fmt: skip
    title = "links that core 0 sees" if device.num_cores > 1 else "links"
    out.print(common.table(title, ("link", "bytes/cycle", "latency", "granules"), rows))


def _links_of_core(device: Device) -> list[Any]:
    seen = set(device.visible(0))
    return [link for link in device.links if link.source in seen and link.target in seen]


def _or_dash(value: Any) -> Any:
    return "—" if value is None else f"{value:,}"


def _route(args: argparse.Namespace, device: Device) -> int:
    route: Route = device.route(*args.route)
    if args.json:
        common.print_json(
            {
                "ok": True, "device": str(device.name), "route": [str(k) for k in route.kinds],
                "latency": route.latency, "bandwidth": route.bandwidth,
            }
        )  # fmt: skip
        return 0
    width = "unbounded" if route.bandwidth is None else f"{route.bandwidth} bytes/cycle"
    print(f"{' → '.join(str(k) for k in route.kinds)}: latency {route.latency}, {width}")
    for hop in route.hops:
        print(f"  {hop}")
    return 0
