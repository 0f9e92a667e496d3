"""Compares graphs × cost models × extractors in one table: what was chosen, what it costs, how far above the optimum it may be, and how it runs.

>>> import eqsat as eq
>>> graph = eq.trace(lambda x: x * 2.0 + x * 2.0, eq.spec((8,), eq.float32))
>>> table = eq.compare(graph, costs=["operations"], extractors=["greedy-dag"], processes=1)
>>> [(row.extractor, row.tree_cost, row.dag_cost, row.optimal) for row in table.rows]
[('greedy-dag', 3.0, 2.0, True)]
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING

from eqsat.comparison.cell import Row
from eqsat.comparison.correlation import Correlation, Prediction
from eqsat.comparison.local import LocalRunner
from eqsat.comparison.run import Progress, Run
from eqsat.comparison.runner import Runner
from eqsat.comparison.subject import Source, Sources
from eqsat.comparison.suite import Suite
from eqsat.comparison.table import Comparison
from eqsat.errors import ComparisonError, brief

if TYPE_CHECKING:
    from eqsat.extract import CostModel, Extractor
    from eqsat.pipeline import Plan

__all__ = [
    "Comparison",
    "Correlation",
    "Prediction",
    "Row",
    "Run",
    "Source",
    "Sources",
    "Suite",
    "compare",
    "runner_for",
]

LONGEST = 1e6  # seconds; timers of every platform can wait that long
MOST_PROCESSES = 1024


def compare(
    graphs: Sources,
    costs: Sequence[str | CostModel] | None = None,
    extractors: Sequence[str | Extractor] | None = None,
    *,
    seconds: float = 10.0,
    measure: bool = False,
    processes: int | None = None,
    cluster: str | None = None,
    progress: Progress | None = None,
    plan: Plan | None = None,
) -> Comparison:
    """Compares cost models and extractors: a table with a row for each graph, cost model and extractor.

    Such a combination is a cell. Cells run in other processes, side by side; a cell that crashes, hangs or raises an error becomes a row that
    says so. Each graph is saturated once. The choice does not depend on where a cell runs, unless the time of its extractor ends before its
    search. Run times are measured at the end on random arrays, and the programs of a graph take turns. Each model then predicts all programs,
    and the table says how well.

    Args:
        graphs: one or several of: a graph from `trace`; a path of a graph file or of a file of the extraction-gym format (whose own costs are
            then used in place of the models); a `Problem`. A mapping gives them names. Dims have their greatest values.
        costs: cost models, or names in `eqsat.extract.COST_MODELS`; all of these by default. Models of your own may be defined anywhere, also in
            a notebook.
        extractors: extractors, or names in `eqsat.extract.EXTRACTORS`; bottom-up, greedy-dag and portfolio by default.
        seconds: wall time of each extractor that is given by name. A cell is ended 20 seconds after twice the time of its extractor.
        measure: whether to compile and run the extracted programs.
        processes: the number of cells that run at once; by default one for each core.
        cluster: the address of a Dask scheduler, on whose workers everything is run; needs pip install "eqsat[cluster]".
        progress: called with a description of each step: each graph saturated, each cell done, each graph measured.
        plan: its rules, budget and exactness say how graphs are saturated; its device says for what they are scheduled and where they run.

    Raises:
        ComparisonError: there is nothing to compare, a number is out of range, the extra is not installed, or no cluster answers at the address.
        ExtractionError: there is no cost model or extractor with a given name, or a file holds a malformed problem.
        GraphFileError: a file cannot be read, or holds neither a graph nor an extraction problem.
        SpecError: a graph is not legal at the array stage.
    """
    if not (isinstance(seconds, int | float) and 0 <= seconds <= LONGEST):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ComparisonError(
            f"extractors search for a number of seconds up to {LONGEST}, not {brief(seconds)}; 10 are usual"
        )
    suite = Suite.of(graphs, costs, extractors, seconds=seconds, plan=plan)
    with runner_for(processes, cluster) as runner:
        return Run(suite, runner, progress or _ignore).table(measured=measure)


def runner_for(processes: int | None = None, cluster: str | None = None) -> Runner:
    """A runner with processes of this machine, or with the workers of a cluster if its address is given.

    Raises:
        ComparisonError: the number of processes is out of range, Dask is not installed, or no cluster answers at the address.
    """
    if processes is not None and not (isinstance(processes, int) and 1 <= processes <= MOST_PROCESSES):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ComparisonError(
            f"cells run in 1 to {MOST_PROCESSES} processes, not in {brief(processes)}; None takes one for each core"
        )
    if cluster is None:
        return LocalRunner(processes)
    if find_spec("distributed") is None:
        raise ComparisonError('Dask is not installed; pip install "eqsat[cluster]"')
    from eqsat.comparison.cluster import ClusterRunner

    return ClusterRunner(cluster)


def _ignore(_: str) -> None:
    pass
