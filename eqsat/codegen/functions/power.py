"""POW and HYPOT.

A power is 2^(y·log2 x), with a logarithm in two parts that have about 34 (float32) or 64 (float64) binary digits. Masks cut numbers to the upper
half of their digits, so that products of halves are exact, whether or not they are fused with an addition.
"""

from __future__ import annotations

from eqsat.codegen.functions.format import function, polynomial
from eqsat.codegen.functions.function import FunctionTable
from eqsat.dtype import DType, float32, float64

# (3·atanh(s)/s - 3 - s²) / s⁴ in s², where s = f/(2 + f) and √½ <= 1 + f <= √2 (Remez), to 8.5e-12 and 1.2e-20 of log(1 + f).
_LOG2 = {
    float32: (0.6000023, 0.42820635, 0.35129452),
    float64: (
        0.6000000000000338, 0.4285714285514946, 0.3333333377985814, 0.2727267655363066, 0.23080135839378074, 0.1988523050241444,
        0.19794458509630916,
    ),
}  # fmt: skip
# 2/3·log2 e: the upper half of its digits, the rest of them, and the whole number.
_SCALE = {
    float32: (0.9616699, 0.00012677205, 0.9617967),
    float64: (0.9617966860532761, 7.872699542894897e-09, 0.9617966939259756),
}

# log2(1 + f) = 2/3·log2(e) · s · (3 + s² + r); each factor is split into an upper half and the rest.
_UPPER_HALF_TEXT = "$inline $T upper_half_$T(const $T x) { return as_$T(as_$U(x) & $upper_mask); }"
_LOG2_PAIR_TEXT = """\
// log2 x for x > 0 in two parts: the first has half the digits.
$inline $T log2_pair_$T(const $T x, $T *low) {
$contracted
    $T k;
    const $T f = log_split_$T(x, &k);
    const $T bottom = f + 2.0$f, s = f / bottom, s_high = upper_half_$T(s);
    const $T bottom_high = upper_half_$T(bottom), bottom_low = f - (bottom_high - 2.0$f);
    const $T s_low = ((f - s_high * bottom_high) - s_high * bottom_low) / bottom;
    const $T z = s * s, square = s_high * s_high;
    $polynomial
    const $T r = z * z * p + s_low * (s_high + s);
    const $T t_high = upper_half_$T((square + 3.0$f) + r), t_low = r - ((t_high - 3.0$f) - square);
    const $T u = s_high * t_high, v = s_low * t_high + t_low * s;
    const $T high = upper_half_$T(u + v), rest = v - (high - u);
    const $T scaled = high * $scale_high, scaled_low = high * $scale_low + rest * $scale;
    const $T result = upper_half_$T((scaled + scaled_low) + k);
    *low = scaled_low - ((result - k) - scaled);
    return result;
}"""
# y is clamped to bounds beyond which x^y is 0 or infinite anyway. The bits of y tell whether it is a whole number, and whether that is odd.
_POW_TEXT = """\
// x^y, in special cases as C99 has it (Annex F.9.4.4).
$inline $T pow_$T(const $T x, const $T y) {
$contracted
    const $T size = as_$T(as_$U(x) & ~($U)($sign_mask)), y_size = as_$T(as_$U(y) & ~($U)($sign_mask));
    $T low;
    const $T high = log2_pair_$T(size, &low);
    const $T above = y < -$large ? ($T)(-$large) : y, bounded = above > $large ? ($T)($large) : above;
    const $T y_high = upper_half_$T(bounded), y_low = bounded - y_high;
    const $T product = y_high * high, small = y_low * high + bounded * low;
    const $T power = exp2_pair_$T(product, small);
    const $T limit = (size < 1.0$f) ^ (y < 0.0$f) ? ($T)(0.0$f) : ($T)(INFINITY);
    const $T magnitude = (size == 0.0$f) | (size == INFINITY) ? limit : power;
    const $T shifted = y_size + $units;
    const $T fraction = y_size < $units ? (shifted - $units) - y_size : ($T)(0.0$f);
    const $U units = as_$U(y_size < $units ? shifted : y_size);
    const $U odd = (y_size < $units + $units) & (fraction == 0.0$f) ? units & 1 : ($U)(0);
    const $T signed_power = as_$T(as_$U(magnitude) | ((odd << ($bits - 1)) & as_$U(x)));
    const $T finite = (x < 0.0$f) & (size < INFINITY) & (fraction != 0.0$f) ? ($T)(NAN) : signed_power;
    const $T any = (x != x) | (y != y) ? x + y : finite;
    return (x == 1.0$f) | (y == 0.0$f) ? ($T)(1.0$f) : any;
}"""
# Both operands are scaled by a power of two that the larger one decides, so that no square overflows, and subnormal squares do not matter.
_HYPOT_TEXT = """\
// √(x² + y²)
$inline $T hypot_$T(const $T x, const $T y) {
$contracted
    const $T x_size = as_$T(as_$U(x) & ~($U)($sign_mask)), y_size = as_$T(as_$U(y) & ~($U)($sign_mask));
    const $T larger = x_size < y_size ? y_size : x_size;
    const $T lift = larger < $few ? ($T)($up) : ($T)(1.0$f), scale = larger > $many ? ($T)($down) : lift;
    const $T drop = larger < $few ? ($T)($down) : ($T)(1.0$f), unscale = larger > $many ? ($T)($up) : drop;
    const $T a = x_size * scale, b = y_size * scale;
    const $T root = sqrt(a * a + b * b) * unscale;
    return (x_size == INFINITY) | (y_size == INFINITY) ? ($T)(INFINITY) : root;
}"""


def _table(dtype: DType) -> FunctionTable:
    single = dtype == float32
    high, low, scale = _SCALE[dtype]
    return {
        ("upper_half", dtype): function(_UPPER_HALF_TEXT, dtype),
        ("log2_pair", dtype): function(
            _LOG2_PAIR_TEXT, dtype, ("log_split", "upper_half"), scale_high=high, scale_low=low, scale=scale,
            polynomial=polynomial("p", "z", _LOG2[dtype], dtype),
        ),
        # `large` times the logarithm of the number next to 1 is out of the range of exponents. From `units` on, all numbers are whole.
        ("pow", dtype): function(
            _POW_TEXT, dtype, ("log2_pair", "exp2_pair"), large=2.0**33 if single else 2.0**65,
            units=2.0**23 if single else 2.0**52,
        ),
        ("hypot", dtype): function(
            _HYPOT_TEXT, dtype, few=2.0**-50 if single else 2.0**-450, many=2.0**60 if single else 2.0**500,
            up=2.0**80 if single else 2.0**600, down=2.0**-80 if single else 2.0**-600,
        ),
    }  # fmt: skip


POWER: FunctionTable = _table(float32) | _table(float64)
