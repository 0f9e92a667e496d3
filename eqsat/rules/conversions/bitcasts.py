"""Bitcasts: bits read as another dtype.

Wrapping arithmetic commutes with bitcasts between integers of the same width. The highest bit of a float is its sign.
Sums and n-ary operators with several bitcast operands are handled by a theory: see `eqsat.egraph.theories.bitcasts`.
"""

from __future__ import annotations

from eqsat.dtype import DType, bool_
from eqsat.ops import Op
from eqsat.rules.conversions.lossless import holds_bounds, is_integral, whole
from eqsat.rules.language.facts import dtype_of, hi, lo
from eqsat.rules.language.pattern import Value, apply, bitcast, cast, maximum, where
from eqsat.rules.language.rule import ANY, BOOL, FLOATS, INDEX, INTS, Rewrite, Soundness, Topic, rewrite
from eqsat.rules.language.scalar import Const, Type, pure

bitcasts = Topic("bitcasts")


@pure
def are_integers_of_one_width(one: DType, other: DType) -> bool:
    """Whether two dtypes are integers of the same width, signed or unsigned.

    >>> from eqsat.dtype import float32, int32, uint32
    >>> are_integers_of_one_width(int32, uint32), are_integers_of_one_width(int32, float32)
    (True, False)
    """
    return one.is_int and other.is_int and one.bits == other.bits


@pure
def sign_bit(dtype: DType) -> int | None:
    """The integer in which only the highest bit is set; None if the dtype is not an integer.

    >>> from eqsat.dtype import int8, uint8
    >>> sign_bit(int8), sign_bit(uint8)
    (-128, 128)
    """
    return (dtype.min if dtype.is_signed else dtype.max // 2 + 1) if dtype.is_int else None


@pure
def all_but_sign_bit(dtype: DType) -> int | None:
    """The integer in which all bits except the highest are set; None if the dtype is not an integer."""
    return (dtype.max if dtype.is_signed else dtype.max // 2) if dtype.is_int else None


# Bitcasts to the same dtype, bitcasts of bitcasts, and bitcasts that are casts.


@bitcasts.rule(ANY - INDEX)
def bitcast_to_own_dtype(x: Value, t: Type) -> Rewrite:
    """A bitcast of a value to its own dtype is the value."""
    return rewrite(bitcast(x, t), x, where=dtype_of(x) == t)


@bitcasts.rule(ANY - INDEX)
def bitcasts_compose(x: Value, t: Type, u: Type) -> Rewrite:
    """Only the last of two bitcasts counts, unless the first one is to bool, which keeps a single bit."""
    return rewrite(bitcast(bitcast(x, t), u), bitcast(x, u), where=t != bool_)


@bitcasts.rule(INTS)
def cast_to_integer_of_one_width_keeps_bits(x: Value, t: Type) -> Rewrite:
    """A conversion between integers of the same width keeps all bits."""
    guard = are_integers_of_one_width(dtype_of(x), t) & (dtype_of(x) != t)
    return rewrite(cast(x, t), bitcast(x, t), where=guard, both_ways=True)


@bitcasts.rule(INTS)
def bitcast_to_bool_compares_with_zero(x: Value) -> Rewrite:
    """A bitcast of an integer to bool tells whether one of its bits is set."""
    return rewrite(bitcast(x, bool_), x.ne(0))


@bitcasts.rule(BOOL)
def bitcast_of_bool_is_a_cast(b: Value, t: Type) -> Rewrite:
    """A bitcast of a bool to an integer is a cast: zero or one."""
    return rewrite(bitcast(b, t), cast(b, t), where=t != bool_)


# Arithmetic that wraps.


@bitcasts.rule(INTS)
def bitcast_before_adding_constant(x: Value, c: Const, t: Type) -> Rewrite:
    """A constant may be added after a bitcast to an integer of the same width."""
    guard = are_integers_of_one_width(dtype_of(x), t)
    return rewrite(bitcast(x + c, t), bitcast(x, t) + whole(c), where=guard)


@bitcasts.rule(INTS)
def bitcast_before_multiplying_by_constant(x: Value, c: Const, t: Type) -> Rewrite:
    """A bitcast to an integer of the same width may come before multiplying by a constant."""
    guard = are_integers_of_one_width(dtype_of(x), t)
    return rewrite(bitcast(x * c, t), bitcast(x, t) * whole(c), where=guard)


@bitcasts.rule(INTS, over=(Op.AND, Op.OR, Op.XOR))
def bitcast_before_combining_with_constant(op: Op, x: Value, c: Const, t: Type) -> Rewrite:
    """A bitcast to an integer of the same width may come before {op} with a constant."""
    guard = are_integers_of_one_width(dtype_of(x), t)
    return rewrite(bitcast(apply(op, x, c), t), apply(op, bitcast(x, t), whole(c)), where=guard)


@bitcasts.rule(INTS)
def shift_left_before_bitcast(x: Value, y: Value, t: Type) -> Rewrite:
    """A left shift may come before a bitcast to an integer of the same width."""
    guard = are_integers_of_one_width(dtype_of(x), t) & (dtype_of(x) == dtype_of(y))
    return rewrite(bitcast(x, t) << bitcast(y, t), bitcast(x << y, t), where=guard)


# Choices and comparisons.


@bitcasts.rule(ANY - INDEX)
def choose_before_bitcast(b: Value, x: Value, y: Value, t: Type) -> Rewrite:
    """A choice between two bitcasts is the bitcast of a choice."""
    guard = dtype_of(x) == dtype_of(y)
    return rewrite(where(b, bitcast(x, t), bitcast(y, t)), bitcast(where(b, x, y), t), where=guard)


@bitcasts.rule(INTS)
def differ_before_bitcast(x: Value, y: Value, t: Type) -> Rewrite:
    """Integers differ where their bitcasts to integers of the same width differ."""
    guard = are_integers_of_one_width(dtype_of(x), t) & (dtype_of(x) == dtype_of(y))
    return rewrite(bitcast(x, t).ne(bitcast(y, t)), x.ne(y), where=guard)


@bitcasts.rule(INTS)
def differ_from_constant_before_bitcast(x: Value, c: Const, t: Type) -> Rewrite:
    """A comparison with a constant by `!=` may come before a bitcast to an integer of the same width."""
    guard = are_integers_of_one_width(dtype_of(x), t)
    return rewrite(bitcast(x, t).ne(c), x.ne(whole(c)), where=guard)


@bitcasts.rule(INTS)
def compare_before_bitcast(x: Value, y: Value, t: Type) -> Rewrite:
    """Integers whose values do not change in a bitcast may be compared before the bitcast."""
    guard = are_integers_of_one_width(dtype_of(x), t) & (dtype_of(x) == dtype_of(y))
    fit = holds_bounds(t, lo(x), hi(x)) & holds_bounds(t, lo(y), hi(y))
    return rewrite(bitcast(x, t) < bitcast(y, t), x < y, where=guard & fit)


# The sign of a float.


@bitcasts.rule(FLOATS)
def flipped_sign_bit_is_a_negation(x: Value, t: Type, u: Type, c: Const) -> Rewrite:
    """A float with its highest bit flipped is its negative."""
    guard = (dtype_of(x) == u) & is_integral(t) & (c == sign_bit(t))
    return rewrite(bitcast(bitcast(x, t) ^ c, u), -x, where=guard)


@bitcasts.rule(FLOATS, soundness=Soundness.FINITE)
def cleared_sign_bit_is_a_magnitude(x: Value, t: Type, u: Type, c: Const) -> Rewrite:
    """A float with its highest bit cleared is the greater of itself and its negative, the sign of zero aside."""
    guard = (dtype_of(x) == u) & is_integral(t) & (c == all_but_sign_bit(t))
    return rewrite(bitcast(bitcast(x, t) & c, u), maximum(x, -x), where=guard)
