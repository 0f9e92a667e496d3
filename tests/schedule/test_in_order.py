"""Scans and scatters in parts, which work-items carry out side by side: right on any loops, and chosen on cards alone."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest

import eqsat as eq
from eqsat.dtype import DType, float32, int32, int64, to_numpy
from eqsat.egraph.saturate import saturate
from eqsat.machine import GRAPHICS, Machine
from eqsat.ops import AxisType, Op
from eqsat.reference import evaluate
from eqsat.schedule.cost.load_stalls import stall_seconds
from eqsat.schedule.cost.scatter_hit_rate import bytes_at_most, hit_rate
from eqsat.schedule.cost.tables import Tables
from eqsat.schedule.draft import Drafts
from eqsat.schedule.plan import draft, schedule
from eqsat.schedule.tiling import Axis, Tiling, Tilings
from eqsat.shape import Shape
from eqsat.uop import UOp
from tests.schedule.test_groups import SMALL, by_instructions, in_groups, on_pocl

TILINGS = 3  # of the kernels of each program, besides the best
DRAWN = 3  # of each kind, in each dtype


def param(slot: int, shape: Shape, dtype: DType) -> UOp:
    return UOp.param(slot, int(np.prod(shape)), dtype).reshape(shape)


def cut(x: UOp, axis: int, parts: int) -> UOp:
    """An axis in parts, in place, the last of which is filled up."""
    shape = x.shape or ()
    part = -(-shape[axis] // parts)
    filled = x.pad(tuple((0, part * parts - n if place == axis else 0) for place, n in enumerate(shape)))
    return filled.reshape((*shape[:axis], parts, part, *shape[axis + 1 :]))


def joined(x: UOp, axis: int, shape: Shape) -> UOp:
    """The parts of an axis in a row again, without what fills the last one up."""
    parts = x.shape or ()
    row = x.reshape((*parts[:axis], parts[axis] * parts[axis + 1], *parts[axis + 2 :]))
    return row.shrink(tuple((0, n) for n in shape))


def scan_in_parts(x: UOp, axis: int, parts: int) -> UOp:
    """Each part is scanned by itself, and begins with the sum of those before it."""
    pieces = cut(x, axis, parts)
    sums = pieces.reduce_axis(Op.ADD, (axis + 1,))
    of_sums = sums.shape or ()
    others = sums.shrink(tuple((0, n - (place == axis)) for place, n in enumerate(of_sums)))
    before = others.pad(tuple((int(place == axis), 0) for place in range(len(of_sums)))).scan_axis(
        Op.ADD, axis
    )
    begun = before.reshape((*of_sums[: axis + 1], 1, *of_sums[axis + 1 :])).expand(pieces.shape or ())
    return joined(begun + pieces.scan_axis(Op.ADD, axis + 1), axis, x.shape or ())


def scatter_in_places(op: Op, value: UOp, labels: UOp, axis: int, reduced: Shape, parts: int) -> UOp:
    """Each part of the positions looks at all labels; `labels` have one element along the positions, and `value` their number."""
    shape, dtype = value.shape or (), labels.dtype
    assert isinstance(dtype, DType)
    values = cut(value, axis, parts)
    places = values.shape or ()
    begins = (UOp.iota(parts) * places[axis + 1]).cast(dtype)
    first = begins.reshape(tuple(parts if place == axis else 1 for place in range(len(places)))).expand(
        places
    )
    axes = (axis + 1, *(place + (place > axis) for place in reduced))
    found = UOp(
        Op.SCATTER_AXIS, value.dtype, (values, cut(labels.expand(shape), axis, parts) - first), (op, axes)
    )
    kept = [place for place in range(len(shape)) if place not in reduced]
    return joined(found, kept.index(axis), tuple(shape[place] for place in kept))


def drawn_scan(chance: Random, dtype: DType) -> UOp:
    shape = [chance.choice((1, 2, 5, 9)) for _ in range(chance.choice((1, 2, 3)))]
    axis = chance.randrange(len(shape))
    shape[axis], parts = extent_of_parts(chance)
    return scan_in_parts(param(0, tuple(shape), dtype), axis, parts)


def extent_of_parts(chance: Random) -> tuple[int, int]:
    """An extent, and so many parts of it, that may divide it or not; none is empty."""
    parts, part = chance.choice((2, 3, 4, 7)), chance.choice((1, 2, 3, 8))
    return parts * part - chance.randrange(-(-part // parts)), parts


def drawn_scatter(chance: Random, dtype: DType) -> UOp:
    """Sums, and extremes, by labels of one axis or two, of numbers or columns, the positions anywhere."""
    positions, parts = extent_of_parts(chance)
    elements = [chance.choice((1, 4, 7, 12)) for _ in range(chance.choice((1, 1, 2)))]
    columns = [chance.choice((3, 4, 8))] if chance.random() < 0.6 else []
    axis = chance.randrange(len(elements) + len(columns) + 1)
    others = [*elements, *columns]
    reduced = tuple(place + (place >= axis) for place in range(len(elements)))

    def placed(extents: list[int], positions: int) -> Shape:
        return (*extents[:axis], positions, *extents[axis:])

    value = param(0, placed(others, 1), dtype).expand(placed(others, positions))
    labels = param(1, placed([*elements, *(1 for _ in columns)], 1), chance.choice((int32, int64)))
    op = chance.choice((Op.ADD, Op.ADD, Op.MAX))
    return scatter_in_places(op, value, labels.expand(placed(others, 1)), axis, reduced, parts)


def inputs(graph: UOp, seed: int) -> list[np.ndarray]:
    """Small integers, of any dtype, so that sums are exact in any order; as labels, some of them outside, many the same."""
    random = np.random.default_rng(seed)
    params = {node.arg[0]: node for node in graph.toposort() if node.op is Op.PARAM}
    return [
        random.integers(-3, 40, params[slot].arg[1]).astype(to_numpy(params[slot].dtype))
        for slot in sorted(params)
    ]


def check(drafts: Drafts, graph: UOp, arrays: list[np.ndarray], chance: Random) -> None:
    """By PoCL, and by the interpreter, which finds races; Oclgrind sees these kernels, too."""
    (expected,) = evaluate([graph], dict(enumerate(arrays)))
    for number in range(1 + TILINGS):
        chosen = (
            {place: in_groups(each, chance) for place, each in enumerate(drafts.kernels)} if number else {}
        )
        made = drafts.schedule(chosen)
        for found in (on_pocl(made, arrays), by_instructions(made, arrays)):
            np.testing.assert_array_equal(found[0].reshape(expected.shape), expected, err_msg=str(made))


@pytest.mark.parametrize("dtype", [float32, int32, int64], ids=str)
@pytest.mark.parametrize("number", range(DRAWN))
@pytest.mark.parametrize("kind", [drawn_scan, drawn_scatter])
def test_parts_under_any_loops(kind, number: int, dtype: DType) -> None:
    chance = Random(f"{kind.__name__} {number} {dtype}")
    graph = kind(chance, dtype)
    check(draft(UOp.sink(graph), SMALL), graph, inputs(graph, number), chance)


def test_floats_in_parts_are_near_sums_in_order() -> None:
    x = np.random.default_rng(0).standard_normal((6, 97)).astype(np.float32)
    graph = scan_in_parts(param(0, x.shape, float32), 1, 8)
    (found,) = on_pocl(draft(UOp.sink(graph), SMALL).schedule(), [x])
    np.testing.assert_allclose(
        found.reshape(x.shape), np.cumsum(x.astype(np.float64), axis=1), rtol=1e-5, atol=1e-5
    )


def rows_by_label(labels: eq.Array, x: eq.Array, positions: int = 50_000) -> eq.Array:
    return eq.sum(eq.where((labels[:, None] == eq.arange(positions))[:, :, None], x[:, None, :], 0), axis=0)


@pytest.mark.parametrize("shape", [(65_539,), (64, 1031)])
def test_what_fills_the_last_part_up_is_in_no_result(shape: Shape) -> None:
    """By the rules: no number of equal parts divides a prime."""
    graph = eq.trace(lambda x: eq.cumulative_sum(x, axis=-1), eq.spec(shape, eq.int64))
    waiting = replace(SMALL, cores=64, latency_cycles=(100.0, 1000.0, 10_000.0))  # so that parts are chosen
    made = schedule(saturate([graph], eq.Plan().admitted).snapshot, waiting)
    assert len(made.kernels) > 1
    x = np.random.default_rng(0).integers(-9, 9, shape)
    (found,) = on_pocl(made, [x.reshape(-1)])
    np.testing.assert_array_equal(found.reshape(shape), np.cumsum(x, axis=-1))


PROGRAMS = {
    "rows": (lambda x: eq.cumulative_sum(x, axis=1), (eq.spec((1024, 4096), eq.float32),)),
    "columns": (lambda x: eq.cumulative_sum(x, axis=0), (eq.spec((2048, 2048), eq.float32),)),
    "a line": (eq.cumulative_sum, (eq.spec((1 << 20,), eq.int32),)),
    "rows by label": (rows_by_label, (eq.spec((8192,), eq.int64), eq.spec((8192, 256), eq.float32))),
}
PARTS = (
    "sum_in_parts",
    "sum_floats_in_parts",
    "combine_in_places_by_label",
    "combine_floats_in_places_by_label",
)
FAST = replace(GRAPHICS, bandwidth=4e12, cache_bytes=(48 << 10, 48 << 20, 48 << 20), launch_seconds=3e-6)


@pytest.mark.parametrize("name", PROGRAMS)
def test_cards_have_work_for_all_units(name: str) -> None:
    """The kernel that stores the results has at least as many work-items as a card needs to hide what each of them waits for."""
    function, specs = PROGRAMS[name]
    snapshot = saturate([eq.trace(function, *specs)], eq.Plan().admitted).snapshot
    made = draft(snapshot, FAST).schedule()
    ranges = [node for node in made.kernels[-1].ast.toposort() if node.op is Op.RANGE]
    items = [n.src[0].arg for n in ranges if n.arg[1] in (AxisType.GLOBAL, AxisType.LOCAL)]
    assert np.prod(items) >= 16 * FAST.cores


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("cores", [2, 64])
def test_processors_take_no_parts(name: str, cores: int) -> None:
    """They have the kernels that they would have if there were no rules about parts."""
    function, specs = PROGRAMS[name]
    graph, machine = eq.trace(function, *specs), replace(Machine(), cores=cores)
    rules = eq.Plan().admitted
    fewer = rules.without(*PARTS)
    found, expected = (schedule(saturate([graph], each).snapshot, machine) for each in (rules, fewer))
    assert [each.choice for each in found.kernels] == [each.choice for each in expected.kernels]
    assert found.predicted_seconds == expected.predicted_seconds


def kernel_in_places(parts: int, columns: int = 32) -> tuple[Tables, Tilings]:
    """A scatter of 64 rows to 4096 positions, and its single work-items, one for each part."""
    shape = (64, 4096, columns)
    value = param(0, (64, 1, columns), float32).expand(shape)
    graph = scatter_in_places(
        Op.ADD, value, param(1, (64, 1, 1), int32).expand((64, 1, columns)), 1, (0,), parts
    )
    (kernel,) = draft(UOp.sink(graph), GRAPHICS).kernels
    profile = kernel.profile
    axes = [Axis(parallel=position == 0) for position in range(len(profile.extents))]
    return Tables.of(profile), Tilings.of(profile.extents, [Tiling(tuple(axes), (0,))])


def test_each_label_is_in_one_part() -> None:
    """What is combined, and loaded for it, is so once for all parts; labels are loaded, and results emptied, in each."""
    kernel, tilings = kernel_in_places(16)
    (share,) = hit_rate(kernel.accesses, tilings)
    assert sorted(set(share)) == [1 / 16, 1.0]
    accesses = kernel.accesses
    assert np.array_equal(
        share < 1, (accesses.irregular | accesses.gate).any(axis=1) | (accesses.size == 64 * 32 * 4)
    )


def test_no_more_crosses_than_is_accessed() -> None:
    """However many parts there are: rows are loaded once, results emptied and combined with."""
    kernel, tilings = kernel_in_places(256)
    buffers = kernel.accesses.max_by_buffer(kernel.accesses.size).tolist()
    most = bytes_at_most(kernel.accesses, tilings, GRAPHICS)[:, 0].tolist()
    rows, results = (place for size in (64 * 32 * 4, 4096 * 32 * 4) for place in [buffers.index(size)])
    assert most[rows] == buffers[rows]
    assert most[results] == buffers[results] + 2 * buffers[rows]


def waiting(kernel: Tables, tilings: Tilings, begun: float) -> float:
    """Seconds that the items of a card wait, a core having begun so many groups at once."""
    (seconds,) = stall_seconds(kernel, tilings, np.array([begun]), GRAPHICS)
    return float(seconds)


def test_items_wait_for_each_step_and_those_of_a_core_together() -> None:
    waits = {parts: waiting(*kernel_in_places(parts), begun=32.0) for parts in (512, 1024)}
    least = 64 * GRAPHICS.latency_cycles[0] / GRAPHICS.frequency
    assert least < waits[1024] <= 4 * least
    assert waits[512] == pytest.approx(waits[1024], rel=0.5)
    assert waiting(*kernel_in_places(1024), begun=1.0) > 20 * least


def test_processors_do_not_wait() -> None:
    assert not stall_seconds(*kernel_in_places(16), np.ones(1), Machine()).any()


def test_labels_that_are_loaded_together_are_waited_for_once() -> None:
    kernel, tilings = kernel_in_places(1024)
    (elements,) = np.flatnonzero(tilings.extents == 64)
    copies = tilings.copies.copy()
    copies[:, elements] = 8
    several = replace(tilings, copies=copies)
    one, eight = (waiting(kernel, each, begun=32.0) for each in (tilings, several))
    assert one / 8 <= eight < one / 2
