"""Arrays defined by a formula of keys, with one element for each key and each index.

They are comprehensions (BUFFERIZE) rather than operations on whole arrays, so that one kernel computes all rounds of the generator. As
whole arrays, each product would be a candidate for materialization.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from eqsat.array.nodes.views import shape
from eqsat.extents import capacities
from eqsat.ops import AxisType, Op
from eqsat.shape import Shape
from eqsat.uop import UOp, toposort

Formula = Callable[[UOp, Sequence[UOp], Sequence[UOp]], UOp]


def comprehension(keys: UOp, extents: Shape, formula: Formula, *further: UOp) -> UOp:
    """The array of shape (*keys.shape, *extents) whose elements are `formula(key, indices of the key, indices in extents)`.

    If this shape is (), the result is a scalar. `further` are the other arrays that the formula reads. Like the keys, they may be
    comprehensions, so new RANGEs are numbered apart from theirs.
    """
    own = shape(keys)
    whole = (*own, *extents)
    numbers = [node.arg[0] for node in toposort([keys, *further]) if node.op is Op.RANGE]
    first = min([0, *numbers]) - 1
    rooms = capacities(whole)
    ranges = [UOp.range(room, first - axis, AxisType.PLACEHOLDER) for axis, room in enumerate(rooms)]
    places = ranges[: len(own)]
    value = formula(element(keys, places), places, ranges[len(own) :])
    if 0 in whole:
        return UOp.const(value.dtype.scalar, 0).broadcast(whole)  # pyright: ignore[reportArgumentType]
    return UOp(Op.BUFFERIZE, value.dtype, (value, *ranges)).reshape(whole) if ranges else value


def element(array: UOp, places: Sequence[UOp]) -> UOp:
    """The element of an array at indices; without indices, the scalar itself."""
    return UOp(Op.INDEX, array.dtype, (array, *places)) if places else array
