"""Sums of products: of vectors, matrices and stacks of them."""

from __future__ import annotations

import math
from collections.abc import Callable

from tests.drawn_arrays.operations.step import Choice, Drawn, Operation, broadcast
from tests.drawn_arrays.operations.undefined import zeros_around
from tests.drawn_arrays.oracle import SUM, Accuracy
from tests.drawn_arrays.values import MOST_ELEMENTS

MOST_PRODUCTS = 20_000


def matmul(choice: Choice) -> Drawn | None:
    first = choice.one(least_rank=1)
    if first is None:
        return None
    left = choice.values[first].shape
    fitting: list[int] = []
    for place, value in enumerate(choice.values):
        right = value.shape
        if right and right[-2 if len(right) > 1 else -1] == left[-1] and broadcast(left[:-2], right[:-2]):
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
    ):
        return None
    return Drawn("xp.vecdot({}, {})", (first, second), choice.values[first].shape[-1])


def of_all_pairs(name: str) -> Callable[[Choice], Drawn | None]:
    """A function that multiplies each element by each."""

    def draw(choice: Choice) -> Drawn | None:
        first, second = choice.one(), choice.one()
        if (
            first is None
            or second is None
            or choice.array(first).size * choice.array(second).size > MOST_ELEMENTS
        ):
            return None
        return Drawn(f"xp.{name}({{}}, {{}})", (first, second))

    return draw


def tensordot(choice: Choice) -> Drawn | None:
    place = choice.one(rank=2)
    if place is None:
        return None
    rows, columns = choice.values[place].shape
    axes, terms = choice.chance.choice((("((0,), (0,))", rows), ("2", rows * columns)))
    return Drawn(f"xp.tensordot({{}}, {{}}, axes={axes})", (place, place), terms)


def einsum(choice: Choice) -> Drawn | None:
    """One to three operands; letters stand for axes of one extent, and diagonals and sums come as they fall."""
    places = [choice.one() for _ in range(choice.chance.choice((1, 2, 2, 2, 3)))]
    operands = [place for place in places if place is not None]
    letters: dict[str, int] = {}
    terms: list[str] = []
    spread = 1  # of the axes under "..."
    for place in operands:
        shape = choice.values[place].shape
        dots = (
            bool(shape) and choice.chance.random() < 0.1 and {spread, shape[0]} <= {1, max(spread, shape[0])}
        )
        spread = max(spread, shape[0]) if dots else spread
        named = [_letter(choice, letters, extent) for extent in shape[dots:]]
        terms.append("..." * dots + "".join(named))
    if not operands or math.prod(letters.values()) > MOST_PRODUCTS:
        return None
    kept = choice.chance.sample(sorted(letters), choice.chance.randint(0, min(3, len(letters))))
    output = "->" + "..." * any("..." in term for term in terms) + "".join(kept)
    if choice.chance.random() < 0.2:
        output, together = "", "".join(terms)
        kept = [letter for letter in letters if together.count(letter) == 1]
    summed = math.prod(extent for letter, extent in letters.items() if letter not in kept)
    listed = ", ".join("{}" for _ in operands)
    return Drawn(f'xp.einsum("{",".join(terms)}{output}", {listed})', tuple(operands), summed)


def _letter(choice: Choice, letters: dict[str, int], extent: int) -> str:
    """One that has this extent already, or a new one."""
    known = [letter for letter, other in letters.items() if other == extent]
    if known and choice.chance.random() < 0.6:
        return choice.chance.choice(known)
    new = choice.chance.choice([letter for letter in "abcijkXYZpqr" if letter not in letters])
    letters[new] = extent
    return new


def convolution(name: str) -> Callable[[Choice], Drawn | None]:
    """Two vectors of any lengths."""

    def draw(choice: Choice) -> Drawn | None:
        first, second = choice.one(filled=True, rank=1), choice.one(filled=True, rank=1)
        if first is None or second is None:
            return None
        mode = choice.chance.choice(("full", "same", "valid"))
        shortest = min(choice.array(first).size, choice.array(second).size)
        return Drawn(f'xp.{name}({{}}, {{}}, "{mode}")', (first, second), shortest)

    return draw


PRODUCTS = (
    Operation("matmul", matmul, SUM),
    Operation("matmul", gram, SUM),
    Operation("vecdot", vecdot, SUM),
    *(Operation(name, of_all_pairs(name), SUM) for name in ("outer", "kron")),
    Operation("tensordot", tensordot, SUM),
    Operation("convolve", convolution("convolve"), SUM, zeros_around),
    Operation("correlate", convolution("correlate"), SUM, zeros_around),
    Operation("einsum", einsum, Accuracy(sums=True, roundings=2, factors=True)),
)
