"""Gathers elements along one axis, at computed positions."""

from __future__ import annotations

from eqsat.ops import Op
from eqsat.uop.node import UOp


def taken(value: UOp, axis: int, places: UOp) -> UOp:
    """The elements of `value` at the positions `places` along an axis; zeros where a position lies outside the axis.

    `places` is an array of one axis, whose extent replaces the extent of `axis`.
    """
    assert places.shape, "positions have one axis"
    whole, count = value.shape or (), places.shape[0]
    result = (*whole[:axis], count, *whole[axis + 1 :])
    indices = [
        along(places if each == axis else UOp.iota(extent), each, result) for each, extent in enumerate(whole)
    ]
    return UOp(Op.INDEX, value.dtype, (value, *indices))


def along(row: UOp, axis: int, shape: tuple[int, ...]) -> UOp:
    """An array of one axis, laid along `axis` of `shape` and repeated along all other axes."""
    return row.reshape([extent if each == axis else 1 for each, extent in enumerate(shape)]).expand(shape)
