"""C11 for one thread: it has no work-items and no vectors, so one function call does a whole launch.

Kernels give exact results if the compiler rounds each operation: `-std=c11 -ffp-contract=off`. Elementary functions are eqsat's own; they
use `sqrt`, `fabs` and `fma` of the C library.
"""

from __future__ import annotations

from eqsat.codegen.dialects.dialect import SCALARS, Dialect
from eqsat.dtype import AddrSpace

_HEAD = """\
// Compile with -std=c11 -ffp-contract=off, and link with -lm.
#include <float.h>
#include <stdbool.h>
#include <string.h>
#include <tgmath.h>

_Static_assert(sizeof(int) == 4 && sizeof(long) == 8, "int has 32 bits and long has 64");
_Static_assert(FLT_EVAL_METHOD == 0, "float is computed in float");
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif"""
# Signed overflow is undefined in C, so these compute `quotient - 1` and `rest + b` only where they are the result.
_TEMPLATES = {
    "floor_divide": """\
$inline $T floor_divide_$T(const $T a, const $T b) {
    const $T quotient = divide_$T(a, b), rest = modulo_$T(a, b);
    return rest != 0 && (rest ^ b) < 0 ? quotient - 1 : quotient;
}""",
    "floor_modulo": """\
$inline $T floor_modulo_$T(const $T a, const $T b) {
    const $T rest = modulo_$T(a, b);
    return rest != 0 && (rest ^ b) < 0 ? rest + b : rest;
}""",
    "multiply_add": "$inline $T multiply_add_$T(const $T a, const $T b, const $T c) { return fma(a, b, c); }",
    "round_half": "$inline float round_half_$T(const $T x) { return float_of_half(half_of(x)); }",
    "half_bits": "$inline ushort half_bits_$T(const $T x) { return half_of(x); }",
    "half_value": "$inline float half_value_$T(const $T bits) { return float_of_half(bits); }",
}
_HALF_OF = """\
// To the nearest half, ties to even; its bits.
static inline ushort half_of(const double x) {
    const ulong bits = as_ulong(x), size = bits & 0x7ffffffffffffffful, sign = bits >> 48 & 0x8000;
    if (size > 0x7ff0000000000000ul)
        return (ushort)(sign | 0x7e00 | (bits >> 42 & 0x1ff));
    if (size >= 0x40effe0000000000ul)  // 65520
        return (ushort)(sign | 0x7c00);
    if (size < 0x3f10000000000000ul)  // 2^-14: from here down, halves are multiples of 2^-24
        return (ushort)(sign | (ulong)((fabs(x) * 0x1p24 + 0x1p52) - 0x1p52));
    return (ushort)(sign | (((size + 0x1fffffffffful + (size >> 42 & 1)) >> 42) - (1008ul << 10)));
}"""
_FLOAT_OF_HALF = """\
static inline float float_of_half(const ushort bits) {
    const uint size = (uint)(bits & 0x7fff) << 13, sign = (uint)(bits & 0x8000) << 16;
    return as_float(sign | (size < 0x0f800000u ? as_uint(as_float(size) * 0x1p112f) : size | 0x7f800000u));
}"""
_MUL_HI = """\
static inline ulong mul_hi_ulong(const ulong a, const ulong b) {
    const ulong a_low = a & 0xfffffffful, b_low = b & 0xfffffffful;
    const ulong middle = (a >> 32) * b_low + (a_low * b_low >> 32), other = a_low * (b >> 32) + (middle & 0xfffffffful);
    return (a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32);
}
static inline long mul_hi_long(const long a, const long b) {
    return (long)(mul_hi_ulong((ulong)a, (ulong)b) - (a < 0 ? (ulong)b : 0) - (b < 0 ? (ulong)a : 0));
}
#define mul_hi(a, b) _Generic((a), long: mul_hi_long, ulong: mul_hi_ulong)(a, b)"""
_SCALARS = SCALARS | {"int8": "schar"}  # whether C's char is signed depends on the compiler
_NARROW = ("schar", "uchar", "short", "ushort")


def _bits_of(value: str, bits: str) -> dict[str, str]:
    """Conversions between a float and the unsigned integer that has its bits: C functions, and macros with the names of OpenCL C."""
    return {
        f"bits_of_{value}": f"static inline {bits} bits_of_{value}(const {value} x) {{\n"
        f"    {bits} y;\n    memcpy(&y, &x, sizeof y);\n    return y;\n}}",
        f"as_{value}": f"static inline {value} as_{value}(const {bits} x) {{\n"
        f"    {value} y;\n    memcpy(&y, &x, sizeof y);\n    return y;\n}}",
        f"as_{bits}": f"#define as_{bits}(x) _Generic((x), {value}: bits_of_{value}(x), default: ({bits})(x))",
        f"as_{bits[1:]}": f"#define as_{bits[1:]}(x) (({bits[1:]})as_{bits}(x))",
    }


C = Dialect(
    name="C11",
    scalars=_SCALARS,
    kernel="static void",
    spaces={AddrSpace.GLOBAL: "", AddrSpace.LOCAL: "", AddrSpace.REG: ""},
    inline="static inline",
    table="static const",
    head=_HEAD,
    templates=_TEMPLATES,
    definitions={
        "schar": "typedef signed char schar;",
        **{f"u{name}": f"typedef unsigned {name} u{name};" for name in ("char", "short", "int", "long")},
        **_bits_of("float", "uint"),
        **_bits_of("double", "ulong"),
        **{f"as_{name}": f"#define as_{name}(x) (({name})(x))" for name in _NARROW},
        **{
            f"convert_{name}": f"#define convert_{name}(x) (({name})(x))"
            for name in dict.fromkeys(_SCALARS.values())
        },
        "any": "#define any(x) ((x) != 0)",
        "mul_hi": _MUL_HI,
        "half_of": _HALF_OF,
        "float_of_half": _FLOAT_OF_HALF,
    },
    sequential=True,
    masks_shifts=False,
)
"""C11, run by one thread."""
