"""Schedules compute what the array graph means, whatever loops are chosen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import reduce
from math import prod

import numpy as np
import pytest

from eqsat.dtype import float32
from eqsat.errors import ScheduleError
from eqsat.machine import Machine
from eqsat.ops import AxisType, Op, Stage
from eqsat.reference import evaluate
from eqsat.schedule.cost.profiling import profile
from eqsat.schedule.kernel import Role, Schedule
from eqsat.schedule.loops.axes import apply, split
from eqsat.schedule.placement import Effort
from eqsat.schedule.placement.kernel_limits import KERNEL_BUFFERS
from eqsat.schedule.plan import draft, names_apart, schedule
from eqsat.schedule.tiling import Axis, Tiling
from eqsat.spec import verify
from eqsat.uop import UOp
from tests.schedule.graphs import (
    GRAPHS,
    activation_between_products,
    inputs_for,
    layer_norm,
    matmul,
    run,
    several_outputs,
    softmax,
    two_matmuls,
)

DEVICE = Machine()


def assert_means(result: Schedule, sink: UOp) -> None:
    inputs = inputs_for(result)
    bound = dict(zip((result.buffers[number].slot for number in result.inputs), inputs, strict=True))
    unread = [node for node in sink.toposort() if node.op is Op.PARAM and node.arg[0] not in bound]
    assert all(node.arg[1] == 0 for node in unread)
    bound.update((node.arg[0], np.zeros(0, np.float32)) for node in unread)
    expected = evaluate(sink, bound)
    for got, want in zip(
        run(result, inputs), expected if isinstance(expected, tuple) else (expected,), strict=True
    ):
        np.testing.assert_allclose(got.reshape(want.shape), want, rtol=2e-5, atol=1e-5)


@pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS)
def test_schedule_computes_the_graph(graph: Callable[[], UOp]) -> None:
    sink = graph()
    result = schedule(sink, DEVICE)
    for kernel in result.kernels:
        verify(kernel.ast, Stage.KERNEL)
    assert_means(result, sink)


@pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS)
def test_every_tiling_computes_the_kernel(graph: Callable[[], UOp]) -> None:
    """A spread of the tilings that were costed: each computes what the cheapest one does."""
    for drafted in draft(graph(), DEVICE).kernels:
        expected, ranked = executed(drafted.kernel().ast), drafted.choice.ranked
        for tiling in ranked[:: max(1, len(ranked) // 12)]:
            tiled = drafted.kernel(tiling).ast
            verify(tiled, Stage.KERNEL)
            np.testing.assert_allclose(executed(tiled), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("op", "masks"), [(Op.ADD, 1), (Op.MUL, 1), (Op.MAX, 0), (Op.MIN, 0)])
def test_only_what_may_not_count_twice_is_masked_in_overlapping_tiles(op: Op, masks: int) -> None:
    """Ten elements in tiles of four."""
    sums = UOp.param(0, 30, float32).reshape((3, 10)).reduce_axis(op, (1,))
    (plain,) = draft(UOp.sink(sums), DEVICE).kernels
    sink = plain.sink
    kernel = profile(sink, DEVICE)
    axes = tuple(Axis(copies=4) if loop.src[0].arg == 10 else Axis() for loop in kernel.ranges)
    tiled = apply(sink, split(kernel, Tiling(axes)), {})
    assert sum(node.op is Op.WHERE and node.dtype == float32 for node in tiled.toposort()) == masks


def executed(sink: UOp) -> np.ndarray:
    from eqsat.dtype import to_numpy
    from eqsat.reference import evaluate_kernel

    random = np.random.default_rng(1)
    params = {node.arg[0]: node for node in sink.toposort() if node.op is Op.PARAM}
    buffers = [np.zeros(1) for _ in range(1 + max(params))]
    for slot, param in sorted(params.items()):
        buffers[slot] = (random.normal(size=param.arg[1]) * 3).astype(to_numpy(param.dtype))
    written = sink.src[0].src[0].src[0].arg[0]
    evaluate_kernel(sink, buffers)
    return buffers[written]


def test_softmax_is_one_kernel_where_rows_are_parallel() -> None:
    """Row maximum and sum are cheap to keep in registers, so nothing is stored between them."""
    result = schedule(softmax(4096, 1024), DEVICE)
    assert len(result.kernels) <= 2


def test_reduction_feeding_many_elements_is_stored_when_that_is_cheaper() -> None:
    """Recomputing the inner product for each column of the outer one would square the work."""
    assert len(schedule(two_matmuls(256), DEVICE).kernels) == 2


def test_what_an_expand_repeats_is_stored_as_one_value() -> None:
    """Not its parts, to be put together again in the loop of the second product."""
    result = schedule(activation_between_products(192, 160, 224), DEVICE)
    assert len(result.kernels) == 2
    assert [spec.role for spec in result.buffers].count(Role.TEMPORARY) == 1


def test_padding_and_slicing_cost_no_kernel() -> None:
    assert len(schedule(GRAPHS["padded_window"](), DEVICE).kernels) == 1


def test_like_outputs_share_one_kernel() -> None:
    """Two reductions of one array read it once; so do two elementwise results."""
    result = schedule(several_outputs(), DEVICE)
    assert sorted(len(kernel.ast.src) for kernel in result.kernels) == [1, 2, 2]


@pytest.mark.parametrize(("inputs", "kernels"), [(KERNEL_BUFFERS - 2, 1), (KERNEL_BUFFERS - 1, 2)])
def test_two_results_share_a_kernel_up_to_the_number_of_its_arguments(inputs: int, kernels: int) -> None:
    first, *others = (UOp.param(slot, 64, float32) for slot in range(inputs))
    results = [reduce(lambda left, right: left.alu(op, right), others, first) for op in (Op.ADD, Op.MAX)]
    assert len(schedule(UOp.sink(*results), DEVICE).kernels) == kernels


def test_matmul_uses_vectors_and_a_register_tile() -> None:
    (kernel,) = schedule(matmul(512, 512, 512), DEVICE).kernels
    extents: dict[AxisType, list[int]] = {}
    reductions = [node for node in kernel.ast.toposort() if node.op is Op.REDUCE]
    for loop in (*kernel.ast.src[0].src[2:], *(loop for each in reductions for loop in each.src[1:])):
        extents.setdefault(loop.arg[1], []).append(loop.src[0].arg)
    (lanes,) = extents[AxisType.UPCAST]
    assert lanes in DEVICE.vector_widths
    assert extents[AxisType.REDUCE] == [512]
    assert 8 <= prod(extents[AxisType.UNROLL]) <= 16


def test_temporaries_that_never_meet_share_an_arena() -> None:
    n = 512
    x = value = UOp.param(0, n * n, float32).reshape((n, n))
    for _ in range(4):
        left = value.reshape((n, n, 1)).expand((n, n, n))
        value = (left * x.reshape((1, n, n)).expand((n, n, n))).reduce_axis(Op.ADD, (1,))
    result = draft(UOp.sink(value), DEVICE, Effort(gap=0.0)).schedule()
    temporaries = [spec for spec in result.buffers if spec.role is Role.TEMPORARY]
    assert len(temporaries) == 3
    assert len({spec.arena for spec in temporaries}) == 2


def test_scheduling_is_deterministic() -> None:
    first, second = (schedule(layer_norm(), DEVICE) for _ in range(2))
    assert first == second


def test_more_cores_prefer_more_groups() -> None:
    """The description of the device decides; nothing is written for one machine."""
    many = replace(DEVICE, cores=64)
    few_groups, many_groups = (
        groups_of(schedule(matmul(256, 256, 256), device)) for device in (DEVICE, many)
    )
    assert few_groups < many.cores <= many_groups


def groups_of(result: Schedule) -> int:
    (kernel,) = result.kernels
    groups = 1
    for node in kernel.ast.toposort():
        if node.op is Op.RANGE and node.arg[1] is AxisType.GLOBAL:
            groups *= node.src[0].arg
    return groups


def test_only_a_sink_can_be_scheduled() -> None:
    with pytest.raises(ScheduleError, match="wrap the results in UOp.sink"):
        schedule(UOp.param(0, 4, GRAPHS["matmul"]().src[0].dtype), DEVICE)  # pyright: ignore[reportArgumentType]


def test_different_kernels_have_different_names_even_if_some_end_in_numbers() -> None:
    kernels = [UOp.variable("k", 0, number) for number in range(5)]
    names = ["sum", "sum_2", "sum", "sum_2", "sum"]
    found = names_apart(dict(zip(kernels, names, strict=True)))
    assert list(found.values()) == ["sum", "sum_2", "sum_3", "sum_2_2", "sum_4"]
