#pragma OPENCL FP_CONTRACT ON

// kernel_lanes: out0[96] from in0[96]; 24 x 4 work-items in groups of 8 x 4
__attribute__((reqd_work_group_size(8, 4, 1))) __kernel void kernel_lanes(__global float *out0, __global const float *restrict in0) {
    __local float shared1[32] __attribute__((aligned(16)));
    __local float shared0[32] __attribute__((aligned(16)));
    const int gidx0 = get_group_id(0);
    const int lid0 = get_local_id(0);
    const int lid1 = get_local_id(1);
    const int offset0 = lid1 * 8;
    const int offset1 = lid0 + offset0;
    const int offset2 = gidx0 * 32 + lid0 + offset0;
    const float value0 = in0[offset2];
    shared0[offset1] = value0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const float4 value1 = *(__local const float4 *)(shared0 + offset0);
    const float4 value2 = *(__local const float4 *)(shared0 + offset0 + 4);
    shared1[offset1] = value1.s0 + value1.s1 + (value1.s2 + value1.s3) + (value2.s0 + value2.s1 + (value2.s2 + value2.s3));
    barrier(CLK_LOCAL_MEM_FENCE);
    out0[offset2] = value0 - (shared1[lid0] + shared1[lid0 + 8] + (shared1[lid0 + 16] + shared1[lid0 + 24]));
}
