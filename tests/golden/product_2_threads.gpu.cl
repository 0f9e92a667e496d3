#pragma OPENCL FP_CONTRACT ON

// kernel_matrices: out0[4] from in0[6], in1[6], in2[4]; 2 work-items in groups of 2
__attribute__((reqd_work_group_size(2, 1, 1))) __kernel void kernel_matrices(__global const float *restrict in0, __global const float *restrict in1, __global const float *restrict in2, __global float *out0) {
    __local float shared1[6] __attribute__((aligned(16)));
    __local float shared0[6] __attribute__((aligned(16)));
    const int lid0 = get_local_id(0);
    const int offset0 = lid0 % 2 % 2;
    const int offset1 = offset0 * 3;
    const int offset2 = offset0 * 2;
    const int offset3 = offset2 + 1;
    const int offset4 = lid0 / 2 * 6;
    const int offset5 = offset1 + offset4;
    const int offset6 = offset1 + 1 + offset4;
    const int offset7 = offset1 + 2 + offset4;
    const int offset8 = offset2 / 2 * 3 + offset4;
    const int offset9 = offset2 % 2 + offset4;
    const int offset10 = offset3 / 2 * 3 + offset4;
    const int offset11 = offset3 % 2 + offset4;
    const int offset12 = lid0 * 2;
    const int offset13 = lid0 * 3;
    const float3 value0 = vload3(0, in0 + offset13);
    const float3 value1 = vload3(0, in1 + offset13);
    const float2 value2 = *(__global const float2 *)(in2 + offset12);
    shared0[offset5] = value0.s0;
    shared0[offset6] = value0.s1;
    shared0[offset7] = value0.s2;
    shared1[offset5] = value1.s0;
    shared1[offset6] = value1.s1;
    shared1[offset7] = value1.s2;
    barrier(CLK_LOCAL_MEM_FENCE);
    const float sum0 = shared0[offset8 + 1] * shared1[offset9 + 2] + (shared0[offset8] * shared1[offset9] + value2.s0);
    const float sum1 = shared0[offset10 + 1] * shared1[offset11 + 2] + (shared0[offset10] * shared1[offset11] + value2.s1);
    *(__global float2 *)(out0 + offset12) = (float2)(shared0[offset8 + 2] * shared1[offset9 + 4] + sum0, shared0[offset10 + 2] * shared1[offset11 + 4] + sum1);
}
