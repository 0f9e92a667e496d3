"""The error function to the digits of a long double, by other means than the product's: a series and a trapezoidal rule.

The rule is that of D. B. Hunter and T. Regan (Mathematics of Computation 26, 1972): with steps of 0.4 it is exact to 1e-26.
"""

import numpy as np


def erf(x: np.ndarray) -> np.ndarray:
    """The error function, in the dtype of `x`."""
    a = np.abs(x)
    return np.where(a < 1, _series(np.clip(x, -1, 1)), np.copysign(1 - _tail(a, 1), x))


def erfc(x: np.ndarray) -> np.ndarray:
    """1 - erf(x), with all digits in the tail."""
    a = np.abs(x)
    tail = _tail(a, 1)
    return np.where(a < 0.5, 1 - _series(np.clip(x, -1, 1)), np.where(x < 0, 2 - tail, tail))


def gelu(x: np.ndarray) -> np.ndarray:
    """x·Φ(x), and its limits at the infinities, the lower of which is -0."""
    a = np.abs(x)
    tail = a * _tail(a, 2) / 2
    middle = x * (1 + _series(np.clip(x, -1, 1) / np.sqrt(x.dtype.type(2)))) / 2
    ends = np.where(x < 0, -tail, x - tail)
    return np.where(np.isinf(x), np.where(x < 0, x.dtype.type(-0.0), x), np.where(a < 0.5, middle, ends))


def _series(x: np.ndarray) -> np.ndarray:
    """Of the error function, around 0."""
    wide = x.dtype.type
    term, total = x, x
    for n in range(1, 28):
        term = term * -(x * x) / n
        total = total + term / (2 * n + 1)
    return total / np.sqrt(np.arctan(wide(1)))


def _tail(a: np.ndarray, parts: int) -> np.ndarray:
    """erfc(√(a²/parts)), for a of 0.5 and more. The square is split such that nothing of it is rounded."""
    wide = a.dtype.type
    a = np.clip(a, 0.5, 60)
    head = (
        a.astype(np.float32).astype(a.dtype)
        if wide is np.longdouble
        else a.astype(np.float16).astype(a.dtype)
    )
    power = np.exp(-head * head / parts) * np.exp(-(a - head) * (a + head) / parts)
    square, step, pi = a * a / parts, wide(2) / 5, 4 * np.arctan(wide(1))
    z = np.sqrt(square)
    terms = sum(np.exp(-((n * step) ** 2)) / ((n * step) ** 2 + square) for n in range(1, 19))
    outside = np.minimum(2 * pi * z / step, 500)
    pole = np.where(z < pi / step, 2 / np.expm1(outside), 0)
    return step * z * power / pi * (1 / square + 2 * terms) - pole
