"""Casts: casts that change nothing, casts that make other casts superfluous, and bools as numbers."""

from __future__ import annotations

from eqsat.dtype import bool_
from eqsat.ops import Op
from eqsat.rules.conversions.lossless import (
    exceed_alike,
    holds_all_of,
    holds_bounds,
    is_integral,
    keeps_low_bits,
    whole,
)
from eqsat.rules.language.facts import dtype_of, hi, lo
from eqsat.rules.language.pattern import Value, apply, cast, where
from eqsat.rules.language.rule import ANY, BOOL, INDEX, INTS, NUMBERS, Rewrite, Topic, rewrite
from eqsat.rules.language.scalar import Const, Type

casts = Topic("casts")


@casts.rule(ANY)
def cast_to_own_dtype(x: Value, t: Type) -> Rewrite:
    """A value converted to its own dtype is itself."""
    return rewrite(cast(x, t), x, where=dtype_of(x) == t)


@casts.rule(ANY)
def casts_compose_if_first_is_lossless(x: Value, t: Type, u: Type) -> Rewrite:
    """A conversion through a dtype that holds every value of the source can skip that dtype."""
    source = dtype_of(x)
    guard = holds_all_of(t, source) & (exceed_alike(source, t, u) | holds_all_of(u, source))
    return rewrite(cast(cast(x, t), u), cast(x, u), where=guard)


@casts.rule(INTS)
def integer_casts_compose_if_low_bits_are_kept(x: Value, t: Type, u: Type) -> Rewrite:
    """Conversions between integers keep the low bits, so a dtype in between that has enough bits can be skipped."""
    return rewrite(cast(cast(x, t), u), cast(x, u), where=keeps_low_bits(t, dtype_of(x), u))


@casts.rule(INDEX)
def casts_compose_if_bounds_fit(x: Value, t: Type, u: Type) -> Rewrite:
    """A conversion through a dtype that holds the bounds of the value can skip that dtype."""
    fits = exceed_alike(dtype_of(x), t, u) | holds_bounds(u, lo(x), hi(x))
    return rewrite(cast(cast(x, t), u), cast(x, u), where=holds_bounds(t, lo(x), hi(x)) & fits)


@casts.rule(NUMBERS)
def cast_to_bool_compares_with_zero(x: Value) -> Rewrite:
    """Converting a number to bool asks whether it differs from zero."""
    return rewrite(cast(x, bool_), x.ne(0))


@casts.rule(BOOL)
def cast_of_bool_differs_from_zero(b: Value, t: Type) -> Rewrite:
    """A bool as a number differs from zero where the bool holds."""
    return rewrite(cast(b, t).ne(0), b)


@casts.rule(BOOL)
def cast_of_bool_differs_from_one(b: Value, t: Type) -> Rewrite:
    """A bool as an integer differs from one where the bool fails."""
    return rewrite(cast(b, t).ne(1), ~b, where=is_integral(t))


@casts.rule(BOOL)
def cast_of_bool_differs_from_others(b: Value, t: Type, c: Const) -> Rewrite:
    """A bool as an integer differs from every constant other than zero and one."""
    return rewrite(cast(b, t).ne(c), True, where=is_integral(t) & (c != 0) & (c != 1))


@casts.rule(BOOL)
def cast_of_bool_below_one(b: Value, t: Type) -> Rewrite:
    """A bool as an integer is below one where the bool fails."""
    return rewrite(cast(b, t) < 1, ~b, where=is_integral(t))


@casts.rule(BOOL)
def cast_of_bool_above_zero(b: Value, t: Type) -> Rewrite:
    """A bool as an integer is above zero where the bool holds."""
    return rewrite(cast(b, t) > 0, b, where=is_integral(t))


@casts.rule(BOOL)
def multiply_by_bool_chooses(b: Value, x: Value, t: Type) -> Rewrite:
    """An integer times a bool is a choice between the integer and zero."""
    return rewrite(cast(b, t) * x, where(b, x, 0), where=is_integral(t))


@casts.rule(ANY, over=(Op.CMPLT, Op.CMPNE))
def compare_before_lossless_cast(op: Op, x: Value, y: Value, t: Type) -> Rewrite:
    """Comparing values by {op} may come before converting them to a dtype that holds them all."""
    guard = (dtype_of(x) == dtype_of(y)) & holds_all_of(t, dtype_of(x))
    return rewrite(apply(op, cast(x, t), cast(y, t)), apply(op, x, y), where=guard)


@casts.rule(ANY)
def choose_before_cast(b: Value, x: Value, y: Value, t: Type) -> Rewrite:
    """Choosing between converted values converts the chosen one."""
    guard = dtype_of(x) == dtype_of(y)
    return rewrite(where(b, cast(x, t), cast(y, t)), cast(where(b, x, y), t), where=guard)


@casts.rule(INDEX, over=(Op.CMPLT, Op.CMPNE))
def compare_with_constant_before_cast(op: Op, x: Value, c: Const, t: Type) -> Rewrite:
    """An index may be compared by {op} with a constant before it is converted to a dtype that holds its bounds."""
    return rewrite(apply(op, cast(x, t), c), apply(op, x, whole(c)), where=holds_bounds(t, lo(x), hi(x)))


@casts.rule(INDEX)
def compare_constant_before_cast(x: Value, c: Const, t: Type) -> Rewrite:
    """An index may be compared by `>` with a constant before it is converted to a dtype that holds its bounds."""
    return rewrite(cast(x, t) > c, x > whole(c), where=holds_bounds(t, lo(x), hi(x)))
