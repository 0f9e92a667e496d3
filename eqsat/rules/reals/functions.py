"""Elementary functions in terms of each other, over the reals: relaxed forms, which a plan admits with `fast_math`.

The functions themselves err by at most a few units in the last place. A form that is made of other functions loses digits where terms cancel,
and has a smaller range where one of these functions overflows.
"""

from __future__ import annotations

from math import e, log, log2, log10, sqrt

from eqsat.ops import Op
from eqsat.rules.language.pattern import Value, apply
from eqsat.rules.language.rule import FLOATS, Phase, Rewrite, Soundness, Topic, rewrite

functions = Topic("functions")
REAL, EXPLORE = Soundness.REAL, Phase.EXPLORE

ODD = (Op.SIN, Op.TAN, Op.ASIN, Op.ATAN, Op.SINH, Op.TANH, Op.ASINH, Op.ATANH, Op.ERF)
EVEN = (Op.COS, Op.COSH)


@functions.rule(FLOATS, soundness=REAL, over=ODD)
def odd_function_of_negated(op: Op, x: Value) -> Rewrite:
    """{op} of the negative is the negative {op}."""
    return rewrite(apply(op, -x), -apply(op, x))


@functions.rule(FLOATS, soundness=REAL, over=EVEN)
def even_function_of_negated(op: Op, x: Value) -> Rewrite:
    """{op} of the negative is {op} of the value."""
    return rewrite(apply(op, -x), apply(op, x))


# Exponentials and logarithms.


@functions.rule(FLOATS, soundness=REAL, phase=EXPLORE)
def exponential_by_base_two(x: Value) -> Rewrite:
    """A power of e is a power of two with a scaled exponent."""
    return rewrite(apply(Op.EXP, x), apply(Op.EXP2, x * log2(e)))


@functions.rule(FLOATS, soundness=REAL, phase=EXPLORE)
def logarithm_by_base_two(x: Value) -> Rewrite:
    """A natural logarithm is a scaled logarithm to base 2."""
    return rewrite(apply(Op.LOG, x), apply(Op.LOG2, x) * log(2))


@functions.rule(FLOATS, soundness=REAL, phase=EXPLORE)
def decimal_logarithm_by_base_two(x: Value) -> Rewrite:
    """A decimal logarithm is a scaled logarithm to base 2."""
    return rewrite(apply(Op.LOG10, x), apply(Op.LOG2, x) * log10(2))


@functions.rule(FLOATS, soundness=REAL, phase=EXPLORE)
def exponential_less_one(x: Value) -> Rewrite:
    """EXPM1 is the exponential, less 1."""
    return rewrite(apply(Op.EXPM1, x), apply(Op.EXP, x) - 1.0)


@functions.rule(FLOATS, soundness=REAL, phase=EXPLORE)
def logarithm_of_one_more(x: Value) -> Rewrite:
    """LOG1P is the logarithm of the value plus 1."""
    return rewrite(apply(Op.LOG1P, x), apply(Op.LOG, x + 1.0))


@functions.rule(FLOATS, soundness=REAL, phase=EXPLORE)
def logarithm_of_two_exponentials(x: Value, y: Value) -> Rewrite:
    """LOGADDEXP is the logarithm of the sum of two exponentials."""
    return rewrite(apply(Op.LOGADDEXP, x, y), apply(Op.LOG, apply(Op.EXP, x) + apply(Op.EXP, y)))


# Activations.


@functions.rule(FLOATS, soundness=REAL, phase=EXPLORE)
def sigmoid_by_exponential(x: Value) -> Rewrite:
    """SIGMOID is the reciprocal of 1 plus the exponential of the negative."""
    return rewrite(apply(Op.SIGMOID, x), apply(Op.RECIP, apply(Op.EXP, -x) + 1.0), both_ways=True)


@functions.rule(FLOATS, soundness=REAL, phase=EXPLORE)
def silu_by_sigmoid(x: Value) -> Rewrite:
    """SILU is the value times its SIGMOID."""
    return rewrite(apply(Op.SILU, x), x * apply(Op.SIGMOID, x), both_ways=True)


@functions.rule(FLOATS, soundness=REAL, phase=EXPLORE)
def tanh_by_sigmoid(x: Value) -> Rewrite:
    """TANH is the SIGMOID of twice the value, scaled to the range from -1 to 1."""
    return rewrite(apply(Op.TANH, x), apply(Op.SIGMOID, x * 2.0) * 2.0 - 1.0)


@functions.rule(FLOATS, soundness=REAL, phase=EXPLORE)
def gelu_by_error_function(x: Value) -> Rewrite:
    """GELU is half the value times 1 plus an error function."""
    return rewrite(apply(Op.GELU, x), (apply(Op.ERF, x * sqrt(0.5)) + 1.0) * (x * 0.5), both_ways=True)


@functions.rule(FLOATS, soundness=REAL, phase=EXPLORE)
def complementary_error_function(x: Value) -> Rewrite:
    """ERFC is 1 minus the error function."""
    return rewrite(apply(Op.ERFC, x), 1.0 - apply(Op.ERF, x))


# Circles, hyperbolas, lengths.


@functions.rule(FLOATS, soundness=REAL, phase=EXPLORE)
def tangent_by_sine_and_cosine(x: Value) -> Rewrite:
    """A tangent is the sine over the cosine."""
    return rewrite(apply(Op.SIN, x) / apply(Op.COS, x), apply(Op.TAN, x))


@functions.rule(FLOATS, soundness=REAL, phase=EXPLORE)
def hyperbolic_cosine_by_exponentials(x: Value) -> Rewrite:
    """COSH is the mean of an exponential and its reciprocal."""
    return rewrite(apply(Op.COSH, x), (apply(Op.EXP, x) + apply(Op.EXP, -x)) * 0.5)


@functions.rule(FLOATS, soundness=REAL, phase=EXPLORE)
def hyperbolic_sine_by_exponentials(x: Value) -> Rewrite:
    """SINH is half the difference of an exponential and its reciprocal."""
    return rewrite(apply(Op.SINH, x), (apply(Op.EXP, x) - apply(Op.EXP, -x)) * 0.5)


@functions.rule(FLOATS, soundness=REAL, phase=EXPLORE)
def length_by_root(x: Value, y: Value) -> Rewrite:
    """HYPOT is the root of the sum of squares."""
    return rewrite(apply(Op.HYPOT, x, y), apply(Op.SQRT, x * x + y * y))
