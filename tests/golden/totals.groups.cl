#pragma OPENCL FP_CONTRACT ON

#pragma OPENCL EXTENSION cl_khr_subgroups : enable

// row_totals: out0[3] from in0[384]; 192 work-items in groups of 64
__attribute__((reqd_work_group_size(64, 1, 1))) __attribute__((intel_reqd_sub_group_size(8))) __kernel void row_totals(__global float *out0, __global const float *restrict in0) {
    __local float shared0[64] __attribute__((aligned(16)));
    const int gidx0 = get_group_id(0);
    const int lid0 = get_local_id(0);
    float acc0 = 0.0f;
    for (int k0 = 0; k0 < 2; k0++) {
        acc0 = acc0 + in0[gidx0 * 128 + lid0 + k0 * 64];
    }
    const float value0 = sub_group_reduce_add(acc0);
    shared0[lid0] = value0;
    const int offset0 = lid0 % 8;
    barrier(CLK_LOCAL_MEM_FENCE);
    const float sum0 = shared0[offset0 + 32] + shared0[offset0 + 40] + (shared0[offset0 + 48] + shared0[offset0 + 56]);
    if (lid0 < 1) out0[gidx0] = shared0[offset0] + shared0[offset0 + 8] + (shared0[offset0 + 16] + shared0[offset0 + 24]) + sum0;
}
