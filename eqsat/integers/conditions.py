"""Conditions on indices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from eqsat.integers.linear import Affine
from eqsat.ops import Op
from eqsat.uop import UOp


def conjuncts(gate: UOp) -> list[UOp]:
    """The conditions whose conjunction is a gate.

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


def negated(condition: UOp) -> UOp | None:
    """The operand of a logical NOT, which the IR writes `condition != True`; None of any other condition.

    >>> p = UOp.variable("p", 0, 3) < 2
    >>> negated(p.logical_not()) is p, negated(p)
    (True, None)
    """
    if condition.op is Op.CMPNE and condition.src[1].op is Op.CONST and condition.src[1].arg is True:
        return condition.src[0]
    return None


def inequality(condition: UOp) -> UOp | None:
    """Returns the comparison `a < b` if the condition is one or negates one; otherwise None."""
    inner = negated(condition)
    comparison = condition if inner is None else inner
    return comparison if comparison.op is Op.CMPLT else None


def slack(condition: UOp, forms: Mapping[UOp, Affine]) -> Affine | None:
    """A linear form that is at least 0 exactly where an inequality, or the negation of one, holds.

    None if the condition is no inequality, or if `forms` lacks one of its sides.

    >>> from eqsat.integers.linear import affine_forms
    >>> i = UOp.variable("i", 0, 15)
    >>> slack(i < 10, affine_forms([i < 10])) == Affine(9, ((i, -1),))
    True
    """
    comparison = inequality(condition)
    if comparison is None or any(side not in forms for side in comparison.src):
        return None
    left, right = (forms[side] for side in comparison.src)
    return right.plus(left, -1).plus(Affine(-1)) if comparison is condition else left.plus(right, -1)


def sign_change(factor: int, constant: int) -> int:
    """The first i at which `factor · i + constant < 0` has changed: it is false from there on, or true if the factor is negative.

    >>> sign_change(2, -5), sign_change(-1, 3)
    (3, 4)
    """
    return -(constant // factor) if factor > 0 else constant // -factor + 1


def gated(address: UOp, conditions: Sequence[UOp]) -> UOp:
    """An address with further conditions in its gate."""
    for condition in conditions:
        gate = address.src[2] & condition if len(address.src) > 2 else condition
        address = address.with_src((*address.src[:2], gate))
    return address
