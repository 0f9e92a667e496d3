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
from eqsat.schedule.draft import Draft
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
