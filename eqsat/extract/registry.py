"""Finds extractors and cost models by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, ClassVar, Protocol

from eqsat.errors import ExtractionError, brief
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
    name = require_name(name, "extractor", {**EXTRACTORS, **SYNONYMS})
    name = SYNONYMS.get(name, name)
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
    return cost_models(machine)[require_name(name, "cost model", COST_MODELS)]


def require_name(name: Any, what: str, known: Mapping[str, object]) -> str:
    """Checks the name of an extractor or a cost model.

    Raises:
        ExtractionError: `known` does not have it.
    """
    if not isinstance(name, str) or name not in known:
        raise ExtractionError(f"no {what} is named {brief(name)}; there are {', '.join(known)}")
    return name
