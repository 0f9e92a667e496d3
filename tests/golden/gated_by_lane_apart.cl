#pragma OPENCL FP_CONTRACT ON

typedef float float8_unaligned __attribute__((ext_vector_type(8), aligned(4)));

// kernel_gated: out0[48] from in0[48]; 3 work-items in groups of 1
__kernel void kernel_gated(__global float *out0, __global const float *in0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 16;
    const long offset1 = gid0 * 8;
    const float8 value0 = *(__global float8_unaligned *)(in0 + offset1);
    out0[offset0] = value0.s0;
    out0[offset0 + 2] = value0.s1;
    out0[offset0 + 4] = value0.s2;
    const long offset2 = offset0 + 6;
    if (offset2 < 37) out0[offset2] = value0.s3;
    const long offset3 = offset0 + 8;
    if (offset3 < 37) out0[offset3] = value0.s4;
    const long offset4 = offset0 + 10;
    if (offset4 < 37) out0[offset4] = value0.s5;
    const long offset5 = offset0 + 12;
    if (offset5 < 37) out0[offset5] = value0.s6;
    const long offset6 = offset0 + 14;
    if (offset6 < 37) out0[offset6] = value0.s7;
    const float8 value1 = *(__global float8_unaligned *)(in0 + offset1 + 24);
    out0[offset0 + 1] = value1.s0;
    out0[offset0 + 3] = value1.s1;
    const long offset7 = offset0 + 5;
    if (offset7 < 37) out0[offset7] = value1.s2;
    const long offset8 = offset0 + 7;
    if (offset8 < 37) out0[offset8] = value1.s3;
    const long offset9 = offset0 + 9;
    if (offset9 < 37) out0[offset9] = value1.s4;
    const long offset10 = offset0 + 11;
    if (offset10 < 37) out0[offset10] = value1.s5;
    const long offset11 = offset0 + 13;
    if (offset11 < 37) out0[offset11] = value1.s6;
    const long offset12 = offset0 + 15;
    if (offset12 < 37) out0[offset12] = value1.s7;
}
