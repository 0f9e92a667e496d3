"""Arrays whose elements are their own positions along an axis: 0, 1, 2, … along that axis, and constant along the others."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from eqsat.dtype import DType
from eqsat.extents import Extent
from eqsat.ops import Op, identity_element
from eqsat.shape import Shape
from eqsat.uop import UOp

# Operations whose result may still hold positions
_KEPT = frozenset({Op.RESHAPE, Op.EXPAND, Op.PERMUTE, Op.CAST})


def positions_along(shape: Shape, axis: int) -> UOp:
    """An array of the given shape, of dtype `index`, that holds the position of each element along an axis.

    >>> positions_along((2, 3), 1).shape, counted_axis(positions_along((2, 3), 1))
    ((2, 3), 1)
    """
    flat = tuple(extent if place == axis else 1 for place, extent in enumerate(shape))
    return UOp.iota(shape[axis]).reshape(flat).expand(shape)


def within(op: Op, value: UOp, axes: Sequence[int]) -> UOp:
    """The value, with the identity element of `op` beyond the extent of each of these axes whose extent is dynamic."""
    whole, dtype = value.shape or (), value.dtype
    for axis in axes:
        if isinstance(extent := whole[axis], Extent):
            assert isinstance(dtype, DType), "what is reduced is no address"
            inside = positions_along(whole, axis).alu(Op.CMPLT, UOp.extent(extent).broadcast(whole))
            value = inside.where(value, identity_element(op, dtype))
    return value


def counted_axis(value: UOp) -> int | None:
    """The axis, of at least two elements, along which the elements of a value are their own positions; None if no such axis is found."""
    chain = [value]
    while chain[-1].op in _KEPT:
        chain.append(chain[-1].src[0])
    if iota_extent(chain[-1]) is None:
        return None
    axis: int | None = 0
    for source, node in zip(chain[:0:-1], chain[-2::-1], strict=True):
        if axis is None:
            return None
        before, after = source.shape or (), node.shape or ()
        if node.op is Op.RESHAPE:
            axis = reshaped_axis(before, after, axis)
        elif node.op is Op.PERMUTE:
            axis = permuted_axis(node.arg, axis)
        elif node.op is Op.CAST and not holds_positions(node.dtype.scalar, before[axis]):
            return None
    return axis


def reshaped_axis(before: Shape, after: Shape, axis: int) -> int | None:
    """The number of an axis after a reshape; None if no single axis has the same positions any more.

    >>> reshaped_axis((6, 4), (2, 3, 4), 1), reshaped_axis((6, 4), (2, 3, 4), 0)
    (2, None)
    """
    inner = prod(before[axis + 1 :])
    places = range(len(after))
    return next(
        (place for place in places if after[place] == before[axis] and prod(after[place + 1 :]) == inner),
        None,
    )


def permuted_axis(axes: tuple[int, ...], axis: int) -> int:
    """The number of an axis after a permutation."""
    return axes.index(axis)


def holds_positions(dtype: DType, extent: int) -> bool:
    """Whether a dtype represents all positions of `extent` elements, and `extent` itself."""
    return dtype.is_index or (dtype.is_int and extent <= dtype.max)


def iota_extent(node: UOp) -> int | None:
    """The number of elements of an array 0, 1, 2, …; None for other arrays, and for fewer than two elements."""
    if node.op is not Op.BUFFERIZE or len(node.src) != 2 or node.src[0] is not node.src[1]:
        return None
    if node.src[0].op is not Op.RANGE or node.shape is None:
        return None
    return node.shape[0] if node.shape[0] > 1 else None
