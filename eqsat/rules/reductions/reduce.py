"""Reductions of constants, copies, single elements, no elements, and reductions; movement and arithmetic moved out of reductions.

Sums and products of integers, and extremes of any dtype, do not depend on the order of their elements. Sums and products of
floats do: their rules stand in `reduction_order`, a topic of its own, so that a plan can admit them alone. Between zeros of
different signs, MAX and MIN may pick either.
"""

from __future__ import annotations

from eqsat.ops import Op
from eqsat.rules.conversions.lossless import holds_all_of
from eqsat.rules.language.facts import dtype_of, hi, lo, shape_of
from eqsat.rules.language.pattern import (
    Node,
    Value,
    apply,
    cast,
    expand,
    flip,
    pad,
    permute,
    reduce_axis,
    reshape,
    shrink,
)
from eqsat.rules.language.rule import (
    ANY,
    BOOL,
    FLOATS,
    INDEX,
    INTEGERS,
    Phase,
    Rewrite,
    Soundness,
    rewrite,
)
from eqsat.rules.language.scalar import Arg, Const, Type
from eqsat.rules.reductions.order import also, in_any_order, reduction, reduction_algebra, reduction_order
from eqsat.rules.reductions.reduction_axes import (
    all_axes,
    all_single,
    both,
    copies,
    count,
    entries_kept,
    expanded_at,
    expanded_elsewhere,
    identity,
    is_extreme,
    is_finite,
    is_idempotent,
    is_invariant_along,
    is_none,
    is_occupied,
    is_order_free,
    is_positive,
    is_total,
    is_vacuous,
    keeps_copies,
    permutation_left,
    permuted_axes,
    reduced_before_reshape,
    reduces_copies,
    unsplit,
)
from eqsat.rules.reductions.split_axes import (
    flattened,
    is_turned,
    long_inner,
    long_shape,
    parts_first,
    split_inner,
    split_outer,
    split_shape,
    tall_shape,
    turned_shape,
    uneven_rest,
    uneven_shape,
    uneven_start,
)

# Nothing to reduce.


@reduction.rule(ANY)
def reduce_no_axes(x: Value, op: Arg, axes: Arg) -> Rewrite:
    """A reduction over no axes is its source."""
    return rewrite(reduce_axis(op, x, axes), x, where=is_none(axes))


@reduction.rule(ANY)
def reduce_no_elements(x: Value, op: Arg, axes: Arg) -> Rewrite:
    """A reduction of no elements is its identity element."""
    return rewrite(reduce_axis(op, x, axes), identity(op, dtype_of(x)), where=is_vacuous(shape_of(x), axes))


@reduction.rule(INTEGERS)
def sum_of_constant(x: Value, axes: Arg) -> Rewrite:
    """A sum of n elements that all have the same known value is n times that value."""
    total = lo(x) * count(shape_of(x), axes)
    return rewrite(reduce_axis(Op.ADD, x, axes), total, where=hi(x) <= lo(x))


@reduction.rule(INTEGERS)
def extreme_of_constant(x: Value, op: Arg, axes: Arg) -> Rewrite:
    """The greatest or least of elements that all have the same known value is that value."""
    guard = (hi(x) <= lo(x)) & is_idempotent(op, dtype_of(x)) & is_occupied(shape_of(x), axes)
    return rewrite(reduce_axis(op, x, axes), lo(x), where=guard)


@in_any_order()
def reduce_single_elements(x: Value, op: Arg, axes: Arg) -> Rewrite:
    """A reduction of one element is the element (the sum of -0.0 is 0.0)."""
    return rewrite(
        reduce_axis(op, x, axes),
        reshape(x, entries_kept(shape_of(x), axes)),
        where=all_single(shape_of(x), axes),
    )


# Reductions of reductions.


@in_any_order()
def nested_reductions_merge(x: Value, op: Arg, a: Arg, b: Arg) -> Rewrite:
    """A reduction of a reduction by the same operation is one reduction over all their axes."""
    return rewrite(reduce_axis(op, reduce_axis(op, x, a), b), reduce_axis(op, x, both(a, b)))


def _split_into(x: Value, op: Arg, axes: Arg, groups: int) -> Rewrite:
    shape = shape_of(x)
    parts = reduce_axis(op, reshape(x, split_shape(shape, axes, groups)), split_inner(shape, axes, groups))
    return rewrite(reduce_axis(op, x, axes), reduce_axis(op, parts, split_outer(shape, axes, groups)))


@in_any_order(Phase.EXPLORE)
def split_for_few_cores(x: Value, op: Arg, axes: Arg) -> Rewrite:
    """A large reduction to few results can be split into up to 64 partial reductions, which can run in parallel."""
    return _split_into(x, op, axes, 64)


@in_any_order(Phase.EXPLORE)
def split_for_many_cores(x: Value, op: Arg, axes: Arg) -> Rewrite:
    """A large reduction to few results can be split into up to 1024 partial reductions, which can run in parallel."""
    return _split_into(x, op, axes, 1024)


@in_any_order(Phase.EXPLORE)
def split_long(x: Value, op: Arg, axes: Arg) -> Rewrite:
    """A large reduction along a long axis can be split into parts: a part's operands stay in a cache while tiles of results read them."""
    shape = shape_of(x)
    parts = permute(reshape(x, long_shape(shape, axes)), parts_first(shape, axes))
    each = reduce_axis(op, parts, long_inner(shape, axes))
    return rewrite(reduce_axis(op, x, axes), reduce_axis(op, each, (0,)))


@in_any_order(Phase.EXPLORE)
def split_rows(x: Value, op: Arg, axes: Arg) -> Rewrite:
    """A reduction of many rows can be split into parts of the rows; each part is read once, from its start to its end."""
    parts = reduce_axis(op, reshape(x, tall_shape(shape_of(x), axes)), (1,))
    return rewrite(reduce_axis(op, x, axes), reduce_axis(op, parts, (0,)))


@reduction_order.rule(FLOATS, soundness=Soundness.REAL, phase=Phase.EXPLORE)
def split_transposed_rows(x: Value, y: Value, p: Arg, axes: Arg) -> Rewrite:
    """A sum of products of a transposed matrix and values for its rows can be split into parts of the rows."""
    products = permute(x, p) * y
    parts = reduce_axis(Op.ADD, reshape(permute(products, p), turned_shape(shape_of(x))), (1,))
    return rewrite(
        reduce_axis(Op.ADD, products, axes), reduce_axis(Op.ADD, parts, (0,)), where=is_turned(p, axes)
    )


def _split_unevenly(op: Op, x: Value, axes: Arg) -> Rewrite:
    shape = shape_of(x)
    elements = reshape(x, flattened(shape))
    equal = reshape(shrink(elements, uneven_start(shape, axes)), uneven_shape(shape, axes))
    parts = reduce_axis(op, reduce_axis(op, equal, (1,)), (0,))
    rest = reduce_axis(op, shrink(elements, uneven_rest(shape, axes)), (0,))
    return rewrite(reduce_axis(op, x, axes), apply(op, parts, rest))


@reduction.rule(ANY, phase=Phase.EXPLORE, over=(Op.ADD, Op.MUL, Op.MAX, Op.MIN))
def split_unevenly(op: Op, x: Value, axes: Arg) -> Rewrite:
    """A large reduction ({op}) that no number of equal parts divides can be split into equal parts and a rest."""
    return also(_split_unevenly(op, x, axes), is_order_free(op, dtype_of(x)))


@reduction_order.rule(FLOATS, soundness=Soundness.REAL, phase=Phase.EXPLORE, over=(Op.ADD, Op.MUL))
def split_floats_unevenly(op: Op, x: Value, axes: Arg) -> Rewrite:
    """A large reduction ({op}) that no number of equal parts divides can be split into equal parts and a rest."""
    return _split_unevenly(op, x, axes)


# Copies: expanded axes.


@reduction.rule(ANY)
def reduce_copies_once(x: Value, op: Arg, s: Arg, axes: Arg) -> Rewrite:
    """Reducing copies needs only one of them, for MAX, MIN and all operations on bools."""
    fewer = reduce_axis(op, expand(x, expanded_elsewhere(shape_of(x), s, axes)), axes)
    guard = is_idempotent(op, dtype_of(x)) & reduces_copies(shape_of(x), s, axes)
    return rewrite(reduce_axis(op, expand(x, s), axes), fewer, where=guard)


@in_any_order()
def reduce_before_expand(x: Value, op: Arg, s: Arg, axes: Arg) -> Rewrite:
    """A reduction along axes that are not expanded can come first; its results are repeated."""
    reduced = reduce_axis(op, expand(x, expanded_at(shape_of(x), s, axes)), axes)
    guard = keeps_copies(shape_of(x), s, axes)
    return rewrite(reduce_axis(op, expand(x, s), axes), expand(reduced, entries_kept(s, axes)), where=guard)


def _count_copies(x: Value, s: Arg, axes: Arg) -> Rewrite:
    fewer = reduce_axis(Op.ADD, expand(x, expanded_elsewhere(shape_of(x), s, axes)), axes)
    return rewrite(reduce_axis(Op.ADD, expand(x, s), axes), fewer * copies(shape_of(x), s, axes, dtype_of(x)))


@reduction.rule(INTEGERS)
def sum_of_copies_is_a_product(x: Value, s: Arg, axes: Arg) -> Rewrite:
    """A sum of n copies is n times the element."""
    return _count_copies(x, s, axes)


@reduction_order.rule(FLOATS, soundness=Soundness.REAL)
def sum_of_float_copies_is_a_product(x: Value, s: Arg, axes: Arg) -> Rewrite:
    """A sum of n copies is n times the element, if the dtype holds n exactly."""
    return _count_copies(x, s, axes)


# Movement.


@in_any_order()
def reduce_before_permute(x: Value, op: Arg, p: Arg, axes: Arg) -> Rewrite:
    """Reducing a permuted value permutes the reduced one."""
    reduced = reduce_axis(op, x, permuted_axes(p, axes))
    return rewrite(reduce_axis(op, permute(x, p), axes), permute(reduced, permutation_left(p, axes)))


@in_any_order()
def reduce_before_flip(x: Value, op: Arg, f: Arg, axes: Arg) -> Rewrite:
    """Reducing a flipped value flips the reduced one along the axes that are not reduced."""
    return rewrite(reduce_axis(op, flip(x, f), axes), flip(reduce_axis(op, x, axes), entries_kept(f, axes)))


@in_any_order()
def reduce_before_reshape(x: Value, op: Arg, s: Arg, axes: Arg) -> Rewrite:
    """Axes of extent 1 can be added and dropped after a reduction of other axes."""
    reduced = reduce_axis(op, x, reduced_before_reshape(shape_of(x), s, axes))
    return rewrite(reduce_axis(op, reshape(x, s), axes), reshape(reduced, entries_kept(s, axes)))


@in_any_order()
def split_axes_reduce_as_one(x: Value, op: Arg, s: Arg, axes: Arg) -> Rewrite:
    """An axis that a reshape splits into several axes, all of which are reduced, can be reduced whole."""
    whole = reduce_axis(op, x, unsplit(shape_of(x), s, axes))
    return rewrite(reduce_axis(op, reshape(x, s), axes), whole)


@in_any_order()
def total_reduction_ignores_shape(x: Value, op: Arg, s: Arg, axes: Arg) -> Rewrite:
    """A reduction of all elements does not depend on their shape."""
    total = reduce_axis(op, x, all_axes(shape_of(x)))
    return rewrite(reduce_axis(op, reshape(x, s), axes), total, where=is_total(s, axes))


def _sum_before_pad(x: Value, a: Arg, axes: Arg) -> Rewrite:
    return rewrite(
        reduce_axis(Op.ADD, pad(x, a), axes), pad(reduce_axis(Op.ADD, x, axes), entries_kept(a, axes))
    )


@reduction.rule(INTEGERS | BOOL)
def sum_ignores_zeros_around(x: Value, a: Arg, axes: Arg) -> Rewrite:
    """The zeros of a padding add nothing to a sum."""
    return _sum_before_pad(x, a, axes)


@reduction_order.rule(FLOATS, soundness=Soundness.REAL)
def sum_ignores_float_zeros_around(x: Value, a: Arg, axes: Arg) -> Rewrite:
    """The zeros of a padding add nothing to a sum."""
    return _sum_before_pad(x, a, axes)


# Arithmetic moved out of a reduction.


@reduction.rule(FLOATS)
def greatest_of_negated_elements(x: Value, axes: Arg) -> Rewrite:
    """The greatest negated element is the least one, negated."""
    return rewrite(reduce_axis(Op.MAX, -x, axes), -reduce_axis(Op.MIN, x, axes))


@reduction.rule(FLOATS)
def least_of_negated_elements(x: Value, axes: Arg) -> Rewrite:
    """The least negated element is the greatest one, negated."""
    return rewrite(reduce_axis(Op.MIN, -x, axes), -reduce_axis(Op.MAX, x, axes))


@reduction.rule(INDEX)
def extreme_of_shifted_indices(x: Value, c: Const, op: Arg, axes: Arg) -> Rewrite:
    """Adding a constant to all elements adds it to the greatest or least one; indices do not wrap."""
    guard = is_extreme(op) & is_occupied(shape_of(x), axes)
    return rewrite(reduce_axis(op, x + c, axes), reduce_axis(op, x, axes) + c, where=guard)


@reduction.rule(FLOATS)
def extreme_of_shifted(x: Value, c: Const, op: Arg, axes: Arg) -> Rewrite:
    """Adding a finite constant to all elements adds it to the greatest or least one: rounding keeps the order."""
    return rewrite(
        reduce_axis(op, x + c, axes), reduce_axis(op, x, axes) + c, where=is_extreme(op) & is_finite(c)
    )


@reduction.rule(FLOATS | INDEX)
def extreme_of_scaled(x: Value, c: Const, op: Arg, axes: Arg) -> Rewrite:
    """Multiplying all elements by a positive constant multiplies the greatest or least one: rounding keeps the order."""
    guard = is_extreme(op) & is_positive(c) & is_occupied(shape_of(x), axes)
    return rewrite(reduce_axis(op, x * c, axes), reduce_axis(op, x, axes) * c, where=guard)


@reduction.rule(ANY)
def extreme_before_cast(x: Value, t: Type, op: Arg, axes: Arg) -> Rewrite:
    """A conversion that loses nothing keeps the order, so only the greatest or least element needs to be converted."""
    guard = is_extreme(op) & holds_all_of(t, dtype_of(x)) & is_occupied(shape_of(x), axes)
    return rewrite(reduce_axis(op, cast(x, t), axes), cast(reduce_axis(op, x, axes), t), where=guard)


@reduction.rule(INTEGERS)
def sum_of_scaled(x: Value, c: Const, axes: Arg) -> Rewrite:
    """A constant factor can be moved out of a sum."""
    return rewrite(reduce_axis(Op.ADD, x * c, axes), reduce_axis(Op.ADD, x, axes) * c)


@reduction_algebra.rule(FLOATS, soundness=Soundness.REAL)
def sum_of_scaled_floats(x: Value, c: Const, axes: Arg) -> Rewrite:
    """A constant factor can be moved out of a sum."""
    return rewrite(reduce_axis(Op.ADD, x * c, axes), reduce_axis(Op.ADD, x, axes) * c)


@reduction.rule(INTEGERS)
def sum_of_shifted(x: Value, c: Const, axes: Arg) -> Rewrite:
    """Adding a constant to each of n elements adds n times the constant to their sum."""
    return rewrite(
        reduce_axis(Op.ADD, x + c, axes), reduce_axis(Op.ADD, x, axes) + c * count(shape_of(x), axes)
    )


def _invariant(y: Value, s: Arg, axes: Arg) -> Node:
    return expand(reshape(y, entries_kept(shape_of(y), axes)), entries_kept(s, axes))


@reduction.rule(INTEGERS, phase=Phase.EXPLORE)
def sum_of_multiples(x: Value, y: Value, s: Arg, axes: Arg) -> Rewrite:
    """A factor that does not vary along the summed axes can be moved out of the sum."""
    right = reduce_axis(Op.ADD, x, axes) * _invariant(y, s, axes)
    return rewrite(
        reduce_axis(Op.ADD, x * expand(y, s), axes), right, where=is_invariant_along(shape_of(y), axes)
    )


@reduction_algebra.rule(FLOATS, soundness=Soundness.REAL, phase=Phase.EXPLORE)
def sum_of_float_multiples(x: Value, y: Value, s: Arg, axes: Arg) -> Rewrite:
    """A factor that does not vary along the summed axes can be moved out of the sum."""
    right = reduce_axis(Op.ADD, x, axes) * _invariant(y, s, axes)
    return rewrite(
        reduce_axis(Op.ADD, x * expand(y, s), axes), right, where=is_invariant_along(shape_of(y), axes)
    )


@reduction_algebra.rule(FLOATS, soundness=Soundness.REAL, phase=Phase.EXPLORE)
def sum_of_quotients(x: Value, y: Value, s: Arg, axes: Arg) -> Rewrite:
    """A divisor that does not vary along the summed axes can be moved out of the sum."""
    right = reduce_axis(Op.ADD, x, axes) / _invariant(y, s, axes)
    guard = is_invariant_along(shape_of(y), axes) & is_occupied(s, axes)
    return rewrite(reduce_axis(Op.ADD, x / expand(y, s), axes), right, where=guard)
