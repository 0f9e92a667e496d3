"""Summarizes the times of a benchmark: ratios of the best other library's time to eqsat's, and their geometric mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from math import inf
from os import cpu_count
from statistics import geometric_mean
from typing import Any

from benchmarks.kernels.contest import Standing
from benchmarks.kernels.peers import BY_HAND
from benchmarks.kernels.workload import Workload

OURS = "eqsat"
FLOOR, LOW = 0.5, 0.8  # ratios below which a workload is listed
MARK = 1.15  # a workload is listed if it takes more than this times the time of kernels written by hand
COMPILERS = ("PoCL 3.0", "PoCL 3.1", "Intel")  # compilers with times of kernels written by hand

Row = dict[str, Any]
Standings = Mapping[str, Standing]


def row(workload: Workload, standings: Standings) -> Row:
    """The row of a workload: median milliseconds of all libraries, and the best of the other libraries.

    Then follow the ratio of its time to eqsat's by medians and by least times, and the processor time of both, divided by the number of cores.
    Kernels written by hand do not count among the other libraries; they have ratios of their own.
    """
    ours, mark = standings[OURS], standings.get(BY_HAND, Standing())
    others = {
        name: each
        for name, each in standings.items()
        if name not in (OURS, BY_HAND) and each.median is not None
    }
    best_name, best = min(others.items(), key=lambda pair: pair[1].median or inf, default=(None, Standing()))
    least = min((each.least or inf for each in others.values()), default=None)
    return {
        "workload": workload.name,
        "kind": workload.kind,
        **{name: _milliseconds(standing.median) for name, standing in standings.items()},
        "best": best_name,
        "ratio": _ratio(best.median, ours.median),
        "least_ratio": _ratio(least, ours.least),
        "over_by_hand": _ratio(ours.median, mark.median),
        "least_over_by_hand": _ratio(ours.least, mark.least),
        "busy": _milliseconds(ours.processor, cpu_count() or 1),
        "best_busy": _milliseconds(best.processor, cpu_count() or 1),
        **dict(zip(COMPILERS, workload.hand_written or (None, None, None), strict=True)),
    }


def summary(rows: Sequence[Row]) -> dict[str, Any]:
    """The geometric means of ratios, and the workloads that are slow or have no ratio.

    >>> ratios = (("a", 4.0, 1.2), ("b", 0.25, 1.1), ("c", None, None))
    >>> rows = [{"workload": name, "ratio": each, "least_ratio": each, "least_over_by_hand": mark} for name, each, mark in ratios]
    >>> for title, value in summary(rows).items():
    ...     print(title, value)
    geometric_mean 1.0
    least_geometric_mean 1.0
    below_0.5 ['b']
    below_0.8 ['b']
    above_1.15_by_hand ['a']
    without ['c']
    """
    return {
        "geometric_mean": _mean(rows, "ratio"),
        "least_geometric_mean": _mean(rows, "least_ratio"),
        **{
            f"below_{limit}": [
                each["workload"] for each in rows if each["ratio"] is not None and each["ratio"] < limit
            ]
            for limit in (FLOOR, LOW)
        },
        f"above_{MARK}_by_hand": [
            each["workload"] for each in rows if (each["least_over_by_hand"] or 0) > MARK
        ],
        "without": [each["workload"] for each in rows if each["ratio"] is None],
    }


def failures(results: Mapping[str, Standings]) -> dict[str, list[str]]:
    """For each reason why a library has no time, the workloads where it has none.

    >>> failures({"sum": {"jax": Standing(failure="lost")}, "add": {"jax": Standing(failure="lost")}})
    {'jax: lost': ['sum', 'add']}
    """
    found: dict[str, list[str]] = {}
    for workload, standings in results.items():
        for name, standing in standings.items():
            if standing.failure:
                found.setdefault(f"{name}: {standing.failure}", []).append(workload)
    return found


def document(standings: Standings) -> dict[str, Any]:
    """All figures of a workload, by library."""
    return {name: asdict(standing) for name, standing in standings.items()}


def _ratio(best: float | None, ours: float | None) -> float | None:
    return None if best is None or ours is None else float(f"{best / ours:.4g}")


def _milliseconds(seconds: float | None, cores: int = 1) -> float | None:
    return None if seconds is None else float(f"{seconds / cores * 1e3:.4g}")


def _mean(rows: Sequence[Row], name: str) -> float | None:
    ratios = [each[name] for each in rows if each[name] is not None]
    return round(geometric_mean(ratios), 3) if ratios else None
