#pragma OPENCL FP_CONTRACT ON

// row_totals: out0[3] from in0[132]; 33 work-items in groups of 11
__kernel void row_totals(__global float *out0, __global const float *restrict in0) {
    __local float shared0[11];
    const long gidx0 = get_group_id(0);
    const long lid0 = get_local_id(0);
    const float4 value0 = vload4(0, in0 + gidx0 * 44 + lid0 * 4);
    const float2 sum0 = value0.lo + value0.hi;
    shared0[lid0] = sum0.s0 + sum0.s1 + 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    const float sum1 = shared0[0] + shared0[1] + (shared0[2] + shared0[3]) + (shared0[4] + shared0[5] + (shared0[6] + shared0[7]));
    if (lid0 < 1) out0[gidx0] = sum1 + (shared0[8] + shared0[9] + shared0[10]);
}
