"""Runs a program through eqsat and NumPy, and reports what happened at each stage."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

import eqsat as eq
from eqsat.demo.measure import interleaved_times
from eqsat.demo.programs import Program
from eqsat.dtype import from_numpy
from eqsat.pipeline.optimization import Optimized

# The largest error that float32 programs of this size may show against NumPy, relative to the largest value of the result.
TOLERANCE = 1e-4


@dataclass(frozen=True)
class Report:
    """One program on one set of data. Times in seconds; the error is relative to the largest value of the result.

    Attributes:
        rules_fired: how many matches each rule had, the most active first.
        numpy_seconds, measured_seconds: medians, taken in turns.
        predicted_seconds: what the cost model expected of the kernels.
    """

    name: str
    title: str
    data: str
    device: str
    uops_before: int
    uops_after: int
    egraph_nodes: int
    egraph_classes: int
    rules_fired: dict[str, int]
    stop: str
    kernels: tuple[str, ...]
    optimize_seconds: float
    compile_seconds: float
    predicted_seconds: float
    measured_seconds: float
    numpy_seconds: float
    largest_error: float
    agrees: bool

    @property
    def speedup(self) -> float:
        """How many times as fast as NumPy the program is."""
        return self.numpy_seconds / self.measured_seconds


def _search_facts(graph: eq.UOp, best: Optimized) -> dict[str, Any]:
    """What saturation and extraction did, for a report."""
    fired = sorted(best.report.rules, key=lambda rule: (-rule.matches, rule.name))
    return {
        "uops_before": len(graph.toposort()),
        "uops_after": len(best.uop.toposort()),
        "egraph_nodes": best.report.nodes,
        "egraph_classes": best.report.classes,
        "rules_fired": {rule.name: rule.matches for rule in fired if rule.matches},
        "stop": best.report.stop.value,
    }


def run_program(
    program: Program,
    data: str,
    arrays: Sequence[NDArray[Any]],
    plan: eq.Plan,
    step: Callable[[str], object],
) -> tuple[Report, list[NDArray[Any]]]:
    """Optimizes, compiles, runs, times and checks one program; returns its report and its results.

    `step` is called with the name of each stage as it begins. Integer results must be equal to NumPy's; floats agree within `TOLERANCE`.
    """
    step("trace and saturate")
    graph = eq.trace(program.bind(eq), *(eq.spec(array.shape, from_numpy(array.dtype)) for array in arrays))
    start = perf_counter()
    best = eq.optimize(graph, plan)
    optimized = perf_counter()
    step("compile")
    compiled = eq.compile(best, plan)
    done = perf_counter()
    step("run and compare")
    reference = program.in_numpy()
    results, expected = as_list(compiled(*arrays)), as_list(reference(*arrays))
    error = largest_error(results, expected)
    times = interleaved_times({"eqsat": lambda: compiled(*arrays), "NumPy": lambda: reference(*arrays)})
    report = Report(
        name=program.name,
        title=program.title,
        data=data,
        device=compiled.device.name,
        **_search_facts(graph, best),
        kernels=tuple(kernel.name for kernel in compiled.kernels),
        optimize_seconds=optimized - start,
        compile_seconds=done - optimized,
        predicted_seconds=compiled.schedule.predicted_seconds,
        measured_seconds=times["eqsat"].median,
        numpy_seconds=times["NumPy"].median,
        largest_error=error,
        agrees=error <= (TOLERANCE if np.issubdtype(expected[0].dtype, np.floating) else 0.0),
    )
    return report, results


def largest_error(results: Sequence[NDArray[Any]], expected: Sequence[NDArray[Any]]) -> float:
    """The largest absolute difference, divided by the largest expected magnitude (or by 1 if all are smaller).

    It is infinite if shapes differ, or if a NaN occurs on one side only.
    """
    worst = 0.0
    for result, truth in zip(results, expected, strict=True):
        if result.shape != truth.shape:
            return float("inf")
        same = (result == truth) | (np.isnan(result) & np.isnan(truth))
        if same.all():
            continue
        difference = np.abs(result[~same].astype(np.float64) - truth[~same].astype(np.float64))
        scale = np.max(np.abs(truth[np.isfinite(truth)].astype(np.float64)), initial=1.0)
        worst = max(worst, float(np.nan_to_num(difference, nan=np.inf).max() / scale))
    return worst


def as_list(results: Any) -> list[NDArray[Any]]:
    """The results of a function that returns one array or several, as a list."""
    several: list[Any] = list(results) if isinstance(results, tuple | list) else [results]  # pyright: ignore[reportUnknownArgumentType]
    return [np.asarray(result) for result in several]
