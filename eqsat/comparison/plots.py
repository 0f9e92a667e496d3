"""Plots of a comparison: cost against extraction time, and predictions against run times."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from eqsat.comparison.cell import Row
from eqsat.comparison.correlation import Prediction
from eqsat.errors import ComparisonError

INCHES = 5.0  # the height of a panel


def require_matplotlib() -> None:
    """Checks, before the work begins, that its result can be drawn.

    Raises:
        ComparisonError: Matplotlib is not installed.
    """
    if find_spec("matplotlib") is None:
        raise ComparisonError('Matplotlib is not installed; pip install "eqsat[plot]"')


def require_drawable(path: Path) -> None:
    """Checks before the work that the result can be drawn in the format that the ending of a path names.

    Raises:
        ComparisonError: Matplotlib is not installed, or has no such format.
    """
    require_matplotlib()
    from matplotlib.backend_bases import FigureCanvasBase

    known: dict[str, str] = FigureCanvasBase.get_supported_filetypes()
    if path.suffix[1:].lower() not in known:
        raise ComparisonError(
            f"Matplotlib draws no {path.name}; name it with one of the endings .{', .'.join(known)}"
        )


def draw(rows: Sequence[Row], predictions: Sequence[Prediction], path: Path) -> None:
    """Draws the plots and writes them to a file.

    Raises:
        ComparisonError: Matplotlib is not installed, or the file cannot be written.
    """
    require_drawable(path)
    from matplotlib.figure import Figure

    panels = 2 if predictions else 1
    figure: Any = Figure(figsize=(INCHES * 1.2 * panels, INCHES), layout="constrained")
    axes: Any = figure.subplots(1, panels, squeeze=False)[0]
    draw_costs(axes[0], rows)
    if predictions:
        draw_predictions(axes[1], predictions)
    try:
        figure.savefig(path)
    except (OSError, ValueError) as error:
        raise ComparisonError(f"cannot write {path}: {error}; choose another place or ending") from error


def draw_costs(axes: Any, rows: Sequence[Row]) -> None:
    """Draws cost against time for each extractor.

    So that different graphs and models fit into one plot, a cost is drawn as its excess over the least cost that any extractor found for the same
    graph and model, in percent.
    """
    best: dict[tuple[str, str], float] = {}
    solved = [row for row in rows if row.dag_cost is not None and row.seconds is not None]
    for row in solved:
        key = (row.graph, row.cost_model)
        best[key] = min(row.dag_cost or 0.0, best.get(key, float("inf")))
    for extractor in dict.fromkeys(row.extractor for row in solved):
        own = [row for row in solved if row.extractor == extractor]
        axes.scatter(
            [row.seconds for row in own], [_excess(row, best) for row in own], label=extractor, alpha=0.7
        )
    axes.set(
        xscale="log",
        xlabel="extraction time, s",
        ylabel="DAG cost above the best found, %",
        title="Cost against time",
    )
    if solved:
        axes.legend()


def draw_predictions(axes: Any, predictions: Sequence[Prediction]) -> None:
    """Draws predicted against measured times for each cost model. Models have different units, so each is drawn relative to its mean."""
    for model in dict.fromkeys(each.cost_model for each in predictions):
        own = [each for each in predictions if each.cost_model == model]
        mean = sum(each.predicted for each in own) / len(own)
        times, costs = [each.run_seconds for each in own], [each.predicted / (mean or 1.0) for each in own]
        axes.scatter(times, costs, label=model, alpha=0.7)
    axes.set(xscale="log", title="Predicted against measured")
    axes.set(xlabel="measured run time, s", ylabel="predicted cost, relative to the model's mean")
    axes.legend()


def _excess(row: Row, best: dict[tuple[str, str], float]) -> float:
    least = best[row.graph, row.cost_model]
    return 100 * ((row.dag_cost or 0.0) - least) / (abs(least) or 1.0)
