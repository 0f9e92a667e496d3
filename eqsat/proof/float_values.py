"""The floats on which claims are tried: where IEEE arithmetic overflows, underflows, rounds, or loses a sign.

Every module that samples floats draws them from here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache, lru_cache
from random import Random

import numpy as np

from eqsat.dtype import DType, uint16, uint32, uint64
from eqsat.ops import Op
from eqsat.reference.number import Array, hold, reinterpret
from eqsat.uop import UOp, toposort

COMMON = (0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 2.0, 0.5, -3.0)
_TAME = (0.25, 4.0)  # magnitudes
_ORDINARY = (0.1, 1 / 3, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 16.0)
_ENDS_OF_INTEGERS = tuple(2.0**bits for bits in (7, 8, 15, 16, 31, 32, 63, 64))
_UNSIGNED = {dtype.bits: dtype for dtype in (uint16, uint32, uint64)}


def tame(chance: Random) -> float:
    """A number for claims over the reals: of either sign or zero, and of moderate size, so that nothing overflows."""
    return chance.choice((-1, 1)) * chance.uniform(*_TAME) if chance.random() < 0.9 else 0.0


@lru_cache(maxsize=1024)
def edges(dtype: DType, constants: tuple[float, ...] = ()) -> tuple[float, ...]:
    """Values at which something changes, each with its two neighbours, of both signs; then zeros, infinities and NaN.

    These are the ends of the range of `dtype`, some fractions of them, their roots and logarithms, the steps at which a sum with 1 is rounded,
    and the ends of integer dtypes. With `constants`, they are also the values whose sum, product or quotient with one of these
    reaches an end of the range.

    >>> from eqsat.dtype import float16
    >>> {65504.0, 65472.0, 32768.0, 32752.0, 2.0**-24, 3 * 2.0**-24} <= set(edges(float16))
    True
    >>> 9360.0 in edges(float16), 9360.0 in edges(float16, (7.0,))  # the least that overflows times 7
    (False, True)
    """
    largest, normal, least = _ends(dtype)
    bits = dtype.significand
    magnitudes = [
        *(largest / divisor for divisor in (1, 2, 4, 16, 2.0**bits)),
        *(normal * factor for factor in (1, 2, 16)),
        *(least * factor for factor in (1, 2)),
        *(math.sqrt(end) for end in (largest, normal, least)),
        *(abs(log(end)) for log in (math.log, math.log2) for end in (largest, normal, least)),
        *(2.0**power for power in (-bits, 1 - bits, bits - 1, bits)),
        *_ORDINARY,
        *_ENDS_OF_INTEGERS,
    ]
    for constant in constants:
        magnitudes += [
            constant,
            1 / constant,
            least / (2 * constant),
        ]  # the last one has a product that is rounded to 0
        for end in (largest, normal, least):
            magnitudes += [end * constant, end / constant, abs(end - constant)]
    found = _with_neighbours(magnitudes, dtype)
    return (0.0, -0.0, math.inf, -math.inf, math.nan, *found, *(-value for value in found))


def _ends(dtype: DType) -> tuple[float, float, float]:
    """The largest finite number, the least normal one, and the least subnormal one."""
    least = dtype.least_exponent
    return dtype.greatest_number, 2.0**least, 2.0 ** (least + 1 - dtype.significand)


def _with_neighbours(magnitudes: Sequence[float], dtype: DType) -> list[float]:
    """Positive finite numbers: the nearest to each magnitude, the one below and the one above."""
    held = hold(np.array(magnitudes), dtype)
    places = reinterpret(held, dtype, _UNSIGNED[dtype.bits]).astype(np.int64)
    whole = np.unique(np.concatenate([places - 1, places, places + 1]))
    values = _from_bits(whole[whole > 0], dtype)
    return values[np.isfinite(values)].astype(np.float64).tolist()


def by_size(values: Array, dtype: DType) -> tuple[Array, Array, Array]:
    """All of some values, those so large that a product of two overflows, and those so small that a product of two underflows."""
    largest, normal, _ = _ends(dtype)
    with np.errstate(all="ignore"):  # of NaNs with any bits
        sizes = np.abs(values.astype(np.float64))
    return values, values[sizes >= math.sqrt(largest)], values[sizes <= math.sqrt(normal)]


@cache
def every_value(dtype: DType) -> Array:
    """All values of a dtype of 16 bits."""
    return _from_bits(np.arange(1 << 16), dtype)


def random_floats(dtype: DType, count: int, seed: int) -> Array:
    """Numbers whose bits are random: each exponent is as likely as any other."""
    generator = np.random.default_rng(seed)
    return _from_bits(generator.integers(0, 1 << dtype.bits, count, np.uint64), dtype)


def _from_bits(bits: Array, dtype: DType) -> Array:
    unsigned = _UNSIGNED[dtype.bits]
    return reinterpret(hold(bits, unsigned), unsigned, dtype)


def constants_of(roots: Sequence[UOp]) -> tuple[float, ...]:
    """The magnitudes of the float constants in some graphs, other than 0 and infinity, in order."""
    constants = (node for node in toposort(roots) if node.op is Op.CONST)
    sizes = {abs(node.arg) for node in constants if isinstance(node.dtype, DType) and node.dtype.is_float}
    return tuple(sorted(size for size in sizes if 0 < size < math.inf))
