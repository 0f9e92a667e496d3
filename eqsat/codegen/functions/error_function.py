"""ERF, ERFC and GELU, which is x·Φ(x), with all digits in the tail.

Where 1 - erf would cancel, the tail is e^(-a²) times a polynomial in (a - k) / (a + k), a variable of J. L. Schonfelder
(Mathematics of Computation 32, 1978); the square is kept in two values, and the power of two is multiplied in last.
Polynomials are minimax; the error noted with each is relative and before rounding.
"""

from __future__ import annotations

from eqsat.codegen.functions.function import Function, FunctionTable
from eqsat.dtype import float32

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
    const $T u = (a > 3.93f ? ($T)(3.93f) : a) - 2.5f;
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
    return a < 0.74f ? small : tail;
}"""

ERROR_FUNCTION: FunctionTable = {
    ("erf", float32): Function(_ERF_FLOAT),
    ("erfc", float32): Function(_ERFC_FLOAT, needs=("decay", "scale")),
    ("gelu", float32): Function(_GELU_FLOAT, needs=("decay", "scale")),
    ("decay", float32): Function(_DECAY_FLOAT),
    ("scale", float32): Function(_SCALE_FLOAT),
}
