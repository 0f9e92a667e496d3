// Compile with -std=c11 -ffp-contract=off, and link with -lm.
#include <float.h>
#include <stdbool.h>
#include <string.h>
#include <tgmath.h>

_Static_assert(sizeof(int) == 4 && sizeof(long) == 8, "int has 32 bits and long has 64");
_Static_assert(FLT_EVAL_METHOD == 0, "float is computed in float");
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
static inline uint bits_of_float(const float x) {
    uint y;
    memcpy(&y, &x, sizeof y);
    return y;
}
static inline float as_float(const uint x) {
    float y;
    memcpy(&y, &x, sizeof y);
    return y;
}
#define as_uint(x) _Generic((x), float: bits_of_float(x), default: (uint)(x))
static inline ulong bits_of_double(const double x) {
    ulong y;
    memcpy(&y, &x, sizeof y);
    return y;
}
#define as_ulong(x) _Generic((x), double: bits_of_double(x), default: (ulong)(x))
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
}
static inline float float_of_half(const ushort bits) {
    const uint size = (uint)(bits & 0x7fff) << 13, sign = (uint)(bits & 0x8000) << 16;
    return as_float(sign | (size < 0x0f800000u ? as_uint(as_float(size) * 0x1p112f) : size | 0x7f800000u));
}

static inline float half_value_ushort(const ushort bits) { return float_of_half(bits); }

static inline float round_half_float(const float x) { return float_of_half(half_of(x)); }

static inline ushort half_bits_float(const float x) { return half_of(x); }

// kernel_elementwise: out0[64] from in0[64]
static void kernel_elementwise(ushort *out0, const ushort *in0) {
    for (long i0 = 0; i0 < 8; i0++) {
        const long offset0 = i0 * 8;
        const float value0 = half_value_ushort(in0[offset0]);
        out0[offset0] = half_bits_float(round_half_float(value0 * value0) + 1.0f);
        const long offset1 = offset0 + 1;
        const float value1 = half_value_ushort(in0[offset1]);
        out0[offset1] = half_bits_float(round_half_float(value1 * value1) + 1.0f);
        const long offset2 = offset0 + 2;
        const float value2 = half_value_ushort(in0[offset2]);
        out0[offset2] = half_bits_float(round_half_float(value2 * value2) + 1.0f);
        const long offset3 = offset0 + 3;
        const float value3 = half_value_ushort(in0[offset3]);
        out0[offset3] = half_bits_float(round_half_float(value3 * value3) + 1.0f);
        const long offset4 = offset0 + 4;
        const float value4 = half_value_ushort(in0[offset4]);
        out0[offset4] = half_bits_float(round_half_float(value4 * value4) + 1.0f);
        const long offset5 = offset0 + 5;
        const float value5 = half_value_ushort(in0[offset5]);
        out0[offset5] = half_bits_float(round_half_float(value5 * value5) + 1.0f);
        const long offset6 = offset0 + 6;
        const float value6 = half_value_ushort(in0[offset6]);
        out0[offset6] = half_bits_float(round_half_float(value6 * value6) + 1.0f);
        const long offset7 = offset0 + 7;
        const float value7 = half_value_ushort(in0[offset7]);
        out0[offset7] = half_bits_float(round_half_float(value7 * value7) + 1.0f);
    }
}
