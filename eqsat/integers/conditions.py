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


def turn(factor: int, constant: int) -> int:
    """The first i at which `factor · i + constant < 0` is no longer so, or, if the factor is negative, is so.

    >>> turn(2, -5), turn(-1, 3)
    (3, 4)
    """
    return -(constant // factor) if factor > 0 else constant // -factor + 1
