"""ASIN, ACOS, ATAN, ATAN2.

Polynomials are minimax, in relative error; the error noted with each is that of the function, before rounding.
"""

from __future__ import annotations

from eqsat.codegen.functions.function import Function, FunctionTable
from eqsat.dtype import float32, float64

# (atan(t) - t)/t³ in t² up to 1: 2.6e-9.
_EXCESS_FLOAT = """\
// atan(t) - t, for t from 0 to 1.
inline $T arc_excess_$T(const $T t) {
#pragma OPENCL FP_CONTRACT ON
    const $T square = t * t;
    $T p = square * -1.7836327e-3f + 0.010871755f;
    p = p * square - 0.031101553f;
    p = p * square + 0.057884764f;
    p = p * square - 0.083994344f;
    p = p * square + 0.109509036f;
    p = p * square - 0.14264017f;
    p = p * square + 0.1999853f;
    p = p * square - 0.333333f;
    return t * square * p;
}"""

# (asin(t) - t)/t³ in t² up to 1/4: 4.9e-9.
_SINE_EXCESS_FLOAT = """\
// (asin(t) - t)/t, of the square of t.
inline $T arc_sine_excess_$T(const $T square) {
#pragma OPENCL FP_CONTRACT ON
    $T p = square * 0.042166412f + 0.024180774f;
    p = p * square + 0.045469772f;
    p = p * square + 0.074953064f;
    p = p * square + 0.16666752f;
    return square * p;
}"""

_ATAN_FLOAT = """\
inline $T atan_$T(const $T x) {
#pragma OPENCL FP_CONTRACT ON
    const $T a = as_$T(as_$I(x) & 0x7fffffff), inverse = 1.0f / a;
    const $T t = a > 1.0f ? inverse : a;
    const $T excess = arc_excess_$T(t);
    const $T steep = 1.57079637f - (t + (excess - -4.37113883e-8f));
    const $T result = a > 1.0f ? steep : t + excess;
    return as_$T(as_$I(result) | (as_$I(x) & (int)0x80000000));
}"""

_ATAN2_FLOAT = """\
// The angle is 0, π/2 or π, and the arc whose tangent is the smaller coordinate by the larger; both infinite is as both equal.
inline $T atan2_$T(const $T y, const $T x) {
#pragma OPENCL FP_CONTRACT ON
    const $T a = as_$T(as_$I(x) & 0x7fffffff), b = as_$T(as_$I(y) & 0x7fffffff);
    const $T larger = b > a ? b : a, smaller = b > a ? a : b;
    const $T quotient = smaller / larger;
    const $T bounded = larger == smaller ? ($T)(1.0f) : quotient;
    const $T t = larger == ($T)(0.0f) ? ($T)(0.0f) : bounded;
    const $T excess = arc_excess_$T(t);
    const $I left = as_$I(x) < 0, steep = b > a;
    const $T flat = left ? ($T)(3.14159274f) : ($T)(0.0f), flat_low = left ? ($T)(-8.74227766e-8f) : ($T)(0.0f);
    const $T base = steep ? ($T)(1.57079637f) : flat, low = steep ? ($T)(-4.37113883e-8f) : flat_low;
    const $T sign = (left != 0) == (steep != 0) ? ($T)(1.0f) : -($T)(1.0f);
    const $T result = base + (sign * t + (sign * excess + low));
    return x != x || y != y ? x + y : as_$T(as_$I(result) | (as_$I(y) & (int)0x80000000));
}"""

_ASIN_FLOAT = """\
// Above 1/2 it is π/2 - 2·asin(√((1 - x)/2)), where nothing is rounded below the root.
inline $T asin_$T(const $T x) {
#pragma OPENCL FP_CONTRACT ON
    const $T a = as_$T(as_$I(x) & 0x7fffffff), rest = 0.5f - 0.5f * a, root = sqrt(rest);
    const $T square = a < 0.5f ? a * a : rest;
    const $T excess = arc_sine_excess_$T(square);
    const $T large = 1.57079637f - 2.0f * (root + (root * excess - 0.5f * -4.37113883e-8f));
    const $T result = a < 0.5f ? a * excess + a : large;
    return as_$T(as_$I(result) | (as_$I(x) & (int)0x80000000));
}"""

_ACOS_FLOAT = """\
// As asin: π/2 - asin(x) between ±1/2, otherwise of √((1 - |x|)/2).
inline $T acos_$T(const $T x) {
#pragma OPENCL FP_CONTRACT ON
    const $T a = as_$T(as_$I(x) & 0x7fffffff), rest = 0.5f - 0.5f * a, root = sqrt(rest);
    const $T square = a < 0.5f ? a * a : rest;
    const $T excess = arc_sine_excess_$T(square);
    const $T middle = 1.57079637f - (x + (x * excess - -4.37113883e-8f));
    const $T right = 2.0f * (root * excess + root);
    const $T left = 3.14159274f - 2.0f * (root + (root * excess - 0.5f * -8.74227766e-8f));
    const $T outer = x < 0.0f ? left : right;
    return a < 0.5f ? middle : outer;
}"""

# (atan(t) - t)/t³ in t² up to 1: 1.3e-17.
_EXCESS_DOUBLE = """\
// atan(t) - t, for t from 0 to 1.
inline $T arc_excess_$T(const $T t) {
#pragma OPENCL FP_CONTRACT ON
    const $T square = t * t;
    $T p = square * -8.654359941800665e-06 + 1.0387350874895461e-4;
    p = p * square - 5.929010894209033e-4;
    p = p * square + 2.151611489863154e-3;
    p = p * square - 5.612435729067355e-3;
    p = p * square + 0.011317723739980242;
    p = p * square - 0.018614283546456802;
    p = p * square + 0.026151743561725907;
    p = p * square - 0.032785484510344125;
    p = p * square + 0.03821009637703354;
    p = p * square - 0.04286392415754157;
    p = p * square + 0.04744926663120704;
    p = p * square - 0.05259433945250327;
    p = p * square + 0.058817161888229615;
    p = p * square - 0.066665837286578;
    p = p * square + 0.07692299712496667;
    p = p * square - 0.09090908547316347;
    p = p * square + 0.11111111086450605;
    p = p * square - 0.14285714285036719;
    p = p * square + 0.19999999999990448;
    p = p * square - 0.33333333333333287;
    return t * square * p;
}"""

# (asin(t) - t)/t³ in t² up to 1/4: 1.5e-17.
_SINE_EXCESS_DOUBLE = """\
// (asin(t) - t)/t, of the square of t.
inline $T arc_sine_excess_$T(const $T square) {
#pragma OPENCL FP_CONTRACT ON
    $T p = square * 0.031934249273007705 - 0.016255634361090704;
    p = p * square + 0.01954780846385849;
    p = p * square + 6.521008120165846e-3;
    p = p * square + 0.012170780215922397;
    p = p * square + 0.01388500339990832;
    p = p * square + 0.0173597275172445;
    p = p * square + 0.022371756594866083;
    p = p * square + 0.030381959195214806;
    p = p * square + 0.044642856826983685;
    p = p * square + 0.07500000000338546;
    p = p * square + 0.16666666666665403;
    return square * p;
}"""

_ATAN_DOUBLE = """\
inline $T atan_$T(const $T x) {
#pragma OPENCL FP_CONTRACT ON
    const $T a = as_$T(as_$I(x) & 0x7fffffffffffffffl), inverse = 1.0 / a;
    const $T t = a > 1.0 ? inverse : a;
    const $T excess = arc_excess_$T(t);
    const $T steep = 1.5707963267948966 - (t + (excess - 6.123233995736766e-17));
    const $T result = a > 1.0 ? steep : t + excess;
    return as_$T(as_$I(result) | (as_$I(x) & (long)0x8000000000000000));
}"""

_ATAN2_DOUBLE = """\
// The angle is 0, π/2 or π, and the arc whose tangent is the smaller coordinate by the larger; both infinite is as both equal.
inline $T atan2_$T(const $T y, const $T x) {
#pragma OPENCL FP_CONTRACT ON
    const $T a = as_$T(as_$I(x) & 0x7fffffffffffffffl), b = as_$T(as_$I(y) & 0x7fffffffffffffffl);
    const $T larger = b > a ? b : a, smaller = b > a ? a : b;
    const $T quotient = smaller / larger;
    const $T bounded = larger == smaller ? ($T)(1.0) : quotient;
    const $T t = larger == ($T)(0.0) ? ($T)(0.0) : bounded;
    const $T excess = arc_excess_$T(t);
    const $I left = as_$I(x) < 0, steep = b > a;
    const $T flat = left ? ($T)(3.141592653589793) : ($T)(0.0), flat_low = left ? ($T)(1.2246467991473532e-16) : ($T)(0.0);
    const $T base = steep ? ($T)(1.5707963267948966) : flat, low = steep ? ($T)(6.123233995736766e-17) : flat_low;
    const $T sign = (left != 0) == (steep != 0) ? ($T)(1.0) : -($T)(1.0);
    const $T result = base + (sign * t + (sign * excess + low));
    return x != x || y != y ? x + y : as_$T(as_$I(result) | (as_$I(y) & (long)0x8000000000000000));
}"""

_ASIN_DOUBLE = """\
// Above 1/2 it is π/2 - 2·asin(√((1 - x)/2)), where nothing is rounded below the root.
inline $T asin_$T(const $T x) {
#pragma OPENCL FP_CONTRACT ON
    const $T a = as_$T(as_$I(x) & 0x7fffffffffffffffl), rest = 0.5 - 0.5 * a, root = sqrt(rest);
    const $T square = a < 0.5 ? a * a : rest;
    const $T excess = arc_sine_excess_$T(square);
    const $T large = 1.5707963267948966 - 2.0 * (root + (root * excess - 0.5 * 6.123233995736766e-17));
    const $T result = a < 0.5 ? a * excess + a : large;
    return as_$T(as_$I(result) | (as_$I(x) & (long)0x8000000000000000));
}"""

_ACOS_DOUBLE = """\
// As asin: π/2 - asin(x) between ±1/2, otherwise of √((1 - |x|)/2).
inline $T acos_$T(const $T x) {
#pragma OPENCL FP_CONTRACT ON
    const $T a = as_$T(as_$I(x) & 0x7fffffffffffffffl), rest = 0.5 - 0.5 * a, root = sqrt(rest);
    const $T square = a < 0.5 ? a * a : rest;
    const $T excess = arc_sine_excess_$T(square);
    const $T middle = 1.5707963267948966 - (x + (x * excess - 6.123233995736766e-17));
    const $T right = 2.0 * (root * excess + root);
    const $T left = 3.141592653589793 - 2.0 * (root + (root * excess - 0.5 * 1.2246467991473532e-16));
    const $T outer = x < 0.0 ? left : right;
    return a < 0.5 ? middle : outer;
}"""

INVERSE_CIRCULAR: FunctionTable = {
    ("asin", float32): Function(_ASIN_FLOAT, needs=("arc_sine_excess",)),
    ("asin", float64): Function(_ASIN_DOUBLE, needs=("arc_sine_excess",)),
    ("acos", float32): Function(_ACOS_FLOAT, needs=("arc_sine_excess",)),
    ("acos", float64): Function(_ACOS_DOUBLE, needs=("arc_sine_excess",)),
    ("atan", float32): Function(_ATAN_FLOAT, needs=("arc_excess",)),
    ("atan", float64): Function(_ATAN_DOUBLE, needs=("arc_excess",)),
    ("atan2", float32): Function(_ATAN2_FLOAT, needs=("arc_excess",)),
    ("atan2", float64): Function(_ATAN2_DOUBLE, needs=("arc_excess",)),
    ("arc_excess", float32): Function(_EXCESS_FLOAT),
    ("arc_excess", float64): Function(_EXCESS_DOUBLE),
    ("arc_sine_excess", float32): Function(_SINE_EXCESS_FLOAT),
    ("arc_sine_excess", float64): Function(_SINE_EXCESS_DOUBLE),
}
