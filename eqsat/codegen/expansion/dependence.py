"""The copies and the vector lanes that each value of a kernel depends on.

A copy axis is an UNROLL range, or one axis of an UNROLL node; the lane range is an UPCAST range. A REDUCE,
STORE or CONTRACT that ends an axis stops the dependence on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from eqsat.dtype import void
from eqsat.errors import CodegenError
from eqsat.ops import WORK_ITEMS, AxisType, Op
from eqsat.shape import extent_of
from eqsat.uop import UOp


@dataclass(frozen=True, slots=True)
class UnrollAxis:
    """Axis `number` of UNROLL nodes, of `size` iterations."""

    number: int
    size: int


CopyAxis = UOp | UnrollAxis
Values = tuple[int, ...]


@dataclass(frozen=True)
class Dependence:
    """The copies and lanes that the nodes of a kernel depend on.

    Attributes:
        copies: the copy axes of each node, in nesting order.
        lane: the UPCAST range of each node that varies along one.
        touched: the nodes that have a copy axis, UPCAST range or CONTRACT anywhere below; all others stay as they are.
    """

    copies: dict[UOp, tuple[CopyAxis, ...]]
    lane: dict[UOp, UOp]
    touched: set[UOp]

    @staticmethod
    def of(order: list[UOp]) -> Dependence:
        """The dependence of the nodes of a toposort.

        Raises:
            CodegenError: a value depends on two UPCAST ranges.
        """
        found = Dependence({}, {}, set())
        for node in order:
            found._visit(node)
        return found

    def _visit(self, node: UOp) -> None:
        start = node.op.info.range_start
        inside = node.src if start is None else node.src[:start]
        if node.op is Op.AFTER:  # all copies and lanes of the other sources come before it
            inside = node.src[:1]
        copies = {axis for source in inside for axis in self.copies[source]}
        lanes = {self.lane[source] for source in inside if source in self.lane}
        if start is not None:
            copies -= set(node.src[start:])
            lanes -= set(node.src[start:])
        if (copies or lanes) and node.dtype is not void and not node.op.info.expandable:
            raise CodegenError(
                f"{node!r} varies along UNROLL or UPCAST ranges, which do not pass through {node.op.name}; make them LOOP"
            )
        if node.op is Op.RANGE and node.arg[1] is AxisType.UNROLL:
            copies.add(node)
        elif node.op is Op.RANGE and node.arg[1] is AxisType.UPCAST:
            lanes.add(node)
        elif node.op is Op.UNROLL:
            copies |= set(unroll_axes(node))
        elif node.op is Op.CONTRACT:
            copies -= set(unroll_axes(node))
        if len(lanes) > 1:
            numbers = sorted(lane.arg[0] for lane in lanes)
            raise CodegenError(
                f"{node!r} depends on UPCAST ranges {numbers}; it may vary along one, make the others UNROLL"
            )
        self.copies[node] = tuple(sorted(copies, key=_copy_order))
        if lanes:
            self.lane[node] = lanes.pop()
        if (
            copies
            or node in self.lane
            or node.op is Op.CONTRACT
            or any(source in self.touched for source in node.src)
        ):
            self.touched.add(node)


def unroll_axes(node: UOp) -> dict[CopyAxis, None]:
    """The axes of an UNROLL or CONTRACT node, in order: the last varies fastest."""
    return dict.fromkeys(UnrollAxis(number, size) for number, size in node.arg)


def extent(axis: CopyAxis) -> int:
    """The number of copies along an axis."""
    return axis.size if isinstance(axis, UnrollAxis) else extent_of(axis)


def by_kind(bounds: Sequence[UOp]) -> tuple[tuple[UOp, ...], list[UOp], list[UOp]]:
    """The ranges that remain loops, those that become copies, and those that become lanes."""
    unrolled = [bound for bound in bounds if bound.arg[1] is AxisType.UNROLL]
    across = [bound for bound in bounds if bound.arg[1] is AxisType.UPCAST]
    return tuple(bound for bound in bounds if bound not in (*unrolled, *across)), unrolled, across


def _copy_order(axis: CopyAxis) -> tuple[int, int]:
    return (1, axis.number) if isinstance(axis, UnrollAxis) else (0, axis.arg[0])


def nesting(bound: UOp) -> tuple[bool, int, int]:
    """The sort key of loops, from the outermost in.

    Ranges over work-items come first, since they are loops around the whole kernel. Then the priority of the axis type counts, then the number.
    """
    return bound.arg[1] not in WORK_ITEMS, bound.arg[1].priority, bound.arg[0]


@lru_cache(1024)  # called for each copy and lane of an address, with the same terms
def nested(terms: tuple[tuple[UOp, int], ...]) -> list[tuple[UOp, int]]:
    """The terms of a linear form, terms of outer loops first."""
    return sorted(terms, key=nesting_of)


def nesting_of(term: tuple[UOp, int]) -> tuple[bool, int, int] | tuple[()]:
    """The sort key of a term: the innermost loop that it varies with; terms that vary with no loop come first."""
    return max((nesting(bound) for bound in term[0].ranges), default=())


def row_major(extents: Sequence[int], place: Sequence[int]) -> int:
    """The row-major number of a place: the last axis varies fastest.

    >>> row_major((2, 3), (1, 2))
    5
    """
    number = 0
    for size, position in zip(extents, place, strict=True):
        number = number * size + position
    return number


def place_in(extents: Sequence[int], number: int) -> list[int]:
    """The place with this row-major number.

    >>> place_in((2, 3), 5)
    [1, 2]
    """
    place: list[int] = []
    for size in reversed(extents):
        number, at = divmod(number, size)
        place.append(at)
    return place[::-1]
