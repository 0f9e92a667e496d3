#pragma OPENCL FP_CONTRACT ON

// row_totals: out0[3] from in0[72]; 36 work-items in groups of 12
__attribute__((reqd_work_group_size(12, 1, 1))) __kernel void row_totals(__global int *out0, __global const int *restrict in0) {
    __local int shared1[12] __attribute__((aligned(16)));
    __local int shared0[12] __attribute__((aligned(16)));
    const int gidx0 = get_group_id(0);
    const int lid0 = get_local_id(0);
    int acc0 = 1;
    for (int k0 = 0; k0 < 2; k0++) {
        acc0 = (int)((uint)acc0 * (uint)in0[gidx0 * 24 + lid0 + k0 * 12]);
    }
    shared0[lid0] = acc0;
    const int offset0 = lid0 / 6 * 6;
    barrier(CLK_LOCAL_MEM_FENCE);
    const int2 value0 = *(__local const int2 *)(shared0 + offset0);
    const int2 value1 = *(__local const int2 *)(shared0 + offset0 + 2);
    const int2 value2 = *(__local const int2 *)(shared0 + offset0 + 4);
    shared1[lid0] = (int)((uint)value0.s0 * (uint)value0.s1 * ((uint)value1.s0 * (uint)value1.s1) * ((uint)value2.s0 * (uint)value2.s1));
    const int offset1 = lid0 % 6;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid0 < 1) out0[gidx0] = (int)((uint)shared1[offset1] * (uint)shared1[offset1 + 6]);
}
