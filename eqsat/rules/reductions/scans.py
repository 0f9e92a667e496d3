"""Scans: each element combined with all elements before it along an axis.

The definition is an equality with a reduction of a square (results by elements), in which elements after the result are replaced by the identity
element. Scans keep the order of their elements. So only equalities with reductions, and scans in parts, combine floats in another order.
"""

from __future__ import annotations

from eqsat.ops import Op
from eqsat.rules.language.facts import axis_of, dtype_of, shape_of
from eqsat.rules.language.pattern import (
    Node,
    Value,
    expand,
    pad,
    permute,
    reduce_axis,
    reshape,
    scan_axis,
    shrink,
    where,
)
from eqsat.rules.language.rule import (
    ANY,
    FLOATS,
    INDEX,
    SIGNED,
    Phase,
    Rewrite,
    Soundness,
    Topic,
    rewrite,
)
from eqsat.rules.language.scalar import Arg, Const, Scalar, pure
from eqsat.rules.movements.axes import Pairs, extents, permuted
from eqsat.rules.reductions.order import in_any_order, reduction_order
from eqsat.rules.reductions.parts_in_place import (
    all_but_the_last,
    all_of,
    filling,
    in_a_row,
    one_first,
    one_of_each,
    place_of,
    scanned_parts,
    within_each,
)
from eqsat.rules.reductions.ranges import is_float
from eqsat.rules.reductions.reduction_axes import entries_kept, expanded_at, identity, keeps_copies
from eqsat.shape import Shape

scans = Topic("scans")


@pure
def only(axis: int) -> Shape:
    """One axis, as the axes of a reduction."""
    return (axis,)


@pure
def is_square(shape: Shape, expanded: Shape, results: int, elements: int) -> bool:
    """Whether a value is repeated for each result, and there are as many results as elements."""
    extent = expanded[elements]
    return results != elements and shape[results] == 1 and shape[elements] == expanded[results] == extent


@pure
def swapped(shape: Shape, one: int, other: int) -> Shape:
    """The permutation that swaps two axes."""
    places = {one: other, other: one}
    return tuple(places.get(axis, axis) for axis in range(len(shape)))


@pure
def is_single(shape: Shape, axes: Shape) -> bool:
    """Whether a scanned axis has at most one element."""
    return all(shape[axis] <= 1 for axis in axes)


@pure
def is_last(shape: Shape, axes: Shape, window: Pairs) -> bool:
    """Whether a window shows the last of several elements along the scanned axis, and all elements along the others."""
    return all(
        (begin, end) == ((extent - 1, extent) if axis in axes else (0, extent))
        and (axis not in axes or extent > 1)
        for axis, (extent, (begin, end)) in enumerate(zip(shape, window, strict=True))
    )


@pure
def place_before(permutation: Shape, axes: Shape) -> Shape:
    """The axis of a permuted value, numbered as before the permutation."""
    return tuple(permutation[axis] for axis in axes)


# The definition.


def _reduced(
    op: Op, i: Value, j: Value, c: Const, x: Value, s: Arg, axes: Arg, guard: Scalar | None = None
) -> Rewrite:
    """States that combining, for each result i, the elements at j up to i is a scan."""
    results, elements = axis_of(i), axis_of(j)
    turned = swapped(shape_of(x), results, elements)
    scanned = permute(scan_axis(op, x, only(elements)), turned)
    rows = reshape(scanned, entries_kept(permuted(shape_of(x), turned), axes))
    is_triangle = (
        (axes == only(elements))
        & (c == identity(op, dtype_of(x)))
        & is_square(shape_of(x), s, results, elements)
    )
    left = reduce_axis(op, where(i < j, c, expand(x, s)), axes)
    return rewrite(
        left, expand(rows, entries_kept(s, axes)), where=is_triangle if guard is None else is_triangle & guard
    )


@scans.rule(INDEX | SIGNED, phase=Phase.EXPLORE)
def sums_of_all_before(i: Value, j: Value, c: Const, x: Value, s: Arg, axes: Arg) -> Rewrite:
    """The sums of the elements up to each element are running sums."""
    return _reduced(Op.ADD, i, j, c, x, s, axes, ~is_float(dtype_of(x)))


@scans.rule(INDEX | SIGNED, phase=Phase.EXPLORE)
def products_of_all_before(i: Value, j: Value, c: Const, x: Value, s: Arg, axes: Arg) -> Rewrite:
    """The products of the elements up to each element are running products."""
    return _reduced(Op.MUL, i, j, c, x, s, axes, ~is_float(dtype_of(x)))


@scans.rule(INDEX | SIGNED, phase=Phase.EXPLORE)
def greatest_of_all_before(i: Value, j: Value, c: Const, x: Value, s: Arg, axes: Arg) -> Rewrite:
    """The greatest elements up to each element are running maxima."""
    return _reduced(Op.MAX, i, j, c, x, s, axes)


@scans.rule(INDEX | SIGNED, phase=Phase.EXPLORE)
def least_of_all_before(i: Value, j: Value, c: Const, x: Value, s: Arg, axes: Arg) -> Rewrite:
    """The least elements up to each element are running minima."""
    return _reduced(Op.MIN, i, j, c, x, s, axes)


@reduction_order.rule(INDEX | SIGNED, soundness=Soundness.REAL, phase=Phase.EXPLORE)
def float_sums_of_all_before(i: Value, j: Value, c: Const, x: Value, s: Arg, axes: Arg) -> Rewrite:
    """The sums of the elements up to each element are running sums."""
    return _reduced(Op.ADD, i, j, c, x, s, axes, is_float(dtype_of(x)))


@reduction_order.rule(INDEX | SIGNED, soundness=Soundness.REAL, phase=Phase.EXPLORE)
def float_products_of_all_before(i: Value, j: Value, c: Const, x: Value, s: Arg, axes: Arg) -> Rewrite:
    """The products of the elements up to each element are running products."""
    return _reduced(Op.MUL, i, j, c, x, s, axes, is_float(dtype_of(x)))


# Less to do.


@scans.rule(ANY)
def scan_single_elements(x: Value, op: Arg, axes: Arg) -> Rewrite:
    """A scan along an axis of one element changes nothing."""
    return rewrite(scan_axis(op, x, axes), x, where=is_single(shape_of(x), axes))


@in_any_order()
def last_of_scan_is_a_reduction(x: Value, op: Arg, axes: Arg, w: Arg) -> Rewrite:
    """The last element of a scan is the reduction of all elements."""
    shape = shape_of(x)
    right = reshape(reduce_axis(op, x, axes), extents(w))
    return rewrite(shrink(scan_axis(op, x, axes), w), right, where=is_last(shape, axes, w))


# Movement along other axes.


@scans.rule(ANY)
def scan_before_expand(x: Value, op: Arg, s: Arg, axes: Arg) -> Rewrite:
    """A value that is repeated along other axes can be scanned before it is repeated."""
    scanned: Node = scan_axis(op, expand(x, expanded_at(shape_of(x), s, axes)), axes)
    return rewrite(
        scan_axis(op, expand(x, s), axes), expand(scanned, s), where=keeps_copies(shape_of(x), s, axes)
    )


@scans.rule(ANY)
def scan_before_permute(x: Value, op: Arg, p: Arg, axes: Arg) -> Rewrite:
    """Scanning a permuted value permutes the scanned one."""
    return rewrite(scan_axis(op, permute(x, p), axes), permute(scan_axis(op, x, place_before(p, axes)), p))


# In parts.


def _in_parts(x: Value, axes: Arg, guard: Scalar) -> Rewrite:
    """States that each part can be scanned by itself, from the sum of all parts before it; these sums are a scan of the parts' sums."""
    shape, axis = shape_of(x), place_of(axes)
    parts = scanned_parts(shape, axes)
    cut = reshape(pad(x, filling(shape, parts, axis)), parts)
    within = within_each((), axis)
    sums = shrink(reduce_axis(Op.ADD, cut, within), all_but_the_last(parts, axis))
    before = scan_axis(Op.ADD, pad(sums, one_first(parts, axis)), axes)
    begun = expand(reshape(before, one_of_each(parts, axis)), parts)
    right = reshape(begun + scan_axis(Op.ADD, cut, within), in_a_row(parts, axis))
    return rewrite(scan_axis(Op.ADD, x, axes), shrink(right, all_of(shape)), where=guard)


@scans.rule(ANY, phase=Phase.EXPLORE)
def sum_in_parts(x: Value, axes: Arg) -> Rewrite:
    """A long running sum can be split into parts, each begun with the sum of the parts before it; the parts can run in parallel."""
    return _in_parts(x, axes, ~is_float(dtype_of(x)))


@reduction_order.rule(FLOATS, soundness=Soundness.REAL, phase=Phase.EXPLORE)
def sum_floats_in_parts(x: Value, axes: Arg) -> Rewrite:
    """A long running sum can be split into parts, each begun with the sum of the parts before it; the parts can run in parallel."""
    return _in_parts(x, axes, is_float(dtype_of(x)))
