"""Sums by label: a reduction of the elements whose label is a position along an axis is a scatter, which reads each element once.

`sum_i where(label[i] == j, value[i, d], 0)` takes a step for each element and each j. A scatter adds each element to the result at its label
instead. Comparisons of labels with positions may stand below movements, conversions and products: rules move them out of these, and match
nothing else.
"""

from __future__ import annotations

from math import prod

from eqsat.dtype import DType, bfloat16, float16, index, int32, int64
from eqsat.ops import Op
from eqsat.rules.language.facts import axis_of, dtype_of, shape_of
from eqsat.rules.language.pattern import (
    Node,
    Value,
    cast,
    expand,
    pad,
    reduce_axis,
    reshape,
    scatter_axis,
    shrink,
    where,
)
from eqsat.rules.language.rule import (
    INDEX,
    INTS,
    Phase,
    Rewrite,
    Soundness,
    Topic,
    rewrite,
)
from eqsat.rules.language.scalar import Arg, Const, Scalar, Type, pure
from eqsat.rules.reductions.order import reduction_order
from eqsat.rules.reductions.parts_in_place import (
    all_of,
    filling,
    first_of_each,
    in_a_row,
    scattered_parts,
    within_each,
)
from eqsat.rules.reductions.ranges import is_float
from eqsat.rules.reductions.reduction_axes import entries_kept, identity, is_folding, is_order_free
from eqsat.shape import Shape

scatters = Topic("scatters")

MOVES = (Op.RESHAPE, Op.EXPAND, Op.PERMUTE)
POSITIONS = INDEX | {int32, int64}  # the dtypes of positions that labels are compared with
LEAST_PART = 1 << 11  # least number of elements of a part that is scattered by itself
RESULTS = 2  # least ratio of elements to the results of all parts
PARTS = 16  # most parts


@pure
def is_axis(axis: int, shape: Shape) -> bool:
    """Whether a shape has this axis."""
    return 0 <= axis < len(shape)


@pure
def scattered(axis: int, axes: Shape) -> Shape | None:
    """The axis that labels refer to, then the reduced axes; None if it is reduced itself."""
    return None if axis in axes else (axis, *axes)


@pure
def is_truth(dtype: DType) -> bool:
    """Whether a dtype is that of bools."""
    return dtype.is_bool


@pure
def is_converted(dtype: DType) -> bool:
    """Whether labels of this dtype are converted to indices, which hold all its numbers, before they are compared."""
    return dtype.is_int and dtype.itemsize < int64.itemsize and dtype not in POSITIONS


@pure
def holds_last(dtype: DType, axis: int, shape: Shape) -> bool:
    """Whether an integer dtype holds the last position along an axis."""
    return shape[axis] - 1 <= dtype.max


@pure
def is_single_along(shape: Shape, axis: int) -> bool:
    """Whether there is one element along an axis."""
    return shape[axis] == 1


@pure
def labelled_parts(shape: Shape, axes: Shape, axis: int) -> Shape | None:
    """The shape with the first reduced axis split into parts, in place; None if parts would be short, or their results many.

    >>> labelled_parts.function((1 << 16, 256), (0,), 1), labelled_parts.function((1 << 16, 1 << 14), (0,), 1)
    ((16, 4096, 256), None)
    """
    if axis in axes or not axes or prod(shape) == 0:
        return None
    first = min(axes)
    elements = prod(extent for place, extent in enumerate(shape) if place != axis)
    results = prod(extent for place, extent in enumerate(shape) if place not in axes)
    longest = min(PARTS, elements // LEAST_PART, elements // (RESULTS * results))
    parts = next((parts for parts in range(longest, PARTS // 4, -1) if shape[first] % parts == 0), None)
    return None if parts is None else (*shape[:first], parts, shape[first] // parts, *shape[first + 1 :])


@pure
def within_labelled_parts(axes: Shape, axis: int) -> Shape | None:
    """The axis that labels refer to, then the axes that are reduced within a part.

    >>> within_labelled_parts.function((0,), 1), within_labelled_parts.function((1, 2), 0)
    ((2, 1), (0, 2, 3))
    """
    return None if not axes else (axis + (axis > min(axes)), *(place + 1 for place in axes))


@pure
def across_labelled_parts(axes: Shape) -> Shape | None:
    """The axis of the parts, once the other axes are reduced."""
    return None if not axes else (min(axes),)


# Comparisons of labels with positions, moved out of movements, conversions and products.


def _compared(move: Op, x: Value, y: Value, t: Arg) -> Node:
    """The comparison of labels and positions that are moved first."""
    return Node(move, (x,), (t,)).ne(Node(move, (y,), (t,)))


def _are_positions(x: Value) -> Scalar:
    return is_axis(axis_of(x), shape_of(x))


@scatters.rule(INDEX)
def labels_compared_as_positions(x: Value, y: Value, d: Type, r: Arg, s: Arg) -> Rewrite:
    """If positions are converted to the dtype of labels to be compared with them, the labels may be converted to indices instead."""
    guard = _are_positions(x) & is_converted(d) & holds_last(d, axis_of(x), shape_of(x))
    left = expand(reshape(cast(x, d), r), s).ne(y)
    return rewrite(left, expand(reshape(x, r), s).ne(cast(y, index)), where=guard)


@scatters.rule(POSITIONS, over=MOVES)
def other_labels_before(move: Op, x: Value, y: Value, t: Arg) -> Rewrite:
    """Labels and positions may be moved ({op}) before they are compared by `!=`."""
    return rewrite(Node(move, (x.ne(y),), (t,)), _compared(move, x, y, t), where=_are_positions(x))


@scatters.rule(POSITIONS, over=MOVES)
def own_labels_before(move: Op, x: Value, y: Value, t: Arg) -> Rewrite:
    """Labels and positions may be moved ({op}) before they are compared for equality."""
    return rewrite(Node(move, (~x.ne(y),), (t,)), ~_compared(move, x, y, t), where=_are_positions(x))


@scatters.rule(POSITIONS, over=MOVES)
def counted_labels_before(move: Op, x: Value, y: Value, t: Arg, d: Type) -> Rewrite:
    """Labels and positions may be moved ({op}) before they are compared for equality and the result is converted to a number."""
    left = Node(move, (cast(~x.ne(y), d),), (t,))
    return rewrite(left, cast(~_compared(move, x, y, t), d), where=_are_positions(x))


@scatters.rule(POSITIONS)
def own_labels_choose_ones(x: Value, y: Value, d: Type) -> Rewrite:
    """The equality of labels and positions, converted to a number, is zero where they differ and one elsewhere."""
    return rewrite(cast(~x.ne(y), d), where(x.ne(y), 0, 1), where=_are_positions(x) & ~is_truth(d))


@scatters.rule(POSITIONS, soundness=Soundness.FINITE)
def own_labels_choose_floats(x: Value, y: Value, d: Type, v: Value) -> Rewrite:
    """A float times the converted equality of labels and positions is zero where they differ and the float elsewhere."""
    guard = _are_positions(x) & is_float(dtype_of(v))
    return rewrite(cast(~x.ne(y), d) * v, where(x.ne(y), 0, v), where=guard)


@scatters.rule(INTS | {float16, bfloat16})
def convert_what_is_chosen(b: Value, v: Value, op: Arg, d: Type, axes: Arg) -> Rewrite:
    """If a reduction converts a choice of zero or a value, it may convert the value before the choice."""
    left = reduce_axis(op, cast(where(b, 0, v), d), axes)
    return rewrite(left, reduce_axis(op, where(b, 0, cast(v, d)), axes), where=~is_truth(d))


# The scatter.


def _chosen(x: Value, y: Value, s: Arg, c: Const, v: Value, op: Arg, axes: Arg) -> Node:
    """For each position, the elements with that label, combined."""
    return reduce_axis(op, where(x.ne(expand(y, s)), c, v), axes)


def _scattered(y: Value, s: Arg, v: Value, op: Arg, axes: Scalar) -> Node:
    """The scatter, which combines each element with the result at its label."""
    return scatter_axis(op, v, expand(y, s), axes)


def _in_parts(x: Value, y: Value, s: Arg, v: Value, op: Arg, axes: Arg) -> Node:
    """The scatter in parts of the elements, whose results are then combined."""
    shape = labelled_parts(s, axes, axis_of(x))
    labels = reshape(expand(y, s), shape)
    parts = scatter_axis(op, reshape(v, shape), labels, within_labelled_parts(axes, axis_of(x)))
    return reduce_axis(op, parts, across_labelled_parts(axes))


def _in_places(x: Value, y: Value, s: Arg, v: Value, op: Arg, axes: Arg) -> Node:
    """The scatter in parts of the positions.

    Each part counts labels from its own first position, so that labels of other parts are none of its positions.
    """
    axis = axis_of(x)
    parts = scattered_parts(s, shape_of(y), axes, axis)
    positions, labels, values = (
        reshape(pad(each, filling(s, parts, axis)), parts) for each in (x, expand(y, s), v)
    )
    own = labels - expand(shrink(positions, first_of_each(parts, axis)), parts)
    found = scatter_axis(op, values, own, within_each(axes, axis))
    return shrink(reshape(found, entries_kept(in_a_row(parts, axis), axes)), all_of(entries_kept(s, axes)))


def _is_scatter(x: Value, y: Value, c: Const, v: Value, op: Arg) -> Scalar:
    """Whether labels are the same for all results, and elements with another label are replaced by the identity element."""
    return is_single_along(shape_of(y), axis_of(x)) & (c == identity(op, dtype_of(v)))


def _exactly(x: Value, y: Value, c: Const, v: Value, op: Arg) -> Scalar:
    return _is_scatter(x, y, c, v, op) & is_order_free(op, dtype_of(v))


def _of_floats(x: Value, y: Value, c: Const, v: Value, op: Arg) -> Scalar:
    return _is_scatter(x, y, c, v, op) & is_folding(op) & is_float(dtype_of(v))


@scatters.rule(POSITIONS, phase=Phase.EXPLORE)
def combine_by_label(x: Value, y: Value, s: Arg, c: Const, v: Value, op: Arg, axes: Arg) -> Rewrite:
    """Combining, for each position, the elements with that label is a scatter, which combines each element with the result at its label."""
    right = _scattered(y, s, v, op, scattered(axis_of(x), axes))
    return rewrite(_chosen(x, y, s, c, v, op, axes), right, where=_exactly(x, y, c, v, op))


@reduction_order.rule(POSITIONS, soundness=Soundness.REAL, phase=Phase.EXPLORE)
def combine_floats_by_label(x: Value, y: Value, s: Arg, c: Const, v: Value, op: Arg, axes: Arg) -> Rewrite:
    """Combining, for each position, the floats with that label is a scatter, which combines each float with the result at its label."""
    right = _scattered(y, s, v, op, scattered(axis_of(x), axes))
    return rewrite(_chosen(x, y, s, c, v, op, axes), right, where=_of_floats(x, y, c, v, op))


@scatters.rule(POSITIONS, phase=Phase.EXPLORE)
def combine_parts_by_label(x: Value, y: Value, s: Arg, c: Const, v: Value, op: Arg, axes: Arg) -> Rewrite:
    """Combining elements by label can be split into scatters of parts of the elements, which can run in parallel."""
    right = _in_parts(x, y, s, v, op, axes)
    return rewrite(_chosen(x, y, s, c, v, op, axes), right, where=_exactly(x, y, c, v, op))


@reduction_order.rule(POSITIONS, soundness=Soundness.REAL, phase=Phase.EXPLORE)
def combine_parts_of_floats_by_label(
    x: Value, y: Value, s: Arg, c: Const, v: Value, op: Arg, axes: Arg
) -> Rewrite:
    """Combining floats by label can be split into scatters of parts of the floats, which can run in parallel."""
    right = _in_parts(x, y, s, v, op, axes)
    return rewrite(_chosen(x, y, s, c, v, op, axes), right, where=_of_floats(x, y, c, v, op))


@scatters.rule(POSITIONS, phase=Phase.EXPLORE)
def combine_in_places_by_label(x: Value, y: Value, s: Arg, c: Const, v: Value, op: Arg, axes: Arg) -> Rewrite:
    """Combining elements by label can be split into parallel scatters to parts of the positions; each of them reads all elements."""
    right = _in_places(x, y, s, v, op, axes)
    return rewrite(_chosen(x, y, s, c, v, op, axes), right, where=_exactly(x, y, c, v, op))


@reduction_order.rule(POSITIONS, soundness=Soundness.REAL, phase=Phase.EXPLORE)
def combine_floats_in_places_by_label(
    x: Value, y: Value, s: Arg, c: Const, v: Value, op: Arg, axes: Arg
) -> Rewrite:
    """Combining floats by label can be split into parallel scatters to parts of the positions; each of them reads all floats."""
    right = _in_places(x, y, s, v, op, axes)
    return rewrite(_chosen(x, y, s, c, v, op, axes), right, where=_of_floats(x, y, c, v, op))
