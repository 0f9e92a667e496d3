"""Arrays of a formula of keys: one element for each key and each place.

They are comprehensions (BUFFERIZE), and not operations on whole arrays, so that one kernel has the rounds of a generator to itself: as arrays,
each product would be a value that could be stored.
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
    """The array of shape (*keys.shape, *extents) of what `formula` makes of a key, the key's indices and the further indices; a scalar of one key.

    `further` are other arrays that the formula reads: like the keys they may be comprehensions, whose RANGEs are other ones than these.
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
    """The element of an array at indices; of a scalar, itself."""
    return UOp(Op.INDEX, array.dtype, (array, *places)) if places else array
