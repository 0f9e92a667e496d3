"""Values of variables on which terms are compared: special ones first, then random ones."""

from __future__ import annotations

import random
from collections.abc import Mapping

import numpy as np

from eqsat.dtype import DType, bool_
from eqsat.proof.float_values import COMMON, edges
from eqsat.reference.number import Array, hold
from eqsat.rules.language.instantiate import evaluate
from eqsat.suggest.grammar import Grammar, Setting

POINTS = 384  # points at which terms are compared
_ATTEMPTS = 100_000  # the most draws, of which `POINTS` should satisfy the conditions of a setting


def draw_points(grammar: Grammar, setting: Setting) -> Mapping[str, Array]:
    """An array of values for each variable of a grammar, the same on every call. The conditions of the setting hold at every point."""
    dtypes = {**grammar.values, **dict.fromkeys(grammar.constants, grammar.dtype)}
    chance = random.Random("points")
    points: list[Mapping[str, bool | int | float]] = []
    for _ in range(_ATTEMPTS):
        point = {name: _draw(dtype, chance) for name, dtype in dtypes.items()}
        bounds = {
            name: (int(value), int(value)) for name, value in point.items() if not isinstance(value, float)
        }
        if all(evaluate(condition, point, bounds) is True for condition in setting.conditions):
            points.append(point)
        if len(points) == POINTS:
            break
    return {
        name: hold(np.array([point[name] for point in points], object if dtype.is_index else None), dtype)
        for name, dtype in dtypes.items()
    }


def _draw(dtype: DType, chance: random.Random) -> bool | int | float:
    if dtype == bool_:
        return chance.random() < 0.5
    if dtype.is_float:
        usual, at_ends, ordinary = chance.choice(COMMON), chance.choice(edges(dtype)), chance.gauss(0, 5)
        return chance.choice((usual, at_ends, ordinary, ordinary))
    small = chance.randint(0 if dtype.min == 0 else -4, 8)
    if dtype.is_index:
        return chance.choice((small, small, chance.randint(-40, 40), 1 << chance.randint(0, 5)))
    ends = (dtype.min, dtype.min + 1, dtype.max - 1, dtype.max)
    return chance.choice(
        (small, small, chance.choice(ends), chance.randint(dtype.min, dtype.max), 1 << chance.randint(0, 6))
    )
