"""Arrays that are not contiguous are read where they are, and give what their copies give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

import eqsat as eq
from eqsat.pipeline.functions import views
from eqsat.pipeline.functions.views import LEAST_BYTES, View, view_of

Slices = Any

BASE = np.random.default_rng(0).standard_normal((40, 30, 24))


@pytest.mark.parametrize(
    "slices",
    [
        np.s_[::2],
        np.s_[:, ::3],
        np.s_[::-1],
        np.s_[:, ::-2, 1:],
        np.s_[3:17, 5:9, ::3],
        np.s_[:, 0],
        np.s_[::-1, ::-1, ::-1],
        np.s_[:, None, :, ::4],
    ],
    ids=str,
)
def test_elements_that_lie_apart_are_read_where_they_are(
    slices: Slices, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "LEAST_BYTES", 1)
    monkeypatch.setattr(views, "LINE_BYTES", 1 << 10)
    whole = (BASE * 3).astype(np.int8)[slices]
    floats, flags = BASE.astype(np.float32)[slices], (BASE > 0.0)[slices]
    for array in (
        floats.transpose(range(floats.ndim)[::-1]),
        np.broadcast_to(whole, (2, *whole.shape)),
        flags,
    ):
        view = view_of(array)
        assert view is not None
        memory = view.memory(array)
        assert memory.flags.c_contiguous
        assert np.shares_memory(memory, array)
        doubled, last = eq.jit(lambda x: (x | x if x.dtype == eq.bool_ else x + x, x[..., -1]))(array)
        np.testing.assert_array_equal(doubled, array + array)
        np.testing.assert_array_equal(last, array[..., -1])


def test_one_signature_has_programs_for_several_strides() -> None:
    """The same shape and dtype, each time laid out otherwise; also in calls that run directly."""
    large = np.random.default_rng(1).standard_normal((300, 400)).astype(np.float32)
    doubled = eq.jit(lambda x: x * 2.0)
    same: list[NDArray[Any]] = [
        large[:100, :100],
        large[::3, ::4],
        large[::-3, ::4],
        large[::2][:100, :100].copy(),
        large[100:200, 100:200].T,
    ]
    for array in same * 10:
        np.testing.assert_array_equal(doubled(array), array * 2.0)


def test_axes_along_which_nothing_moves_are_read_once() -> None:
    row = np.arange(100, dtype=np.float32)
    array = np.broadcast_to(row, (200, 100))
    view = view_of(array)
    assert view == View((1,), (1,), ())
    assert view.memory(array).size == 100
    np.testing.assert_array_equal(eq.jit(lambda x: eq.sum(x, axis=0))(array), row * 200.0)


def test_fields_of_records_are_read_where_they_are_if_whole_elements_are_between() -> None:
    records = np.zeros(5000, [("x", "f4"), ("y", "f8"), ("z", "i4")])
    records["x"], records["y"] = np.arange(5000), -np.arange(5000)
    assert view_of(records["x"]) == View((0,), (4,), ())
    packed = np.zeros(5000, [("x", "i1"), ("y", "f4")])
    packed["y"] = np.arange(5000)
    assert view_of(packed["y"]) is None
    for array in (records["x"], records["y"], packed["y"]):
        np.testing.assert_array_equal(eq.jit(lambda x: x + x)(array), array + array)


@pytest.mark.parametrize(
    "array",
    [
        np.zeros(LEAST_BYTES // 4, np.float32),
        np.zeros(LEAST_BYTES // 4, np.float32)[::2],
        np.zeros((LEAST_BYTES, 17), np.float32)[:, 0],
        sliding_window_view(np.zeros(LEAST_BYTES, np.float32), 8),
    ],
    ids=["contiguous", "small", "a line each", "overlapping"],
)
def test_others_are_copied(array: NDArray[Any]) -> None:
    assert view_of(array) is None
    np.testing.assert_array_equal(eq.jit(lambda x: x + 1.0)(array), array + 1.0)


def test_memory_beyond_the_last_element_is_no_part() -> None:
    """The last row of a cut may end where the memory does."""
    array = np.zeros((100, 100), np.float32)[:, 50:]
    view = view_of(array)
    assert view is not None
    memory = view.memory(array)
    assert memory.size == 99 * 100 + 50
    assert memory.ctypes.data + memory.nbytes == array[-1, -1:].ctypes.data + 4
