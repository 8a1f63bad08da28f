"""Devices made from the shipped one called toy: without links between cores, or with slow ones."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import kt
from kt.arch import Device, load_device
from kt.parse import parse_text

TOY = Path(kt.__file__).parent / "arch" / "devices" / "toy.mlir"


@cache
def without_links() -> Device:
    text = re.sub(r" *datapath @c?cw\d #ring .*\n", "", TOY.read_text(encoding="utf-8"))
    assert "#ring %" not in text
    return load_device(parse_text(text, "apart.mlir"))


@cache
def with_slow_links() -> Device:
    """Each link between cores takes 500 cycles longer."""
    text = TOY.read_text(encoding="utf-8").replace("kt.latency = 6\n", "kt.latency = 506\n")
    assert "kt.latency = 506" in text
    return load_device(parse_text(text, "slow.mlir"))


def device_called(name: str | Device) -> Device:
    """A shipped device, or ``apart`` or ``slow``; or one that is given."""
    made = {"apart": without_links, "slow": with_slow_links}
    return made[name]() if isinstance(name, str) and name in made else load_device(name)
