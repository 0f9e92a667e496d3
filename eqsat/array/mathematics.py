"""Elementary functions of floats: exponentials, logarithms, circular and hyperbolic functions, and what networks use.

Integers and bools are computed in the float that NumPy takes for their width (int8: float16, int16:
float32, wider: float64).
"""

from __future__ import annotations

from collections.abc import Callable

from eqsat.array import special
from eqsat.array.core import Array, ArrayLike, operand
from eqsat.array.operands import in_working_precision, unify_floats
from eqsat.uop import UOp


def sqrt(x: ArrayLike, /) -> Array:
    """The square root; NaN of negative numbers."""
    return _unary("take the square root of", special.sqrt, x)


def exp(x: ArrayLike, /) -> Array:
    """E to the power of x."""
    return _unary("take exp of", special.exp, x)


def exp2(x: ArrayLike, /) -> Array:
    """2 to the power of x."""
    return _unary("take exp2 of", special.exp2, x)


def expm1(x: ArrayLike, /) -> Array:
    """E to the power of x, less 1, accurate near 0."""
    return _unary("take expm1 of", special.expm1, x)


def log(x: ArrayLike, /) -> Array:
    """The natural logarithm."""
    return _unary("take log of", special.natural_log, x)


def log2(x: ArrayLike, /) -> Array:
    """The logarithm to base 2."""
    return _unary("take log2 of", special.log_base_2, x)


def log10(x: ArrayLike, /) -> Array:
    """The logarithm to base 10."""
    return _unary("take log10 of", special.log_base_10, x)


def log1p(x: ArrayLike, /) -> Array:
    """The natural logarithm of 1 + x, accurate near 0."""
    return _unary("take log1p of", special.log1p, x)


def sin(x: ArrayLike, /) -> Array:
    """The sine of an angle in radians."""
    return _unary("take sin of", special.sin, x)


def cos(x: ArrayLike, /) -> Array:
    """The cosine of an angle in radians."""
    return _unary("take cos of", special.cos, x)


def tan(x: ArrayLike, /) -> Array:
    """The tangent of an angle in radians."""
    return _unary("take tan of", special.tan, x)


def asin(x: ArrayLike, /) -> Array:
    """The angle in -π/2..π/2 of this sine; NaN beyond ±1."""
    return _unary("take asin of", special.asin, x)


def acos(x: ArrayLike, /) -> Array:
    """The angle in 0..π of this cosine; NaN beyond ±1."""
    return _unary("take acos of", special.acos, x)


def atan(x: ArrayLike, /) -> Array:
    """The angle in -π/2..π/2 of this tangent."""
    return _unary("take atan of", special.atan, x)


def sinh(x: ArrayLike, /) -> Array:
    """The hyperbolic sine."""
    return _unary("take sinh of", special.sinh, x)


def cosh(x: ArrayLike, /) -> Array:
    """The hyperbolic cosine."""
    return _unary("take cosh of", special.cosh, x)


def tanh(x: ArrayLike, /) -> Array:
    """The hyperbolic tangent."""
    return _unary("take tanh of", special.tanh, x)


def asinh(x: ArrayLike, /) -> Array:
    """The number of this hyperbolic sine."""
    return _unary("take asinh of", special.asinh, x)


def acosh(x: ArrayLike, /) -> Array:
    """The number that is not negative of this hyperbolic cosine; NaN below 1."""
    return _unary("take acosh of", special.acosh, x)


def atanh(x: ArrayLike, /) -> Array:
    """The number of this hyperbolic tangent; NaN beyond ±1."""
    return _unary("take atanh of", special.atanh, x)


def erf(x: ArrayLike, /) -> Array:
    """The error function: 2/√π times the integral of e^(-t²) from 0 to x."""
    return _unary("take erf of", special.erf, x)


def sigmoid(x: ArrayLike, /) -> Array:
    """1 / (1 + e^-x)."""
    return _unary("take sigmoid of", special.sigmoid, x)


def atan2(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The angle in -π..π of the point whose ordinate is `x1` and whose abscissa is `x2`."""
    return _binary("take atan2 of", special.atan2, x1, x2)


def hypot(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The length of the hypotenuse, √(x1² + x2²), without overflow on the way."""
    return _binary("take hypot of", special.hypot, x1, x2)


def logaddexp(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """log(e^x1 + e^x2), without overflow on the way."""
    return _binary("take logaddexp of", special.log_sum_of_exponentials, x1, x2)


def _unary(operation: str, function: Callable[[UOp], UOp], x: ArrayLike) -> Array:
    return Array(in_working_precision(function, *unify_floats(operation, (operand(x),))))


def _binary(operation: str, function: Callable[[UOp, UOp], UOp], x1: ArrayLike, x2: ArrayLike) -> Array:
    return Array(in_working_precision(function, *unify_floats(operation, (operand(x1), operand(x2)))))
