"""Which operands an operation of a drawn program takes, and with what arguments.

Each function draws the arguments for given operands, or returns None where the operation does not fit them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

Numbers = NDArray[Any]
Arguments = dict[str, Any]
LARGE = 2.0**40  # floats beyond do not become integers


def nothing_more(draw: st.DrawFn, *operands: Numbers) -> Arguments | None:
    """Fits any operands and needs no arguments."""
    return {}


def broadcasting(draw: st.DrawFn, *operands: Numbers) -> Arguments | None:
    """Operands that broadcast."""
    try:
        np.broadcast_shapes(*(operand.shape for operand in operands))
    except ValueError:
        return None
    return {}


def are(kinds: str, then: Callable[..., Arguments | None] = broadcasting) -> Callable[..., Arguments | None]:
    """Operands of these kinds only."""

    def fits(draw: st.DrawFn, *operands: Numbers) -> Arguments | None:
        return then(draw, *operands) if all(operand.dtype.kind in kinds for operand in operands) else None

    return fits


def whole_together(draw: st.DrawFn, *operands: Numbers) -> Arguments | None:
    """Integers and bools with a common dtype that is none of floats, as that of int64 and uint64 is."""
    return broadcasting(draw, *operands) if np.result_type(*operands).kind in "biu" else None


def not_both_bools(draw: st.DrawFn, *operands: Numbers) -> Arguments | None:
    """Operands that broadcast and are not all bools."""
    return None if all(operand.dtype.kind == "b" for operand in operands) else broadcasting(draw, *operands)


def quotients(draw: st.DrawFn, x: Numbers, y: Numbers) -> Arguments | None:
    """Integers of one dtype that divide without a remainder at hand: no zero, and not the least by -1."""
    if x.dtype != y.dtype or x.dtype.kind not in "iu" or np.any(y == 0) or np.any(y == -1):
        return None
    return broadcasting(draw, x, y)


def an_axis(draw: st.DrawFn, x: Numbers) -> Arguments | None:
    """One axis."""
    return {"axis": draw(st.integers(-x.ndim, x.ndim - 1))} if x.ndim else None


def a_filled_axis(draw: st.DrawFn, x: Numbers) -> Arguments | None:
    """One axis of an array that is not empty."""
    return an_axis(draw, x) if x.size else None


def some_axes(draw: st.DrawFn, x: Numbers) -> Arguments | None:
    """Axes to reduce, and whether they stay."""
    if not x.ndim:
        return {"axis": None, "keepdims": False}
    several = st.sets(st.integers(0, x.ndim - 1), min_size=1).map(lambda chosen: tuple(sorted(chosen)))
    axes = st.one_of(st.none(), st.integers(-x.ndim, x.ndim - 1), several)
    return {"axis": draw(axes), "keepdims": draw(st.booleans())}


def some_filled_axes(draw: st.DrawFn, x: Numbers) -> Arguments | None:
    """Axes to reduce of an array that is not empty."""
    return some_axes(draw, x) if x.size else None


def another_shape(draw: st.DrawFn, x: Numbers) -> Arguments | None:
    """The same elements split and merged."""
    shapes = [(-1,), x.shape[::-1], (1, *x.shape), (*x.shape, 1)]
    if x.size:
        divisors = [divisor for divisor in range(1, x.size + 1) if x.size % divisor == 0]
        divisor = draw(st.sampled_from(divisors))
        shapes += [(divisor, -1), (1, x.size // divisor, divisor)]
    return {"shape": draw(st.sampled_from(shapes))}


def an_order(draw: st.DrawFn, x: Numbers) -> Arguments | None:
    """Axes in any order."""
    return {"axes": tuple(draw(st.permutations(range(x.ndim))))}


def a_subscript(draw: st.DrawFn, x: Numbers) -> Arguments | None:
    """Integers, strided slices, new axes and an ellipsis."""
    key: list[Any] = []
    for extent in x.shape:
        if draw(st.integers(0, 9)) == 0:
            key.append(None)
        if extent and draw(st.integers(0, 3)) == 0:
            key.append(draw(st.integers(-extent, extent - 1)))
            continue
        bound = st.one_of(st.none(), st.integers(-extent - 1, extent + 1))
        step = draw(st.sampled_from((None, 1, 1, 2, 3, -1, -2)))
        key.append(slice(draw(bound), draw(bound), step))
    if draw(st.booleans()):
        key = [*key[: len(key) // 2], ...]
    return {"key": tuple(key)}


def a_frame(draw: st.DrawFn, x: Numbers) -> Arguments | None:
    """Up to two elements around each axis."""
    if not x.ndim:
        return None
    width = st.integers(0, 2)
    return {"widths": tuple((draw(width), draw(width)) for _ in x.shape)}


def a_shift(draw: st.DrawFn, x: Numbers) -> Arguments | None:
    """An axis and how far to roll it."""
    axis = an_axis(draw, x)
    return None if axis is None else {**axis, "shift": draw(st.integers(-5, 5))}


def a_count(draw: st.DrawFn, x: Numbers) -> Arguments | None:
    """An axis and how often to repeat it."""
    axis = an_axis(draw, x)
    return None if axis is None else {**axis, "count": draw(st.integers(0, 3))}


def repetitions(draw: st.DrawFn, x: Numbers) -> Arguments | None:
    """How often to repeat each axis."""
    return {"counts": tuple(draw(st.integers(0, 3)) for _ in range(x.ndim + draw(st.integers(0, 1))))}


def a_wider_shape(draw: st.DrawFn, x: Numbers) -> Arguments | None:
    """A shape that the array broadcasts to."""
    grown = [draw(st.integers(0, 3)) if extent == 1 else extent for extent in x.shape]
    return {"shape": (*draw(st.lists(st.integers(0, 3), max_size=1)), *grown)}


def an_axis_alike(draw: st.DrawFn, x: Numbers, y: Numbers) -> Arguments | None:
    """An axis apart from which two shapes agree."""
    if x.ndim != y.ndim:
        return None
    fitting = [
        axis
        for axis in range(x.ndim)
        if x.shape[:axis] == y.shape[:axis] and x.shape[axis + 1 :] == y.shape[axis + 1 :]
    ]
    return {"axis": draw(st.sampled_from(fitting))} if fitting else None


def a_new_axis(draw: st.DrawFn, x: Numbers, y: Numbers) -> Arguments | None:
    """A new axis along which two arrays of one shape stand."""
    return {"axis": draw(st.integers(-x.ndim - 1, x.ndim))} if x.shape == y.shape else None


def positions_along(draw: st.DrawFn, x: Numbers, y: Numbers) -> Arguments | None:
    """An axis with elements; integers to take them by."""
    axes = [axis for axis, extent in enumerate(x.shape) if extent]
    if not axes or y.dtype.kind not in "iu" or y.size > 60:
        return None
    return {"axis": draw(st.sampled_from(axes))}


def number_dtype(draw: st.DrawFn, x: Numbers) -> Arguments | None:
    """A dtype of integers to which the values convert without leaving its range."""
    dtype = draw(st.sampled_from(("int8", "uint8", "int32", "int64")))
    limits = np.iinfo(dtype)
    if x.dtype.kind == "f" and not np.all((x > max(limits.min, -LARGE) - 1) & (x < min(limits.max, LARGE))):
        return None
    return {"dtype": dtype}


def matrices(draw: st.DrawFn, x: Numbers, y: Numbers) -> Arguments | None:
    """Shapes that matrix multiplication takes."""
    if not x.ndim or not y.ndim or x.shape[-1] != y.shape[-2 if y.ndim > 1 else -1]:
        return None
    try:
        np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    except ValueError:
        return None
    return {}


def windows(draw: st.DrawFn, x: Numbers) -> Arguments | None:
    """Pooling windows over the last axis."""
    if not x.ndim or not x.shape[-1] or x.dtype.kind == "b":
        return None
    return {"size": draw(st.integers(1, min(3, x.shape[-1]))), "stride": draw(st.integers(1, 3))}


def two_axes(draw: st.DrawFn, x: Numbers) -> Arguments | None:
    """A matrix, or a stack of them."""
    return {} if x.ndim > 1 else None


def a_stride(draw: st.DrawFn, x: Numbers) -> Arguments | None:
    """A matrix with columns, and a stride along them."""
    return (
        {"stride": draw(st.integers(1, 3))} if x.ndim == 2 and x.shape[1] and x.dtype.kind in "iuf" else None
    )
