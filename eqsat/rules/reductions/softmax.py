"""Products of matrices with the softmax of rows, as in attention: the rows are divided by their sums last.

If a row of weights is divided first, it is written again before it is multiplied. A product mostly has fewer columns than its rows have weights,
and it needs the sums only once it is done. The undivided weights are at most 1, so a product overflows only if its values, times the number of
weights, exceed the greatest float. In half precision such values are usual, so the rules do not hold there. Masked rows have zeros in place of the
weights that do not count: these are rows whose end only a call knows.
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
from eqsat.rules.reductions.reduction_axes import entries_kept, is_invariant_along, is_occupied

softmax_products = Topic("softmax products")

WIDE = frozenset({float32, float64})
SOURCE = "Dao, Fu, Ermon, Rudra and Ré, FlashAttention"


def _divided_last(
    product: Callable[[Node], Node], powers: Node, sums: Node, x: Value, axes: tuple[Arg, ...]
) -> Rewrite:
    """States that a product with exponentials divided by their sums is the product with the exponentials, divided by the sums."""
    b, u, v, t, s, a = axes
    own = unit_reshape(u, v, t)
    divisors = expand(reshape(sums, entries_kept(own, a)), entries_kept(s, a))
    return rewrite(
        reduce_axis(Op.ADD, product(powers / expand(sums, v)), a),
        reduce_axis(Op.ADD, product(powers), a) / divisors,
        where=(u == units_at(shape_of(x), b))
        & is_invariant_along(own, a)
        & grows(own, t)
        & grows(t, s)
        & is_occupied(s, a),
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
    """A product with the softmax of rows with masked weights is a product with their exponentials, divided by the sums of these."""
    greatest = reduce_axis(Op.MAX, where(c, x, -inf), b)
    powers = apply(Op.EXP, x - expand(reshape(greatest, u), v))
    sums = reshape(reduce_axis(Op.ADD, where(c, powers, 0.0), b), u)

    def product(weights: Node) -> Node:
        return where(d, expand(reshape(weights, t), s), 0.0) * y

    return _divided_last(product, powers, sums, x, (b, u, v, t, s, a))
