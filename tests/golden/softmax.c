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

typedef unsigned int uint;
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

static inline float maximum_float(const float a, const float b) { const float c = a < b ? b : a; return b == b ? c : b; }

// 2^x is 2^n times the result, which is near 1; the low bits of `shifted` are n. Half of f is exact: what is added to it rounds in fewer places.
static inline float exp2_near_float(const float x, float *shifted) {
    *shifted = x + 1.2582912e+07f;
    const float f = x - (*shifted - 1.2582912e+07f);
    float p = f * 0.0001438343f + 0.0013396933f;
    p = p * f + 0.009621785f;
    p = p * f + 0.055503394f;
    p = p * f + 0.24022622f;
    p = p * f + 0.1931472f;
    return (p * f + f * 0.5f) + 1.0f;
}

// near·2^n, which is subnormal where x < -126.0f; the low bits of `shifted` are n.
static inline float exp2_of_parts_float(const float x, const float near, const float shifted) {
    const uint n = as_uint(shifted);
    const float y = near * as_float((n + (x < -126.0f ? (uint)(149 + 127) : (x < 0.0f ? (uint)(127) : (uint)(127 - 1)))) << 23);
    const float whole = as_float(as_uint(y + 8.388608e+06f) - as_uint((float)(8.388608e+06f)));
    return x < -126.0f ? (x < -151.0f ? (float)(0.0f) : whole) : x < 0.0f ? y : x > 128.0f ? (float)(INFINITY) : y + y;
}

static inline float exp2_float(const float x) {
    float shifted;
    const float near = exp2_near_float(x, &shifted);
    return exp2_of_parts_float(x, near, shifted);
}

// kernel_softmax: out0[4096] from in0[4096]
static void kernel_softmax(float *out0, const float *in0) {
    for (long i0 = 0; i0 < 16; i0++) {
        const long offset0 = i0 * 256;
        float acc0 = -INFINITY;
        float acc1 = -INFINITY;
        float acc2 = -INFINITY;
        float acc3 = -INFINITY;
        float acc4 = -INFINITY;
        float acc5 = -INFINITY;
        float acc6 = -INFINITY;
        float acc7 = -INFINITY;
        for (long k0 = 0; k0 < 32; k0++) {
            const long offset1 = offset0 + k0 * 8;
            acc0 = maximum_float(acc0, in0[offset1]);
            acc1 = maximum_float(acc1, in0[offset1 + 4]);
            acc2 = maximum_float(acc2, in0[offset1 + 2]);
            acc3 = maximum_float(acc3, in0[offset1 + 6]);
            acc4 = maximum_float(acc4, in0[offset1 + 1]);
            acc5 = maximum_float(acc5, in0[offset1 + 5]);
            acc6 = maximum_float(acc6, in0[offset1 + 3]);
            acc7 = maximum_float(acc7, in0[offset1 + 7]);
        }
        const float greater0 = maximum_float(maximum_float(maximum_float(acc0, acc1), maximum_float(acc2, acc3)), maximum_float(maximum_float(acc4, acc5), maximum_float(acc6, acc7)));
        float acc8 = 0.0f;
        float acc9 = 0.0f;
        float acc10 = 0.0f;
        float acc11 = 0.0f;
        float acc12 = 0.0f;
        float acc13 = 0.0f;
        float acc14 = 0.0f;
        float acc15 = 0.0f;
        for (long k1 = 0; k1 < 32; k1++) {
            const long offset2 = offset0 + k1 * 8;
            acc8 = acc8 + exp2_float((in0[offset2] - greater0) * 1.442695f);
            acc9 = acc9 + exp2_float((in0[offset2 + 4] - greater0) * 1.442695f);
            acc10 = acc10 + exp2_float((in0[offset2 + 2] - greater0) * 1.442695f);
            acc11 = acc11 + exp2_float((in0[offset2 + 6] - greater0) * 1.442695f);
            acc12 = acc12 + exp2_float((in0[offset2 + 1] - greater0) * 1.442695f);
            acc13 = acc13 + exp2_float((in0[offset2 + 5] - greater0) * 1.442695f);
            acc14 = acc14 + exp2_float((in0[offset2 + 3] - greater0) * 1.442695f);
            acc15 = acc15 + exp2_float((in0[offset2 + 7] - greater0) * 1.442695f);
        }
        const float inverse0 = 1.0f / (acc8 + acc9 + (acc10 + acc11) + (acc12 + acc13 + (acc14 + acc15)));
        for (long i1 = 0; i1 < 32; i1++) {
            const long offset3 = offset0 + i1 * 8;
            out0[offset3] = exp2_float((in0[offset3] - greater0) * 1.442695f) * inverse0;
            const long offset4 = offset3 + 1;
            out0[offset4] = exp2_float((in0[offset4] - greater0) * 1.442695f) * inverse0;
            const long offset5 = offset3 + 2;
            out0[offset5] = exp2_float((in0[offset5] - greater0) * 1.442695f) * inverse0;
            const long offset6 = offset3 + 3;
            out0[offset6] = exp2_float((in0[offset6] - greater0) * 1.442695f) * inverse0;
            const long offset7 = offset3 + 4;
            out0[offset7] = exp2_float((in0[offset7] - greater0) * 1.442695f) * inverse0;
            const long offset8 = offset3 + 5;
            out0[offset8] = exp2_float((in0[offset8] - greater0) * 1.442695f) * inverse0;
            const long offset9 = offset3 + 6;
            out0[offset9] = exp2_float((in0[offset9] - greater0) * 1.442695f) * inverse0;
            const long offset10 = offset3 + 7;
            out0[offset10] = exp2_float((in0[offset10] - greater0) * 1.442695f) * inverse0;
        }
    }
}
