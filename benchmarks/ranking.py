"""Measures how well cost models rank variants of one function: Spearman's correlation of predicted with measured time.

For each function, distinct legal variants are drawn: other extractions from its e-graph (other scalar forms, other values stored or computed
again), each under other schedules (loop bases, vectors, orders, parallel axes), spread evenly over the range of predictions. All variants must
give the same result; then they are measured in turns. `regret` is the time of the variant that the choosing model (analytic) prefers, divided by
the time of the quickest drawn variant. `again` is the correlation of the measurements of even rounds with those of odd rounds; no model can be
expected to do better. The learned model is trained on all other functions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

import eqsat as eq
from benchmarks.kernel_models import KERNEL_MODELS
from benchmarks.learned_ranking import LearnedRanking
from benchmarks.report import parser, publish, result_path
from benchmarks.variants import KERNELS, Floats, Study, Times, study
from eqsat.comparison.correlation import spearman

Predictions = dict[str, Floats]  # the predictions of each model for all variants


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the kernels named on the command line, or all of them."""
    command = parser(__doc__)
    command.add_argument("kernels", nargs="*", help=f"of {', '.join(KERNELS)}; all if none is named")
    command.add_argument("--device", help="OpenCL device by name or a part of it")
    command.add_argument("--variants", type=int, default=40, help="of each function (default: %(default)s)")
    command.add_argument(
        "--plot", type=Path, help="where to draw the plot; with --save also beside the document"
    )
    parsed = command.parse_args(arguments)
    device = eq.get_device(parsed.device)
    studies = [study(name, device, parsed.variants) for name in parsed.kernels or KERNELS]
    times = [measure(each, parsed.rounds) for each in studies]
    predictions = [
        predict(each, leave_out(place, studies), leave_out(place, times), device.name)
        for place, each in enumerate(studies)
    ]
    rows = [row(*each) for each in zip(studies, times, predictions, strict=True)]
    rows.append(medians(rows))
    points = {
        each.name: {
            "seconds": _rounded(medians_of(taken.whole)),
            **{model: _rounded(values) for model, values in predicted.items()},
        }
        for each, taken, predicted in zip(studies, times, predictions, strict=True)
    }
    publish("ranking", rows, parsed, device=device.name, points=points)
    for path in filter(None, (parsed.plot, result_path("ranking", ".png") if parsed.save else None)):
        draw(points, rows, path)


def measure(each: Study, rounds: int) -> Times:
    """The times of all variants, after a check that all give the same result."""
    each.check()
    return each.times(rounds)


def leave_out(place: int, values: Sequence[Any]) -> list[Any]:
    """All values except the one at this place."""
    return [*values[:place], *values[place + 1 :]]


def predict(each: Study, others: Sequence[Study], times: Sequence[Times], device: str) -> Predictions:
    """The predictions of each model; the learned model is trained on the other functions only."""
    predictions = {model.name: each.predict(model) for model in KERNEL_MODELS}
    if others:
        kernels = [member.variants for other in others for member in other.members]
        seconds = [part for other, taken in zip(others, times, strict=True)
                   for part in other.by_member(medians_of(taken.varied))]  # fmt: skip
        learned = LearnedRanking.train(kernels, seconds, device)
        predictions[learned.name] = each.predict(learned)
    return predictions


def medians_of(rounds: Floats) -> Floats:
    """The median over rounds, for each variant."""
    return np.median(rounds, axis=0)


def row(each: Study, times: Times, predictions: Predictions) -> dict[str, Any]:
    """The row of one function, with its correlations."""
    seconds = medians_of(times.whole)
    halves = [medians_of(times.whole[start::2]) for start in range(2)]
    return {
        "kernel": each.name,
        "extractions": len(each.members),
        "variants": len(seconds),
        "of": sum(member.possible for member in each.members),
        "slowest/quickest": round(float(seconds.max() / seconds.min()), 1),
        "again": round(spearman(*halves) or 0, 3),
        "regret": round(regret(predictions["analytic"], seconds), 3),
        **{model: round(spearman(predicted, seconds) or 0, 3) for model, predicted in predictions.items()},
    }


def regret(predicted: Floats, seconds: Floats) -> float:
    """The time of the variant that is predicted to be quickest, divided by the time of the quickest variant."""
    return float(seconds[predicted.argmin()] / seconds.min())


def medians(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The row of medians over kernels."""
    return {
        name: "median" if name == "kernel" else round(float(median(row[name] for row in rows)), 3)
        for name in rows[0]
    }


def _rounded(values: Floats) -> list[float]:
    """The values with four significant digits, for a document."""
    return [float(f"{value:.4g}") for value in values]


def draw(
    points: Mapping[str, Mapping[str, Sequence[float]]], rows: Sequence[Mapping[str, Any]], path: Path
) -> None:
    """Draws, for each kernel, the seconds that the analytic and the learned model predict against the measured ones."""
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
