"""Checks axis numbers, shapes and other numbers of elements.

Negative axis numbers count from the end, and each axis may be named once. Several numbers are a sequence or a NumPy array.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from operator import index as as_index
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from eqsat.errors import ShapeError, brief
from eqsat.extents import Extent
from eqsat.shape import Shape

Integers = Sequence[SupportsIndex] | NDArray[np.integer[Any]]
Axes = SupportsIndex | Integers | None


def normalize_axis(axis: SupportsIndex, rank: int, operation: str) -> int:
    """The axis as a number from 0 to rank - 1.

    Raises:
        ShapeError: there is no such axis, or `axis` is not an integer.
    """
    no_integer = f"cannot {operation} axis {brief(axis)}; axes have integers as names"
    if isinstance(axis, bool):  # as in NumPy
        raise ShapeError(no_integer)
    try:
        number = as_index(axis)
    except TypeError as error:
        raise ShapeError(no_integer) from error
    if rank == 0:
        raise ShapeError(
            f"cannot {operation} axis {brief(number)} of an array without axes; give it one by reshape(x, (1,))"
        )
    if not -rank <= number < rank:
        raise ShapeError(
            f"cannot {operation} axis {brief(number)} of {rank} axes; name one in {-rank}..{rank - 1}"
        )
    return number % rank


def normalize_axes(axes: Axes, rank: int, operation: str) -> tuple[int, ...]:
    """The axes as distinct numbers from 0 to rank - 1; None names all axes.

    Raises:
        ShapeError: there is no such axis, or an axis is named twice.
    """
    if axes is None:
        return tuple(range(rank))
    each = listed(axes)
    numbers = tuple(normalize_axis(axis, rank, operation) for axis in each)
    if len(set(numbers)) != len(numbers):
        raise ShapeError(
            f"cannot {operation} axes {tuple(map(as_index, each))}: one is named twice; name each once"
        )
    return numbers


def normalize_shape(shape: SupportsIndex | Integers, operation: str = "make an array of shape") -> Shape:
    """Extents, or other numbers of elements, as a tuple of non-negative integers.

    Raises:
        ShapeError: a number is negative, not an integer, or 2**63 or more.
    """
    try:
        extents = tuple(map(_as_extent, listed(shape)))
    except TypeError as error:
        raise ShapeError(f"cannot {operation} {brief(shape)}; give an integer for each axis") from error
    if any(extent < 0 for extent in extents):
        raise ShapeError(f"cannot {operation} {extents}; its numbers must not be negative")
    if any(not isinstance(extent, Extent) and extent >= 1 << 63 for extent in extents):
        raise ShapeError(f"cannot {operation} {brief(extents)}; an axis has fewer than 2**63 elements")
    return extents


def infer_extent(shape: Shape, wanted: SupportsIndex | Integers) -> Shape:
    """The wanted shape, with an extent of -1 replaced by the one that gives it as many elements as `shape` has.

    Raises:
        ShapeError: more than one extent is -1, or the others do not divide the number of elements.
    """
    extents = tuple(map(_as_extent, listed(wanted)))
    if extents.count(-1) == 0:
        return extents
    known = prod(extent for extent in extents if extent != -1)
    if extents.count(-1) > 1 or known <= 0 or prod(shape) % known:
        raise ShapeError(
            f"cannot infer an extent of {extents} from {shape} ({prod(shape)} elements); leave one -1 at most, "
            f"and let the others divide the number of elements"
        )
    return tuple(prod(shape) // known if extent == -1 else extent for extent in extents)


def _as_extent(value: Any) -> int:
    """The value as an integer; an extent that depends on a dim is returned as it is."""
    return value if isinstance(value, Extent) else as_index(value)


def listed(numbers: Any) -> Sequence[Any]:
    """Numbers as a sequence: what is none, such as a single number or a text, becomes a tuple of one, and a NumPy array a list, nested if it has
    several axes.
    """
    if isinstance(numbers, np.ndarray):
        numbers = numbers.tolist()  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    is_several = isinstance(numbers, Sequence) and not isinstance(numbers, str | bytes | bytearray)
    return numbers if is_several else (numbers,)  # pyright: ignore[reportUnknownVariableType]
