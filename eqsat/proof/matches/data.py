"""Data for a match: random arrays, with special values first."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from eqsat.dtype import DType
from eqsat.proof.float_values import COMMON, by_size, constants_of, edges, every_value, random_floats, tame
from eqsat.proof.matches.match import Data, Match
from eqsat.proof.matches.parameters import chosen, held
from eqsat.reference.number import Array, hold

ALL_POINTS = 1 << 16  # points that hold all values of 16 bits, or all pairs of special values


@dataclass(frozen=True)
class DataDraw:
    """Draws an array for each value of a match.

    Attributes:
        match: the match.
        chance: the source of randomness.
        tame: whether floats are zero or of moderate size, for claims over the reals.
        points: the extent of the single axis that holds all combinations of special values; None for random data.
    """

    match: Match
    chance: random.Random
    tame: bool
    points: int | None

    @cached_property
    def constants(self) -> tuple[float, ...]:
        """The magnitudes of the constants of both sides."""
        return constants_of([self.match.left, self.match.right])

    def draw(self) -> Data:
        """All combinations of special values if `points` is set, else random values."""
        if self.points is not None:
            return self._combinations(self.points)
        generator = np.random.default_rng(self.chance.randrange(1 << 32))
        pools = {slot: self._pool(name) for name, slot in self.match.slots.items()}
        return {slot: chosen(pool, slot.arg[1], generator) for slot, pool in pools.items()}

    def at_ends(self, data: Data, seed: int) -> Iterator[Data]:
        """`data` thrice with other floats, at the ends of their range: large, small, or small among the largest and its negative.

        Of the last ones, elements overflow whose sum does not. The seed is a number of its own, so that the next match does not depend on these.
        """
        generator = np.random.default_rng(seed)
        pools = {
            slot: _at_ends(slot.dtype.scalar, self.constants) for slot in data if slot.dtype.scalar.is_float
        }
        for kind in range(3):
            yield {
                **data,
                **{slot: chosen(pool[kind], slot.arg[1], generator) for slot, pool in pools.items()},
            }

    def _combinations(self, points: int) -> Data:
        """All combinations of special values, with random floats at the points that are left. If there are too many, random combinations."""
        specials = {slot: self._specials(name) for name, slot in self.match.slots.items()}
        extents = [len(values) for values in specials.values()]
        whole = math.prod(extents)
        if whole > points:
            return {slot: self._some(values, slot.dtype.scalar, points) for slot, values in specials.items()}
        places = np.unravel_index(np.arange(points) % whole, extents)
        data = {slot: values[place] for (slot, values), place in zip(specials.items(), places, strict=True)}
        for slot, array in data.items():
            if slot.dtype.scalar.is_float and not self.tame:
                array[whole:] = random_floats(
                    slot.dtype.scalar, points - whole, self.chance.randrange(1 << 32)
                )
        return data

    def _some(self, values: Array, dtype: DType, points: int) -> Array:
        """Random values; of floats a third is large and a third is small, so that sums and products of these overflow or underflow."""
        generator = np.random.default_rng(self.chance.randrange(1 << 32))
        parts = by_size(values, dtype) if dtype.is_float and not self.tame else (values,)
        count = -(-points // len(parts))
        return np.concatenate([part[generator.integers(0, len(part), count)] for part in parts])[:points]

    def _specials(self, name: str) -> Array:
        chance, slot = self.chance, self.match.slots[name]
        if name not in self.match.bounds:
            dtype = slot.dtype.scalar
            if self.tame:
                return held([tame(chance) for _ in range(8)], slot)
            if dtype.bits == 16 and len(self.match.slots) == 1 and self.points == ALL_POINTS:
                return every_value(dtype)
            return held([*edges(dtype, self.constants), *(chance.gauss(0, 5) for _ in range(6))], slot)
        low, high = self.match.bounds[name]
        near = {low, low + 1, high - 1, high, 0, 1, -1, 2, -2, 7, chance.randint(low, high)}
        return held(sorted(value for value in near if low <= value <= high), slot)

    def _pool(self, name: str) -> Array:
        """The values that random data are drawn from."""
        chance, slot = self.chance, self.match.slots[name]
        if name in self.match.bounds:
            others = [chance.randint(*self.match.bounds[name]) for _ in range(12)]
            return np.concatenate([self._specials(name), held(others, slot)])
        if self.tame:
            return held([tame(chance) for _ in range(40)], slot)
        ordinary = [chance.gauss(0, 5) for _ in range(30)]
        at_ends = chance.choices(edges(slot.dtype.scalar, self.constants), k=30)
        return held([*chance.choice(((), COMMON, at_ends)), *ordinary], slot)


@lru_cache(maxsize=256)
def _at_ends(dtype: DType, constants: tuple[float, ...]) -> tuple[Array, Array, Array]:
    """Finite values to draw from: large ones; small ones; small ones among the largest number and its negative, a quarter each."""
    finite = [value for value in edges(dtype, constants) if math.isfinite(value)]
    _, large, small = by_size(hold(np.array(finite), dtype), dtype)
    largest = np.full(len(small) // 2, dtype.greatest_number, small.dtype)
    return large, small, np.concatenate([small, largest, -largest])
