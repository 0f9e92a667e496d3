"""FMOD: the exact remainder of a truncated quotient, with the sign of the dividend, as C99 has it.

One step takes a multiple of the divisor off the dividend, without a rounding error. The quotient of a step has few enough digits for this;
a large quotient takes several steps, for all lanes at once.
"""

from __future__ import annotations

from eqsat.codegen.functions.format import function
from eqsat.codegen.functions.function import Function, FunctionTable
from eqsat.dtype import DType, float32, float64

# Products of `quotient` with both halves of `b` are exact if it has at most 11 digits (float32) or 26 (float64). If it is the nearest such
# number to a / b, the differences are exact, too: they have no digit below those of `a` and of the products.
_WITHOUT = """\
$inline $T without_$T(const $T a, const $T quotient, const $T b) {
$uncontracted
    const $T upper = as_$T(as_$U(b) & ($U)($upper_mask));
    return (a - quotient * upper) - quotient * (b - upper);
}"""

# A sum with `magic` is rounded to a whole number. From `large` on, the multiple nearest to the dividend may overflow.
_FMOD = """\
$inline $T fmod_$T(const $T x, const $T y) {
$uncontracted
    const $T a = as_$T(as_$U(x) & ~($U)($sign_mask)), b = as_$T(as_$U(y) & ~($U)($sign_mask)), ratio = a / b;
    const $T near = without_$T(a, (ratio + $magic) - $magic, b), positive = near < ($T)(0) ? near + b : near;
    $T rest = a < b ? a : positive;
    if (any_lane_$T((ratio >= $limit) | (a >= $large))) {
        const $I finite = (a < ($T)(INFINITY)) & (a >= b) & (b > ($T)(0));
        rest = finite ? fmod_far_$T(a, b, finite) : rest;
    }
    return as_$T(as_$U(rest) | (as_$U(x) & $sign_mask));
}"""

# The power of two below its quotient takes at least half of a large dividend; a difference of two numbers is exact if one is at most twice
# the other. A huge quotient is computed of scaled operands; neither loses a digit: the dividend is large enough, the divisor less than 2.
_FMOD_FAR = """\
// Of the lanes in `finite`. Each step leaves at most a 2^11th (a 2^26th) of the dividend, of either sign.
$inline $T fmod_far_$T(const $T a, const $T b, const $I finite) {
$uncontracted
    $T rest = a, ratio = a / b;
    if (any_lane_$T(finite & (a >= $large))) {
        const $T power = as_$T(as_$U(ratio) & as_$U(($T)(INFINITY)));
        rest = (a >= $large) & (ratio < $huge) ? a - power * b : a;
        ratio = rest / b;
    }
    while (any_lane_$T(finite & ((ratio >= $huge) | (ratio <= -$huge)))) {
        const $T less = rest * $down, more = b * $up;
        const $T stepped = without_$T(less, few_digits_$T(less / more), more) * $back;
        rest = (ratio >= $huge) | (ratio <= -$huge) ? stepped : rest;
        ratio = rest / b;
    }
    while (any_lane_$T(finite & ((ratio >= $limit) | (ratio <= -$limit)))) {
        const $T quotient = few_digits_$T(ratio);
        rest = without_$T(rest, (ratio >= $limit) | (ratio <= -$limit) ? quotient : ($T)(0), b);
        ratio = rest / b;
    }
    rest = without_$T(rest, (ratio + $magic) - $magic, b);
    return rest < ($T)(0) ? rest + b : rest;
}"""

_FEW_DIGITS = """\
// Rounded to $digits digits: whole if it is at least $limit.
$inline $T few_digits_$T(const $T x) {
    const $U unit = ($U)1 << ($mantissa + 1 - $digits);
    return as_$T((as_$U(x) + unit / 2) & ~(unit - 1));
}"""

_NUMBERS: dict[DType, dict[str, float | str]] = {
    float32: {
        "limit": 2.0**10, "digits": "11", "magic": 1.5 * 2.0**23, "large": 2.0**126, "huge": 2.0**127,
        "down": 2.0**-32, "back": 2.0**32, "up": 2.0**120,
    },
    float64: {
        "limit": 2.0**25, "digits": "26", "magic": 1.5 * 2.0**52, "large": 2.0**1022, "huge": 2.0**1023,
        "down": 2.0**-100, "back": 2.0**100, "up": 2.0**1000,
    },
}  # fmt: skip


def _of(text: str, dtype: DType, *needs: str) -> Function:
    return function(text, dtype, needs, **_NUMBERS[dtype])


REMAINDER: FunctionTable = {
    (name, dtype): each
    for dtype in (float32, float64)
    for name, each in {
        "without": _of(_WITHOUT, dtype),
        "few_digits": _of(_FEW_DIGITS, dtype),
        "fmod_far": _of(_FMOD_FAR, dtype, "any_lane", "without", "few_digits"),
        "fmod": _of(_FMOD, dtype, "any_lane", "without", "fmod_far"),
    }.items()
}
