"""LOGADDEXP where its terms cancel, in one lane after the other: whole numbers with as many digits as get lost.

Where e^x + e^y is close to 1, its logarithm has no digits but those that cancel: 50 bits at worst in float32, 111 in float64, because e^x + e^y
is never 1 and there are no more pairs. The sum less 1 is 2^-n·(e^-f - T·(1 - t/2! + t²/3! - …)), with t = -x, T = 2^n·t and y = -n·ln 2 - f.
All of it is in fixed point: digits of 32 bits, the whole part first.
"""

from __future__ import annotations

from eqsat.codegen.functions.format import function
from eqsat.codegen.functions.function import FunctionTable
from eqsat.dtype import DType, float32, float64

# Digits that are kept, and terms of the series of e^-1.4 until they are smaller than the last digit.
_PLACES = {float32: "4", float64: "7"}
_TERMS = {float32: "30", float64: "48"}
_SHORT_TERMS = 23

_TO_DIGITS_TEXT = """\
// The digits of size·2^power; what comes after the last is left out.
inline void to_digits_$T(const $T size, const int power, uint *digits) {
    const $U bits = as_$U(size);
    const int field = (int)(bits >> $mantissa);
    const ulong mantissa = (bits & $mantissa_mask) | (field ? ($U)1 << $mantissa : 0);
    int shift = (field ? field : 1) - $bias - $mantissa + power;
    for (int place = 0; place < $places; place++, shift += 32)
        digits[place] = shift <= -64 || shift >= 32 ? 0 : (uint)(shift < 0 ? mantissa >> -shift : mantissa << shift);
}"""
_TIMES_TEXT = """\
// result = x·y
inline void times_$T(const uint *x, const uint *y, uint *result) {
    ulong carry = 0;
    for (int place = $places - 1; place >= 0; place--) {
        ulong low = carry, high = 0;
        for (int other = 0; other <= place; other++) {
            const ulong product = (ulong)x[other] * y[place - other];
            low += product & 0xffffffff;
            high += product >> 32;
        }
        result[place] = (uint)low;
        carry = (low >> 32) + high;
    }
}"""
_LESS_TEXT = """\
// x -= count·y; whether the result is negative, and then less by a power of 2^32.
inline bool less_$T(uint *x, const long count, const uint *y) {
    long carry = 0;
    for (int place = $places - 1; place >= 0; place--) {
        carry += (long)x[place] - count * (long)y[place];
        x[place] = (uint)carry;
        carry >>= 32;
    }
    return carry < 0;
}"""
_SERIES_TEXT = """\
// result = 1 - x/k + x²/(k·(k + 1)) - …
inline void series_$T(const uint *x, const uint k, uint *result) {
    uint product[$places];
    to_digits_$T(1.0$f, 0, result);
    for (uint divisor = $terms; divisor >= k; divisor--) {
        times_$T(x, result, product);
        ulong rest = 0;
        for (int place = 0; place < $places; place++) {
            rest = (rest << 32) | product[place];
            product[place] = (uint)(rest / divisor);
            rest %= divisor;
        }
        to_digits_$T(1.0$f, 0, result);
        less_$T(result, 1, product);
    }
}"""
# The same in 63 bits, which are mostly enough, and 30 times as fast.
_SHORT_SERIES_TEXT = """\
// 1 - x/k + x²/(k·(k + 1)) - …, times 2^63 as x is; k = 1 or 2.
inline ulong short_series_$T(const ulong x, const uint k) {
    ulong sum = 1ul << 63;
    $steps
    return k == 1 ? (1ul << 63) - (mul_hi(x, sum) << 1) : sum;
}

// The first digits, times 2^63.
inline ulong leading_$T(const uint *digits) { return ((ulong)digits[0] << 63) | ((ulong)digits[1] << 31) | (digits[2] >> 1); }"""
_CANCELLED_TEXT = """\
__constant uint ln2_$T[] = {0, 0xb17217f7, 0xd1cf79ab, 0xc9e3b398, 0x03f2f6af, 0x40f34326, 0x7298b62d};

// log(e^x + e^y), for x and y that are negative, where that is less than |x|.
inline $T cancelled_logaddexp_$T(const $T x, const $T y) {
#pragma OPENCL FP_CONTRACT OFF
    uint ln2[$places], t[$places], f[$places], scaled[$places], sum[$places], factor[$places], product[$places];
    const int n = (int)(y * -$log2e - 0.001$f);
    for (int place = 0; place < $places; place++)
        ln2[place] = ln2_$T[place];
    to_digits_$T(-y, 0, f);
    less_$T(f, n, ln2);
    to_digits_$T(-x, 0, t);
    to_digits_$T(-x, n, scaled);
    // Times 2^62; the last two bits may be wrong.
    const ulong second = mul_hi(leading_$T(scaled), short_series_$T(leading_$T(t), 2));
    const long difference = (long)(short_series_$T(leading_$T(f), 1) >> 1) - (long)second;
    if (scaled[0] < 2 && abs(difference) > ($enough))
        return log1p_$T(scale_$T(convert_$T(difference) * $short_unit, ($U)(2 * $bias - n)));
    series_$T(f, 1, sum);
    series_$T(t, 2, factor);
    times_$T(scaled, factor, product);
    const bool negative = less_$T(sum, 1, product);
    if (negative) {
        to_digits_$T(0.0$f, 0, product);
        less_$T(product, 1, sum);
    }
    const uint *size = negative ? product : sum;
    int first = 0;
    while (first < $places - 3 && !size[first])
        first++;
    const int empty = (int)clz(size[first]);
    const ulong leading = ((((ulong)size[first] << 32) | size[first + 1]) << empty) | (((ulong)size[first + 2] << empty) >> 32);
    const $T part = scale_$T(convert_$T(leading) * $unit, ($U)(32 - 32 * first - empty - n + 2 * $bias));
    return log1p_$T(negative ? -part : part);
}"""


def _functions(dtype: DType) -> FunctionTable:
    steps = "\n    ".join(
        f"sum = (1ul << 63) - (mul_hi(x, sum) << 1) / {divisor};" for divisor in range(_SHORT_TERMS, 1, -1)
    )
    size = {"places": _PLACES[dtype], "terms": _TERMS[dtype]}
    return {
        ("cancelled_logaddexp", dtype): function(
            _CANCELLED_TEXT, dtype, ("to_digits", "times", "less", "series", "short_series", "scale", "log1p"), log2e=1.4426950408889634,
            unit=2.0**-64, short_unit=2.0**-62, enough="1ul << 29" if dtype == float32 else "1ul << 57", **size,
        ),
        ("series", dtype): function(_SERIES_TEXT, dtype, ("to_digits", "times", "less"), **size),
        ("short_series", dtype): function(_SHORT_SERIES_TEXT, dtype, steps=steps),
        ("times", dtype): function(_TIMES_TEXT, dtype, **size),
        ("less", dtype): function(_LESS_TEXT, dtype, **size),
        ("to_digits", dtype): function(_TO_DIGITS_TEXT, dtype, **size),
    }  # fmt: skip


CANCELLATION: FunctionTable = _functions(float32) | _functions(float64)
