"""Runs the cells of a comparison, with as little repeated work as possible.

Each graph is saturated once, on any worker. All of its cells share the e-graph, so that all of them choose from the same nodes.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any

from eqsat.comparison.cell import Row, Solution, predict_all, solve_problem, solve_snapshot
from eqsat.comparison.correlation import Prediction
from eqsat.comparison.measure import measure
from eqsat.comparison.runner import Runner
from eqsat.comparison.suite import Cell, Suite
from eqsat.comparison.table import Comparison
from eqsat.egraph.saturate import saturate
from eqsat.pipeline import Plan
from eqsat.runtime.task import Failure, Task, packed
from eqsat.uop import UOp

SATURATING, EXTRACTING, MEASURING, PREDICTING = 60.0, 20.0, 60.0, 20.0
"""Seconds that each kind of task may take beyond its own time limit, before it is ended."""
OVERTIME = 2.0  # an extractor may take this many times its seconds
MEASURING_EACH = 30.0  # seconds for each program that is compiled and measured

Progress = Callable[[str], None]
Solutions = Sequence[Solution | Failure]


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a suite.

    Attributes:
        suite: the graphs, cost models and extractors that are compared.
        runner: runs the tasks.
        progress: called for each graph that is saturated, each cell that is done, and each graph that is measured.
    """

    suite: Suite
    runner: Runner
    progress: Progress

    def table(self, *, measured: bool) -> Comparison:
        """All rows. With `measured`, rows of graphs have run times, and all models predict all programs that ran."""
        solutions = self._solve(self._saturate())
        rows = [self._row(cell, solution) for cell, solution in zip(self.suite.cells, solutions, strict=True)]
        predictions: list[Prediction] = []
        for number in self.suite.graphs if measured else ():
            self.progress(f"measure {self.suite.subjects[number].name}")
            predictions += self._measure(number, solutions, rows)
        return Comparison(tuple(rows), tuple(predictions))

    def _saturate(self) -> list[bytes | Failure]:
        """The pickled subjects: the e-graph of each graph, and each problem."""
        subjects, graphs, plan = self.suite.subjects, self.suite.graphs, self.suite.plan
        found = [b"" if isinstance(subject.given, UOp) else packed(subject.given) for subject in subjects]
        limit = plan.budget.seconds + SATURATING
        tasks = [
            _task(saturated_snapshot, packed(subjects[number].given), (plan,), limit) for number in graphs
        ]
        for place, result in self._results(tasks):
            self.progress(f"saturate {subjects[graphs[place]].name}")
            found[graphs[place]] = result
        return found

    def _solve(self, subjects: Sequence[bytes | Failure]) -> Solutions:
        tasks = [self._cell_task(cell, subjects[cell.subject]) for cell in self.suite.cells]
        found: list[Solution | Failure] = [Failure("")] * len(tasks)
        for number, result in self._results(tasks):
            cell = self.suite.cells[number]
            subject = self.suite.subjects[cell.subject]
            self.progress(f"{subject.name}, {cell.model_name}, {cell.extractor_name}")
            found[number] = result
        return found

    def _cell_task(self, cell: Cell, subject: bytes | Failure) -> Task | Failure:
        seconds = getattr(cell.extractor, "seconds", None)
        limit = OVERTIME * (seconds if isinstance(seconds, int | float) else self.suite.seconds) + EXTRACTING
        if cell.model is None:
            return _task(solve_problem, subject, (cell.extractor,), limit)
        return _task(solve_snapshot, subject, (cell.model, cell.extractor, self.suite.plan.device), limit)

    def _row(self, cell: Cell, solution: Solution | Failure) -> Row:
        unit = "" if cell.model is None else str(getattr(cell.model, "unit", ""))
        row = Row(self.suite.subjects[cell.subject].name, cell.model_name, cell.extractor_name, unit)
        if isinstance(solution, Failure):
            return replace(row, error=solution.message)
        return replace(row, **solution.figures)

    def _measure(self, number: int, solutions: Solutions, rows: list[Row]) -> list[Prediction]:
        """Adds run times to the rows of one graph, and returns the predictions of all models for its programs."""
        users: dict[UOp, list[int]] = {}
        for place, (cell, solution) in enumerate(zip(self.suite.cells, solutions, strict=True)):
            if cell.subject == number and isinstance(solution, Solution) and solution.graph is not None:
                users.setdefault(solution.graph, []).append(place)
        seconds: dict[UOp, float] = {}
        for graph, time in zip(users, self._times(number, list(users)), strict=True):
            change: dict[str, Any] = (
                {"error": time.message} if isinstance(time, Failure) else {"run_seconds": time}
            )
            for place in users[graph]:
                rows[place] = replace(rows[place], **change)
            if not isinstance(time, Failure):
                seconds[graph] = time
        return [
            Prediction(rows[users[graph][0]].graph, rows[users[graph][0]].program, model, predicted, time)
            for model, costs in self._predictions(list(seconds))
            for (graph, time), predicted in zip(seconds.items(), costs, strict=True)
        ]

    def _times(self, number: int, graphs: list[UOp]) -> list[float | Failure]:
        """The run times of the programs of one graph, which take turns. If one of them ends the process, each is measured alone."""
        if not graphs:
            return []
        arguments = packed(self.suite.subjects[number].arguments)
        limit = MEASURING + MEASURING_EACH * len(graphs)
        task = _task(measure, arguments, (graphs, self.suite.plan.device), limit)
        ((_, times),) = self._results([task], in_turn=True)
        if not isinstance(times, Failure):
            return times
        if len(graphs) == 1:
            return [times]
        return [time for graph in graphs for time in self._times(number, [graph])]

    def _predictions(self, graphs: list[UOp]) -> list[tuple[str, list[float]]]:
        """The cost of each graph by each model. A model that fails is left out; its rows have the error."""
        models, shared = list(self.suite.models.items()), packed(graphs)
        tasks = [_task(predict_all, shared, (model,), PREDICTING) for _, model in models]
        results = sorted(self._results(tasks), key=itemgetter(0))
        return [(models[place][0], costs) for place, costs in results if not isinstance(costs, Failure)]

    def _results(
        self, tasks: Sequence[Task | Failure], *, in_turn: bool = False
    ) -> Iterator[tuple[int, Any]]:
        """Runs tasks like `Runner.run`; a `Failure` in place of a task is its own result."""
        possible = [(number, task) for number, task in enumerate(tasks) if isinstance(task, Task)]
        yield from ((number, task) for number, task in enumerate(tasks) if isinstance(task, Failure))
        for place, result in self.runner.run([task for _, task in possible], in_turn=in_turn):
            yield possible[place][0], result


def saturated_snapshot(graph: UOp, plan: Plan) -> bytes:
    """The pickled `Snapshot` of the e-graph from which all extractors of a graph choose."""
    return pickle.dumps(saturate([graph], plan.admitted, plan.budget).snapshot)


def _task(
    function: Callable[..., Any], subject: bytes | Failure, arguments: Sequence[Any], seconds: float
) -> Task | Failure:
    return subject if isinstance(subject, Failure) else Task.of(function, subject, arguments, seconds)
