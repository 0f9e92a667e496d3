"""Sums long sequences of floats in blocks: each block by itself, and then their sums.

Before and after: an expanded SINK. An accumulator to which many values of about one size are added grows so much larger than each of them that
more and more of their bits are rounded away: at 2^24 times a float32 it stops growing. So no accumulator of half or single precision takes
more than `MOST` values in a row. A REDUCE over more iterations becomes one over the inner loops, within one over the outer loops. A loop that is
too long by itself is cut in two, after its last iterations are split off if it cannot be cut evenly, or if only calls know how many it has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import isqrt, prod

from eqsat.codegen.expansion.dependence import nesting
from eqsat.dtype import index
from eqsat.integers.bounds import bounds
from eqsat.ops import REDUCES, AxisType, Op
from eqsat.shape import extent_of
from eqsat.uop import UOp, rewrite, toposort

MOST = 2048  # values that one accumulator takes in a row
LEAST = isqrt(MOST)  # values of a block at least; no more, or a loop might not be cut into blocks
SINGLE = 24  # bits of the significand of float32; float64 has enough for any array


def in_blocks(sink: UOp) -> UOp:
    """The kernel without long sums, except over loops that do more than reduce."""
    while (sums := [node for node in toposort([sink]) if _is_long(node)]) and (
        changed := _shorter(sink, sums)
    ) is not None:
        sink = changed
    return sink


def _is_long(node: UOp) -> bool:
    if node.op is not Op.REDUCE or node.arg is not Op.ADD or not node.dtype.scalar.is_float:
        return False
    if node.dtype.scalar.significand > SINGLE:
        return False
    loops = node.src[1:]
    each = _values(node)
    return each <= MOST < each * _iterations(loops) and all(loop.arg[1] is AxisType.REDUCE for loop in loops)


def _iterations(loops: Sequence[UOp]) -> int:
    """The most iterations that nested loops have in any call."""
    return prod(bounds(loop)[1] + 1 for loop in loops)


def _values(node: UOp) -> int:
    """The values that each accumulator takes in one iteration."""
    return node.src[0].dtype.lanes // node.dtype.lanes


def _shorter(sink: UOp, sums: Sequence[UOp]) -> UOp | None:
    """The kernel after one step on the way to shorter sums; None if there is none."""
    for longest in sums:
        loops = tuple(sorted(longest.src[1:], key=nesting))
        each, inner = _values(longest), 0
        while inner < len(loops) and each * _iterations(loops[len(loops) - inner - 1 :]) <= MOST:
            inner += 1
        outside, inside = loops[: len(loops) - inner], loops[len(loops) - inner :]
        within = each * _iterations(inside)
        if inside and within >= LEAST:
            alike = [node for node in sums if {*node.src[1:]} == {*loops}]
            return _rebuilt(sink, dict.fromkeys(alike, partial(_nested, outside=outside, inside=inside)))
        changed = _cut(sink, outside[-1], within)
        if changed is not None:
            return changed
    return None


def _nested(node: UOp, outside: Sequence[UOp], inside: Sequence[UOp]) -> UOp:
    return node.with_src((node.with_src((node.src[0], *inside)), *outside))


def _cut(sink: UOp, loop: UOp, within: int) -> UOp | None:
    """The kernel with one loop, each of whose iterations adds `within` values, cut in two; None if it does more than reduce."""
    order = toposort([sink])
    ends = [node for node in order if loop in node.src[_range_start(node) :]]
    if not all(node.op in REDUCES for node in ends):
        return None
    outside, length = _parts(loop, -(-LEAST // within), MOST // within)
    if outside is None:
        return _without_last(sink, loop, length, ends)
    renamed = {
        bound: bound.replace(arg=(2 * bound.arg[0], bound.arg[1])) for bound in order if bound.op is Op.RANGE
    }
    number = renamed[loop].arg[0]
    outer = UOp.range(outside, number, AxisType.REDUCE)
    inner = UOp.range(length, number + 1, AxisType.REDUCE)  # around the loops that were inside
    position = outer.alu(Op.MUL, UOp.const(index, length)).alu(Op.ADD, inner)

    def ended(node: UOp) -> UOp:
        start = _range_start(node)
        bounds = [
            each for bound in node.src[start:] for each in ((outer, inner) if bound is position else (bound,))
        ]
        return node.with_src((*node.src[:start], *bounds))

    return _rebuilt(sink, dict.fromkeys(ends, ended), renamed | {loop: position})


def _parts(loop: UOp, least: int, most: int) -> tuple[UOp | None, int]:
    """The extent of the outer loop and the length of the inner one, of `least` to `most`; the first is None if last iterations are left over."""
    end = loop.src[0]
    if end.op is Op.CONST:
        extent = extent_of(loop)
        lengths = [size for size in range(least, most + 1) if extent % size == 0]
        return (
            (UOp.const(index, extent // lengths[-1]), lengths[-1])
            if lengths
            else (None, min(isqrt(extent), most))
        )
    if end.op is Op.MUL and end.src[1].op is Op.CONST and least <= end.src[1].arg <= most:
        return end.src[0], end.src[1].arg
    return None, most


def _without_last(sink: UOp, loop: UOp, length: int, ends: Sequence[UOp]) -> UOp | None:
    """The kernel in which the reductions that end a loop are those of its first iterations, a multiple of `length`, and those of the others.

    None if one of them is more than one operation on two values.
    """
    if not all(node.op is Op.REDUCE for node in ends):
        return None
    end = loop.src[0]
    most = max(bound.arg[0] for bound in toposort([sink]) if bound.op is Op.RANGE)
    if end.op is Op.CONST:
        whole, left = (UOp.const(index, part) for part in (end.arg // length * length, end.arg % length))
    else:
        whole, left = end // length * length, end % length
    first = UOp.range(whole, loop.arg[0], AxisType.REDUCE)
    last = UOp.range(left, most + 1, AxisType.REDUCE)
    position = whole.alu(Op.ADD, last)

    def parted(node: UOp) -> UOp:
        others = [bound for bound in node.src[1:] if bound is not loop]
        (rest,) = rewrite([node.src[0]], {loop: position})
        (value,) = rewrite([node.src[0]], {loop: first})
        return node.with_src((value, *others, first)).alu(node.arg, node.with_src((rest, *others, last)))

    return _rebuilt(sink, dict.fromkeys(ends, parted))


def _range_start(node: UOp) -> int:
    """The number of sources before the loops that a node ends; all of its sources if it ends none."""
    start = node.op.info.range_start
    return len(node.src) if start is None else start


def _rebuilt(
    sink: UOp, changes: Mapping[UOp, Callable[[UOp], UOp]], replaced: Mapping[UOp, UOp] | None = None
) -> UOp:
    """The kernel with some nodes replaced by others, and each key of `changes`, on its new sources, by what its function makes of it."""
    done: dict[UOp, UOp] = dict(replaced or {})
    for node in toposort([sink]):
        if node not in done:
            renewed = node.with_src(tuple(done[source] for source in node.src))
            done[node] = changes[node](renewed) if node in changes else renewed
    return done[sink]
