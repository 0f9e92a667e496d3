#pragma OPENCL FP_CONTRACT ON

// kernel_matrices: out0[8] from in0[8], in1[4], in2[8]; 1 work-items in groups of 1
__kernel void kernel_matrices(__global const float *restrict in0, __global const float *restrict in1, __global const float *restrict in2, __global float *out0) {
    const float8 value0 = (float8)(*(__global const float4 *)(in0), *(__global const float4 *)(in0 + 0 + 4));
    const float4 value1 = *(__global const float4 *)(in1);
    const float8 value2 = (float8)(*(__global const float4 *)(in2), *(__global const float4 *)(in2 + 0 + 4));
    vstore8((float8)(value0.s1 * value1.s2 + (value0.s0 * value1.s0 + value2.s0), value0.s1 * value1.s3 + (value0.s0 * value1.s1 + value2.s1), value0.s3 * value1.s2 + (value0.s2 * value1.s0 + value2.s2), value0.s3 * value1.s3 + (value0.s2 * value1.s1 + value2.s3), value0.s5 * value1.s2 + (value0.s4 * value1.s0 + value2.s4), value0.s5 * value1.s3 + (value0.s4 * value1.s1 + value2.s5), value0.s7 * value1.s2 + (value0.s6 * value1.s0 + value2.s6), value0.s7 * value1.s3 + (value0.s6 * value1.s1 + value2.s7)), 0, out0);
}
