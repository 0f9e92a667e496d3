"""Products of matrices with the softmax of rows, as in attention: the rows are divided by their sums last.

Divided first, a row of weights is written again before it is multiplied. A product has fewer columns than its rows have weights, mostly, and
needs the sums only once it is done. Weights are at most 1, so products overflow only where values are so near to the greatest float that their
number times them exceeds it; in half precision such values are usual, so there the rule does not hold. Rows of which some weights do not count have
zeros in place of these: rows that end where only calls know.
"""

from __future__ import annotations

from math import inf

from eqsat.dtype import float32, float64
from eqsat.ops import Op
from eqsat.rules.language.facts import shape_of
from eqsat.rules.language.pattern import Value, apply, expand, reduce_axis, reshape, where
from eqsat.rules.language.rule import Phase, Rewrite, Soundness, Topic, rewrite
from eqsat.rules.language.scalar import Arg
from eqsat.rules.movements.axes import unit_reshape
from eqsat.rules.reductions.part_axes import units_at
from eqsat.rules.reductions.product_axes import grows
from eqsat.rules.reductions.reduction_axes import spread, without

softmax_products = Topic("softmax products")

WIDE = frozenset({float32, float64})


@softmax_products.rule(
    WIDE,
    soundness=Soundness.REAL,
    phase=Phase.EXPLORE,
    citation="Dao, Fu, Ermon, Rudra and Ré, FlashAttention",
)
def softmax_divided_after_product(
    x: Value, y: Value, b: Arg, u: Arg, v: Arg, t: Arg, s: Arg, a: Arg
) -> Rewrite:
    """A product with the softmax of rows is a product with their exponentials, divided by the sums of these."""
    powers = apply(Op.EXP, x - expand(reshape(reduce_axis(Op.MAX, x, b), u), v))
    sums = reshape(reduce_axis(Op.ADD, powers, b), u)
    own = unit_reshape(u, v, t)
    divisors = expand(reshape(sums, without(own, a)), without(s, a))
    return rewrite(
        reduce_axis(Op.ADD, expand(reshape(powers / expand(sums, v), t), s) * y, a),
        reduce_axis(Op.ADD, expand(reshape(powers, t), s) * y, a) / divisors,
        where=(u == units_at(shape_of(x), b)) & spread(own, a) & grows(own, t) & grows(t, s),
    )


@softmax_products.rule(
    WIDE,
    soundness=Soundness.REAL,
    phase=Phase.EXPLORE,
    citation="Dao, Fu, Ermon, Rudra and Ré, FlashAttention",
)
def masked_softmax_divided_after_product(
    x: Value, y: Value, c: Value, d: Value, b: Arg, u: Arg, v: Arg, t: Arg, s: Arg, a: Arg
) -> Rewrite:
    """The same for rows of which some weights do not count."""
    greatest = reduce_axis(Op.MAX, where(c, x, -inf), b)
    powers = apply(Op.EXP, x - expand(reshape(greatest, u), v))
    sums = reshape(reduce_axis(Op.ADD, where(c, powers, 0.0), b), u)
    own = unit_reshape(u, v, t)
    divisors = expand(reshape(sums, without(own, a)), without(s, a))
    return rewrite(
        reduce_axis(Op.ADD, where(d, expand(reshape(powers / expand(sums, v), t), s), 0.0) * y, a),
        reduce_axis(Op.ADD, where(d, expand(reshape(powers, t), s), 0.0) * y, a) / divisors,
        where=(u == units_at(shape_of(x), b)) & spread(own, a) & grows(own, t) & grows(t, s),
    )
