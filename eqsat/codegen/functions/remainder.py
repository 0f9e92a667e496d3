"""FMOD: the exact remainder of a truncated quotient, with the sign of the dividend, as C99 has it."""

from __future__ import annotations

from eqsat.codegen.functions.function import Function, FunctionTable
from eqsat.dtype import DType, float32, float64

# Words in capitals stand for constants that differ between the dtypes. Adding MAGIC rounds to a whole number; UPPER masks half of the mantissa.
# FIELD is the field of the exponent of LIMIT / 2; its difference from the bias of exponents is how many bits of a quotient are taken off at once.
_CONSTANTS: dict[DType, dict[str, str]] = {
    float32: {"SIGNED": "int", "SIGN": "0x80000000", "UPPER": "0xfffff000", "MAGIC": "12582912.0f", "LIMIT": "1024.0f",
              "MANTISSA": "23", "STEP": "40", "FIELD": "136", "BIAS": "127", "MOST": "1e30f"},
    float64: {"SIGNED": "long", "SIGN": "0x8000000000000000", "UPPER": "0xfffffffffc000000", "MAGIC": "6755399441055744.0",
              "LIMIT": "33554432.0", "MANTISSA": "52", "STEP": "11", "FIELD": "1047", "BIAS": "1023", "MOST": "1e300"},
}  # fmt: skip

_NEAR_REMAINDER = """\
// Of quotients below LIMIT: products of the quotient with both halves of the divisor are exact, and so are all differences.
$inline $T near_remainder_$T(const $T a, const $T b) {
$uncontracted
    const $T upper = as_$T(as_$I(b) & (SIGNED)UPPER), quotient = (a / b + MAGIC) - MAGIC;
    const $T near = (a - quotient * upper) - quotient * (b - upper);
    return near < ($T)(0) ? near + b : near;
}"""

# By way of pointers: with the values themselves, compilers do not inline what calls this.
_FAR_REMAINDER = """\
// Of larger quotients: as many bits of each as are exact are taken off, from the first one on, until all are off.
$inline void far_remainder_$T(const $T *dividend, const $T *divisor, $T *result) {
$uncontracted
    const $T a = *dividend, b = *divisor, ratio = a / b;
    const $I far = ((a < ($T)(INFINITY)) & (b > ($T)(0)) & (ratio >= LIMIT)) ? ($I)(-1) : ($I)(0);
    const $I beyond = far & ((ratio > MOST) ? ($I)(-1) : ($I)(0));
    const $T unit = far ? b : ($T)(1);
    $T rest = far & ~beyond ? a : ($T)(0);
    $I bits;
    do {
        bits = as_$I(rest / unit) >> MANTISSA;
        bits = bits > FIELD ? bits - FIELD : ($I)(0);
        rest = near_remainder_$T(rest, unit * as_$T((bits + BIAS) << MANTISSA));
    } while (any_lane_$T(bits > 0));
    *result = far ? rest : *result;
    for (int lane = 0; lane < $lanes; lane++)
        if (((SIGNED *)&beyond)[lane])
            (($S *)result)[lane] = long_remainder_$S((($S *)dividend)[lane], (($S *)divisor)[lane]);
}"""

_FMOD = """\
$inline $T fmod_$T(const $T x, const $T y) {
    const $I sign = as_$I(x) & (SIGNED)SIGN;
    const $T a = as_$T(as_$I(x) & (SIGNED)~SIGN), b = as_$T(as_$I(y) & (SIGNED)~SIGN);
    const $I far = ((a < ($T)(INFINITY)) & (b > ($T)(0)) & (a / b >= LIMIT)) ? ($I)(-1) : ($I)(0);
    $T rest = a < b ? a : near_remainder_$T(a, b);
    if (any_lane_$T(far)) {
        const $T dividend = a, divisor = b;
        $T result = rest;
        far_remainder_$T(&dividend, &divisor, &result);
        rest = result;
    }
    return as_$T(as_$I(rest) | sign);
}"""

_LONG_REMAINDER = """\
// Of positive finite numbers, by long division: STEP bits of the quotient at a time.
$inline $T long_remainder_$T(const $T a, const $T b) {
$uncontracted
    const $U a_bits = as_$U(a), b_bits = as_$U(b), one = ($U)1 << MANTISSA;
    const int a_field = (int)(a_bits >> MANTISSA), b_field = (int)(b_bits >> MANTISSA);
    const int a_place = a_field ? a_field : 1, b_place = b_field ? b_field : 1;
    const ulong divisor = b_field ? (b_bits & (one - 1)) | one : b_bits;
    ulong rest = (a_field ? (a_bits & (one - 1)) | one : a_bits) % divisor;
    for (int left = a_place - b_place; left > 0 && rest; left -= STEP)
        rest = (rest << (left < STEP ? left : STEP)) % divisor;
    const $U last_place = b_place > MANTISSA ? ($U)(b_place - MANTISSA) << MANTISSA : ($U)1 << (b_place - 1);
    return convert_$T(rest) * as_$T(last_place);
}"""


def _of(text: str, scalar: DType) -> str:
    for name, constant in _CONSTANTS[scalar].items():
        text = text.replace(name, constant)
    return text


def _functions(dtype: DType) -> FunctionTable:
    return {
        ("fmod", dtype): Function(_of(_FMOD, dtype), needs=("near_remainder", "any_lane", "far_remainder")),
        ("near_remainder", dtype): Function(_of(_NEAR_REMAINDER, dtype)),
        ("far_remainder", dtype): Function(_of(_FAR_REMAINDER, dtype), needs=("near_remainder", "any_lane"), needs_scalar=("long_remainder",)),
        ("long_remainder", dtype): Function(_of(_LONG_REMAINDER, dtype)),
    }  # fmt: skip


REMAINDER: FunctionTable = _functions(float32) | _functions(float64)
