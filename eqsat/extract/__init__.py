"""Extraction: the problem as flat arrays, what nodes cost, and algorithms that choose.

>>> problem = Problem.build(costs=[1, 4, 1], classes=[0, 1, 1], children=[[], [0, 0], [0]], roots=[1], labels=["x", "mul", "shl"])
>>> best = GreedyDag().extract(problem)
>>> problem.labels[best.choice[1]], best.dag_cost, best.optimal
('shl', 2.0, True)
"""

from typing import ClassVar, Protocol

from eqsat.extract.bottom_up import BottomUp
from eqsat.extract.bound import lower_bound
from eqsat.extract.cost import COST_MODELS, CostModel, Latency, LoopAware, Node, OperationCount, Value
from eqsat.extract.greedy_dag import GreedyDag
from eqsat.extract.gym import from_gym_json, load, save, to_gym_json
from eqsat.extract.problem import Problem
from eqsat.extract.result import Extraction


class Extractor(Protocol):
    """An algorithm that chooses one node per class; `name` is what the command line and tables call it."""

    name: ClassVar[str]

    def extract(self, problem: Problem) -> Extraction:
        """A valid extraction.

        Raises:
            ExtractionError: a root has no finite acyclic term.
        """
        ...


_extractors: tuple[Extractor, ...] = (BottomUp(), GreedyDag())
EXTRACTORS = {extractor.name: extractor for extractor in _extractors}

__all__ = [
    "COST_MODELS", "EXTRACTORS", "BottomUp", "CostModel", "Extraction", "Extractor", "GreedyDag", "Latency", "LoopAware", "Node",
    "OperationCount", "Problem", "Value", "from_gym_json", "load", "lower_bound", "save", "to_gym_json",
]  # fmt: skip
