"""Ridge regression for times: learns from measured work how many seconds each feature of the work costs.

The closed form (A. Hoerl and R. Kennard, Technometrics 1970) minimizes *relative* squares, because times span orders of magnitude: the sum of
(predicted / measured - 1)², plus `penalty` times the squares of the weights, each in units of its largest feature. More work never takes less
time, so features with negative weights are left out, the most negative first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
PENALTY = 1e-3


@dataclass(frozen=True)
class Regression:
    """The result of a regression.

    Attributes:
        weights: the seconds per unit of each feature, none negative.
        error: the median relative error of predictions for work that was left out of training (cross-validation by groups); NaN
            if there is only one group.
    """

    weights: tuple[float, ...]
    error: float


def fit(features: Floats, seconds: Floats, groups: Sequence[object], penalty: float = PENALTY) -> Regression:
    """Fits `seconds` (n,) to `features` (n, k), a row for each measurement; cross-validates by leaving out one group at a time.

    >>> work = np.array([[1.0, 0.0], [2.0, 1.0], [0.0, 3.0], [4.0, 4.0]])
    >>> regression = fit(work, work @ [2.0, 5.0], groups=range(4), penalty=1e-9)
    >>> [round(weight, 3) for weight in regression.weights], regression.error < 1e-6
    ([2.0, 5.0], True)
    """
    weights = ridge(features, seconds, penalty)
    errors: list[float] = []
    labels = list(dict.fromkeys(groups))
    for label in labels if len(labels) > 1 else ():
        out = np.array([group == label for group in groups])
        predicted = features[out] @ ridge(features[~out], seconds[~out], penalty)
        errors.extend(np.abs(predicted / seconds[out] - 1).tolist())
    return Regression(tuple(map(float, weights)), float(np.median(errors)) if errors else float("nan"))


def ridge(features: Floats, seconds: Floats, penalty: float = PENALTY) -> Floats:
    """The weights (k,) of a regression, without cross-validation."""
    scale = features.max(axis=0, initial=0.0)
    rows = features / np.where(scale > 0, scale, 1.0) / seconds[:, None]
    kept = np.flatnonzero(scale > 0)
    weights = np.zeros(features.shape[1])
    while len(kept):
        part = rows[:, kept]
        unit = np.mean(part**2) if part.size else 1.0
        shrunk = part.T @ part + penalty * unit * len(part) * np.eye(len(kept))
        found: Floats = cast("Any", np.linalg).solve(shrunk, part.sum(axis=0))  # its stub is partly untyped
        if found.min() >= 0:
            weights[kept] = found / scale[kept]
            break
        kept = np.delete(kept, int(found.argmin()))
    return weights
