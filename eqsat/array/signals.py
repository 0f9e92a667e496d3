"""Values that were sampled in order: their convolution, interpolation and integral."""

from __future__ import annotations

from typing import SupportsIndex

from eqsat.array.checking import array_function
from eqsat.array.core import Array, ArrayLike, node
from eqsat.array.elementwise import clip, isnan, where
from eqsat.array.formulas import computed, floats
from eqsat.array.indexing import searchsorted, take
from eqsat.array.movement import flip, moveaxis
from eqsat.array.nodes.axes import normalize_axis
from eqsat.array.nodes.operands import cast, common_dtype
from eqsat.array.nodes.views import shape
from eqsat.array.reduction import diff, sum
from eqsat.array.windows import conv1d
from eqsat.errors import BuildError, ShapeError, brief
from eqsat.uop import UOp

__all__ = ["convolve", "correlate", "interp", "trapezoid"]


@array_function
def convolve(x1: ArrayLike, x2: ArrayLike, /, mode: str = "full") -> Array:
    """The convolution of two vectors: element k is the sum of `x1[i] * x2[k - i]`.

    The vectors are as if they had zeros around them. A zero times an infinity or NaN is NaN, also where NumPy leaves such products out.

    Args:
        x1: a vector of n elements.
        x2: a vector of m elements.
        mode: "full" gives all n + m - 1 sums; "same" the max(n, m) in their middle; "valid" the max(n, m) - min(n, m) + 1 for which the vectors
            overlap completely.

    Raises:
        ShapeError: an operand is no vector, is empty, or has an extent that depends on a dim.
        BuildError: there is no such mode.
    """
    return _slid(x1, flip(Array(_vector(x2))), mode)


@array_function
def correlate(x1: ArrayLike, x2: ArrayLike, /, mode: str = "valid") -> Array:
    """The cross-correlation of two vectors: the sums of `x1[i + k] * x2[i]`, one for each shift k.

    Args:
        x1: a vector of n elements.
        x2: a vector of m elements.
        mode: as for `convolve`.

    Raises:
        ShapeError: an operand is no vector, is empty, or has an extent that depends on a dim.
        BuildError: there is no such mode.
    """
    one, other = _vector(x1), _vector(x2)
    if shape(one)[0] < shape(other)[0]:  # the shifts of the shorter one go the other way
        return flip(_slid(x2, Array(one), mode))
    return _slid(x1, Array(other), mode)


@array_function
def interp(
    x: ArrayLike, xp: ArrayLike, fp: ArrayLike, /, left: float | None = None, right: float | None = None
) -> Array:
    """The values at `x` of the function that is linear between the points (xp, fp).

    Args:
        x: where the function is evaluated, of any shape, which is also the shape of the result.
        xp: the places of the points, a vector that ascends; otherwise the result is meaningless.
        fp: the values at these places, a vector of the same length. One that is no finite number counts between its neighbours alone.
        left: the value below the first place, by default that of the first point.
        right: the value above the last place, by default that of the last point.

    Raises:
        ShapeError: `xp` and `fp` are no vectors of one length, or have no elements.
    """
    places, values = _vector(xp), _vector(fp)
    if shape(places) != shape(values):
        raise ShapeError(
            f"points have as many places as values, not {shape(places)} and {shape(values)}; cut one"
        )

    def formula(x: Array, xp: Array, fp: Array) -> Array:
        last = xp.shape[0] - 1
        upper = clip(searchsorted(xp, x, side="right"), min(1, last), last)
        lower = clip(upper - 1, 0, last)
        x1, x2, f1, f2 = (take(each, place) for each in (xp, fp) for place in (lower, upper))
        slope = (f2 - f1) / (x2 - x1)
        found = f1 + (x - x1) * slope
        level = where(isnan(x), x, f1)  # between equal values, also infinite ones
        found = where(isnan(found), where(f1 == f2, level, f2 + (x - x2) * slope), found)
        found = where(x == x1, f1, found)  # at a point, whatever its neighbours are
        found = where(x < xp[0], fp[0] if left is None else left, found)
        found = where(x == xp[last], fp[last], found)
        return where(x > xp[last], fp[last] if right is None else right, found)

    return computed(formula, floats(node(x), places, values))


@array_function
def trapezoid(
    y: ArrayLike, /, x: ArrayLike | None = None, *, dx: float = 1.0, axis: SupportsIndex = -1
) -> Array:
    """The integral along an axis by the trapezoidal rule: the sum of the means of neighbours times their distance.

    Args:
        y: the sampled values.
        x: their places, a vector or of the shape of `y`; by default they are `dx` apart.
        dx: the distance of neighbours, if `x` is not given.
        axis: the axis along which to integrate, by default the last.

    Raises:
        ShapeError: there is no such axis, or `x` does not fit `y`.
    """
    (value,) = floats(node(y))
    place = normalize_axis(axis, len(shape(value)), "integrate along")

    def formula(*arrays: Array) -> Array:
        y, *places = (moveaxis(each, place, -1) if len(each.shape) > 1 else each for each in arrays)
        widths = diff(places[0]) if places else dx
        return sum((y[..., 1:] + y[..., :-1]) * 0.5 * widths, axis=-1)

    return computed(formula, [value] if x is None else floats(value, node(x)))


def _vector(x: ArrayLike) -> UOp:
    value = node(x)
    if len(shape(value)) != 1 or shape(value)[0] == 0:
        raise ShapeError(
            f"{shape(value)} is no vector of at least one element; flatten it with reshape(x, (-1,))"
        )
    return value


def _slid(x1: ArrayLike, x2: Array, mode: str) -> Array:
    """The sums of products of `x1` and shifts of `x2`."""
    one, other = _vector(x1), _vector(x2)
    dtype = common_dtype([one, other])
    longest, shortest = sorted((shape(one)[0], shape(other)[0]), reverse=True)
    frames = {
        "full": (0, longest + shortest - 1),
        "same": ((shortest - 1) // 2, longest),
        "valid": (shortest - 1, longest - shortest + 1),
    }
    if mode not in frames:
        raise BuildError(f"no mode of convolution is named {brief(mode)}; use one of {', '.join(frames)}")
    rows = [Array(cast(each, dtype).reshape((1, 1, *shape(each)))) for each in (one, other)]
    found = conv1d(*rows, padding=shape(other)[0] - 1)[0, 0]
    begin, count = frames[mode]
    return found[begin : begin + count]
