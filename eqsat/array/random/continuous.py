"""Random floats with a uniform, normal or exponential distribution."""

from __future__ import annotations

import math

import numpy as np

from eqsat.array.checking import array_function
from eqsat.array.core import Array, ArrayLike, Dtype, as_dtype
from eqsat.array.nodes.operands import Number
from eqsat.array.random.draws import Extents, draw, words_of
from eqsat.array.random.philox import Block
from eqsat.dtype import DType, bfloat16, float16, float32, float64, nearest
from eqsat.errors import BuildError, DTypeError
from eqsat.ops import Op
from eqsat.uop import UOp

PRECISION = {
    float16: 11,
    bfloat16: 8,
    float32: 24,
    float64: 53,
}  # bits of precision of each dtype, the implicit leading bit included


@array_function
def uniform(
    key: ArrayLike, shape: Extents = (), dtype: Dtype = float32, low: Number = 0.0, high: Number = 1.0
) -> Array:
    """Random floats of shape (*key.shape, *shape), uniform in low <= x < high.

    In [0, 1) they are the multiples of 2**-11 (float16), 2**-8 (bfloat16), 2**-24 (float32) or 2**-53 (float64), all equally likely.
    For other intervals these are scaled, with the rounding errors of a product and a sum. A number that would round to `high` becomes the
    next lower one.

    Raises:
        BuildError: the interval is empty in this dtype, or a bound or the length is not finite.
        DTypeError: the keys are not uint64, or `dtype` is not a float dtype.
        ShapeError: `shape` is not a valid shape.
    """
    wanted = _float_dtype(dtype)
    least, end = _interval(wanted, low, high)

    def numbers(block: Block) -> list[UOp]:
        units = [_unit(word, wanted) for word in words_of(block, wanted.bits)]
        return units if (least, end) == (0.0, 1.0) else [_scaled(unit, least, end) for unit in units]

    return draw(key, shape, numbers)


@array_function
def normal(key: ArrayLike, shape: Extents = (), dtype: Dtype = float32) -> Array:
    """Random floats of shape (*key.shape, *shape), normal with mean 0 and variance 1, by the Box-Muller transform.

    Radii are drawn from 32 random bits (64 for float64). The tails therefore end at 6.7 (9.4) standard deviations, beyond which 1 in
    10**11 (10**20) numbers would lie. Half precision is computed in float32 and rounded.

    Raises:
        DTypeError: the keys are not uint64, or `dtype` is not a float dtype.
        ShapeError: `shape` is not a valid shape.
    """
    wanted = _float_dtype(dtype)
    working = _working(wanted)

    def numbers(block: Block) -> list[UOp]:
        words = words_of(block, wanted.bits)
        points = (_on_circle(words[at], words[at + 1], working) for at in range(0, len(words), 2))
        return [coordinate.cast(wanted) for point in points for coordinate in point]

    return draw(key, shape, numbers)


@array_function
def exponential(key: ArrayLike, shape: Extents = (), dtype: Dtype = float32) -> Array:
    """Random floats of shape (*key.shape, *shape), exponential with mean 1; they lie in 0 <= x <= 22.9 (45.1 for float64).

    Each is -log(u) of a uniform number u of 32 random bits (64 for float64). Half precision is computed in float32 and rounded.

    Raises:
        DTypeError: the keys are not uint64, or `dtype` is not a float dtype.
        ShapeError: `shape` is not a valid shape.
    """
    wanted = _float_dtype(dtype)
    working = _working(wanted)
    return draw(
        key,
        shape,
        lambda block: [minus_log(word, working).cast(wanted) for word in words_of(block, wanted.bits)],
    )


def minus_log(word: UOp, dtype: DType) -> UOp:
    """-log(u) of a word of 32 or 64 bits, where u = (word + 0.5) / 2^bits is in (0, 1]: finite and never negative."""
    bits = word.dtype.scalar.bits
    fraction = (word.cast(dtype) + 0.5) * 2.0**-bits
    return fraction.like(0.0) - fraction.alu(Op.LOG)


def _on_circle(word: UOp, other: UOp, dtype: DType) -> tuple[UOp, UOp]:
    """Two independent normal numbers: the coordinates of a random point in the plane, by the Box-Muller transform."""
    radius = (minus_log(word, dtype) * 2.0).alu(Op.SQRT)
    precision = PRECISION[dtype]
    angle = (other >> (other.dtype.scalar.bits - precision)).cast(dtype) * (2.0 * math.pi * 2.0**-precision)
    return radius * angle.alu(Op.COS), radius * angle.alu(Op.SIN)


def _unit(word: UOp, dtype: DType) -> UOp:
    """A fraction in [0, 1) made from the upper bits of a word; as many bits as the dtype has precision."""
    precision = PRECISION[dtype]
    return (word >> (word.dtype.scalar.bits - precision)).cast(dtype) * 2.0**-precision


def _scaled(unit: UOp, low: float, high: float) -> UOp:
    """Scales a number in [0, 1) to [low, high)."""
    dtype: DType = unit.dtype  # pyright: ignore[reportAssignmentType]
    working = _working(dtype)
    value = (unit.cast(working) * (high - low) + low).cast(dtype)
    return (value < high).where(value, _before(dtype, high))


def _before(dtype: DType, value: float) -> float:
    """The next lower number of the dtype."""
    if dtype is not bfloat16:
        return float(np.nextafter(np.dtype(dtype.name).type(value), np.dtype(dtype.name).type(-np.inf)))
    bits = int(np.float32(value).view(np.uint32)) >> 16
    below = 0x8001 if value == 0 else bits - 1 if value > 0 else bits + 1
    return float(np.uint32(below << 16).view(np.float32))


def _interval(dtype: DType, low: Number, high: Number) -> tuple[float, float]:
    least, end = nearest(dtype, float(low)), nearest(dtype, float(high))
    if not (math.isfinite(least) and math.isfinite(end) and math.isfinite(nearest(dtype, end - least))):
        raise BuildError(
            f"cannot draw {dtype} between {low} and {high}; bounds and their distance must be finite"
        )
    if least >= end:
        raise BuildError(
            f"cannot draw {dtype} between {low} and {high}, where there are none; give low < high"
        )
    return least, end


def _float_dtype(dtype: Dtype) -> DType:
    wanted = as_dtype(dtype)
    if wanted not in PRECISION:
        raise DTypeError(f"cannot draw {wanted} from a continuous distribution; use a float dtype")
    return wanted


def _working(dtype: DType) -> DType:
    return float64 if dtype is float64 else float32
