#pragma OPENCL FP_CONTRACT ON

typedef float float8_unaligned __attribute__((ext_vector_type(8), aligned(4)));

// kernel_gated: out0[48] from in0[48]; 3 work-items in groups of 1
__kernel void kernel_gated(__global float *out0, __global const float *in0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 8;
    *(__global float8_unaligned *)(out0 + offset0) = *(__global float8_unaligned *)(in0 + offset0);
    const long offset1 = offset0 + 24;
    const bool condition0 = offset1 < 37;
    const long offset2 = offset0 + 31;
    const bool condition1 = offset2 < 37;
    const bool condition2 = condition0 & condition1;
    const float8 value0 = *(__global float8_unaligned *)(in0 + offset1);
    if (condition2) *(__global float8_unaligned *)(out0 + offset1) = value0;
    const bool condition3 = !condition2;
    if (condition0 & condition3) out0[offset1] = value0.s0;
    const long offset3 = offset0 + 25;
    if ((offset3 < 37) & condition3) out0[offset3] = value0.s1;
    const long offset4 = offset0 + 26;
    if ((offset4 < 37) & condition3) out0[offset4] = value0.s2;
    const long offset5 = offset0 + 27;
    if ((offset5 < 37) & condition3) out0[offset5] = value0.s3;
    const long offset6 = offset0 + 28;
    if ((offset6 < 37) & condition3) out0[offset6] = value0.s4;
    const long offset7 = offset0 + 29;
    if ((offset7 < 37) & condition3) out0[offset7] = value0.s5;
    const long offset8 = offset0 + 30;
    if ((offset8 < 37) & condition3) out0[offset8] = value0.s6;
    if (condition1 & condition3) out0[offset2] = value0.s7;
}
