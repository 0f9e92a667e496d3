#pragma OPENCL FP_CONTRACT ON

// kernel_tile: out0[48] from in0[768]; 16 x 2 work-items in groups of 8 x 2
__kernel void kernel_tile(__global float *out0, __global const float *restrict in0) {
    __local float shared0[192];
    const long gidx0 = get_group_id(0);
    const long lid0 = get_local_id(0);
    const long lid1 = get_local_id(1);
    const long offset0 = lid0 * 4;
    float4 acc0 = (float4)(0.0f);
    float4 acc1 = (float4)(0.0f);
    float4 acc2 = (float4)(0.0f);
    for (long k0 = 0; k0 < 2; k0++) {
        const long offset1 = gidx0 * 384 + lid1 * 192 + offset0 + k0 * 32;
        acc0 = acc0 + vload4(0, in0 + offset1);
        acc1 = acc1 + vload4(0, in0 + offset1 + 64);
        acc2 = acc2 + vload4(0, in0 + offset1 + 128);
    }
    const long offset2 = lid1 * 32;
    const long offset3 = offset2 + offset0;
    vstore4(acc0, 0, shared0 + offset3);
    vstore4(acc1, 0, shared0 + offset3 + 64);
    vstore4(acc2, 0, shared0 + offset3 + 128);
    const long offset4 = gidx0 * 24 + lid1 * 12;
    const bool condition0 = lid0 < 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    const float4 sum0 = vload4(0, shared0 + offset2) + vload4(0, shared0 + offset2 + 4) + (vload4(0, shared0 + offset2 + 8) + vload4(0, shared0 + offset2 + 12));
    const float4 sum1 = vload4(0, shared0 + offset2 + 16) + vload4(0, shared0 + offset2 + 20) + (vload4(0, shared0 + offset2 + 24) + vload4(0, shared0 + offset2 + 28));
    if (condition0) vstore4(sum0 + sum1, 0, out0 + offset4);
    const float4 sum2 = vload4(0, shared0 + offset2 + 64) + vload4(0, shared0 + offset2 + 68) + (vload4(0, shared0 + offset2 + 72) + vload4(0, shared0 + offset2 + 76));
    const float4 sum3 = vload4(0, shared0 + offset2 + 80) + vload4(0, shared0 + offset2 + 84) + (vload4(0, shared0 + offset2 + 88) + vload4(0, shared0 + offset2 + 92));
    if (condition0) vstore4(sum2 + sum3, 0, out0 + offset4 + 4);
    const float4 sum4 = vload4(0, shared0 + offset2 + 128) + vload4(0, shared0 + offset2 + 132) + (vload4(0, shared0 + offset2 + 136) + vload4(0, shared0 + offset2 + 140));
    const float4 sum5 = vload4(0, shared0 + offset2 + 144) + vload4(0, shared0 + offset2 + 148) + (vload4(0, shared0 + offset2 + 152) + vload4(0, shared0 + offset2 + 156));
    if (condition0) vstore4(sum4 + sum5, 0, out0 + offset4 + 8);
}
