"""Sums of products: of vectors, matrices and stacks of them."""

from __future__ import annotations

from tests.drawn_arrays.operations.step import Choice, Drawn, Operation, broadcast, promotes
from tests.drawn_arrays.oracle import SUM
from tests.drawn_arrays.values import MOST_ELEMENTS


def matmul(choice: Choice) -> Drawn | None:
    first = choice.one(least_rank=1)
    if first is None:
        return None
    left = choice.values[first].shape
    fitting: list[int] = []
    for place, value in enumerate(choice.values):
        right = value.shape
        if (
            right
            and right[-2 if len(right) > 1 else -1] == left[-1]
            and promotes(choice, (first, place))
            and broadcast(left[:-2], right[:-2])
        ):
            fitting.append(place)
    return Drawn("xp.matmul({}, {})", (first, choice.chance.choice(fitting)), left[-1]) if fitting else None


def gram(choice: Choice) -> Drawn | None:
    """A matrix times its own transpose, which always fits."""
    place = choice.one(least_rank=2)
    if place is None:
        return None
    return Drawn("xp.matmul({}, xp.matrix_transpose({}))", (place, place), choice.values[place].shape[-1])


def vecdot(choice: Choice) -> Drawn | None:
    first = choice.one(least_rank=1)
    second = None if first is None else choice.partner(first)
    if (
        first is None
        or second is None
        or not choice.values[second].shape
        or choice.values[first].shape[-1] != choice.values[second].shape[-1]
        or not promotes(choice, (first, second))
    ):
        return None
    return Drawn("xp.vecdot({}, {})", (first, second), choice.values[first].shape[-1])


def outer(choice: Choice) -> Drawn | None:
    first, second = choice.one(), choice.one()
    if (
        first is None
        or second is None
        or not promotes(choice, (first, second))
        or choice.array(first).size * choice.array(second).size > MOST_ELEMENTS
    ):
        return None
    return Drawn("xp.outer({}, {})", (first, second))


def tensordot(choice: Choice) -> Drawn | None:
    place = choice.one(rank=2)
    if place is None:
        return None
    rows, columns = choice.values[place].shape
    axes, terms = choice.chance.choice((("((0,), (0,))", rows), ("2", rows * columns)))
    return Drawn(f"xp.tensordot({{}}, {{}}, axes={axes})", (place, place), terms)


def einsum(choice: Choice) -> Drawn | None:
    place = choice.one(rank=2)
    if place is None:
        return None
    rows, columns = choice.values[place].shape
    notation, terms = choice.chance.choice(
        (("ij,ij->i", columns), ("ij,ij->j", rows), ("ij,ij", rows * columns), ("ij,ik->jk", rows))
    )
    return Drawn(f'xp.einsum("{notation}", {{}}, {{}})', (place, place), terms)


PRODUCTS = (
    Operation("matmul", matmul, SUM),
    Operation("matmul", gram, SUM),
    Operation("vecdot", vecdot, SUM),
    Operation("outer", outer, SUM),
    Operation("tensordot", tensordot, SUM),
    Operation("einsum", einsum, SUM),
)
