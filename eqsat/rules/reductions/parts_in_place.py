"""Shapes with an axis split into parts, in place, the last part padded if necessary: pure functions of the rules in `scans` and `scatters`.

For example, (9, 1000) with its axis of 1000 elements in 16 parts of 63 is (9, 16, 63). Functions that return `None` say that the rule does not apply.
"""

from __future__ import annotations

from math import isqrt, prod

from eqsat.rules.language.scalar import pure
from eqsat.rules.movements.axes import Pairs
from eqsat.shape import Shape

LEAST_SCANNED = 1 << 9  # least number of elements of an axis that is scanned in parts
LEAST_ELEMENTS = 1 << 16  # least number of elements in all; fewer are scanned before other parts have begun
# Least number of elements of a part of a scan; a long axis has as many parts as a part has elements
SHORTEST_PART = 64
MOST_PARTS = 512  # most parts of the positions of a scatter, and the least number of positions that are split into parts
# Most elements per result if positions are split; with fewer results, the elements are split, and each part has copies of the results
MOST_PER_RESULT = 8
MOST_LABELLED = 16  # most results with labels of their own; more of them are parts already


@pure
def place_of(axes: Shape) -> int:
    """The number of the single axis in `axes`."""
    (axis,) = axes
    return axis


@pure
def scanned_parts(shape: Shape, axes: Shape) -> Shape | None:
    """The shape with the scanned axis split into parts; None if the axis is short, or there are few elements.

    >>> scanned_parts.function((1024, 4096), (1,)), scanned_parts.function((1 << 20,), (0,)), scanned_parts.function((1024, 64), (1,))
    ((1024, 64, 64), (1024, 1024), None)
    """
    (axis,) = axes
    if shape[axis] < LEAST_SCANNED or prod(shape) < LEAST_ELEMENTS:
        return None
    longest = max(SHORTEST_PART, isqrt(shape[axis]))
    part = next((part for part in range(longest, longest // 4, -1) if shape[axis] % part == 0), longest)
    return _cut(shape, axis, part)


@pure
def scattered_parts(shape: Shape, labels: Shape, axes: Shape, axis: int) -> Shape | None:
    """The shape with the axis of positions split into parts.

    None if that axis is reduced, if positions are few, or if elements, or results with labels of their own, are many.

    >>> scattered_parts.function((8192, 50000, 256), (8192, 1, 1), (0,), 1)
    (8192, 500, 100, 256)
    >>> scattered_parts.function((1 << 20, 1000), (1 << 20, 1), (0,), 1)
    """
    elements = prod(extent for place, extent in enumerate(shape) if place != axis)
    results = prod(extent for place, extent in enumerate(shape) if place not in axes)
    apart = prod(extent for place, extent in enumerate(labels) if place not in axes)
    is_reduced = axis in axes or not axes
    if (
        is_reduced
        or shape[axis] < MOST_PARTS
        or apart > MOST_LABELLED
        or not 0 < elements <= MOST_PER_RESULT * results
    ):
        return None
    even = next(
        (parts for parts in range(MOST_PARTS, MOST_PARTS // 4, -1) if shape[axis] % parts == 0), MOST_PARTS
    )
    return _cut(shape, axis, -(-shape[axis] // even))


def _cut(shape: Shape, axis: int, part: int) -> Shape:
    return (*shape[:axis], -(-shape[axis] // part), part, *shape[axis + 1 :])


@pure
def filling(shape: Shape, parts: Shape, axis: int) -> Pairs:
    """The padding that fills up the last part.

    >>> filling.function((9, 1000), (9, 16, 63), 1), in_a_row.function((9, 16, 63), 1)
    (((0, 0), (0, 8)), (9, 1008))
    """
    more = parts[axis] * parts[axis + 1] - shape[axis]
    return tuple((0, more if place == axis else 0) for place in range(len(shape)))


@pure
def in_a_row(parts: Shape, axis: int) -> Shape:
    """The shape with all parts of an axis joined into one axis."""
    return (*parts[:axis], parts[axis] * parts[axis + 1], *parts[axis + 2 :])


@pure
def all_of(shape: Shape) -> Pairs:
    """The window of the elements that there were before the last part was filled up."""
    return tuple((0, extent) for extent in shape)


@pure
def first_of_each(parts: Shape, axis: int) -> Pairs:
    """The window of the first element of each part.

    >>> first_of_each.function((9, 16, 63), 1)
    ((0, 9), (0, 16), (0, 1))
    """
    return tuple((0, 1 if place == axis + 1 else extent) for place, extent in enumerate(parts))


@pure
def one_of_each(parts: Shape, axis: int) -> Shape:
    """The shape with one element for each part."""
    return (*parts[: axis + 1], 1, *parts[axis + 2 :])


@pure
def all_but_the_last(parts: Shape, axis: int) -> Pairs:
    """The window without the last part, of an array with one element for each part.

    >>> all_but_the_last.function((9, 16, 63), 1), one_first.function((9, 16, 63), 1)
    (((0, 9), (0, 15)), ((0, 0), (1, 0)))
    """
    kept = (*parts[: axis + 1], *parts[axis + 2 :])
    return tuple((0, extent - (place == axis)) for place, extent in enumerate(kept))


@pure
def one_first(parts: Shape, axis: int) -> Pairs:
    """The padding by one part at the start, of an array with one element for each part."""
    return tuple((int(place == axis), 0) for place in range(len(parts) - 1))


@pure
def within_each(axes: Shape, axis: int) -> Shape:
    """The axis within a part, then the other axes, numbered with the axis of the parts in place.

    >>> within_each.function((), 1), within_each.function((0,), 1), within_each.function((1, 2), 0)
    ((2,), (2, 0), (1, 2, 3))
    """
    return (axis + 1, *(place + (place > axis) for place in axes))
