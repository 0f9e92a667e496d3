"""FMOD: the exact remainder of a truncated quotient, with the sign of the dividend, as C99 has it."""

from __future__ import annotations

from eqsat.codegen.functions.function import Function, FunctionTable
from eqsat.dtype import DType, float32, float64

# Words in capitals stand for constants that differ between the dtypes. Adding MAGIC rounds to a whole number; UPPER masks half of the mantissa.
_CONSTANTS: dict[DType, dict[str, str]] = {
    float32: {"SIGNED": "int", "SIGN": "0x80000000", "UPPER": "0xfffff000", "MAGIC": "12582912.0f", "LIMIT": "1024.0f",
              "MANTISSA": "23", "STEP": "40"},
    float64: {"SIGNED": "long", "SIGN": "0x8000000000000000", "UPPER": "0xfffffffffc000000", "MAGIC": "6755399441055744.0",
              "LIMIT": "33554432.0", "MANTISSA": "52", "STEP": "11"},
}  # fmt: skip

_FMOD = """\
// Below LIMIT, products of the quotient with both halves of the divisor are exact, and so are all differences.
$inline $T fmod_$T(const $T x, const $T y) {
$uncontracted
    const $I sign = as_$I(x) & (SIGNED)SIGN;
    const $T a = as_$T(as_$I(x) & (SIGNED)~SIGN), b = as_$T(as_$I(y) & (SIGNED)~SIGN);
    const $T upper = as_$T(as_$I(b) & (SIGNED)UPPER), ratio = a / b;
    const $I far = ((a < ($T)(INFINITY)) & (b > ($T)(0)) & (ratio >= LIMIT)) ? ($I)(-1) : ($I)(0);
    const $T quotient = (ratio + MAGIC) - MAGIC;
    const $T near = (a - quotient * upper) - quotient * (b - upper);
    const $T positive = near < ($T)(0) ? near + b : near;
    $T rest = a < b ? a : positive;
    if (any_lane_$T(far)) {
        $T slow = rest, dividend = a, divisor = b;
        $I lanes = far;
        for (int lane = 0; lane < $lanes; lane++)
            if (((SIGNED *)&lanes)[lane])
                (($S *)&slow)[lane] = long_remainder_$S((($S *)&dividend)[lane], (($S *)&divisor)[lane]);
        rest = slow;
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


REMAINDER: FunctionTable = {
    ("fmod", float32): Function(_of(_FMOD, float32), needs=("any_lane",), needs_scalar=("long_remainder",)),
    ("fmod", float64): Function(_of(_FMOD, float64), needs=("any_lane",), needs_scalar=("long_remainder",)),
    ("long_remainder", float32): Function(_of(_LONG_REMAINDER, float32)),
    ("long_remainder", float64): Function(_of(_LONG_REMAINDER, float64)),
}
