#pragma OPENCL FP_CONTRACT ON

// kernel_columns: out0[8] from in0[64]; 16 work-items in groups of 8
__attribute__((reqd_work_group_size(8, 1, 1))) __kernel void kernel_columns(__global float *out0, __global const float *restrict in0) {
    __local float shared0[32] __attribute__((aligned(16)));
    const int gidx0 = get_group_id(0);
    const int lid0 = get_local_id(0);
    const int offset0 = gidx0 * 4;
    *(__local float4 *)(shared0 + lid0 * 4) = *(__global const float4 *)(in0 + offset0 + lid0 * 8);
    barrier(CLK_LOCAL_MEM_FENCE);
    const float4 sum0 = *(__local const float4 *)(shared0) + *(__local const float4 *)(shared0 + 4) + (*(__local const float4 *)(shared0 + 8) + *(__local const float4 *)(shared0 + 12));
    const float4 sum1 = *(__local const float4 *)(shared0 + 16) + *(__local const float4 *)(shared0 + 20) + (*(__local const float4 *)(shared0 + 24) + *(__local const float4 *)(shared0 + 28));
    if (lid0 < 1) *(__global float4 *)(out0 + offset0) = sum0 + sum1;
}
