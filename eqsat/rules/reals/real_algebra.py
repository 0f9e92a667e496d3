"""Floats as real numbers: equations whose sides round differently, which a plan admits with `fast_math`.

`rules.reals.functions` expresses elementary functions by each other.
"""

from __future__ import annotations

from eqsat.ops import Op
from eqsat.rules.conversions.lossless import fold, half_of_even, less_one_of_odd, nonzero_reciprocal
from eqsat.rules.language.facts import dtype_of
from eqsat.rules.language.pattern import Value, apply
from eqsat.rules.language.rule import FLOATS, Phase, Rewrite, Soundness, Topic, rewrite
from eqsat.rules.language.scalar import Const

real_algebra = Topic("real algebra")
REAL = Soundness.REAL
LOGARITHM = {Op.EXP2: Op.LOG2, Op.EXP: Op.LOG}  # for each exponential, the logarithm to the same base
EXPONENTIALS = tuple(LOGARITHM)
LOGARITHMS = (Op.LOG2, Op.LOG, Op.LOG10)


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


@real_algebra.rule(FLOATS, soundness=REAL, over=EXPONENTIALS)
def power_of_logarithm(op: Op, x: Value) -> Rewrite:
    """{op} of the logarithm to its base is the value, where the logarithm exists."""
    return rewrite(apply(op, apply(LOGARITHM[op], x)), x)


@real_algebra.rule(FLOATS, soundness=REAL, over=EXPONENTIALS)
def logarithm_of_power(op: Op, x: Value) -> Rewrite:
    """The logarithm of {op} to its base is the exponent."""
    return rewrite(apply(LOGARITHM[op], apply(op, x)), x)


@real_algebra.rule(FLOATS, soundness=REAL, over=EXPONENTIALS)
def multiply_powers(op: Op, x: Value, y: Value) -> Rewrite:
    """The product of two {op} is {op} of the sum of the exponents."""
    return rewrite(apply(op, x) * apply(op, y), apply(op, x + y))


@real_algebra.rule(FLOATS, soundness=REAL, over=EXPONENTIALS)
def divide_powers(op: Op, x: Value, y: Value) -> Rewrite:
    """The quotient of two {op} is {op} of the difference of the exponents."""
    return rewrite(apply(op, x) / apply(op, y), apply(op, x - y))


@real_algebra.rule(FLOATS, soundness=REAL)
def common_factor(x: Value, y: Value, z: Value) -> Rewrite:
    """A factor that two terms have in common can be multiplied once."""
    return rewrite(x * z + y * z, (x + y) * z)


@real_algebra.rule(FLOATS, soundness=REAL)
def common_divisor(x: Value, y: Value, z: Value) -> Rewrite:
    """A divisor that two terms have in common can divide once."""
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


@real_algebra.rule(FLOATS, soundness=REAL)
def even_power(x: Value, c: Const) -> Rewrite:
    """An even power is the square of the power with half the exponent."""
    return rewrite(apply(Op.POW, x, c), apply(Op.POW, x, half_of_even(c)) * apply(Op.POW, x, half_of_even(c)))


@real_algebra.rule(FLOATS, soundness=REAL)
def odd_power(x: Value, c: Const) -> Rewrite:
    """An odd power is the value times an even power."""
    return rewrite(apply(Op.POW, x, c), x * apply(Op.POW, x, less_one_of_odd(c)))


# Logarithms and roots.


@real_algebra.rule(FLOATS, soundness=REAL, over=LOGARITHMS)
def add_logarithms(op: Op, x: Value, y: Value) -> Rewrite:
    """The sum of two {op} is {op} of the product."""
    return rewrite(apply(op, x) + apply(op, y), apply(op, x * y))


@real_algebra.rule(FLOATS, soundness=REAL, over=LOGARITHMS)
def subtract_logarithms(op: Op, x: Value, y: Value) -> Rewrite:
    """The difference of two {op} is {op} of the quotient."""
    return rewrite(apply(op, x) - apply(op, y), apply(op, x / y))


@real_algebra.rule(FLOATS, soundness=REAL, over=LOGARITHMS)
def logarithm_of_reciprocal(op: Op, x: Value) -> Rewrite:
    """{op} of a reciprocal is the negative {op} of the value."""
    return rewrite(apply(op, apply(Op.RECIP, x)), -apply(op, x))


@real_algebra.rule(FLOATS, soundness=REAL, over=LOGARITHMS)
def logarithm_of_root(op: Op, x: Value) -> Rewrite:
    """{op} of a square root is half of {op} of the value."""
    return rewrite(apply(op, apply(Op.SQRT, x)), apply(op, x) * 0.5)


@real_algebra.rule(FLOATS, soundness=REAL, over=EXPONENTIALS)
def reciprocal_of_power(op: Op, x: Value) -> Rewrite:
    """The reciprocal of {op} is {op} of the negative exponent."""
    return rewrite(apply(Op.RECIP, apply(op, x)), apply(op, -x))


@real_algebra.rule(FLOATS, soundness=REAL, over=EXPONENTIALS)
def root_of_power(op: Op, x: Value) -> Rewrite:
    """The square root of {op} is {op} of half the exponent."""
    return rewrite(apply(Op.SQRT, apply(op, x)), apply(op, x * 0.5))


@real_algebra.rule(FLOATS, soundness=REAL)
def multiply_roots(x: Value, y: Value) -> Rewrite:
    """The product of two square roots is the square root of the product."""
    return rewrite(apply(Op.SQRT, x) * apply(Op.SQRT, y), apply(Op.SQRT, x * y))


@real_algebra.rule(FLOATS, soundness=REAL)
def divide_by_own_root(x: Value) -> Rewrite:
    """A value divided by its square root is the root."""
    return rewrite(x / apply(Op.SQRT, x), apply(Op.SQRT, x))


@real_algebra.rule(FLOATS, soundness=REAL)
def multiply_reciprocals(x: Value, y: Value) -> Rewrite:
    """The product of two reciprocals is the reciprocal of the product."""
    return rewrite(apply(Op.RECIP, x) * apply(Op.RECIP, y), apply(Op.RECIP, x * y))
