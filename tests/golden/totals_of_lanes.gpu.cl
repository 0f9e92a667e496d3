#pragma OPENCL FP_CONTRACT ON

// row_totals: out0[3] from in0[132]; 33 work-items in groups of 11
__attribute__((reqd_work_group_size(11, 1, 1))) __kernel void row_totals(__global float *out0, __global const float *restrict in0) {
    __local float shared0[11] __attribute__((aligned(16)));
    const int gidx0 = get_group_id(0);
    const int lid0 = get_local_id(0);
    const float4 value0 = *(__global const float4 *)(in0 + gidx0 * 44 + lid0 * 4);
    const float2 sum0 = value0.lo + value0.hi;
    shared0[lid0] = sum0.s0 + sum0.s1 + 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    const float4 value1 = *(__local const float4 *)(shared0);
    const float4 value2 = *(__local const float4 *)(shared0 + 4);
    const float sum1 = value1.s0 + value1.s1 + (value1.s2 + value1.s3) + (value2.s0 + value2.s1 + (value2.s2 + value2.s3));
    const float2 value3 = *(__local const float2 *)(shared0 + 8);
    if (lid0 < 1) out0[gidx0] = sum1 + (value3.s0 + value3.s1 + shared0[10]);
}
