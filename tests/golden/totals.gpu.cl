#pragma OPENCL FP_CONTRACT ON

// row_totals: out0[3] from in0[384]; 192 work-items in groups of 64
__attribute__((reqd_work_group_size(64, 1, 1))) __kernel void row_totals(__global float *out0, __global const float *restrict in0) {
    __local float shared1[64] __attribute__((aligned(16)));
    __local float shared0[64] __attribute__((aligned(16)));
    const int gidx0 = get_group_id(0);
    const int lid0 = get_local_id(0);
    float acc0 = 0.0f;
    for (int k0 = 0; k0 < 2; k0++) {
        acc0 = acc0 + in0[gidx0 * 128 + lid0 + k0 * 64];
    }
    shared0[lid0] = acc0;
    const int offset0 = lid0 / 8 * 8;
    barrier(CLK_LOCAL_MEM_FENCE);
    const float4 value0 = *(__local const float4 *)(shared0 + offset0);
    const float4 value1 = *(__local const float4 *)(shared0 + offset0 + 4);
    shared1[lid0] = value0.s0 + value0.s1 + (value0.s2 + value0.s3) + (value1.s0 + value1.s1 + (value1.s2 + value1.s3));
    const int offset1 = lid0 % 8;
    barrier(CLK_LOCAL_MEM_FENCE);
    const float sum0 = shared1[offset1 + 32] + shared1[offset1 + 40] + (shared1[offset1 + 48] + shared1[offset1 + 56]);
    if (lid0 < 1) out0[gidx0] = shared1[offset1] + shared1[offset1 + 8] + (shared1[offset1 + 16] + shared1[offset1 + 24]) + sum0;
}
