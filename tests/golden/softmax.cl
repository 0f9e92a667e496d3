#pragma OPENCL FP_CONTRACT ON

typedef float float8_unaligned __attribute__((ext_vector_type(8), aligned(4)));

inline float8 maximum_float8(const float8 a, const float8 b) { const float8 c = a < b ? b : a; return b == b ? c : b; }

inline float4 maximum_float4(const float4 a, const float4 b) { const float4 c = a < b ? b : a; return b == b ? c : b; }

inline float2 maximum_float2(const float2 a, const float2 b) { const float2 c = a < b ? b : a; return b == b ? c : b; }

inline float maximum_float(const float a, const float b) { const float c = a < b ? b : a; return b == b ? c : b; }

// 2^x is 2^n times the result, which is near 1; the low bits of `shifted` are n. Half of f is exact: what is added to it rounds in fewer places.
inline float8 exp2_near_float8(const float8 x, float8 *shifted) {
#pragma OPENCL FP_CONTRACT ON
    *shifted = x + 1.2582912e+07f;
    const float8 f = x - (*shifted - 1.2582912e+07f);
    float8 p = f * 0.0001438343f + 0.0013396933f;
    p = p * f + 0.009621785f;
    p = p * f + 0.055503394f;
    p = p * f + 0.24022622f;
    p = p * f + 0.1931472f;
    return (p * f + f * 0.5f) + 1.0f;
}

inline int any_lane_float8(const int8 mask) {
#ifdef __AVX512DQ__
    return __builtin_ia32_cvtd2mask256(mask) != 0;
#else
    const int4 mask4 = mask.lo | mask.hi;
    const int2 mask2 = mask4.lo | mask4.hi;
    return (mask2.s0 | mask2.s1) != 0;
#endif
}

// near·2^n, which is subnormal where x < -126.0f; the low bits of `shifted` are n.
inline float8 exp2_of_parts_float8(const float8 x, const float8 near, const float8 shifted) {
    const uint8 n = as_uint8(shifted);
    if (!any_lane_float8(~(x >= -126.0f) | (x > 127.0f))) return as_float8(as_uint8(near) + (n << 23));
    const float8 y = near * as_float8((n + (x < -126.0f ? (uint8)(149 + 127) : (x < 0.0f ? (uint8)(127) : (uint8)(127 - 1)))) << 23);
    const float8 whole = as_float8(as_uint8(y + 8.388608e+06f) - as_uint8((float8)(8.388608e+06f)));
    return x < -126.0f ? (x < -151.0f ? (float8)(0.0f) : whole) : x < 0.0f ? y : x > 128.0f ? (float8)(INFINITY) : y + y;
}

inline float8 exp2_float8(const float8 x) {
    float8 shifted;
    const float8 near = exp2_near_float8(x, &shifted);
    return exp2_of_parts_float8(x, near, shifted);
}

// kernel_softmax: out0[4096] from in0[4096]; 16 work-items in groups of 1
__kernel void kernel_softmax(__global float *out0, __global const float *in0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 256;
    float8 acc0 = (float8)(-INFINITY);
    for (long k0 = 0; k0 < 32; k0++) {
        acc0 = maximum_float8(acc0, *(__global float8_unaligned *)(in0 + offset0 + k0 * 8));
    }
    const float4 greater0 = maximum_float4(acc0.lo, acc0.hi);
    const float2 greater1 = maximum_float2(greater0.lo, greater0.hi);
    const float greater2 = maximum_float(greater1.s0, greater1.s1);
    float8 acc1 = (float8)(0.0f);
    for (long k1 = 0; k1 < 32; k1++) {
        const float8 power0 = exp2_float8((*(__global float8_unaligned *)(in0 + offset0 + k1 * 8) - greater2) * 1.442695f);
        acc1 = acc1 + power0;
    }
    const float4 sum0 = acc1.lo + acc1.hi;
    const float2 sum1 = sum0.lo + sum0.hi;
    const float inverse0 = 1.0f / (sum1.s0 + sum1.s1);
    for (long i0 = 0; i0 < 32; i0++) {
        const long offset1 = offset0 + i0 * 8;
        *(__global float8_unaligned *)(out0 + offset1) = exp2_float8((*(__global float8_unaligned *)(in0 + offset1) - greater2) * 1.442695f) * inverse0;
    }
}
