#pragma OPENCL FP_CONTRACT ON

inline float8 round_half_float8(const float8 x) {
    ushort8 bits;
    vstore_half8(x, 0, (half *)&bits);
    return vload_half8(0, (const half *)&bits);
}

// kernel_elementwise: out0[64] from in0[64]; 8 work-items in groups of 1
__kernel void kernel_elementwise(__global half *out0, __global const half *in0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 8;
    const float8 value0 = vload_half8(0, in0 + offset0);
    vstore_half8(round_half_float8(round_half_float8(value0 * value0) + 1.0f), 0, out0 + offset0);
}
