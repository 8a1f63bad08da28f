"""Devices: a ``ktdf_arch`` description as a graph, with the questions that passes ask."""

from kt.arch.device import Device
from kt.arch.load import device_ops, find_device, load_device, shipped_devices
from kt.arch.resources import ExecUnit, Group, Kind, Link, Memory, Node, Port, Resource
from kt.arch.routes import Hop, Route
from kt.ir.dialects.ktdf_arch_features import Access, Queue, Simd

__all__ = [
    "Access",
    "Device",
    "ExecUnit",
    "Group",
    "Hop",
    "Kind",
    "Link",
    "Memory",
    "Node",
    "Port",
    "Queue",
    "Resource",
    "Route",
    "Simd",
    "device_ops",
    "find_device",
    "load_device",
    "shipped_devices",
]
