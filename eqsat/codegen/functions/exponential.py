"""EXP, EXP2, EXPM1, SIGMOID, SILU.

All split off a power of two, 2^n. Adding a large number (1.5·2^23 in float32, 1.5·2^52 in float64) rounds the exponent to the whole number n,
which is then in the low bits of the sum. Polynomials are minimax (Remez), relative to the function.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from string import Template

from eqsat.codegen.functions.format import FORMATS, function, polynomial
from eqsat.codegen.functions.function import Function, FunctionTable
from eqsat.dtype import DType, float32, float64

# The large number alone. Added to the bits of a float, the low bits of the sum, shifted to the exponent field, multiply it by 2^n.
_SHIFT = {float32: 12582912.0, float64: 6755399441055744.0}
# The same plus the bias of exponents: the low bits, shifted to the exponent field, are those of 2^n.
_SHIFT_OF_POWERS = {float32: 12582912.0 + 127.0, float64: 6755399441055744.0 + 1023.0}
# The same plus twice the bias: n + 2·bias is not negative, and without its lowest bit it is the exponent field of 2^(n/2).
_SHIFT_OF_HALVES = {float32: 12582912.0 + 254.0, float64: 6755399441055744.0 + 2046.0}
# ln 2 in two parts; the first has so few digits (16 and 40) that its product with n is exact.
_LN2 = {float32: (0.69314575, 1.4286068e-6), float64: (0.6931471805592082, 7.371002565167799e-13)}
_LOG2E = 1.4426950408889634
# (e^r - 1 - r) / r² for |r| <= ln(2)/2, to 3.7e-9 and 7.2e-20 of e^r.
_EXP = {
    float32: (0.49999994, 0.1666651, 0.041668322, 0.008369876, 0.0013814709),
    float64: (
        0.5, 0.16666666666666688, 0.041666666666666824, 0.008333333333313913, 0.0013888888888778847, 0.0001984126990327532,
        2.4801587554845016e-05, 2.755722881378864e-06, 2.7557073966597505e-07, 2.5113877096471394e-08, 2.09750488177839e-09,
    ),
}  # fmt: skip
# The same, to 7e-9 in float32: the coefficients were chosen among their neighbours for the least error of the whole rounded computation.
_EXP_ROUNDED = {
    float32: (0.49999994, 0.166665107, 0.0416689068, 0.00836849865, 0.00137344864),
    float64: _EXP[float64],
}
# (2^f - 1) / f - 1/2 for |f| <= 1/2, to 6.5e-9 and 4.5e-18 of 2^f.
_EXP2 = {
    float32: (0.1931472, 0.24022622, 0.055503394, 0.009621785, 0.0013396933, 0.0001438343),
    float64: (
        0.19314718055994531, 0.24022650695910147, 0.05550410866482152, 0.009618129107587001, 0.0013333558146363664, 0.0001540353046671059,
        1.525273393979213e-05, 1.321543029159452e-06, 1.0177995573764024e-07, 7.074663696858476e-09, 4.4677616446241347e-10,
    ),
}  # fmt: skip

_EXP_PARTS_TEXT = """\
// e^x is 2^n·(1 + a + rest), where a is returned, and the low bits of `shifted` are n + 2·$bias.
$inline $T exp_parts_$T(const $T x, $T *shifted, $T *rest) {
$contracted
    *shifted = x * $log2e + $shift;
    const $T n = *shifted - $shift;
    const $T a = x - n * $high, b = n * $low, r = a - b;
    $polynomial
    *rest = p * (r * r) - b;
    return a;
}"""
_EXP_NEAR_TEXT = """\
// e^x is 2^n times the result, which is near 1; the low bits of `shifted` are n.
$inline $T ${name}_$T(const $T x, $T *shifted) {
$contracted
    *shifted = x * $log2e + $shift;
    const $T n = *shifted - $shift, r = (x - n * $high) - n * $low;
    $polynomial
    return (p * (r * r) + r) + 1.0$f;
}"""
# 2^(n + lifted) is a product of two factors, because it may be out of range. The 1 is added after multiplying by the first factor: one
# instruction does both.
_EXP_LIFTED_TEXT = """\
// e^x·2^lifted for |x| < $limit, rounded once if that is subnormal.
$inline $T exp_lifted_$T(const $T x, const $U lifted) {
$contracted
    $T shifted, rest;
    const $T a = exp_parts_$T(x, &shifted, &rest);
    const $U n = as_$U(shifted) + lifted, half_n = (n << ($mantissa - 1)) & ~($U)($mantissa_mask);
    const $T first = as_$T(half_n), second = as_$T((n << $mantissa) - half_n);
    return ((rest + a) * first + first) * second;
}"""
# Processors take 150 cycles for a subnormal product. So the product is computed as a multiple of the least subnormal number, which is a normal
# number. Its whole part is the bits of the result: the low bits of a sum with 2^$mantissa. Where x is positive, half of the result is computed
# and doubled, since 2^n may be out of range.
_POWER_TEXT = """\
// near·2^n, which is subnormal where x < $small; the low bits of `shifted` are n.
$inline $T ${name}_$T(const $T x, const $T near, const $T shifted) {
    const $U n = as_$U(shifted);$ordinary
    const $T y = near * as_$T((n + (x < $small ? ($U)($lift + $bias) : $normal)) << $mantissa);
    const $T whole = as_$T(as_$U(y + $units) - as_$U(($T)($units)));
    return $ends;
}"""
# A weight needs no such number. Bits are added here, as numbers below the least normal one would be slow to multiply.
_WEIGHT_TEXT = """\
// near·2^n, or 0 where x < $small; the low bits of `shifted` are n.
$inline $T ${name}_$T(const $T x, const $T near, const $T shifted) {
    const $U n = as_$U(shifted);$ordinary
    const $T power = as_$T(as_$U(near) + (n << $mantissa));
    return x < $small ? ($T)(0.0$f) : x == x ? power : x;
}"""
# Most vectors have no such lane and no NaN, whose bits must not be added to. They skip these steps and get the same bits.
# Scalars have no branch, so that compilers can vectorize them.
_ORDINARY_TEXT = """
    if (!any_lane_$T($unusual)) return as_$T(as_$U(near) + (n << $mantissa));"""
# Beyond the bounds, results are 0 and infinity, and neither x nor its parts are used.
_WHOLE_TEXT = """\
$inline $T ${name}_$T(const $T x) {
    $T shifted;
    const $T near = ${parts}_$T(x, &shifted);
    return ${of_parts}_$T(x, near, shifted);
}"""
# For operands whose 2^n is in the range of normal numbers.
_MODERATE_TEXT = """\
$inline $T ${name}_$T(const $T x) {
    $T shifted;
    const $T near = ${parts}_$T(x, &shifted);
    return near * as_$T((as_$U(shifted) + $bias) << $mantissa);
}"""
_EXP2_HALVES_TEXT = """\
// 2^(n + f) for |f| <= 1/2; the low bits of `shifted` are n + 2·$bias. Half of f is exact: what is added to it rounds in fewer places.
$inline $T exp2_halves_$T(const $T f, const $T shifted) {
$contracted
    $polynomial
    const $U n = as_$U(shifted), half_n = (n << ($mantissa - 1)) & ~($U)($mantissa_mask);
    const $T first = as_$T(half_n), second = as_$T((n << $mantissa) - half_n);
    return ((p * f + f * 0.5$f) * first + first) * second;
}"""
_EXP2_NEAR_TEXT = """\
// 2^x is 2^n times the result, which is near 1; the low bits of `shifted` are n. Half of f is exact: what is added to it rounds in fewer places.
$inline $T exp2_near_$T(const $T x, $T *shifted) {
$contracted
    *shifted = x + $shift;
    const $T f = x - (*shifted - $shift);
    $polynomial
    return (p * f + f * 0.5$f) + 1.0$f;
}"""
_EXP2_PAIR_TEXT = """\
// 2^(high + low), where low is small beside high, or high is out of the range of exponents.
$inline $T exp2_pair_$T(const $T high, const $T low) {
    const $T above = high < $least ? ($T)(0.0$f) : high;
    const $T clamped = above > $greatest ? ($T)($greatest) : above, rest = high == clamped ? low : ($T)(0.0$f);
    const $T shifted = (clamped + rest) + $shift;
    const $T power = exp2_halves_$T((clamped - (shifted - $shift)) + rest, shifted);
    return high < $least ? ($T)(0.0$f) : power;
}"""
# Terms are divided by 4, so that all are finite wherever sinh is.
_EXPM1_QUARTER_TEXT = """\
// (e^x - 1) / 4 where neither e^x nor its quarter leaves the range.
$inline $T expm1_quarter_moderate_$T(const $T x) {
$contracted
    $T shifted, rest;
    const $T a = exp_parts_$T(x, &shifted, &rest);
    const $T power = as_$T((as_$U(shifted) << $mantissa) - (($U)($bias + 2) << $mantissa));
    const $T whole = power - 0.25$f, part = power * a, sum = whole + part;
    return (power * rest + (part - (sum - whole))) + sum;
}"""
_CLAMPED_QUARTER_TEXT = """\
// (e^x - 1) / 4
$inline $T expm1_quarter_$T(const $T x) {
    const $T above = x < $least ? ($T)($least) : x;
    return expm1_quarter_moderate_$T(above > $greatest ? ($T)($greatest) : above);
}"""
# A quarter of a small x may be subnormal and inexact; e^x - 1 is x there.
_EXPM1_TEXT = """\
$inline $T expm1${form}_$T(const $T x) {
    return ((x < $tiny) & (x > -$tiny)) ? x : expm1_quarter${form}_$T(x) * 4.0$f;
}"""
_EXP_SPLIT_TEXT = """\
// e^x for x below $limit in two parts: the second is what the first lost. Far down in float32, nothing that is too small is multiplied.
$inline $T exp_split_$T(const $T x, $T *second_part) {
$contracted
    $T shifted, rest;
    const $T a = exp_parts_$T(x, &shifted, &rest), sum = a + 1.0$f;
    const $U n = as_$U(shifted), half_n = (n << ($mantissa - 1)) & ~($U)($mantissa_mask);
    const $T first = as_$T(half_n), second = as_$T((n << $mantissa) - half_n);
    const $T low = rest + (a - (sum - 1.0$f)), result = sum + low, lost = low - (result - sum);
    *second_part = $lost * first * second;
    return $power;
}"""
# Either 2^n or `one` may be the larger. The rounding error of their sum is computed exactly if 2^n is larger, and is too small to count otherwise.
_EXP_PLUS_TEXT = """\
// e^x·2^lifted + one, where one is 2^lifted; the first is a normal number.
$inline $T exp_plus_$T(const $T x, const $U lifted, const $T one) {
$contracted
    const $T shifted = x * $log2e + $shift, n = shifted - $shift, r = (x - n * $high) - n * $low;
    $polynomial
    const $T rest = p * (r * r) + r, power = as_$T((as_$U(shifted) + lifted) << $mantissa), sum = power + one;
    return sum + (rest * power + (one - (sum - power)));
}"""
# Where x is negative, the denominator is multiplied by `one`, a power of two, so that it stays finite.
_SIGMOID_TEXT = """\
// 1 / (1 + e^-x)
$inline $T sigmoid_$T(const $T x) {$ordinary
    const $T above = x < $least ? ($T)(0.0$f) : x, one = above < 0.0$f ? ($T)($one) : ($T)(1.0$f);
    const $U lifted = above < 0.0$f ? ($U)(-$lift) : ($U)(0);
    const $T share = one / exp_plus_$T(above > $greatest ? ($T)(-$greatest) : -above, lifted, one);
    return x < $least ? ($T)(0.0$f) : share;
}"""
_SILU_TEXT = """\
// x / (1 + e^-x)
$inline $T silu_$T(const $T x) {$ordinary
    const $T above = x < $least ? ($T)(-0.0$f) : x, one = above < 0.0$f ? ($T)($one) : ($T)(1.0$f);
    const $U lifted = above < 0.0$f ? ($U)(-$lift) : ($U)(0);
    return above / exp_plus_$T(above > $greatest ? ($T)(-$greatest) : -above, lifted, one) * one;
}"""
# Most vectors have no lane that needs this: their denominators are finite, and their results are normal.
_ORDINARY_SHARE_TEXT = """
    if (!any_lane_$T((x < -$far) | (x > $far))) return $numerator / exp_plus_$T(-x, ($U)(0), ($T)(1.0$f));"""
_MODERATE_SHARE_TEXT = """\
$inline $T ${name}_moderate_$T(const $T x) {
    return $numerator / exp_plus_$T(-x, ($U)(0), ($T)(1.0$f));
}"""


def _table(dtype: DType) -> FunctionTable:
    single = dtype == float32
    shift_of_halves = _SHIFT_OF_HALVES[dtype]
    range_of_exp2 = {"least": -151.0 if single else -1076.0, "greatest": 129.0 if single else 1025.0}
    return {
        ("exp_parts", dtype): function(
            _EXP_PARTS_TEXT, dtype, log2e=_LOG2E, shift=shift_of_halves, high=_LN2[dtype][0], low=_LN2[dtype][1],
            polynomial=polynomial("p", "r", _EXP[dtype], dtype),
        ),
        ("exp_lifted", dtype): function(_EXP_LIFTED_TEXT, dtype, ("exp_parts",), limit="201" if single else "801"),
        ("exp_near", dtype): exp_near("exp_near", _EXP_ROUNDED[dtype], dtype),
        ("exp2_halves", dtype): function(_EXP2_HALVES_TEXT, dtype, polynomial=polynomial("p", "f", _EXP2[dtype], dtype)),
        ("exp2_near", dtype): function(_EXP2_NEAR_TEXT, dtype, shift=_SHIFT[dtype], polynomial=polynomial("p", "f", _EXP2[dtype], dtype)),
        **_powers(dtype),
        **{key: value for op in ("exp", "exp2") for key, value in powers(op, "", f"{op}_near", dtype).items()},
        ("exp2_pair", dtype): function(_EXP2_PAIR_TEXT, dtype, ("exp2_halves",), shift=shift_of_halves, **range_of_exp2),
        # At `least`, the result is -1/4. At `greatest`, four times the result is infinite, but 2^(n - 2) is finite.
        ("expm1_quarter", dtype): function(
            _CLAMPED_QUARTER_TEXT, dtype, ("expm1_quarter_moderate",), least=-25.0 if single else -45.0, greatest=89.7 if single else 710.6
        ),
        ("expm1_quarter_moderate", dtype): function(_EXPM1_QUARTER_TEXT, dtype, ("exp_parts",)),
        **{
            (f"expm1{form}", dtype): function(
                _EXPM1_TEXT, dtype, (f"expm1_quarter{form}",), form=form, tiny=2.0**-30 if single else 2.0**-60
            )
            for form in ("", "_moderate")
        },
        ("exp_split", dtype): _split(dtype),
        ("exp_plus", dtype): _exponential(_EXP_PLUS_TEXT, "exp_plus", _EXP_ROUNDED[dtype], _SHIFT_OF_POWERS[dtype], dtype),
        **_shares("sigmoid", _SIGMOID_TEXT, "1.0$f", dtype),
        **_shares("silu", _SILU_TEXT, "x", dtype),
    }  # fmt: skip


def exp_near(name: str, coefficients: Sequence[float], dtype: DType) -> Function:
    """The function that computes e^x / 2^n, which is near 1, by the polynomial with these coefficients."""
    return _exponential(_EXP_NEAR_TEXT, name, coefficients, _SHIFT[dtype], dtype)


def _exponential(text: str, name: str, coefficients: Sequence[float], shift: float, dtype: DType) -> Function:
    high, low = _LN2[dtype]
    return function(
        text, dtype, name=name, log2e=_LOG2E, shift=shift, high=high, low=low, polynomial=polynomial("p", "r", coefficients, dtype)
    )  # fmt: skip


def powers(op: str, form: str, parts: str, dtype: DType) -> FunctionTable:
    """EXP or EXP2 in three forms, by the bounds of the operand: everywhere, `_below` and `_moderate`; and the form of EXP for weights.

    `parts` is the function that computes the factor near 1 and the power of two. `form` is appended to the names.
    """
    with_ends = ("", "_below", "_weight") if op == "exp" else ("", "_below")
    of_bounds = {bounds: f"{op}_of_parts{bounds}" for bounds in with_ends}
    named = {bounds: f"{op}{bounds}{form}" for bounds in (*of_bounds, "_moderate")}
    moderate = named["_moderate"]
    return {
        **{
            (named[bounds], dtype): function(
                _WHOLE_TEXT, dtype, (parts, of_parts), name=named[bounds], parts=parts, of_parts=of_parts
            )
            for bounds, of_parts in of_bounds.items()
        },
        (moderate, dtype): function(_MODERATE_TEXT, dtype, (parts,), name=moderate, parts=parts),
    }


def _shares(name: str, text: str, numerator: str, dtype: DType) -> FunctionTable:
    """SIGMOID or SILU for all numbers, and its form for moderate ones."""
    single = dtype == float32
    numerator = Template(numerator).substitute(f=FORMATS[dtype]["f"])
    # Below `least`, results are 0; from `greatest` on, they are 1 (SIGMOID) and x (SILU).
    ends = {"least": -110.0 if single else -755.0, "greatest": 40.0 if single else 60.0}
    one = {"one": 2.0**-64 if single else 2.0**-128, "lift": "64" if single else "128"}

    def of(ordinary: str, *needs: str) -> Function:
        whole = Template(text).safe_substitute(ordinary=ordinary)
        far = 87.0 if single else 708.0
        return function(whole, dtype, ("exp_plus", *needs), far=far, numerator=numerator, **ends, **one)

    return {
        (name, dtype): replace(of(""), vector_form=of(_ORDINARY_SHARE_TEXT, "any_lane")),
        (f"{name}_moderate", dtype): function(
            _MODERATE_SHARE_TEXT, dtype, ("exp_plus",), name=name, numerator=numerator
        ),
    }


def _split(dtype: DType) -> Function:
    if dtype == float64:
        return function(
            _EXP_SPLIT_TEXT, dtype, ("exp_parts",), limit="709", lost="lost", power="result * first * second"
        )
    lost = "(x < -70.0f ? ($T)(0.0f) : lost)"
    power = "exp_of_parts_below_$T(x, result, as_$T(n - 254))"
    return function(
        _EXP_SPLIT_TEXT, dtype, ("exp_parts", "exp_of_parts_below"), limit="88", lost=lost, power=power
    )


def _powers(dtype: DType) -> FunctionTable:
    """The functions that multiply the factor near 1 by the power of two: for every result, and for results that are never infinite."""
    single = dtype == float32
    lift = {"lift": "149" if single else "1074", "units": 2.0**23 if single else 2.0**52}
    tail = "x < $least ? ($T)(0.0$f) : whole"
    whole = {
        "normal": "(x < 0.0$f ? ($U)($bias) : ($U)($bias - 1))",
        "ends": f"x < $small ? ({tail}) : x < 0.0$f ? y : x > $greatest ? ($T)(INFINITY) : y + y",
        "unusual": "~(x >= $usual) | (x > $large)",
    }
    below = {"normal": "($U)($bias)", "ends": f"x < $small ? ({tail}) : y", "unusual": "~(x >= $usual)"}
    ends = {
        "exp": (-105.0, -87.33655, -87.0, 88.0, 89.0)
        if single
        else (-746.0, -708.39641853227, -708.0, 709.0, 710.0),
        "exp2": (-151.0, -126.0, -126.0, 127.0, 128.0)
        if single
        else (-1076.0, -1022.0, -1022.0, 1023.0, 1024.0),
    }
    least_normal = {"small": -87.3365 if single else -708.3964, "usual": ends["exp"][2]}
    return {
        (f"{op}_of_parts{form}", dtype): _power(
            _POWER_TEXT, dtype, pieces, name=f"{op}_of_parts{form}",
            least=least, small=small, usual=usual, large=large, greatest=greatest, **lift,
        )
        for op, (least, small, usual, large, greatest) in ends.items()
        for form, pieces in (("", whole), ("_below", below))
    } | {("exp_of_parts_weight", dtype): _power(_WEIGHT_TEXT, dtype, below, name="exp_of_parts_weight", **least_normal)}  # fmt: skip


def _power(text: str, dtype: DType, pieces: Mapping[str, str], **values: float | str) -> Function:
    def of(ordinary: str, *needs: str) -> Function:
        whole = Template(text).safe_substitute(ordinary=ordinary)
        return function(Template(whole).safe_substitute(pieces), dtype, needs, **values)

    return replace(of(""), vector_form=of(_ORDINARY_TEXT, "any_lane"))


EXPONENTIAL: FunctionTable = _table(float32) | _table(float64)
