"""Oracle of pass tests: a module runs to the same buffers before and after every pass."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kt.arch import load_device
from kt.ir.core import Operation
from kt.parse import parse_path, parse_text
from kt.passes.manager import PassContext, PassManager
from kt.sim.simulate import simulate


def _run(module, arguments, options):
    given = {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in arguments.items()}
    return simulate(module, given, **options)


def run_levels(source, device, passes, arguments=None, **options):
    """:func:`levels`, which must agree; returns module, context, buffers."""
    module, ctx, expected, differing = levels(source, device, passes, arguments, **options)
    assert not differing
    return module, ctx, expected


def levels(source, device, passes, arguments=None, **options):
    """Run ``source`` (text, path or module) at every level, and name the buffers that differ somewhere.

    ``device`` is a name, a Device or None (the module declares one); other options are those of
    ``simulate``. Returns module, context, buffers, and (buffer, pass) for what isn't equal bit by bit.
    """
    module = source
    if not isinstance(source, Operation):
        module = parse_path(source) if isinstance(source, Path) else parse_text(source)
    arguments = dict(arguments or {})
    loaded = load_device(device) if isinstance(device, str) else device
    options.setdefault("device", loaded)
    expected = _run(module, arguments, options)
    ctx = PassContext(device=loaded)
    differing = []
    for name in passes:
        PassManager([name]).run(module, ctx)
        found = _run(module, arguments, options)
        differing += [
            (buffer, name)
            for buffer, wanted in expected.items()
            if not np.array_equal(found[buffer], wanted, equal_nan=wanted.dtype.kind == "f")
        ]
    return module, ctx, expected, differing


@pytest.fixture(name="levels", scope="session")
def levels_fixture():
    """:func:`levels`."""
    return levels


@pytest.fixture(name="run_levels", scope="session")
def run_levels_fixture():
    """:func:`run_levels`."""
    return run_levels


@pytest.fixture
def ops_of():
    """``ops_of(module, OpClass)``: all ops of a class in textual order."""
    return lambda module, kind: list(module.walk_type(kind))
