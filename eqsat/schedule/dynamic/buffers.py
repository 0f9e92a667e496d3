"""Sizes of buffers along axes with dynamic extents."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from math import prod

from eqsat.extents import capacity
from eqsat.schedule.dynamic.positions import Capacity, capacity_product
from eqsat.schedule.kernel import BufferSpec, Role
from eqsat.shape import Shape
from eqsat.uop import UOp


def sized(spec: BufferSpec, shape: Shape, need: Shape, sizes: tuple[Capacity, ...]) -> BufferSpec:
    """The buffer with its size: buffers of the caller have as many elements as their extents say, temporaries have room for whole tiles."""
    if spec.role is Role.TEMPORARY:
        size = reduce(capacity_product, sizes, 1)
        return replace(spec, shape=need, capacity=size if isinstance(size, UOp) else None)
    return replace(spec, size=prod(shape), shape=shape)


def joined_parts(one: Shape | None, other: Shape, whole: Shape) -> Shape:
    """The part of an array that two readers need together: along each axis the common extent, or the capacity if they differ."""
    if one is None:
        return other
    rows = zip(one, other, whole, strict=True)
    return tuple(left if left == right else capacity(all_) for left, right, all_ in rows)
