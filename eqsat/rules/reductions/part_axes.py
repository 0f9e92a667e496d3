"""The axes of parts of a reduction: the pure functions of the rules in `pairs`.

One reduced axis, the first that can be, falls into parts, in place: (4096, 1024) in parts of 16 rows is (256, 16, 1024). With the other
reduced axes, what is left of it is reduced within a part. Functions that return `None` say that the rule does not apply.
"""

from __future__ import annotations

from math import prod

from eqsat.dtype import DType
from eqsat.rules.language.scalar import pure
from eqsat.shape import Shape

LARGE = 1 << 18  # elements that are reduced in all; fewer stay in level 2 between two sweeps
LEAST_ROW = 1 << 16  # elements of a result, from which they do not stay there if they lie side by side
LEAST_COLUMN = 1 << 9  # likewise, if a vector of results is made at a time
ROW = (
    (1 << 12) - 1
)  # elements of a part at most, where they lie side by side: they stay in level 1, and parts have no parts themselves
TILE = 1 << 14  # likewise, with all results, where these lie side by side
SHORTEST, LONGEST = 16, 1 << 9  # elements that go into a result of such a part
MOST = 1 << 15  # elements of a part of one index of its axis, which stay in level 2
LARGEST = {"float16": 65504.0, "bfloat16": 3.3895313892515355e38, "float32": 3.4028234663852886e38,
           "float64": 1.7976931348623157e308}  # fmt: skip


@pure
def in_parts(shape: Shape, axes: Shape) -> Shape | None:
    """The shape with an axis in parts.

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
    """The axis of the parts, once the others are reduced."""
    found = _axis_and_part(shape, axes)
    return None if found is None else (found[0] - sum(axis < found[0] for axis in axes),)


@pure
def elements_of_part(shape: Shape, axes: Shape) -> int | None:
    """How many elements go into a result for a part."""
    found = _axis_and_part(shape, axes)
    return None if found is None else prod(shape[axis] for axis in axes if axis != found[0]) * found[1]


@pure
def of_parts(shape: Shape, axes: Shape) -> Shape | None:
    """The shape of the results for parts."""
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
    """The shape of a reduction with its axes back, of extent 1.

    >>> units_at((4096, 1024), (0,))
    (1, 1024)
    """
    return tuple(1 if axis in axes else extent for axis, extent in enumerate(shape))


@pure
def lowest(dtype: DType) -> float:
    """The least finite number."""
    return -LARGEST[dtype.name]


def _axis_and_part(shape: Shape, axes: Shape) -> tuple[int, int] | None:
    """The axis that falls into parts, and the length of one; None where parts bring nothing."""
    kept = [axis for axis in range(len(shape)) if axis not in axes]
    if not axes or 0 in shape or prod(shape) < LARGE:
        return None
    side_by_side = prod(shape[axis] for axis in kept if axis > max(axes))
    if prod(shape[axis] for axis in axes) < (LEAST_ROW if side_by_side == 1 else LEAST_COLUMN):
        return None
    return next(
        (found for axis in sorted(axes) if (found := _part_of(shape, axes, axis, side_by_side))), None
    )


def _part_of(shape: Shape, axes: Shape, axis: int, side_by_side: int) -> tuple[int, int] | None:
    """An axis with the length of its parts, if a number of equal parts divides it."""
    others = prod(shape[other] for other in axes if other != axis)
    along = ROW if side_by_side == 1 else min(LONGEST, max(SHORTEST, TILE // side_by_side))
    longest = min(max(1, along // others), shape[axis] // 2)
    if others > MOST:
        return None
    part = next((part for part in range(longest, longest // 2, -1) if shape[axis] % part == 0), None)
    return None if part is None else (axis, part)
