"""Extraction chooses one e-node for each e-class, so that the program costs as little as possible under a cost model.

>>> problem = Problem.build(costs=[1, 4, 1], classes=[0, 1, 1], children=[[], [0, 0], [0]], roots=[1], labels=["x", "mul", "shl"])
>>> best = GreedyDag().extract(problem)
>>> problem.labels[best.choice[1]], best.dag_cost, best.optimal
('shl', 2.0, True)
"""

from eqsat.extract.bounds.lower_bound import lower_bound
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
from eqsat.extract.extractors.beam import Beam
from eqsat.extract.extractors.bottom_up import BottomUp
from eqsat.extract.extractors.cp_sat import CpSat
from eqsat.extract.extractors.greedy_dag import GreedyDag
from eqsat.extract.extractors.local_search import LocalSearch
from eqsat.extract.extractors.milp import Milp
from eqsat.extract.extractors.portfolio import Portfolio
from eqsat.extract.extractors.tree_decomposition import TreeDecomposition
from eqsat.extract.gym.files import from_gym_json, load
from eqsat.extract.problem.problem import Problem
from eqsat.extract.problem.result import Extraction, Progress
from eqsat.extract.reductions import Reduction, reduce_problem
from eqsat.extract.registry import EXTRACTORS, Extractor, cost_model_named, extractor_named

__all__ = [
    "COST_MODELS", "EXTRACTORS", "Beam", "BottomUp", "CodeSize", "CostModel", "CpSat", "Extraction", "Extractor", "GreedyDag",
    "Latency", "Learned", "Lexicographic", "LocalSearch", "LoopAware", "Measured", "Milp", "Node", "OperationCount", "Portfolio", "Problem",
    "Progress", "Reduction", "RegisterPressure", "Roofline", "TreeDecomposition", "Value", "WeightedSum", "cost_model_named", "extractor_named",
    "from_gym_json", "load", "lower_bound", "reduce_problem", "total_cost",
]  # fmt: skip
