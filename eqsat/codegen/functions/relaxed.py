"""Forms of functions that are farther off than the full forms: at most 4 units in the last place, and tangents 4.1.

They compute with the number nearest to what the full forms keep in two parts, and with polynomials of fewer terms.
"""

from __future__ import annotations

from math import pi

from eqsat.codegen.functions.circular import ANGLE_PARTS, COSINE, FAR, SINE, TANGENT
from eqsat.codegen.functions.format import SIZE, function, polynomial
from eqsat.codegen.functions.function import FunctionTable
from eqsat.dtype import DType, float32, float64

_LOG2E = 1.4426950408889634
# ln 2 in two parts; the first has so few digits (16 and 40) that its product with n is exact.
_LN2 = {float32: (0.69314575, 1.4286068e-6), float64: (0.6931471805592082, 7.371002565167799e-13)}
# A sum with it has a whole number n in its low bits, plus twice the bias of exponents.
_SHIFT = {float32: 12582912.0 + 254.0, float64: 6755399441055744.0 + 2046.0}
# (e^r - 1 - r) / r² for |r| <= ln(2)/2, to 1.1e-7 and 3.8e-18 of e^r.
_EXP = {
    float32: (0.49999216786371004, 0.16667123725090277, 0.041892310884133276, 0.008312294625312328),
    float64: (
        0.5000000000000011, 0.166666666666664, 0.04166666666652479, 0.00833333333350088, 0.001388888894524222, 0.0001984126949661755,
        2.480149125456296e-05, 2.7557591659306532e-06, 2.763096004571117e-07, 2.4999544319018174e-08,
    ),
}  # fmt: skip

# The same of float32 to 3.2e-9, where what follows magnifies errors.
_DECAY = {float32: (0.49999993, 0.16666518, 0.041668422, 0.008369064, 0.0013813876), float64: _EXP[float64]}

_EXP_REST_TEXT = """\
// e^x is 2^n·(1 + result), and the low bits of `shifted` are n + 2·$bias.
$inline $T ${name}_$T(const $T x, $T *shifted) {
$contracted
    *shifted = x * $log2e + $shift;
    const $T n = *shifted - $shift, r = (x - n * $high) - n * $low;
    $polynomial
    return p * (r * r) + r;
}"""
# Below the least, results are 0.
_EXP_TEXT = """\
$inline $T exp_${form}relaxed_$T(const $T x) {
    const $T above = x < $least ? ($T)($least) : x;
    $T shifted;
    const $T rest = exp_rest_relaxed_$T($clamped, &shifted);
    return ${of_parts}_$T(x, rest, shifted);
}"""
_EXP_MODERATE_TEXT = """\
$inline $T exp_moderate_relaxed_$T(const $T x) {
$contracted
    $T shifted;
    const $T rest = exp_rest_relaxed_$T(x, &shifted), power = as_$T((as_$U(shifted) - $bias) << $mantissa);
    return rest * power + power;
}"""
# Times `up`, e^-size is a normal number; times `down`, the result is rounded once.
_DECAY_TEXT = """\
// e^-size·$up; beyond $greatest, 0.
$inline $T decay_relaxed_$T(const $T size) {
$contracted
    $T shifted;
    const $T rest = decay_rest_relaxed_$T(size > $greatest ? ($T)(0.0$f) : -size, &shifted);
    const $T power = as_$T((as_$U(shifted) + ($lift - $bias)) << $mantissa);
    return size > $greatest ? ($T)(0.0$f) : rest * power + power;
}"""
_SIGMOID_TEXT = f"""\
// 1 / (1 + e^-x)
$inline $T sigmoid_relaxed_$T(const $T x) {{
$contracted
    {SIZE}
    const $T power = decay_relaxed_$T(size) * $down, inverse = 1.0$f / (power + 1.0$f);
    return x < 0.0$f ? power * inverse : inverse;
}}"""
_SILU_TEXT = f"""\
// x / (1 + e^-x)
$inline $T silu_relaxed_$T(const $T x) {{
$contracted
    {SIZE}
    const $T power = decay_relaxed_$T(size), inverse = 1.0$f / (power * $down + 1.0$f);
    const $T above = x < -$greatest ? ($T)(-$greatest) : x, left = above * power * inverse * $down;
    return x < 0.0$f ? left : x * inverse;
}}"""
_REDUCE_TEXT = """\
// x = turns·π/2 + angle, up to the limit: the lowest bits of the result count quarter turns. All products but the last are exact.
$inline $I reduce_angle_moderate_relaxed_$T(const $T x, $T *angle) {
$contracted
    const $T shifted = x * $turns_per_radian + $shift;
    const $T turns = shifted - $shift;
    *angle = $parts;
    return as_$I(shifted);
}"""
_REDUCE_FAR_TEXT = """\
// x = turns·π/2 + angle: lanes beyond the limit are reduced one after the other.
$inline $I reduce_angle_relaxed_$T(const $T x, $T *angle) {
    const $I far = ($far - as_$I(as_$U(x) & ~($U)($sign_mask))) >> ($bits - 1);
    $I quarters = reduce_angle_moderate_relaxed_$T(far ? ($T)(0.0$f) : x, angle);
    if (any_lane_$T(far)) {
        $T near = *angle, rest, all = x;
        $I turned = quarters, slow = far;
        for (int lane = 0; lane < $lanes; lane++)
            if ((($i *)&slow)[lane])
                (($i *)&turned)[lane] = reduce_large_angle_$S((($S *)&all)[lane], ($S *)&near + lane, ($S *)&rest + lane);
        *angle = near;
        quarters = turned;
    }
    return quarters;
}"""
_TURN_TEXT = """\
// The sine of so many quarter turns and angle.
$inline $T turn_relaxed_$T(const $I quarters, const $T angle) {
$contracted
    const $T square = angle * angle;
    $sine_polynomial
    $cosine_polynomial
    const $T sine = angle * square * s + angle, cosine = square * square * c + (1.0$f - 0.5$f * square);
    const $T result = (quarters & 1) != 0 ? cosine : sine;
    return as_$T(as_$U(result) ^ ((as_$U(quarters) & 2) << ($bits - 2)));
}"""
_SIN_TEXT = """\
$inline $T sin_${form}relaxed_$T(const $T x) {
    $T angle;
    const $I quarters = reduce_angle_${form}relaxed_$T(x, &angle);
    const $T result = turn_relaxed_$T(quarters, angle);
    return x == 0.0$f ? x : result;
}"""
_COS_TEXT = """\
$inline $T cos_${form}relaxed_$T(const $T x) {
    $T angle;
    const $I quarters = reduce_angle_${form}relaxed_$T(x, &angle);
    return turn_relaxed_$T(quarters + 1, angle);
}"""
_TAN_TEXT = """\
$inline $T tan_${form}relaxed_$T(const $T x) {
$contracted
    $T angle;
    const $I quarters = reduce_angle_${form}relaxed_$T(x, &angle);
    const $T square = angle * angle;
    $polynomial
    const $T tangent = angle * square * p + angle;
    const $T result = (quarters & 1) != 0 ? -1.0$f / tangent : tangent;
    return x == 0.0$f ? x : result;
}"""


def _functions(dtype: DType) -> FunctionTable:
    return {**_exponentials(dtype), **_angles(dtype)}


def _exponentials(dtype: DType) -> FunctionTable:
    single = dtype == float32
    least, greatest = (-105.0, "89.0f") if single else (-746.0, "710.0")
    high, low = _LN2[dtype]
    lift = 64 if single else 128
    # From the greatest on, sigmoid and silu of negative numbers are 0.
    far = {"greatest": 110.0 if single else 755.0, "lift": str(lift), "up": 2.0**lift, "down": 2.0**-lift}
    return {
        **{
            (name, dtype): function(
                _EXP_REST_TEXT, dtype, name=name, log2e=_LOG2E, shift=_SHIFT[dtype], high=high, low=low,
                polynomial=polynomial("p", "r", coefficients, dtype),
            )
            for name, coefficients in (("exp_rest_relaxed", _EXP[dtype]), ("decay_rest_relaxed", _DECAY[dtype]))
        },
        **{
            (f"exp_{form}relaxed", dtype): function(
                _EXP_TEXT, dtype, ("exp_rest_relaxed", of_parts), form=form, of_parts=of_parts, least=least, clamped=clamped
            )
            for form, of_parts, clamped in (
                ("", "exp_of_parts", f"above > {greatest} ? ($T)({greatest}) : above"),
                ("below_", "exp_of_parts_below", "above"),
            )
        },
        ("exp_moderate_relaxed", dtype): function(_EXP_MODERATE_TEXT, dtype, ("exp_rest_relaxed",)),
        ("decay_relaxed", dtype): function(_DECAY_TEXT, dtype, ("decay_rest_relaxed",), **far),
        ("sigmoid_relaxed", dtype): function(_SIGMOID_TEXT, dtype, ("decay_relaxed",), **far),
        ("silu_relaxed", dtype): function(_SILU_TEXT, dtype, ("decay_relaxed",), **far),
    }  # fmt: skip


def _angles(dtype: DType) -> FunctionTable:
    parts = " - ".join(["x", *(f"turns * {part}" for part in ANGLE_PARTS[dtype])])
    sine, cosine, tangent = (
        polynomial(name, "square", coefficients[dtype], dtype)
        for name, coefficients in (("s", SINE), ("c", COSINE), ("p", TANGENT))
    )
    table: FunctionTable = {
        ("reduce_angle_moderate_relaxed", dtype): function(
            _REDUCE_TEXT, dtype, parts=parts, turns_per_radian=2 / pi, shift=1.5 * 2.0 ** (23 if dtype == float32 else 52)
        ),
        ("reduce_angle_relaxed", dtype): function(
            _REDUCE_FAR_TEXT, dtype, ("reduce_angle_moderate_relaxed", "any_lane"), ("reduce_large_angle",), far=FAR[dtype]
        ),
        ("turn_relaxed", dtype): function(_TURN_TEXT, dtype, sine_polynomial=sine, cosine_polynomial=cosine),
    }  # fmt: skip
    for form in ("", "moderate_"):
        reduce = f"reduce_angle_{form}relaxed"
        table["sin_" + form + "relaxed", dtype] = function(
            _SIN_TEXT, dtype, (reduce, "turn_relaxed"), form=form
        )
        table["cos_" + form + "relaxed", dtype] = function(
            _COS_TEXT, dtype, (reduce, "turn_relaxed"), form=form
        )
        table["tan_" + form + "relaxed", dtype] = function(
            _TAN_TEXT, dtype, (reduce,), form=form, polynomial=tangent
        )
    return table


RELAXED: FunctionTable = _functions(float32) | _functions(float64)
