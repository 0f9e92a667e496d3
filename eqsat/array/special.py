"""Elementary functions, from the few that the IR has: EXP2, LOG2, SIN, SQRT and arithmetic.

Each takes and returns one UOp of float32 or float64 (`elementary` widens and narrows half precision).
Errors, against a table of higher precision: a few units in the last place, times |x| for those made from
`exp`, and absolute near the zeros of `cos`.

Where no composition is accurate near zero, a polynomial is used there: Taylor coefficients where they are
simple, otherwise minimax ones (Remez's exchange algorithm, E. Ya. Remez 1934, run in 60 digits on the
interval and weight named beside them).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial, inf, log, log2, log10, pi

from eqsat.array.operands import dtype_of
from eqsat.array.rounding import copy_sign, sign_bit
from eqsat.dtype import float32, float64
from eqsat.ops import Op
from eqsat.uop import UOp

# (e^x - 1) / x for |x| < 0.35: the first term left out is below half a unit in the last place.
_EXPM1 = {
    float32: tuple(1.0 / factorial(power + 1) for power in range(7)),
    float64: tuple(1.0 / factorial(power + 1) for power in range(13)),
}
# atan(√u) / √u for 0 <= u < 0.1717, that is up to tan(π/8); relative error 6.1e-10 and 3.4e-17.
_ATAN = {
    float32: (
        0.999999999394446395,
        -0.333333075433223461,
        0.199982123251901331,
        -0.142399953776427758,
        0.105728166922648266,
        -0.0603306210502485899,
    ),
    float64: (
        0.999999999999999967,
        -0.333333333333285862,
        0.199999999988826956,
        -0.142857141829769336,
        0.111111062541577277,
        -0.0909077463471893475,
        0.0768997359592135725,
        -0.0664039420069398127,
        0.0568912133016409348,
        -0.0435011087926139097,
        0.0211586923236045459,
    ),
}
# erf(√u) / √u for 0 <= u <= 1; relative error 1.3e-9 and 7.4e-18.
_ERF = {
    float32: (
        1.12837916572955937,
        -0.376126258374651042,
        0.112835852486056348,
        -0.0268538145820725174,
        0.00518833048259248783,
        -0.000801020269927250679,
        0.0000785384982842940885,
    ),
    float64: (
        1.12837916709551257,
        -0.3761263890318352,
        0.112837916709442003,
        -0.0268661706431134137,
        0.00522397760613084217,
        -0.00085483259297662443,
        0.0001205529358693695,
        -0.0000149247124395348141,
        1.6447132699786621e-6,
        -1.6206318752969209e-7,
        1.37109887041905231e-8,
        -7.77946297176159689e-10,
    ),
}
# erfc(x)·e^(x²) in (x - k) / (x + k) for 1 <= x <= end, as (k, end, coefficients); error of erf itself 9.2e-11 and 7.8e-18.
# The variable is that of J. L. Schonfelder, Mathematics of Computation 32, 1978.
_ERFC = {
    float32: (
        2.0,
        4.0,
        (
            0.255395680596446807,
            -0.427185845249678705,
            0.241656355609270947,
            -0.0789969966645521637,
            0.00369245066396899655,
            0.00716670748641206054,
        ),
    ),
    float64: (
        3.0,
        6.2,
        (
            0.179001151181417449,
            -0.326233560042789081,
            0.245603801707844448,
            -0.150115936555380731,
            0.0716658371877599258,
            -0.02439249750782837,
            0.00426914169490661494,
            0.00070773016431408052,
            -0.000597156462544765824,
            0.0000452239414871268162,
            0.0000645763781699260025,
            -0.0000120101799886675348,
            -8.47294474417272522e-6,
        ),
    ),
}


def sqrt(x: UOp) -> UOp:
    """Square root."""
    return x.alu(Op.SQRT)


def exp2(x: UOp) -> UOp:
    """2 to the power of x."""
    return x.alu(Op.EXP2)


def exp(x: UOp) -> UOp:
    """E to the power of x."""
    return (x * log2(_E)).alu(Op.EXP2)


def expm1(x: UOp) -> UOp:
    """E to the power of x, less 1, accurate near zero."""
    near = absolute(x) < 0.35
    return near.where(x * _polynomial(x, _EXPM1[dtype_of(x)]), exp(x) - 1.0)


def log_base_2(x: UOp) -> UOp:
    """Logarithm to base 2."""
    return x.alu(Op.LOG2)


def natural_log(x: UOp) -> UOp:
    """Natural logarithm."""
    return x.alu(Op.LOG2) * log(2.0)


def log_base_10(x: UOp) -> UOp:
    """Logarithm to base 10."""
    return x.alu(Op.LOG2) * log10(2.0)


def log1p(x: UOp) -> UOp:
    """Natural logarithm of 1 + x, accurate near zero.

    The rounding of 1 + x is undone by a ratio (W. Kahan, HP-15C Advanced Functions Handbook, 1982).
    """
    total = x + 1.0
    step = total - 1.0
    exact = step.eq(0.0) | total.eq(inf)
    return exact.where(x, natural_log(total) * (x / exact.where(1.0, step)))


def log_sum_of_exponentials(x: UOp, y: UOp) -> UOp:
    """log(e^x + e^y) without overflow; equal operands, infinite ones too, give x + log 2."""
    larger, gap = x.maximum(y), absolute(x - y)
    return x.eq(y).where(x + log(2.0), larger + log1p(exp(-gap)))


def sin(x: UOp) -> UOp:
    """Sine."""
    return x.alu(Op.SIN)


def cos(x: UOp) -> UOp:
    """Cosine, as 1 - 2 sin²(x / 2): halving is exact, so large angles stay as accurate as the sine's."""
    half = (x * 0.5).alu(Op.SIN)
    return 1.0 - half * half * 2.0


def tan(x: UOp) -> UOp:
    """Tangent."""
    return sin(x) / cos(x)


def sinh(x: UOp) -> UOp:
    """Hyperbolic sine."""
    size = absolute(x)
    small, half = expm1(size), exp(size * 0.5)
    return copy_sign(
        (size < 1.0).where(
            (small + small / (small + 1.0)) * 0.5, half * 0.5 * half - half.like(0.5) / half / half
        ),
        x,
    )


def cosh(x: UOp) -> UOp:
    """Hyperbolic cosine."""
    half = exp(absolute(x) * 0.5)
    return half * 0.5 * half + half.like(0.5) / half / half


def tanh(x: UOp) -> UOp:
    """Hyperbolic tangent."""
    decay = expm1(absolute(x) * -2.0)
    return copy_sign(-decay / (decay + 2.0), x)


def asinh(x: UOp) -> UOp:
    """Inverse hyperbolic sine."""
    size = absolute(x)
    bounded = size.minimum(1e9)
    square = bounded * bounded
    small = log1p(bounded + square / ((square + 1.0).alu(Op.SQRT) + 1.0))
    return copy_sign((size < 1e9).where(small, natural_log(size) + log(2.0)), x)


def acosh(x: UOp) -> UOp:
    """Inverse hyperbolic cosine; NaN below 1."""
    above = x - 1.0
    bounded = above.minimum(1e9)
    small = log1p(bounded + (bounded * (bounded + 2.0)).alu(Op.SQRT))
    return (x > 1e9).where(natural_log(x) + log(2.0), small)


def atanh(x: UOp) -> UOp:
    """Inverse hyperbolic tangent; infinite at ±1, NaN beyond."""
    size = absolute(x)
    return copy_sign(log1p(size * 2.0 / (1.0 - size)) * 0.5, x)


def asin(x: UOp) -> UOp:
    """Inverse sine; NaN beyond ±1."""
    return copy_sign(_angle(absolute(x), ((1.0 - x) * (x + 1.0)).alu(Op.SQRT)), x)


def acos(x: UOp) -> UOp:
    """Inverse cosine; NaN beyond ±1."""
    return _angle((1.0 - x).alu(Op.SQRT), (x + 1.0).alu(Op.SQRT)) * 2.0


def atan(x: UOp) -> UOp:
    """Inverse tangent."""
    return copy_sign(_angle(absolute(x), x.like(1.0)), x)


def atan2(y: UOp, x: UOp) -> UOp:
    """The angle of the point (x, y) from the positive x axis, in -π..π."""
    height, width = absolute(y), absolute(x)
    diagonal = height.eq(inf) & width.eq(inf)
    angle = _angle(diagonal.where(1.0, height), diagonal.where(1.0, width))
    return copy_sign(sign_bit(x).where(pi - angle, angle), y)


def hypot(x: UOp, y: UOp) -> UOp:
    """√(x² + y²), both divided by the greater; infinite if either is, even beside NaN."""
    longer, shorter = absolute(x).maximum(absolute(y)), absolute(x).minimum(absolute(y))
    ratio = shorter / longer.eq(0.0).where(1.0, longer)
    length = longer * (ratio * ratio + 1.0).alu(Op.SQRT)
    return (absolute(x).eq(inf) | absolute(y).eq(inf)).where(inf, length)


def erf(x: UOp) -> UOp:
    """The error function: a polynomial up to 1, and 1 - erfc beyond."""
    dtype = dtype_of(x)
    size = absolute(x)
    inner = size * _polynomial(size * size, _ERF[dtype])
    centre, end, coefficients = _ERFC[dtype]
    outside = size.minimum(end)
    outer = 1.0 - exp(-(outside * outside)) * _polynomial(
        (outside - centre) / (outside + centre), coefficients
    )
    return copy_sign((size < 1.0).where(inner, outer), x)


def sigmoid(x: UOp) -> UOp:
    """1 / (1 + e^-x)."""
    return (exp(-x) + 1.0).alu(Op.RECIP)


def absolute(x: UOp) -> UOp:
    """Distance from zero; of both zeros, +0.0."""
    return (x > 0.0).where(x, x.like(0.0) - x)


def sign(x: UOp) -> UOp:
    """-1, 0 or 1; NaN stays NaN."""
    return (x > 0.0).where(1.0, (x < 0.0).where(-1.0, x))


_E = 2.718281828459045


def _polynomial(x: UOp, coefficients: Sequence[float]) -> UOp:
    """Horner's scheme, constant coefficient first."""
    result = x.like(coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        result = result * x + coefficient
    return result


def _angle(opposite: UOp, adjacent: UOp) -> UOp:
    """atan(opposite / adjacent) of two that are not negative, in 0..π/2; 0 where both are zero.

    The quotient is brought below tan(π/8) by turning the triangle by an eighth, or a quarter and an eighth,
    of a turn.
    """
    longer, shorter = opposite.maximum(adjacent), opposite.minimum(adjacent)
    turned = shorter > longer * 0.41421356237309503
    numerator = turned.where(shorter - longer, shorter)
    denominator = turned.where(shorter + longer, longer)
    ratio = denominator.eq(0.0).where(0.0, numerator / denominator)
    near = ratio * _polynomial(ratio * ratio, _ATAN[dtype_of(ratio)])
    acute = turned.where(near + pi / 4, near)
    return (opposite > adjacent).where(pi / 2 - acute, acute)
