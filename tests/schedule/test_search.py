"""The search prices few candidates, and finds what pricing all of them finds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields

import numpy as np
import pytest

from benchmarks.kernel_models import every_tiling
from benchmarks.search import measure, total
from eqsat.dtype import DType, float32, float64, uint8, uint16
from eqsat.machine import GRAPHICS, PROCESSOR, Machine
from eqsat.ops import Op
from eqsat.schedule.cost.estimates import Costs, Estimates, estimate
from eqsat.schedule.cost.profile import Profile
from eqsat.schedule.cost.tables import Tables
from eqsat.schedule.loops import search
from eqsat.schedule.loops.lanes import lanes_along, lanes_of
from eqsat.schedule.loops.search import FINALISTS, Bodies, Choice, TooSlowError, choose
from eqsat.schedule.plan import draft
from eqsat.schedule.tiling import Tilings
from eqsat.uop import UOp
from tests.schedule.graphs import GRAPHS, layer_norm, matmul, softmax, without_local_memory
from tests.schedule.networks import device, network

LARGE = {
    "matmul": matmul(512, 512, 512),
    "softmax": softmax(4096, 1024),
    "layer_norm": layer_norm(4096, 1024),
}


def drawn(seeds: Iterable[int]) -> list[Profile]:
    return [kernel.profile for seed in seeds for kernel in draft(network(seed), device(seed)).kernels]


CHOSEN: dict[tuple[int, int], Choice] = {}  # by kernel and machine, while the fixture keeps these kernels


@pytest.fixture(params=[*GRAPHS, *LARGE, "drawn"], scope="module")
def kernels(request: pytest.FixtureRequest) -> Iterator[list[Profile]]:
    """Of one graph, or of several that are drawn."""
    CHOSEN.clear()
    if request.param == "drawn":
        yield drawn(range(10))
    else:
        sink: UOp = LARGE[request.param] if request.param in LARGE else GRAPHS[request.param]()
        yield [kernel.profile for kernel in draft(sink, PROCESSOR).kernels]


def chosen(kernel: Profile, machine: Machine) -> Choice:
    """What the search finds, once for all tests of a kernel."""
    key = id(kernel), id(machine)
    if key not in CHOSEN:
        CHOSEN[key] = choose(kernel, machine)
    return CHOSEN[key]


@pytest.mark.parametrize("machine", [PROCESSOR, GRAPHICS], ids=["processor", "graphics"])
def test_the_best_is_the_cheapest_of_all_that_were_looked_at(
    kernels: list[Profile], machine: Machine
) -> None:
    for kernel in kernels:
        choice = chosen(kernel, machine)
        seconds = estimate(Tables.of(kernel), choice.ranked, machine).seconds
        np.testing.assert_allclose(seconds, choice.seconds, rtol=1e-12)
        assert len(set(choice.ranked)) == len(choice.ranked) <= choice.looked_at
        assert choice.best_seconds == choice.seconds[0] == min(choice.seconds)
        assert choice.best == choice.ranked[0]


def test_the_finalists_are_the_cheapest_bodies(kernels: list[Profile]) -> None:
    for kernel in kernels:
        plain, _ = chosen(kernel, PROCESSOR).candidates
        few, every = plain.cheapest(FINALISTS), plain.cheapest(len(plain.tilings))
        assert few.tilings == every.tilings[:FINALISTS]
        assert few.seconds == pytest.approx(every.seconds[:FINALISTS], rel=1e-12)


def test_lower_bounds_are_not_above_what_they_bound(kernels: list[Profile]) -> None:
    for kernel in kernels:
        for candidates in chosen(kernel, PROCESSOR).candidates:
            ranking = candidates.cheapest(len(candidates.tilings))
            bounds = candidates.bounds.seconds[ranking.rows]
            assert np.all(bounds <= ranking.seconds)


@pytest.mark.parametrize("machine", [PROCESSOR, GRAPHICS], ids=["processor", "graphics"])
def test_no_arrangement_of_a_body_takes_less_than_its_bound(kernels: list[Profile], machine: Machine) -> None:
    for kernel in kernels:
        found = Bodies.of(kernel, machine)
        rows = np.linspace(0, len(found.least) - 1, 20).astype(np.int64)
        plain = found.plain(rows)
        for candidates in (plain, plain.arranged(np.arange(len(plain.tilings)))):
            own = found.tilings.take(rows)
            least = dict(zip(_bodies(own), found.least[rows].tolist(), strict=True))
            ranking = candidates.cheapest(len(candidates.tilings))
            bounds = [least[body] for body in _bodies(candidates.tilings.take(ranking.rows))]
            assert all(
                bound <= seconds * (1 + 1e-12) for bound, seconds in zip(bounds, ranking.seconds, strict=True)
            )


def _bodies(tilings: Tilings) -> list[tuple[tuple[int, int, int, bool], ...]]:
    return [
        tuple((axis.lanes, axis.copies, axis.items, axis.slow) for axis in tiling.axes)
        for tiling in tilings.each()
    ]


def test_a_kernel_is_too_slow_only_if_it_takes_longer(kernels: list[Profile]) -> None:
    for kernel in kernels:
        seconds = chosen(kernel, PROCESSOR).best_seconds
        # of fewer bodies, others may be among those whose outer loops are looked at
        assert choose(kernel, PROCESSOR, seconds).best_seconds <= seconds
        with pytest.raises(TooSlowError) as error:
            choose(kernel, PROCESSOR, seconds / 100)
        assert seconds / 100 < error.value.lower_bound <= seconds
        assert error.value.without_arithmetic <= error.value.lower_bound


@pytest.mark.parametrize("share", [0.5, 0.9, 0.97, 0.999])
def test_a_kernel_that_is_somewhat_too_slow_is_bounded_by_its_price(
    kernels: list[Profile], share: float
) -> None:
    for kernel in kernels:
        seconds = chosen(kernel, PROCESSOR).best_seconds
        least = _least(kernel, share * seconds)
        assert least <= seconds


def test_bounds_hold_where_few_bodies_are_costed(
    kernels: list[Profile], monkeypatch: pytest.MonkeyPatch
) -> None:
    prices = [chosen(kernel, PROCESSOR).best_seconds for kernel in kernels]
    monkeypatch.setattr(search, "VERY_MANY", 0)
    for share in (0.01, 0.5, 0.97):
        for kernel, seconds in zip(kernels, prices, strict=True):
            assert _least(kernel, share * seconds) <= seconds


def _least(kernel: Profile, most: float) -> float:
    """What a kernel takes, or takes at least where that is above `most`."""
    try:
        found = choose(kernel, PROCESSOR, most).best_seconds
    except TooSlowError as error:
        return error.lower_bound if error.lower_bound > most else np.inf
    return found if found <= most else np.inf


def test_hopeless_bodies_change_nothing(kernels: list[Profile], monkeypatch: pytest.MonkeyPatch) -> None:
    every = [chosen(kernel, PROCESSOR) for kernel in kernels]
    for limit in ("MANY", "VERY_MANY"):
        monkeypatch.setattr(search, limit, 0)
    for kernel, choice in zip(kernels, every, strict=True):
        assert choose(kernel, PROCESSOR).best == choice.best


def test_a_body_costs_the_same_among_others(kernels: list[Profile]) -> None:
    for kernel in kernels:
        found = Bodies.of(kernel, PROCESSOR)
        least = Costs.without_accesses(found.kernel, found.tilings, PROCESSOR)
        for column in fields(Costs):
            assert np.all(getattr(least, column.name) <= getattr(found.costs, column.name))
        for row in range(0, len(found.tilings), 1 + len(found.tilings) // 10):
            alone = Costs.of(found.kernel, found.tilings.take(np.array([row])), PROCESSOR)
            for column in fields(Costs):
                among = getattr(found.costs, column.name)[row]
                np.testing.assert_allclose(getattr(alone, column.name)[0], among, rtol=1e-12)


def test_memory_is_priced_for_few_candidates(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a matrix product, whose time goes to arithmetic."""
    priced: list[int] = []
    whole = search.with_memory

    def counted(before: Estimates, kernel: Tables, tilings: Tilings, device: Machine) -> Estimates:
        priced.append(len(tilings))
        return whole(before, kernel, tilings, device)

    monkeypatch.setattr(search, "with_memory", counted)
    kernel = without_local_memory(matmul(500, 500, 500).src[0], PROCESSOR)
    assert 0 < sum(priced) < 0.7 * kernel.choice.looked_at
    priced.clear()
    every = every_tiling(kernel.profile, PROCESSOR)
    assert every.looked_at > 5 * kernel.choice.looked_at
    assert sum(priced) < 0.3 * every.looked_at


def test_the_benchmark_adds_up_programs() -> None:
    sinks = (matmul(64, 64, 64), softmax(64, 64))
    kernels = [[kernel.profile for kernel in draft(sink, PROCESSOR).kernels] for sink in sinks]
    rows = [measure("some", each, 1) for each in kernels]
    assert [each["candidates"] for each in rows] == [
        sum(len(choose(kernel, PROCESSOR).ranked) for kernel in each) for each in kernels
    ]
    whole = total(rows)
    assert whole["kernels"] == sum(map(len, kernels))
    assert whole["candidates_per_second"] == pytest.approx(1e3 * whole["candidates"] / whole["ms"], rel=1e-3)


@pytest.mark.parametrize(
    ("stored", "computed", "lanes"),
    [
        (float32, float32, (8,)),
        (float32, float64, (4, 8)),
        (uint8, float32, (8, 16)),
        (uint16, float32, (8, 16)),
        (uint8, float64, (4, 8, 16)),
        (uint8, uint8, (16,)),
    ],
)
def test_vectors_fill_a_register_with_the_widest_type_the_narrowest_or_between(
    stored: DType, computed: DType, lanes: tuple[int, ...]
) -> None:
    value = UOp.param(0, 4096, stored).cast(computed)
    (kernel,) = draft(UOp.sink(value.alu(Op.ADD, value)), PROCESSOR).kernels
    assert lanes_of(kernel.profile, PROCESSOR) == lanes


@pytest.mark.parametrize(
    ("columns", "lanes"), [(3, (16,)), (6, (4, 8, 16)), (8, (8, 16)), (12, (8, 16)), (16, (16,)), (40, (16,))]
)
def test_vectors_are_shorter_than_a_register_where_no_axis_is_as_long(
    columns: int, lanes: tuple[int, ...]
) -> None:
    machine = Machine(vector_bytes=64)
    sums = UOp.param(0, 64 * 100 * columns, float32).reshape((64, 100, columns)).reduce_axis(Op.ADD, (1,))
    (kernel,) = draft(UOp.sink(sums), machine).kernels
    assert lanes_of(kernel.profile, machine) == lanes


@pytest.mark.parametrize(
    ("columns", "lanes"), [(3, (16,)), (4, (4, 16)), (7, (4, 16)), (8, (8, 16)), (15, (8, 16)), (16, (16,))]
)
def test_few_columns_are_shorter_vectors_where_sums_run_along_longer_rows(
    columns: int, lanes: tuple[int, ...]
) -> None:
    machine = Machine(vector_bytes=64)
    left = UOp.param(0, 60 * 100, float32).reshape((60, 100, 1)).expand((60, 100, columns))
    right = UOp.param(1, 100 * columns, float32).reshape((1, 100, columns)).expand((60, 100, columns))
    product = left.alu(Op.MUL, right).reduce_axis(Op.ADD, (1,))
    (kernel,) = draft(UOp.sink(product), machine).kernels
    profile = kernel.profile
    along = {
        (extent, profile.outputs >> position & 1): lanes_along(profile, machine, position)
        for position, extent in enumerate(profile.extents)
    }
    assert along[columns, 1] == lanes
    assert along[100, 0] == (16,)
