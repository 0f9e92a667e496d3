"""Functions of floats that the IR has no operation for."""

from __future__ import annotations

from eqsat.uop import UOp


def absolute(x: UOp) -> UOp:
    """Distance from zero; of both zeros, +0.0."""
    return (x > 0.0).where(x, x.like(0.0) - x)


def sign(x: UOp) -> UOp:
    """-1, 0 or 1; NaN stays NaN."""
    return (x > 0.0).where(1.0, (x < 0.0).where(-1.0, x))
