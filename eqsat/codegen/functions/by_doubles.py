"""SIN, COS, POW and FMOD of float32, computed in float64 where that takes only twice as long: on processors, but not on graphics cards.

A double has 29 binary digits more than a float, so no number needs two parts, and only the last rounding is visible. An angle is reduced
to a whole number of half turns and a rest between -π/2 and π/2; one polynomial gives the sine of the rest. A power is 2^(y·log2 x).

Polynomials are minimax (Remez); the error noted with each is relative to the function.
"""

from __future__ import annotations

from dataclasses import replace
from math import pi

from eqsat.codegen.functions.format import function, polynomial
from eqsat.codegen.functions.function import Function
from eqsat.dtype import float32, float64

_SHIFT = 6755399441055744.0  # 1.5·2^52: in a sum with it, the low bits are a whole number
_HALF_TURN = (
    "0x1.921fb544p+1",
    "0x1.0b4611a626331p-33",
)  # π in two parts: the product of the first with a number of 21 bits is exact
FAR = "0x4a490000"  # bits of the largest angle that is reduced with these two parts: 3,293,184
# (sin(r)/r - 1)/r² in r², for ±π/2: 6e-9.
_SINE = (-0.16666659549898924, 0.008333066230624188, -0.00019809601670715786, 2.6057777332514215e-06)
# log2(1 + f)/f on √½ <= 1 + f <= √2: 1.6e-11.
_LOG2 = (
    1.442695040868707, -0.7213475208688364, 0.48089836139505915, -0.36067367482059703, 0.28853729348795765, -0.24045316583640255,
    0.20617535906798817, -0.1803005969137827, 0.15876980624995135, -0.14315650778962608, 0.1447484491424208, -0.14283910851995865,
    0.07737014463276723,
)  # fmt: skip
# 2^f on ±1/2: 1.9e-9.
_EXP2 = (
    1.0000000005542222, 0.6931472057371089, 0.24022646890405355, 0.05550328777509786, 0.009618488985280236, 0.0013399931049639334,
    0.00015345804192248,
)  # fmt: skip

_NEAR_TEXT = """\
$inline $T ${name}_moderate_$T(const $T x) {
$contracted
    const $D wide = convert_$D(x), shifted = $turns + $shift;
    const $D turns = (shifted - $shift)$after;
    return half_turn_$T(as_$M(shifted), (wide - turns * $half_turn) - turns * $half_turn_low);
}"""
_TURN_TEXT = """\
// The sine of so many half turns and rest: the lowest bit of turns tells whether that number is odd.
$inline $T half_turn_$T(const $M turns, const $D rest) {
$contracted
    const $D square = rest * rest;
    $polynomial
    const $D sine = rest * (p * square + 1.0);
    return convert_$T(as_$D(as_$M(sine) ^ (turns << 63)));
}"""
# A lane beyond the limit is reduced to quarter turns and an angle. If their number is odd, the rest beside the half turns is π/2 less the size
# of the angle.
_FAR_TEXT = """\
// Lanes of y beyond the limit.
$inline void ${name}_far_$T(const $T *x, $T *y) {
    for (int lane = 0; lane < $lanes; lane++) {
        const float each = ((const float *)x)[lane];
        if ((as_int(each) & 0x7fffffff) > $far) {
            float angle, low;
            const int quarters = reduce_large_angle_float(each, &angle, &low) + $quarters;
            const double sum = (double)angle + low, rest = quarters & 1 ? $quarter_turn - (sum < 0.0 ? -sum : sum) : sum;
            ((float *)y)[lane] = half_turn_float(as_ulong((long)(quarters >> 1)), rest);
        }
    }
}"""
_WHOLE_TEXT = """\
$inline $T ${name}_$T(const $T x) {
    $T y = ${name}_moderate_$T(x);
    const $I far = ($far - as_$I(as_$U(x) & ~($U)($sign_mask))) >> ($bits - 1);
    if (any_lane_$T(far)) {
        const $T all = x;
        $T found = y;
        ${name}_far_$T(&all, &found);
        y = found;
    }
    return y;
}"""
_SINE_SMALL_TEXT = """\
$inline $T sin_small_$T(const $T x) { return half_turn_$T(($M)(0), convert_$D(x)); }"""
_COSINE_SMALL_TEXT = """\
$inline $T cos_small_$T(const $T x) { return cos_moderate_$T(x); }"""
# A relaxed form calls the full form here, which takes less time than the steps that relaxed forms leave out elsewhere.
_RELAXED_TEXT = "$inline $T ${name}_relaxed_$T(const $T x) { return ${name}_$T(x); }"
# y is clamped to bounds beyond which x^y is 0 or infinite anyway.
_POWER_TEXT = """\
// x^y for x > 0 and finite, of which split takes a power of two.
$inline $T ${name}_$T(const $T x, const $T y) {
$contracted
    $T k;
    const $D f = convert_$D(${split}_$T(x, &k));
    $logarithm
    const $T above = y < -$large ? ($T)(-$large) : y, bounded = above > $large ? ($T)($large) : above;
    const $D product = (p * f + convert_$D(k)) * convert_$D(bounded);
    const $D high = product > 200.0 ? ($D)(200.0) : product, shifted = high + $shift, r = high - (shifted - $shift);
    $power
    const $M result = as_$M(e) + (as_$M(shifted) << 52);
    return convert_$T(product < -150.0 ? ($D)(0.0) : as_$D(result));
}"""
# The bits of y tell whether it is a whole number, and whether that is odd.
_POW_TEXT = """\
// x^y, in special cases as C99 has it (Annex F.9.4.4).
$inline $T ${name}_$T(const $T x, const $T y) {
    const $T size = as_$T(as_$U(x) & ~($U)($sign_mask)), y_size = as_$T(as_$U(y) & ~($U)($sign_mask));
    const $T limit = (size < 1.0f) ^ (y < 0.0f) ? ($T)(0.0f) : ($T)(INFINITY);
    const $T magnitude = (size == 0.0f) | (size == INFINITY) ? limit : power_of_size_$T(size, y);
    const $T shifted = y_size + $units;
    const $T fraction = y_size < $units ? (shifted - $units) - y_size : ($T)(0.0f);
    const $U units = as_$U(y_size < $units ? shifted : y_size);
    const $U odd = (y_size < $units + $units) & (fraction == 0.0f) ? units & 1 : ($U)(0);
    const $T signed_power = as_$T(as_$U(magnitude) | ((odd << ($bits - 1)) & as_$U(x)));
    const $T finite = (x < 0.0f) & (size < INFINITY) & (fraction != 0.0f) ? ($T)(NAN) : signed_power;
    const $T any = (x != x) | (y != y) ? x + y : finite;
    return (x == 1.0f) | (y == 0.0f) ? ($T)(1.0f) : any;
}"""
# Most vectors have no special case: they skip the code for these, and get the same bits. Scalars have no branch.
_POW_OF_VECTORS_TEXT = """\
$inline $T pow_$T(const $T x, const $T y) {
    const $I unusual = (as_$U(x) - 0x00800000u >= 0x7f000000u) | (y != y);
    return any_lane_$T(unusual) ? pow_any_$T(x, y) : power_of_normal_$T(x, y);
}"""
# Products of a quotient of 29 digits with a float are exact.
_FMOD_FAR_TEXT = """\
// Of the lanes in `finite`. Each step leaves at most a 2^29th of the dividend, of either sign.
$inline $T fmod_far_$T(const $T a, const $T b, const $I finite) {
$contracted
    const $D divisor = convert_$D(b);
    $D rest = convert_$D(a), ratio = rest / divisor;
    $T size = convert_$T(ratio);
    while (any_lane_$T(finite & ((size >= $limit) | (size <= -$limit)))) {
        const $D few_digits = as_$D((as_$M(ratio) + 0x800000) & ~($M)0xffffff), whole = (ratio + $shift) - $shift;
        rest -= ((ratio >= $limit) | (ratio <= -$limit) ? few_digits : whole) * divisor;
        ratio = rest / divisor;
        size = convert_$T(ratio);
    }
    rest -= ((ratio + $shift) - $shift) * divisor;
    return convert_$T(rest < 0.0 ? rest + divisor : rest);
}"""


def _polynomial(name: str, variable: str, coefficients: tuple[float, ...]) -> str:
    return polynomial(name, variable, coefficients, float64).replace("$T", "$D")


def _text(text: str, *needs: str, needs_scalar: tuple[str, ...] = (), **values: str) -> Function:
    shared = {"shift": repr(_SHIFT), "half_turn": _HALF_TURN[0], "half_turn_low": _HALF_TURN[1]}
    return function(text, float32, needs, needs_scalar, **shared, **values)


def _circular(name: str, turns: str, after: str, quarters: str) -> dict[str, Function]:
    return {
        f"{name}_moderate": _text(_NEAR_TEXT, "half_turn", name=name, turns=turns, after=after),
        f"{name}_far": _text(
            _FAR_TEXT, needs_scalar=("reduce_large_angle", "half_turn"), name=name, far=FAR, quarters=quarters, quarter_turn=repr(pi / 2),
        ),
        **{
            f"{name}{form}_relaxed": _text(_RELAXED_TEXT, f"{name}{form}", name=f"{name}{form}")
            for form in ("", "_moderate")
        },
        name: _text(_WHOLE_TEXT, f"{name}_moderate", f"{name}_far", "any_lane", name=name, far=FAR),
    }  # fmt: skip


def _pow(name: str) -> Function:
    return _text(_POW_TEXT, "power_of_size", name=name, units=f"{2.0**23}f")


BY_DOUBLES: dict[str, Function] = {
    **_circular("sin", f"wide * {1 / pi!r}", "", "0"),
    **_circular("cos", f"(wide * {1 / pi!r} + 0.5)", " - 0.5", "1"),
    "half_turn": _text(_TURN_TEXT, polynomial=_polynomial("p", "square", _SINE)),
    "sin_small": _text(_SINE_SMALL_TEXT, "half_turn"),
    "cos_small": _text(_COSINE_SMALL_TEXT, "cos_moderate"),
    **{
        f"power_of_{name}": _text(
            _POWER_TEXT, split, name=f"power_of_{name}", split=split, logarithm=_polynomial("p", "f", _LOG2),
            power=_polynomial("e", "r", _EXP2), large=f"{2.0**33}f",
        )
        for name, split in (("size", "log_split"), ("normal", "log_split_normal"))
    },
    "pow_any": _pow("pow_any"),
    "pow": replace(_pow("pow"), vector_form=_text(_POW_OF_VECTORS_TEXT, "any_lane", "pow_any", "power_of_normal")),
    "fmod_far": _text(_FMOD_FAR_TEXT, "any_lane", limit=f"{2.0**28}f"),
}  # fmt: skip
"""Functions by name; each takes and returns float32. A name that `FUNCTIONS` has too is the same function, computed in another way."""
