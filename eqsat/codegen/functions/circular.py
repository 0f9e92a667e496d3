"""SIN, COS and TAN of any angle, in radians.

An angle is reduced to a whole number of quarter turns and a rest between -π/4 and π/4. The rest is held in two parts, since near
the multiples of π/2 all leading bits cancel. Angles up to some 50,000 (float64: 3 million) are reduced by exact
subtractions (W. J. Cody and W. Waite, 1980). Larger ones are reduced in whole numbers, with as many bits of 2/π as the exponent
requires (M. H. Payne and R. N. Hanek, SIGNUM Newsletter 18, 1983), one lane after the other.

Polynomials are minimax in the square of the rest, for ±0.7857; the error noted with each is relative to the function, before rounding.
"""

from __future__ import annotations

from math import pi

from eqsat.codegen.functions.format import ANY_LANE, function, polynomial
from eqsat.codegen.functions.function import Function, FunctionTable
from eqsat.dtype import DType, float32, float64

# π/2 in parts of 9 bits (float32) and 32 bits (float64), the largest first. A count of turns has up to 15 and 21 bits, so its products with all
# parts but the last are exact.
ANGLE_PARTS = {
    float32: ("0x1.92p+0f", "0x1.fbp-12f", "0x1.51p-22f", "0x1.0bp-34f", "0x1.184698p-44f"),
    float64: ("0x1.921fb544p+0", "0x1.0b4611a6p-34", "0x1.3198a2ep-69", "0x1.b839a252049c1p-104"),
}
# Bits of the largest angle that is reduced with these parts: 51,456 and 3,293,184.
FAR = {float32: "0x47490000", float64: "0x4149200000000000l"}
# 1.5·2^23 and 1.5·2^52: in a sum with it, the low bits are a whole number.
_SHIFT = {float32: 12582912.0, float64: 6755399441055744.0}
# (sin(r) - r)/r³ and (cos(r) - 1 + r²/2)/r⁴ in r²: 4e-9 and 1.1e-10, 9.2e-20 and 4.8e-20.
SINE = {
    float32: (-1.6666655e-1, 8.332188e-3, -1.9518095e-4),
    float64: (
        -1.6666666666666666e-1, 8.333333333333042e-3, -1.9841269840962467e-4, 2.7557319073979106e-06, -2.505207092118835e-08,
        1.6054311271632524e-10, -7.389445171759536e-13,
    ),
}  # fmt: skip
COSINE = {
    float32: (4.1666646e-2, -1.3887301e-3, 2.443067e-5),
    float64: (
        4.16666666666666e-2, -1.3888888888874457e-3, 2.480158728965288e-05, -2.755731439388111e-07, 2.0875728113629645e-09,
        -1.1359865185436448e-11,
    ),
}  # fmt: skip
# (tan(r) - r)/r³ in r²: 1.3e-9 and 1.3e-17.
TANGENT = {
    float32: (0.3333335, 0.13332674, 0.054059178, 0.021284513, 0.010832463, 9.126479e-05, 4.3763868e-3),
    float64: (
        0.3333333333333277, 0.13333333333415526, 0.05396825392623545, 0.02186948961941532, 8.863219016739083e-3, 3.5922904177817863e-3,
        1.4547497797117073e-3, 5.950994205157429e-4, 2.222769159410833e-4, 1.367387175545784e-4, -2.6688228493923153e-05,
        8.973130490637697e-05, -4.502784992300281e-05, 2.089980299803391e-05,
    ),
}  # fmt: skip

# `rest` collects the rounding errors of the subtractions of the last three parts.
_REDUCE_NEAR_TEXT = """\
// x = turns·π/2 + angle + rest, up to the limit: the lowest bits of the result count quarter turns.
$inline $I reduce_angle_moderate_$T(const $T x, $T *angle, $T *rest) {
$contracted
    const $T shifted = x * $turns_per_radian + $shift;
    const $T turns = shifted - $shift;
    const $T first = $leading;
    const $T second = turns * $second, third = turns * $third;
    const $T middle = first - second, last = middle - third;
    *rest = ((first - middle) - second) + (((middle - last) - third) - turns * $fourth);
    *angle = last;
    return as_$I(shifted);
}"""
# Lanes beyond the limit are reduced one after the other in a separate function, so that compilers inline the rest into the loops of kernels.
_REDUCE_FAR_TEXT = """\
// The same for lanes of x beyond the limit.
$inline void reduce_far_$T(const $T *x, $I *quarters, $T *angle, $T *rest) {
    for (int lane = 0; lane < $lanes; lane++) {
        const $S each = ((const $S *)x)[lane];
        if (as_$i(fabs(each)) > $far)
            (($i *)quarters)[lane] = reduce_large_angle_$S(each, ($S *)angle + lane, ($S *)rest + lane);
    }
}"""
_REDUCE_TEXT = """\
// x = turns·π/2 + angle + rest: the lowest bits of the result count quarter turns.
$inline $I reduce_angle_$T(const $T x, $T *angle, $T *rest) {
    $I quarters = reduce_angle_moderate_$T(x, angle, rest);
    const $I far = ($far - as_$I(as_$U(x) & ~($U)($sign_mask))) >> ($bits - 1);
    if (any_lane_$T(far)) {
        const $T all = x;
        $T high = *angle, low = *rest;
        $I turned = quarters;
        reduce_far_$T(&all, &turned, &high, &low);
        *angle = high;
        *rest = low;
        quarters = turned;
    }
    return quarters;
}"""
# float32 and float64 have a text each: one works in words of 32 bits, the other in words of 64 bits, whose products take two words.
_REDUCE_LARGE_FLOAT = """\
$table uint two_over_pi_$T[] = {0,
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561};

// As reduce_angle of a large x: of mantissa·2/π·2^exponent, the bits that count 4 turns and more are left out.
$inline int reduce_large_angle_$T(const $T x, $T *angle, $T *rest) {
$uncontracted
    const int bits = as_int(x) & 0x7fffffff, position = (bits >> 23) - 120, shift = position & 31;
    const ulong mantissa = (bits & 0x7fffff) | 0x800000;
    ${in_table}const uint *words = two_over_pi_$T + (position >> 5);
    const uint first = (((ulong)words[0] << 32) | words[1]) >> (32 - shift);
    const uint second = (((ulong)words[1] << 32) | words[2]) >> (32 - shift);
    const uint third = (((ulong)words[2] << 32) | words[3]) >> (32 - shift);
    const ulong turned = ((mantissa * first) << 32) + mantissa * second + ((mantissa * third) >> 32);
    const int turns = (int)((turned + (1ul << 61)) >> 62);
    const long radians = mul_hi((long)(turned << 2), 0x6487ed5110b4611al);  // π/2·2^62
    const float high = convert_float(radians), sign = x < 0.0f ? -0x1p-62f : 0x1p-62f;
    *angle = bits < 0x7f800000 ? high * sign : NAN;
    *rest = convert_float(radians - convert_long(high)) * sign;
    return x < 0.0f ? -turns : turns;
}"""
_REDUCE_LARGE_DOUBLE = """\
$table ulong two_over_pi_$T[] = {0,
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c,
    0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08,
    0x56033046fc7b6bab};

// As reduce_angle of a large x: of mantissa·2/π·2^exponent, the bits that count 4 turns and more are left out.
$inline long reduce_large_angle_$T(const $T x, $T *angle, $T *rest) {
$uncontracted
    const long bits = as_long(x) & 0x7fffffffffffffff;
    const int position = (int)(bits >> 52) - 1013, shift = position & 63;
    const ulong mantissa = (bits & 0xfffffffffffffl) | 0x10000000000000l;
    ${in_table}const ulong *words = two_over_pi_$T + (position >> 6);
    const ulong first = (words[0] << shift) | ((words[1] >> 1) >> (63 - shift));
    const ulong second = (words[1] << shift) | ((words[2] >> 1) >> (63 - shift));
    const ulong third = (words[2] << shift) | ((words[3] >> 1) >> (63 - shift));
    const ulong below = mantissa * second + mul_hi(mantissa, third);
    const ulong above = mantissa * first + mul_hi(mantissa, second) + (below < mantissa * second ? 1 : 0);
    const long turns = (long)((above + (1ul << 61)) >> 62);
    // The part of a turn in 128 bits, as sign and magnitude; times π/2·2^62.
    const ulong part = (above << 2) | (below >> 62), negative = (ulong)((long)part >> 63);
    const ulong low = ((below << 2) ^ negative) - negative;
    const ulong high = (part ^ negative) + (negative && !low ? 1 : 0);
    const ulong product = high * 0x6487ed5110b4611aul, product_low = product + mul_hi(high, 0x62633145c06e0e68ul);
    const ulong radians_low = product_low + mul_hi(low, 0x6487ed5110b4611aul);
    const ulong radians = mul_hi(high, 0x6487ed5110b4611aul) + (product_low < product ? 1 : 0) + (radians_low < product_low ? 1 : 0);
    const double rounded = convert_double(radians);
    const double remainder = convert_double((long)(radians - convert_ulong(rounded))) + convert_double(radians_low) * 0x1p-64;
    const double whole = rounded + remainder, sign = (x < 0.0) != (negative != 0) ? -0x1p-62 : 0x1p-62;
    *angle = bits < 0x7ff0000000000000l ? whole * sign : NAN;
    *rest = ((rounded - whole) + remainder) * sign;
    return x < 0.0 ? -turns : turns;
}"""
_TURN_TEXT = """\
// The sine of so many quarter turns and angle + rest.
$inline $T turn_$T(const $I quarters, const $T angle, const $T rest) {
$contracted
    const $T square = angle * angle, half_square = 0.5$f * square;
    $sine_polynomial
    const $T sine = angle + (angle * square * s + (rest - half_square * rest));
    $cosine_polynomial
    const $T leading = 1.0$f - half_square;
    const $T left = (1.0$f - leading) - half_square;
    const $T cosine = leading + (square * square * c + (left - angle * rest));
    const $T result = (quarters & 1) != 0 ? cosine : sine;
    return as_$T(as_$U(result) ^ ((as_$U(quarters) & 2) << ($bits - 2)));
}"""
_SIN_TEXT = """\
$inline $T sin${form}_$T(const $T x) {
$uncontracted
    $T angle, rest;
    const $I quarters = reduce_angle${form}_$T(x, &angle, &rest);
    const $T result = turn_$T(quarters, angle, rest);
    return x == 0.0$f ? x : result;
}"""
_COS_TEXT = """\
$inline $T cos${form}_$T(const $T x) {
$uncontracted
    $T angle, rest;
    const $I quarters = reduce_angle${form}_$T(x, &angle, &rest);
    return turn_$T(quarters + 1, angle, rest);
}"""
_TAN_TEXT = """\
$inline $T tan${form}_$T(const $T x) {
$contracted
    $T angle, rest;
    const $I quarters = reduce_angle${form}_$T(x, &angle, &rest);
    const $T square = angle * angle;
    $polynomial
    p = angle * square * p;
    const $T slope = (angle + p) * (angle + p) + 1.0$f;
    const $T excess = rest * slope + p, tangent = angle + excess, left = (angle - tangent) + excess;
    const $T inverse = -1.0$f / tangent;
    const $T result = (quarters & 1) != 0 ? inverse * (inverse * left) + inverse : tangent;
    return x == 0.0$f ? x : result;
}"""
_REDUCE_SMALL_TEXT = """\
// The same up to π/4, where nothing is to be reduced.
$inline $I reduce_angle_small_$T(const $T x, $T *angle, $T *rest) {
    *angle = x;
    *rest = ($T)(0.0$f);
    return ($I)(0);
}"""


def _functions(dtype: DType) -> FunctionTable:
    *first, second, third, fourth = ANGLE_PARTS[dtype]
    leading = " - ".join(["x", *(f"turns * {part}" for part in first)])
    sine, cosine = (
        polynomial("s", "square", SINE[dtype], dtype),
        polynomial("c", "square", COSINE[dtype], dtype),
    )
    tangent = polynomial("p", "square", TANGENT[dtype], dtype)
    return {
        **{
            key: value
            for form in ("", "_moderate", "_small")
            for key, value in {
                (f"sin{form}", dtype): function(_SIN_TEXT, dtype, (f"reduce_angle{form}", "turn"), form=form),
                (f"cos{form}", dtype): function(_COS_TEXT, dtype, (f"reduce_angle{form}", "turn"), form=form),
                (f"tan{form}", dtype): function(
                    _TAN_TEXT, dtype, (f"reduce_angle{form}",), polynomial=tangent, form=form
                ),
            }.items()
        },
        ("turn", dtype): function(_TURN_TEXT, dtype, sine_polynomial=sine, cosine_polynomial=cosine),
        ("reduce_angle", dtype): function(
            _REDUCE_TEXT, dtype, ("reduce_angle_moderate", "any_lane", "reduce_far"), far=FAR[dtype]
        ),
        ("reduce_far", dtype): function(_REDUCE_FAR_TEXT, dtype, (), ("reduce_large_angle",), far=FAR[dtype]),
        ("any_lane", dtype): Function(ANY_LANE),
        ("reduce_angle_small", dtype): function(_REDUCE_SMALL_TEXT, dtype),
        ("reduce_angle_moderate", dtype): function(
            _REDUCE_NEAR_TEXT, dtype, shift=_SHIFT[dtype],
            turns_per_radian=2 / pi, leading=leading, second=second, third=third, fourth=fourth,
        ),
        ("reduce_large_angle", dtype): Function(_REDUCE_LARGE_FLOAT if dtype == float32 else _REDUCE_LARGE_DOUBLE),
    }  # fmt: skip


CIRCULAR: FunctionTable = _functions(float32) | _functions(float64)
