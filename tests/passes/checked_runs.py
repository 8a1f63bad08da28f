"""Kernels as text, checked at every level and run on a device from their artifact."""

from __future__ import annotations

import numpy as np
from far_devices import device_called

import kt


def counted(k, device):
    """Buffers and bytes (read, written) of device memory, after a check of every level."""
    device = device_called(device)
    report = kt.check(kt.parse(k.text), device, _copies(k))
    assert report.failed is None
    kernel = kt.Runtime(device).load(kt.compile(kt.parse(k.text), device))
    found = kernel(_copies(k))
    traffic = kernel.last.bytes[str(device.global_memory.kind)]
    return found, (traffic.read, traffic.written)


def run(k, device):
    """The buffers alone."""
    return counted(k, device)[0]


def _copies(k):
    return {name: np.copy(value) if isinstance(value, np.ndarray) else value for name, value in k.data.items()}
