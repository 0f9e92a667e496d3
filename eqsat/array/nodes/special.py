"""Functions of floats for which the IR has no operation."""

from __future__ import annotations

from eqsat.uop import UOp


def absolute(x: UOp) -> UOp:
    """The absolute value of a float; +0.0 for both zeros."""
    return (x > 0.0).where(x, x.like(0.0) - x)


def sign(x: UOp) -> UOp:
    """The sign of a float: -1, 0 or 1; zeros and NaN stay as they are."""
    return (x > 0.0).where(1.0, (x < 0.0).where(-1.0, x))
