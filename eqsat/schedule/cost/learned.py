"""A ranking of schedules learned from measured ones.

A ridge regression of the logarithm of the time on the logarithms of what the analytic model counts. It is made within kernels: each
kernel's mean is taken out of its features and times first, so that the weights say what tells the schedules of one kernel apart, not what tells
kernels apart. A product of powers suits what a sum does not: the weight of a resource depends on how busy the others are.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, cast

import numpy as np

from eqsat.errors import ScheduleError
from eqsat.schedule.cost.ranking import Variants, accesses_executed, arithmetic_cycles
from eqsat.schedule.loops.tiling import Floats

FEATURES = (
    "ports", "chain", "memory", "overhead", "arithmetic", "accesses", "loop iterations", "work-items", "analytic",
)  # fmt: skip
"""Seconds: the four causes of the analytic model, the parts of its first one at one per cycle, and what it makes of them all."""

LEAST = 1e-6  # seconds; less is as good as nothing
PENALTY = 10.0  # of the squares of the weights, in standard deviations of the features


@dataclass(frozen=True)
class LearnedRanking:
    """Seconds of schedules, by a regression on schedules that were measured.

    Attributes:
        device: its name.
        weights: the power of each of `FEATURES`.
        scale: seconds where all features are one second.
        error: the median relative error for kernels that were left out of training; NaN with a single kernel.
    """

    name: ClassVar[str] = "learned"
    unit: ClassVar[str] = "seconds"
    device: str
    weights: tuple[float, ...]
    scale: float
    error: float

    @staticmethod
    def train(
        kernels: Sequence[Variants], seconds: Sequence[Floats], device: str, penalty: float = PENALTY
    ) -> LearnedRanking:
        """The ranking learned from these schedules.

        Args:
            kernels: each under several schedules.
            seconds: what they took, for each kernel one time above 0 per schedule.
            device: on which.
            penalty: of large weights.

        Raises:
            ScheduleError: there is no kernel, or not one time above 0 for each schedule.
        """
        fitting = [
            len(taken) == len(each.tilings) and bool(np.all((taken > 0) & np.isfinite(taken)))
            for each, taken in zip(kernels, seconds, strict=False)
        ]
        if not kernels or len(kernels) != len(seconds) or not all(fitting):
            raise ScheduleError(
                f"{len(kernels)} kernels and {len(seconds)} sets of times to learn from; give a time above 0 for each schedule"
            )
        rows = [_logarithms(each) for each in kernels]
        times = [np.log(taken) for taken in seconds]
        weights, scale = _fit(rows, times, penalty)
        errors: list[float] = []
        for out in range(len(rows) if len(rows) > 1 else 0):
            others = [place for place in range(len(rows)) if place != out]
            part, base = _fit([rows[place] for place in others], [times[place] for place in others], penalty)
            errors.extend(np.abs(np.exp(rows[out] @ part + base - times[out]) - 1).tolist())
        error = float(np.median(errors)) if errors else float("nan")
        return LearnedRanking(device, tuple(map(float, weights)), float(np.exp(scale)), error)

    def predict(self, variants: Variants) -> Floats:
        """Seconds of each schedule."""
        return self.scale * np.exp(_logarithms(variants) @ np.array(self.weights))

    def to_json(self) -> str:
        """The model as a document, features and their weights by name."""
        weights = dict(zip(FEATURES, self.weights, strict=True))
        document = {"device": self.device, "error": self.error, "scale": self.scale, "weights": weights}
        return json.dumps(document, indent=1)

    @staticmethod
    def from_json(text: str) -> LearnedRanking:
        """The model that `to_json` wrote.

        Raises:
            ScheduleError: it is no such document, or has other features.
        """
        try:
            document = json.loads(text)
            weights = tuple(float(document["weights"][feature]) for feature in FEATURES)
            return LearnedRanking(
                str(document["device"]), weights, float(document["scale"]), float(document["error"])
            )
        except (ValueError, KeyError, TypeError) as error:
            raise ScheduleError(f"no learned ranking: {error!r}; train it again") from error


def _logarithms(variants: Variants) -> Floats:
    """The logarithms of `FEATURES`, a row for each schedule."""
    causes, device, loops = variants.estimates, variants.device, variants.loops
    waves = np.ceil(loops.groups / device.cores)
    second = waves / loops.groups / device.frequency  # per cycle of all work, on the busiest core
    columns = (
        causes.compute,
        causes.chain,
        causes.memory,
        causes.overhead,
        arithmetic_cycles(variants) * second,
        accesses_executed(variants) * second,
        loops.times(variants.tables.bodies).sum(axis=1) * second,
        waves * device.group_seconds,
        causes.seconds,
    )
    return np.log(np.stack(columns, axis=1) + LEAST)


def _fit(rows: Sequence[Floats], times: Sequence[Floats], penalty: float) -> tuple[Floats, float]:
    """Weights and the logarithm of the scale."""
    features = np.concatenate([row - row.mean(axis=0) for row in rows])
    targets = np.concatenate([time - time.mean() for time in times])
    spread = np.concatenate(rows).std(axis=0)
    spread[spread == 0] = 1.0
    scaled = features / spread
    shrunk = scaled.T @ scaled + penalty * np.eye(len(spread))
    weights: Floats = cast("Any", np.linalg).solve(shrunk, scaled.T @ targets) / spread
    base = np.concatenate(times) - np.concatenate(rows) @ weights
    return weights, float(np.median(base))
