"""The suite of a comparison: named graphs, cost models and extractors, and the cells that combine them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from eqsat.comparison.subject import Sources, Subject, find_subjects
from eqsat.errors import ComparisonError, DeviceError, brief
from eqsat.extract import COST_MODELS, CostModel, Extractor, cost_model_named, extractor_named
from eqsat.machine import PROCESSOR, Machine
from eqsat.pipeline.planning.plan import Plan, as_plan
from eqsat.uop import UOp

USUAL_EXTRACTORS = ("bottom-up", "greedy-dag", "portfolio")
IN_FILE = "file"  # the name of the cost model of a problem that has costs of its own

Choice = TypeVar("Choice")


@dataclass(frozen=True, slots=True)
class Cell:
    """The cell for one row: the number of a subject, and a model (None for a problem) and an extractor with their names."""

    subject: int
    model_name: str
    model: CostModel | None
    extractor_name: str
    extractor: Extractor


@dataclass(frozen=True)
class Suite:
    """The graphs, cost models and extractors that are compared.

    Attributes:
        subjects: the graphs and problems.
        models: the cost models by their names in the table.
        extractors: the extractors by their names in the table.
        seconds: the time limit of extractors that are given by name.
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
            ComparisonError: there is no source, model or extractor, or something else is among them.
            ExtractionError: there is no model or extractor with a given name, or a file holds a malformed problem.
            GraphFileError: a file cannot be read.
            SpecError: a graph is not legal at the array stage.
        """
        plan = as_plan(plan)
        machine = _machine(plan)
        models = [cost_model_named(cost, machine) if isinstance(cost, str) else cost
                  for cost in (COST_MODELS if costs is None else _listed(costs, "cost"))]  # fmt: skip
        searches = [extractor_named(each, seconds) if isinstance(each, str) else each
                    for each in (USUAL_EXTRACTORS if extractors is None else _listed(extractors, "extract"))]  # fmt: skip
        if not models or not searches:
            raise ComparisonError(
                "there is nothing to compare; give at least one cost model and one extractor"
            )
        return Suite(find_subjects(sources), numbered(models), numbered(searches), seconds, plan)

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """The cells in the order of the table: by subject, model and extractor."""
        return tuple(
            Cell(number, model_name, model, extractor_name, extractor)
            for number, subject in enumerate(self.subjects)
            for model_name, model in (
                self.models.items() if isinstance(subject.given, UOp) else [(IN_FILE, None)]
            )
            for extractor_name, extractor in self.extractors.items()
        )

    @property
    def graphs(self) -> list[int]:
        """The numbers of the subjects that are graphs, which are saturated and may be measured."""
        return [number for number, subject in enumerate(self.subjects) if isinstance(subject.given, UOp)]


def numbered(choices: Sequence[Choice]) -> dict[str, Choice]:
    """The choices by name; choices that share a name are numbered.

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


def _listed(choices: Any, method: str) -> list[Any]:
    """The cost models or extractors of a list; each is a name, or an object with this method.

    Raises:
        ComparisonError: `choices` is no list of these.
    """
    if not isinstance(choices, Iterable) or isinstance(choices, str | bytes | np.ndarray):
        raise ComparisonError(
            f"costs and extractors are lists, not {brief(choices)}; give [{brief(choices)}]"
        )
    listed = list[Any](choices)  # pyright: ignore[reportUnknownArgumentType]
    for each in listed:
        if not isinstance(each, str) and not hasattr(each, method):
            raise ComparisonError(
                f"{brief(each)} is neither a name nor something with a method {method!r}; `eqsat compare --help` lists names"
            )
    return listed


def _machine(plan: Plan) -> Machine:
    """The machine of the plan's device; an ordinary processor if the device does not exist, an error that rows with measurements will have."""
    try:
        return plan.machine
    except DeviceError:
        return PROCESSOR
