#pragma OPENCL FP_CONTRACT ON

// kernel_rows: out0[4] from in0[64]; 16 work-items in groups of 16
__kernel void kernel_rows(__global float *out0, __global const float *restrict in0) {
    __local float shared1[16];
    __local float shared0[16];
    const long lid0 = get_local_id(0);
    const long offset0 = lid0 / 8 * 8;
    const bool condition0 = lid0 < 1;
    const long offset1 = lid0 % 8;
    for (long i0 = 0; i0 < 4; i0++) {
        shared0[lid0] = in0[lid0 + i0 * 16];
        barrier(CLK_LOCAL_MEM_FENCE);
        const float sum0 = shared0[offset0 + 4] + shared0[offset0 + 5] + (shared0[offset0 + 6] + shared0[offset0 + 7]);
        shared1[lid0] = shared0[offset0] + shared0[offset0 + 1] + (shared0[offset0 + 2] + shared0[offset0 + 3]) + sum0;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (condition0) out0[i0] = shared1[offset1] + shared1[offset1 + 8];
    }
}
