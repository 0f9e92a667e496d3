"""The right results: what NumPy makes of a step, and how far another correct implementation may be off."""

from tests.drawn_arrays.oracle.comparison import wrong_elements
from tests.drawn_arrays.oracle.evaluation import EXACT, FORMULA, SUM, Accuracy, Computation, Value, evaluate
from tests.drawn_arrays.oracle.namespace import ORACLE

__all__ = [
    "EXACT", "FORMULA", "ORACLE", "SUM", "Accuracy", "Computation", "Value", "evaluate", "wrong_elements",
]  # fmt: skip
