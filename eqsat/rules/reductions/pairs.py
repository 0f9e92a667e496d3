"""Reductions that read their elements twice, as reductions over pairs: of a maximum and a sum of exponentials, of a mean and a sum of squares.

Such a sum needs another result of the same elements before it can begin: their maximum or their mean. The sum of a part needs only the part's
own maximum or mean, while the part is in a cache, and is corrected when the parts are joined: (m₁, s₁) and (m₂, s₂) make m = max(m₁, m₂) and
s = s₁·exp(m₁ - m) + s₂·exp(m₂ - m). These equations join all parts at once, so that the parts are ordinary reductions, and prices decide.
"""

from __future__ import annotations

from eqsat.ops import Op
from eqsat.rules.language.facts import dtype_of, shape_of
from eqsat.rules.language.pattern import Node, Value, apply, expand, maximum, reduce_axis, reshape
from eqsat.rules.language.rule import FLOATS, Phase, Rewrite, Soundness, Topic, rewrite
from eqsat.rules.language.scalar import Arg, Const, Scalar
from eqsat.rules.reductions.part_axes import (
    across_parts,
    elements_of_part,
    in_parts,
    lowest,
    of_parts,
    units_at,
    within_parts,
)

reduction_pairs = Topic("reduction pairs")

REAL, EXPLORE = Soundness.REAL, Phase.EXPLORE


def _sum(x: Value | Node, axes: Scalar) -> Node:
    return reduce_axis(Op.ADD, x, axes)


def _repeated(result: Node, shape: Scalar, axes: Scalar) -> Node:
    """The result of reducing elements of this shape along these axes, repeated for each element."""
    return expand(reshape(result, units_at(shape, axes)), shape)


@reduction_pairs.rule(
    FLOATS,
    soundness=REAL,
    phase=EXPLORE,
    citation="Milakov and Gimelshein, Online normalizer calculation for softmax",
)
def exponentials_below_greatest_in_parts(x: Value, a: Arg, u: Arg, s: Arg) -> Rewrite:
    """A sum of exponentials of differences from the maximum can be split into parts, each with its own maximum and then rescaled."""
    shape, parts = in_parts(shape_of(x), a), of_parts(shape_of(x), a)
    within, across = within_parts(shape_of(x), a), across_parts(shape_of(x), a)
    left = _sum(apply(Op.EXP, x - expand(reshape(reduce_axis(Op.MAX, x, a), u), s)), a)
    elements = reshape(x, shape)
    greatest = reduce_axis(Op.MAX, elements, within)
    # A part of minus infinities then has exponentials of zero
    finite = maximum(greatest, lowest(dtype_of(x)))
    sums = _sum(apply(Op.EXP, elements - _repeated(finite, shape, within)), within)
    scales = apply(Op.EXP, finite - _repeated(reduce_axis(Op.MAX, greatest, across), parts, across))
    return rewrite(
        left, _sum(sums * scales, across), where=(u == units_at(shape_of(x), a)) & (s == shape_of(x))
    )


@reduction_pairs.rule(
    FLOATS,
    soundness=REAL,
    phase=EXPLORE,
    citation="Chan, Golub and LeVeque, Updating formulae and a pairwise algorithm for computing sample variances",
)
def products_of_deviations_in_parts(
    x: Value, y: Value, c: Const, d: Const, a: Arg, u: Arg, s: Arg
) -> Rewrite:
    """A sum of products of deviations from means can be split into parts: deviations from the parts' means, and of the parts' means."""
    shape, parts = in_parts(shape_of(x), a), of_parts(shape_of(x), a)
    within, across = within_parts(shape_of(x), a), across_parts(shape_of(x), a)
    count = elements_of_part(shape_of(x), a)

    def deviations(z: Value, constant: Const) -> tuple[Node, Node, Node]:
        """The deviations of all elements from the mean, of a part's elements from the part's mean, and of the parts' means from the mean."""
        elements = reshape(z, shape)
        own = _sum(elements, within) / count
        whole = _sum(_sum(elements, within), across) / constant
        outer = reshape(_sum(z, a), u) / constant
        return (
            z - expand(outer, s),
            elements - _repeated(own, shape, within),
            own - _repeated(whole, parts, across),
        )

    (left_x, inner_x, outer_x), (left_y, inner_y, outer_y) = deviations(x, c), deviations(y, d)
    right = _sum(_sum(inner_x * inner_y, within) + outer_x * outer_y * count, across)
    guard = (u == units_at(shape_of(x), a)) & (s == shape_of(x)) & (shape_of(y) == shape_of(x))
    guard &= (c != 1) & (d != 1)  # other rules remove divisions by one
    return rewrite(_sum(left_x * left_y, a), right, where=guard)
