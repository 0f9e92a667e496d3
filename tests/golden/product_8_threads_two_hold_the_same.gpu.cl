#pragma OPENCL FP_CONTRACT ON

// kernel_matrices: out0[16] from in0[32], in1[32], in2[16]; 8 work-items in groups of 8
__attribute__((reqd_work_group_size(8, 1, 1))) __kernel void kernel_matrices(__global const float *restrict in0, __global const float *restrict in1, __global const float *restrict in2, __global float *out0) {
    __local float shared1[16] __attribute__((aligned(16)));
    __local float shared0[16] __attribute__((aligned(16)));
    const int lid0 = get_local_id(0);
    const int offset0 = lid0 % 8;
    const bool condition0 = offset0 / 4 < 1;
    const int offset1 = offset0 % 4 * 4;
    const int offset2 = offset0 % 8 * 2;
    const int offset3 = offset2 + 1;
    const int offset4 = lid0 / 8 * 16;
    const int offset5 = offset1 + offset4;
    const int offset6 = offset1 + 1 + offset4;
    const int offset7 = offset1 + 2 + offset4;
    const int offset8 = offset1 + 3 + offset4;
    const int offset9 = offset2 / 4 * 4 + offset4;
    const int offset10 = offset2 % 4 + offset4;
    const int offset11 = offset3 / 4 * 4 + offset4;
    const int offset12 = offset3 % 4 + offset4;
    const int offset13 = lid0 * 2;
    const int offset14 = lid0 * 4;
    const float4 value0 = *(__global const float4 *)(in0 + offset14);
    const float4 value1 = *(__global const float4 *)(in1 + offset14);
    const float2 value2 = *(__global const float2 *)(in2 + offset13);
    if (condition0) shared0[offset5] = value0.s0;
    if (condition0) shared0[offset6] = value0.s1;
    if (condition0) shared0[offset7] = value0.s2;
    if (condition0) shared0[offset8] = value0.s3;
    if (condition0) shared1[offset5] = value1.s0;
    if (condition0) shared1[offset6] = value1.s1;
    if (condition0) shared1[offset7] = value1.s2;
    if (condition0) shared1[offset8] = value1.s3;
    barrier(CLK_LOCAL_MEM_FENCE);
    const float sum0 = shared0[offset9 + 1] * shared1[offset10 + 4] + (shared0[offset9] * shared1[offset10] + value2.s0);
    const float sum1 = shared0[offset9 + 3] * shared1[offset10 + 12] + (shared0[offset9 + 2] * shared1[offset10 + 8] + sum0);
    const float sum2 = shared0[offset11 + 1] * shared1[offset12 + 4] + (shared0[offset11] * shared1[offset12] + value2.s1);
    const float sum3 = shared0[offset11 + 3] * shared1[offset12 + 12] + (shared0[offset11 + 2] * shared1[offset12 + 8] + sum2);
    *(__global float2 *)(out0 + offset13) = (float2)(sum1, sum3);
}
