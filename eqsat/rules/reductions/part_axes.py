"""The axes of a reduction that is split into parts: the pure functions of the rules in `pairs`.

The first reduced axis that can be split is split in place: (4096, 1024) in parts of 16 rows is (256, 16, 1024). Within a part, the axis of its
elements is reduced together with the other reduced axes. Functions that return `None` say that the rule does not apply.
"""

from __future__ import annotations

from math import prod

from eqsat.dtype import DType
from eqsat.rules.language.scalar import pure
from eqsat.shape import Shape

# Least number of elements that are reduced in all; fewer stay in level 2 between two sweeps
LEAST_REDUCED = 1 << 18
# Least number of elements that go into a result, if they lie side by side; fewer stay in level 2
LEAST_ROW = 1 << 16
# Least number of elements that go into a result, if a vector of results is made at a time
LEAST_COLUMN = 1 << 9
# Greatest number of elements of a part, if they lie side by side: they stay in level 1, and parts are not split again.
LONGEST_ROW_PART = (1 << 12) - 1
LARGEST_TILE = 1 << 14  # most elements of a part, for all results together, if the results lie side by side
SHORTEST, LONGEST = 16, 1 << 9  # least and most elements of such a part that go into a result
LARGEST_SLICE = 1 << 15  # most elements at one index of the split axis; they stay in level 2


@pure
def in_parts(shape: Shape, axes: Shape) -> Shape | None:
    """The shape with one reduced axis split into parts.

    >>> in_parts((4096, 1024), (0,)), in_parts((16, 1 << 20), (1,)), in_parts((32, 64, 56, 56), (0, 2, 3))
    ((256, 16, 1024), (16, 512, 2048), (32, 1, 64, 56, 56))
    """
    found = _axis_and_part(shape, axes)
    if found is None:
        return None
    axis, part = found
    return (*shape[:axis], shape[axis] // part, part, *shape[axis + 1 :])


@pure
def within_parts(shape: Shape, axes: Shape) -> Shape | None:
    """The axes that are reduced within a part.

    >>> within_parts((4096, 1024), (0,)), within_parts((32, 64, 56, 56), (0, 2, 3))
    ((1,), (1, 3, 4))
    """
    found = _axis_and_part(shape, axes)
    return None if found is None else tuple(other + (other >= found[0]) for other in sorted(axes))


@pure
def across_parts(shape: Shape, axes: Shape) -> Shape | None:
    """The axis of the parts, once the other axes are reduced."""
    found = _axis_and_part(shape, axes)
    return None if found is None else (found[0] - sum(axis < found[0] for axis in axes),)


@pure
def elements_of_part(shape: Shape, axes: Shape) -> int | None:
    """The number of elements of a part that go into one result."""
    found = _axis_and_part(shape, axes)
    return None if found is None else prod(shape[axis] for axis in axes if axis != found[0]) * found[1]


@pure
def of_parts(shape: Shape, axes: Shape) -> Shape | None:
    """The shape of the results of all parts."""
    found = _axis_and_part(shape, axes)
    if found is None:
        return None
    axis, part = found
    rows = enumerate(shape)
    return tuple(
        shape[axis] // part if place == axis else extent
        for place, extent in rows
        if place == axis or place not in axes
    )


@pure
def units_at(shape: Shape, axes: Shape) -> Shape:
    """The shape of a reduction's result with the reduced axes back, of extent 1.

    >>> units_at((4096, 1024), (0,))
    (1, 1024)
    """
    return tuple(1 if axis in axes else extent for axis, extent in enumerate(shape))


@pure
def lowest(dtype: DType) -> float:
    """The least finite number of a dtype."""
    return -dtype.greatest_number


def _axis_and_part(shape: Shape, axes: Shape) -> tuple[int, int] | None:
    """The axis that is split into parts, and the length of a part; None if splitting does not pay."""
    kept = [axis for axis in range(len(shape)) if axis not in axes]
    if not axes or 0 in shape or prod(shape) < LEAST_REDUCED:
        return None
    side_by_side = prod(shape[axis] for axis in kept if axis > max(axes))
    if prod(shape[axis] for axis in axes) < (LEAST_ROW if side_by_side == 1 else LEAST_COLUMN):
        return None
    return next(
        (found for axis in sorted(axes) if (found := _part_of(shape, axes, axis, side_by_side))), None
    )


def _part_of(shape: Shape, axes: Shape, axis: int, side_by_side: int) -> tuple[int, int] | None:
    """The axis and the length of its parts; None if it cannot be divided into equal parts of a suitable length."""
    others = prod(shape[other] for other in axes if other != axis)
    along = (
        LONGEST_ROW_PART if side_by_side == 1 else min(LONGEST, max(SHORTEST, LARGEST_TILE // side_by_side))
    )
    longest = min(max(1, along // others), shape[axis] // 2)
    if others > LARGEST_SLICE:
        return None
    part = next((part for part in range(longest, longest // 2, -1) if shape[axis] % part == 0), None)
    return None if part is None else (axis, part)
