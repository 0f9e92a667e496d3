#pragma OPENCL FP_CONTRACT ON

#pragma OPENCL EXTENSION cl_khr_subgroups : enable

// row_totals: out0[3] from in0[96]; 48 work-items in groups of 16
__attribute__((reqd_work_group_size(16, 1, 1))) __attribute__((intel_reqd_sub_group_size(8))) __kernel void row_totals(__global long *out0, __global const long *restrict in0) {
    __local long shared0[16] __attribute__((aligned(16)));
    const int gidx0 = get_group_id(0);
    const int lid0 = get_local_id(0);
    long acc0 = 9223372036854775807L;
    for (int k0 = 0; k0 < 2; k0++) {
        acc0 = min(acc0, in0[gidx0 * 32 + lid0 + k0 * 16]);
    }
    const long value0 = sub_group_reduce_min(acc0);
    shared0[lid0] = value0;
    const int offset0 = lid0 % 8;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid0 < 1) out0[gidx0] = min(shared0[offset0], shared0[offset0 + 8]);
}
