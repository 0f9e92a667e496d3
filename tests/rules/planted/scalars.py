"""Wrong rules about scalars: floats, integers and casts."""

from math import frexp, inf

from eqsat.dtype import bool_, float32, int32
from eqsat.ops import Op
from eqsat.rules.language.facts import hi, lo
from eqsat.rules.language.pattern import (
    Value,
    apply,
    cast,
    maximum,
    minimum,
    where,
)
from eqsat.rules.language.rule import (
    BOOL,
    FLOATS,
    INDEX,
    INTEGERS,
    INTS,
    SIGNED,
    Rewrite,
    Soundness,
    Topic,
    rewrite,
)
from eqsat.rules.language.scalar import Const, Type, pure  # fmt: skip


@pure
def is_power_of_two(value):
    return frexp(value)[0] == 0.5


@pure
def rounded_reciprocal(value):
    return 1 / value if value not in (0, inf, -inf) and value == value else None


@pure
def is_integer(dtype):
    return dtype.is_int


@pure
def either(first, second):
    return tuple(one or other for one, other in zip(first, second, strict=True))


wrong_scalars = Topic("wrong scalars")


# Floats.


@wrong_scalars.rule(FLOATS)
def adding_zero_keeps_bits(x: Value) -> Rewrite:
    """-0.0 + 0.0 is 0.0."""
    return rewrite(x + 0.0, x)


@wrong_scalars.rule(FLOATS)
def zero_times_anything(x: Value) -> Rewrite:
    """NaN and infinities stay."""
    return rewrite(x * 0.0, 0.0)


@wrong_scalars.rule(FLOATS)
def quotient_of_itself(x: Value) -> Rewrite:
    """0/0 is NaN."""
    return rewrite(x / x, 1.0)


@wrong_scalars.rule(FLOATS)
def division_as_multiplication(x: Value, c: Const) -> Rewrite:
    """The reciprocal is rounded."""
    return rewrite(x / c, x * rounded_reciprocal(c))


@wrong_scalars.rule(FLOATS)
def not_below_is_at_least(x: Value, y: Value) -> Rewrite:
    """A NaN is neither."""
    return rewrite(~(x < y), (y < x) | x.eq(y))


@wrong_scalars.rule(FLOATS)
def greater_by_comparison(x: Value, y: Value) -> Rewrite:
    """MAX gives a NaN if either operand is one."""
    return rewrite(maximum(x, y), where(x < y, y, x))


@wrong_scalars.rule(FLOATS)
def greatest_with_infinity(x: Value) -> Rewrite:
    """NaN stays NaN."""
    return rewrite(maximum(x, inf), inf)


@wrong_scalars.rule(FLOATS)
def sums_associate(x: Value, y: Value, z: Value) -> Rewrite:
    """Rounding does not."""
    return rewrite((x + y) + z, x + (y + z))


@wrong_scalars.rule(FLOATS)
def doubled_and_halved(x: Value) -> Rewrite:
    """The double of a large number is infinite."""
    return rewrite((x * 2.0) * 0.5, x)


@wrong_scalars.rule(FLOATS)
def halved_and_doubled(x: Value) -> Rewrite:
    """The half of an odd subnormal number is rounded."""
    return rewrite((x * 0.5) * 2.0, x)


@wrong_scalars.rule(FLOATS)
def half_of_a_sum_with_itself(x: Value) -> Rewrite:
    """The sum of a large number and itself is infinite."""
    return rewrite((x + x) * 0.5, x)


@wrong_scalars.rule(FLOATS)
def doubles_of_two(x: Value, y: Value) -> Rewrite:
    """The double of one can be infinite where that of the sum is not."""
    return rewrite(x * 2.0 + y * 2.0, (x + y) * 2.0)


@wrong_scalars.rule(FLOATS)
def doubles_of_three(x: Value, y: Value, z: Value) -> Rewrite:
    """Likewise."""
    return rewrite((x * 2.0 + y * 2.0) + z * 2.0, ((x + y) + z) * 2.0)


@wrong_scalars.rule(FLOATS)
def divided_and_multiplied(x: Value, c: Const) -> Rewrite:
    """A quotient by a power of two can be too large, or too small to be exact."""
    return rewrite((x / c) * c, x, where=is_power_of_two(c))


@wrong_scalars.rule(FLOATS, soundness=Soundness.REAL)
def powers_multiply_exponents(x: Value, y: Value) -> Rewrite:
    """They add them."""
    return rewrite(apply(Op.EXP2, x) * apply(Op.EXP2, y), apply(Op.EXP2, x * y))


@wrong_scalars.rule(FLOATS, soundness=Soundness.REAL)
def root_of_a_square(x: Value) -> Rewrite:
    """It is the magnitude."""
    return rewrite(apply(Op.SQRT, x * x), x)


@wrong_scalars.rule(FLOATS, soundness=Soundness.REAL)
def magnitude_is_itself(x: Value) -> Rewrite:
    """Negative numbers differ."""
    return rewrite(where(x < 0.0, x * -1.0, x), x)


@wrong_scalars.rule(FLOATS, soundness=Soundness.REAL)
def logarithm_of_a_square(x: Value) -> Rewrite:
    """A negative number has no logarithm, and its square has one."""
    return rewrite(apply(Op.LOG2, x * x), apply(Op.LOG2, x) * 2.0)


@wrong_scalars.rule(FLOATS, soundness=Soundness.REAL)
def no_number_is_zero(x: Value) -> Rewrite:
    """Zero is a number."""
    return rewrite(where(x.ne(0.0), x, 1.0), x)


@wrong_scalars.rule(FLOATS, soundness=Soundness.FINITE)
def difference_the_other_way(x: Value, y: Value) -> Rewrite:
    """It changes sign."""
    return rewrite(x - y, y - x)


# Integers.


@wrong_scalars.rule(INTS)
def divide_undoes_multiply_under_wrap(x: Value, c: Const) -> Rewrite:
    """The product may have wrapped."""
    return rewrite((x * c) // c, x, where=c != 0)


@wrong_scalars.rule(INDEX)
def divide_by_what_may_be_zero(x: Value, c: Const) -> Rewrite:
    """Dividing by zero gives zero."""
    return rewrite(x + c, ((x + c) * x) // x)


@wrong_scalars.rule(SIGNED)
def compare_differences(x: Value, y: Value) -> Rewrite:
    """The difference may wrap."""
    return rewrite(x < y, x + y * -1 < 0)


@wrong_scalars.rule(SIGNED | INDEX)
def truncate_like_floor(x: Value, c: Const) -> Rewrite:
    """Not for negative dividends."""
    return rewrite(apply(Op.IDIV, x, c), x // c, where=c > 0)


@wrong_scalars.rule(SIGNED | INDEX)
def remainder_of_negated(x: Value, c: Const) -> Rewrite:
    """The sign of the divisor decides."""
    return rewrite((x * -1) % c, (x % c) * -1, where=c > 0)


@wrong_scalars.rule(INDEX)
def small_quotient_is_zero(x: Value, c: Const) -> Rewrite:
    """Off by one: x may be c."""
    return rewrite(x // c, 0, where=(lo(x) >= 0) & (hi(x) <= c) & (c > 0))


@wrong_scalars.rule(INTS)
def power_of_two_is_a_shift(x: Value) -> Rewrite:
    """A shift by the width of the narrowest, or more, has no value."""
    return rewrite(x * 256, x << 8)


@wrong_scalars.rule(INTEGERS)
def minimum_above(x: Value, c: Const, d: Const) -> Rewrite:
    """The bounds are the other way round."""
    return rewrite(minimum(maximum(x, c), d), maximum(minimum(x, d), c))


# Casts.


@wrong_scalars.rule(SIGNED)
def float_holds_integer(x: Value, t: Type) -> Rewrite:
    """float32 holds 24 bits."""
    return rewrite(cast(cast(x, float32), t), cast(x, t))


@wrong_scalars.rule(INTS)
def any_integer_cast_is_lossless(x: Value, t: Type) -> Rewrite:
    """A narrower one loses bits."""
    return rewrite(cast(cast(x, t), int32), cast(x, int32), where=is_integer(t))


@wrong_scalars.rule(BOOL)
def bool_of_product(b: Value, x: Value, t: Type) -> Rewrite:
    """Zero times infinity is NaN."""
    return rewrite(cast(b, t) * x, where(b, x, 0))


@wrong_scalars.rule(INTS)
def bool_keeps_low_bit(x: Value) -> Rewrite:
    """A bool is whether any bit is set."""
    return rewrite(cast(x, bool_), (x & 1).ne(0))
