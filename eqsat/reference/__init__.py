"""The meaning of every UOp, in NumPy: the oracle of all tests.

`evaluate` computes the values of a graph, `evaluate_kernel` runs the stores of one kernel, and `run_linear` runs a list of instructions.
"""

from eqsat.reference.alu import combine, compute
from eqsat.reference.evaluate import MEANING, evaluate, evaluate_kernel, lowering
from eqsat.reference.linear.instructions import INSTRUCTIONS
from eqsat.reference.linear.interpreter import run_linear
from eqsat.reference.number import constant, convert, hold, reinterpret

__all__ = [
    "INSTRUCTIONS",
    "MEANING",
    "combine",
    "compute",
    "constant",
    "convert",
    "evaluate",
    "evaluate_kernel",
    "hold",
    "lowering",
    "reinterpret",
    "run_linear",
]
