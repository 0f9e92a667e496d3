"""The axes of reductions that are split into parts, which run in parallel or stay in a cache: the pure functions of the rules that split.

Functions that return `None` say that the rule does not apply.
"""

from __future__ import annotations

from math import prod

from eqsat.rules.language.scalar import pure
from eqsat.rules.movements.axes import Pairs
from eqsat.shape import Shape

# Least number of elements that are split; fewer are done before a second core has started
SPLIT_FROM = 1 << 16
LEAST_PART = 1 << 10  # least number of elements of a part; less work is not worth a part of its own
UNEVEN_PARTS = 64
# Divides the number of elements of an uneven part: whole vectors, and several accumulators
PART_MULTIPLE = 128
LONG_AXIS = 3 << 9  # least number of elements of an axis that is split into parts
LONG_INPUT = 1 << 24  # least number of elements that are reduced in all; operands of fewer stay in the caches
LONGEST_PART = 256
# For a matrix that is multiplied with few others: the least number of elements of each axis, and of the whole matrix. A smaller matrix stays
# in level 2.
WIDE_AXIS, WIDE_INPUT = 1 << 9, 1 << 20
WIDE_PART = 64
REUSED = 16  # least number of results along each of two axes for which panels of operands are read again
FEW_RESULTS = 32  # a reduction with more results than this has enough parallel work without a split
# Least number of elements of a matrix whose rows are split; a smaller one stays in level 2
TALL_INPUT = 1 << 18
TALL = 4  # least ratio of rows to columns; with fewer rows, there are enough columns for the work-items
TALL_RESULTS = 1 << 10  # most columns; the results of all parts then stay in the caches of a core


@pure
def split_shape(shape: Shape, axes: Shape, groups: int) -> Shape | None:
    """The shape with the elements of each result split into about `groups` parts; it has two axes if all axes are reduced.

    >>> split_shape((1 << 10, 1 << 10), (0, 1), 64), split_inner((1 << 10, 1 << 10), (0, 1), 64)
    ((64, 16384), (1,))
    >>> split_shape((1 << 16, 3, 8), (0, 2), 64), split_inner((1 << 16, 3, 8), (0, 2), 64)
    ((64, 1024, 3, 8), (1, 3))
    """
    parts = _parts(shape, axes, groups)
    if parts is None:
        return None
    if len(axes) == len(shape):
        return (parts, prod(shape) // parts)
    first = min(axes)
    return (*shape[:first], parts, shape[first] // parts, *shape[first + 1 :])


@pure
def split_inner(shape: Shape, axes: Shape, groups: int) -> Shape | None:
    """The axes that are reduced within a part."""
    if _parts(shape, axes, groups) is None:
        return None
    return (1,) if len(axes) == len(shape) else tuple(axis + 1 for axis in sorted(axes))


@pure
def split_outer(shape: Shape, axes: Shape, groups: int) -> Shape | None:
    """The axis of the parts, once the other axes are reduced."""
    return None if _parts(shape, axes, groups) is None else (min(axes),)


@pure
def flattened(shape: Shape) -> Shape:
    """The shape of all elements along one axis."""
    return (prod(shape),)


@pure
def uneven_shape(shape: Shape, axes: Shape) -> Shape | None:
    """The shape of equal parts with most of the elements.

    None if an axis is not reduced, if elements are few, or if at least half of `UNEVEN_PARTS` equal parts divide them.

    >>> uneven_shape((4099, 3001), (0, 1)), uneven_start((4099, 3001), (0, 1)), uneven_rest((4099, 3001), (0, 1))
    ((64, 192128), ((0, 12296192),), ((12296192, 12301099),))
    """
    evenly = _parts(shape, axes, UNEVEN_PARTS) or 0
    if len(axes) != len(shape) or prod(shape) < SPLIT_FROM or 2 * evenly >= UNEVEN_PARTS:
        return None
    return (UNEVEN_PARTS, prod(shape) // (UNEVEN_PARTS * PART_MULTIPLE) * PART_MULTIPLE)


@pure
def uneven_start(shape: Shape, axes: Shape) -> Pairs | None:
    """The window of these elements among all elements along one axis."""
    parts = uneven_shape(shape, axes)
    return None if parts is None else ((0, prod(parts)),)


@pure
def uneven_rest(shape: Shape, axes: Shape) -> Pairs | None:
    """The window of the remaining elements."""
    parts = uneven_shape(shape, axes)
    return None if parts is None else ((prod(parts), prod(shape)),)


@pure
def long_shape(shape: Shape, axes: Shape) -> Shape | None:
    """The shape with the longest reduced axis split into parts.

    >>> long_shape((256, 512, 8192), (2,))
    (256, 512, 32, 256)
    """
    axis = _long_axis(shape, axes)
    if axis is None:
        return None
    part = _long_part(shape, axis, axes)
    assert part is not None
    return (*shape[:axis], shape[axis] // part, part, *shape[axis + 1 :])


@pure
def parts_first(shape: Shape, axes: Shape) -> Shape | None:
    """The permutation of `long_shape` that moves the axis of the parts to the front, so that the results of one part lie side by side.

    >>> parts_first((256, 512, 8192), (2,)), long_inner((256, 512, 8192), (2,))
    ((2, 0, 1, 3), (3,))
    """
    longest = _long_axis(shape, axes)
    if longest is None:
        return None
    return (longest, *(axis for axis in range(len(shape) + 1) if axis != longest))


@pure
def long_inner(shape: Shape, axes: Shape) -> Shape | None:
    """The axes that are reduced within a part."""
    return None if _long_axis(shape, axes) is None else tuple(axis + 1 for axis in sorted(axes))


def _long_axis(shape: Shape, axes: Shape) -> int | None:
    """The longest reduced axis, if splitting it pays and it can be divided into equal parts; else None."""
    if not axes:
        return None
    longest = max(axes, key=lambda axis: shape[axis])
    return longest if _long_part(shape, longest, axes) is not None else None


def _long_part(shape: Shape, longest: int, axes: Shape) -> int | None:
    """The number of elements of the longest reduced axis in a part; None if splitting does not pay, or equal parts are not possible.

    Where panels of both operands are read again, parts keep them in a cache. A large matrix that is read once, or for few others, is read a few
    rows at a time if it is split: each element of a column lies in another page.

    >>> _long_part((256, 512, 8192), 2, (2,)), _long_part((8, 4096, 1024), 2, (2,)), _long_part((8, 96, 1024), 2, (2,))
    (256, 64, None)
    """
    kept = sorted(extent for axis, extent in enumerate(shape) if axis not in axes)
    if prod(shape) >= LONG_INPUT and len(kept) > 1 and kept[-2] >= REUSED:
        return _part_of(shape[longest])
    is_wide = bool(kept) and prod(kept[:-1]) < REUSED and shape[longest] * kept[-1] >= WIDE_INPUT
    are_rows = len(shape) == len(axes) + 1 and longest == len(shape) - 1  # rows lie in few pages
    if not is_wide or are_rows or len(axes) > 1 or min(shape[longest], kept[-1]) < WIDE_AXIS:
        return None
    return _divisor(shape[longest], WIDE_PART)


@pure
def tall_shape(shape: Shape, axes: Shape) -> Shape | None:
    """The shape of a tall matrix, or of several stacked ones, with its rows split into parts; None unless these are reduced and splitting pays.

    >>> tall_shape((20000, 100), (0,)), tall_shape((20000, 100), (1,)), tall_shape((2000, 1000), (0,)), tall_shape((20, 1000, 100), (0, 1))
    ((80, 250, 100), None, None, (80, 250, 100))
    """
    if not axes or sorted(axes) != list(range(len(shape) - 1)) or prod(shape) < TALL_INPUT:
        return None
    rows, columns = prod(shape[:-1]), shape[-1]
    if not FEW_RESULTS < columns <= min(TALL_RESULTS, rows // TALL) or (part := _part_of(rows)) is None:
        return None
    return (rows // part, part, columns)


@pure
def turned_shape(shape: Shape) -> Shape | None:
    """The shape of a matrix with its reduced rows split into parts; None unless splitting pays, because the rows are many or long.

    >>> turned_shape((20000, 100)), turned_shape((2000, 2000)), turned_shape((100, 20000))
    ((80, 250, 100), (40, 50, 2000), None)
    """
    if len(shape) != 2:
        return None
    return tall_shape(shape, (0,)) or long_shape(shape, (0,))


@pure
def is_turned(permutation: Shape, axes: Shape) -> bool:
    """Whether a permutation transposes a matrix, and a reduction along the second axis of the result reduces the matrix's rows."""
    return permutation == (1, 0) and axes == (1,)


def _part_of(extent: int) -> int | None:
    """The length of a part of a long extent, which is a divisor of it; None if it has no such divisor, or is not long."""
    return None if extent < LONG_AXIS else _divisor(extent, LONGEST_PART)


def _divisor(extent: int, most: int) -> int | None:
    """The greatest divisor of an extent up to `most` and above half of it."""
    return next((part for part in range(most, most // 2, -1) if extent % part == 0), None)


def _parts(shape: Shape, axes: Shape, groups: int) -> int | None:
    """The number of equal parts, about `groups`, into which the first reduced axis is split, or all elements if all axes are reduced.

    None if there is no such number, or if the reduction has so few elements, or so many results, that splitting does not pay.
    """
    total = prod(shape)
    results = prod(extent for axis, extent in enumerate(shape) if axis not in axes)
    if total < SPLIT_FROM or results > FEW_RESULTS:
        return None
    extent = total if len(axes) == len(shape) else shape[min(axes)]
    most = min(groups, extent // 2, total // results // LEAST_PART)
    return next((parts for parts in range(most, groups // 4, -1) if extent % parts == 0), None)
