"""Extraction: the problem as flat arrays, what nodes cost, and algorithms that choose.

>>> problem = Problem.build(costs=[1, 4, 1], classes=[0, 1, 1], children=[[], [0, 0], [0]], roots=[1], labels=["x", "mul", "shl"])
>>> best = GreedyDag().extract(problem)
>>> problem.labels[best.choice[1]], best.dag_cost, best.optimal
('shl', 2.0, True)
"""

from dataclasses import fields, replace
from typing import Any, ClassVar, Protocol

from eqsat.errors import ExtractionError
from eqsat.extract.beam import Beam
from eqsat.extract.bottom_up import BottomUp
from eqsat.extract.bound import lower_bound
from eqsat.extract.costs import (
    COST_MODELS,
    CodeSize,
    CostModel,
    Latency,
    Learned,
    Lexicographic,
    LoopAware,
    Measured,
    Node,
    OperationCount,
    RegisterPressure,
    Roofline,
    Value,
    WeightedSum,
    total_cost,
)
from eqsat.extract.cp_sat import CpSat
from eqsat.extract.faster_bottom_up import FasterBottomUp
from eqsat.extract.greedy_dag import GreedyDag
from eqsat.extract.gym import from_gym_json, load, save, to_gym_json
from eqsat.extract.local_search import LocalSearch
from eqsat.extract.milp import Milp
from eqsat.extract.portfolio import Portfolio
from eqsat.extract.problem import Problem
from eqsat.extract.progress import Listener, Progress
from eqsat.extract.reductions import Reduction, reduce_problem
from eqsat.extract.result import Extraction
from eqsat.extract.tree_decomposition import TreeDecomposition


class Extractor(Protocol):
    """An algorithm that chooses one node per class; `name` is what the command line and tables call it."""

    name: ClassVar[str]

    def extract(self, problem: Problem) -> Extraction:
        """A valid extraction.

        Raises:
            ExtractionError: a root has no finite acyclic term.
        """
        ...


_extractors: tuple[Extractor, ...] = (
    BottomUp(), FasterBottomUp(), GreedyDag(), Beam(), LocalSearch(), TreeDecomposition(), Milp(), CpSat(), Portfolio(),
)  # fmt: skip
EXTRACTORS = {extractor.name: extractor for extractor in _extractors}


def extractor_named(name: str, seconds: float | None = None, listener: Listener | None = None) -> Extractor:
    """The extractor of that name, with another time limit and someone to tell of progress where it knows of such.

    Raises:
        ExtractionError: there is none.
    """
    if name not in EXTRACTORS:
        raise ExtractionError(f"no extractor is named {name!r}; there are {', '.join(EXTRACTORS)}")
    extractor: Any = EXTRACTORS[name]
    wanted = {"seconds": seconds, "listener": listener}
    known = {field.name for field in fields(extractor)}
    return replace(
        extractor, **{key: value for key, value in wanted.items() if value is not None and key in known}
    )


def cost_model_named(name: str) -> CostModel:
    """The cost model of that name.

    Raises:
        ExtractionError: there is none.
    """
    if name not in COST_MODELS:
        raise ExtractionError(f"no cost model is named {name!r}; there are {', '.join(COST_MODELS)}")
    return COST_MODELS[name]


__all__ = [
    "COST_MODELS", "EXTRACTORS", "Beam", "BottomUp", "CodeSize", "CostModel", "CpSat", "Extraction", "Extractor", "FasterBottomUp", "GreedyDag",
    "Latency", "Learned", "Lexicographic", "LocalSearch", "LoopAware", "Measured", "Milp", "Node", "OperationCount", "Portfolio", "Problem",
    "Progress", "Reduction", "RegisterPressure", "Roofline", "TreeDecomposition", "Value", "WeightedSum", "cost_model_named", "extractor_named",
    "from_gym_json", "load", "lower_bound", "reduce_problem", "save", "to_gym_json", "total_cost",
]  # fmt: skip
