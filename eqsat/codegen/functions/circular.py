"""SIN, COS and TAN of any angle, in radians.

An angle is reduced to a whole number of quarter turns and a rest between -π/4 and π/4, which is kept in two values: near
the multiples of π/2 all leading bits cancel. Up to some 50,000 (float64: 3 million) this takes subtractions in which
nothing is lost (W. J. Cody and W. Waite, 1980); beyond, whole numbers and as many bits of 2/π as the exponent asks for
(M. H. Payne and R. N. Hanek, SIGNUM Newsletter 18, 1983), in one lane after the other.

Polynomials are minimax in the square of the rest, for ±0.7857; the error noted with each is relative to the function, before rounding.
"""

from __future__ import annotations

from eqsat.codegen.functions.function import Function, FunctionTable
from eqsat.dtype import float32, float64

_REDUCE_FLOAT = """\
// x = turns·π/2 + angle + rest: the lowest bits of the result count quarter turns. Products are exact: parts of π/2 have 9 bits, turns 15.
inline $I reduce_angle_$T(const $T x, $T *angle, $T *rest) {
#pragma OPENCL FP_CONTRACT OFF
    const $I far = (0x47490000 - (as_$I(x) & 0x7fffffff)) >> 31;
    const $T near = far ? ($T)(0.0f) : x;
    const $T shifted = near * 0x1.45f306p-1f + 12582912.0f;
    const $T turns = shifted - 12582912.0f;
    const $T first = (near - turns * 0x1.92p+0f) - turns * 0x1.fbp-12f;
    const $T third = turns * 0x1.51p-22f, fourth = turns * 0x1.0bp-34f;
    const $T second = first - third;
    const $T last = second - fourth;
    *rest = ((first - second) - third) + (((second - last) - fourth) - turns * 0x1.184698p-44f);
    *angle = last;
    $I quarters = as_$I(shifted);
    if (any(far)) {
        $T high = *angle, low = *rest, all = x;
        $I turned = quarters, slow = far;
        for (int lane = 0; lane < $lanes; lane++)
            if (((int *)&slow)[lane])
                ((int *)&turned)[lane] = reduce_large_angle_$S((($S *)&all)[lane], ($S *)&high + lane, ($S *)&low + lane);
        *angle = high;
        *rest = low;
        quarters = turned;
    }
    return quarters;
}"""

_REDUCE_LARGE_FLOAT = """\
__constant uint two_over_pi_$T[] = {0,
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561};

// As reduce_angle of a large x: of mantissa·2/π·2^exponent, the bits that count 4 turns and more are left out.
inline int reduce_large_angle_$T(const $T x, $T *angle, $T *rest) {
#pragma OPENCL FP_CONTRACT OFF
    const int bits = as_int(x) & 0x7fffffff, position = (bits >> 23) - 120, shift = position & 31;
    const ulong mantissa = (bits & 0x7fffff) | 0x800000;
    __constant const uint *words = two_over_pi_$T + (position >> 5);
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

_REDUCE_DOUBLE = """\
// x = turns·π/2 + angle + rest: the lowest bits of the result count quarter turns. Products are exact: parts of π/2 have 32 bits, turns 21.
inline $I reduce_angle_$T(const $T x, $T *angle, $T *rest) {
#pragma OPENCL FP_CONTRACT OFF
    const $I far = (0x4149200000000000l - (as_$I(x) & 0x7fffffffffffffffl)) >> 63;
    const $T near = far ? ($T)(0.0) : x;
    const $T shifted = near * 0x1.45f306dc9c883p-1 + 6755399441055744.0;
    const $T turns = shifted - 6755399441055744.0;
    const $T first = near - turns * 0x1.921fb544p+0;
    const $T second = turns * 0x1.0b4611a6p-34, third = turns * 0x1.3198a2ep-69;
    const $T middle = first - second;
    const $T last = middle - third;
    *rest = ((first - middle) - second) + (((middle - last) - third) - turns * 0x1.b839a252049c1p-104);
    *angle = last;
    $I quarters = as_$I(shifted);
    if (any(far)) {
        $T high = *angle, low = *rest, all = x;
        $I turned = quarters, slow = far;
        for (int lane = 0; lane < $lanes; lane++)
            if (((long *)&slow)[lane])
                ((long *)&turned)[lane] = reduce_large_angle_$S((($S *)&all)[lane], ($S *)&high + lane, ($S *)&low + lane);
        *angle = high;
        *rest = low;
        quarters = turned;
    }
    return quarters;
}"""

_REDUCE_LARGE_DOUBLE = """\
__constant ulong two_over_pi_$T[] = {0,
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c,
    0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08,
    0x56033046fc7b6bab};

// As reduce_angle of a large x: of mantissa·2/π·2^exponent, the bits that count 4 turns and more are left out.
inline long reduce_large_angle_$T(const $T x, $T *angle, $T *rest) {
#pragma OPENCL FP_CONTRACT OFF
    const long bits = as_long(x) & 0x7fffffffffffffff;
    const int position = (int)(bits >> 52) - 1013, shift = position & 63;
    const ulong mantissa = (bits & 0xfffffffffffffl) | 0x10000000000000l;
    __constant const ulong *words = two_over_pi_$T + (position >> 6);
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

# Relative errors: sine 4e-9, cosine 1.1e-10.
_TURN_FLOAT = """\
// The sine of so many quarter turns and angle + rest.
inline $T turn_$T(const $I quarters, const $T angle, const $T rest) {
#pragma OPENCL FP_CONTRACT ON
    const $T square = angle * angle, half_square = 0.5f * square;
    $T sine = square * -1.9518095e-4f + 8.332188e-3f;
    sine = sine * square - 1.6666655e-1f;
    sine = angle + (angle * square * sine + (rest - half_square * rest));
    $T cosine = square * 2.443067e-5f - 1.3887301e-3f;
    cosine = cosine * square + 4.1666646e-2f;
    const $T leading = 1.0f - half_square;
    const $T left = (1.0f - leading) - half_square;
    cosine = leading + (square * square * cosine + (left - angle * rest));
    const $T result = (quarters & 1) != 0 ? cosine : sine;
    return as_$T(as_$I(result) ^ ((quarters & 2) << 30));
}"""

# Relative errors: sine 9.2e-20, cosine 4.8e-20.
_TURN_DOUBLE = """\
// The sine of so many quarter turns and angle + rest.
inline $T turn_$T(const $I quarters, const $T angle, const $T rest) {
#pragma OPENCL FP_CONTRACT ON
    const $T square = angle * angle, half_square = 0.5 * square;
    $T sine = square * -7.389445171759536e-13 + 1.6054311271632524e-10;
    sine = sine * square - 2.505207092118835e-08;
    sine = sine * square + 2.7557319073979106e-06;
    sine = sine * square - 1.9841269840962467e-4;
    sine = sine * square + 8.333333333333042e-3;
    sine = sine * square - 1.6666666666666666e-1;
    sine = angle + (angle * square * sine + (rest - half_square * rest));
    $T cosine = square * -1.1359865185436448e-11 + 2.0875728113629645e-09;
    cosine = cosine * square - 2.755731439388111e-07;
    cosine = cosine * square + 2.480158728965288e-05;
    cosine = cosine * square - 1.3888888888874457e-3;
    cosine = cosine * square + 4.16666666666666e-2;
    const $T leading = 1.0 - half_square;
    const $T left = (1.0 - leading) - half_square;
    cosine = leading + (square * square * cosine + (left - angle * rest));
    const $T result = (quarters & 1l) != 0 ? cosine : sine;
    return as_$T(as_$I(result) ^ ((quarters & 2l) << 62));
}"""

_SIN = """\
inline $T sin_$T(const $T x) {
#pragma OPENCL FP_CONTRACT OFF
    $T angle, rest;
    const $I quarters = reduce_angle_$T(x, &angle, &rest);
    const $T result = turn_$T(quarters, angle, rest);
    return x == ($T)(0) ? x : result;
}"""
_COS = """\
inline $T cos_$T(const $T x) {
#pragma OPENCL FP_CONTRACT OFF
    $T angle, rest;
    const $I quarters = reduce_angle_$T(x, &angle, &rest);
    return turn_$T(quarters + 1, angle, rest);
}"""

# (tan(r) - r)/r³ in r²: 1.3e-9.
_TAN_FLOAT = """\
inline $T tan_$T(const $T x) {
#pragma OPENCL FP_CONTRACT ON
    $T angle, rest;
    const $I quarters = reduce_angle_$T(x, &angle, &rest);
    const $T square = angle * angle;
    $T p = square * 4.3763868e-3f + 9.126479e-05f;
    p = p * square + 0.010832463f;
    p = p * square + 0.021284513f;
    p = p * square + 0.054059178f;
    p = p * square + 0.13332674f;
    p = p * square + 0.3333335f;
    p = angle * square * p;
    const $T slope = (angle + p) * (angle + p) + 1.0f;
    const $T excess = rest * slope + p, tangent = angle + excess, left = (angle - tangent) + excess;
    const $T inverse = -1.0f / tangent;
    const $T result = (quarters & 1) != 0 ? inverse * (inverse * left) + inverse : tangent;
    return x == ($T)(0) ? x : result;
}"""

# (tan(r) - r)/r³ in r²: 1.3e-17.
_TAN_DOUBLE = """\
inline $T tan_$T(const $T x) {
#pragma OPENCL FP_CONTRACT ON
    $T angle, rest;
    const $I quarters = reduce_angle_$T(x, &angle, &rest);
    const $T square = angle * angle;
    $T p = square * 2.089980299803391e-05 - 4.502784992300281e-05;
    p = p * square + 8.973130490637697e-05;
    p = p * square - 2.6688228493923153e-05;
    p = p * square + 1.367387175545784e-4;
    p = p * square + 2.222769159410833e-4;
    p = p * square + 5.950994205157429e-4;
    p = p * square + 1.4547497797117073e-3;
    p = p * square + 3.5922904177817863e-3;
    p = p * square + 8.863219016739083e-3;
    p = p * square + 0.02186948961941532;
    p = p * square + 0.05396825392623545;
    p = p * square + 0.13333333333415526;
    p = p * square + 0.3333333333333277;
    p = angle * square * p;
    const $T slope = (angle + p) * (angle + p) + 1.0;
    const $T excess = rest * slope + p, tangent = angle + excess, left = (angle - tangent) + excess;
    const $T inverse = -1.0 / tangent;
    const $T result = (quarters & 1) != 0 ? inverse * (inverse * left) + inverse : tangent;
    return x == ($T)(0) ? x : result;
}"""

_CIRCLE = ("reduce_angle", "turn")

CIRCULAR: FunctionTable = {
    ("sin", float32): Function(_SIN, needs=_CIRCLE),
    ("sin", float64): Function(_SIN, needs=_CIRCLE),
    ("cos", float32): Function(_COS, needs=_CIRCLE),
    ("cos", float64): Function(_COS, needs=_CIRCLE),
    ("tan", float32): Function(_TAN_FLOAT, needs=("reduce_angle",)),
    ("tan", float64): Function(_TAN_DOUBLE, needs=("reduce_angle",)),
    ("reduce_angle", float32): Function(_REDUCE_FLOAT, needs_scalar=("reduce_large_angle",)),
    ("reduce_angle", float64): Function(_REDUCE_DOUBLE, needs_scalar=("reduce_large_angle",)),
    ("reduce_large_angle", float32): Function(_REDUCE_LARGE_FLOAT),
    ("reduce_large_angle", float64): Function(_REDUCE_LARGE_DOUBLE),
    ("turn", float32): Function(_TURN_FLOAT),
    ("turn", float64): Function(_TURN_DOUBLE),
}
