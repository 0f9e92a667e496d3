"""Which arrays are stored, and which kernels compute them: one extraction from the e-graph, jointly with the algebra, with a lower bound."""

from eqsat.schedule.placement.chosen import chosen_nodes
from eqsat.schedule.placement.effort import OF_FEW_STEPS, OF_LAYERS, OF_STEPS, Effort
from eqsat.schedule.placement.extraction import Placed, PlacedKernel, extract_kernels
from eqsat.schedule.placement.kernel_prices import KernelPrices

__all__ = [
    "OF_FEW_STEPS",
    "OF_LAYERS",
    "OF_STEPS",
    "Effort",
    "KernelPrices",
    "Placed",
    "PlacedKernel",
    "chosen_nodes",
    "extract_kernels",
]
