"""Finds extractors and cost models by name."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, ClassVar, Protocol

from eqsat.errors import ExtractionError
from eqsat.extract.costs import COST_MODELS, CostModel, cost_models
from eqsat.extract.extractors.beam import Beam
from eqsat.extract.extractors.bottom_up import BottomUp
from eqsat.extract.extractors.cp_sat import CpSat
from eqsat.extract.extractors.greedy_dag import GreedyDag
from eqsat.extract.extractors.local_search import LocalSearch
from eqsat.extract.extractors.milp import Milp
from eqsat.extract.extractors.portfolio import Portfolio
from eqsat.extract.extractors.tree_decomposition import TreeDecomposition
from eqsat.extract.problem.problem import Problem
from eqsat.extract.problem.result import Extraction, Listener
from eqsat.machine import PROCESSOR, Machine


class Extractor(Protocol):
    """An algorithm that chooses one node for each class. `name` is its name on the command line and in tables."""

    name: ClassVar[str]

    def extract(self, problem: Problem) -> Extraction:
        """Returns a valid extraction of `problem`.

        Raises:
            ExtractionError: a root has no finite acyclic term.
        """
        ...


_extractors: tuple[Extractor, ...] = (
    BottomUp(), GreedyDag(), Beam(), LocalSearch(), TreeDecomposition(), Milp(), CpSat(), Portfolio(),
)  # fmt: skip
EXTRACTORS = {extractor.name: extractor for extractor in _extractors}
SYNONYMS = {"faster-bottom-up": "bottom-up"}  # the extraction gym has both names; the two find the same trees


def extractor_named(name: str, seconds: float | None = None, listener: Listener | None = None) -> Extractor:
    """Returns the extractor called `name`, with the given time limit and listener if it has such fields.

    Raises:
        ExtractionError: no extractor has that name.
    """
    name = SYNONYMS.get(name, name)
    if name not in EXTRACTORS:
        raise ExtractionError(f"no extractor is named {name!r}; there are {', '.join(EXTRACTORS)}")
    extractor: Any = EXTRACTORS[name]
    wanted = {"seconds": seconds, "listener": listener}
    known = {field.name for field in fields(extractor)}
    return replace(
        extractor, **{key: value for key, value in wanted.items() if value is not None and key in known}
    )


def cost_model_named(name: str, machine: Machine = PROCESSOR) -> CostModel:
    """Returns the cost model called `name`, with the prices of `machine` if the model uses prices.

    Raises:
        ExtractionError: no cost model has that name.
    """
    if name not in COST_MODELS:
        raise ExtractionError(f"no cost model is named {name!r}; there are {', '.join(COST_MODELS)}")
    return cost_models(machine)[name]
