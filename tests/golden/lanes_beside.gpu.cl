#pragma OPENCL FP_CONTRACT ON

// kernel_lanes: out0[3] from in0[96]; 24 x 4 work-items in groups of 8 x 4
__kernel void kernel_lanes(__global float *out0, __global const float *restrict in0) {
    __local float shared1[32];
    __local float shared0[32];
    const long gidx0 = get_group_id(0);
    const long lid0 = get_local_id(0);
    const long lid1 = get_local_id(1);
    const long offset0 = lid1 * 8;
    const long offset1 = lid0 + offset0;
    shared0[offset1] = in0[gidx0 * 32 + lid0 + offset0];
    barrier(CLK_LOCAL_MEM_FENCE);
    const float sum0 = shared0[offset0 + 4] + shared0[offset0 + 5] + (shared0[offset0 + 6] + shared0[offset0 + 7]);
    shared1[offset1] = shared0[offset0] + shared0[offset0 + 1] + (shared0[offset0 + 2] + shared0[offset0 + 3]) + sum0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if ((lid1 < 1) & (lid0 < 1)) out0[gidx0] = shared1[lid0] + shared1[lid0 + 8] + (shared1[lid0 + 16] + shared1[lid0 + 24]);
}
