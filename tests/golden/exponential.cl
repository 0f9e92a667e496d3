#pragma OPENCL FP_CONTRACT ON

typedef float float8_unaligned __attribute__((ext_vector_type(8), aligned(4)));

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

// kernel_elementwise: out0[64] from in0[64]; 8 work-items in groups of 1
__kernel void kernel_elementwise(__global float *out0, __global const float *in0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 8;
    *(__global float8_unaligned *)(out0 + offset0) = exp2_float8(*(__global float8_unaligned *)(in0 + offset0));
}
