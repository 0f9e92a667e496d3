"""Stores past the caches: every dtype and number of lanes, wherever rows begin; and the kernels that have them."""

from collections.abc import Callable
from dataclasses import replace
from typing import cast

import numpy as np
import pytest

import eqsat as eq
from eqsat.codegen import OPENCL_CPU, OPENCL_GPU, C, render, render_source
from eqsat.dtype import DType, float32
from eqsat.machine import Machine
from eqsat.ops import KernelInfo
from eqsat.pipeline.compilation import as_sink, drafted
from eqsat.schedule.cost.profile import Access
from eqsat.schedule.draft import Draft
from eqsat.schedule.tiling import Tiling
from eqsat.uop import UOp
from tests.codegen.device import check
from tests.codegen.kernels import GLOBAL, LOOP, UPCAST, Ranges, kernel, load, store
from tests.codegen.test_selection import DTYPES, data
from tests.forms import form

STORE = "__builtin_nontemporal_store"
SMALL = replace(Machine(), cache_bytes=(1 << 10, 1 << 12, 1 << 14))  # so that small arrays exceed it


def streaming(sink: UOp) -> UOp:
    return sink.replace(arg=replace(cast("KernelInfo", sink.arg), streams=True))


def copied(dtype: DType, lanes: int, rows: int, width: int) -> UOp:
    """Rows of whole vectors out of longer ones: where `width` is odd, most rows begin at an address that fits one element only."""
    ranges = Ranges()
    row, outer, lane = ranges(rows, GLOBAL), ranges(width // lanes, LOOP), ranges(lanes, UPCAST)
    position = row * width + outer * lanes + lane
    source, target = UOp.param(1, rows * width, dtype), UOp.param(0, rows * width, dtype)
    return kernel("copied", store(target, position, load(source, position), row, outer, lane))


@pytest.mark.parametrize("lanes", [2, 4, 8, 16])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_rows_that_begin_anywhere(dtype: DType, lanes: int) -> None:
    rows, width = 6, 3 * lanes + 1
    values = data(rows * width, dtype).reshape(rows, width)
    sink = streaming(copied(dtype, lanes, rows, width))
    (found,) = check(sink, {1: values})
    expected = values.copy()
    expected[:, -1] = 0
    np.testing.assert_array_equal(found.reshape(rows, width), expected)
    assert (STORE in render(sink).source) == (lanes * dtype.itemsize >= 16)


def test_only_kernels_that_ask_for_it_and_languages_that_have_it() -> None:
    sink = copied(float32, 8, 2, 16)
    assert STORE not in render(sink, OPENCL_CPU).source
    for dialect in (OPENCL_GPU, C, replace(OPENCL_CPU, stream="")):
        assert render(streaming(sink), dialect).source == render(sink, dialect).source


def test_local_memory_is_not_streamed_to() -> None:
    whole = form.load(form.at(form.argument(1, 8), form.i(0)), dtype=float32.vec(8))
    targets = form.argument(0, 8), form.local(8)
    stores = [form.store(form.at(target, form.i(0)), whole) for target in targets]
    text = render_source(form.program(*stores).replace(arg=KernelInfo("both", streams=True)), "both")
    assert "stream_float8(out0, " in text
    assert "stream_float8(shared0, " not in text


def first_draft(machine: Machine, size: int, *, summed: bool = False) -> Draft:
    def function(x: eq.Array) -> eq.Array:
        return eq.sum(x * 2, axis=0) if summed else x * 2 + 1

    drafts, _ = drafted(as_sink(eq.trace(function, eq.spec((size, 64), eq.float32))), machine)
    return drafts.kernels[0]


def test_arrays_that_exceed_the_last_cache_are_stored_past_it() -> None:
    big = Machine().cache_bytes[-1] // 256
    assert first_draft(Machine(), big).streams
    assert not first_draft(Machine(), big // 16).streams
    assert first_draft(SMALL, 64).streams
    assert not first_draft(SMALL, 64, summed=True).streams, "little of it is stored"
    assert cast("KernelInfo", first_draft(SMALL, 64).kernel().ast.arg).streams


def test_a_large_array_is_computed_alike() -> None:
    """Whatever the device: 36 MB of odd rows, read and written."""
    x = np.random.default_rng(0).standard_normal((3001, 1501), np.float32)
    result = np.asarray(eq.jit(lambda a: a * 2 + 1)(x))  # pyright: ignore[reportUnknownLambdaType]
    np.testing.assert_array_equal(result, x * 2 + 1)


@pytest.mark.parametrize(
    ("function", "streams"),
    [
        (lambda x: x * 2 + 1, True),
        (eq.exp, False),
        (lambda x: x / eq.sum(eq.exp(x), axis=1, keepdims=True), True),
    ],
    ids=["multiple", "power", "share"],
)
def test_stores_with_much_to_compute_in_between_stay_in_the_caches(
    function: Callable[[eq.Array], eq.Array], *, streams: bool
) -> None:
    """What a reduction computes comes before them."""
    graph = eq.trace(function, eq.spec((64, 256), float32))
    drafts, _ = drafted(as_sink(graph), SMALL)
    assert drafts.kernels[-1].streams == streams


@pytest.mark.parametrize(
    ("columns", "lanes", "copies", "streams"),
    [
        (64, 16, 1, True),
        (56, 16, 1, False),
        (56, 8, 7, True),
        (200, 8, 1, False),
        (1025, 16, 1, True),
        (1025, 8, 2, True),
    ],
)
def test_short_rows_that_begin_inside_of_lines_stay_in_the_caches(
    columns: int, lanes: int, copies: int, *, streams: bool
) -> None:
    """Lines in which one row ends and the next one begins would be stored twice, a part each time; but not where tiles are whole rows."""
    graph = eq.trace(lambda x, y: x + y, eq.spec((128, columns), float32), eq.spec((columns,), float32))
    (draft,) = drafted(as_sink(graph), SMALL)[0].kernels
    assert draft.streams
    row, rows = sorted(stored(draft).strides, key=lambda each: stored(draft).strides[each])
    assert draft.fills_lines(tiled(draft, {row: (lanes, copies), rows: (1, 1)})) == streams


def test_parts_of_lines_stay_in_the_caches() -> None:
    """A tile of a transposed matrix has a part of each row, whose lines the next tiles complete."""
    graph = eq.trace(lambda x: x.T * 2.0, eq.spec((256, 256), float32))
    (draft,) = drafted(as_sink(graph), SMALL)[0].kernels
    row = next(position for position, stride in stored(draft).strides.items() if stride == 1)
    seen: set[bool] = set()
    for tiling in draft.choice.ranked[:200]:
        tiles = [axis.tile for axis in tiling.axes]
        part = tiles.pop(row) * 4 % 64 != 0 and tiles[0] > 1
        assert info_of(draft, tiling).streams != part
        seen.add(part)
    assert seen == {True, False}


def test_pixels_with_channels_side_by_side_are_whole_lines() -> None:
    graph = eq.trace(lambda x, y: x * y, eq.spec((4096, 3), float32), eq.spec((4096, 1), float32))
    (draft,) = drafted(as_sink(graph), SMALL)[0].kernels
    rows, channels = sorted(stored(draft).strides, key=lambda each: -stored(draft).strides[each])
    for pixels in (8, 16, 32):
        assert draft.fills_lines(tiled(draft, {rows: (pixels, 1), channels: (1, 3)}))
    assert not draft.fills_lines(tiled(draft, {rows: (1, 4), channels: (1, 1)}))


def tiled(draft: Draft, parts: dict[int, tuple[int, int]]) -> Tiling:
    """The best tiling with other lanes and copies of some ranges."""
    best, axes = draft.choice.best, list(draft.choice.best.axes)
    for position, (lanes, copies) in parts.items():
        axes[position] = replace(axes[position], lanes=lanes, copies=copies)
    return replace(best, axes=tuple(axes))


def stored(draft: Draft) -> Access:
    (found,) = [access for access in draft.profile.accesses if access.store]
    return found


def info_of(draft: Draft, tiling: Tiling | None = None) -> KernelInfo:
    return cast("KernelInfo", draft.kernel(tiling).ast.arg)
