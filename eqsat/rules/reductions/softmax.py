"""Products of matrices with the softmax of rows, as in attention: the rows are divided by their sums last.

Divided first, a row of weights is written again before it is multiplied. A product has fewer columns than its rows have weights, mostly, and
needs the sums only once it is done. Weights are at most 1, so products overflow only where values are so near to the greatest float that their
number times them exceeds it; in half precision such values are usual, so there the rule does not hold. Rows of which some weights do not count have
zeros in place of these: rows that end where only calls know.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf

from eqsat.dtype import float32, float64
from eqsat.ops import Op
from eqsat.rules.language.facts import shape_of
from eqsat.rules.language.pattern import Node, Value, apply, expand, reduce_axis, reshape, where
from eqsat.rules.language.rule import Phase, Rewrite, Soundness, Topic, rewrite
from eqsat.rules.language.scalar import Arg
from eqsat.rules.movements.axes import unit_reshape
from eqsat.rules.reductions.part_axes import units_at
from eqsat.rules.reductions.product_axes import grows
from eqsat.rules.reductions.reduction_axes import spread, without

softmax_products = Topic("softmax products")

WIDE = frozenset({float32, float64})
SOURCE = "Dao, Fu, Ermon, Rudra and Ré, FlashAttention"


def _divided_last(
    product: Callable[[Node], Node], powers: Node, sums: Node, x: Value, axes: tuple[Arg, ...]
) -> Rewrite:
    """A product with exponentials that are divided by their sums, or the product of these, divided."""
    b, u, v, t, s, a = axes
    own = unit_reshape(u, v, t)
    divisors = expand(reshape(sums, without(own, a)), without(s, a))
    return rewrite(
        reduce_axis(Op.ADD, product(powers / expand(sums, v)), a),
        reduce_axis(Op.ADD, product(powers), a) / divisors,
        where=(u == units_at(shape_of(x), b)) & spread(own, a) & grows(own, t) & grows(t, s),
    )


@softmax_products.rule(WIDE, soundness=Soundness.REAL, phase=Phase.EXPLORE, citation=SOURCE)
def softmax_divided_after_product(
    x: Value, y: Value, b: Arg, u: Arg, v: Arg, t: Arg, s: Arg, a: Arg
) -> Rewrite:
    """A product with the softmax of rows is a product with their exponentials, divided by the sums of these."""
    powers = apply(Op.EXP, x - expand(reshape(reduce_axis(Op.MAX, x, b), u), v))
    sums = reshape(reduce_axis(Op.ADD, powers, b), u)

    def product(weights: Node) -> Node:
        return expand(reshape(weights, t), s) * y

    return _divided_last(product, powers, sums, x, (b, u, v, t, s, a))


@softmax_products.rule(WIDE, soundness=Soundness.REAL, phase=Phase.EXPLORE, citation=SOURCE)
def masked_softmax_divided_after_product(
    x: Value, y: Value, c: Value, d: Value, b: Arg, u: Arg, v: Arg, t: Arg, s: Arg, a: Arg
) -> Rewrite:
    """The same for rows of which some weights do not count."""
    greatest = reduce_axis(Op.MAX, where(c, x, -inf), b)
    powers = apply(Op.EXP, x - expand(reshape(greatest, u), v))
    sums = reshape(reduce_axis(Op.ADD, where(c, powers, 0.0), b), u)

    def product(weights: Node) -> Node:
        return where(d, expand(reshape(weights, t), s), 0.0) * y

    return _divided_last(product, powers, sums, x, (b, u, v, t, s, a))
