#pragma OPENCL FP_CONTRACT ON

// kernel_matrices: out0[64] from in0[32], in1[32], in2[64]; 16 work-items in groups of 16
__attribute__((reqd_work_group_size(16, 1, 1))) __kernel void kernel_matrices(__global const float *restrict in0, __global const float *restrict in1, __global const float *restrict in2, __global float *out0) {
    __local float shared1[32] __attribute__((aligned(16)));
    __local float shared0[32] __attribute__((aligned(16)));
    const int lid0 = get_local_id(0);
    const int offset0 = lid0 % 16 % 16;
    const int offset1 = offset0 * 2;
    const int offset2 = offset0 * 4;
    const int offset3 = offset2 + 1;
    const int offset4 = offset2 + 2;
    const int offset5 = offset2 + 3;
    const int offset6 = lid0 / 16 * 32;
    const int offset7 = offset1 + offset6;
    const int offset8 = offset1 + 1 + offset6;
    const int offset9 = offset2 / 8 * 4 + offset6;
    const int offset10 = offset2 % 8 + offset6;
    const int offset11 = offset3 / 8 * 4 + offset6;
    const int offset12 = offset3 % 8 + offset6;
    const int offset13 = offset4 / 8 * 4 + offset6;
    const int offset14 = offset4 % 8 + offset6;
    const int offset15 = offset5 / 8 * 4 + offset6;
    const int offset16 = offset5 % 8 + offset6;
    const int offset17 = lid0 * 4;
    const int offset18 = lid0 * 2;
    const float2 value0 = *(__global const float2 *)(in0 + offset18);
    const float2 value1 = *(__global const float2 *)(in1 + offset18);
    const float4 value2 = *(__global const float4 *)(in2 + offset17);
    shared0[offset7] = value0.s0;
    shared0[offset8] = value0.s1;
    shared1[offset7] = value1.s0;
    shared1[offset8] = value1.s1;
    barrier(CLK_LOCAL_MEM_FENCE);
    const float sum0 = shared0[offset9 + 1] * shared1[offset10 + 8] + (shared0[offset9] * shared1[offset10] + value2.s0);
    const float sum1 = shared0[offset9 + 3] * shared1[offset10 + 24] + (shared0[offset9 + 2] * shared1[offset10 + 16] + sum0);
    const float sum2 = shared0[offset11 + 1] * shared1[offset12 + 8] + (shared0[offset11] * shared1[offset12] + value2.s1);
    const float sum3 = shared0[offset11 + 3] * shared1[offset12 + 24] + (shared0[offset11 + 2] * shared1[offset12 + 16] + sum2);
    const float sum4 = shared0[offset13 + 1] * shared1[offset14 + 8] + (shared0[offset13] * shared1[offset14] + value2.s2);
    const float sum5 = shared0[offset13 + 3] * shared1[offset14 + 24] + (shared0[offset13 + 2] * shared1[offset14 + 16] + sum4);
    const float sum6 = shared0[offset15 + 1] * shared1[offset16 + 8] + (shared0[offset15] * shared1[offset16] + value2.s3);
    const float sum7 = shared0[offset15 + 3] * shared1[offset16 + 24] + (shared0[offset15 + 2] * shared1[offset16 + 16] + sum6);
    *(__global float4 *)(out0 + offset17) = (float4)(sum1, sum3, sum5, sum7);
}
