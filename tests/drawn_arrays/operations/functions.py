"""Elementary functions: a result may be 2 units in the last place off."""

from __future__ import annotations

from tests.drawn_arrays.operations.forms import binary, call, unary
from tests.drawn_arrays.operations.step import Operation
from tests.drawn_arrays.oracle import Accuracy

TWO_ULPS = Accuracy(ulps=2.0)
OF_ONE = (
    *("exp", "exp2", "expm1", "log", "log2", "log10", "log1p"),
    *("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
    *("erf", "erfc", "sigmoid", "silu", "gelu"),
)

FUNCTIONS = (
    *(Operation(name, unary(name), TWO_ULPS) for name in OF_ONE),
    *(Operation(name, binary(name), TWO_ULPS) for name in ("atan2", "hypot", "logaddexp")),
    Operation("pow", binary("pow", "f"), TWO_ULPS),
    Operation("**", call("{} ** {exponent}", "f"), TWO_ULPS),
)
