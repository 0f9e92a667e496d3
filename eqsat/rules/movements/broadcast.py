"""Broadcasts: operations on repeated elements are computed before the elements are repeated."""

from __future__ import annotations

from eqsat.ops import ELEMENTARY_BINARY, ELEMENTARY_UNARY, Op
from eqsat.rules.language.facts import shape_of
from eqsat.rules.language.pattern import Value, apply, cast, expand, pad, where
from eqsat.rules.language.rule import ANY, FLOATS, NUMBERS, Rewrite, Topic, rewrite
from eqsat.rules.language.scalar import Arg, Const, Type
from eqsat.rules.movements.axes import common_copies

broadcast = Topic("broadcast")


@broadcast.rule(FLOATS, over=(*ELEMENTARY_UNARY, Op.SQRT, Op.RECIP, Op.NEG))
def compute_before_expand(op: Op, x: Value, s: Arg) -> Rewrite:
    """{op} of repeated elements repeats the {op} of each."""
    return rewrite(apply(op, expand(x, s)), expand(apply(op, x), s))


@broadcast.rule(ANY)
def cast_before_expand(x: Value, s: Arg, t: Type) -> Rewrite:
    """Converting repeated elements repeats the converted ones."""
    return rewrite(cast(expand(x, s), t), expand(cast(x, t), s))


@broadcast.rule(NUMBERS, over=(Op.ADD, Op.MUL, Op.MAX, Op.MIN, Op.CMPLT, Op.CMPNE))
def combine_before_expand(op: Op, x: Value, y: Value, s: Arg) -> Rewrite:
    """{op} of values that are repeated alike repeats their {op}."""
    return rewrite(
        apply(op, expand(x, s), expand(y, s)), expand(apply(op, x, y), s), where=shape_of(x) == shape_of(y)
    )


@broadcast.rule(FLOATS, over=(Op.SUB, Op.FDIV, *ELEMENTARY_BINARY))
def combine_floats_before_expand(op: Op, x: Value, y: Value, s: Arg) -> Rewrite:
    """{op} of values that are repeated alike repeats their {op}."""
    return rewrite(
        apply(op, expand(x, s), expand(y, s)), expand(apply(op, x, y), s), where=shape_of(x) == shape_of(y)
    )


def _with_common_copies(op: Op, x: Value, y: Value, s: Arg) -> Rewrite:
    fewer = common_copies(s, shape_of(x), shape_of(y))
    return rewrite(
        apply(op, expand(x, s), expand(y, s)), expand(apply(op, expand(x, fewer), expand(y, fewer)), s)
    )


@broadcast.rule(NUMBERS, over=(Op.ADD, Op.MUL, Op.MAX, Op.MIN, Op.CMPLT, Op.CMPNE))
def combine_before_common_expand(op: Op, x: Value, y: Value, s: Arg) -> Rewrite:
    """{op} of values that are both repeated along an axis can be computed before they are repeated along it."""
    return _with_common_copies(op, x, y, s)


@broadcast.rule(FLOATS, over=(Op.SUB, Op.FDIV))
def combine_floats_before_common_expand(op: Op, x: Value, y: Value, s: Arg) -> Rewrite:
    """{op} of values that are both repeated along an axis can be computed before they are repeated along it."""
    return _with_common_copies(op, x, y, s)


@broadcast.rule(NUMBERS, over=(Op.ADD, Op.MUL, Op.MAX, Op.MIN, Op.CMPLT, Op.CMPNE))
def combine_constant_before_expand(op: Op, x: Value, c: Const, s: Arg) -> Rewrite:
    """{op} of repeated elements and a constant repeats the {op} of each."""
    return rewrite(apply(op, expand(x, s), c), expand(apply(op, x, c), s))


@broadcast.rule(FLOATS, over=(Op.SUB, Op.FDIV))
def combine_float_constant_before_expand(op: Op, x: Value, c: Const, s: Arg) -> Rewrite:
    """{op} of repeated elements and a constant repeats the {op} of each."""
    return rewrite(apply(op, expand(x, s), c), expand(apply(op, x, c), s))


@broadcast.rule(NUMBERS)
def compare_constant_before_expand(x: Value, c: Const, s: Arg) -> Rewrite:
    """Comparing a constant with repeated elements repeats its comparison with each element."""
    return rewrite(expand(x, s) > c, expand(x > c, s))


@broadcast.rule(ANY)
def choose_before_common_expand(b: Value, x: Value, y: Value, s: Arg) -> Rewrite:
    """A choice whose condition and values are all repeated along an axis can be made before they are repeated along it."""
    fewer = common_copies(s, shape_of(b), shape_of(x), shape_of(y))
    few = where(expand(b, fewer), expand(x, fewer), expand(y, fewer))
    return rewrite(where(expand(b, s), expand(x, s), expand(y, s)), expand(few, s))


@broadcast.rule(ANY)
def choose_before_expand(b: Value, x: Value, y: Value, s: Arg) -> Rewrite:
    """A choice between values that are repeated alike repeats the choice."""
    same = (shape_of(b) == shape_of(x)) & (shape_of(x) == shape_of(y))
    return rewrite(where(expand(b, s), expand(x, s), expand(y, s)), expand(where(b, x, y), s), where=same)


@broadcast.rule(NUMBERS, over=(Op.ADD, Op.MUL, Op.MAX, Op.MIN))
def combine_before_pad(op: Op, x: Value, y: Value, a: Arg) -> Rewrite:
    """{op} of values padded alike pads their {op}, since {op} of zeros is zero."""
    return rewrite(apply(op, pad(x, a), pad(y, a)), pad(apply(op, x, y), a), where=shape_of(x) == shape_of(y))
