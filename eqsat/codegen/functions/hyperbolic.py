"""SINH, COSH, TANH and their inverses, computed from e^x - 1 and from logarithms of numbers in two parts. Odd functions keep the sign of zero."""

from __future__ import annotations

from eqsat.codegen.functions.format import SIGNED, SIZE, function, polynomial
from eqsat.codegen.functions.function import FunctionTable
from eqsat.dtype import DType, float32, float64

# (tanh x / x - 1) / x² in x² for |x| <= 0.55 (Remez), to 4.3e-9 and 1.2e-18 of tanh x.
_TANH = {
    float32: (-0.33333316, 0.13332586, -0.053852312, 0.021071684, -0.006274243),
    float64: (
        -0.333333333333333, 0.13333333333326577, -0.0539682539637373, 0.021869488385299885, -0.008863232594129883, 0.003592091970441534,
        -0.0014555425305540878, 0.00058844348801001, -0.00023337996806857816, 8.331590254288635e-05, -1.949569270163589e-05,
    ),
}  # fmt: skip

# With E = e^x - 1, sinh is E - E²/(2(E + 1)) where the quotient is small, and (E + E/(E + 1)) / 2 elsewhere. E is 4·quarter.
# A quarter of a very small x may be inexact; sinh x is x there.
_SINH_TEXT = f"""\
$inline $T sinh${{form}}_$T(const $T x) {{
$contracted
    {SIZE}
    const $T quarter = expm1_quarter${{form}}_$T(size);
    const $T quotient = (size < 1.0$f ? quarter * quarter * 8.0$f : quarter) / (quarter * 4.0$f + 1.0$f);
    const $T y = size < 1.0$f ? quarter * 4.0$f - quotient : (quarter + quotient) * 2.0$f;
    return size < $tiny ? x : {SIGNED};
}}"""
_COSH_TEXT = f"""\
$inline $T cosh_$T(const $T x) {{
    {SIZE}
    const $T half_power = exp_lifted_$T(size > $greatest ? ($T)($greatest) : size, ($U)(-1));
    return 0.25$f / half_power + half_power;
}}"""
_COSH_MODERATE_TEXT = f"""\
$inline $T cosh_moderate_$T(const $T x) {{
$contracted
    {SIZE}
    $T shifted, rest;
    const $T a = exp_parts_$T(size, &shifted, &rest), half_factor = as_$T((as_$U(shifted) - $bias - 1) << $mantissa);
    const $T half_power = (rest + a) * half_factor + half_factor;
    return 0.25$f / half_power + half_power;
}}"""
# Above 0.55, tanh is above a half, and is computed as 1 - 2/(e^2x + 1).
_TANH_TEXT = f"""\
$inline $T tanh_$T(const $T x) {{
$contracted
    {SIZE}
    const $T square = size * size;
    $polynomial
    const $T power = exp_moderate_$T(size > $greatest ? ($T)($greatest) : size + size);
    const $T y = size < 0.55$f ? p * square * size + size : 1.0$f - 2.0$f / (power + 1.0$f);
    return {SIGNED};
}}"""
_TANH_SMALL_TEXT = f"""\
$inline $T tanh_small_$T(const $T x) {{
$contracted
    {SIZE}
    const $T square = size * size;
    $polynomial
    const $T y = p * square * size + size;
    return {SIGNED};
}}"""
# The digits are split into an upper and a lower half: products of halves are exact, whether or not they are fused with an addition.
_SQUARE_TEXT = """\
// x² in two parts: the second is what the first lost.
$inline $T square_pair_$T(const $T x, $T *lost) {
$contracted
    const $T square = x * x, upper = as_$T(as_$U(x) & $upper_mask), lower = x - upper;
    *lost = ((upper * upper - square) + upper * lower * 2.0$f) + lower * lower;
    return square;
}"""
# x and the root are halved, since their sum may be infinite. For large x, whose square may be infinite, the root is x.
_ROOT_LOG_TEXT = """\
// log(x + √(x² + one)), for x >= 0 and one = 1, or x >= 1 and one = -1.
$inline $T root_log_$T(const $T x, const $T one) {
$contracted
    const $T bounded = x > $large ? ($T)($large) : x;
    $T square_lost, root_lost;
    const $T square = square_pair_$T(bounded, &square_lost);
    const $T sum = square + one, part = sum - square;
    const $T sum_lost = ((square - (sum - part)) + (one - part)) + square_lost;
    const $T root = sqrt(sum), again = square_pair_$T(root, &root_lost);
    const $T correction = ((sum - again) - root_lost + sum_lost) / (root + root);
    const $T half_root = (x > $large ? x : root) * 0.5$f, half_x = x * 0.5$f;
    const $T total = half_x + half_root, other = total - half_x;
    const $T lost = (half_x - (total - other)) + (half_root - other);
    return log_pair_$T(total, ((x > $large) | (root == 0.0$f)) ? lost : lost + correction * 0.5$f, ($T)(1.0$f));
}"""
# Close to 0, the logarithm of nearly 1 has lost its digits, and the first terms of the series are enough.
_ASINH_TEXT = f"""\
$inline $T asinh_$T(const $T x) {{
$contracted
    {SIZE}
    const $T y = size < $small ? size - size * (size * size) * $sixth : root_log_$T(size, ($T)(1.0$f));
    return {SIGNED};
}}"""
_ACOSH_TEXT = """\
$inline $T acosh_$T(const $T x) { return x < 1.0$f ? ($T)(NAN) : root_log_$T(x, ($T)(-1.0$f)); }"""
# (1 + x)/(1 - x) is 1 + quotient; `lost` corrects the quotient for the rounding error of 1 - x. Close to 0, the first terms of the series are enough.
_ATANH_TEXT = f"""\
$inline $T atanh_$T(const $T x) {{
$contracted
    {SIZE}
    const $T bottom = 1.0$f - size, bottom_lost = (1.0$f - bottom) - size;
    const $T quotient = (size + size) / bottom, total = quotient + 1.0$f, part = total - quotient;
    const $T lost = ((quotient - (total - part)) + (1.0$f - part)) - quotient * (bottom_lost / bottom);
    const $T far = log_pair_$T(total, lost, ($T)(0.0$f)) * 0.5$f;
    const $T y = size < $small ? size + size * (size * size) * $third : far;
    return {SIGNED};
}}"""


def _table(dtype: DType) -> FunctionTable:
    single = dtype == float32
    small = 2.0**-10 if single else 2.0**-20
    near_zero = polynomial("p", "square", _TANH[dtype], dtype)
    return {
        **{
            (f"sinh{form}", dtype): function(
                _SINH_TEXT, dtype, (f"expm1_quarter{form}",), form=form, tiny=2.0**-30 if single else 2.0**-60
            )
            for form in ("", "_moderate")
        },
        # From `greatest` on, the result is infinite.
        ("cosh", dtype): function(_COSH_TEXT, dtype, ("exp_lifted",), greatest=90.0 if single else 711.0),
        ("cosh_moderate", dtype): function(_COSH_MODERATE_TEXT, dtype, ("exp_parts",)),
        # From half of `greatest` on, the result is 1.
        ("tanh", dtype): function(
            _TANH_TEXT,
            dtype,
            ("exp_moderate",),
            greatest=40.0 if single else 80.0,
            polynomial=near_zero,
        ),
        ("tanh_small", dtype): function(_TANH_SMALL_TEXT, dtype, polynomial=near_zero),
        ("square_pair", dtype): function(_SQUARE_TEXT, dtype),
        ("root_log", dtype): function(
            _ROOT_LOG_TEXT, dtype, ("square_pair", "log_pair"), large=2.0**30 if single else 2.0**60
        ),
        ("asinh", dtype): function(_ASINH_TEXT, dtype, ("root_log",), small=small, sixth=1 / 6),
        ("acosh", dtype): function(_ACOSH_TEXT, dtype, ("root_log",)),
        ("atanh", dtype): function(_ATANH_TEXT, dtype, ("log_pair",), small=small, third=1 / 3),
    }


HYPERBOLIC: FunctionTable = _table(float32) | _table(float64)
