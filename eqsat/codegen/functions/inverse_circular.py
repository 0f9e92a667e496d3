"""ASIN, ACOS, ATAN, ATAN2.

Polynomials are minimax in relative error; the error noted with each is the error of the function, before rounding.
"""

from __future__ import annotations

from math import pi

from eqsat.codegen.functions.format import SIGNED, SIZE, function, polynomial
from eqsat.codegen.functions.function import FunctionTable
from eqsat.dtype import DType, float32, float64

# (atan(t) - t)/t³ in t² up to 1: 2.6e-9 and 1.3e-17.
_ARC_EXCESS = {
    float32: (
        -0.333333, 0.1999853, -0.14264017, 0.109509036, -0.083994344, 0.057884764, -0.031101553, 0.010871755, -1.7836327e-3,
    ),
    float64: (
        -0.33333333333333287, 0.19999999999990448, -0.14285714285036719, 0.11111111086450605, -0.09090908547316347,
        0.07692299712496667, -0.066665837286578, 0.058817161888229615, -0.05259433945250327, 0.04744926663120704,
        -0.04286392415754157, 0.03821009637703354, -0.032785484510344125, 0.026151743561725907, -0.018614283546456802,
        0.011317723739980242, -5.612435729067355e-3, 2.151611489863154e-3, -5.929010894209033e-4, 1.0387350874895461e-4,
        -8.654359941800665e-06,
    ),
}  # fmt: skip
# (asin(t) - t)/t³ in t² up to 1/4: 4.9e-9 and 1.5e-17.
_ARC_SINE_EXCESS = {
    float32: (0.16666752, 0.074953064, 0.045469772, 0.024180774, 0.042166412),
    float64: (
        0.16666666666665403, 0.07500000000338546, 0.044642856826983685, 0.030381959195214806, 0.022371756594866083,
        0.0173597275172445, 0.01388500339990832, 0.012170780215922397, 6.521008120165846e-3, 0.01954780846385849,
        -0.016255634361090704, 0.031934249273007705,
    ),
}  # fmt: skip
# π less its value rounded to float32 and float64; for π/2, it is half of that.
_PI_REST = {float32: -8.74227766e-8, float64: 1.2246467991473532e-16}

_ARC_EXCESS_TEXT = """\
// atan(t) - t, for t from 0 to 1.
$inline $T arc_excess_$T(const $T t) {
$contracted
    const $T square = t * t;
    $polynomial
    return t * square * p;
}"""
_ARC_SINE_EXCESS_TEXT = """\
// (asin(t) - t)/t, of the square of t.
$inline $T arc_sine_excess_$T(const $T square) {
$contracted
    $polynomial
    return square * p;
}"""
_ATAN_TEXT = f"""\
$inline $T atan_$T(const $T x) {{
$contracted
    {SIZE}
    const $T inverse = 1.0$f / size, t = size > 1.0$f ? inverse : size;
    const $T excess = arc_excess_$T(t);
    const $T steep = $quarter - (t + (excess - $quarter_rest));
    const $T y = size > 1.0$f ? steep : t + excess;
    return {SIGNED};
}}"""
_ATAN_SMALL_TEXT = f"""\
$inline $T atan_small_$T(const $T x) {{
$contracted
    {SIZE}
    const $T y = size + arc_excess_$T(size);
    return {SIGNED};
}}"""
_ATAN2_TEXT = """\
// The angle is 0, π/2 or π, and the arc whose tangent is the smaller coordinate by the larger; both infinite is as both equal.
$inline $T atan2_$T(const $T y, const $T x) {
$contracted
    const $T a = as_$T(as_$U(x) & ~($U)($sign_mask)), b = as_$T(as_$U(y) & ~($U)($sign_mask));
    const $T larger = b > a ? b : a, smaller = b > a ? a : b;
    const $T quotient = smaller / larger;
    const $T bounded = larger == smaller ? ($T)(1.0$f) : quotient;
    const $T t = larger == ($T)(0.0$f) ? ($T)(0.0$f) : bounded;
    const $T excess = arc_excess_$T(t);
    const $I left = as_$I(x) < 0, steep = b > a;
    const $T flat = left ? ($T)($half) : ($T)(0.0$f), flat_low = left ? ($T)($half_rest) : ($T)(0.0$f);
    const $T base = steep ? ($T)($quarter) : flat, low = steep ? ($T)($quarter_rest) : flat_low;
    const $T sign = (left != 0) == (steep != 0) ? ($T)(1.0$f) : -($T)(1.0$f);
    const $T result = base + (sign * t + (sign * excess + low));
    return x != x || y != y ? x + y : as_$T(as_$U(result) | (as_$U(y) & $sign_mask));
}"""
# Above 1/2, asin x is π/2 - 2·asin(√((1 - x)/2)), where the number under the root is exact; acos likewise.
_HALVED = f"""\
{SIZE}
    const $T rest = 0.5$f - 0.5$f * size, root = sqrt(rest), square = size < 0.5$f ? size * size : rest;
    const $T excess = arc_sine_excess_$T(square);"""
_ASIN_TEXT = f"""\
$inline $T asin_$T(const $T x) {{
$contracted
    {_HALVED}
    const $T large = $quarter - 2.0$f * (root + (root * excess - 0.5$f * $quarter_rest));
    const $T y = size < 0.5$f ? size * excess + size : large;
    return {SIGNED};
}}"""
_ACOS_TEXT = f"""\
$inline $T acos_$T(const $T x) {{
$contracted
    {_HALVED}
    const $T middle = $quarter - (x + (x * excess - $quarter_rest));
    const $T right = 2.0$f * (root * excess + root);
    const $T left = $half - 2.0$f * (root + (root * excess - 0.5$f * $half_rest));
    const $T outer = x < 0.0$f ? left : right;
    return size < 0.5$f ? middle : outer;
}}"""
_ASIN_SMALL_TEXT = f"""\
$inline $T asin_small_$T(const $T x) {{
$contracted
    {SIZE}
    const $T y = size * arc_sine_excess_$T(size * size) + size;
    return {SIGNED};
}}"""
_ACOS_SMALL_TEXT = """\
$inline $T acos_small_$T(const $T x) {
$contracted
    return $quarter - (x + (x * arc_sine_excess_$T(x * x) - $quarter_rest));
}"""


def _functions(dtype: DType) -> FunctionTable:
    rest = _PI_REST[dtype]
    turns = {"half": pi, "half_rest": rest, "quarter": pi / 2, "quarter_rest": rest / 2}
    arc, arc_sine = (
        polynomial("p", "square", table[dtype], dtype) for table in (_ARC_EXCESS, _ARC_SINE_EXCESS)
    )
    return {
        ("asin", dtype): function(_ASIN_TEXT, dtype, ("arc_sine_excess",), **turns),
        ("acos", dtype): function(_ACOS_TEXT, dtype, ("arc_sine_excess",), **turns),
        ("atan", dtype): function(_ATAN_TEXT, dtype, ("arc_excess",), **turns),
        ("asin_small", dtype): function(_ASIN_SMALL_TEXT, dtype, ("arc_sine_excess",)),
        ("acos_small", dtype): function(_ACOS_SMALL_TEXT, dtype, ("arc_sine_excess",), **turns),
        ("atan_small", dtype): function(_ATAN_SMALL_TEXT, dtype, ("arc_excess",)),
        ("atan2", dtype): function(_ATAN2_TEXT, dtype, ("arc_excess",), **turns),
        ("arc_excess", dtype): function(_ARC_EXCESS_TEXT, dtype, polynomial=arc),
        ("arc_sine_excess", dtype): function(_ARC_SINE_EXCESS_TEXT, dtype, polynomial=arc_sine),
    }


INVERSE_CIRCULAR: FunctionTable = {**_functions(float32), **_functions(float64)}
