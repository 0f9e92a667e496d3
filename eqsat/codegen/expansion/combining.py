"""How a REDUCE or ARGREDUCE combines its accumulators with another value, lane by lane, and its lanes and copies with each other.

A REDUCE accumulates one value, an ARGREDUCE two: the extreme value and its position. Both are tuples here, so that the same code serves them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce

from eqsat.codegen.expansion.lanes import broadcast, pick
from eqsat.dtype import bool_
from eqsat.floats.zeros import from_zero
from eqsat.ops import Op, identity_element
from eqsat.uop import UOp

Members = tuple[UOp, ...]
Joining = Callable[[Members, Members], Members]


def members(node: UOp) -> Members:
    """The values that a REDUCE or ARGREDUCE accumulates."""
    return node.src[: node.op.info.range_start]


def starts(node: UOp) -> tuple[float, ...]:
    """The initial value of each accumulator. A position starts at 0, so the first one wins if no value beats the identity element."""
    dtype = node.src[0].dtype.scalar
    if node.op is Op.ARGREDUCE:
        return identity_element(node.arg[0], dtype), 0
    return (identity_element(node.arg, dtype),)


def result(node: UOp, total: Members, *, in_loops: bool) -> UOp:
    """The result of a REDUCE or ARGREDUCE, where `total` combines all iterations.

    With loops, the accumulators include the value that the reduction starts from; without, it is combined here.
    """
    if node.op is Op.ARGREDUCE:
        member: int = node.arg[1]
        return total[member]
    return total[0] if in_loops else from_zero(total[0], node.arg)


def following(node: UOp) -> Joining:
    """The function that combines accumulators with the values of a later iteration, which have a greater position."""
    return partial(_first, node.arg[0]) if node.op is Op.ARGREDUCE else partial(_together, node.arg)


def joining(node: UOp) -> Joining:
    """The function that combines the accumulators of two parts of the iterations."""
    return partial(_better, node.arg[0]) if node.op is Op.ARGREDUCE else partial(_together, node.arg)


def _together(op: Op, left: Members, right: Members) -> Members:
    return (left[0].alu(op, right[0]),)


def _first(op: Op, best: Members, new: Members) -> Members:
    """The new pair if its value is better: greater (MAX), less (MIN), or the first NaN."""
    less, greater = (best[0], new[0]) if op is Op.MAX else (new[0], best[0])
    better = less.alu(Op.CMPLT, greater)
    if best[0].dtype.scalar.is_float:
        not_worse = _not(greater.alu(Op.CMPLT, less)).alu(Op.AND, less.ne(greater))
        better = not_worse.alu(Op.AND, _not(best[0].ne(best[0])))
    return _chosen(better, new, best)


def _better(op: Op, best: Members, other: Members) -> Members:
    """The pair with the extreme value. NaNs come before all numbers; of equal values, or of two NaNs, the lesser position wins."""
    (value, position), (new, place) = best, other
    less, greater = (value, new) if op is Op.MAX else (new, value)
    sooner = place.alu(Op.CMPLT, position)
    better = less.alu(Op.CMPLT, greater).alu(Op.OR, _not(value.ne(new)).alu(Op.AND, sooner))
    if value.dtype.scalar.is_float:
        before_nan = _not(value.ne(value)).alu(Op.OR, sooner)
        better = better.alu(Op.OR, new.ne(new).alu(Op.AND, before_nan))
    return _chosen(better, other, best)


def _chosen(condition: UOp, new: Members, best: Members) -> Members:
    return tuple(condition.alu(Op.WHERE, *each) for each in zip(new, best, strict=True))


def _not(condition: UOp) -> UOp:
    return condition.alu(Op.CMPNE, broadcast(UOp.const(bool_, True), condition.dtype.lanes))


def combine_lanes(vectors: Members, join: Joining) -> Members:
    """Combines all lanes of the accumulators, in a balanced tree."""
    while (lanes := vectors[0].dtype.lanes) > 1:
        if lanes % 2:
            return reduce(join, [_lanes(vectors, (lane,)) for lane in range(lanes)])
        half = lanes // 2
        vectors = join(_lanes(vectors, tuple(range(half))), _lanes(vectors, tuple(range(half, lanes))))
    return vectors


def _lanes(vectors: Members, lanes: tuple[int, ...]) -> Members:
    return tuple(pick(vector, lanes) for vector in vectors)
