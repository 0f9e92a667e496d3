"""Quotients and remainders: floor division as Python's `//` and `%`, and the truncating division of the seeds."""

from __future__ import annotations

from eqsat.ops import Op
from eqsat.rules.conversions.lossless import holds_bounds, power_of_two
from eqsat.rules.language.facts import dtype_of, hi, lo
from eqsat.rules.language.pattern import Value, apply
from eqsat.rules.language.rule import INDEX, INTEGERS, INTS, SIGNED, Rewrite, Topic, rewrite
from eqsat.rules.language.scalar import Const, pure

division = Topic("division")


@pure
def exponent_of_two(value: int) -> int | None:
    """k where the value is 2 to the k; None where there is no such k."""
    return value.bit_length() - 1 if value > 0 and value & (value - 1) == 0 else None


# One and the small.


@division.rule(INTEGERS)
def floor_divide_by_one(x: Value) -> Rewrite:
    """A number divided by one is itself."""
    return rewrite(x // 1, x)


@division.rule(INDEX | SIGNED)
def floor_divide_by_minus_one(x: Value) -> Rewrite:
    """A number divided by minus one is its negative."""
    return rewrite(x // -1, x * -1)


@division.rule(INTEGERS)
def modulo_one(x: Value) -> Rewrite:
    """Nothing remains of a division by one."""
    return rewrite(x % 1, 0)


@division.rule(INTEGERS)
def divide_within_one_quotient(x: Value, c: Const) -> Rewrite:
    """Where the bounds of the dividend have one quotient, all values between have it."""
    return rewrite(x // c, lo(x) // c, where=(c > 0) & (hi(x) // c <= lo(x) // c))


@division.rule(INTEGERS)
def modulo_of_small(x: Value, c: Const) -> Rewrite:
    """A number from zero up to the divisor remains."""
    return rewrite(x % c, x, where=(lo(x) >= 0) & (hi(x) < c))


@division.rule(INDEX)
def modulo_of_minus_one_or_zero(x: Value, c: Const) -> Rewrite:
    """Of minus one remains the divisor less one, of zero nothing."""
    return rewrite(x % c, x * (1 - c), where=(c > 1) & (lo(x) >= -1) & (hi(x) <= 0))


@division.rule(INDEX)
def modulo_within_one_quotient(x: Value, c: Const) -> Rewrite:
    """Where the bounds of the dividend have one quotient, the remainder is a difference."""
    return rewrite(x % c, x + (lo(x) // c) * c * -1, where=(c > 0) & (hi(x) // c <= lo(x) // c))


# Sums.


@division.rule(INDEX)
def divide_sum_with_multiples(x: Value, y: Value, c: Const) -> Rewrite:
    """Multiples of the divisor leave the dividend."""
    return rewrite((x * c + y) // c, x + y // c, where=c > 0)


@division.rule(INDEX)
def modulo_forgets_multiples(x: Value, y: Value, c: Const) -> Rewrite:
    """Multiples of the divisor do not change the remainder."""
    return rewrite((x * c + y) % c, y % c, where=c > 0)


@division.rule(INDEX)
def divide_multiple(x: Value, c: Const) -> Rewrite:
    """A product divided by its own factor is the other factor."""
    return rewrite((x * c) // c, x, where=c != 0)


@division.rule(INTS)
def divide_multiple_that_fits(x: Value, c: Const) -> Rewrite:
    """A product that bounds keep from wrapping, divided by its own factor, is the other factor."""
    guard = (c > 0) & holds_bounds(dtype_of(x), lo(x) * c, hi(x) * c)
    return rewrite((x * c) // c, x, where=guard)


@division.rule(INTS)
def truncating_division_of_multiple_that_fits(x: Value, c: Const) -> Rewrite:
    """A product that bounds keep from wrapping, divided by its own factor, is the other factor."""
    guard = (c > 0) & holds_bounds(dtype_of(x), lo(x) * c, hi(x) * c)
    return rewrite(apply(Op.IDIV, x * c, c), x, where=guard)


@division.rule(INDEX)
def modulo_of_multiple(x: Value, c: Const) -> Rewrite:
    """Nothing remains of a multiple."""
    return rewrite((x * c) % c, 0, where=c != 0)


@division.rule(INDEX)
def divide_by_common_factor(x: Value, y: Value, c: Const, d: Const) -> Rewrite:
    """A factor of the divisor cancels, and a rest smaller than it has no say."""
    guard = (d > 1) & (c > d) & (c % d == 0) & (lo(y) >= 0) & (hi(y) < d)
    return rewrite((x * d + y) // c, x // (c // d), where=guard)


@division.rule(INDEX)
def modulo_by_common_factor(x: Value, y: Value, c: Const, d: Const) -> Rewrite:
    """A factor of the divisor comes out of the remainder, and a rest smaller than it stays."""
    guard = (d > 1) & (c > d) & (c % d == 0) & (lo(y) >= 0) & (hi(y) < d)
    return rewrite((x * d + y) % c, x % (c // d) * d + y, where=guard)


@division.rule(INDEX)
def divide_product_by_multiple(x: Value, c: Const, d: Const) -> Rewrite:
    """A factor that divides the divisor cancels."""
    return rewrite((x * d) // c, x // (c // d), where=(d > 1) & (c != 0) & (c % d == 0))


@division.rule(INDEX)
def modulo_product_by_multiple(x: Value, c: Const, d: Const) -> Rewrite:
    """A factor that divides the divisor comes out of the remainder."""
    return rewrite((x * d) % c, x % (c // d) * d, where=(d > 1) & (c > d) & (c % d == 0))


# Divisions of divisions.


@division.rule(INDEX)
def divide_twice(x: Value, c: Const, d: Const) -> Rewrite:
    """Dividing twice divides by the product. (Where x is not known to reach c, its quotient is settled by bounds alone.)"""
    return rewrite(x // c // d, x // (c * d), where=(c > 0) & (d > 0) & (hi(x) - lo(x) >= c))


@division.rule(INDEX)
def divide_twice_by_negative(x: Value, c: Const, d: Const) -> Rewrite:
    """Dividing twice divides by the product, if the second divisor is positive."""
    return rewrite(x // c // d, x // (c * d), where=(c < 0) & (d > 0) & (hi(x) - lo(x) >= c * -1))


@division.rule(INDEX)
def divide_quotient_and_constant(x: Value, c: Const, d: Const, e: Const) -> Rewrite:
    """A constant beside a quotient goes into its dividend before both are divided."""
    guard = (c > 0) & (d > 1) & (hi(x) - lo(x) >= c)
    return rewrite((x // c + e) // d, (x + e * c) // (c * d), where=guard)


@division.rule(INDEX)
def divide_negative_quotient_and_constant(x: Value, c: Const, d: Const, e: Const) -> Rewrite:
    """A constant beside a quotient by a negative number goes into its dividend before both are divided."""
    guard = (c < 0) & (d > 1) & (hi(x) - lo(x) >= c * -1)
    return rewrite((x // c + e) // d, (x + e * c) // (c * d), where=guard)


@division.rule(INTEGERS)
def modulo_twice(x: Value, c: Const, d: Const) -> Rewrite:
    """The remainder of a remainder by a divisor of the first divisor."""
    return rewrite(x % c % d, x % d, where=(c > 0) & (d > 0) & (c % d == 0))


@division.rule(INTEGERS)
def divide_remainder(x: Value, c: Const, d: Const) -> Rewrite:
    """The quotient of a remainder is a digit of the number."""
    return rewrite(x % c // d, x // d % (c // d), where=(c > 0) & (d > 0) & (c % d == 0))


# Quotient and remainder together.


@division.rule(INTEGERS)
def quotient_and_remainder_recombine(x: Value, c: Const) -> Rewrite:
    """Divisor times quotient plus remainder is the dividend."""
    return rewrite(x // c * c + x % c, x, where=c > 0)


@division.rule(INDEX)
def scaled_quotient_and_remainder_recombine(x: Value, c: Const, d: Const, e: Const) -> Rewrite:
    """A multiple of divisor times quotient plus the same multiple of the remainder."""
    return rewrite(x // c * d + x % c * e, x * e, where=(c > 0) & (e * c == d))


@division.rule(INDEX)
def digits_recombine(x: Value, c: Const, d: Const) -> Rewrite:
    """A digit and the remainder below it are a remainder by the product."""
    return rewrite(x // c % d * c + x % c, x % (c * d), where=(c > 0) & (d > 0))


@division.rule(INDEX)
def scaled_digits_recombine(x: Value, c: Const, d: Const, e: Const, f: Const) -> Rewrite:
    """The same multiple of a digit and of the remainder below it."""
    return rewrite(x // c % d * e + x % c * f, x % (c * d) * f, where=(c > 0) & (d > 0) & (f * c == e))


@division.rule(INTEGERS)
def number_less_remainder(x: Value, c: Const) -> Rewrite:
    """A number less its remainder is the multiple below it."""
    return rewrite(x + x % c * -1, x // c * c, where=c > 0)


# Divisors that vary. Only positive ones: where there is no value, the two sides of a rule would say different things of one term.


@division.rule(INTEGERS, over=(Op.FLOORDIV, Op.IDIV))
def quotient_of_itself(op: Op, x: Value) -> Rewrite:
    """A positive number goes into itself once ({op})."""
    return rewrite(apply(op, x, x), 1, where=lo(x) > 0)


@division.rule(INTEGERS, over=(Op.FLOORMOD, Op.MOD))
def remainder_of_itself(op: Op, x: Value) -> Rewrite:
    """Nothing remains of a positive number divided by itself ({op})."""
    return rewrite(apply(op, x, x), 0, where=lo(x) > 0)


@division.rule(INDEX)
def divide_product_by_factor(x: Value, y: Value) -> Rewrite:
    """A product divided by its own positive factor is the other factor."""
    return rewrite((x * y) // y, x, where=lo(y) > 0)


@division.rule(INDEX)
def modulo_of_product_by_factor(x: Value, y: Value) -> Rewrite:
    """Nothing remains of a product divided by its own positive factor."""
    return rewrite((x * y) % y, 0, where=lo(y) > 0)


@division.rule(INDEX)
def divide_sum_with_product(x: Value, y: Value, z: Value) -> Rewrite:
    """Multiples of a positive divisor leave the dividend."""
    return rewrite((x * y + z) // y, x + z // y, where=lo(y) > 0)


@division.rule(INDEX)
def divide_sum_with_divisor(x: Value, y: Value) -> Rewrite:
    """A positive divisor leaves the dividend as one."""
    return rewrite((x + y) // y, x // y + 1, where=lo(y) > 0)


@division.rule(INDEX)
def modulo_forgets_divisor(x: Value, y: Value) -> Rewrite:
    """A positive divisor in the dividend does not change the remainder."""
    return rewrite((x + y) % y, x % y, where=lo(y) > 0)


@division.rule(INTEGERS, over=(Op.FLOORDIV, Op.IDIV))
def quotient_below_divisor(op: Op, x: Value, y: Value) -> Rewrite:
    """A divisor goes no time into a number from zero up that is below it ({op})."""
    return rewrite(apply(op, x, y), 0, where=(lo(x) >= 0) & (hi(x) < lo(y)))


@division.rule(INTEGERS, over=(Op.FLOORMOD, Op.MOD))
def remainder_below_divisor(op: Op, x: Value, y: Value) -> Rewrite:
    """A number from zero up that is below the divisor remains ({op})."""
    return rewrite(apply(op, x, y), x, where=(lo(x) >= 0) & (hi(x) < lo(y)))


@division.rule(INTEGERS)
def divide_remainder_by_divisor(x: Value, y: Value) -> Rewrite:
    """A remainder is below its positive divisor."""
    return rewrite(x % y // y, 0, where=lo(y) > 0)


@division.rule(INTEGERS)
def modulo_twice_by_one_divisor(x: Value, y: Value) -> Rewrite:
    """A remainder by a positive divisor is its own remainder by it."""
    return rewrite(x % y % y, x % y, where=lo(y) > 0)


# Powers of two.


@division.rule(INTS)
def floor_divide_by_power_of_two(x: Value, c: Const) -> Rewrite:
    """Floor division by 2 to the k moves the bits to the right by k."""
    return rewrite(x // c, x >> exponent_of_two(c), where=c > 1)


@division.rule(INTS)
def shift_right_divides(x: Value, c: Const) -> Rewrite:
    """Moving the bits to the right by k divides by 2 to the k, rounding down."""
    return rewrite(x >> c, x // power_of_two(c, dtype_of(x)), where=c > 0)


@division.rule(INTS)
def modulo_power_of_two(x: Value, c: Const) -> Rewrite:
    """The remainder by a power of two is its low bits."""
    return rewrite(x % c, x & (c - 1), where=(c > 1) & (exponent_of_two(c) > 0))


# Truncating division.


@division.rule(INTEGERS)
def truncating_division_by_one(x: Value) -> Rewrite:
    """A number divided by one is itself."""
    return rewrite(apply(Op.IDIV, x, 1), x)


@division.rule(INTEGERS)
def truncating_modulo_one(x: Value) -> Rewrite:
    """Nothing remains of a division by one."""
    return rewrite(apply(Op.MOD, x, 1), 0)


@division.rule(INTEGERS)
def truncation_of_non_negative_is_floor(x: Value, c: Const) -> Rewrite:
    """Where nothing is negative, truncating and rounding down agree."""
    return rewrite(apply(Op.IDIV, x, c), x // c, where=(lo(x) >= 0) & (c > 0))


@division.rule(INTEGERS)
def truncating_remainder_of_non_negative_is_floor(x: Value, c: Const) -> Rewrite:
    """Where nothing is negative, the two remainders agree."""
    return rewrite(apply(Op.MOD, x, c), x % c, where=(lo(x) >= 0) & (c > 0))


@division.rule(INTEGERS)
def truncated_quotient_and_remainder_recombine(x: Value, c: Const) -> Rewrite:
    """Divisor times quotient plus remainder is the dividend, for truncating division too."""
    return rewrite(apply(Op.IDIV, x, c) * c + apply(Op.MOD, x, c), x, where=c > 0)


@division.rule(INTEGERS)
def number_less_truncated_remainder(x: Value, c: Const) -> Rewrite:
    """A number less its remainder is divisor times quotient, for truncating division too."""
    return rewrite(x + apply(Op.MOD, x, c) * -1, apply(Op.IDIV, x, c) * c, where=c > 0)
