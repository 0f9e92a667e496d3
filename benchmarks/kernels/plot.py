"""Plots the benchmark: for each workload, how many times as fast as the best other library eqsat is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from textwrap import shorten

from benchmarks.kernels.summary import FLOOR, LOW, Row

INCHES = 0.22  # the height of a bar
LONGEST = 50  # characters of a name
ROOM = 3.0  # the axis ends at this many times the longest bar, so that the name beside it fits


def draw(rows: Sequence[Row], path: Path) -> None:
    """Draws bars from 1 to the left and right, on a logarithmic axis."""
    from matplotlib.figure import Figure

    known = [row for row in rows if row["ratio"] is not None]
    kinds = list(dict.fromkeys(row["kind"] for row in known))
    figure = Figure(figsize=(10, 1.5 + INCHES * len(known)), layout="constrained")
    axes = figure.subplots()
    axes.barh(
        range(len(known)),
        [row["ratio"] - 1.0 for row in known],
        left=1.0,
        color=[f"C{kinds.index(row['kind']) % 10}" for row in known],
        tick_label=[shorten(row["workload"], LONGEST, placeholder=" …") for row in known],
    )
    for place, row in enumerate(known):
        axes.annotate(
            f" {row['ratio']:.2g} {row['best']}", (max(row["ratio"], 1.0), place), va="center", size=7
        )
    for limit in (FLOOR, LOW, 1.0):
        axes.axvline(limit, color="grey", linewidth=0.8, linestyle="-" if limit == 1.0 else ":")
    axes.set(xscale="log", xlabel="time of the best other library / eqsat's time")
    axes.invert_yaxis()
    axes.margins(x=0.15, y=0.01)
    axes.set_xlim(right=ROOM * max((row["ratio"] for row in known), default=1.0))
    figure.savefig(path, dpi=110)
