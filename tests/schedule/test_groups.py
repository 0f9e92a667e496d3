"""Schedules for devices with work-groups: what items share is predicted, right, and free of races."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random

import numpy as np
import pytest

import eqsat as eq
from eqsat.codegen import OPENCL_GPU, render
from eqsat.dtype import to_numpy
from eqsat.egraph.saturate import saturate
from eqsat.machine import GRAPHICS, Machine
from eqsat.ops import AxisType, Op
from eqsat.pipeline.compilation import rendered
from eqsat.reference import evaluate
from eqsat.reference.linear.interpreter import run_linear
from eqsat.runtime import Executable, get_device
from eqsat.schedule.cost.estimates import Costs
from eqsat.schedule.cost.tables import Tables
from eqsat.schedule.draft import Draft, Drafts
from eqsat.schedule.kernel import Schedule
from eqsat.schedule.plan import draft
from eqsat.schedule.tiling import Axis, Tiling, Tilings
from eqsat.uop import UOp

SMALL = replace(GRAPHICS, cores=2, vector_bytes=16, local_size=8)
TILINGS = 1  # of the kernels of each program, besides the best; each takes PoCL and the interpreter .4 s
RANDOM = np.random.default_rng(0)


def drafted(function: Callable[..., object], *shapes: tuple[int, ...], machine: Machine = GRAPHICS) -> Drafts:
    graph = eq.trace(function, *(eq.spec(shape, eq.float32) for shape in shapes))
    return draft(saturate([graph], eq.Plan().admitted).snapshot, machine)


def softmax(x: eq.Array) -> eq.Array:
    e = eq.exp(x - eq.max(x, axis=1, keepdims=True))
    return e / eq.sum(e, axis=1, keepdims=True)


def layer_norm(x: eq.Array) -> eq.Array:
    centered = x - eq.mean(x, axis=1, keepdims=True)
    return centered / eq.sqrt(eq.mean(centered * centered, axis=1, keepdims=True) + 1e-5)


def attention(q: eq.Array, k: eq.Array, v: eq.Array) -> eq.Array:
    return softmax(q @ k.T) @ v


def recurrence(x: eq.Array, axis: int) -> eq.Array:
    """A pair of values that change places, and the greatest of what is kept along the other axis."""
    start = (x[0] if axis == 0 else x[:, 0]) * 0.5 + 1.0
    _, given = eq.scan(
        lambda kept, v: ((kept[1], kept[0] * 0.5 + v), kept[0] + v), (start, start), x, axis=axis
    )
    return given - eq.max(given, axis=1 - axis, keepdims=True)


def axes_of(kernel: UOp) -> set[AxisType]:
    return {node.arg[1] for node in kernel.toposort() if node.op is Op.RANGE}


PROGRAMS: dict[str, tuple[Callable[..., eq.Array], tuple[tuple[int, ...], ...]]] = {
    "matmul": (eq.matmul, ((11, 19), (19, 21))),
    "softmax": (softmax, ((9, 83),)),
    "layer norm": (layer_norm, ((7, 67),)),
    "attention": (attention, ((17, 8), (21, 8), (21, 8))),
    "sum of all elements": (eq.sum, ((41, 25),)),
    "sums of columns": (lambda x: eq.sum(x, axis=0), ((41, 25),)),
    "arg-max": (lambda x: eq.argmax(x, axis=1), ((9, 71),)),
    "scan": (lambda x: eq.cumulative_sum(x, axis=1), ((9, 35),)),
    "recurrence along rows": (lambda x: recurrence(x, 1), ((9, 32),)),
    "recurrence along columns": (lambda x: recurrence(x, 0), ((12, 35),)),
    "transpose": (lambda x: x.T + x, ((33, 33),)),
    "convolution": (lambda x, w: eq.conv2d(x, w, padding=1), ((2, 2, 5, 7), (5, 2, 3, 3))),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_in_groups_compute_what_numpy_does(name: str) -> None:
    """The chosen kernels, and those of other groups, by PoCL, and by the interpreter, which finds races; Oclgrind sees them, too."""
    function, shapes = PROGRAMS[name]
    arrays = [RANDOM.standard_normal(shape).astype(np.float32) for shape in shapes]
    graph = eq.trace(function, *(eq.spec(shape, eq.float32) for shape in shapes))
    (expected,) = evaluate(graph, dict(enumerate(arrays)))
    kernels = drafted(function, *shapes, machine=SMALL)
    chance = Random(name)
    tilings = [
        {},
        *(
            {place: in_groups(each, chance) for place, each in enumerate(kernels.kernels)}
            for _ in range(TILINGS)
        ),
    ]
    for made in map(kernels.schedule, tilings):
        (found,) = on_pocl(made, arrays)
        np.testing.assert_allclose(found.reshape(expected.shape), expected, 1e-4, 1e-4, err_msg=str(made))
        (found,) = by_instructions(made, arrays)
        np.testing.assert_allclose(found.reshape(expected.shape), expected, 1e-4, 1e-4, err_msg=str(made))


def in_groups(kernel: Draft, chance: Random) -> Tiling:
    """Any of the tilings with groups that were looked at; any at all where there are none."""
    every = [each for found in kernel.choice.candidates for each in found.tilings.each()]
    return chance.choice([each for each in every if any(axis.items > 1 for axis in each.axes)] or every)


def on_pocl(made: Schedule, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
    """What the kernels compute in OpenCL for graphics cards."""
    device = get_device("pocl")
    kernels = rendered(made, OPENCL_GPU, contract=False)
    return list(Executable(device, made, kernels, save=False)(*[arrays[slot] for slot in range(len(arrays))]))


def by_instructions(made: Schedule, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
    """What the interpreter computes, which fails where items race, read what nobody has written, or part at a BARRIER."""
    buffers = [np.zeros(buffer.size, to_numpy(buffer.dtype)) for buffer in made.buffers]
    for number, array in zip(made.inputs, arrays, strict=True):
        buffers[number] = array.reshape(-1).copy()
    for kernel in made.kernels:
        code = render(kernel.ast, OPENCL_GPU)
        run_linear(
            code.linear, [buffers[number] for number in kernel.buffers], code.global_size, code.local_size
        )
    return [buffers[number] for number in made.outputs]


def test_a_row_belongs_to_a_group() -> None:
    """All of a softmax in one kernel: both reductions are shared, and rows are read in whole stretches."""
    (kernel,) = drafted(softmax, (1024, 4096)).schedule().kernels
    assert {AxisType.LOCAL, AxisType.GROUP_REDUCE} <= axes_of(kernel.ast)


def test_results_of_two_axes_are_shared_along_both() -> None:
    (kernel,) = drafted(eq.matmul, (1024, 1024), (1024, 1024)).schedule().kernels
    local = [node for node in kernel.ast.toposort() if node.op is Op.RANGE and node.arg[1] is AxisType.LOCAL]
    assert len(local) == 2


def test_groups_are_faster_where_items_share_registers_and_lines() -> None:
    """What the model gains from groups; items side by side are cheaper than items a row apart."""
    single = replace(GRAPHICS, local_size=1)
    for function, shapes in ((eq.matmul, ((1024, 1024),) * 2), (softmax, ((1024, 4096),))):
        alone, shared = (
            drafted(function, *shapes, machine=each).schedule().predicted_seconds
            for each in (single, GRAPHICS)
        )
        assert shared < alone / 2


def test_items_a_row_apart_cost_more_transactions() -> None:
    """Of a copy by groups of 256 items, those along the fast axis of both arrays need fewest cycles of the ports."""
    (kernel,) = drafted(lambda x: x.T * 2.0, (1024, 512)).kernels
    tables = Tables.of(kernel.profile)
    ports: list[float] = []
    for place in range(2):
        axes = tuple(
            Axis(items=256, parallel=True) if axis == place else Axis(parallel=True) for axis in range(2)
        )
        table = Tilings.of(kernel.profile.extents, [Tiling(axes, (0, 1))])
        ports.append(Costs.of(tables, table, GRAPHICS).port.sum())
    # one of the arrays is walked a row at a time either way: 256 transactions for its elements, 8 for those of the other
    loaded, stored = (GRAPHICS.cycles(op, eq.float32) for op in (Op.LOAD, Op.STORE))
    assert sorted(ports) == pytest.approx(sorted([256 * loaded + 8 * stored, 8 * loaded + 256 * stored]))


def test_nothing_is_shared_where_work_items_run_one_to_a_group() -> None:
    for function, shapes in PROGRAMS.values():
        for kernel in drafted(function, *shapes, machine=Machine()).kernels:
            assert all((each.tilings.items == 1).all() for each in kernel.choice.candidates)
