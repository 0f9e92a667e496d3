#pragma OPENCL FP_CONTRACT ON

// kernel_tile: out0[48] from in0[768]; 16 x 2 work-items in groups of 8 x 2
__attribute__((reqd_work_group_size(8, 2, 1))) __kernel void kernel_tile(__global float *out0, __global const float *restrict in0) {
    __local float shared0[192] __attribute__((aligned(16)));
    const int gidx0 = get_group_id(0);
    const int lid0 = get_local_id(0);
    const int lid1 = get_local_id(1);
    const int offset0 = lid0 * 4;
    float4 acc0 = (float4)(0.0f);
    float4 acc1 = (float4)(0.0f);
    float4 acc2 = (float4)(0.0f);
    for (int k0 = 0; k0 < 2; k0++) {
        const int offset1 = gidx0 * 384 + lid1 * 192 + offset0 + k0 * 32;
        acc0 = acc0 + *(__global const float4 *)(in0 + offset1);
        acc1 = acc1 + *(__global const float4 *)(in0 + offset1 + 64);
        acc2 = acc2 + *(__global const float4 *)(in0 + offset1 + 128);
    }
    const int offset2 = lid1 * 32;
    const int offset3 = offset2 + offset0;
    *(__local float4 *)(shared0 + offset3) = acc0;
    *(__local float4 *)(shared0 + offset3 + 64) = acc1;
    *(__local float4 *)(shared0 + offset3 + 128) = acc2;
    const int offset4 = gidx0 * 24 + lid1 * 12;
    const bool condition0 = lid0 < 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    const float4 sum0 = *(__local const float4 *)(shared0 + offset2) + *(__local const float4 *)(shared0 + offset2 + 4);
    const float4 sum1 = *(__local const float4 *)(shared0 + offset2 + 8) + *(__local const float4 *)(shared0 + offset2 + 12);
    const float4 sum2 = *(__local const float4 *)(shared0 + offset2 + 16) + *(__local const float4 *)(shared0 + offset2 + 20);
    const float4 sum3 = *(__local const float4 *)(shared0 + offset2 + 24) + *(__local const float4 *)(shared0 + offset2 + 28);
    if (condition0) *(__global float4 *)(out0 + offset4) = sum0 + sum1 + (sum2 + sum3);
    const float4 sum4 = *(__local const float4 *)(shared0 + offset2 + 64) + *(__local const float4 *)(shared0 + offset2 + 68);
    const float4 sum5 = *(__local const float4 *)(shared0 + offset2 + 72) + *(__local const float4 *)(shared0 + offset2 + 76);
    const float4 sum6 = *(__local const float4 *)(shared0 + offset2 + 80) + *(__local const float4 *)(shared0 + offset2 + 84);
    const float4 sum7 = *(__local const float4 *)(shared0 + offset2 + 88) + *(__local const float4 *)(shared0 + offset2 + 92);
    if (condition0) *(__global float4 *)(out0 + offset4 + 4) = sum4 + sum5 + (sum6 + sum7);
    const float4 sum8 = *(__local const float4 *)(shared0 + offset2 + 128) + *(__local const float4 *)(shared0 + offset2 + 132);
    const float4 sum9 = *(__local const float4 *)(shared0 + offset2 + 136) + *(__local const float4 *)(shared0 + offset2 + 140);
    const float4 sum10 = *(__local const float4 *)(shared0 + offset2 + 144) + *(__local const float4 *)(shared0 + offset2 + 148);
    const float4 sum11 = *(__local const float4 *)(shared0 + offset2 + 152) + *(__local const float4 *)(shared0 + offset2 + 156);
    if (condition0) *(__global float4 *)(out0 + offset4 + 8) = sum8 + sum9 + (sum10 + sum11);
}
