"""Convolution and pooling."""

from __future__ import annotations

import math

from tests.drawn_arrays.operations.forms import Draw
from tests.drawn_arrays.operations.step import Choice, Drawn, Operation, promotes
from tests.drawn_arrays.operations.undefined import zeros_tie
from tests.drawn_arrays.oracle import SUM


def pool(name: str, kinds: str) -> Draw:
    def draw(choice: Choice) -> Drawn | None:
        place = choice.one(kinds, filled=True, least_rank=1)
        if place is None:
            return None
        size = choice.chance.randint(1, min(4, choice.values[place].shape[-1]))
        return Drawn(f"xp.{name}({{}}, {size}, stride={choice.chance.randint(1, 4)})", (place,), size)

    return draw


def convolution(choice: Choice) -> Drawn | None:
    place = choice.one("iuf", rank=3, filled=True)
    if place is None:
        return None
    fitting = [
        other
        for other, value in enumerate(choice.values)
        if value.array.ndim == 3
        and value.array.size
        and value.shape[1] == choice.values[place].shape[1]
        and value.shape[2] <= choice.values[place].shape[2]
        and promotes(choice, (place, other))
        and value.array.dtype.kind != "b"
    ]
    if not fitting:
        return None
    other = choice.chance.choice(fitting)
    return Drawn(
        f"xp.conv1d({{}}, {{}}, stride={choice.chance.randint(1, 3)}, padding={choice.chance.randint(0, 2)})",
        (place, other),
        math.prod(choice.values[other].shape[1:]),
    )


WINDOWS = (
    Operation("conv1d", convolution, SUM),
    Operation("max_pool1d", pool("max_pool1d", "iuf"), undefined=zeros_tie),
    Operation("avg_pool1d", pool("avg_pool1d", "f"), SUM),
)
