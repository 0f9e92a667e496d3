"""LOG, LOG2, LOG10, LOG1P.

Each writes x as 2^k·(1 + f) with 1 + f between √½ and √2. log(1 + f) is f, which is exact, plus a small tail. Sums of a larger and a smaller
number carry their rounding errors along, so that only the last addition rounds visibly.
"""

from __future__ import annotations

from eqsat.codegen.functions.format import function, polynomial
from eqsat.codegen.functions.function import Function, FunctionTable
from eqsat.dtype import DType, float32, float64

# ln 2 and log10 2 in two parts; the first has so few digits (16 and 40) that its product with k is exact.
_LN2 = {float32: (0.69314575, 1.4286068e-6), float64: (0.6931471805592082, 7.371002565167799e-13)}
_LG2 = {float32: (0.3010254, 4.605039e-6), float64: (0.30102999566361177, 3.694239077158931e-13)}
# log10 e and log2 e in two parts, the first of 12 and 26 digits.
_LGE = {float32: (0.4342041, 9.038034e-5), float64: (0.4342944771051407, 4.798111141615973e-09)}
_LOG2E = {float32: (1.4423828, 0.0003122284), float64: (1.4426950216293335, 1.9259629911266175e-08)}
# (log(1 + f) - f + f²/2) / f³ on √½ <= 1 + f <= √2 (Remez), to 5.9e-9 of log(1 + f).
_LOG = (0.3333333, -0.25000823, 0.2000126, -0.1662335, 0.14201105, -0.13159558, 0.12765403, -0.07640646)
# (log(1 + f)/s - 2) / s² in s², where s = f/(2 + f), on the same interval (Remez), to 1.3e-18 of log(1 + f).
_LOG_DOUBLE = (
    0.6666666666666734, 0.39999999999416647, 0.28571428742127986, 0.2222219858286234, 0.1818356457698435, 0.1531402876705207,
    0.14796282748633802,
)  # fmt: skip

_SPLIT_NORMAL_TEXT = """\
// f and k of x = 2^k·(1 + f), where x is a normal number.
$inline $T log_split_normal_$T(const $T x, $T *k) {
    const $U bits = as_$U(x) + (($U)($bias + 1) << $mantissa) - $root;
    *k = as_$T((bits >> $mantissa) | $whole_bits) - ($T)($whole);
    return as_$T((bits & $mantissa_mask) + $root) - 1.0$f;
}"""
_SPLIT_TEXT = """\
// f and k of x = 2^k·(1 + f), for x > 0.
$inline $T log_split_$T(const $T x, $T *k) {
    const $T normal = x < $least_normal ? x * $lift : x;
    const $U bits = as_$U(normal) + (($U)($bias + 1) << $mantissa) - $root;
    *k = as_$T((bits >> $mantissa) | $whole_bits) - (x < $least_normal ? ($T)($whole_lifted) : ($T)($whole));
    return as_$T((bits & $mantissa_mask) + $root) - 1.0$f;
}"""
_REST_TEXT = """\
// log(1 + f) is f - half_square + what this returns.
$inline $T log_rest_$T(const $T f, $T *half_square) {
$contracted
    const $T square = f * f;
    *half_square = square * 0.5f;
    $polynomial
    return f * square * p;
}"""
# log(1 + f) = 2·atanh(s) is an odd series in s: it has half as many terms, but needs a division.
_REST_DOUBLE_TEXT = """\
// log(1 + f) is f - half_square + what this returns.
$inline $T log_rest_$T(const $T f, $T *half_square) {
$contracted
    const $T s = f / (f + 2.0), z = s * s;
    *half_square = f * f * 0.5;
    $polynomial
    return s * (p * z + *half_square);
}"""
# k·ln 2 is 0 or larger than the rest: two roundings are visible, the second one at most by half.
_SUM_TEXT = """\
// k·ln 2 + log(1 + f)
$inline $T log_sum_$T(const $T k, const $T f) {
$contracted
    $T half_square;
    const $T rest = log_rest_$T(f, &half_square);
    return k * $high + ((k * $low + (rest - half_square)) + f);
}"""
_LOG_TEXT = """\
$inline $T ${name}_$T(const $T x) {
    $T k;
    const $T f = ${split}_$T(x, &k);
    return ${ends}_$T(x, log_sum_$T(k, f));
}"""
_ENDS_TEXT = """\
// A logarithm of x that is right where x is positive and finite, made right everywhere.
$inline $T log_ends_$T(const $T x, const $T y) {
    const $T positive = x < INFINITY ? y : x;
    const $T other = x < 0.0$f ? ($T)(NAN) : positive;
    return x == 0.0$f ? ($T)(-INFINITY) : other;
}"""
_ENDS_NORMAL_TEXT = """\
// The same where x is a normal number, infinite or NaN.
$inline $T log_ends_normal_$T(const $T x, const $T y) { return x < INFINITY ? y : x; }"""
# log(u + lost) is log(u) + lost/u, to all digits.
_PARTS_TEXT = """\
// log((u + lost)·2^doublings) in two parts, where u + lost rounds to u, a normal number.
$inline $T log_parts_$T(const $T u, const $T lost, const $T doublings, $T *low) {
$contracted
    $T exponent, half_square;
    const $T f = log_split_normal_$T(u, &exponent), k = exponent + doublings;
    const $T rest = k * $low + log_rest_$T(f, &half_square), whole = k * $high, sum = whole + f, small = (f - (sum - whole)) + lost / u;
    *low = (rest - half_square) + small;
    return sum;
}"""
_PAIR_TEXT = """\
// log((u + lost)·2^doublings), where u + lost rounds to u, which is no subnormal number.
$inline $T log_pair_$T(const $T u, const $T lost, const $T doublings) {
    $T low;
    const $T high = log_parts_$T(u, lost, doublings, &low);
    return log_ends_$T(u, low + high);
}"""
_LOG1P_TEXT = """\
$inline $T log1p_$T(const $T x) {
    const $T u = x + 1.0$f, part = u - x;
    const $T y = log_pair_$T(u, (x - (u - part)) + (1.0$f - part), ($T)(0.0$f));
    return as_$T(as_$U(y) | (as_$U(x) & $sign_mask));
}"""
# The logarithm to base e is in two parts. The first has so few digits that its product with the first part of the factor is exact.
_SCALED_TEXT = """\
// k·unit + log(1 + f)·factor; the parts of each constant are $unit_high + $unit_low and $factor_high + $factor_low.
$inline $T ${name}_$T(const $T x) {
$contracted
    $T k, half_square;
    const $T f = ${split}_$T(x, &k), rest = log_rest_$T(f, &half_square);
    const $T high = as_$T(as_$U(f - half_square) & $upper_mask), low = (f - high - half_square) + rest;
    const $T whole = k * $unit_high, part = high * $factor_high, sum = whole + part;
    const $T small = low * $factor_high + ((low + high) * $factor_low + k * $unit_low);
    return ${ends}_$T(x, (small + (part - (sum - whole))) + sum);
}"""


def _table(dtype: DType) -> FunctionTable:
    single = dtype == float32
    coefficients, rest = (_LOG, _REST_TEXT) if single else (_LOG_DOUBLE, _REST_DOUBLE_TEXT)
    # `whole_bits` is the bits of `units`, a number whose last bits are an integer. `whole` is that number plus the bias that makes `bits` positive.
    units = 2.0**23 if single else 2.0**52
    offset = 128.0 if single else 1024.0
    split = {
        "root": "0x3f3504f3u" if single else "0x3fe6a09e667f3bcdul",  # bits of √½
        "whole_bits": "0x4b000000u" if single else "0x4330000000000000ul",
        "whole": units + offset,
        "whole_lifted": units + offset + (23 if single else 52),
    }
    return {
        ("log_split", dtype): function(_SPLIT_TEXT, dtype, **split),
        ("log_rest", dtype): function(
            rest, dtype, polynomial=polynomial("p", "f" if single else "z", coefficients, dtype)
        ),
        ("log_sum", dtype): function(_SUM_TEXT, dtype, ("log_rest",), high=_LN2[dtype][0], low=_LN2[dtype][1]),
        ("log_ends", dtype): function(_ENDS_TEXT, dtype),
        ("log_parts", dtype): function(_PARTS_TEXT, dtype, ("log_split_normal", "log_rest"), high=_LN2[dtype][0], low=_LN2[dtype][1]),
        ("log_pair", dtype): function(_PAIR_TEXT, dtype, ("log_parts", "log_ends")),
        ("log1p", dtype): function(_LOG1P_TEXT, dtype, ("log_pair",)),
        ("log_split_normal", dtype): function(_SPLIT_NORMAL_TEXT, dtype, **split),
        ("log_ends_normal", dtype): function(_ENDS_NORMAL_TEXT, dtype),
        **{key: value for form in ("", "_normal") for key, value in _forms(dtype, form).items()},
    }  # fmt: skip


def _forms(dtype: DType, form: str) -> FunctionTable:
    """LOG, LOG2 and LOG10 of every number, or, in the form `_normal`, of normal numbers, infinity and NaN."""
    split, ends = "log_split_normal" if form else "log_split", f"log_ends{form}"

    def scaled(name: str, unit: tuple[float, float], factor: tuple[float, float]) -> Function:
        return function(
            _SCALED_TEXT, dtype, (split, "log_rest", ends), name=f"{name}{form}", split=split, ends=ends,
            unit_high=unit[0], unit_low=unit[1], factor_high=factor[0], factor_low=factor[1],
        )  # fmt: skip

    return {
        (f"log{form}", dtype): function(
            _LOG_TEXT, dtype, (split, "log_sum", ends), name=f"log{form}", split=split, ends=ends
        ),
        (f"log2{form}", dtype): scaled("log2", (1.0, 0.0), _LOG2E[dtype]),
        (f"log10{form}", dtype): scaled("log10", _LG2[dtype], _LGE[dtype]),
    }


LOGARITHM: FunctionTable = _table(float32) | _table(float64)
