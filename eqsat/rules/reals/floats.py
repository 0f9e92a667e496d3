"""Floats: equations that hold bit by bit in IEEE arithmetic, equations for finite numbers only, and the fused multiply-add.

Exact rules change no bit of a result, NaN payloads aside (and the sign of a zero that MAX or MIN picks from two). `contraction`
holds the fused multiply-add, a topic of its own so that a plan can admit it alone; `rules.reals.real_algebra` has the rules for `fast_math`.
"""

from __future__ import annotations

from math import inf

from eqsat.ops import Op
from eqsat.rules.conversions.lossless import fold, negative, reciprocal_of_power_of_two
from eqsat.rules.language.facts import dtype_of
from eqsat.rules.language.pattern import Value, apply, maximum, minimum
from eqsat.rules.language.rule import FLOATS, Rewrite, Soundness, Topic, rewrite
from eqsat.rules.language.scalar import Const

floats = Topic("floats")
contraction = Topic("contraction")

FINITE, REAL = Soundness.FINITE, Soundness.REAL

# Neutral elements.


@floats.rule(FLOATS)
def multiply_by_one(x: Value) -> Rewrite:
    """Multiplying by one changes nothing."""
    return rewrite(x * 1.0, x)


@floats.rule(FLOATS)
def divide_by_one(x: Value) -> Rewrite:
    """Dividing by one changes nothing."""
    return rewrite(x / 1.0, x)


@floats.rule(FLOATS)
def subtract_zero(x: Value) -> Rewrite:
    """Subtracting zero changes nothing, not even the sign of a zero."""
    return rewrite(x - 0.0, x)


@floats.rule(FLOATS)
def add_negative_zero(x: Value) -> Rewrite:
    """Adding -0.0 changes nothing."""
    return rewrite(x + -0.0, x)


@floats.rule(FLOATS)
def maximum_with_least(x: Value) -> Rewrite:
    """The greater of a value and minus infinity is the value."""
    return rewrite(maximum(x, -inf), x)


@floats.rule(FLOATS)
def minimum_with_greatest(x: Value) -> Rewrite:
    """The lesser of a value and infinity is the value."""
    return rewrite(minimum(x, inf), x)


# Signs.


@floats.rule(FLOATS)
def negate_twice(x: Value) -> Rewrite:
    """A value that is negated twice is itself."""
    return rewrite(apply(Op.NEG, -x), x)


@floats.rule(FLOATS)
def multiply_by_minus_one(x: Value) -> Rewrite:
    """Multiplying by -1 flips the sign."""
    return rewrite(x * -1.0, -x)


@floats.rule(FLOATS)
def subtract_from_negative_zero(x: Value) -> Rewrite:
    """-0.0 less a value is the value with its sign flipped."""
    return rewrite(-0.0 - x, -x)


@floats.rule(FLOATS)
def subtract_negated(x: Value, y: Value) -> Rewrite:
    """Subtracting a negated value adds it."""
    return rewrite(x - (-y), x + y)


@floats.rule(FLOATS)
def add_negated(x: Value, y: Value) -> Rewrite:
    """Adding a negated value subtracts it."""
    return rewrite(x + (-y), x - y)


@floats.rule(FLOATS)
def negate_product(x: Value, y: Value) -> Rewrite:
    """Negating a factor negates the product."""
    return rewrite((-x) * y, -(x * y))


@floats.rule(FLOATS)
def multiply_negated_by_constant(x: Value, c: Const) -> Rewrite:
    """The negation of a factor can be moved to a constant factor."""
    return rewrite((-x) * c, x * negative(c))


@floats.rule(FLOATS)
def negate_dividend(x: Value, y: Value) -> Rewrite:
    """Negating the dividend negates the quotient."""
    return rewrite((-x) / y, -(x / y))


@floats.rule(FLOATS)
def negate_divisor(x: Value, y: Value) -> Rewrite:
    """Negating the divisor negates the quotient."""
    return rewrite(x / (-y), -(x / y))


@floats.rule(FLOATS)
def greatest_of_negated(x: Value, y: Value) -> Rewrite:
    """The greater of two negated values is the lesser, negated."""
    return rewrite(maximum(-x, -y), -minimum(x, y))


@floats.rule(FLOATS)
def least_of_negated(x: Value, y: Value) -> Rewrite:
    """The lesser of two negated values is the greater, negated."""
    return rewrite(minimum(-x, -y), -maximum(x, y))


@floats.rule(FLOATS)
def compare_negated(x: Value, y: Value) -> Rewrite:
    """Negating both sides reverses a comparison."""
    return rewrite((-x) < (-y), y < x)


# Strength reduction.


@floats.rule(FLOATS)
def add_to_itself(x: Value) -> Rewrite:
    """A value added to itself is its double."""
    return rewrite(x + x, x * 2.0, both_ways=True)


@floats.rule(FLOATS)
def divide_by_power_of_two(x: Value, c: Const) -> Rewrite:
    """Dividing by a power of two multiplies by its reciprocal, which is exact."""
    return rewrite(x / c, x * reciprocal_of_power_of_two(c, dtype_of(x)))


@floats.rule(FLOATS)
def one_over_is_reciprocal(x: Value) -> Rewrite:
    """One divided by a value is its reciprocal."""
    return rewrite(1.0 / x, apply(Op.RECIP, x))


@floats.rule(FLOATS)
def power_of_one(x: Value) -> Rewrite:
    """The first power is the base."""
    return rewrite(apply(Op.POW, x, 1.0), x)


@floats.rule(FLOATS, over=(Op.MAX, Op.MIN))
def extreme_with_itself(op: Op, x: Value) -> Rewrite:
    """{op} of a value and itself is the value."""
    return rewrite(apply(op, x, x), x)


@floats.rule(FLOATS, over=(Op.MAX, Op.MIN))
def extremes_with_constants(op: Op, x: Value, c: Const, d: Const) -> Rewrite:
    """{op} with two constants needs only one of them."""
    return rewrite(apply(op, apply(op, x, c), d), apply(op, x, fold(op, c, d)))


@floats.rule(FLOATS)
def not_below_itself(x: Value) -> Rewrite:
    """No value is below itself, and NaN is below nothing."""
    return rewrite(x < x, False)


# Equations for finite numbers only, the sign of zero aside.


@floats.rule(FLOATS, soundness=FINITE)
def add_zero(x: Value) -> Rewrite:
    """Adding zero changes nothing, except that -0.0 becomes 0.0."""
    return rewrite(x + 0.0, x)


@floats.rule(FLOATS, soundness=FINITE)
def multiply_by_zero(x: Value) -> Rewrite:
    """A product with zero is zero."""
    return rewrite(x * 0.0, 0.0)


@floats.rule(FLOATS, soundness=FINITE)
def subtract_from_itself(x: Value) -> Rewrite:
    """A value less itself is zero."""
    return rewrite(x - x, 0.0)


@floats.rule(FLOATS, soundness=FINITE)
def negate_difference(x: Value, y: Value) -> Rewrite:
    """A negated difference is the difference with its operands swapped."""
    return rewrite(-(x - y), y - x)


@floats.rule(FLOATS, soundness=FINITE)
def subtract_from_zero(x: Value) -> Rewrite:
    """Zero less a value is its negative."""
    return rewrite(0.0 - x, -x)


@floats.rule(FLOATS, soundness=FINITE)
def divide_by_itself(x: Value) -> Rewrite:
    """A value divided by itself is one; zero divided by itself is NaN."""
    return rewrite(x / x, 1.0)


# Fused multiply-add.


@contraction.rule(FLOATS, soundness=REAL)
def multiply_then_add(x: Value, y: Value, z: Value) -> Rewrite:
    """A product and its addition to a value can be rounded once."""
    return rewrite(x * y + z, apply(Op.MULACC, x, y, z))


@contraction.rule(FLOATS, soundness=REAL)
def multiply_then_subtract(x: Value, y: Value, z: Value) -> Rewrite:
    """A product and the subtraction of a value from it can be rounded once."""
    return rewrite(x * y - z, apply(Op.MULACC, x, y, -z))


@contraction.rule(FLOATS, soundness=REAL)
def subtract_product(x: Value, y: Value, z: Value) -> Rewrite:
    """A product and its subtraction from a value can be rounded once."""
    return rewrite(z - x * y, apply(Op.MULACC, -x, y, z))
