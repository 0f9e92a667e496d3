"""Values during evaluation: arrays whose leading axes have names.

A graph node inside loops has one element per point of the ranges it depends on. Its value carries one named axis per such range
(the RANGE itself is the name), then the axes of its shape, then one axis of lanes if its dtype is a vector. Nodes that depend on
few ranges stay small, and meet others by broadcasting over the names.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from eqsat.reference.number import Array

SAMPLES = "samples"  # the axis over which the caller's bindings vary

Axis = Hashable
Axes = tuple[Axis, ...]


@dataclass(frozen=True, slots=True)
class Value:
    """`data` with one leading axis per name in `axes`, in the order that `Frame.position` gives."""

    axes: Axes
    data: Array

    @property
    def inner(self) -> tuple[int, ...]:
        """The extents after the named axes: the shape, then the lanes."""
        return self.data.shape[len(self.axes) :]


def union(values: Iterable[Value], position: Mapping[Axis, int]) -> Axes:
    """The names of the axes of all values, in order."""
    names: Axes = ()
    for value in values:
        if value.axes != names:
            names = (
                value.axes if not names else tuple(sorted({*names, *value.axes}, key=position.__getitem__))
            )
    return names


def align(value: Value, axes: Axes) -> Array:
    """The value's data with an axis for each of `axes`. An axis on which the value does not depend has extent 1."""
    if value.axes == axes:
        return value.data
    extents = dict(zip(value.axes, value.data.shape, strict=False))
    return value.data.reshape((*(extents.get(axis, 1) for axis in axes), *value.inner))


def extents_of(values: Sequence[Value], axes: Axes) -> tuple[int, ...]:
    """The extent of each of `axes`. Some value must have each axis."""
    known: dict[Axis, int] = {}
    for value in values:
        known.update(zip(value.axes, value.data.shape, strict=False))
    return tuple(known[axis] for axis in axes)


def spread(value: Value, axes: Axes, extents: Sequence[int]) -> Array:
    """The value's data, repeated along the `axes` on which it does not depend, to the given extents."""
    return np.broadcast_to(align(value, axes), (*extents, *value.inner))


def move_last(value: Value, names: Axes, extents: Sequence[int]) -> Value:
    """Turns the named axes `names` into unnamed axes before the inner ones, in this order. The data is repeated along axes that it lacks."""
    kept = tuple(axis for axis in value.axes if axis not in names)
    present = dict(zip(value.axes, range(len(value.axes)), strict=True))
    order = [present[axis] for axis in (*kept, *names) if axis in present]
    data = value.data.transpose(*order, *range(len(value.axes), value.data.ndim))
    outer = data.shape[: len(kept)]
    thin = [extent if name in present else 1 for name, extent in zip(names, extents, strict=True)]
    data = data.reshape((*outer, *thin, *value.inner))
    return Value(kept, np.broadcast_to(data, (*outer, *extents, *value.inner)))


def in_turn(values: Sequence[Value], ranges: Sequence[Value], position: Mapping[Axis, int]) -> Value:
    """The values of the iterations of ranges, the last range varying fastest, as one value along the ranges."""
    steps = [Value(each.axes, each.data[:1]) for each in ranges]
    axes = union([*values, *steps], position)
    extents = extents_of([*values, *steps], axes)
    parts = [spread(each, axes, extents) for each in values]
    for each in reversed(ranges):
        (axis,), count = each.axes, len(each.data)
        groups = [parts[first : first + count] for first in range(0, len(parts), count)]
        parts = [np.concatenate(group, axes.index(axis)) for group in groups]
    return Value(axes, parts[0])
