#pragma OPENCL FP_CONTRACT ON

typedef float float8_unaligned __attribute__((ext_vector_type(8), aligned(4)));

// kernel_elementwise: out0[64], out1[64], out2[64], out3[64] from in0[64]; 8 work-items in groups of 1
__kernel void kernel_elementwise(__global float *out0, __global float *out1, __global float *out2, __global float *out3, __global const float *in0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 8;
    const float8 value0 = *(__global float8_unaligned *)(in0 + offset0);
    *(__global float8_unaligned *)(out0 + offset0) = value0 + 0.1f;
    *(__global float8_unaligned *)(out1 + offset0) = value0 + INFINITY;
    *(__global float8_unaligned *)(out2 + offset0) = value0 + NAN;
    *(__global float8_unaligned *)(out3 + offset0) = value0 + -1e-40f;
}
