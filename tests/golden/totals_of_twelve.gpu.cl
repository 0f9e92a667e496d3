#pragma OPENCL FP_CONTRACT ON

// row_totals: out0[3] from in0[72]; 36 work-items in groups of 12
__kernel void row_totals(__global int *out0, __global const int *restrict in0) {
    __local int shared1[12];
    __local int shared0[12];
    const long gidx0 = get_group_id(0);
    const long lid0 = get_local_id(0);
    int acc0 = 1;
    for (long k0 = 0; k0 < 2; k0++) {
        acc0 = (int)((uint)acc0 * (uint)in0[gidx0 * 24 + lid0 + k0 * 12]);
    }
    shared0[lid0] = acc0;
    const long offset0 = lid0 / 6 * 6;
    barrier(CLK_LOCAL_MEM_FENCE);
    shared1[lid0] = (int)((uint)shared0[offset0] * (uint)shared0[offset0 + 1] * ((uint)shared0[offset0 + 2] * (uint)shared0[offset0 + 3]) * ((uint)shared0[offset0 + 4] * (uint)shared0[offset0 + 5]));
    const long offset1 = lid0 % 6;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid0 < 1) out0[gidx0] = (int)((uint)shared1[offset1] * (uint)shared1[offset1 + 6]);
}
