"""Conditions on indices."""

from __future__ import annotations

from eqsat.ops import Op
from eqsat.uop import UOp


def conjuncts(gate: UOp) -> list[UOp]:
    """The conditions of which a gate is the conjunction.

    >>> from eqsat.dtype import bool_
    >>> p, q = UOp.variable("p", 0, 1, bool_), UOp.variable("q", 0, 1, bool_)
    >>> conjuncts(p & q) == [p, q]
    True
    """
    found: list[UOp] = []
    pending = [gate]
    while pending:
        condition = pending.pop()
        if condition.op is Op.AND:
            pending += reversed(condition.src)
        else:
            found.append(condition)
    return found
