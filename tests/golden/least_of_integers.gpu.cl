#pragma OPENCL FP_CONTRACT ON

// row_totals: out0[3] from in0[96]; 48 work-items in groups of 16
__attribute__((reqd_work_group_size(16, 1, 1))) __kernel void row_totals(__global long *out0, __global const long *restrict in0) {
    __local long shared1[16] __attribute__((aligned(16)));
    __local long shared0[16] __attribute__((aligned(16)));
    const int gidx0 = get_group_id(0);
    const int lid0 = get_local_id(0);
    long acc0 = 9223372036854775807L;
    for (int k0 = 0; k0 < 2; k0++) {
        acc0 = min(acc0, in0[gidx0 * 32 + lid0 + k0 * 16]);
    }
    shared0[lid0] = acc0;
    const int offset0 = lid0 / 8 * 8;
    barrier(CLK_LOCAL_MEM_FENCE);
    const long2 value0 = *(__local const long2 *)(shared0 + offset0);
    const long2 value1 = *(__local const long2 *)(shared0 + offset0 + 2);
    const long2 value2 = *(__local const long2 *)(shared0 + offset0 + 4);
    const long2 value3 = *(__local const long2 *)(shared0 + offset0 + 6);
    shared1[lid0] = min(min(min(value0.s0, value0.s1), min(value1.s0, value1.s1)), min(min(value2.s0, value2.s1), min(value3.s0, value3.s1)));
    const int offset1 = lid0 % 8;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid0 < 1) out0[gidx0] = min(shared1[offset1], shared1[offset1 + 8]);
}
