"""Minimizing a smooth function of many variables, some of which must not be negative: limited-memory BFGS on those that are not at their limit.

After Bertsekas, "Projected Newton methods for optimization problems with simple constraints", 1982, and Nocedal, "Updating quasi-Newton matrices with
limited storage", 1980.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from eqsat.extract.problem import Floats

_MEMORY = 10  # steps that are remembered
_SUFFICIENT = 1e-4  # of the decrease that the slope promises
_MOST_HALVINGS = 20

Function = Callable[[Floats], tuple[float, Floats]]
Steps = deque[tuple[Floats, Floats]]


def minimize(function: Function, start: Floats, least: Floats, steps: int) -> Floats:
    """Where the function is small.

    Arguments:
        function: gives its value and its slope.
        start: not below `least`.
        least: limit of each variable, -inf where it has none.
        steps: at most.
    """
    point = start
    value, slope = function(point)
    remembered: Steps = deque(maxlen=_MEMORY)
    for _ in range(steps):
        free = (point > least) | (slope < 0)
        direction = np.where(free, -_scaled(np.where(free, slope, 0.0), remembered, free), 0.0)
        length = 1.0 if remembered else 1.0 / max(1.0, float(np.linalg.norm(direction)))
        for _ in range(_MOST_HALVINGS):
            after = np.maximum(point + length * direction, least)
            new_value, new_slope = function(after)
            if new_value <= value + _SUFFICIENT * float(slope @ (after - point)):
                break
            length /= 2
        else:
            return point
        remembered.append((after - point, new_slope - slope))
        point, value, slope = after, new_value, new_slope
    return point


def _scaled(slope: Floats, remembered: Steps, free: NDArray[np.bool_]) -> Floats:
    """The slope, times the inverse of the curvature that the remembered steps show among the free variables."""
    pairs = [(step * free, change * free) for step, change in remembered]
    pairs = [
        (step, change, float(step @ change))
        for step, change in pairs
        if step @ change > 1e-12 * (change @ change)
    ]
    shares: list[float] = []
    for step, change, curvature in reversed(pairs):
        shares.append(float(step @ slope) / curvature)
        slope = slope - shares[-1] * change
    if pairs:
        _, change, curvature = pairs[-1]
        slope = slope * (curvature / float(change @ change))
    for (step, change, curvature), share in zip(pairs, reversed(shares), strict=True):
        slope = slope + (share - float(change @ slope) / curvature) * step
    return slope
