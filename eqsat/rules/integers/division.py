"""Quotients and remainders: floor division like Python's `//` and `%`, and truncating division (IDIV and MOD)."""

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
    """The k for which the value is 2 to the k; None if there is none."""
    return value.bit_length() - 1 if value > 0 and value & (value - 1) == 0 else None


# Division by one, and dividends with a single quotient.


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
    """The remainder of a division by one is zero."""
    return rewrite(x % 1, 0)


@division.rule(INTEGERS)
def divide_within_one_quotient(x: Value, c: Const) -> Rewrite:
    """If both bounds of the dividend have the same quotient, every value between them has it."""
    return rewrite(x // c, lo(x) // c, where=(c > 0) & (hi(x) // c <= lo(x) // c))


@division.rule(INTEGERS)
def modulo_of_small(x: Value, c: Const) -> Rewrite:
    """A number that is not negative and below the divisor is its own remainder."""
    return rewrite(x % c, x, where=(lo(x) >= 0) & (hi(x) < c))


@division.rule(INDEX)
def modulo_of_minus_one_or_zero(x: Value, c: Const) -> Rewrite:
    """The remainder of minus one is the divisor less one; the remainder of zero is zero."""
    return rewrite(x % c, x * (1 - c), where=(c > 1) & (lo(x) >= -1) & (hi(x) <= 0))


@division.rule(INDEX)
def modulo_within_one_quotient(x: Value, c: Const) -> Rewrite:
    """If both bounds of the dividend have the same quotient, the remainder is the dividend less a constant."""
    return rewrite(x % c, x + (lo(x) // c) * c * -1, where=(c > 0) & (hi(x) // c <= lo(x) // c))


# Sums.


@division.rule(INDEX)
def divide_sum_with_multiples(x: Value, y: Value, c: Const) -> Rewrite:
    """Multiples of the divisor can be taken out of the dividend."""
    return rewrite((x * c + y) // c, x + y // c, where=c > 0)


@division.rule(INDEX)
def modulo_of_sum_with_multiples(x: Value, y: Value, c: Const) -> Rewrite:
    """Multiples of the divisor do not change the remainder."""
    return rewrite((x * c + y) % c, y % c, where=c > 0)


@division.rule(INDEX)
def divide_multiple(x: Value, c: Const) -> Rewrite:
    """A product divided by its own factor is the other factor."""
    return rewrite((x * c) // c, x, where=c != 0)


@division.rule(INTS)
def divide_multiple_that_fits(x: Value, c: Const) -> Rewrite:
    """If bounds show that a product does not wrap, dividing it by one factor gives the other factor."""
    guard = (c > 0) & holds_bounds(dtype_of(x), lo(x) * c, hi(x) * c)
    return rewrite((x * c) // c, x, where=guard)


@division.rule(INTS)
def truncating_division_of_multiple_that_fits(x: Value, c: Const) -> Rewrite:
    """If bounds show that a product does not wrap, truncating division by one factor gives the other factor."""
    guard = (c > 0) & holds_bounds(dtype_of(x), lo(x) * c, hi(x) * c)
    return rewrite(apply(Op.IDIV, x * c, c), x, where=guard)


@division.rule(INDEX)
def modulo_of_multiple(x: Value, c: Const) -> Rewrite:
    """The remainder of a multiple of the divisor is zero."""
    return rewrite((x * c) % c, 0, where=c != 0)


@division.rule(INDEX)
def divide_by_common_factor(x: Value, y: Value, c: Const, d: Const) -> Rewrite:
    """A factor of a term that divides the divisor cancels; a rest smaller than this factor does not change the quotient."""
    guard = (d > 1) & (c > d) & (c % d == 0) & (lo(y) >= 0) & (hi(y) < d)
    return rewrite((x * d + y) // c, x // (c // d), where=guard)


@division.rule(INDEX)
def modulo_by_common_factor(x: Value, y: Value, c: Const, d: Const) -> Rewrite:
    """A factor of a term that divides the divisor can be taken out of the remainder; a rest smaller than this factor is added."""
    guard = (d > 1) & (c > d) & (c % d == 0) & (lo(y) >= 0) & (hi(y) < d)
    return rewrite((x * d + y) % c, x % (c // d) * d + y, where=guard)


@division.rule(INDEX)
def divide_product_by_multiple(x: Value, c: Const, d: Const) -> Rewrite:
    """A factor that divides the divisor cancels."""
    return rewrite((x * d) // c, x // (c // d), where=(d > 1) & (c != 0) & (c % d == 0))


@division.rule(INDEX)
def modulo_product_by_multiple(x: Value, c: Const, d: Const) -> Rewrite:
    """A factor that divides the divisor can be taken out of the remainder."""
    return rewrite((x * d) % c, x % (c // d) * d, where=(d > 1) & (c > d) & (c % d == 0))


# Divisions of divisions.


@division.rule(INDEX)
def divide_twice(x: Value, c: Const, d: Const) -> Rewrite:
    """Dividing twice divides by the product of the divisors. (If x varies by less than c, bounds alone settle the quotient.)"""
    return rewrite(x // c // d, x // (c * d), where=(c > 0) & (d > 0) & (hi(x) - lo(x) >= c))


@division.rule(INDEX)
def divide_twice_by_negative(x: Value, c: Const, d: Const) -> Rewrite:
    """Dividing twice divides by the product of the divisors, if the second divisor is positive."""
    return rewrite(x // c // d, x // (c * d), where=(c < 0) & (d > 0) & (hi(x) - lo(x) >= c * -1))


@division.rule(INDEX)
def divide_quotient_and_constant(x: Value, c: Const, d: Const, e: Const) -> Rewrite:
    """A constant that is added to a quotient can be added to the dividend, times the divisor; then one division is enough."""
    guard = (c > 0) & (d > 1) & (hi(x) - lo(x) >= c)
    return rewrite((x // c + e) // d, (x + e * c) // (c * d), where=guard)


@division.rule(INDEX)
def divide_negative_quotient_and_constant(x: Value, c: Const, d: Const, e: Const) -> Rewrite:
    """A constant added to a quotient by a negative number can be added to the dividend, times the divisor; then one division is enough."""
    guard = (c < 0) & (d > 1) & (hi(x) - lo(x) >= c * -1)
    return rewrite((x // c + e) // d, (x + e * c) // (c * d), where=guard)


@division.rule(INTEGERS)
def modulo_twice(x: Value, c: Const, d: Const) -> Rewrite:
    """The remainder by c, then by a divisor of c, is the remainder by that divisor."""
    return rewrite(x % c % d, x % d, where=(c > 0) & (d > 0) & (c % d == 0))


@division.rule(INTEGERS)
def divide_remainder(x: Value, c: Const, d: Const) -> Rewrite:
    """The quotient of a remainder is a digit of the number, which is the remainder of a quotient."""
    return rewrite(x % c // d, x // d % (c // d), where=(c > 0) & (d > 0) & (c % d == 0))


# Quotient and remainder together.


@division.rule(INTEGERS)
def quotient_and_remainder_recombine(x: Value, c: Const) -> Rewrite:
    """Divisor times quotient plus remainder is the dividend."""
    return rewrite(x // c * c + x % c, x, where=c > 0)


@division.rule(INDEX)
def scaled_quotient_and_remainder_recombine(x: Value, c: Const, d: Const, e: Const) -> Rewrite:
    """A multiple of divisor times quotient, plus the same multiple of the remainder, is that multiple of the dividend."""
    return rewrite(x // c * d + x % c * e, x * e, where=(c > 0) & (e * c == d))


@division.rule(INDEX)
def digits_recombine(x: Value, c: Const, d: Const) -> Rewrite:
    """A digit times its place value, plus the remainder below it, is the remainder by the product of both divisors."""
    return rewrite(x // c % d * c + x % c, x % (c * d), where=(c > 0) & (d > 0))


@division.rule(INDEX)
def scaled_digits_recombine(x: Value, c: Const, d: Const, e: Const, f: Const) -> Rewrite:
    """A multiple of a digit, plus the same multiple of the remainder below it, is a multiple of the remainder by the product."""
    return rewrite(x // c % d * e + x % c * f, x % (c * d) * f, where=(c > 0) & (d > 0) & (f * c == e))


@division.rule(INTEGERS)
def number_less_remainder(x: Value, c: Const) -> Rewrite:
    """A number less its remainder is the greatest multiple of the divisor up to the number."""
    return rewrite(x + x % c * -1, x // c * c, where=c > 0)


# Divisors that are not constant. They must be positive: a division by zero has no value, and rules would make it equal to different terms.


@division.rule(INTEGERS, over=(Op.FLOORDIV, Op.IDIV))
def quotient_of_itself(op: Op, x: Value) -> Rewrite:
    """A positive number divided by itself is one ({op})."""
    return rewrite(apply(op, x, x), 1, where=lo(x) > 0)


@division.rule(INTEGERS, over=(Op.FLOORMOD, Op.MOD))
def remainder_of_itself(op: Op, x: Value) -> Rewrite:
    """The remainder of a positive number divided by itself is zero ({op})."""
    return rewrite(apply(op, x, x), 0, where=lo(x) > 0)


@division.rule(INDEX)
def divide_product_by_factor(x: Value, y: Value) -> Rewrite:
    """A product divided by its own positive factor is the other factor."""
    return rewrite((x * y) // y, x, where=lo(y) > 0)


@division.rule(INDEX)
def modulo_of_product_by_factor(x: Value, y: Value) -> Rewrite:
    """The remainder of a product divided by its own positive factor is zero."""
    return rewrite((x * y) % y, 0, where=lo(y) > 0)


@division.rule(INDEX)
def divide_sum_with_product(x: Value, y: Value, z: Value) -> Rewrite:
    """Multiples of a positive divisor can be taken out of the dividend."""
    return rewrite((x * y + z) // y, x + z // y, where=lo(y) > 0)


@division.rule(INDEX)
def divide_sum_with_divisor(x: Value, y: Value) -> Rewrite:
    """Adding a positive divisor to the dividend adds one to the quotient."""
    return rewrite((x + y) // y, x // y + 1, where=lo(y) > 0)


@division.rule(INDEX)
def modulo_of_sum_with_divisor(x: Value, y: Value) -> Rewrite:
    """Adding a positive divisor to the dividend does not change the remainder."""
    return rewrite((x + y) % y, x % y, where=lo(y) > 0)


@division.rule(INTEGERS, over=(Op.FLOORDIV, Op.IDIV))
def quotient_below_divisor(op: Op, x: Value, y: Value) -> Rewrite:
    """The quotient of a number that is not negative and below the divisor is zero ({op})."""
    return rewrite(apply(op, x, y), 0, where=(lo(x) >= 0) & (hi(x) < lo(y)))


@division.rule(INTEGERS, over=(Op.FLOORMOD, Op.MOD))
def remainder_below_divisor(op: Op, x: Value, y: Value) -> Rewrite:
    """A number that is not negative and below the divisor is its own remainder ({op})."""
    return rewrite(apply(op, x, y), x, where=(lo(x) >= 0) & (hi(x) < lo(y)))


@division.rule(INTEGERS)
def divide_remainder_by_divisor(x: Value, y: Value) -> Rewrite:
    """A remainder is below its positive divisor, so its quotient by the same divisor is zero."""
    return rewrite(x % y // y, 0, where=lo(y) > 0)


@division.rule(INTEGERS)
def modulo_twice_by_one_divisor(x: Value, y: Value) -> Rewrite:
    """Taking the remainder by the same positive divisor twice is taking it once."""
    return rewrite(x % y % y, x % y, where=lo(y) > 0)


# Powers of two.


@division.rule(INTS)
def floor_divide_by_power_of_two(x: Value, c: Const) -> Rewrite:
    """Floor division by 2 to the k is a right shift by k."""
    return rewrite(x // c, x >> exponent_of_two(c), where=c > 1)


@division.rule(INTS)
def shift_right_divides(x: Value, c: Const) -> Rewrite:
    """A right shift by k divides by 2 to the k, rounding down."""
    return rewrite(x >> c, x // power_of_two(c, dtype_of(x)), where=c > 0)


@division.rule(INTS)
def modulo_power_of_two(x: Value, c: Const) -> Rewrite:
    """The remainder by a power of two is the low bits of the number."""
    return rewrite(x % c, x & (c - 1), where=(c > 1) & (exponent_of_two(c) > 0))


# Truncating division.


@division.rule(INTEGERS)
def truncating_division_by_one(x: Value) -> Rewrite:
    """A number divided by one is itself, for truncating division too."""
    return rewrite(apply(Op.IDIV, x, 1), x)


@division.rule(INTEGERS)
def truncating_modulo_one(x: Value) -> Rewrite:
    """The remainder of a truncating division by one is zero."""
    return rewrite(apply(Op.MOD, x, 1), 0)


@division.rule(INTEGERS)
def truncation_of_non_negative_is_floor(x: Value, c: Const) -> Rewrite:
    """For a dividend that is not negative and a positive divisor, truncating division is floor division."""
    return rewrite(apply(Op.IDIV, x, c), x // c, where=(lo(x) >= 0) & (c > 0))


@division.rule(INTEGERS)
def truncating_remainder_of_non_negative_is_floor(x: Value, c: Const) -> Rewrite:
    """For a dividend that is not negative and a positive divisor, the remainders of truncating and floor division are equal."""
    return rewrite(apply(Op.MOD, x, c), x % c, where=(lo(x) >= 0) & (c > 0))


@division.rule(INTEGERS)
def truncated_quotient_and_remainder_recombine(x: Value, c: Const) -> Rewrite:
    """Divisor times quotient plus remainder is the dividend, for truncating division too."""
    return rewrite(apply(Op.IDIV, x, c) * c + apply(Op.MOD, x, c), x, where=c > 0)


@division.rule(INTEGERS)
def number_less_truncated_remainder(x: Value, c: Const) -> Rewrite:
    """A number less its remainder is divisor times quotient, for truncating division too."""
    return rewrite(x + apply(Op.MOD, x, c) * -1, apply(Op.IDIV, x, c) * c, where=c > 0)
