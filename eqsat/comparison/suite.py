"""All cells of a comparison, made of graphs, cost models and extractors, and run in an order that does as little twice as possible.

Each graph is saturated once, wherever that is; the e-graph is then shared by all of its cells, so that all choose from the same nodes.
"""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from eqsat.comparison.cell import Row, Solution, solve_problem, solve_snapshot
from eqsat.comparison.measure import measure
from eqsat.comparison.subject import Sources, Subject, find_subjects
from eqsat.comparison.table import Comparison
from eqsat.comparison.task import Failure, Runner, Task, packed
from eqsat.egraph.saturate import saturate
from eqsat.errors import ComparisonError, ExtractionError
from eqsat.extract import COST_MODELS, CostModel, Extractor, extractor_named
from eqsat.pipeline import Plan
from eqsat.uop import UOp

USUAL_EXTRACTORS = ("bottom-up", "greedy-dag", "portfolio")
IN_FILE = "file"  # what stands for the cost model of a problem that has its costs
SATURATING, EXTRACTING, MEASURING = (
    60.0,
    20.0,
    60.0,
)  # seconds beyond what a task is meant to take, until it is ended
OVERTIME = 2.0  # how many times its seconds an extractor may take
MEASURING_EACH = 30.0  # seconds for each program that is compiled and measured

Progress = Callable[[str], None]


Choice = TypeVar("Choice")


@dataclass(frozen=True, slots=True)
class Cell:
    """One row to be: which subject, and which model (None for a problem) and extractor under which names."""

    subject: int
    model_name: str
    model: CostModel | None
    extractor_name: str
    extractor: Extractor


@dataclass(frozen=True, slots=True)
class Suite:
    """What is compared.

    Attributes:
        subjects: graphs and problems.
        models: by the names that they have in the table.
        extractors: likewise.
        seconds: for extractors that are given by name.
        plan: says how graphs are saturated, and for which device they are scheduled.
    """

    subjects: tuple[Subject, ...]
    models: dict[str, CostModel]
    extractors: dict[str, Extractor]
    seconds: float
    plan: Plan

    @staticmethod
    def of(
        sources: Sources,
        costs: Sequence[str | CostModel] | None = None,
        extractors: Sequence[str | Extractor] | None = None,
        *,
        seconds: float = 10.0,
        plan: Plan | None = None,
    ) -> Suite:
        """The suite of these sources, models and extractors; see `compare`.

        Raises:
            ComparisonError: there is no source, no model or no extractor.
            ExtractionError: there is no model or extractor of a name, or a file holds a malformed problem.
            GraphFileError: a file cannot be read.
            SpecError: a graph is not legal at the array stage.
        """
        models = [cost_model_named(cost) if isinstance(cost, str) else cost
                  for cost in (COST_MODELS if costs is None else costs)]  # fmt: skip
        searches = [extractor_named(each, seconds) if isinstance(each, str) else each
                    for each in (USUAL_EXTRACTORS if extractors is None else extractors)]  # fmt: skip
        if not models or not searches:
            raise ComparisonError(
                "there is nothing to compare; give at least one cost model and one extractor"
            )
        return Suite(find_subjects(sources), numbered(models), numbered(searches), seconds, plan or Plan())

    @property
    def cells(self) -> list[Cell]:
        """In the order of the table: by subject, model and extractor."""
        return [
            Cell(number, model_name, model, extractor_name, extractor)
            for number, subject in enumerate(self.subjects)
            for model_name, model in (
                self.models.items() if isinstance(subject.given, UOp) else [(IN_FILE, None)]
            )
            for extractor_name, extractor in self.extractors.items()
        ]

    @property
    def graphs(self) -> list[int]:
        """The subjects that are saturated, and may be measured."""
        return [number for number, subject in enumerate(self.subjects) if isinstance(subject.given, UOp)]

    def run(self, runner: Runner, *, measured: bool, progress: Progress) -> Comparison:
        """All rows. `progress` is told of each graph that is saturated, each cell that is done, and each graph that is measured."""
        cells = self.cells
        saturated = self._saturate(runner, progress)
        solutions = self._solve(cells, saturated, runner, progress)
        rows = [self._row(cell, solution) for cell, solution in zip(cells, solutions, strict=True)]
        if measured:
            for number in self.graphs:
                progress(f"measure {self.subjects[number].name}")
                self._measure(number, cells, solutions, rows, runner)
        return Comparison(tuple(rows))

    def _saturate(self, runner: Runner, progress: Progress) -> list[bytes | Failure]:
        """The e-graph of each graph, and each problem, pickled."""
        found = [
            b"" if isinstance(subject.given, UOp) else packed(subject.given) for subject in self.subjects
        ]
        limit = self.plan.budget.seconds + SATURATING
        graphs = [packed(self.subjects[number].given) for number in self.graphs]
        tasks = [_task(saturated_snapshot, graph, (self.plan,), limit) for graph in graphs]
        for place, result in _results(runner, tasks):
            number = self.graphs[place]
            progress(f"saturate {self.subjects[number].name}")
            found[number] = result
        return found

    def _solve(self, cells: Sequence[Cell], subjects: Sequence[bytes | Failure], runner: Runner,
               progress: Progress) -> list[Solution | Failure]:  # fmt: skip
        tasks = [self._cell_task(cell, subjects[cell.subject]) for cell in cells]
        found: list[Solution | Failure] = [Failure("")] * len(cells)
        for number, result in _results(runner, tasks):
            cell = cells[number]
            progress(f"{self.subjects[cell.subject].name}, {cell.model_name}, {cell.extractor_name}")
            found[number] = result
        return found

    def _cell_task(self, cell: Cell, subject: bytes | Failure) -> Task | Failure:
        seconds = getattr(cell.extractor, "seconds", None)
        limit = OVERTIME * (seconds if isinstance(seconds, int | float) else self.seconds) + EXTRACTING
        if cell.model is None:
            return _task(solve_problem, subject, (cell.extractor,), limit)
        return _task(solve_snapshot, subject, (cell.model, cell.extractor, self.plan.device), limit)

    def _row(self, cell: Cell, solution: Solution | Failure) -> Row:
        unit = "" if cell.model is None else str(getattr(cell.model, "unit", ""))
        row = Row(self.subjects[cell.subject].name, cell.model_name, cell.extractor_name, unit)
        if isinstance(solution, Failure):
            return replace(row, error=solution.message)
        return replace(row, **solution.figures)

    def _measure(self, number: int, cells: Sequence[Cell], solutions: Sequence[Solution | Failure], rows: list[Row],
                 runner: Runner) -> None:  # fmt: skip
        """Completes the rows of one graph."""
        users: dict[UOp, list[int]] = {}
        for place, (cell, solution) in enumerate(zip(cells, solutions, strict=True)):
            if cell.subject == number and isinstance(solution, Solution) and solution.graph is not None:
                users.setdefault(solution.graph, []).append(place)
        for places, time in zip(users.values(), self._times(number, list(users), runner), strict=True):
            for place in places:
                change = {"error": time.message} if isinstance(time, Failure) else {"run_seconds": time}
                rows[place] = replace(rows[place], **change)

    def _times(self, number: int, graphs: list[UOp], runner: Runner) -> list[float | Failure]:
        """Of the programs of one graph, which take turns; each alone where one of them ends the process."""
        if not graphs:
            return []
        arguments = packed(self.subjects[number].arguments)
        limit = MEASURING + MEASURING_EACH * len(graphs)
        task = _task(measure, arguments, (graphs, self.plan.device), limit)
        ((_, times),) = _results(runner, [task], in_turn=True)
        if not isinstance(times, Failure):
            return times
        if len(graphs) == 1:
            return [times]
        return [time for graph in graphs for time in self._times(number, [graph], runner)]


def saturated_snapshot(graph: UOp, plan: Plan) -> bytes:
    """The e-graph in which all extractors of a graph choose, a `Snapshot`, pickled."""
    return pickle.dumps(saturate([graph], plan.admitted, plan.budget).snapshot)


def cost_model_named(name: str) -> CostModel:
    """The cost model of that name.

    Raises:
        ExtractionError: there is none.
    """
    if name not in COST_MODELS:
        raise ExtractionError(f"no cost model is named {name!r}; there are {', '.join(COST_MODELS)}")
    return COST_MODELS[name]


def numbered(choices: Sequence[Choice]) -> dict[str, Choice]:
    """Each by its name; those that share it are numbered.

    >>> from eqsat.extract import LoopAware
    >>> list(numbered([LoopAware(cores=2), LoopAware(cores=4)]))
    ['loop-aware 1', 'loop-aware 2']
    """
    names = [str(getattr(choice, "name", type(choice).__name__)) for choice in choices]
    shared = {name for name, count in Counter(names).items() if count > 1}
    return {
        f"{name} {names[: place + 1].count(name)}" if name in shared else name: choice
        for place, (name, choice) in enumerate(zip(names, choices, strict=True))
    }


def _task(
    function: Callable[..., Any], subject: bytes | Failure, arguments: Sequence[Any], seconds: float
) -> Task | Failure:
    return subject if isinstance(subject, Failure) else Task.of(function, subject, arguments, seconds)


def _results(
    runner: Runner, tasks: Sequence[Task | Failure], *, in_turn: bool = False
) -> Iterator[tuple[int, Any]]:
    """As `Runner.run`; what cannot be run is its own result."""
    possible = [(number, task) for number, task in enumerate(tasks) if isinstance(task, Task)]
    yield from ((number, task) for number, task in enumerate(tasks) if isinstance(task, Failure))
    for place, result in runner.run([task for _, task in possible], in_turn=in_turn):
        yield possible[place][0], result
