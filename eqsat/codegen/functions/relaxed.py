"""Relaxed forms of EXP, SIN, COS and TAN, which are less accurate than the full forms: at most 3 units in the last place off, and TAN 4.5.

They use one rounded number where the full forms hold a number in two parts, and polynomials of fewer terms. `floats.forms` states their errors.
"""

from __future__ import annotations

from math import pi

from eqsat.codegen.functions.circular import ANGLE_PARTS, COSINE, FAR, SINE, TANGENT
from eqsat.codegen.functions.exponential import exp_near, powers
from eqsat.codegen.functions.format import function, polynomial
from eqsat.codegen.functions.function import FunctionTable
from eqsat.dtype import DType, float32, float64

# (e^r - 1 - r) / r² for |r| <= ln(2)/2, to 1.1e-7 and 3.8e-18 of e^r.
_EXP = {
    float32: (0.49999216786371004, 0.16667123725090277, 0.041892310884133276, 0.008312294625312328),
    float64: (
        0.5000000000000011, 0.166666666666664, 0.04166666666652479, 0.00833333333350088, 0.001388888894524222, 0.0001984126949661755,
        2.480149125456296e-05, 2.7557591659306532e-06, 2.763096004571117e-07, 2.4999544319018174e-08,
    ),
}  # fmt: skip

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
    return {
        ("exp_near_relaxed", dtype): exp_near("exp_near_relaxed", _EXP[dtype], dtype),
        **powers("exp", "_relaxed", "exp_near_relaxed", dtype),
        **_angles(dtype),
    }


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
