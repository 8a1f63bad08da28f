"""A device file with other words in it: kinds, ids and group names replaced, resources in another order."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

from attrs import frozen

from kt.arch import Device, load_device
from kt.ir.core import Block, Operation
from kt.parse import parse_text, print_op

SYLLABLES = ("ba", "ko", "ri", "zu", "me", "ta", "lo", "pi", "qua", "xe", "nu", "vi")
RESOURCE = re.compile(r"\b(memory|exec_unit|switch|group|datapath) @(\w+)")


@frozen
class Renamed:
    """The other device, and its words → those of the original (kinds in both cases)."""

    device: Device
    words: dict[str, str]

    def original(self, text: str) -> str:
        """A text about the renamed device with the original's words."""
        return re.sub(r"[A-Za-z][A-Za-z]*", lambda m: self.words.get(m[0], m[0]), text)


def rename(original: Device, folder: Path, seed: int) -> Renamed:
    """Write a renamed and permuted copy of a device's file and load it."""
    choice = random.Random(seed)
    module: Any = original.module
    copy = module.clone()
    for op in copy.walk():
        if op.name in ("ktdf_arch.device", "ktdf_arch.group"):
            shuffle(op.regions[0].blocks[0], choice)
    text = print_op(copy)
    words: dict[str, str] = {}
    groups = dict.fromkeys(str(g.kind) for g in original.groups if g.kind is not None)
    for kind in dict.fromkeys((*map(str, original.kinds), *groups)):
        words[kind] = fresh(choice, words).upper()
    text = re.sub(r'"(\w+)"', lambda m: f'"{words.get(m[1], m[1])}"', text)
    ids: dict[str, str] = {}
    text = RESOURCE.sub(lambda m: f"{m[1]} @{ids.setdefault(m[2], fresh(choice, ids))}", text)
    name = fresh(choice, ids)
    text = text.replace(f"ktdf_arch.device @{original.name}", f"ktdf_arch.device @{name}")
    path = folder / f"{name}.mlir"
    path.write_text(text)
    parse_text(text)
    back = {new: old for old, new in words.items()} | {new.lower(): old.lower() for old, new in words.items()}
    return Renamed(load_device(path), {**back, name: original.name})


def fresh(choice: random.Random, taken: dict[str, str]) -> str:
    """A word that isn't used yet, letters only."""
    while True:
        word = "".join(choice.choice(SYLLABLES) for _ in range(6))
        if word not in taken.values() and word.upper() not in taken.values():
            return word


def shuffle(block: Block, choice: random.Random) -> None:
    """Another order of the ops of a block in which every value is still defined before its uses."""
    ops = list(block.ops)
    last = ops.pop() if ops and ops[-1].name == "ktdf_arch.yield" else None
    patterns = [op for op in ops if op.name == "ktdf_arch.patterns"]  # their order has a meaning
    waiting = [op for op in ops if op not in patterns]
    done: list[Operation] = []
    while waiting:
        free = [op for op in waiting if not any(v.defining_op in waiting for v in op.operands)]
        op = choice.choice(free)
        waiting.remove(op)
        done.append(op)
    for op in (*done, *patterns, *([last] if last is not None else [])):
        block.append(op.detach())
