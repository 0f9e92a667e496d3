"""Walking the frontiers of acyclic problems finds what an integer program finds."""

from __future__ import annotations

import random

import pytest

from eqsat.errors import ExtractionError
from eqsat.extract import Milp, Problem
from eqsat.extract.extractors.frontier import (
    Option,
    cheapest,
    in_order,
    minimal,
    promising,
    undominated,
)
from eqsat.support.bits import bits_of

Options = dict[int, list[Option[int]]]


def drawn(seed: int, classes: int = 14) -> Options:
    """Classes whose nodes need greater ones; names number the nodes."""
    draw, names = random.Random(seed), 0
    found: Options = {}
    for owner in range(classes):
        found[owner] = []
        for _ in range(draw.randint(1, 4)):
            count = draw.randint(0, min(3, classes - owner - 1))
            below = draw.sample(range(owner + 1, classes), count)
            found[owner].append(Option(float(draw.randint(0, 9)), sum(1 << each for each in below), names))
            names += 1
    return found


def problem_of(options: Options, roots: int) -> Problem:
    rows = [(owner, option) for owner, own in options.items() for option in own]
    return Problem.build(
        [option.cost for _, option in rows],
        [owner for owner, _ in rows],
        [list(bits_of(option.children)) for _, option in rows],
        list(bits_of(roots)),
        class_count=len(options),
    )


@pytest.mark.parametrize("seed", range(60))
def test_the_choice_is_the_cheapest(seed: int) -> None:
    options, roots = drawn(seed), 0b11
    order = in_order(options)
    assert order is not None
    found = cheapest({owner: undominated(own) for owner, own in options.items()}, order, roots)
    assert found is not None
    problem = problem_of(options, roots)
    assert found.cost == found.lower_bound == pytest.approx(Milp().extract(problem).dag_cost)
    assert sum(problem.node_cost[name] for name in found.names) == pytest.approx(found.cost)
    chosen = {int(problem.node_class[name]): name for name in found.names}
    needed = [*bits_of(roots), *(child for name in found.names for child in problem.child_rows[name])]
    assert set(needed) == set(chosen)


@pytest.mark.parametrize("width", [1, 3, 1000])
@pytest.mark.parametrize("seed", range(20))
def test_a_promising_choice_is_whole_and_says_whether_it_is_the_cheapest(seed: int, width: int) -> None:
    options, roots = drawn(seed, classes=20), 0b11
    order = in_order(options)
    assert order is not None
    least = cheapest(options, order, roots)
    assert least is not None
    found = promising(options, order, roots, width)
    problem = problem_of(options, roots)
    assert sum(problem.node_cost[name] for name in found.names) == pytest.approx(found.cost)
    chosen = {int(problem.node_class[name]) for name in found.names}
    assert chosen == {*bits_of(roots), *(child for name in found.names for child in problem.child_rows[name])}
    assert found.lower_bound <= least.cost <= found.cost
    assert found.lower_bound in (0.0, found.cost)
    if width == 1000:
        assert found.lower_bound == found.cost == least.cost


@pytest.mark.parametrize("width", [1, 8])
def test_what_needs_nothing_more_is_never_left_out(width: int) -> None:
    """Many ways that cost nothing, and need classes that much else may need, which hides what these cost."""
    shared = range(1, 21)
    options: Options = {each: [Option(4.0, 0, each)] for each in shared}
    pairs = [(one, other) for one in shared for other in shared if one < other]
    options[0] = [
        *(Option(0.0, 1 << one | 1 << other, 100 + n) for n, (one, other) in enumerate(pairs)),
        Option(5.0, 0, 99),
    ]
    options |= {21 + each: [Option(0.0, 1 << each, None)] for each in shared}
    order = in_order(options)
    assert order is not None
    found = promising(options, order, 1, width)
    assert (found.cost, found.names) == (5.0, [99])


@pytest.mark.parametrize("bits", [5, 64, 200])
@pytest.mark.parametrize("count", [1, 2, 63, 64, 65, 400])
def test_minimal_masks_have_not_all_bits_of_one_before_them(bits: int, count: int) -> None:
    draw = random.Random(bits * count)
    masks = [
        sum(1 << bit for bit in draw.sample(range(bits), draw.randint(1, min(bits, 9)))) for _ in range(count)
    ]
    masks = list(dict.fromkeys(masks))
    wanted = [
        mask for place, mask in enumerate(masks) if not any(each & ~mask == 0 for each in masks[:place])
    ]
    assert minimal(masks, count) == wanted
    assert minimal(masks, 10)[:11] == wanted[:11]


def test_a_class_comes_before_all_that_it_may_need() -> None:
    options = drawn(1)
    order = in_order(options) or []
    assert sorted(order) == list(options)
    for owner, own in options.items():
        assert all(
            order.index(owner) < order.index(each) for option in own for each in bits_of(option.children)
        )


def test_cycles_have_no_order() -> None:
    assert in_order({0: [Option(1.0, 0b10, 0)], 1: [Option(1.0, 0b01, 1), Option(2.0, 0, 2)]}) is None


def test_too_many_frontiers_are_given_up() -> None:
    """Each of 40 classes is needed or not, whatever is chosen for the others."""
    root = {0: [Option(0.0, sum(1 << each for each in range(1, 41)), 0)]}
    wide = {n: [Option(1.0, 0, n), Option(0.0, 1 << (n + 40), n)] for n in range(1, 41)}
    last = {n: [Option(1.0, 0, n)] for n in range(41, 81)}
    options = {**root, **wide, **last}
    order = [0, *range(1, 81)]
    assert cheapest(options, order, 1) is None


def test_nothing_finite_is_an_error() -> None:
    options = {0: undominated([Option(float("inf"), 0, 0)])}
    with pytest.raises(ExtractionError, match="finite"):
        cheapest(options, [0], 1)
