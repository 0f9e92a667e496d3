"""The order of statements that keeps few values alive."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from itertools import permutations, product
from random import Random

import pytest

import eqsat as eq
from eqsat.codegen.linearization.register_pressure import with_few_live
from eqsat.ops import Op
from eqsat.uop import UOp


def most_alive(needs: Sequence[Collection[Hashable]], order: Sequence[int]) -> int:
    """How many values are alive at once, each from its first statement to its last."""
    places = {number: place for place, number in enumerate(order)}
    lives = [
        [places[number] for number, values in enumerate(needs) if value in values]
        for value in {value for values in needs for value in values}
    ]
    return max(sum(min(life) <= place <= max(life) for life in lives) for place in range(len(order)))


@pytest.mark.parametrize(
    ("rows", "columns"), [(1, 1), (6, 2), (2, 6), (4, 3), (3, 4), (8, 1), (1, 8), (5, 5)]
)
@pytest.mark.parametrize("by_rows", [True, False])
def test_a_tile_keeps_its_shorter_side_alive(rows: int, columns: int, by_rows: bool) -> None:
    pairs = list(product(range(rows), range(columns)))
    if not by_rows:
        pairs.sort(key=lambda pair: pair[1])
    needs = [(f"row {row}", f"column {column}") for row, column in pairs]
    order = with_few_live(needs, range(len(needs)))
    assert sorted(order) == list(range(len(needs)))
    assert most_alive(needs, order) <= min(rows, columns) + 1


def test_drawn_orders_are_near_the_best_of_all() -> None:
    draw = Random(7)
    excess = 0
    for _ in range(60):
        values = range(draw.randint(1, 5))
        needs = [draw.sample(values, draw.randint(1, len(values))) for _ in range(draw.randint(2, 6))]
        found = most_alive(needs, with_few_live(needs, range(len(needs))))
        best = min(most_alive(needs, order) for order in permutations(range(len(needs))))
        excess += found - best
    assert excess <= 6  # one value more in a tenth of them


def test_statements_with_one_key_stay_in_order() -> None:
    draw = Random(3)
    for _ in range(100):
        count = draw.randint(1, 12)
        keys = [draw.randrange(4) for _ in range(count)]
        needs = [draw.sample(range(5), draw.randint(0, 4)) for _ in range(count)]
        order = with_few_live(needs, keys)
        assert sorted(order) == list(range(count))
        for key in set(keys):
            own = [number for number in order if keys[number] == key]
            assert own == sorted(own)


@pytest.mark.parametrize("size", [128, 512])
def test_a_tile_of_a_product_is_updated_line_by_line(size: int) -> None:
    """The elements of the operand that has fewer stay alive, and each of the other's is used up before the next is loaded."""
    matrix = eq.spec((size, size), eq.float32)
    (kernel,) = eq.compile(eq.trace(eq.matmul, matrix, matrix)).kernels
    loads = [
        {each for factor in update.src[1].src for each in (factor, *factor.src) if each.op is Op.LOAD}
        for node in kernel.linear.src
        if node.op is Op.STORE and (update := node.src[1]).op is Op.ADD
    ]
    assert len(loads) >= 8
    assert all(len(each) == 2 for each in loads)
    every = set[UOp]().union(*loads)
    vectors = sum(each.dtype.lanes > 1 for each in every)
    assert most_alive(loads, range(len(loads))) <= min(vectors, len(every) - vectors) + 1
