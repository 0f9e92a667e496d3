#pragma OPENCL FP_CONTRACT ON

// kernel_columns: out0[8] from in0[64]; 16 work-items in groups of 8
__kernel void kernel_columns(__global float *out0, __global const float *restrict in0) {
    __local float shared0[32];
    const long gidx0 = get_group_id(0);
    const long lid0 = get_local_id(0);
    const long offset0 = gidx0 * 4;
    vstore4(vload4(0, in0 + offset0 + lid0 * 8), 0, shared0 + lid0 * 4);
    barrier(CLK_LOCAL_MEM_FENCE);
    const float4 sum0 = vload4(0, shared0) + vload4(0, shared0 + 4) + (vload4(0, shared0 + 8) + vload4(0, shared0 + 12));
    const float4 sum1 = vload4(0, shared0 + 16) + vload4(0, shared0 + 20) + (vload4(0, shared0 + 24) + vload4(0, shared0 + 28));
    if (lid0 < 1) vstore4(sum0 + sum1, 0, out0 + offset0);
}
