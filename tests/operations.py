"""The operations that drawn programs are made of, as functions of an array namespace.

`numpy` and `eqsat.array` carry out the same lines. Operands that would leave an operation's domain are
first brought into it (a root of an absolute value), so that almost every step drawn fits.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.arguments import (
    Arguments,
    Numbers,
    a_count,
    a_filled_axis,
    a_frame,
    a_new_axis,
    a_shift,
    a_stride,
    a_subscript,
    a_wider_shape,
    an_axis,
    an_axis_alike,
    an_order,
    another_shape,
    are,
    broadcasting,
    matrices,
    not_both_bools,
    nothing_more,
    number_dtype,
    positions_along,
    quotients,
    repetitions,
    some_axes,
    some_filled_axes,
    two_axes,
    whole_together,
    windows,
)


@dataclass(frozen=True)
class Operation:
    """One kind of step.

    Attributes:
        name: as printed. function: of a namespace, the operands and the arguments. operands: how many.
        arguments: draws the arguments; None if the operation does not fit the operands. is_exact: whether
        any implementation gives the exact result where that is a number of the dtype. noise: how many units
        in the last place an implementation may be off, relative to the result and `scale`. scale: what the
        error is relative to beside the result, from absolute operands: a sum's terms may cancel. distance:
        how near the operands come to where the result jumps; None if it does not.
    """

    name: str
    function: Callable[..., Any]
    operands: int = 1
    arguments: Callable[..., Arguments | None] = nothing_more
    is_exact: bool = False
    noise: float = 2.0
    scale: Callable[..., Any] | None = None
    distance: Callable[..., float] | None = None


# functions that need more than one line of the namespace


def choose(xp: Any, condition: Any, x: Any, y: Any) -> Any:
    """By the truth of the first operand."""
    return xp.where(condition, x, y)


def take(xp: Any, x: Any, positions: Any, axis: int) -> Any:
    """Elements at positions brought into range; negative ones count from the end."""
    extent = x.shape[axis]
    return xp.take(x, xp.astype(positions, "int64") % extent - (extent if axis % 2 else 0), axis=axis)


def take_along(xp: Any, x: Any, axis: int) -> Any:
    """An axis in the order of another function of its positions."""
    extent = x.shape[axis]
    order = (xp.arange(extent) * 3 + 1) % extent
    shape = tuple(extent if place == axis % x.ndim else 1 for place in range(x.ndim))
    return xp.take_along_axis(x, xp.broadcast_to(xp.reshape(order, shape), x.shape), axis)


def gram(xp: Any, x: Any) -> Any:
    """All products of two rows."""
    return xp.matmul(x, xp.matrix_transpose(x))


def softmax(xp: Any, x: Any, axis: int) -> Any:
    """Exponentials divided by their sum."""
    exponentials = xp.exp(x - xp.max(x, axis=axis, keepdims=True))
    return exponentials / xp.sum(exponentials, axis=axis, keepdims=True)


def blur(xp: Any, x: Any, stride: int) -> Any:
    """Weights 1, 2, 1 over three neighbours along the last axis of a matrix, zeros beyond its ends."""
    if xp is np:
        framed = np.pad(x, ((0, 0), (1, 1)))
        spread = framed[:, :-2] + framed[:, 1:-1] * 2 + framed[:, 2:]
        return spread[:, ::stride]
    weights = xp.astype(xp.asarray([[[1, 2, 1]]]), x.dtype)
    return xp.squeeze(xp.conv1d(xp.expand_dims(x, axis=1), weights, stride=stride, padding=1), axis=1)


def pool(xp: Any, x: Any, size: int, stride: int) -> Any:
    """Greatest element of each window of the last axis."""
    if xp is np:
        spread = np.lib.stride_tricks.sliding_window_view(x, size, -1)
        return np.max(spread[..., ::stride, :], axis=-1)
    return xp.max_pool1d(x, size, stride=stride)


def _nearest_integer(x: Numbers, **_: Any) -> float:
    return float(np.min(np.abs(x - np.round(x)), initial=math.inf))


def _nearest_half(x: Numbers, **_: Any) -> float:
    wide = x.astype(np.float64)
    return float(np.min(np.abs(wide - np.floor(wide) - 0.5), initial=math.inf))


def _nearest_zero(x: Numbers, **_: Any) -> float:
    return float(np.min(np.abs(x), initial=math.inf)) if x.dtype.kind == "f" else math.inf


def _nearest_equal(x: Numbers, y: Numbers) -> float:
    return float(np.min(np.abs(x.astype(np.float64) - y.astype(np.float64)), initial=math.inf))


def _condition_nearest_zero(condition: Numbers, x: Numbers, y: Numbers) -> float:
    return _nearest_zero(condition)


def _runner_up(x: Numbers, axis: int) -> float:
    """How far the two greatest, or the two least, elements are apart."""
    ordered = np.sort(x.astype(np.float64), axis=axis)
    return float(np.min(np.abs(np.diff(ordered, axis=axis)), initial=math.inf))


def _quotient_nearest_integer(x: Numbers, y: Numbers) -> float:
    divisor = np.abs(y) + 0.5
    return float(np.min(np.abs(x / divisor - np.round(x / divisor)), initial=math.inf)) / (
        4 * (1 + float(np.max(np.abs(x), initial=0)))
    )


def _sum_of(function: str) -> Callable[..., Any]:
    def scale(*operands: Any, **arguments: Any) -> Any:
        return getattr(np, function)(*operands, **arguments)

    return scale


def _greatest_square(x: Any, axis: Any, keepdims: bool) -> Any:
    return np.max(x, initial=1.0) ** 2


def _one(*operands: Any, **arguments: Any) -> Any:
    return 1.0


def _greatest(*operands: Any, **arguments: Any) -> Any:
    return 1.0 + sum(np.max(operand, initial=0.0) for operand in operands)


def _binary(name: str) -> Callable[..., Any]:
    return lambda xp, x, y: getattr(xp, name)(x, y)


def _unary(name: str) -> Callable[..., Any]:
    return lambda xp, x: getattr(xp, name)(x)


def _reduction(name: str) -> Callable[..., Any]:
    return lambda xp, x, axis, keepdims: getattr(xp, name)(x, axis=axis, keepdims=keepdims)


def _position(name: str) -> Callable[..., Any]:
    return lambda xp, x, axis: getattr(xp, name)(x, axis=axis)


MOVEMENT = (
    Operation("reshape", lambda xp, x, shape: xp.reshape(x, shape), 1, another_shape, True),
    Operation("permute_dims", lambda xp, x, axes: xp.permute_dims(x, axes), 1, an_order, True),
    Operation("subscript", lambda xp, x, key: x[key], 1, a_subscript, True),
    Operation("flip", lambda xp, x, axis: xp.flip(x, axis=axis), 1, an_axis, True),
    Operation("pad", lambda xp, x, widths: xp.pad(x, widths), 1, a_frame, True),
    Operation("roll", lambda xp, x, axis, shift: xp.roll(x, shift, axis=axis), 1, a_shift, True),
    Operation("repeat", lambda xp, x, axis, count: xp.repeat(x, count, axis=axis), 1, a_count, True),
    Operation("tile", lambda xp, x, counts: xp.tile(x, counts), 1, repetitions, True),
    Operation("broadcast_to", lambda xp, x, shape: xp.broadcast_to(x, shape), 1, a_wider_shape, True),
    Operation("concat", lambda xp, x, y, axis: xp.concat([x, y], axis=axis), 2, an_axis_alike, True),
    Operation("stack", lambda xp, x, y, axis: xp.stack([x, y], axis=axis), 2, a_new_axis, True),
    Operation("take", take, 2, positions_along, True),
    Operation("take_along_axis", take_along, 1, a_filled_axis, True),
)
EXACT = (
    Operation("add", _binary("add"), 2, broadcasting, True),
    Operation("subtract", _binary("subtract"), 2, not_both_bools, True),
    Operation("multiply", _binary("multiply"), 2, broadcasting, True),
    Operation("maximum", _binary("maximum"), 2, broadcasting, True),
    Operation("minimum", _binary("minimum"), 2, broadcasting, True),
    Operation("abs", _unary("abs"), 1, nothing_more, True),
    Operation("negative", _unary("negative"), 1, are("iuf"), True),
    Operation("square", _unary("square"), 1, are("iuf"), True),
    Operation("affine", lambda xp, x: x * 2 - 3, 1, nothing_more, True),
    Operation("clip", lambda xp, x: xp.clip(x, 1, 5), 1, are("iuf"), True),
    Operation("cube", lambda xp, x: x**3, 1, are("iuf")),
    Operation("float32", lambda xp, x: xp.astype(x, "float32"), 1, are("biu"), True),
    Operation("float64", lambda xp, x: xp.astype(x, "float64"), 1, nothing_more, True),
)
INTEGER = (
    Operation("bitwise_and", _binary("bitwise_and"), 2, whole_together),
    Operation("bitwise_or", _binary("bitwise_or"), 2, whole_together),
    Operation("bitwise_xor", _binary("bitwise_xor"), 2, whole_together),
    Operation("bitwise_invert", _unary("bitwise_invert"), 1, are("biu")),
    Operation("shift_left", lambda xp, x: x << 2, 1, are("iu")),
    Operation("shift_right", lambda xp, x: x >> 1, 1, are("iu")),
    Operation("floor_divide", _binary("floor_divide"), 2, quotients),
    Operation("remainder", _binary("remainder"), 2, quotients),
    Operation("divide_by_7", lambda xp, x: x // 7, 1, are("iu")),
    Operation("modulo_5", lambda xp, x: x % 5, 1, are("iu")),
)
JUMPS = (
    Operation("where", choose, 3, broadcasting, True, distance=_condition_nearest_zero),
    Operation("less", _binary("less"), 2, not_both_bools, distance=_nearest_equal),
    Operation("greater_equal", _binary("greater_equal"), 2, not_both_bools, distance=_nearest_equal),
    Operation("equal", _binary("equal"), 2, not_both_bools, distance=_nearest_equal),
    Operation("not_equal", _binary("not_equal"), 2, not_both_bools, distance=_nearest_equal),
    Operation("logical_not", _unary("logical_not"), distance=_nearest_zero),
    Operation("sign", _unary("sign"), 1, are("iuf"), True, distance=_nearest_zero),
    Operation("floor", _unary("floor"), 1, are("iuf"), True, distance=_nearest_integer),
    Operation("ceil", _unary("ceil"), 1, are("iuf"), True, distance=_nearest_integer),
    Operation("trunc", _unary("trunc"), 1, are("iuf"), True, distance=_nearest_integer),
    Operation("round", _unary("round"), 1, are("iuf"), True, distance=_nearest_half),
    Operation("astype", lambda xp, x, dtype: xp.astype(x, dtype), 1, number_dtype, distance=_nearest_integer),
    Operation("astype_bool", lambda xp, x: xp.astype(x, "bool"), distance=_nearest_zero),
    Operation("argmax", _position("argmax"), 1, a_filled_axis, distance=_runner_up),
    Operation("argmin", _position("argmin"), 1, a_filled_axis, distance=_runner_up),
    Operation("any", _reduction("any"), 1, some_axes, distance=_nearest_zero),
    Operation("all", _reduction("all"), 1, some_axes, distance=_nearest_zero),
)
FLOATING = (
    Operation("divide", lambda xp, x, y: x / (xp.abs(y) + 1), 2, not_both_bools),
    Operation("reciprocal", lambda xp, x: 1 / (x * x + 0.5), 1, are("iuf"), noise=4),
    Operation("sqrt", lambda xp, x: xp.sqrt(xp.abs(x)), 1, are("f"), noise=4),
    Operation("exp", lambda xp, x: xp.exp(xp.minimum(x, 5)), 1, are("f"), noise=4, scale=_greatest),
    Operation("log", lambda xp, x: xp.log(xp.abs(x) + 0.5), 1, are("f"), noise=4, scale=_one),
    Operation("log1p", lambda xp, x: xp.log1p(xp.abs(x)), 1, are("f"), noise=8),
    Operation("expm1", lambda xp, x: xp.expm1(xp.minimum(x, 5)), 1, are("f"), noise=8, scale=_greatest),
    Operation("sin", _unary("sin"), 1, are("f"), noise=4, scale=_one),
    Operation("cos", _unary("cos"), 1, are("f"), noise=4, scale=_one),
    Operation("tanh", _unary("tanh"), 1, are("f"), noise=8),
    Operation("atan", _unary("atan"), 1, are("f"), noise=8),
    Operation("hypot", _binary("hypot"), 2, are("f"), noise=8),
    Operation("logaddexp", _binary("logaddexp"), 2, are("f"), noise=8, scale=_greatest),
    Operation("power", lambda xp, x: (xp.abs(x) + 0.5) ** 1.5, 1, are("f"), noise=16),
    Operation(
        "remainder", lambda xp, x, y: x % (xp.abs(y) + 0.5), 2, are("f"), distance=_quotient_nearest_integer
    ),
)
REDUCTIONS = (
    Operation("sum", _reduction("sum"), 1, some_axes, noise=8, scale=_sum_of("sum")),
    Operation("mean", _reduction("mean"), 1, some_filled_axes, noise=8, scale=_sum_of("mean")),
    Operation("var", _reduction("var"), 1, some_filled_axes, noise=16, scale=_greatest_square),
    Operation("prod", _reduction("prod"), 1, some_axes, noise=64),
    Operation("max", _reduction("max"), 1, some_filled_axes, True),
    Operation("min", _reduction("min"), 1, some_filled_axes, True),
    Operation(
        "cumulative_sum", _position("cumulative_sum"), 1, an_axis, noise=8, scale=_sum_of("cumulative_sum")
    ),
    Operation("matmul", _binary("matmul"), 2, matrices, noise=8, scale=_sum_of("matmul")),
    Operation("gram", gram, 1, two_axes, noise=8, scale=lambda x: gram(np, x)),
    Operation("softmax", softmax, 1, are("f", a_filled_axis), noise=16, scale=_greatest),
    Operation("blur", blur, 1, a_stride, noise=8, scale=lambda x, stride: blur(np, x, stride)),
    Operation("max_pool1d", pool, 1, windows, True),
)
OPERATIONS = (*MOVEMENT, *EXACT, *INTEGER, *JUMPS, *FLOATING, *REDUCTIONS)
