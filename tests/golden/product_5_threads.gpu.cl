#pragma OPENCL FP_CONTRACT ON

// kernel_matrices: out0[10] from in0[20], in1[10], in2[10]; 5 work-items in groups of 5
__kernel void kernel_matrices(__global const float *restrict in0, __global const float *restrict in1, __global const float *restrict in2, __global float *out0) {
    __local float shared1[10];
    __local float shared0[4];
    const long lid0 = get_local_id(0);
    const long offset0 = lid0 % 5;
    const bool condition0 = offset0 < 1;
    const long offset1 = offset0 % 5 * 2;
    const long offset2 = offset1 + 1;
    const long offset3 = lid0 / 5;
    const long offset4 = offset3 * 4;
    const long offset5 = offset1 / 5 * 2 + offset4;
    const long offset6 = offset2 / 5 * 2 + offset4;
    const long offset7 = offset3 * 10;
    const long offset8 = offset1 % 5 + offset7;
    const long offset9 = offset2 % 5 + offset7;
    const long offset10 = lid0 * 2;
    const long offset11 = lid0 * 4;
    const float4 value0 = vload4(0, in0 + offset11);
    const float2 value1 = vload2(0, in1 + offset10);
    const float2 value2 = vload2(0, in2 + offset10);
    if (condition0) shared0[offset4] = value0.s0;
    if (condition0) shared0[offset4 + 1] = value0.s1;
    if (condition0) shared0[offset4 + 2] = value0.s2;
    if (condition0) shared0[offset4 + 3] = value0.s3;
    shared1[offset1 + offset7] = value1.s0;
    shared1[offset2 + offset7] = value1.s1;
    barrier(CLK_LOCAL_MEM_FENCE);
    const float sum0 = shared0[offset5 + 1] * shared1[offset8 + 5] + (shared0[offset5] * shared1[offset8] + value2.s0);
    const float sum1 = shared0[offset6 + 1] * shared1[offset9 + 5] + (shared0[offset6] * shared1[offset9] + value2.s1);
    vstore2((float2)(sum0, sum1), 0, out0 + offset10);
}
