"""Tensor algebra: equations about whole sums of products, such as products of matrices, for any order of axes.

`A @ B` is a sum of products of expanded operands, so one equation covers matrices, vectors and stacks of them, transposed or not. All
rules hold over the reals. Which form is cheaper depends on the extents, so the rules only add alternatives.
"""

from __future__ import annotations

from eqsat.ops import Op
from eqsat.rules.language.facts import shape_of
from eqsat.rules.language.pattern import Node, Value, apply, expand, pad, permute, reduce_axis, reshape, where
from eqsat.rules.language.rule import FLOATS, Phase, Rewrite, Soundness, Topic, rewrite
from eqsat.rules.language.scalar import Arg, Const, Scalar
from eqsat.rules.movements.axes import is_identity, padded_shape, permuted, unit_reshape
from eqsat.rules.reductions.product_axes import (
    fill_one_space,
    grows,
    invariant_joint_shape,
    joint_axes,
    joint_shape,
    joint_space,
    last_axes,
    lifted_padding,
    missing_axes,
    other_axes,
    product_permutation,
    with_summed_units,
    with_units,
)
from eqsat.rules.reductions.reduction_axes import all_axes, entries_kept, is_invariant_along, is_occupied

tensor_algebra = Topic("tensor algebra")

REAL, EXPLORE = Soundness.REAL, Phase.EXPLORE


def _sum(x: Value | Node, axes: Scalar) -> Node:
    return reduce_axis(Op.ADD, x, axes)


# (A B) C = A (B C).


def _reassociated(x: Value, y: Value, z: Value, s: Arg, a: Arg, units: Scalar, axes: Scalar, moved: Scalar,
                  b: Arg) -> Node:  # fmt: skip
    """The sum over `b` of z times the moved sum over `a` of x times y, with y and z multiplied first; x must not vary along `b`."""
    order, space = joint_axes(s, a, units, axes), joint_space(s, a, moved)
    right = expand(reshape(permute(y, order), joint_shape(s, s, a, units, axes)), space)
    inner = _sum(right * expand(reshape(z, with_units(moved, a)), space), b)
    invariant = invariant_joint_shape(shape_of(x), s, a, units, axes, b)
    left = expand(reshape(permute(x, order), invariant), entries_kept(space, b))
    return _sum(left * inner, last_axes(moved, b, a))


@tensor_algebra.rule(FLOATS, soundness=REAL, phase=EXPLORE)
def product_times_row(x: Value, y: Value, z: Value, s: Arg, a: Arg, b: Arg) -> Rewrite:
    """The product of two matrices, times a vector (one for each row), is the first matrix times the product of the second and the vector."""
    kept = entries_kept(s, a)
    left = _sum(_sum(expand(x, s) * y, a) * z, b)
    return rewrite(left, _reassociated(x, y, z, s, a, kept, all_axes(kept), kept, b))


@tensor_algebra.rule(FLOATS, soundness=REAL, phase=EXPLORE)
def transposed_product_times_row(x: Value, y: Value, z: Value, s: Arg, a: Arg, p: Arg, b: Arg) -> Rewrite:
    """The transposed product of two matrices, times a vector, is one of the matrices times the product of the other and the vector."""
    kept = entries_kept(s, a)
    left = _sum(permute(_sum(expand(x, s) * y, a), p) * z, b)
    return rewrite(left, _reassociated(x, y, z, s, a, kept, p, permuted(kept, p), b))


@tensor_algebra.rule(FLOATS, soundness=REAL, phase=EXPLORE)
def product_times_matrix(x: Value, y: Value, z: Value, s: Arg, a: Arg, u: Arg, t: Arg, b: Arg) -> Rewrite:
    """A product of three matrices can be computed from the right."""
    left = _sum(expand(reshape(_sum(expand(x, s) * y, a), u), t) * z, b)
    return rewrite(left, _reassociated(x, y, z, s, a, u, all_axes(u), t, b))


@tensor_algebra.rule(FLOATS, soundness=REAL, phase=EXPLORE)
def transposed_product_times_matrix(
    x: Value, y: Value, z: Value, s: Arg, a: Arg, u: Arg, p: Arg, t: Arg, b: Arg
) -> Rewrite:
    """A product of three matrices, in which the product of two is transposed, can be computed from the other side."""
    left = _sum(expand(permute(reshape(_sum(expand(x, s) * y, a), u), p), t) * z, b)
    return rewrite(left, _reassociated(x, y, z, s, a, u, p, t, b))


@tensor_algebra.rule(FLOATS, soundness=REAL, phase=EXPLORE)
def sum_of_product_sums_first(x: Value, y: Value, s: Arg, a: Arg) -> Rewrite:
    """If a factor of summed products does not vary along some of the summed axes, the other factor can be summed along these first."""
    missing = missing_axes(shape_of(x), s, a)
    factor = expand(reshape(x, entries_kept(shape_of(x), missing)), entries_kept(s, missing))
    right = _sum(factor * _sum(y, missing), other_axes(shape_of(x), s, a))
    return rewrite(_sum(expand(x, s) * y, a), right)


# (A B)ᵀ = Bᵀ Aᵀ.


@tensor_algebra.rule(FLOATS, soundness=REAL, phase=EXPLORE)
def transpose_of_product(x: Value, y: Value, a: Arg, p: Arg) -> Rewrite:
    """A product is transposed by transposing its factors."""
    order = product_permutation(shape_of(x), a, p)
    right = _sum(permute(x, order) * permute(y, order), last_axes(shape_of(x), a, a))
    return rewrite(permute(_sum(x * y, a), p), right, where=~is_identity(p))


# A B + A C = A (B + C).


@tensor_algebra.rule(FLOATS, soundness=REAL, phase=EXPLORE, over=(Op.ADD, Op.SUB))
def products_with_common_factor(op: Op, x: Value, y: Value, z: Value, a: Arg) -> Rewrite:
    """{op} of two products with a common factor is the product of this factor and the {op} of the other factors."""
    return rewrite(apply(op, _sum(x * y, a), _sum(x * z, a)), _sum(x * apply(op, y, z), a), both_ways=True)


@tensor_algebra.rule(FLOATS, soundness=REAL, phase=EXPLORE)
def products_side_by_side(
    c: Value, x: Value, y: Value, z: Value, s: Arg, t: Arg, a: Arg, p: Arg, q: Arg
) -> Rewrite:
    """Two products with a common factor, side by side, are the product of this factor and the other factors side by side."""
    left_padding = lifted_padding(p, shape_of(x), s, a)
    right_padding = lifted_padding(q, shape_of(x), t, a)
    space = padded_shape(s, left_padding)
    chosen = expand(reshape(c, with_summed_units(shape_of(c), a)), space)
    joined = where(chosen, pad(y, left_padding), pad(z, right_padding))
    products = where(c, pad(_sum(expand(x, s) * y, a), p), pad(_sum(expand(x, t) * z, a), q))
    right = _sum(expand(x, space) * joined, a)
    guard = fill_one_space(s, left_padding, t, right_padding) & grows(shape_of(x), s) & grows(shape_of(x), t)
    return rewrite(products, right, where=guard)


# (c A) B = c (A B).


@tensor_algebra.rule(FLOATS, soundness=REAL)
def reshape_before_scaling(x: Value, c: Const, t: Arg) -> Rewrite:
    """Reshaping a multiple is a multiple of the reshaped value."""
    return rewrite(reshape(x * c, t), reshape(x, t) * c)


@tensor_algebra.rule(FLOATS, soundness=REAL)
def permute_before_scaling(x: Value, c: Const, p: Arg) -> Rewrite:
    """Permuting a multiple is a multiple of the permuted value."""
    return rewrite(permute(x * c, p), permute(x, p) * c)


@tensor_algebra.rule(FLOATS, soundness=REAL, phase=EXPLORE)
def scaled_factor(x: Value, y: Value, c: Const, s: Arg, a: Arg) -> Rewrite:
    """A product with a multiple of a matrix is a multiple of the product."""
    return rewrite(_sum(expand(x * c, s) * y, a), _sum(expand(x, s) * y, a) * c, both_ways=True)


@tensor_algebra.rule(FLOATS, soundness=REAL, phase=EXPLORE)
def scaled_term(x: Value, y: Value, c: Const, a: Arg) -> Rewrite:
    """A sum of products with a multiple of a factor is a multiple of the sum."""
    return rewrite(_sum((x * c) * y, a), _sum(x * y, a) * c, both_ways=True)


def _rows_scaled(op: Op, x: Node | Value, d: Node | Value, y: Value, s: Arg, a: Arg, own: Scalar) -> Node:
    scale = expand(reshape(d, entries_kept(own, a)), entries_kept(s, a))
    return apply(op, _sum(expand(x, s) * y, a), scale)


@tensor_algebra.rule(FLOATS, soundness=REAL, phase=EXPLORE, over=(Op.MUL, Op.FDIV))
def rows_scaled_after_product(op: Op, x: Value, d: Value, y: Value, v: Arg, s: Arg, a: Arg) -> Rewrite:
    """{op} of each row of a factor and a number of the row can be applied to the rows of the product instead."""
    left = _sum(expand(apply(op, x, expand(d, v)), s) * y, a)
    return rewrite(
        left,
        _rows_scaled(op, x, d, y, s, a, shape_of(d)),
        where=is_invariant_along(shape_of(d), a) & grows(shape_of(d), v) & grows(v, s) & is_occupied(s, a),
    )


@tensor_algebra.rule(FLOATS, soundness=REAL, phase=EXPLORE, over=(Op.MUL, Op.FDIV))
def reshaped_rows_scaled_after_product(
    op: Op, x: Value, d: Value, y: Value, v: Arg, t: Arg, s: Arg, a: Arg
) -> Rewrite:
    """{op} of each row of a factor and a number of the row, before a reshape, can be applied to the rows of the product instead."""
    own = unit_reshape(shape_of(d), v, t)
    left = _sum(expand(reshape(apply(op, x, expand(d, v)), t), s) * y, a)
    return rewrite(
        left,
        _rows_scaled(op, reshape(x, t), reshape(d, own), y, s, a, own),
        where=is_invariant_along(own, a) & grows(own, t) & grows(t, s) & is_occupied(s, a),
    )
