#pragma OPENCL FP_CONTRACT ON

// kernel_rows: out0[4] from in0[64]; 16 work-items in groups of 16
__attribute__((reqd_work_group_size(16, 1, 1))) __kernel void kernel_rows(__global float *out0, __global const float *restrict in0) {
    __local float shared1[16] __attribute__((aligned(16)));
    __local float shared0[16] __attribute__((aligned(16)));
    const int lid0 = get_local_id(0);
    const int offset0 = lid0 / 8 * 8;
    const bool condition0 = lid0 < 1;
    const int offset1 = lid0 % 8;
    for (int i0 = 0; i0 < 4; i0++) {
        shared0[lid0] = in0[lid0 + i0 * 16];
        barrier(CLK_LOCAL_MEM_FENCE);
        const float4 value0 = *(__local const float4 *)(shared0 + offset0);
        const float4 value1 = *(__local const float4 *)(shared0 + offset0 + 4);
        shared1[lid0] = value0.s0 + value0.s1 + (value0.s2 + value0.s3) + (value1.s0 + value1.s1 + (value1.s2 + value1.s3));
        barrier(CLK_LOCAL_MEM_FENCE);
        if (condition0) out0[i0] = shared1[offset1] + shared1[offset1 + 8];
    }
}
