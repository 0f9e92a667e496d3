"""What a row of the tables says, and what a draw chooses from."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np

from tests.drawn_arrays.oracle import EXACT, Accuracy, Value
from tests.drawn_arrays.values import MOST_ELEMENTS, Numbers


@dataclass(frozen=True)
class Drawn:
    """A step before it is computed: its text, with {} for each operand, and the operands' places.

    Attributes:
        terms: how many are added up. dtype: of the result, where NumPy's is not eqsat's name for it.
    """

    text: str
    operands: tuple[int, ...]
    terms: int = 0
    dtype: str | None = None


@dataclass(frozen=True)
class Operation:
    """One kind of step.

    Attributes:
        name: of the public function, or a sign. draw: from a choice of operands to a step, or None if nothing fits. accuracy: as in
        `oracle`; `terms` is filled in by the step. undefined: where NumPy's result is not to be compared. product: the size of the
        products among the result, given the result, where it is a product or has one as a term. promoted: the first of the operands that
        are brought to a common dtype.
    """

    name: str
    draw: Callable[[Choice], Drawn | None]
    accuracy: Accuracy = EXACT
    undefined: Callable[..., Numbers] | None = None
    product: Callable[[Numbers], Numbers] | None = None
    promoted: int = 0


@dataclass
class Choice:
    """What a draw chooses from: the values there are, the later the likelier."""

    chance: Random
    values: Sequence[Value]

    def one(
        self, kinds: str = "biuf", filled: bool = False, rank: int | None = None, least_rank: int = 0
    ) -> int | None:
        """A value whose dtype is of one of the kinds."""
        fitting = [
            place
            for place, value in enumerate(self.values)
            if value.array.dtype.kind in kinds
            and (value.array.size or not filled)
            and (rank is None or value.array.ndim == rank)
            and value.array.ndim >= least_rank
        ]
        if not fitting:
            return None
        return fitting[-1] if self.chance.random() < 0.5 else self.chance.choice(fitting)

    def partner(self, *beside: int, kinds: str = "biuf") -> int | None:
        """A value that broadcasts with others."""
        shapes = [self.values[place].shape for place in beside]
        fitting = [
            place
            for place, value in enumerate(self.values)
            if value.array.dtype.kind in kinds and broadcast(value.shape, *shapes)
        ]
        return self.chance.choice(fitting) if fitting else None

    def array(self, place: int) -> Numbers:
        return self.values[place].array

    def axis(self, place: int, filled: bool = False) -> int | None:
        """An axis, counted from either end."""
        shape = self.values[place].shape
        fitting = [axis for axis, extent in enumerate(shape) if extent or not filled]
        if not fitting:
            return None
        axis = self.chance.choice(fitting)
        return axis - len(shape) if self.chance.random() < 0.3 else axis

    def axes(self, place: int, filled: bool = False) -> Any:
        """None for all, an axis, or several; False where nothing fits."""
        shape = self.values[place].shape
        kind = self.chance.random()
        if kind < 0.35:
            return None if not filled or math.prod(shape) else False
        if kind < 0.75 or len(shape) < 2:
            axis = self.axis(place, filled)
            return False if axis is None else axis
        chosen = self.chance.sample(range(len(shape)), self.chance.randint(1, len(shape)))
        return False if filled and not all(shape[axis] for axis in chosen) else tuple(chosen)


def broadcast(*shapes: tuple[int, ...]) -> bool:
    """Whether shapes broadcast, to no more elements than a value may have."""
    try:
        return math.prod(np.broadcast_shapes(*shapes)) <= MOST_ELEMENTS
    except ValueError:
        return False


def axes_listed(axes: Any, rank: int) -> Sequence[int]:
    """The axes that None, a number or several stand for."""
    return range(rank) if axes is None else (axes,) if isinstance(axes, int) else axes
