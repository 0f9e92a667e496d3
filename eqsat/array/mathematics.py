"""Elementary functions of floats: exponentials, logarithms, trigonometric and hyperbolic functions, erf and sigmoid.

Integers and bools are converted to the float dtype that NumPy chooses for their width (bool and 8 bits: float16,
16 bits: float32, wider: float64).
"""

from __future__ import annotations

from eqsat.array.checking import array_function
from eqsat.array.core import Array, ArrayLike, operand
from eqsat.array.nodes.operands import unify_floats
from eqsat.ops import Op

__all__ = [
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cos",
    "cosh",
    "erf",
    "erfc",
    "exp",
    "exp2",
    "expm1",
    "hypot",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "sigmoid",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
]


@array_function
def sqrt(x: ArrayLike, /) -> Array:
    """The square root of each element; NaN for negative numbers."""
    return _unary("take the square root of", Op.SQRT, x)


@array_function
def exp(x: ArrayLike, /) -> Array:
    """The exponential e^x of each element."""
    return _unary("take exp of", Op.EXP, x)


@array_function
def exp2(x: ArrayLike, /) -> Array:
    """The power 2^x of each element."""
    return _unary("take exp2 of", Op.EXP2, x)


@array_function
def expm1(x: ArrayLike, /) -> Array:
    """The value e^x - 1 for each element, accurate near 0."""
    return _unary("take expm1 of", Op.EXPM1, x)


@array_function
def log(x: ArrayLike, /) -> Array:
    """The natural logarithm of each element."""
    return _unary("take log of", Op.LOG, x)


@array_function
def log2(x: ArrayLike, /) -> Array:
    """The logarithm to base 2 of each element."""
    return _unary("take log2 of", Op.LOG2, x)


@array_function
def log10(x: ArrayLike, /) -> Array:
    """The logarithm to base 10 of each element."""
    return _unary("take log10 of", Op.LOG10, x)


@array_function
def log1p(x: ArrayLike, /) -> Array:
    """The natural logarithm of 1 + x for each element, accurate near 0."""
    return _unary("take log1p of", Op.LOG1P, x)


@array_function
def sin(x: ArrayLike, /) -> Array:
    """The sine of each element, an angle in radians."""
    return _unary("take sin of", Op.SIN, x)


@array_function
def cos(x: ArrayLike, /) -> Array:
    """The cosine of each element, an angle in radians."""
    return _unary("take cos of", Op.COS, x)


@array_function
def tan(x: ArrayLike, /) -> Array:
    """The tangent of each element, an angle in radians."""
    return _unary("take tan of", Op.TAN, x)


@array_function
def asin(x: ArrayLike, /) -> Array:
    """The inverse sine of each element, in radians from -π/2 to π/2; NaN outside -1..1."""
    return _unary("take asin of", Op.ASIN, x)


@array_function
def acos(x: ArrayLike, /) -> Array:
    """The inverse cosine of each element, in radians from 0 to π; NaN outside -1..1."""
    return _unary("take acos of", Op.ACOS, x)


@array_function
def atan(x: ArrayLike, /) -> Array:
    """The inverse tangent of each element, in radians from -π/2 to π/2."""
    return _unary("take atan of", Op.ATAN, x)


@array_function
def sinh(x: ArrayLike, /) -> Array:
    """The hyperbolic sine of each element."""
    return _unary("take sinh of", Op.SINH, x)


@array_function
def cosh(x: ArrayLike, /) -> Array:
    """The hyperbolic cosine of each element."""
    return _unary("take cosh of", Op.COSH, x)


@array_function
def tanh(x: ArrayLike, /) -> Array:
    """The hyperbolic tangent of each element."""
    return _unary("take tanh of", Op.TANH, x)


@array_function
def asinh(x: ArrayLike, /) -> Array:
    """The inverse hyperbolic sine of each element."""
    return _unary("take asinh of", Op.ASINH, x)


@array_function
def acosh(x: ArrayLike, /) -> Array:
    """The inverse hyperbolic cosine of each element, which is not negative; NaN below 1."""
    return _unary("take acosh of", Op.ACOSH, x)


@array_function
def atanh(x: ArrayLike, /) -> Array:
    """The inverse hyperbolic tangent of each element; NaN outside -1..1."""
    return _unary("take atanh of", Op.ATANH, x)


@array_function
def erf(x: ArrayLike, /) -> Array:
    """The error function of each element: 2/√π times the integral of e^(-t²) from 0 to x."""
    return _unary("take erf of", Op.ERF, x)


@array_function
def erfc(x: ArrayLike, /) -> Array:
    """The complementary error function 1 - erf(x) of each element, accurate where erf(x) is near 1."""
    return _unary("take erfc of", Op.ERFC, x)


@array_function
def sigmoid(x: ArrayLike, /) -> Array:
    """The logistic function 1 / (1 + e^-x) of each element."""
    return _unary("take sigmoid of", Op.SIGMOID, x)


@array_function
def atan2(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The angle, in radians from -π to π, of the point with ordinate `x1` and abscissa `x2`."""
    return _binary("take atan2 of", Op.ATAN2, x1, x2)


@array_function
def hypot(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The length of the hypotenuse, √(x1² + x2²), without intermediate overflow."""
    return _binary("take hypot of", Op.HYPOT, x1, x2)


@array_function
def logaddexp(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The logarithm log(e^x1 + e^x2), without intermediate overflow."""
    return _binary("take logaddexp of", Op.LOGADDEXP, x1, x2)


def _unary(operation: str, op: Op, x: ArrayLike) -> Array:
    (value,) = unify_floats(operation, (operand(x),))
    return Array(value.alu(op))


def _binary(operation: str, op: Op, x1: ArrayLike, x2: ArrayLike) -> Array:
    left, right = unify_floats(operation, (operand(x1), operand(x2)))
    return Array(left.alu(op, right))
