"""Solvers that stop after a time limit, and that leave Ctrl-C to Python."""

from __future__ import annotations

import z3


def limited(solver: z3.Solver, milliseconds: int) -> z3.Solver:
    """The solver, with a time limit of each check.

    By default, Z3 handles SIGINT itself: Ctrl-C would only turn the answer into `unknown`, which reads like a proof that took too long. Here
    Python raises KeyboardInterrupt when the check returns, which is within the time limit.
    """
    solver.set("ctrl_c", False)
    solver.set("timeout", milliseconds)
    return solver
