#pragma OPENCL FP_CONTRACT ON

// kernel_matrices: out0[10] from in0[20], in1[10], in2[10]; 5 work-items in groups of 5
__attribute__((reqd_work_group_size(5, 1, 1))) __kernel void kernel_matrices(__global const float *restrict in0, __global const float *restrict in1, __global const float *restrict in2, __global float *out0) {
    __local float shared1[10] __attribute__((aligned(16)));
    __local float shared0[4] __attribute__((aligned(16)));
    const int lid0 = get_local_id(0);
    const int offset0 = lid0 % 5;
    const bool condition0 = offset0 < 1;
    const int offset1 = offset0 % 5 * 2;
    const int offset2 = offset1 + 1;
    const int offset3 = lid0 / 5;
    const int offset4 = offset3 * 4;
    const int offset5 = offset1 / 5 * 2 + offset4;
    const int offset6 = offset2 / 5 * 2 + offset4;
    const int offset7 = offset3 * 10;
    const int offset8 = offset1 % 5 + offset7;
    const int offset9 = offset2 % 5 + offset7;
    const int offset10 = lid0 * 2;
    const int offset11 = lid0 * 4;
    const float4 value0 = *(__global const float4 *)(in0 + offset11);
    const float2 value1 = *(__global const float2 *)(in1 + offset10);
    const float2 value2 = *(__global const float2 *)(in2 + offset10);
    if (condition0) shared0[offset4] = value0.s0;
    if (condition0) shared0[offset4 + 1] = value0.s1;
    if (condition0) shared0[offset4 + 2] = value0.s2;
    if (condition0) shared0[offset4 + 3] = value0.s3;
    shared1[offset1 + offset7] = value1.s0;
    shared1[offset2 + offset7] = value1.s1;
    barrier(CLK_LOCAL_MEM_FENCE);
    const float sum0 = shared0[offset5 + 1] * shared1[offset8 + 5] + (shared0[offset5] * shared1[offset8] + value2.s0);
    const float sum1 = shared0[offset6 + 1] * shared1[offset9 + 5] + (shared0[offset6] * shared1[offset9] + value2.s1);
    *(__global float2 *)(out0 + offset10) = (float2)(sum0, sum1);
}
