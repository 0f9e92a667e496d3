"""How well predictions rank measured run times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

FEWEST = 3  # the fewest pairs for a rank correlation


@dataclass(frozen=True, slots=True)
class Prediction:
    """The cost of a program that ran, as one cost model predicts it, whichever model the program was extracted with.

    Attributes:
        graph: the name of the graph that the program computes.
        program: the digest of the program, as in the rows.
        cost_model: the name of the cost model.
        predicted: the predicted cost in the model's unit.
        run_seconds: median time of one call.
    """

    graph: str
    program: str
    cost_model: str
    predicted: float
    run_seconds: float


@dataclass(frozen=True, slots=True)
class Correlation:
    """How well one cost model ranks programs.

    Attributes:
        cost_model: the name of the cost model.
        programs: the number of programs that ran, each of which every model predicts.
        spearman: rank correlation of predictions and run times; 1 if the model ranks all programs by their run times. None for fewer than three
            programs, or if all predictions or all times are equal.
    """

    cost_model: str
    programs: int
    spearman: float | None


def correlate(predictions: Sequence[Prediction]) -> tuple[Correlation, ...]:
    """The correlation of each cost model, over the programs of all graphs."""
    models: dict[str, list[Prediction]] = {}
    for each in predictions:
        models.setdefault(each.cost_model, []).append(each)
    return tuple(
        Correlation(
            name, len(own), spearman([each.predicted for each in own], [each.run_seconds for each in own])
        )
        for name, own in models.items()
    )


def spearman(predicted: Sequence[float], measured: Sequence[float]) -> float | None:
    """Spearman's rank correlation; equal numbers have the mean of their ranks.

    >>> spearman([1, 2, 3, 4], [10, 30, 20, 40])
    0.8
    """
    from scipy import stats

    if len(predicted) < FEWEST or np.ptp(predicted) == 0 or np.ptp(measured) == 0:
        return None
    found: Any = stats.spearmanr(predicted, measured)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    return round(float(found.statistic), 12)
