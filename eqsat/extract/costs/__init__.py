"""Cost models: each gives every e-node a price in a stated unit. `protocol` says how to write one."""

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
    """The cost models that need neither measurements nor other models, by name, with the prices of `machine`."""
    models: tuple[CostModel, ...] = (
        OperationCount(), Latency(machine), LoopAware.of(machine), Roofline.of(machine), RegisterPressure.of(machine), CodeSize(),
    )  # fmt: skip
    return {model.name: model for model in models}


COST_MODELS = cost_models(PROCESSOR)
"""The cost models with the prices of `eqsat.machine.PROCESSOR`, by name."""

__all__ = [
    "COST_MODELS", "CodeSize", "CostModel", "FewestOperations", "Latency", "Learned", "Lexicographic", "LoopAware", "Measured", "Node",
    "OperationCount", "RegisterPressure", "Roofline", "Value", "WeightedSum", "cost_models", "nodes_of_graph", "total_cost",
]  # fmt: skip
