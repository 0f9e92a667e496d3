"""MAX and MIN of integers whose operands decide the result. Where bounds decide it, the normal form of n-ary operators does so."""

from __future__ import annotations

from eqsat.rules.language.pattern import Value, maximum, minimum, where
from eqsat.rules.language.rule import INDEX, INTEGERS, Rewrite, Topic, rewrite
from eqsat.rules.language.scalar import Const

extremes = Topic("extremes")


@extremes.rule(INTEGERS)
def choice_of_the_greater(x: Value, y: Value) -> Rewrite:
    """The second where the first is less, else the first, is the greater."""
    return rewrite(where(x < y, y, x), maximum(x, y))


@extremes.rule(INTEGERS)
def choice_of_the_lesser(x: Value, y: Value) -> Rewrite:
    """The first where it is less, else the second, is the lesser."""
    return rewrite(where(x < y, x, y), minimum(x, y))


@extremes.rule(INDEX)
def choice_of_the_greater_below_constant(x: Value, c: Const, d: Const) -> Rewrite:
    """Below c is not above c - 1."""
    return rewrite(where(x < c, d, x), maximum(x, d), where=d == c - 1)


@extremes.rule(INDEX)
def choice_of_the_lesser_below_constant(x: Value, c: Const, d: Const) -> Rewrite:
    """Below c is not above c - 1."""
    return rewrite(where(x < c, x, d), minimum(x, d), where=d == c - 1)


@extremes.rule(INDEX)
def choice_of_the_greater_above_constant(x: Value, c: Const, d: Const) -> Rewrite:
    """Above c is not below c + 1."""
    return rewrite(where(x > c, x, d), maximum(x, d), where=d == c + 1)


@extremes.rule(INDEX)
def choice_of_the_lesser_above_constant(x: Value, c: Const, d: Const) -> Rewrite:
    """Above c is not below c + 1."""
    return rewrite(where(x > c, d, x), minimum(x, d), where=d == c + 1)


# The greater and the lesser of two together are the two.


@extremes.rule(INTEGERS)
def greater_and_lesser_add_up(x: Value, y: Value) -> Rewrite:
    """The sum of the greater and the lesser is that of both."""
    return rewrite(maximum(x, y) + minimum(x, y), x + y)


@extremes.rule(INTEGERS)
def greater_times_lesser(x: Value, y: Value) -> Rewrite:
    """The product of the greater and the lesser is that of both."""
    return rewrite(maximum(x, y) * minimum(x, y), x * y)


@extremes.rule(INTEGERS)
def lesser_below_greater(x: Value, y: Value) -> Rewrite:
    """The lesser is below the greater where both differ."""
    return rewrite(minimum(x, y) < maximum(x, y), x.ne(y))


@extremes.rule(INTEGERS)
def greater_differs_from_lesser(x: Value, y: Value) -> Rewrite:
    """The greater differs from the lesser where both differ."""
    return rewrite(maximum(x, y).ne(minimum(x, y)), x.ne(y))


# Comparing the greater or the lesser with an operand.


@extremes.rule(INTEGERS)
def greater_is_not_below_operand(x: Value, y: Value) -> Rewrite:
    """The greater is never below an operand."""
    return rewrite(maximum(x, y) < x, False)


@extremes.rule(INTEGERS)
def operand_is_not_below_lesser(x: Value, y: Value) -> Rewrite:
    """An operand is never below the lesser."""
    return rewrite(x < minimum(x, y), False)


@extremes.rule(INTEGERS)
def operand_below_greater(x: Value, y: Value) -> Rewrite:
    """An operand is below the greater where it is below the other one."""
    return rewrite(x < maximum(x, y), x < y)


@extremes.rule(INTEGERS)
def lesser_below_operand(x: Value, y: Value) -> Rewrite:
    """The lesser is below an operand where the other one is."""
    return rewrite(minimum(x, y) < x, y < x)


@extremes.rule(INTEGERS)
def greater_differs_from_operand(x: Value, y: Value) -> Rewrite:
    """The greater differs from an operand where that is below the other one."""
    return rewrite(maximum(x, y).ne(x), x < y)


@extremes.rule(INTEGERS)
def lesser_differs_from_operand(x: Value, y: Value) -> Rewrite:
    """The lesser differs from an operand where the other one is below that."""
    return rewrite(minimum(x, y).ne(x), y < x)


# Comparing with a constant on the far side of a constant operand, which then has no say.


@extremes.rule(INTEGERS)
def greater_below_constant(x: Value, c: Const, d: Const) -> Rewrite:
    """An operand below the constant has no say."""
    return rewrite(maximum(x, c) < d, x < d, where=c < d)


@extremes.rule(INTEGERS)
def greater_above_constant(x: Value, c: Const, d: Const) -> Rewrite:
    """An operand that is not above the constant has no say."""
    return rewrite(maximum(x, c) > d, x > d, where=c <= d)


@extremes.rule(INTEGERS)
def lesser_below_constant(x: Value, c: Const, d: Const) -> Rewrite:
    """An operand that is not below the constant has no say."""
    return rewrite(minimum(x, c) < d, x < d, where=c >= d)


@extremes.rule(INTEGERS)
def lesser_above_constant(x: Value, c: Const, d: Const) -> Rewrite:
    """An operand above the constant has no say."""
    return rewrite(minimum(x, c) > d, x > d, where=c > d)


# Turning all bits over reverses the order, signed and unsigned.


@extremes.rule(INTEGERS)
def greater_of_complement_and_constant(x: Value, c: Const) -> Rewrite:
    """A complement compares with a constant as the number does, reversed, with the constant's complement."""
    return rewrite(maximum(x ^ -1, c), minimum(x, (c + 1) * -1) ^ -1)


@extremes.rule(INTEGERS)
def lesser_of_complement_and_constant(x: Value, c: Const) -> Rewrite:
    """A complement compares with a constant as the number does, reversed, with the constant's complement."""
    return rewrite(minimum(x ^ -1, c), maximum(x, (c + 1) * -1) ^ -1)
