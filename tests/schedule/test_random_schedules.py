"""Drawn legal schedules of drawn graphs compute what the oracle says; the referee sees their kernels as those of all tests.

    pytest tests/schedule/test_random_schedules.py --schedules 600 --seed 7

draws 600 pairs other than those of another seed.
"""

from __future__ import annotations

from random import Random

import pytest

from eqsat.schedule.kernel import Schedule
from eqsat.schedule.loops import bases
from tests.schedule.random_schedules import GROUP, checked, drawn_kernels, drawn_pair, drawn_tiling


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test per group of pairs."""
    if "group" in metafunc.fixturenames:
        count = metafunc.config.getoption("schedules")
        groups = [range(start, min(start + GROUP, count)) for start in range(0, count, GROUP)]
        metafunc.parametrize("group", groups, ids=[f"{group[0]}-{group[-1]}" for group in groups])


def test_pairs_compute_what_the_oracle_says(group: range, request: pytest.FixtureRequest) -> None:
    seed = f"test {request.config.getoption('seed')}"
    wrong = [outcome.words for outcome in checked(None, seed, group) if outcome.words]
    assert not wrong, "\n\n".join(wrong)


def test_what_is_wrong_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """With inputs other than those that the oracle sees, results differ."""
    from tests.schedule import random_schedules

    def disturbed(seed: str, number: int) -> random_schedules.Pair:
        pair = drawn_pair(seed, number)
        for array in pair.arrays:
            array.setflags(write=True)
            array[...] = array + 1
        return pair

    numbers = range(6)
    assert not any(outcome.words for outcome in checked(None, "integers 3", numbers))
    monkeypatch.setattr(random_schedules, "drawn_pair", disturbed)
    assert any(outcome.words for outcome in checked(None, "integers 3", numbers))


@pytest.mark.parametrize(("seed", "number"), [("nov27-c", 174)], ids=["constant-sum-shared-by-items"])
def test_pairs_that_were_wrong(seed: str, number: int) -> None:
    """A sum of a constant, which items of a group share, stands in the loops of its neighbours: it was read outside of them."""
    assert [outcome.words for outcome in checked(None, seed, [number])] == [None]


def test_index_expressions_are_split_by_every_tile_of_a_candidate() -> None:
    """On machines of other vectors, too; a tile that they are not split by was once an error when the kernel was built."""
    for graph in range(12):
        _, _, drafts, _ = drawn_kernels(f"tiles/{graph}")
        for kernel in drafts.kernels:
            bodies = kernel.choice.candidates[0].tilings
            for position, (bound, extent) in enumerate(
                zip(kernel.profile.ranges, kernel.profile.extents, strict=True)
            ):
                tiles = set((bodies.lanes * bodies.copies)[:, position].astype(int).tolist())
                assert tiles <= {1, extent, *kernel.bases.sizes[bound]}


def test_ranges_that_the_e_graph_does_not_split_are_split_by_substitution(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bases, "MOST_SPLITS", 0)
    outcomes = checked(None, "no splits", range(30))
    assert not any(outcome.words for outcome in outcomes)


def test_schedules_of_a_graph_are_many() -> None:
    """Over some graphs, kernels and loops of one graph differ by what is drawn."""
    schedules: list[Schedule] = [drawn_pair("many", number).schedule for number in range(24)]
    choices = [tuple(kernel.choice for kernel in each.kernels) for each in schedules]
    assert len(set(choices)) > 12
    chance = Random(0)
    kernels = [kernel for number in range(4) for kernel in drawn_kernels(f"many/{number}")[2].kernels]
    assert max(len({drawn_tiling(kernel, chance) for _ in range(60)}) for kernel in kernels) > 1
