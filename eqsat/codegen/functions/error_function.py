"""ERF of float32, the tail of ERFC, and GELU, which is x·Φ(x), with all digits in the tail. `error_table` has ERF of float64 and the rest of ERFC.

Where 1 - erf would cancel, the tail is e^(-a²) times a polynomial in (a - k) / (a + k), a variable that J. L. Schonfelder chose
(Mathematics of Computation 32, 1978). The square is held in two parts, and the power of two is multiplied in last.
Polynomials are minimax; the error noted with each is relative and before rounding, in float32 and in float64.
"""

from __future__ import annotations

from eqsat.codegen.functions.format import SIGNED, SIZE, function, polynomial
from eqsat.codegen.functions.function import FunctionTable
from eqsat.dtype import DType, float32, float64

# 1.5·2^23 or 1.5·2^52, plus twice the bias of exponents: in a sum with it, the low bits are a whole number plus twice the bias.
_SHIFT = {float32: 12582912.0 + 254.0, float64: 6755399441055744.0 + 2046.0}
# ln 2 in two parts; the first has so few digits that its product with a power is exact.
_LN2 = {float32: ("0x1.62e4p-1f", "0x1.7f7d1cp-20f"), float64: ("0x1.62e42fefap-1", "0x1.cf79abc9e3b3ap-40")}
# (e^r - 1 - r)/r² on ±log(2)/2: 3.2e-9 and 7e-19 of e^r.
_DECAY = {
    float32: (4.9999994e-1, 1.6666521e-1, 4.166829e-2, 8.368704e-3, 1.3818945e-3),
    float64: (
        0.5, 0.16666666666666682, 0.041666666666666095, 8.333333333317022e-3, 1.3888888889115813e-3, 1.984126989641745e-4,
        2.4801586926434732e-05, 2.7557234827308497e-06, 2.755758190968142e-07, 2.511204920173259e-08, 2.0826635354372986e-09,
    ),
}  # fmt: skip
# erf(x)/x - 1 in x², up to 1: 1.5e-9.
_SMALL = (0.12837917, -0.37612626, 0.11283579, -0.026853347, 5.187162e-3, -7.997853e-4, 7.806904e-05)
# erf x in x - 2.5, from 1 to 3.93: 3.2e-8.
_LARGE = (
    0.9995931, 0.0021782257, -0.005446578, 0.008352176, -0.008616, 0.00610587, -0.0028166375, 0.0005674014, 0.00028502746,
    -0.00027724402, 6.2535735e-05, 2.0608477e-05, -9.231004e-06, 3.9936932e-08,
)  # fmt: skip
# a·e^(a²)·erfc(a) in a/(a + k) - middle, from 0.75 to 10.1 and 27.4: 7.4e-9 and 1.5e-17, or 1.1e-18 before the coefficients were rounded.
_COMPLEMENT = {
    float32: (0.49394083, 0.43815982, -1.2153841, 2.021199, -2.1617703, 1.3061278, -0.085140906, -0.48328578, 0.2621276),
    float64: (
        0.5202076651337699, 0.3056542695439209, -1.0265592990360521, 2.3232498732545523, -3.9876318023004464, 5.337514486591105,
        -5.506339938523891, 4.126121569151112, -1.830041290968991, -0.08687740202878352, 0.72788755715986, -0.32827067965276013,
        -0.17186577082789062, 0.19912945504210045, 0.03150870145951188, -0.10080358715695062, -6.896648475496703e-3, 0.05460116990556096,
        9.524731705338248e-3, -0.05511883455116071, 0.03496144635773622, -7.20378987824228e-3,
    ),
}  # fmt: skip
# (Φ(x) - 1/2)/x in x² below 0.74: 5e-9 and 2e-18. The first number is taken in two parts.
_SMALL_GELU = {
    float32: (0.39894226, 0.0, -0.06648985, 9.969528e-3, -1.1747335e-3, 9.790419e-05),
    float64: (
        0.3989422804014327, -2.49232720227773e-17, -0.0664903800669054, 9.973557010034202e-3, -1.1873282154529268e-3, 1.1543468735578728e-4,
        -9.444654768144536e-06, 6.659639637231051e-07, -4.1214306860219006e-08, 2.2559891108563277e-09, -9.888806243944994e-11,
    ),
}  # fmt: skip
# a·e^(a²/2)·Φ(-a) in a/(a + k) - middle, from 0.74 to 14.5 and 38.7: 1.2e-8 and 1.5e-17.
_GELU = {
    float32: (0.3145714, 0.4515526, -0.9685221, 1.0137541, -0.3692736, -0.2529318, 0.18337755, 0.15265101, -0.13847585),
    float64: (
        0.3462595374875008, 0.318086833150794, -0.8215772654625739, 1.1994045644110196, -1.0098971882188346, 0.30321222585484287,
        0.25614278112706396, -0.2004901254169902, -0.10324774251355041, 0.10299537464908816, 0.07233486471578857, -0.04422002229718782,
        -0.0597008154481345, 4.805670801608107e-3, 0.042968148927999314, 0.019272026950738746, -0.019120388682818536, -0.022099207575251984,
        -0.016277039309453373, 8.899353232757057e-3, 0.08892977975216161, -0.10603801168209871, 0.035934383660187134,
    ),
}  # fmt: skip

# From here on, erfc is 0.
GREATEST = {float32: 10.1, float64: 27.4}

_DECAY_TEXT = """\
// e^-(high + low) = (1 + growth + result)·2^n, for sums up to $greatest of which `low` is a small part: `growth` is exact.
$inline $T decay_$T(const $T high, const $T low, $T *growth, $U *power) {
$contracted
    const $T shifted = (high + low) * -$log2e + $shift;
    const $T turns = shifted - $shift;
    const $T first = -turns * $ln2_high - high;
    const $T second = -turns * $ln2_low - low;
    const $T r = first + second;
    $polynomial
    *power = as_$U(shifted);
    *growth = first;
    return r * r * p + second;
}"""
_SCALE_TEXT = """\
// x·2^n in two steps, of which only the last rounds; the low bits of `power` are n + 2·$bias.
$inline $T scale_$T(const $T x, const $U power) {
$uncontracted
    const $U half_power = (power << ($mantissa - 1)) & ~($U)($mantissa_mask);
    return x * as_$T(half_power) * as_$T((power << $mantissa) - half_power);
}"""
_SMALL_ERF_TEXT = """\
// erf(x)/x - 1, of the square of x.
$inline $T small_erf_$T(const $T square) {
$contracted
    $polynomial
    return p;
}"""
_LARGE_ERF_TEXT = """\
// erf(a) where a is 1 or more.
$inline $T large_erf_$T(const $T a) {
$contracted
    const $T u = a - 2.5$f;
    $polynomial
    return a > 3.92$f ? ($T)(1.0$f) : p;
}"""
# `u` corrects `ratio` for the rounding error of `sum`; `change` includes the rounding error of `level`.
_TAIL = """\
const $T head = as_$T(as_$U(a) & $upper_mask);
    $U power;
    $T growth;
    const $T rest = decay_$T($part head * head, $part (a - head) * (a + head), &growth, &power);
    const $T sum = a + $k, ratio = a / sum;
    const $T u = (ratio - $middle) - ratio * (a - (sum - $k)) * ($inverse - $inverse * ratio);
    $polynomial
    const $T slope = p * u, level = $constant + slope;
    const $T change = level * growth + (level * rest + (($constant - level) + slope));"""
# The remainder of the division is computed from products of halves, which are exact.
_COMPLEMENT_TEXT = f"""\
// erfc(a) where a is 0.75 or more; anything beyond $greatest, where the product of parts that are too small would take 150 cycles.
$inline $T complement_$T(const $T far) {{
$contracted
    const $T a = far > $greatest ? ($T)(1.0$f) : far;
    {_TAIL}
    const $T tail = level + change, inverse = 1.0$f / a, quotient = tail * inverse;
    const $T upper = as_$T(as_$U(quotient) & $upper_mask), lower = quotient - upper;
    const $T left = ((tail - upper * head) - upper * (a - head)) - lower * head - lower * (a - head);
    return scale_$T(quotient + (left + ((level - tail) + change)) * inverse, power);
}}"""
_ERF_TEXT = f"""\
$inline $T erf_$T(const $T x) {{
$contracted
    {SIZE}
    const $T small = x * small_erf_$T(x * x) + x;
    const $T y = large_erf_$T(size), large = {SIGNED};
    return size < 1.0$f ? small : large;
}}"""
_ERF_SMALL_TEXT = """\
$inline $T erf_small_$T(const $T x) {
$contracted
    return x * small_erf_$T(x * x) + x;
}"""
_TAIL_OF_GELU_TEXT = f"""\
// a·Φ(-a) where a is 0.74 or more; 0 beyond $greatest.
$inline $T gelu_tail_$T(const $T far) {{
$contracted
    const $T a = far > $greatest ? ($T)(1.0$f) : far;
    {_TAIL}
    const $T tail = scale_$T(level + change, power);
    return far > $greatest ? ($T)(0.0$f) : tail;
}}"""
_GELU_TEXT = f"""\
// x·Φ(x): of the tail a·Φ(-a), or x less that of positive x.
$inline $T gelu_$T(const $T x) {{
$contracted
    {SIZE}
    const $T square = x * x, half_x = 0.5$f * x;
    $small_polynomial
    const $T small = ((s + $slope_at_zero) * x) * x + half_x, line = x > 0.0$f ? x : ($T)(0.0$f);
    const $T y = size < 0.74$f ? small : line - gelu_tail_$T(size);
    return {SIGNED};
}}"""


def _functions(dtype: DType) -> FunctionTable:
    single = dtype == float32
    decay = polynomial("p", "r", _DECAY[dtype], dtype)
    small_gelu = polynomial("s", "square", _SMALL_GELU[dtype][1:], dtype)
    return {
        ("gelu", dtype): function(
            _GELU_TEXT, dtype, ("gelu_tail",), small_polynomial=small_gelu, slope_at_zero=_SMALL_GELU[dtype][0],
        ),
        ("gelu_tail", dtype): function(
            _TAIL_OF_GELU_TEXT, dtype, ("decay", "scale"), greatest=14.5 if single else 38.7, part="0.5f *" if single else "0.5 *",
            **_tail(_GELU[dtype], dtype, *((3.03125, 0.34375) if single else (3.53515625, 0.390625))),
        ),
        ("complement", dtype): function(
            _COMPLEMENT_TEXT, dtype, ("decay", "scale"), greatest=GREATEST[dtype], part="",
            **_tail(_COMPLEMENT[dtype], dtype, 2.78125 if single else 3.763671875, 0.375),
        ),
        ("decay", dtype): function(
            _DECAY_TEXT, dtype, greatest="110" if single else "760", log2e=1.4426950408889634, shift=_SHIFT[dtype],
            ln2_high=_LN2[dtype][0], ln2_low=_LN2[dtype][1], polynomial=decay,
        ),
        ("scale", dtype): function(_SCALE_TEXT, dtype),
    }  # fmt: skip


def _tail(coefficients: tuple[float, ...], dtype: DType, k: float, middle: float) -> dict[str, float | str]:
    """The values for `_TAIL`, whose polynomial is in a/(a + k) - middle."""
    constant, *others = coefficients
    return {
        "k": k, "middle": middle, "inverse": 1 / k, "constant": constant, "polynomial": polynomial("p", "u", others, dtype),
    }  # fmt: skip


_OF_SINGLE: FunctionTable = {
    ("erf", float32): function(_ERF_TEXT, float32, ("small_erf", "large_erf")),
    ("erf_small", float32): function(_ERF_SMALL_TEXT, float32, ("small_erf",)),
    ("small_erf", float32): function(_SMALL_ERF_TEXT, float32, polynomial=polynomial("p", "square", _SMALL, float32)),
    ("large_erf", float32): function(_LARGE_ERF_TEXT, float32, polynomial=polynomial("p", "u", _LARGE, float32)),
}  # fmt: skip

ERROR_FUNCTION: FunctionTable = _OF_SINGLE | _functions(float32) | _functions(float64)
