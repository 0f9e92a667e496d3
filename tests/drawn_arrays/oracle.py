"""What NumPy makes of a step, and how far another correct implementation may be off.

Exact operations (arithmetic of single elements, movement, everything on integers) have one right result. For the others the result
is computed in a wider float, and a bound on the error is derived: units in the last place for functions of one element, the number
of terms times their absolute values for sums. A value that may be off makes what depends on it uncertain as well: the step is
repeated on operands moved within their bounds, and elements that change without measure (comparisons, positions) are not compared.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from eqsat.reference import elementary
from tests.drawn_arrays.values import Numbers, round_bfloat16

WIDE = np.longdouble
PRECISION = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": 2.0**-23, "float64": 2.0**-52}
LEAST = {"float16": 2.0**-24, "bfloat16": 2.0**-133, "float32": 2.0**-149, "float64": 2.0**-1074}
GREATEST = {
    "float16": 65504.0,
    "bfloat16": (2 - 2.0**-7) * 2.0**127,
    "float32": float(np.finfo("f4").max),
    "float64": float(np.finfo("f8").max),
}
PROPAGATION = 4  # times the greatest change that was seen when operands moved within their bounds


@dataclass(frozen=True)
class Value:
    """An array of a program as NumPy has it.

    Attributes:
        array: rounded to its dtype. dtype: its name; bfloat16 is held in float32. bound: how far each element of another
        implementation may be off, infinite where it may be anything; None where all are exact.
    """

    array: Numbers
    dtype: str
    bound: Numbers | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        return self.array.shape

    @property
    def is_float(self) -> bool:
        return self.array.dtype.kind == "f"


class Namespace:
    """NumPy's functions, and those of eqsat's that NumPy lacks."""

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)

    def astype(self, x: Numbers, dtype: str) -> Numbers:
        """As NumPy, and to bfloat16, which is held in float32."""
        if dtype == "bfloat16":
            wide = np.asarray(x)
            return round_bfloat16(
                _to_odd(wide)
                if wide.dtype.itemsize > 4 or wide.dtype.kind in "iu"
                else wide.astype(np.float32)
            )
        return np.asarray(x).astype(dtype)

    def bitcast(self, x: Numbers, dtype: str) -> Numbers:
        """The bits read as another dtype."""
        return np.ascontiguousarray(x).view(dtype).reshape(np.shape(x))

    def sigmoid(self, x: Numbers) -> Numbers:
        x = _floating(x)
        return (1 / (1 + np.exp(-x))).astype(x.dtype)

    def silu(self, x: Numbers) -> Numbers:
        x = _floating(x)
        return np.where(x == -np.inf, -x.dtype.type(0), x * self.sigmoid(x)).astype(x.dtype)

    def erf(self, x: Numbers) -> Numbers:
        return _special(x, elementary.erf, special.erf)

    def erfc(self, x: Numbers) -> Numbers:
        return _special(x, elementary.erfc, special.erfc)

    def gelu(self, x: Numbers) -> Numbers:
        return _special(x, elementary.gelu, _gelu)

    def relu(self, x: Numbers) -> Numbers:
        return np.maximum(x, 0)

    def softmax(self, x: Numbers, axis: int) -> Numbers:
        exponentials = np.exp(x - np.max(x, axis=axis, keepdims=True))
        return exponentials / np.sum(exponentials, axis=axis, keepdims=True)

    def log_softmax(self, x: Numbers, axis: int) -> Numbers:
        centred = x - np.max(x, axis=axis, keepdims=True)
        return centred - np.log(np.sum(np.exp(centred), axis=axis, keepdims=True))

    def logsumexp(self, x: Numbers, axis: Any, keepdims: bool) -> Numbers:
        greatest = np.max(x, axis=axis, keepdims=True)
        greatest = np.where(np.isfinite(greatest), greatest, 0).astype(greatest.dtype)
        result = np.log(np.sum(np.exp(x - greatest), axis=axis, keepdims=True)) + greatest
        return result if keepdims else result.reshape(np.sum(x, axis=axis).shape)

    def logarithm_sizes(self, x: Numbers, axis: Any, keepdims: bool = False) -> Numbers:
        """The sums of the absolute binary logarithms of what is finite and not zero."""
        return np.sum(_logarithm_sizes(x), axis=axis, keepdims=keepdims)

    def cumulative_logarithm_sizes(self, x: Numbers, axis: int) -> Numbers:
        return np.cumulative_sum(_logarithm_sizes(x), axis=axis)

    def spread(self, x: Numbers, axis: Any, correction: float = 0.0, keepdims: bool = False) -> Numbers:
        """What the error of a variance is relative to: mean squares of sizes, which cancel."""
        farthest = x + np.mean(x, axis=axis, keepdims=True)
        count = x.size // max(np.sum(x, axis=axis).size, 1)
        lessened = max(count - correction, 0.0)
        return np.sum(farthest * farthest, axis=axis, keepdims=keepdims) / lessened * 2

    def max_pool1d(self, x: Numbers, size: int, stride: int) -> Numbers:
        spread = np.lib.stride_tricks.sliding_window_view(x, size, -1)
        return np.max(spread[..., ::stride, :], axis=-1)

    def avg_pool1d(self, x: Numbers, size: int, stride: int) -> Numbers:
        spread = np.lib.stride_tricks.sliding_window_view(x, size, -1)
        return np.mean(spread[..., ::stride, :], axis=-1)

    def conv1d(self, x: Numbers, weights: Numbers, stride: int, padding: int) -> Numbers:
        framed = np.pad(x, ((0, 0), (0, 0), (padding, padding)))
        spread = np.lib.stride_tricks.sliding_window_view(framed, weights.shape[-1], -1)[:, :, ::stride]
        return np.einsum("bclk,fck->bfl", spread, weights)


ORACLE = Namespace()


def _special(x: Numbers, longer: Callable[..., Numbers], double: Callable[..., Numbers]) -> Numbers:
    """A function that NumPy lacks: SciPy's in float64, and for the long double, which SciPy lacks, that of the reference.

    `tests/test_accuracy` judges the reference by SciPy.
    """
    x = _floating(x)
    return np.asarray(longer(x) if x.dtype == WIDE else double(x.astype(np.float64)).astype(x.dtype))


def _gelu(x: Numbers) -> Numbers:
    return np.where(x == -np.inf, -0.0, x * 0.5 * special.erfc(-x * math.sqrt(0.5)))


def _to_odd(values: Numbers) -> Numbers:
    """Wide numbers as float32, rounded to odd, so that rounding again to bfloat16 is as good as rounding once."""
    wide = values.astype(WIDE)
    near = values.astype(np.float32) if values.dtype.kind == "f" else wide.astype(np.float32)
    toward = np.where(
        np.abs(near.astype(WIDE)) > np.abs(wide), np.nextafter(near, np.float32(0)), near
    ).astype(np.float32)
    inexact = np.isfinite(near) & (toward.astype(WIDE) != wide)
    return np.where(inexact, (toward.view(np.uint32) | np.uint32(1)).view(np.float32), near)


def _logarithm_sizes(x: Numbers) -> Numbers:
    ordinary = np.isfinite(x) & (x != 0)
    return np.abs(np.log2(np.where(ordinary, x, 1)))


def _floating(x: Numbers) -> Numbers:
    return x if x.dtype.kind == "f" else x.astype(np.exp(np.zeros((), x.dtype)).dtype)


@dataclass(frozen=True)
class Accuracy:
    """How far a step may be off.

    Attributes:
        ulps: units in the last place of the result. sums: whether as many roundings as there are terms are taken, relative to the
        sum of absolute values. products: likewise, relative to the result. scale: the function that gives what a sum's error is
        relative to, of absolute operands, in place of the step's own.
    """

    ulps: float = 0.0
    sums: bool = False
    products: bool = False
    scale: str | None = None

    @property
    def is_exact(self) -> bool:
        return not (self.ulps or self.sums or self.products)


EXACT = Accuracy()
SUM = Accuracy(sums=True)


@dataclass(frozen=True)
class Computation:
    """A step's function of a namespace and operands, the function that gives its error's scale, and how many terms it adds."""

    function: Callable[..., Any]
    scale: Callable[..., Any]
    accuracy: Accuracy
    terms: int = 0
    undefined: Callable[..., Numbers] | None = None
    dtype: str | None = None


def evaluate(step: Computation, operands: Sequence[Value]) -> Value:
    """One step: the value, its dtype and how far it may be off."""
    arrays = [operand.array for operand in operands]
    native = np.asarray(step.function(ORACLE, *arrays))
    dtype = step.dtype or _dtype_of(native, operands)
    if step.accuracy.is_exact or native.dtype.kind != "f":
        result, bound = _rounded(native, dtype), None
    else:
        result, bound = _inexact(step, arrays, native, dtype)
    if step.undefined is not None:
        mask = np.broadcast_to(step.undefined(result, *arrays), result.shape)
        if mask.any():
            bound = np.where(mask, _tiny_or_all(mask, result, dtype), 0.0 if bound is None else bound)
    if any(operand.bound is not None for operand in operands):
        moved = _propagated(step.function, operands, dtype)
        bound = moved if bound is None else bound + moved
    return Value(result, dtype, bound if bound is not None and bound.any() else None)


def _tiny_or_all(mask: Numbers, result: Numbers, dtype: str) -> Numbers:
    """`undefined` says True where a value may be anything, 2 where a zero may have either sign."""
    return np.where(mask.astype(np.int8) == 2, LEAST.get(dtype, np.inf), np.inf)


def _dtype_of(native: Numbers, operands: Sequence[Value]) -> str:
    floats = [operand.dtype for operand in operands if operand.is_float]
    if native.dtype == np.float32 and floats and all(dtype == "bfloat16" for dtype in floats):
        return "bfloat16"
    return str(native.dtype)


def _rounded(array: Numbers, dtype: str) -> Numbers:
    return round_bfloat16(array) if dtype == "bfloat16" else array


def _inexact(
    step: Computation, arrays: Sequence[Numbers], native: Numbers, dtype: str
) -> tuple[Numbers, Numbers]:
    accuracy, wide = step.accuracy, WIDE if dtype == "float64" else np.float64
    widened = [array.astype(native.dtype).astype(wide) for array in arrays]
    exact = np.asarray(step.function(ORACLE, *widened)).astype(wide)
    result = _rounded(exact.astype(native.dtype), dtype)
    working = min(PRECISION[dtype], PRECISION["float32"])
    greatest = GREATEST["float64" if dtype == "float64" else "float32"]  # of what is computed in
    size = np.abs(exact)
    bound = accuracy.ulps * np.maximum(PRECISION[dtype] * size, LEAST[dtype])
    if accuracy.sums or accuracy.products:
        sizes = [np.where(np.isfinite(array), np.abs(array), 0) for array in widened]
        scale = np.asarray(step.scale(ORACLE, *sizes)).astype(wide)
        rounding = (
            PRECISION[dtype] * size + (step.terms + 1) * LEAST[dtype]
        )  # the sign of a sum that is zero is not said either
        if accuracy.products:
            bound = bound + step.terms * working * size + rounding
            leaves = (
                scale > math.log2(greatest) - 2
            )  # the logarithms' absolute values: some order may leave the range on the way
        else:
            bound = bound + (step.terms + 2) * working * scale + rounding
            leaves = ~np.isnan(exact) & ~(scale < greatest / 4)
        bound = np.where(leaves, np.inf, bound)
    # near overflow, one implementation gives infinity and another the greatest number
    edge = (size + bound > GREATEST[dtype] * (1 - PRECISION[dtype])) & (
        size - bound <= GREATEST[dtype] * (1 + PRECISION[dtype])
    )
    bound = np.where(
        edge & np.isfinite(exact), np.inf, np.where(np.isfinite(exact) | np.isinf(bound), bound, 0.0)
    )
    return result, bound.astype(np.float64)


_WITHIN = 4  # ways to move operands within their bounds: up, down, either, and
_TO_ZERO = 3  # to zero, where that is so near
_WILD = 5  # values that unknown elements take


def _propagated(function: Callable[..., Any], operands: Sequence[Value], dtype: str) -> Numbers:
    """How much the result changes when operands move within their bounds; infinite where it changes without measure."""
    random = np.random.default_rng(0)
    base = np.asarray(function(ORACLE, *(operand.array for operand in operands)))
    change = np.zeros(base.shape)
    for trial in range(_WITHIN + _WILD):
        moved = np.asarray(function(ORACLE, *(_moved(operand, trial, random) for operand in operands)))
        if moved.shape != base.shape:
            return np.full(base.shape, np.inf)
        same = (moved == base) | ((moved != moved) & (base != base))
        if base.dtype.kind == "f":
            difference = np.abs(moved.astype(WIDE) - base.astype(WIDE)).astype(np.float64)
            # what changes between zeros of both signs, or to or from infinity and NaN, changes without measure further on
            difference = np.where(
                same,
                np.where(np.signbit(moved) == np.signbit(base), 0.0, LEAST[dtype]),
                np.where(np.isfinite(difference), difference, np.inf),
            )
        else:
            difference = np.where(same, 0.0, np.inf)
        if trial >= _WITHIN:  # unknown elements: whatever depends on them is unknown
            difference = np.where(difference > 0, np.inf, 0.0)
        change = np.maximum(change, difference)
    if base.dtype.kind == "f":
        change = np.where(
            np.isfinite(change) & (change > 0),
            np.maximum(PROPAGATION * change, PRECISION[dtype] * np.abs(base)),
            change,
        )
    return change


def _moved(operand: Value, trial: int, random: np.random.Generator) -> Numbers:
    if operand.bound is None:
        return operand.array
    unknown = np.isinf(operand.bound)
    array = operand.array
    if trial >= _WITHIN:
        return np.where(unknown, np.asarray(_wild(array.dtype)[trial - _WITHIN], array.dtype), array)
    if array.dtype.kind != "f":
        return array
    if trial == _TO_ZERO:
        return np.where(~unknown & (np.abs(array) <= operand.bound), array.dtype.type(0), array)
    sign = (1.0, -1.0, np.where(random.random(array.shape) < 0.5, 1.0, -1.0))[trial]
    step = np.where(unknown, 0.0, operand.bound) * sign
    return np.where(step == 0, array, (array.astype(WIDE) + step).astype(array.dtype))


def _wild(dtype: np.dtype) -> tuple[Any, ...]:
    """What an unknown element may be."""
    if dtype.kind == "b":
        return False, True, False, True, False
    return (
        (np.nan, -np.inf, np.inf, 1.5, 0.25)
        if dtype.kind == "f"
        else (np.iinfo(dtype).min, np.iinfo(dtype).max, 0, 1, 2)
    )


def wrong_elements(actual: Any, expected: Value) -> Numbers | str | None:
    """Where a result differs by more than it may; a sentence if its dtype or shape differs; None if it is right."""
    actual = np.asarray(actual)
    array = expected.array
    if actual.dtype != array.dtype:
        return f"dtype {actual.dtype}, not {array.dtype}"
    if actual.shape != array.shape:
        return f"shape {actual.shape}, not {array.shape}"
    same = actual == array
    bound = expected.bound if expected.bound is not None else np.zeros(array.shape)
    if array.dtype.kind == "f":
        with np.errstate(all="ignore"):
            difference = np.abs(actual.astype(WIDE) - array.astype(WIDE))
        same &= np.signbit(actual) == np.signbit(array)
        same |= (actual != actual) & (array != array)
        same |= difference <= np.where(bound > 0, bound, -1.0)
    wrong = ~(same | np.isinf(bound))
    return wrong if wrong.any() else None
