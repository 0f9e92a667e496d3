"""ERF, ERFC and GELU, which is x·Φ(x), with all digits in the tail.

Where 1 - erf would cancel, the tail is e^(-a²) times a polynomial in (a - k) / (a + k), a variable of J. L. Schonfelder
(Mathematics of Computation 32, 1978); the square is kept in two values, and the power of two is multiplied in last.
Polynomials are minimax; the error noted with each is relative and before rounding.
"""

from __future__ import annotations

from eqsat.codegen.functions.function import Function, FunctionTable
from eqsat.dtype import float32, float64

# e^r on ±log(2)/2: 3.2e-9.
_DECAY_FLOAT = """\
// e^-(high + low) = (1 + growth + result)·2^power, for sums up to 110 of which `low` is a small part: `growth` is exact.
inline $T decay_$T(const $T high, const $T low, $T *growth, $I *power) {
#pragma OPENCL FP_CONTRACT ON
    const $T shifted = (high + low) * -1.442695f + 12582912.0f;
    const $T turns = shifted - 12582912.0f;
    const $T first = -turns * 0x1.62e4p-1f - high;
    const $T second = -turns * 0x1.7f7d1cp-20f - low;
    const $T r = first + second;
    $T p = r * 1.3818945e-3f + 8.368704e-3f;
    p = p * r + 4.166829e-2f;
    p = p * r + 1.6666521e-1f;
    p = p * r + 4.9999994e-1f;
    *power = as_$I(shifted) - 0x4b400000;
    *growth = first;
    return r * r * p + second;
}"""

_SCALE_FLOAT = """\
// x·2^power in two steps, of which only the last rounds.
inline $T scale_$T(const $T x, const $I power) {
#pragma OPENCL FP_CONTRACT OFF
    const $I half_power = power >> 1;
    return x * as_$T((half_power + 127) << 23) * as_$T((power - half_power + 127) << 23);
}"""

# x·(1 + P(x²)) below 1: 1.5e-9; above, up to 3.93, a polynomial of x - 2.5: 3.2e-8.
_ERF_FLOAT = """\
inline $T erf_$T(const $T x) {
#pragma OPENCL FP_CONTRACT ON
    const $T a = as_$T(as_$I(x) & 0x7fffffff), square = x * x;
    $T small = square * 7.806904e-05f - 7.997853e-4f;
    small = small * square + 5.187162e-3f;
    small = small * square - 0.026853347f;
    small = small * square + 0.11283579f;
    small = small * square - 0.37612626f;
    small = small * square + 0.12837917f;
    small = x * small + x;
    const $T u = a - 2.5f;
    $T large = u * 3.9936932e-08f - 9.231004e-06f;
    large = large * u + 2.0608477e-05f;
    large = large * u + 6.2535735e-05f;
    large = large * u - 0.00027724402f;
    large = large * u + 0.00028502746f;
    large = large * u + 0.0005674014f;
    large = large * u - 0.0028166375f;
    large = large * u + 0.00610587f;
    large = large * u - 0.008616f;
    large = large * u + 0.008352176f;
    large = large * u - 0.005446578f;
    large = large * u + 0.0021782257f;
    large = large * u + 0.9995931f;
    large = a > 3.92f ? ($T)(1.0f) : large;
    large = as_$T(as_$I(large) | (as_$I(x) & (int)0x80000000));
    return a < 1.0f ? small : large;
}"""

# 1 - x·(1 + P(x²)) below 0.75, as in erf; above, up to 10.1, a·e^(a²)·erfc(a) in a / (a + 2.78125): 7.4e-9.
_ERFC_FLOAT = """\
inline $T erfc_$T(const $T x) {
#pragma OPENCL FP_CONTRACT ON
    const $T absolute = as_$T(as_$I(x) & 0x7fffffff), a = absolute > 10.1f ? ($T)(10.1f) : absolute;
    const $T square = x * x;
    $T small = square * 7.806904e-05f - 7.997853e-4f;
    small = small * square + 5.187162e-3f;
    small = small * square - 0.026853347f;
    small = small * square + 0.11283579f;
    small = small * square - 0.37612626f;
    small = small * square + 0.12837917f;
    small = (1.0f - x) - x * small;
    const $T head = as_$T(as_$I(a) & (int)0xfffff000);
    $I power;
    $T growth;
    const $T rest = decay_$T(head * head, (a - head) * (a + head), &growth, &power);
    const $T sum = a + 2.78125f, ratio = a / sum;
    const $T u = (ratio - 0.375f) - ratio * (a - (sum - 2.78125f)) * (0.35955057f - 0.35955057f * ratio);
    $T slope = u * 0.2621276f - 0.48328578f;
    slope = slope * u - 0.085140906f;
    slope = slope * u + 1.3061278f;
    slope = slope * u - 2.1617703f;
    slope = slope * u + 2.021199f;
    slope = slope * u - 1.2153841f;
    slope = slope * u + 0.43815982f;
    slope = slope * u;
    $T tail = 0.49394083f + slope;
    slope = tail * growth + (tail * rest + slope);
    tail = 0.49394083f + slope;
    slope = (0.49394083f - tail) + slope;
    tail = scale_$T(tail / a + slope / a, power);
    tail = x < 0.0f ? 2.0f - tail : tail;
    return a < 0.75f ? small : tail;
}"""

# (Φ(x) - 1/2)/x in x² below 0.74: 5e-9; above, up to 14.5, a·e^(a²/2)·Φ(-a) in a / (a + 3.03125): 1.2e-8.
_GELU_FLOAT = """\
// x·Φ(x): of the tail a·Φ(-a), or x less that of positive x.
inline $T gelu_$T(const $T x) {
#pragma OPENCL FP_CONTRACT ON
    const $T absolute = as_$T(as_$I(x) & 0x7fffffff), a = absolute > 14.5f ? ($T)(14.5f) : absolute;
    const $T square = x * x, half_x = 0.5f * x;
    $T small = square * 9.790419e-05f - 1.1747335e-3f;
    small = small * square + 9.969528e-3f;
    small = small * square - 0.06648985f;
    small = small * square + 0.39894226f;
    small = small * x;
    small = small * x + half_x;
    const $T head = as_$T(as_$I(a) & (int)0xfffff000);
    $I power;
    $T growth;
    const $T rest = decay_$T(0.5f * head * head, 0.5f * (a - head) * (a + head), &growth, &power);
    const $T sum = a + 3.03125f, ratio = a / sum;
    const $T u = (ratio - 0.34375f) - ratio * (a - (sum - 3.03125f)) * (0.3298969f - 0.3298969f * ratio);
    $T slope = u * -0.13847585f + 0.15265101f;
    slope = slope * u + 0.18337755f;
    slope = slope * u - 0.2529318f;
    slope = slope * u - 0.3692736f;
    slope = slope * u + 1.0137541f;
    slope = slope * u - 0.9685221f;
    slope = slope * u + 0.4515526f;
    slope = slope * u;
    $T tail = 0.3145714f + slope;
    tail = 0.3145714f + (tail * growth + (tail * rest + slope));
    tail = scale_$T(tail, power);
    tail = x < 0.0f ? -tail : x - tail;
    const $T result = a < 0.74f ? small : tail;
    return as_$T(as_$I(result) | (as_$I(x) & (int)0x80000000));
}"""

# e^r on ±log(2)/2: 7e-19.
_DECAY_DOUBLE = """\
// e^-(high + low) = (1 + growth + result)·2^power, for sums up to 760 of which `low` is a small part: `growth` is exact.
inline $T decay_$T(const $T high, const $T low, $T *growth, $I *power) {
#pragma OPENCL FP_CONTRACT ON
    const $T shifted = (high + low) * -1.4426950408889634 + 6755399441055744.0;
    const $T turns = shifted - 6755399441055744.0;
    const $T first = -turns * 0x1.62e42fefap-1 - high;
    const $T second = -turns * 0x1.cf79abc9e3b3ap-40 - low;
    const $T r = first + second;
    $T p = r * 2.0826635354372986e-09 + 2.511204920173259e-08;
    p = p * r + 2.755758190968142e-07;
    p = p * r + 2.7557234827308497e-06;
    p = p * r + 2.4801586926434732e-05;
    p = p * r + 1.984126989641745e-4;
    p = p * r + 1.3888888889115813e-3;
    p = p * r + 8.333333333317022e-3;
    p = p * r + 0.041666666666666095;
    p = p * r + 0.16666666666666682;
    p = p * r + 0.5;
    *power = as_$I(shifted) - 0x4338000000000000l;
    *growth = first;
    return r * r * p + second;
}"""

_SCALE_DOUBLE = """\
// x·2^power in two steps, of which only the last rounds.
inline $T scale_$T(const $T x, const $I power) {
#pragma OPENCL FP_CONTRACT OFF
    const $I half_power = power >> 1;
    return x * as_$T((half_power + 1023) << 52) * as_$T((power - half_power + 1023) << 52);
}"""

# (erf(x)/x - 1) in x², up to 1: 1.1e-17.
_SMALL_ERF_DOUBLE = """\
inline $T small_erf_$T(const $T square) {
#pragma OPENCL FP_CONTRACT ON
    $T p = square * 5.945281726562794e-11 - 1.136567851469366e-09;
    p = p * square + 1.4657883312802879e-08;
    p = p * square - 1.6350025777412417e-07;
    p = p * square + 1.6460972873660032e-06;
    p = p * square - 1.4925593510738391e-05;
    p = p * square + 1.2055331037075409e-4;
    p = p * square - 8.548326978747529e-4;
    p = p * square + 5.2239776247809695e-3;
    p = p * square - 0.026866170645072907;
    p = p * square + 0.11283791670954857;
    p = p * square - 0.3761263890318375;
    p = p * square + 0.1283791670955126;
    return p;
}"""

# a·e^(a²)·erfc(a) in a / (a + 3.763671875), from 0.75 to 27.4: 1.5e-17, or 1.1e-18 before the coefficients were rounded.
_COMPLEMENT_DOUBLE = """\
// erfc(a) where a is 0.75 or more.
inline $T complement_$T(const $T far) {
#pragma OPENCL FP_CONTRACT ON
    const $T a = far > 27.4 ? ($T)(27.4) : far;
    const $T head = as_$T(as_$I(a) & (long)0xfffffffff8000000);
    $I power;
    $T growth;
    const $T rest = decay_$T(head * head, (a - head) * (a + head), &growth, &power);
    const $T sum = a + 3.763671875, ratio = a / sum;
    const $T u = (ratio - 0.375) - ratio * (a - (sum - 3.763671875)) * (0.26569797612869744 - 0.26569797612869744 * ratio);
    $T slope = u * -7.20378987824228e-3 + 0.03496144635773622;
    slope = slope * u - 0.05511883455116071;
    slope = slope * u + 9.524731705338248e-3;
    slope = slope * u + 0.05460116990556096;
    slope = slope * u - 6.896648475496703e-3;
    slope = slope * u - 0.10080358715695062;
    slope = slope * u + 0.03150870145951188;
    slope = slope * u + 0.19912945504210045;
    slope = slope * u - 0.17186577082789062;
    slope = slope * u - 0.32827067965276013;
    slope = slope * u + 0.72788755715986;
    slope = slope * u - 0.08687740202878352;
    slope = slope * u - 1.830041290968991;
    slope = slope * u + 4.126121569151112;
    slope = slope * u - 5.506339938523891;
    slope = slope * u + 5.337514486591105;
    slope = slope * u - 3.9876318023004464;
    slope = slope * u + 2.3232498732545523;
    slope = slope * u - 1.0265592990360521;
    slope = slope * u + 0.3056542695439209;
    slope = slope * u;
    const $T level = 0.5202076651337699 + slope;
    const $T change = level * growth + (level * rest + ((0.5202076651337699 - level) + slope));
    const $T tail = level + change;
    // What the division leaves, from products of halves.
    const $T quotient = tail / a;
    const $T quotient_high = as_$T(as_$I(quotient) & (long)0xfffffffff8000000), quotient_low = quotient - quotient_high;
    const $T left = ((tail - quotient_high * head) - quotient_high * (a - head)) - quotient_low * head - quotient_low * (a - head);
    return scale_$T(quotient + (left + ((level - tail) + change)) / a, power);
}"""

_ERF_DOUBLE = """\
inline $T erf_$T(const $T x) {
#pragma OPENCL FP_CONTRACT ON
    const $T absolute = as_$T(as_$I(x) & 0x7fffffffffffffffl);
    const $T small = x * small_erf_$T(x * x) + x;
    const $T large = as_$T(as_$I(1.0 - complement_$T(absolute)) | (as_$I(x) & (long)0x8000000000000000));
    return absolute < 1.0 ? small : large;
}"""

_ERFC_DOUBLE = """\
inline $T erfc_$T(const $T x) {
#pragma OPENCL FP_CONTRACT ON
    const $T absolute = as_$T(as_$I(x) & 0x7fffffffffffffffl);
    const $T small = (1.0 - x) - x * small_erf_$T(x * x);
    const $T tail = complement_$T(absolute);
    const $T large = x < 0.0 ? 2.0 - tail : tail;
    return absolute < 0.8125 ? small : large;
}"""

# (Φ(x) - 1/2)/x in x² below 0.74: 2e-18; above, up to 38.7, a·e^(a²/2)·Φ(-a) in a / (a + 3.53515625): 1.5e-17.
_GELU_DOUBLE = """\
// x·Φ(x): of the tail a·Φ(-a), or x less that of positive x.
inline $T gelu_$T(const $T x) {
#pragma OPENCL FP_CONTRACT ON
    const $T absolute = as_$T(as_$I(x) & 0x7fffffffffffffffl), a = absolute > 38.7 ? ($T)(38.7) : absolute;
    const $T square = x * x, half_x = 0.5 * x;
    $T small = square * -9.888806243944994e-11 + 2.2559891108563277e-09;
    small = small * square - 4.1214306860219006e-08;
    small = small * square + 6.659639637231051e-07;
    small = small * square - 9.444654768144536e-06;
    small = small * square + 1.1543468735578728e-4;
    small = small * square - 1.1873282154529268e-3;
    small = small * square + 9.973557010034202e-3;
    small = small * square - 0.0664903800669054;
    small = small * square - 2.49232720227773e-17;
    small = (small + 0.3989422804014327) * x;
    small = small * x + half_x;
    const $T head = as_$T(as_$I(a) & (long)0xfffffffff8000000);
    $I power;
    $T growth;
    const $T rest = decay_$T(0.5 * head * head, 0.5 * (a - head) * (a + head), &growth, &power);
    const $T sum = a + 3.53515625, ratio = a / sum;
    const $T u = (ratio - 0.390625) - ratio * (a - (sum - 3.53515625)) * (0.2828729281767956 - 0.2828729281767956 * ratio);
    $T slope = u * 0.035934383660187134 - 0.10603801168209871;
    slope = slope * u + 0.08892977975216161;
    slope = slope * u + 8.899353232757057e-3;
    slope = slope * u - 0.016277039309453373;
    slope = slope * u - 0.022099207575251984;
    slope = slope * u - 0.019120388682818536;
    slope = slope * u + 0.019272026950738746;
    slope = slope * u + 0.042968148927999314;
    slope = slope * u + 4.805670801608107e-3;
    slope = slope * u - 0.0597008154481345;
    slope = slope * u - 0.04422002229718782;
    slope = slope * u + 0.07233486471578857;
    slope = slope * u + 0.10299537464908816;
    slope = slope * u - 0.10324774251355041;
    slope = slope * u - 0.2004901254169902;
    slope = slope * u + 0.25614278112706396;
    slope = slope * u + 0.30321222585484287;
    slope = slope * u - 1.0098971882188346;
    slope = slope * u + 1.1994045644110196;
    slope = slope * u - 0.8215772654625739;
    slope = slope * u + 0.318086833150794;
    slope = slope * u;
    const $T level = 0.3462595374875008 + slope;
    const $T change = level * growth + (level * rest + ((0.3462595374875008 - level) + slope));
    const $T tail = scale_$T(level + change, power);
    const $T large = x < 0.0 ? -tail : x - tail;
    const $T result = a < 0.74 ? small : large;
    return as_$T(as_$I(result) | (as_$I(x) & (long)0x8000000000000000));
}"""

ERROR_FUNCTION: FunctionTable = {
    ("erf", float32): Function(_ERF_FLOAT),
    ("erf", float64): Function(_ERF_DOUBLE, needs=("small_erf", "complement")),
    ("erfc", float32): Function(_ERFC_FLOAT, needs=("decay", "scale")),
    ("erfc", float64): Function(_ERFC_DOUBLE, needs=("small_erf", "complement")),
    ("gelu", float32): Function(_GELU_FLOAT, needs=("decay", "scale")),
    ("gelu", float64): Function(_GELU_DOUBLE, needs=("decay", "scale")),
    ("small_erf", float64): Function(_SMALL_ERF_DOUBLE),
    ("complement", float64): Function(_COMPLEMENT_DOUBLE, needs=("decay", "scale")),
    ("decay", float32): Function(_DECAY_FLOAT),
    ("decay", float64): Function(_DECAY_DOUBLE),
    ("scale", float32): Function(_SCALE_FLOAT),
    ("scale", float64): Function(_SCALE_DOUBLE),
}
