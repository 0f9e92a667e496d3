"""How well cost models rank schedules of one kernel: Spearman's correlation of predicted with measured time.

For each kernel, distinct legal schedules (other loop bases, vectors, orders, parallel axes) are drawn evenly over the range of predictions,
checked to give one result, and measured in turns. `again` is the correlation of the measurements with themselves, those of even rounds with those
of odd ones: no model can be expected to do better. The learned model is trained on all other kernels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

import eqsat as eq
from benchmarks.report import parser, publish, result_path
from benchmarks.variants import KERNELS, Study, study
from eqsat.schedule.learned import LearnedRanking
from eqsat.schedule.ranking import KERNEL_MODELS

Floats = NDArray[np.float64]
Predictions = dict[str, Floats]  # by model


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the kernels named on the command line, or all of them."""
    command = parser(__doc__)
    command.add_argument("kernels", nargs="*", help=f"of {', '.join(KERNELS)}; all if none is named")
    command.add_argument("--device", help="OpenCL device by name or a part of it")
    command.add_argument(
        "--variants", type=int, default=40, help="schedules of each kernel (default: %(default)s)"
    )
    command.add_argument(
        "--plot", type=Path, help="where to draw the plot; with --save also beside the document"
    )
    parsed = command.parse_args(arguments)
    device = eq.get_device(parsed.device)
    studies = [study(name, device, parsed.variants) for name in parsed.kernels or KERNELS]
    times = [measure(each, parsed.rounds) for each in studies]
    seconds = [np.median(rounds, axis=0) for rounds in times]
    predictions = [
        predict(each, leave_out(place, studies), leave_out(place, seconds), device.name)
        for place, each in enumerate(studies)
    ]
    rows = [row(*each) for each in zip(studies, times, predictions, strict=True)]
    rows.append(medians(rows))
    points = {
        each.name: {
            "seconds": _rounded(taken),
            **{model: _rounded(values) for model, values in predicted.items()},
        }
        for each, taken, predicted in zip(studies, seconds, predictions, strict=True)
    }
    publish("ranking", rows, parsed, device=device.name, points=points)
    for path in filter(None, (parsed.plot, result_path("ranking", ".png") if parsed.save else None)):
        draw(points, rows, path)


def measure(each: Study, rounds: int) -> Floats:
    """Seconds by round and schedule, once all schedules are known to agree."""
    each.check()
    return each.times(rounds)


def leave_out(place: int, values: Sequence[Any]) -> list[Any]:
    """The others."""
    return [*values[:place], *values[place + 1 :]]


def predict(each: Study, others: Sequence[Study], seconds: Sequence[Floats], device: str) -> Predictions:
    """What each model predicts; the learned one knows the other kernels only."""
    predictions = {model.name: model.predict(each.variants) for model in KERNEL_MODELS}
    if others:
        learned = LearnedRanking.train([other.variants for other in others], seconds, device)
        predictions[learned.name] = learned.predict(each.variants)
    return predictions


def row(each: Study, times: Floats, predictions: Predictions) -> dict[str, Any]:
    """Correlations of one kernel."""
    seconds = np.median(times, axis=0)
    halves = [np.median(times[start::2], axis=0) for start in range(2)]
    return {
        "kernel": each.name,
        "schedules": len(each.variants.tilings),
        "of": each.possible,
        "slowest/quickest": round(float(seconds.max() / seconds.min()), 1),
        "again": round(spearman(*halves), 3),
        **{model: round(spearman(predicted, seconds), 3) for model, predicted in predictions.items()},
    }


def medians(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The row of medians over kernels."""
    return {
        name: "median" if name == "kernel" else round(float(median(row[name] for row in rows)), 3)
        for name in rows[0]
    }


def spearman(left: Floats, right: Floats) -> float:
    """The correlation of ranks, ties sharing theirs; 0 where all values of one side are equal."""
    ranks = [_ranks(values) for values in (left, right)]
    if any(np.ptp(rank) == 0 for rank in ranks):
        return 0.0
    return float(np.corrcoef(*ranks)[0, 1])


def _rounded(values: Floats) -> list[float]:
    """To four digits, for a document."""
    return [float(f"{value:.4g}") for value in values]


def _ranks(values: Floats) -> Floats:
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2)[places]


def draw(
    points: Mapping[str, Mapping[str, Sequence[float]]], rows: Sequence[Mapping[str, Any]], path: Path
) -> None:
    """For each kernel, the seconds that the analytic and the learned model predict against those measured."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import NullFormatter

    columns = 4
    lines = -(-len(points) // columns)
    figure = Figure(figsize=(3 * columns, 3 * lines), layout="constrained")
    panels = figure.subplots(lines, columns, squeeze=False).ravel()
    for panel, (name, values), found in zip(panels, points.items(), rows, strict=False):
        for model, marker in (("analytic", "o"), ("learned", "x")):
            if model in values:
                label = f"{model} {found[model]:.2f}"
                panel.scatter(values["seconds"], values[model], s=14, marker=marker, label=label)
        ends = min(values["seconds"]), max(values["seconds"])
        panel.plot(ends, ends, color="grey", linewidth=0.8)
        panel.set(xscale="log", yscale="log", title=name)
        for axis in (panel.xaxis, panel.yaxis):
            axis.set_minor_formatter(NullFormatter())
        panel.legend(fontsize=7)
    for panel in panels[len(points) :]:
        panel.set_axis_off()
    figure.supxlabel("measured seconds")
    figure.supylabel("predicted seconds (Spearman's correlation in the legends)")
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main()
