"""Vectors and matrices: norms, diagonals, cross and Kronecker products."""

from __future__ import annotations

from itertools import chain
from math import inf
from operator import mul
from typing import SupportsIndex

from eqsat.array.checking import array_function
from eqsat.array.core import Array, ArrayLike, node
from eqsat.array.creation import arange
from eqsat.array.elementwise import abs
from eqsat.array.formulas import computed, floats
from eqsat.array.mathematics import sqrt
from eqsat.array.movement import moveaxis, stack
from eqsat.array.nodes.axes import Axes, normalize_axis
from eqsat.array.nodes.views import shape
from eqsat.array.reduction import count_nonzero, sum
from eqsat.array.reduction import max as greatest_of
from eqsat.array.reduction import min as least_of
from eqsat.errors import ShapeError

__all__ = ["cross", "diagonal", "kron", "vector_norm"]


@array_function
def cross(x1: ArrayLike, x2: ArrayLike, /, *, axis: SupportsIndex = -1) -> Array:
    """The cross products of vectors with three elements along one axis; the other axes broadcast.

    Raises:
        ShapeError: the extent along that axis is not 3, or the other axes do not broadcast.
        DTypeError: both operands hold bools.
    """
    for value in (node(x1), node(x2)):
        if not shape(value) or shape(value)[normalize_axis(axis, len(shape(value)), "multiply along")] != 3:
            raise ShapeError(
                f"cannot take the cross product along axis {axis} of {shape(value)}; its extent must be 3"
            )
    first, second = (moveaxis(Array(node(each)), axis, 0) for each in (x1, x2))
    places = ((1, 2), (2, 0), (0, 1))
    return stack([first[i] * second[j] - first[j] * second[i] for i, j in places], axis=axis)


@array_function
def diagonal(x: ArrayLike, /, *, offset: int = 0) -> Array:
    """The diagonals of the matrices in the last two axes.

    Args:
        x: an array of shape (…, rows, columns).
        offset: which diagonal: 0 is the main diagonal, a positive number is that many columns above it, a negative one below it.

    Returns:
        An array of shape (…, n), where n elements are on the diagonal.

    Raises:
        ShapeError: `x` has less than two axes, or the last two depend on a dim.
    """
    value = Array(node(x))
    if len(value.shape) < 2:
        raise ShapeError(f"{value.shape} is no matrix, and has no diagonal; reshape it")
    rows, columns = value.shape[-2:]
    row, column = (-offset, 0) if offset < 0 else (0, offset)
    places = arange(max(0, min(rows - row, columns - column)))
    return value[..., places + row, places + column]


@array_function
def kron(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The Kronecker product: `x2` times each element of `x1`, as blocks in the places of the elements.

    The array with fewer axes gets axes of extent 1 in front. Extents of the result are products of extents.
    """
    one, other = node(x1), node(x2)
    rank = max(len(shape(one)), len(shape(other)))
    outer, inner = ((1,) * (rank - len(shape(each))) + shape(each) for each in (one, other))
    blocks = Array(one.reshape(tuple(chain.from_iterable((extent, 1) for extent in outer))))
    within = Array(other.reshape(tuple(chain.from_iterable((1, extent) for extent in inner))))
    return Array((blocks * within).uop.reshape(tuple(map(mul, outer, inner))))


@array_function
def vector_norm(x: ArrayLike, /, *, axis: Axes = None, keepdims: bool = False, ord: float = 2) -> Array:
    """The norms of vectors along one axis, or of all elements along several, by default along all.

    Args:
        x: the array. Integers and bools are converted to float64.
        axis: the axes of a vector.
        keepdims: whether the axes stay, with extent 1.
        ord: the order p of the norm (Σ|x|^p)^(1/p). For `inf` it is the greatest absolute value, for `-inf` the least, for 0 the number of
            elements that are not zero.

    Raises:
        ShapeError: there is no such axis; or `ord` is infinite, and there are no elements.
    """

    def formula(value: Array) -> Array:
        if ord == 0:
            return count_nonzero(value, axis=axis, keepdims=keepdims).astype(value.dtype)
        if ord in (inf, -inf):
            return (greatest_of if ord > 0 else least_of)(abs(value), axis=axis, keepdims=keepdims)
        if ord == 2:
            return sqrt(sum(value * value, axis=axis, keepdims=keepdims))
        powers = abs(value) if ord == 1 else abs(value) ** ord
        found = sum(powers, axis=axis, keepdims=keepdims)
        return found if ord == 1 else found ** (1 / ord)

    return computed(formula, floats(node(x)))
