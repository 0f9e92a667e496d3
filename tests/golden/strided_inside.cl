#pragma OPENCL FP_CONTRACT ON

typedef float float8_unaligned __attribute__((ext_vector_type(8), aligned(4)));

// kernel_strided: out0[16] from in0[47]; 2 work-items in groups of 1
__kernel void kernel_strided(__global float *out0, __global const float *in0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 24;
    const float8 value0 = *(__global float8_unaligned *)(in0 + offset0 + 1);
    const float8 value1 = *(__global float8_unaligned *)(in0 + offset0 + 9);
    const float8 value2 = *(__global float8_unaligned *)(in0 + offset0 + 15);
    *(__global float8_unaligned *)(out0 + gid0 * 8) = (float8)(value0.s0, value0.s3, value0.s6, value1.s1, value1.s4, value1.s7, value2.s4, value2.s7);
}
