"""What a node costs: cost models are values, each with its unit. `protocol` says what a model is, and how to write one."""

from eqsat.extract.costs.code_size import CodeSize
from eqsat.extract.costs.compositions import Lexicographic, WeightedSum
from eqsat.extract.costs.latency import Latency
from eqsat.extract.costs.learned import Learned
from eqsat.extract.costs.loop_aware import LoopAware
from eqsat.extract.costs.measured import Measured
from eqsat.extract.costs.operations import FewestOperations, OperationCount
from eqsat.extract.costs.protocol import CostModel, Node, Value, nodes_of_graph, total_cost
from eqsat.extract.costs.registers import RegisterPressure
from eqsat.extract.costs.roofline import Roofline

_models: tuple[CostModel, ...] = (
    OperationCount(), Latency(), LoopAware(), Roofline(), RegisterPressure(), CodeSize(),
)  # fmt: skip
COST_MODELS = {model.name: model for model in _models}
"""Those for all programs that need neither a device nor other models, by name."""

__all__ = [
    "COST_MODELS", "CodeSize", "CostModel", "FewestOperations", "Latency", "Learned", "Lexicographic", "LoopAware", "Measured", "Node",
    "OperationCount", "RegisterPressure", "Roofline", "Value", "WeightedSum", "nodes_of_graph", "total_cost",
]  # fmt: skip
