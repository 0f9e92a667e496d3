"""Computes bounds of integer terms from the terms alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from eqsat.dtype import DType, index
from eqsat.integers.arithmetic import facts_of_result
from eqsat.integers.facts import ANYTHING, Facts
from eqsat.integers.intervals import UNKNOWN, Interval, interval_of_result, is_integral, square, wrapped
from eqsat.ops import Op
from eqsat.uop import UOp, toposort

LEAST, GREATEST = -(1 << 62), 1 << 62  # the bounds of an index about which nothing is known
MOST_SUMMED = 64  # nodes of two expressions that are added; more would take time for each pair along a chain


def interval_of(node: UOp, sources: Sequence[Interval]) -> Interval:
    """The interval of a node from the intervals of its sources; `UNKNOWN` for a node that is not an integer, bool or index.

    >>> from eqsat.dtype import index
    >>> interval_of(UOp.range(8, 0), [(8, 8)])
    (0, 7)
    """
    dtype = node.dtype
    if not isinstance(dtype, DType) or not is_integral(dtype):
        return UNKNOWN
    match node.op:
        case Op.CONST:
            return int(node.arg), int(node.arg)
        case Op.DEFINE_VAR:
            return node.arg[1], node.arg[2]
        case Op.RANGE | Op.SPECIAL:
            end = sources[0][1] if sources else None
            return 0, None if end is None else max(0, end - 1)
        case Op.MUL if node.src[0] is node.src[1]:
            return wrapped(dtype, square(sources[0]))
        case Op.MAX | Op.MIN if dtype is index and (total := _constant_sum(*node.src)) is not None:
            low, high = interval_of_result(node.op, dtype, sources)
            half = total // 2
            if node.op is Op.MIN:
                return low, half if high is None else min(high, half)
            return total - half if low is None else max(low, total - half), high
        case _:
            return interval_of_result(node.op, dtype, sources)


def _constant_sum(one: UOp, other: UOp) -> int | None:
    """The sum of two index expressions if it is a constant, as of those whose greater or lesser one mirrors a position; None for long ones."""
    constant, terms, pending = 0, dict[UOp, int](), [(one, 1), (other, 1)]
    for _ in range(MOST_SUMMED):
        if not pending:
            return None if any(terms.values()) else constant
        node, factor = pending.pop()
        match node.op:
            case Op.CONST:
                constant += factor * node.arg
            case Op.ADD:
                pending += ((source, factor) for source in node.src)
            case Op.MUL if node.src[1].op is Op.CONST:
                pending.append((node.src[0], factor * node.src[1].arg))
            case _:
                terms[node] = terms.get(node, 0) + factor
    return None


def intervals_of(roots: Iterable[UOp]) -> dict[UOp, Interval]:
    """The interval of every node below `roots`."""
    found: dict[UOp, Interval] = {}
    for node in toposort(roots):
        found[node] = interval_of(node, [found[source] for source in node.src])
    return found


def bounds(node: UOp) -> tuple[int, int]:
    """The least and the greatest value of an index expression; `LEAST` or `GREATEST` if it is not known.

    >>> bounds(UOp.variable("i", 0, 9) * 3 + 1)
    (1, 28)
    >>> i = UOp.variable("i", 0, 9)
    >>> bounds(i.minimum(12 - i))  # mirrored at 6
    (0, 6)
    """
    return known_ends(intervals_of([node]).get(node, UNKNOWN))


def facts_of(root: UOp, known: dict[UOp, Facts]) -> Facts:
    """The facts of an index expression; the facts of all its nodes are added to `known`.

    >>> facts_of(UOp.range(8, 0) * 12 + UOp.variable("i", 0, 9) * 8, {}).divisor
    4
    """
    for node in toposort([root]):
        if node not in known:
            known[node] = _facts_of(node, [known[source] for source in node.src])
    return known[root]


def _facts_of(node: UOp, sources: Sequence[Facts]) -> Facts:
    if not isinstance(node.dtype, DType) or not is_integral(node.dtype) or node.dtype.lanes > 1:
        return ANYTHING
    if node.op is Op.CONST:
        return Facts.exactly(int(node.arg))
    if node.op in (Op.DEFINE_VAR, Op.RANGE, Op.SPECIAL):
        return Facts.of(*interval_of(node, [source.interval for source in sources]))
    return facts_of_result(node.op, node.dtype, sources[1:] if node.op is Op.WHERE else sources)


def known_ends(ends: Interval) -> tuple[int, int]:
    """An interval in which `LEAST` and `GREATEST` stand for missing ends."""
    low, high = ends
    return LEAST if low is None else low, GREATEST if high is None else high
