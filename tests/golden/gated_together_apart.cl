#pragma OPENCL FP_CONTRACT ON

typedef float float8_unaligned __attribute__((ext_vector_type(8), aligned(4)));

// kernel_gated: out0[48] from in0[48]; 3 work-items in groups of 1
__kernel void kernel_gated(__global float *out0, __global const float *in0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 16;
    const bool condition0 = gid0 >= 1;
    const long offset1 = gid0 * 8;
    const float8 value0 = *(__global float8_unaligned *)(in0 + offset1);
    if (condition0) out0[offset0] = value0.s0;
    if (condition0) out0[offset0 + 2] = value0.s1;
    if (condition0) out0[offset0 + 4] = value0.s2;
    if (condition0) out0[offset0 + 6] = value0.s3;
    if (condition0) out0[offset0 + 8] = value0.s4;
    if (condition0) out0[offset0 + 10] = value0.s5;
    if (condition0) out0[offset0 + 12] = value0.s6;
    if (condition0) out0[offset0 + 14] = value0.s7;
    const float8 value1 = *(__global float8_unaligned *)(in0 + offset1 + 24);
    if (condition0) out0[offset0 + 1] = value1.s0;
    if (condition0) out0[offset0 + 3] = value1.s1;
    if (condition0) out0[offset0 + 5] = value1.s2;
    if (condition0) out0[offset0 + 7] = value1.s3;
    if (condition0) out0[offset0 + 9] = value1.s4;
    if (condition0) out0[offset0 + 11] = value1.s5;
    if (condition0) out0[offset0 + 13] = value1.s6;
    if (condition0) out0[offset0 + 15] = value1.s7;
}
