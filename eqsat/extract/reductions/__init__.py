"""Makes an extraction problem smaller without losing its optimum.

>>> from eqsat.extract.problem.problem import Problem
>>> problem = Problem.build([1, 4, 1, 9], [0, 1, 1, 1], [[], [0, 0], [0], []], roots=[1])
>>> reduction = reduce_problem(problem)
>>> reduction.parts, reduction.offset
((), 2.0)
>>> [step.name for step in reduction.steps if step.removed]
['dominated', 'single']
"""

from eqsat.extract.reductions.reduce import REDUCTIONS, Part, Reduction, Step, reduce_problem

__all__ = ["REDUCTIONS", "Part", "Reduction", "Step", "reduce_problem"]
