"""The collector is held back inside, and as before outside."""

from __future__ import annotations

import gc

import pytest

import kt
from kt.ir.collector import Paused


@pytest.fixture(params=[True, False], ids=["on", "off"])
def before(request):
    was = gc.isenabled()
    (gc.enable if request.param else gc.disable)()
    yield request.param
    (gc.enable if was else gc.disable)()


def test_nests_and_comes_back_after_errors(before):
    with pytest.raises(ZeroDivisionError), Paused():
        with Paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
        _ = 1 / 0
    assert gc.isenabled() == before


def test_reading_and_copying_leave_it_as_it_was(before):
    module = kt.parse("func.func private @f()")
    assert module.clone().name == "builtin.module"
    with pytest.raises(kt.KtError):
        kt.parse("func.func @f(")
    assert gc.isenabled() == before
