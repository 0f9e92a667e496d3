"""Floats as real numbers: equations that round otherwise, which a plan admits with `fast_math`."""

from __future__ import annotations

from eqsat.ops import Op
from eqsat.rules.lossless import fold, nonzero_reciprocal
from eqsat.rules.pattern import Value, apply
from eqsat.rules.rule import FLOATS, Phase, Rewrite, Soundness, Topic, rewrite
from eqsat.rules.scalar import Const, dtype_of

real_algebra = Topic("real algebra")
REAL = Soundness.REAL


# Products, quotients and powers.


@real_algebra.rule(FLOATS, soundness=REAL)
def divide_by_constant(x: Value, c: Const) -> Rewrite:
    """Dividing by a constant multiplies by its reciprocal."""
    return rewrite(x / c, x * nonzero_reciprocal(c, dtype_of(x)))


@real_algebra.rule(FLOATS, soundness=REAL, phase=Phase.EXPLORE)
def divide_by_reciprocal(x: Value, y: Value) -> Rewrite:
    """Dividing is multiplying by the reciprocal."""
    return rewrite(x / y, x * apply(Op.RECIP, y), both_ways=True)


@real_algebra.rule(FLOATS, soundness=REAL)
def reciprocal_twice(x: Value) -> Rewrite:
    """The reciprocal of the reciprocal is the value."""
    return rewrite(apply(Op.RECIP, apply(Op.RECIP, x)), x)


@real_algebra.rule(FLOATS, soundness=REAL)
def square_of_root(x: Value) -> Rewrite:
    """A square root times itself is the value."""
    return rewrite(apply(Op.SQRT, x) * apply(Op.SQRT, x), x)


@real_algebra.rule(FLOATS, soundness=REAL)
def power_of_logarithm(x: Value) -> Rewrite:
    """Two to the power of a logarithm is the value, where there is a logarithm."""
    return rewrite(apply(Op.EXP2, apply(Op.LOG2, x)), x)


@real_algebra.rule(FLOATS, soundness=REAL)
def logarithm_of_power(x: Value) -> Rewrite:
    """The logarithm of a power of two is the exponent."""
    return rewrite(apply(Op.LOG2, apply(Op.EXP2, x)), x)


@real_algebra.rule(FLOATS, soundness=REAL)
def multiply_powers(x: Value, y: Value) -> Rewrite:
    """Powers of two multiply by adding exponents."""
    return rewrite(apply(Op.EXP2, x) * apply(Op.EXP2, y), apply(Op.EXP2, x + y))


@real_algebra.rule(FLOATS, soundness=REAL)
def divide_powers(x: Value, y: Value) -> Rewrite:
    """Powers of two divide by subtracting exponents."""
    return rewrite(apply(Op.EXP2, x) / apply(Op.EXP2, y), apply(Op.EXP2, x - y))


@real_algebra.rule(FLOATS, soundness=REAL)
def common_factor(x: Value, y: Value, z: Value) -> Rewrite:
    """A factor common to two terms is multiplied once."""
    return rewrite(x * z + y * z, (x + y) * z)


@real_algebra.rule(FLOATS, soundness=REAL)
def common_divisor(x: Value, y: Value, z: Value) -> Rewrite:
    """A divisor common to two terms divides once."""
    return rewrite(x / z + y / z, (x + y) / z)


@real_algebra.rule(FLOATS, soundness=REAL, over=(Op.ADD, Op.MUL))
def constants_combine(op: Op, x: Value, c: Const, d: Const) -> Rewrite:
    """{op} with two constants needs only one."""
    return rewrite(apply(op, apply(op, x, c), d), apply(op, x, fold(op, c, d)))


@real_algebra.rule(FLOATS, soundness=REAL)
def square(x: Value) -> Rewrite:
    """The second power is a product."""
    return rewrite(apply(Op.POW, x, 2.0), x * x)


@real_algebra.rule(FLOATS, soundness=REAL)
def power_of_half(x: Value) -> Rewrite:
    """The power of one half is the square root."""
    return rewrite(apply(Op.POW, x, 0.5), apply(Op.SQRT, x))


# Logarithms, roots and sines.


@real_algebra.rule(FLOATS, soundness=REAL)
def add_logarithms(x: Value, y: Value) -> Rewrite:
    """Logarithms add up to that of the product."""
    return rewrite(apply(Op.LOG2, x) + apply(Op.LOG2, y), apply(Op.LOG2, x * y))


@real_algebra.rule(FLOATS, soundness=REAL)
def subtract_logarithms(x: Value, y: Value) -> Rewrite:
    """The difference of logarithms is that of the quotient."""
    return rewrite(apply(Op.LOG2, x) - apply(Op.LOG2, y), apply(Op.LOG2, x / y))


@real_algebra.rule(FLOATS, soundness=REAL)
def logarithm_of_reciprocal(x: Value) -> Rewrite:
    """The logarithm of a reciprocal is the negative one."""
    return rewrite(apply(Op.LOG2, apply(Op.RECIP, x)), -apply(Op.LOG2, x))


@real_algebra.rule(FLOATS, soundness=REAL)
def logarithm_of_root(x: Value) -> Rewrite:
    """The logarithm of a square root is half of that of the value."""
    return rewrite(apply(Op.LOG2, apply(Op.SQRT, x)), apply(Op.LOG2, x) * 0.5)


@real_algebra.rule(FLOATS, soundness=REAL)
def reciprocal_of_power(x: Value) -> Rewrite:
    """The reciprocal of a power of two has the negative exponent."""
    return rewrite(apply(Op.RECIP, apply(Op.EXP2, x)), apply(Op.EXP2, -x))


@real_algebra.rule(FLOATS, soundness=REAL)
def root_of_power(x: Value) -> Rewrite:
    """The square root of a power of two has half the exponent."""
    return rewrite(apply(Op.SQRT, apply(Op.EXP2, x)), apply(Op.EXP2, x * 0.5))


@real_algebra.rule(FLOATS, soundness=REAL)
def multiply_roots(x: Value, y: Value) -> Rewrite:
    """Square roots multiply to that of the product."""
    return rewrite(apply(Op.SQRT, x) * apply(Op.SQRT, y), apply(Op.SQRT, x * y))


@real_algebra.rule(FLOATS, soundness=REAL)
def divide_by_own_root(x: Value) -> Rewrite:
    """A value divided by its square root is the root."""
    return rewrite(x / apply(Op.SQRT, x), apply(Op.SQRT, x))


@real_algebra.rule(FLOATS, soundness=REAL)
def multiply_reciprocals(x: Value, y: Value) -> Rewrite:
    """Reciprocals multiply to that of the product."""
    return rewrite(apply(Op.RECIP, x) * apply(Op.RECIP, y), apply(Op.RECIP, x * y))


@real_algebra.rule(FLOATS, soundness=REAL)
def sine_of_negated(x: Value) -> Rewrite:
    """The sine of the negative is the negative sine."""
    return rewrite(apply(Op.SIN, -x), -apply(Op.SIN, x))
