"""Damaged artifacts: refused with a code, or harmless to run. Never a traceback, a hang, a wild access.

Every byte is covered by a checksum, so that a change alone is always refused. The harder half puts the
checksums right again: then the file is another program, and the rules of loader and engine must hold by
themselves. All of it, with counts of what happened:

    pytest -m sweep tests/sim/test_corruption.py -rP
"""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from damage import outcome, places, repaired, shortened, watched_memories
from small_artifacts import NAMES, artifact, original

from kt.binary import Program
from kt.binary.container import read_container
from kt.ir.diagnostics import ArtifactError
from kt.sim.engine.stores import Store


@pytest.mark.parametrize("name", NAMES)
def test_the_artifacts_run(name):
    assert outcome(artifact(name), original(name)) == "same"


# -- damage that checksums find ------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_changed_bytes_are_refused(name):
    data, chance = artifact(name), random.Random(1)
    for at in chance.sample(range(len(data)), 150):
        changed = bytearray(data)
        changed[at] ^= chance.randrange(1, 256)
        assert outcome(bytes(changed), original(name)).startswith("E")
    for size in [*range(0, 100, 7), *chance.sample(range(len(data)), 60)]:
        assert outcome(data[:size], original(name)).startswith("E")


def refusal(data: bytes) -> str:
    """The code with which a file is refused."""
    try:
        Program.from_bytes(data)
    except ArtifactError as error:
        return error.code
    raise AssertionError("damage was not seen")


@pytest.mark.sweep
@pytest.mark.parametrize("name", NAMES)
def test_every_change_of_a_byte_and_every_truncation(name):
    """All 255 other values of every byte, and all shorter files."""
    data, found = artifact(name), Counter()
    for at in range(len(data)):
        changed = bytearray(data)
        for value in range(256):
            if value != data[at]:
                changed[at] = value
                found[refusal(bytes(changed))] += 1
        found[refusal(data[:at])] += 1
    assert sum(found.values()) == 256 * len(data)
    print(f"{name}: {len(data)} bytes, {dict(sorted(found.items()))}")


# -- damage behind right checksums ---------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_changes_with_right_checksums_do_no_harm(name):
    data, chance = artifact(name), random.Random(7)
    found: Counter[str] = Counter()
    for section, at in chance.sample(places(data), 120):
        old = read_container(data).sections[section].payload[at]
        values = [old ^ 1 << chance.randrange(8), 0, 255, chance.randrange(256)]
        new = chance.choice([v for v in values if v != old])
        found[outcome(repaired(data, section, at, new), original(name))] += 1
    # A change that is neither refused nor faulty nor another program concerns names and positions.
    assert sum(n for code, n in found.items() if code.startswith("E")) > 30


@pytest.mark.sweep
@pytest.mark.parametrize("name", NAMES)
def test_every_byte_behind_right_checksums(name):
    """Each bit of every byte flipped, and 0 and 255 in its place."""
    data, found = artifact(name), Counter()
    sections = read_container(data).sections
    for section, at in places(data):
        old = sections[section].payload[at]
        for new in sorted({*(old ^ 1 << bit for bit in range(8)), 0, 255} - {old}):
            found[outcome(repaired(data, section, at, new), original(name))] += 1
    print(f"{name}: {len(data)} bytes, {dict(sorted(found.items()))}")
    assert sum(found.values()) > 8 * len(list(places(data)))


@pytest.mark.sweep
@pytest.mark.parametrize("name", NAMES)
def test_every_shorter_section_behind_right_checksums(name):
    data, found = artifact(name), Counter()
    for section, size in places(data):
        code = outcome(shortened(data, section, size), original(name))
        found[code] += 1
        # Without debug information, or with half of it, a program is the same. The text of a template
        # may lose its last newline; any other cut shows when it is run.
        harmless = {"DBUG": ("same",), "TMPL": ("fault", "same")}.get(section, ())
        assert code in harmless or code.startswith("E"), (section, size, code)
    print(f"{name}: {len(data)} bytes, {dict(sorted(found.items()))}")


def test_debug_information_changes_nothing_but_reports():
    name = "add_single"
    data, chance = artifact(name), random.Random(3)
    size = len(read_container(data).sections["DBUG"].payload)
    for at in chance.sample(range(size), 40):
        damaged = repaired(data, "DBUG", at, chance.randrange(256))
        assert outcome(damaged, original(name)) == "same"
        assert Program.from_bytes(damaged).build_id == Program.from_bytes(data).build_id


def test_names_in_the_metadata_are_needed():
    data = artifact("gather")
    at = read_container(data).sections["META"].payload.index(b'"name":"toy"') + 1
    assert outcome(repaired(data, "META", at, ord("m")), original("gather")) == "E12"


def test_the_watch_sees_wild_accesses():
    """What NumPy takes for the end of an array, or cuts off, is an error here."""
    with watched_memories():
        store = Store("M", "M", 64)
        store.put(0, np.zeros(16, np.uint8))
        for place in (
            slice(-2, 2),
            slice(len(store.data) - 1, len(store.data) + 1),
            np.array([3, -1]),
        ):
            with pytest.raises(AssertionError):
                store.data[place]
            with pytest.raises(AssertionError):
                store.data[place] = 1
