#pragma OPENCL FP_CONTRACT ON

typedef float float8_unaligned __attribute__((ext_vector_type(8), aligned(4)));

inline float8 maximum_float8(const float8 a, const float8 b) { const float8 c = a < b ? b : a; return b == b ? c : b; }

inline float4 maximum_float4(const float4 a, const float4 b) { const float4 c = a < b ? b : a; return b == b ? c : b; }

inline float2 maximum_float2(const float2 a, const float2 b) { const float2 c = a < b ? b : a; return b == b ? c : b; }

inline float maximum_float(const float a, const float b) { const float c = a < b ? b : a; return b == b ? c : b; }

// 2^(n + f) for |f| <= 1/2; the low bits of `shifted` are n + 2·127. Half of f is exact: what is added to it rounds in fewer places.
inline float8 exp2_near_float8(const float8 f, const float8 shifted) {
#pragma OPENCL FP_CONTRACT ON
    float8 p = f * 0.0001438343f + 0.0013396933f;
    p = p * f + 0.009621785f;
    p = p * f + 0.055503394f;
    p = p * f + 0.24022622f;
    p = p * f + 0.1931472f;
    const uint8 n = as_uint8(shifted), half_n = (n << (23 - 1)) & ~(uint8)(0x007fffffu);
    const float8 first = as_float8(half_n), second = as_float8((n << 23) - half_n);
    return ((p * f + f * 0.5f) * first + first) * second;
}

inline float8 exp2_float8(const float8 x) {
    const float8 above = x < -151.0f ? (float8)(0.0f) : x;
    const float8 clamped = above > 129.0f ? (float8)(129.0f) : above;
    const float8 shifted = clamped + 1.2583166e+07f, power = exp2_near_float8(clamped - (shifted - 1.2583166e+07f), shifted);
    return x < -151.0f ? (float8)(0.0f) : power;
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
