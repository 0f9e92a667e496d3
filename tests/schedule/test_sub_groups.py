"""Reductions that sub-groups begin: chosen where they are cheaper, written as the device has them, and by rounds over local memory elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

import eqsat as eq
from eqsat.codegen import OPENCL_GPU, render, with_sub_groups
from eqsat.dtype import DType, float16, float32, float64, int8, int32, int64, to_numpy, uint32
from eqsat.egraph.saturate import saturate
from eqsat.machine import GRAPHICS, Machine
from eqsat.ops import AxisType
from eqsat.pipeline.compilation import rendered
from eqsat.reference import evaluate
from eqsat.runtime import Executable, devices
from eqsat.runtime.record import VARIABLE as RECORD
from eqsat.schedule.draft import Drafts
from eqsat.schedule.plan import draft
from tests.schedule.test_groups import PROGRAMS, SMALL, axes_of, by_instructions, on_pocl, softmax

WIDE = replace(GRAPHICS, sub_group=32)
HERE = [device for device in devices() if device.described.sub_group > 1]
RANDOM = np.random.default_rng(11)
ROWS = {
    "sum": lambda x: eq.sum(x, axis=1),
    "max": lambda x: eq.max(x, axis=1),
    "min": lambda x: eq.min(x, axis=1),
    "product": lambda x: eq.prod(x, axis=1),
    "arg-max": lambda x: eq.argmax(x, axis=1),
    "centered": lambda x: x - eq.max(x, axis=1, keepdims=True),
}
SIZES = (31, 67)


def drafted(function: Callable[..., object], shapes: Sequence[tuple[int, ...]], machine: Machine,
            dtype: DType = float32) -> Drafts:  # fmt: skip
    graph = eq.trace(function, *(eq.spec(shape, dtype) for shape in shapes))
    return draft(saturate([graph], eq.Plan().admitted).snapshot, machine)


@pytest.mark.parametrize("program", [softmax, lambda x: eq.sum(x * x)])
def test_sub_groups_are_chosen_where_the_device_has_them(program: Callable[..., object]) -> None:
    made = drafted(program, [(1024, 4096)], WIDE).schedule()
    without = drafted(program, [(1024, 4096)], GRAPHICS).schedule()
    assert made.predicted_seconds < without.predicted_seconds
    assert AxisType.WARP in set[AxisType]().union(*(axes_of(kernel.ast) for kernel in made.kernels))
    assert all(AxisType.WARP not in axes_of(kernel.ast) for kernel in without.kernels)
    assert "in sub-groups of 32" in " ".join(kernel.choice for kernel in made.kernels)
    assert "sub-groups" not in " ".join(kernel.choice for kernel in without.kernels)


def test_items_are_no_sub_groups_where_nothing_is_exchanged() -> None:
    for function, shapes in ((eq.matmul, [(512, 512)] * 2), (lambda x: x.T * 2.0, [(512, 256)])):
        (kernel,) = drafted(function, shapes, WIDE).schedule().kernels
        assert AxisType.LOCAL in axes_of(kernel.ast)
        assert AxisType.WARP not in axes_of(kernel.ast)


def test_sub_groups_are_not_chosen_where_their_exchanges_are_dear() -> None:
    dear = replace(WIDE, shuffle_cycles=1e4)
    (kernel,) = drafted(softmax, [(1024, 4096)], dear).schedule().kernels
    assert AxisType.WARP not in axes_of(kernel.ast)


def test_a_row_of_one_sub_group_needs_no_local_memory() -> None:
    """All of a softmax in registers of a sub-group: neither rounds nor BARRIERs; without sub-groups, the same kernel has both."""
    (kernel,) = drafted(softmax, [(256, 4096)], replace(WIDE, local_size=32)).schedule().kernels
    source = render(kernel.ast, with_sub_groups(OPENCL_GPU, 32, "__attribute__((asked_for))")).source
    assert "sub_group_reduce_max_float32(" in source.split("__kernel")[1]
    assert "sub_group_reduce_add(" in source.split("__kernel")[1]
    assert "__attribute__((asked_for)) __kernel" in source
    assert "barrier(" not in source
    fallback = render(kernel.ast, with_sub_groups(OPENCL_GPU, 64, "__attribute__((asked_for))")).source
    assert "sub_group" not in fallback
    assert "asked_for" not in fallback
    assert fallback.count("barrier(") >= 2


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_for_sub_groups_run_without_them(name: str) -> None:
    """By rounds over local memory, on PoCL and by the interpreter, which finds races."""
    function, shapes = PROGRAMS[name]
    arrays = [RANDOM.standard_normal(shape).astype(np.float32) for shape in shapes]
    graph = eq.trace(function, *(eq.spec(shape, float32) for shape in shapes))
    (expected,) = evaluate(graph, dict(enumerate(arrays)))
    drafts = drafted(function, shapes, replace(SMALL, sub_group=4))
    many = [every_tiling(each.choice) for each in drafts.kernels]
    for turn in range(3):
        made = drafts.schedule({place: each[turn * len(each) // 3] for place, each in enumerate(many)})
        for run in (on_pocl, by_instructions):
            (found,) = run(made, arrays)
            np.testing.assert_allclose(found.reshape(expected.shape), expected, 1e-4, 1e-4, err_msg=str(made))


def every_tiling(choice) -> list:
    """Those with groups that sub-groups divide; all where there are none."""
    every = [each for found in choice.candidates for each in found.tilings.each()]
    grouped = [each for each in every if any(axis.items > 1 and not axis.slow for axis in each.axes)]
    return grouped or every


@pytest.fixture
def unrecorded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Oclgrind does not read the functions of sub-groups."""
    monkeypatch.delenv(RECORD, raising=False)


def on_device_with_sub_groups(function: Callable[..., object], values: np.ndarray, dtype: DType) -> None:
    """Kernels for groups of the device's sub-groups against the reference, the chosen ones and some of the others."""
    device, given = HERE[0], values.astype(to_numpy(dtype))
    size = device.described.sub_group
    machine = replace(SMALL, vector_bytes=4 * size, local_size=4 * size, sub_group=size)
    drafts = drafted(function, [values.shape], machine, dtype)
    with np.errstate(invalid="ignore"):
        (expected,) = evaluate(eq.trace(function, eq.spec(values.shape, dtype)), {0: given})
    many = [every_tiling(each.choice) for each in drafts.kernels]
    for turn in range(4):
        made = drafts.schedule({place: each[turn * len(each) // 4] for place, each in enumerate(many)})
        kernels = rendered(made, device.dialect, contract=False)
        (found,) = Executable(device, made, kernels, save=False)(given)
        tolerance = 1e-2 if dtype is float16 else 1e-5
        np.testing.assert_allclose(
            found.reshape(expected.shape), expected, tolerance, tolerance, err_msg=str(made)
        )


@pytest.mark.usefixtures("unrecorded")
@pytest.mark.skipif(not HERE, reason="no device here has sub-groups")
@pytest.mark.parametrize("dtype", [float32, float64, int32, int64, uint32, int8, float16], ids=str)
@pytest.mark.parametrize("name", ROWS)
def test_a_device_with_sub_groups_computes_what_the_reference_does(name: str, dtype: DType) -> None:
    for size in SIZES:
        values = (
            RANDOM.integers(-3, 4, (5, size))
            if name != "product"
            else RANDOM.choice([-1, 1, 1, 2], (5, size))
        )
        on_device_with_sub_groups(ROWS[name], np.abs(values) if not dtype.is_signed else values, dtype)


@pytest.mark.usefixtures("unrecorded")
@pytest.mark.skipif(not HERE, reason="no device here has sub-groups")
@pytest.mark.parametrize("dtype", [float32, float64], ids=str)
def test_extremes_of_sub_groups_keep_nan_and_infinities(dtype: DType) -> None:
    values = RANDOM.standard_normal((40, 67))
    values[np.arange(20), np.arange(20) * 3] = np.nan
    values[np.arange(15, 30), np.arange(15, 30)] = -np.inf
    for name in ("max", "min", "centered"):
        on_device_with_sub_groups(ROWS[name], values, dtype)
