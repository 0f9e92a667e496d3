"""A ranking of schedules learned from measured ones.

It is a ridge regression of the logarithm of the time on the logarithms of quantities from the analytic model. Each kernel's mean is first
subtracted from its features and times, so that the weights describe how schedules of one kernel differ, not how kernels differ. The
prediction is a product of powers because the weight of a resource depends on how busy the others are, which a sum cannot express.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, cast

import numpy as np

from benchmarks.kernel_models import Variants, accesses_executed, arithmetic_cycles
from eqsat.errors import ScheduleError
from eqsat.schedule.tiling import Floats

FEATURES = (
    "ports", "chain", "memory", "overhead", "arithmetic", "accesses", "loop iterations", "work-items", "analytic",
)  # fmt: skip
"""All in seconds: the four causes of the analytic model, the time of simpler counts, and the analytic estimate itself.

Arithmetic cycles, accesses and loop iterations count one cycle each on the busiest core. Work-items count the time to start their groups.
"""

LEAST = 1e-6  # seconds added to each feature before its logarithm; less than this is negligible
PENALTY = 10.0  # weight of the ridge penalty on the squared weights of standardized features


@dataclass(frozen=True)
class LearnedRanking:
    """Predicts seconds of schedules by a regression on measured ones.

    Attributes:
        device: name of the device that was measured.
        weights: the power of each of `FEATURES`.
        scale: seconds predicted where all features are one second.
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
            kernels: kernels, each under several schedules.
            seconds: measured seconds; for each kernel one time above 0 per schedule.
            device: name of the device on which they were measured.
            penalty: weight of the penalty on large weights.

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
        """The predicted seconds of each schedule."""
        return self.scale * np.exp(_logarithms(variants) @ np.array(self.weights))

    def to_json(self) -> str:
        """The model as a JSON document, with the weights by name of their feature."""
        weights = dict(zip(FEATURES, self.weights, strict=True))
        document = {"device": self.device, "error": self.error, "scale": self.scale, "weights": weights}
        return json.dumps(document, indent=1)

    @staticmethod
    def from_json(text: str) -> LearnedRanking:
        """The model that `to_json` wrote.

        Raises:
            ScheduleError: the text is no such document, or has other features.
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
    second = waves / loops.groups / device.frequency  # seconds of the busiest core per cycle of all work
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
    """(weights, logarithm of the scale) of the regression."""
    features = np.concatenate([row - row.mean(axis=0) for row in rows])
    targets = np.concatenate([time - time.mean() for time in times])
    spread = np.concatenate(rows).std(axis=0)
    spread[spread == 0] = 1.0
    scaled = features / spread
    shrunk = scaled.T @ scaled + penalty * np.eye(len(spread))
    weights: Floats = cast("Any", np.linalg).solve(shrunk, scaled.T @ targets) / spread
    base = np.concatenate(times) - np.concatenate(rows) @ weights
    return weights, float(np.median(base))
