"""Reductions of arrays that are joined along a reduced axis, as `concat` and `stack` join them: each part is reduced by itself.

Joined arrays are a choice by position between two padded arrays. Without these rules, the sum of a stack tests for every element which
array it comes from.
"""

from __future__ import annotations

from eqsat.ops import Op
from eqsat.rules.language.facts import axis_of, dtype_of, shape_of
from eqsat.rules.language.pattern import Node, Value, cast, maximum, minimum, pad, reduce_axis, where
from eqsat.rules.language.rule import INDEX, Rewrite, Soundness, Topic, rewrite
from eqsat.rules.language.scalar import Arg, Const, Scalar, Type, pure
from eqsat.rules.movements.axes import Pairs
from eqsat.rules.reductions.order import also, reduction_order
from eqsat.rules.reductions.ranges import is_float
from eqsat.shape import Shape

joined = Topic("joined arrays")


@pure
def continued_axis(before: Pairs) -> int | None:
    """The only axis that is padded, if it is padded at its end alone; else None.

    >>> continued_axis(((0, 0), (0, 3))), continued_axis(((0, 0), (1, 3))), continued_axis(((0, 1), (0, 3)))
    (1, None, None)
    """
    return _only_continued(before)


@pure
def extent_continued(shape: Shape, before: Pairs) -> int | None:
    """The number of elements along the `continued_axis` before the padding."""
    axis = _only_continued(before)
    return None if axis is None else shape[axis]


@pure
def continuing(shape: Shape, before: Pairs) -> Pairs | None:
    """The padding at the start of the `continued_axis` that leaves room for the first array.

    >>> continuing((4, 2), ((0, 0), (0, 3)))
    ((0, 0), (2, 0))
    """
    continued = _only_continued(before)
    if continued is None:
        return None
    return tuple((extent if axis == continued else 0, 0) for axis, extent in enumerate(shape))


@pure
def is_among(axis: int, axes: Shape) -> bool:
    """Whether this axis is reduced."""
    return axis in axes


def _only_continued(before: Pairs) -> int | None:
    padded = [axis for axis, pair in enumerate(before) if pair != (0, 0)]
    return padded[0] if len(padded) == 1 and before[padded[0]][0] == 0 else None


def _joined(i: Value, a: Value, b: Value, end: Const, before: Arg, after: Arg) -> Node:
    return where(i < end, pad(a, before), pad(b, after))


def _are_parts(i: Value, a: Value, end: Const, before: Arg, after: Arg, axes: Arg) -> Scalar:
    """Whether the arrays are joined along a reduced axis."""
    shape, axis = shape_of(a), axis_of(i)
    guard = (after == continuing(shape, before)) & (end == extent_continued(shape, before))
    return guard & (axis == continued_axis(before)) & is_among(axis, axes)


def _sum(i: Value, a: Value, b: Value, end: Const, before: Arg, after: Arg, axes: Arg) -> Rewrite:
    whole = reduce_axis(Op.ADD, _joined(i, a, b, end, before, after), axes)
    parts = reduce_axis(Op.ADD, a, axes) + reduce_axis(Op.ADD, b, axes)
    return rewrite(whole, parts, where=_are_parts(i, a, end, before, after, axes))


def _converted_sum(
    i: Value, a: Value, b: Value, end: Const, before: Arg, after: Arg, t: Type, axes: Arg
) -> Rewrite:
    whole = reduce_axis(Op.ADD, cast(_joined(i, a, b, end, before, after), t), axes)
    parts = reduce_axis(Op.ADD, cast(a, t), axes) + reduce_axis(Op.ADD, cast(b, t), axes)
    return rewrite(whole, parts, where=_are_parts(i, a, end, before, after, axes))


@joined.rule(INDEX)
def sum_of_joined(i: Value, a: Value, b: Value, end: Const, before: Arg, after: Arg, axes: Arg) -> Rewrite:
    """The sum of joined arrays is the sum of their sums."""
    return also(_sum(i, a, b, end, before, after, axes), ~is_float(dtype_of(a)))


@reduction_order.rule(INDEX, soundness=Soundness.REAL)
def sum_of_joined_floats(
    i: Value, a: Value, b: Value, end: Const, before: Arg, after: Arg, axes: Arg
) -> Rewrite:
    """The sum of joined arrays is the sum of their sums."""
    return also(_sum(i, a, b, end, before, after, axes), is_float(dtype_of(a)))


@joined.rule(INDEX)
def converted_sum_of_joined(
    i: Value, a: Value, b: Value, end: Const, before: Arg, after: Arg, t: Type, axes: Arg
) -> Rewrite:
    """The sum of the converted elements of joined arrays is the sum of the arrays' sums of converted elements."""
    return also(_converted_sum(i, a, b, end, before, after, t, axes), ~is_float(t))


@joined.rule(INDEX)
def greatest_of_joined(
    i: Value, a: Value, b: Value, end: Const, before: Arg, after: Arg, axes: Arg
) -> Rewrite:
    """The greatest element of joined arrays is the greater of the arrays' greatest elements."""
    whole = reduce_axis(Op.MAX, _joined(i, a, b, end, before, after), axes)
    parts = maximum(reduce_axis(Op.MAX, a, axes), reduce_axis(Op.MAX, b, axes))
    return rewrite(whole, parts, where=_are_parts(i, a, end, before, after, axes))


@joined.rule(INDEX)
def least_of_joined(i: Value, a: Value, b: Value, end: Const, before: Arg, after: Arg, axes: Arg) -> Rewrite:
    """The least element of joined arrays is the lesser of the arrays' least elements."""
    whole = reduce_axis(Op.MIN, _joined(i, a, b, end, before, after), axes)
    parts = minimum(reduce_axis(Op.MIN, a, axes), reduce_axis(Op.MIN, b, axes))
    return rewrite(whole, parts, where=_are_parts(i, a, end, before, after, axes))
