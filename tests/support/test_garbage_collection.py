"""Pauses of the collector end when the last of them ends, and only if it ran before."""

from __future__ import annotations

import gc
from contextlib import ExitStack

import pytest

from eqsat.support.garbage_collection import collector_paused


def test_it_runs_again_after_the_last_of_several_blocks() -> None:
    assert gc.isenabled()
    first, second = ExitStack(), ExitStack()
    first.enter_context(collector_paused())
    second.enter_context(collector_paused())
    first.close()  # as of another thread
    assert not gc.isenabled()
    second.close()
    assert gc.isenabled()


def test_it_runs_again_after_an_error() -> None:
    with pytest.raises(ValueError, match="some"), collector_paused():
        raise ValueError("some")
    assert gc.isenabled()


def test_it_stays_off_where_it_was_off() -> None:
    gc.disable()
    try:
        with collector_paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    finally:
        gc.enable()
