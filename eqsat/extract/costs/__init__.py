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
from eqsat.machine import PROCESSOR, Machine


def cost_models(machine: Machine) -> dict[str, CostModel]:
    """By name, those for all programs that need neither measurements nor other models, at the prices of a machine."""
    models: tuple[CostModel, ...] = (
        OperationCount(), Latency(machine), LoopAware.of(machine), Roofline.of(machine), RegisterPressure.of(machine), CodeSize(),
    )  # fmt: skip
    return {model.name: model for model in models}


COST_MODELS = cost_models(PROCESSOR)
"""Those of a processor of which nothing else is known."""

__all__ = [
    "COST_MODELS", "CodeSize", "CostModel", "FewestOperations", "Latency", "Learned", "Lexicographic", "LoopAware", "Measured", "Node",
    "OperationCount", "RegisterPressure", "Roofline", "Value", "WeightedSum", "cost_models", "nodes_of_graph", "total_cost",
]  # fmt: skip
