#pragma OPENCL FP_CONTRACT ON

typedef float float8_unaligned __attribute__((ext_vector_type(8), aligned(4)));

// 2 to the power of x: its whole part through exponent bits, in two steps because of denormals; its fraction by a polynomial.
inline float8 exp2_float8(const float8 x) {
    const float8 above = x < -151.0f ? (float8)(-151.0f) : x;
    const float8 clamped = above > 129.0f ? (float8)(129.0f) : above;
    const float8 shifted = clamped + 12582912.0f;
    const int8 whole = as_int8(shifted) - 0x4b400000;
    const int8 first = whole >> 1;
    const float8 f = clamped - (shifted - 12582912.0f);
    float8 p = f * 1.5353362e-4f + 1.3398875e-3f;
    p = p * f + 9.618437e-3f;
    p = p * f + 5.5503324e-2f;
    p = p * f + 2.4022648e-1f;
    p = p * f + 6.931472e-1f;
    p = p * f + 1.0f;
    return p * as_float8((first + 127) << 23) * as_float8((whole - first + 127) << 23);
}

// kernel_elementwise: out0[64] from in0[64]; 8 work-items in groups of 1
__kernel void kernel_elementwise(__global float *out0, __global const float *in0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 8;
    *(__global float8_unaligned *)(out0 + offset0) = exp2_float8(*(__global float8_unaligned *)(in0 + offset0));
}
