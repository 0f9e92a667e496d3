"""Joins values along an existing axis or a new one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import SupportsIndex

from eqsat.array.nodes.axes import normalize_axis
from eqsat.array.nodes.operands import cast, common_dtype
from eqsat.array.nodes.views import insert_axis, shape
from eqsat.errors import BuildError, ShapeError
from eqsat.uop import UOp, join


def joined(values: Sequence[UOp], axis: SupportsIndex) -> UOp:
    """The values one after another along an axis, in their common dtype.

    Raises:
        BuildError: there are no values.
        ShapeError: the shapes differ in another axis.
    """
    values = _of_one_dtype(values)
    place = normalize_axis(axis, len(shape(values[0])), "concatenate along")
    _require_alike(values, place, f"in all axes but axis {place}")
    return join(values, place)


def stacked(values: Sequence[UOp], axis: SupportsIndex) -> UOp:
    """The values along a new axis, in their common dtype.

    Raises:
        BuildError: there are no values.
        ShapeError: the shapes differ.
    """
    values = _of_one_dtype(values)
    _require_alike(values, None, "in all axes")
    place = normalize_axis(axis, len(shape(values[0])) + 1, "stack along")
    return join([insert_axis(value, place) for value in values], place)


def _of_one_dtype(values: Sequence[UOp]) -> list[UOp]:
    if not values:
        raise BuildError("cannot join no arrays: the result has no shape; make one with zeros(shape)")
    dtype = common_dtype(values)
    return [cast(value, dtype) for value in values]


def _require_alike(values: Sequence[UOp], axis: int | None, where: str) -> None:
    """Refuses shapes that differ in an axis other than `axis`."""
    first, *others = ([each for place, each in enumerate(shape(value)) if place != axis] for value in values)
    for value, other in zip(values[1:], others, strict=True):
        if first != other or len(shape(values[0])) != len(shape(value)):
            raise ShapeError(
                f"cannot join {shape(values[0])} and {shape(value)}: they must agree {where}; reshape or pad one"
            )
