"""Arrays that are not contiguous: their elements lie apart or in another order in memory. Kernels read them in place."""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from eqsat.array import Array, broadcast_to, flip, pad, permute_dims, placeholder, reshape
from eqsat.dtype import from_numpy
from eqsat.shape import Shape

LEAST_BYTES = 1 << 14  # a smaller array is copied in 4 µs or less, which is what a view of its memory takes
LINE_BYTES = 64  # bytes of a cache line; an array that takes more memory than this per element is copied


class View(NamedTuple):
    """How the elements of an array lie in memory.

    Attributes:
        axes: the axes in the order in which they nest in memory, the innermost last. With `steps`, axes along which the address does not change are
            left out.
        steps: for each of these axes, the distance of neighbours in elements; None if the array is contiguous with its axes in this order.
        flipped: the axes that run backwards.
    """

    axes: tuple[int, ...]
    steps: tuple[int, ...] | None = None
    flipped: tuple[int, ...] = ()

    def memory(self, array: NDArray[Any]) -> NDArray[Any]:
        """The memory of the array as a contiguous array. With `steps` it is flat, from the first element to the last, with all that lies between."""
        if self.steps is None:
            return array.transpose(self.axes)
        if self.flipped:
            backwards, forwards = slice(None, None, -1), slice(None)
            array = array[
                tuple(backwards if axis in self.flipped else forwards for axis in range(array.ndim))
            ]
        extents = [array.shape[axis] for axis in self.axes]
        return as_strided(array, (_span(extents, self.steps),), (array.itemsize,), writeable=False)

    def stand_in(self, slot: int, array: NDArray[Any]) -> Array:
        """A symbolic array with the elements of the array, picked from the memory that is passed as argument `slot`."""
        dtype = from_numpy(array.dtype)
        if self.steps is None:
            there = placeholder(slot, array.transpose(self.axes).shape, dtype)
            return permute_dims(there, tuple(map(self.axes.index, range(array.ndim))))
        extents = tuple(array.shape[axis] for axis in self.axes)
        value = _apart(placeholder(slot, (_span(extents, self.steps),), dtype), extents, self.steps)
        value = permute_dims(value, tuple(np.argsort(self.axes).tolist()))
        kept = tuple(extent if axis in self.axes else 1 for axis, extent in enumerate(array.shape))
        value = broadcast_to(reshape(value, kept), array.shape)
        return flip(value, axis=self.flipped) if self.flipped else value


def view_of(array: NDArray[Any]) -> View | None:
    """How an array lies in memory, if kernels can read it in place; None for a contiguous array, and for one that is better copied."""
    if array.flags.c_contiguous:
        return None
    axes = tuple(sorted(range(array.ndim), key=lambda axis: (-array.strides[axis], array.shape[axis])))
    if array.transpose(axes).flags.c_contiguous:
        return View(axes)
    if array.nbytes < LEAST_BYTES or any(stride % array.itemsize for stride in array.strides):
        return None
    steps = [abs(stride) // array.itemsize for stride in array.strides]
    moving = (axis for axis, extent in enumerate(array.shape) if extent > 1 and steps[axis])
    axes = tuple(sorted(moving, key=lambda axis: -steps[axis]))
    extents, chosen = [array.shape[axis] for axis in axes], tuple(steps[axis] for axis in axes)
    nests = all(_span(extents[place:], chosen[place:]) <= chosen[place - 1] for place in range(1, len(axes)))
    if not nests or _span(extents, chosen) * array.itemsize > prod(extents) * LINE_BYTES:
        return None
    return View(axes, chosen, tuple(axis for axis in axes if array.strides[axis] < 0))


def _span(extents: Shape | list[int], steps: tuple[int, ...]) -> int:
    """The number of elements in memory from the first element to the last."""
    return 1 + sum((extent - 1) * step for extent, step in zip(extents, steps, strict=True))


def _apart(value: Array, extents: tuple[int, ...], steps: tuple[int, ...]) -> Array:
    """Picks the elements with these extents and steps from a flat array, which ends with the last of them."""
    for place, (extent, step) in enumerate(zip(extents, steps, strict=True)):
        missing = extent * step - value.shape[place]
        value = pad(value, (*((0, 0),) * place, (0, missing)))
        inner = _span(extents[place + 1 :], steps[place + 1 :])
        value = reshape(value, (*extents[: place + 1], step))[..., :inner]
    return reshape(value, extents)
