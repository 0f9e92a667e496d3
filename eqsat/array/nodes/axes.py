"""Axis numbers: negative ones count from the end, and each is named once."""

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

Axes = SupportsIndex | Sequence[SupportsIndex] | None


def normalize_axis(axis: SupportsIndex, rank: int, operation: str) -> int:
    """The axis as a number in 0..rank-1.

    Raises:
        ShapeError: there is no such axis, or it is no integer.
    """
    no_integer = f"cannot {operation} axis {brief(axis)}; axes have integers as names"
    if isinstance(axis, bool):  # as in NumPy
        raise ShapeError(no_integer)
    try:
        number = as_index(axis)
    except TypeError as error:
        raise ShapeError(no_integer) from error
    if not -rank <= number < rank:
        raise ShapeError(
            f"cannot {operation} axis {brief(number)} of {rank} axes; name one in {-rank}..{rank - 1}"
        )
    return number % rank


def normalize_axes(axes: Axes, rank: int, operation: str) -> tuple[int, ...]:
    """The axes as distinct numbers in 0..rank-1; None names all.

    Raises:
        ShapeError: there is no such axis, or one is named twice.
    """
    if axes is None:
        return tuple(range(rank))
    listed = axes if isinstance(axes, Sequence) else (axes,)
    numbers = tuple(normalize_axis(axis, rank, operation) for axis in listed)
    if len(set(numbers)) != len(numbers):
        raise ShapeError(
            f"cannot {operation} axes {tuple(map(as_index, listed))}: one is named twice; name each once"
        )
    return numbers


def normalize_shape(shape: SupportsIndex | Sequence[SupportsIndex] | NDArray[Any]) -> Shape:
    """Extents as a tuple of non-negative integers.

    Raises:
        ShapeError: an extent is negative, or no integer.
    """
    try:
        extents = tuple(map(_as_extent, _listed(shape)))
    except TypeError as error:
        raise ShapeError(f"{brief(shape)} is no shape; give an integer for each axis") from error
    if any(extent < 0 for extent in extents):
        raise ShapeError(f"cannot make an array of shape {extents}; extents must not be negative")
    return extents


def infer_extent(shape: Shape, wanted: SupportsIndex | Sequence[SupportsIndex] | NDArray[Any]) -> Shape:
    """The wanted shape, an extent of -1 replaced by what is left of the elements of `shape`.

    Raises:
        ShapeError: more than one extent is -1, or the others do not divide the number of elements.
    """
    extents = tuple(map(_as_extent, _listed(wanted)))
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
    """An integer; what is known only when a program is called, as it is."""
    return value if isinstance(value, Extent) else as_index(value)


def _listed(extents: Any) -> Sequence[Any]:
    if isinstance(extents, np.ndarray) and extents.ndim == 1:
        return extents.tolist()  # pyright: ignore[reportUnknownMemberType]
    return extents if isinstance(extents, Sequence) else (extents,)  # pyright: ignore[reportUnknownVariableType]
