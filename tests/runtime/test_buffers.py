"""Pooled memory is reused when, and only when, nothing refers to it."""

from __future__ import annotations

import gc

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from eqsat.runtime.buffers import ALIGNMENT, SMALLEST, UNPOOLED, HostPool, allocate_host, round_size
from tests.threads import at_once

FLOAT = np.dtype(np.float32)
SIZE = UNPOOLED  # in elements, which is more than the pool leaves to NumPy


@given(st.integers(0, 1 << 40))
def test_rounded_size_holds_and_wastes_an_eighth_at_most(size: int) -> None:
    rounded = round_size(size)
    assert rounded >= size
    assert rounded == SMALLEST or rounded <= size * 9 / 8
    assert round_size(rounded) == rounded


def test_memory_is_aligned() -> None:
    assert all(allocate_host(size).ctypes.data % ALIGNMENT == 0 for size in (1, 1000, 1 << 20))


def test_dropped_array_is_reused() -> None:
    pool = HostPool(1 << 20)
    array = pool.take_array(SIZE, FLOAT)
    address = array.ctypes.data
    del array
    assert pool.idle_bytes == round_size(4 * SIZE)
    again = pool.take_array(SIZE, FLOAT)
    assert again.ctypes.data == address
    assert pool.idle_bytes == 0


def test_small_arrays_are_no_concern_of_the_pool() -> None:
    pool = HostPool(1 << 20)
    array = pool.take_array(UNPOOLED // 4, FLOAT)
    assert array.flags.owndata
    del array
    assert pool.idle_bytes == 0


def test_view_keeps_the_memory() -> None:
    pool = HostPool(1 << 20)
    array = pool.take_array(SIZE, FLOAT)
    view = array.reshape(64, -1).T[3:, ::2]
    view[:] = 7
    del array
    assert pool.idle_bytes == 0
    other = pool.take_array(SIZE, FLOAT)
    other[:] = 0
    assert (view == 7).all()
    exported = memoryview(view)
    del view
    assert pool.idle_bytes == 0
    assert exported[0, 0] == 7
    del exported
    assert pool.idle_bytes == round_size(4 * SIZE)


def test_array_in_a_cycle_is_given_back_by_the_collector() -> None:
    pool = HostPool(1 << 20)
    cycle: list[object] = [pool.take_array(SIZE, FLOAT)]
    cycle.append(cycle)
    del cycle
    gc.collect()
    assert pool.idle_bytes == round_size(4 * SIZE)


def test_idle_memory_is_limited() -> None:
    pool = HostPool(10 * SIZE)
    arrays = [pool.take_array(size, FLOAT) for size in (SIZE, SIZE + 1000, SIZE + 5000)]
    del arrays
    assert 0 < pool.idle_bytes <= 10 * SIZE
    pool.clear()
    assert pool.idle_bytes == 0


def test_larger_than_the_limit_is_freed_at_once() -> None:
    pool = HostPool(1000)
    pool.take_array(SIZE, FLOAT)
    assert pool.idle_bytes == 0


def test_threads_never_share_memory() -> None:
    pool = HostPool(1 << 20)
    wrong: list[int] = []

    def work(number: int) -> None:
        for _ in range(300):
            array = pool.take_array(SIZE, FLOAT)
            array[:] = number
            if not (array == number).all():
                wrong.append(number)

    at_once(work)
    assert not wrong
