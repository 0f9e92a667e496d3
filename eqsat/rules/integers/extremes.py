"""MAX and MIN of integers whose operands decide the result. Where bounds decide it, the normal form of n-ary operators handles it."""

from __future__ import annotations

from eqsat.rules.language.pattern import Value, maximum, minimum, where
from eqsat.rules.language.rule import INDEX, INTEGERS, Rewrite, Topic, rewrite
from eqsat.rules.language.scalar import Const

extremes = Topic("extremes")


@extremes.rule(INTEGERS)
def choice_of_the_greater(x: Value, y: Value) -> Rewrite:
    """Choosing the second of two numbers where the first is less, else the first, gives the greater one."""
    return rewrite(where(x < y, y, x), maximum(x, y))


@extremes.rule(INTEGERS)
def choice_of_the_lesser(x: Value, y: Value) -> Rewrite:
    """Choosing the first of two numbers where it is less, else the second, gives the lesser one."""
    return rewrite(where(x < y, x, y), minimum(x, y))


@extremes.rule(INDEX)
def choice_of_the_greater_below_constant(x: Value, c: Const, d: Const) -> Rewrite:
    """An index below c is at most c - 1, so replacing it by c - 1 is the maximum with c - 1."""
    return rewrite(where(x < c, d, x), maximum(x, d), where=d == c - 1)


@extremes.rule(INDEX)
def choice_of_the_lesser_below_constant(x: Value, c: Const, d: Const) -> Rewrite:
    """An index below c is at most c - 1, so choosing it, else c - 1, is the minimum with c - 1."""
    return rewrite(where(x < c, x, d), minimum(x, d), where=d == c - 1)


@extremes.rule(INDEX)
def choice_of_the_greater_above_constant(x: Value, c: Const, d: Const) -> Rewrite:
    """An index above c is at least c + 1, so choosing it, else c + 1, is the maximum with c + 1."""
    return rewrite(where(x > c, x, d), maximum(x, d), where=d == c + 1)


@extremes.rule(INDEX)
def choice_of_the_lesser_above_constant(x: Value, c: Const, d: Const) -> Rewrite:
    """An index above c is at least c + 1, so replacing it by c + 1 is the minimum with c + 1."""
    return rewrite(where(x > c, d, x), minimum(x, d), where=d == c + 1)


# The greater and the lesser of two numbers are the two numbers, in some order.


@extremes.rule(INTEGERS)
def greater_and_lesser_add_up(x: Value, y: Value) -> Rewrite:
    """The sum of the greater and the lesser of two numbers is the sum of the numbers."""
    return rewrite(maximum(x, y) + minimum(x, y), x + y)


@extremes.rule(INTEGERS)
def greater_times_lesser(x: Value, y: Value) -> Rewrite:
    """The product of the greater and the lesser of two numbers is the product of the numbers."""
    return rewrite(maximum(x, y) * minimum(x, y), x * y)


@extremes.rule(INTEGERS)
def lesser_below_greater(x: Value, y: Value) -> Rewrite:
    """The lesser of two numbers is below the greater where the numbers differ."""
    return rewrite(minimum(x, y) < maximum(x, y), x.ne(y))


@extremes.rule(INTEGERS)
def greater_differs_from_lesser(x: Value, y: Value) -> Rewrite:
    """The greater of two numbers differs from the lesser where the numbers differ."""
    return rewrite(maximum(x, y).ne(minimum(x, y)), x.ne(y))


# Comparing the greater or the lesser with an operand.


@extremes.rule(INTEGERS)
def greater_is_not_below_operand(x: Value, y: Value) -> Rewrite:
    """The greater of two numbers is never below one of them."""
    return rewrite(maximum(x, y) < x, False)


@extremes.rule(INTEGERS)
def operand_is_not_below_lesser(x: Value, y: Value) -> Rewrite:
    """One of two numbers is never below the lesser of them."""
    return rewrite(x < minimum(x, y), False)


@extremes.rule(INTEGERS)
def operand_below_greater(x: Value, y: Value) -> Rewrite:
    """An operand is below the greater of two numbers where it is below the other operand."""
    return rewrite(x < maximum(x, y), x < y)


@extremes.rule(INTEGERS)
def lesser_below_operand(x: Value, y: Value) -> Rewrite:
    """The lesser of two numbers is below an operand where the other operand is below it."""
    return rewrite(minimum(x, y) < x, y < x)


@extremes.rule(INTEGERS)
def greater_differs_from_operand(x: Value, y: Value) -> Rewrite:
    """The greater of two numbers differs from an operand where this operand is below the other one."""
    return rewrite(maximum(x, y).ne(x), x < y)


@extremes.rule(INTEGERS)
def lesser_differs_from_operand(x: Value, y: Value) -> Rewrite:
    """The lesser of two numbers differs from an operand where the other operand is below this one."""
    return rewrite(minimum(x, y).ne(x), y < x)


# Comparing with a constant, where a constant operand of the MAX or MIN cannot decide the result.


@extremes.rule(INTEGERS)
def greater_below_constant(x: Value, c: Const, d: Const) -> Rewrite:
    """A constant operand below d does not decide whether the greater one is below d."""
    return rewrite(maximum(x, c) < d, x < d, where=c < d)


@extremes.rule(INTEGERS)
def greater_above_constant(x: Value, c: Const, d: Const) -> Rewrite:
    """A constant operand that is not above d does not decide whether the greater one is above d."""
    return rewrite(maximum(x, c) > d, x > d, where=c <= d)


@extremes.rule(INTEGERS)
def lesser_below_constant(x: Value, c: Const, d: Const) -> Rewrite:
    """A constant operand that is not below d does not decide whether the lesser one is below d."""
    return rewrite(minimum(x, c) < d, x < d, where=c >= d)


@extremes.rule(INTEGERS)
def lesser_above_constant(x: Value, c: Const, d: Const) -> Rewrite:
    """A constant operand above d does not decide whether the lesser one is above d."""
    return rewrite(minimum(x, c) > d, x > d, where=c > d)


# Flipping all bits reverses the order of integers, signed and unsigned.


@extremes.rule(INTEGERS)
def greater_of_complement_and_constant(x: Value, c: Const) -> Rewrite:
    """The greater of a complement and a constant is the complement of the lesser of the number and the constant's complement."""
    return rewrite(maximum(x ^ -1, c), minimum(x, (c + 1) * -1) ^ -1)


@extremes.rule(INTEGERS)
def lesser_of_complement_and_constant(x: Value, c: Const) -> Rewrite:
    """The lesser of a complement and a constant is the complement of the greater of the number and the constant's complement."""
    return rewrite(minimum(x ^ -1, c), maximum(x, (c + 1) * -1) ^ -1)
