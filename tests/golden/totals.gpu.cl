#pragma OPENCL FP_CONTRACT ON

// row_totals: out0[3] from in0[384]; 192 work-items in groups of 64
__kernel void row_totals(__global float *out0, __global const float *restrict in0) {
    __local float shared1[64];
    __local float shared0[64];
    const long gidx0 = get_group_id(0);
    const long lid0 = get_local_id(0);
    float acc0 = 0.0f;
    for (long k0 = 0; k0 < 2; k0++) {
        acc0 = acc0 + in0[gidx0 * 128 + lid0 + k0 * 64];
    }
    shared0[lid0] = acc0;
    const long offset0 = lid0 / 8 * 8;
    barrier(CLK_LOCAL_MEM_FENCE);
    const float sum0 = shared0[offset0 + 4] + shared0[offset0 + 5] + (shared0[offset0 + 6] + shared0[offset0 + 7]);
    shared1[lid0] = shared0[offset0] + shared0[offset0 + 1] + (shared0[offset0 + 2] + shared0[offset0 + 3]) + sum0;
    const long offset1 = lid0 % 8;
    barrier(CLK_LOCAL_MEM_FENCE);
    const float sum1 = shared1[offset1 + 32] + shared1[offset1 + 40] + (shared1[offset1 + 48] + shared1[offset1 + 56]);
    if (lid0 < 1) out0[gidx0] = shared1[offset1] + shared1[offset1 + 8] + (shared1[offset1 + 16] + shared1[offset1 + 24]) + sum1;
}
