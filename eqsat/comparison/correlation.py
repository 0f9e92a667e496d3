"""How well predictions order what was measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

FEWEST = 3  # pairs of which an order can be told


@dataclass(frozen=True, slots=True)
class Correlation:
    """Of one cost model.

    Attributes:
        cost_model: its name.
        rows: with a prediction and a measured time.
        spearman: rank correlation of the two, 1 where the model orders all programs as they run; None for fewer than three rows, and where all
            predictions or all times are equal.
    """

    cost_model: str
    rows: int
    spearman: float | None


def spearman(predicted: Sequence[float], measured: Sequence[float]) -> float | None:
    """Spearman's rank correlation; equal numbers have the mean of their ranks.

    >>> spearman([1, 2, 3, 4], [10, 30, 20, 40])
    0.8
    """
    if len(predicted) < FEWEST:
        return None
    left, right = (ranks(values) - (len(values) + 1) / 2 for values in (predicted, measured))
    scale = float(np.sqrt(np.sum(left**2) * np.sum(right**2)))
    return round(float(np.sum(left * right)) / scale, 12) if scale else None


def ranks(values: Sequence[float]) -> NDArray[Any]:
    """The rank of each value from 1, equal ones the mean of theirs.

    >>> ranks([5, 3, 5]).tolist()
    [2.5, 1.0, 2.5]
    """
    _, inverse, counts = np.unique(np.asarray(values, np.float64), return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2)[inverse]
