#pragma OPENCL FP_CONTRACT ON

// kernel_matrices: out0[4] from in0[4], in1[4], in2[4]; 4 work-items in groups of 4
__attribute__((reqd_work_group_size(4, 1, 1))) __kernel void kernel_matrices(__global const float *restrict in0, __global const float *restrict in1, __global const float *restrict in2, __global float *out0) {
    __local float shared1[4] __attribute__((aligned(16)));
    __local float shared0[4] __attribute__((aligned(16)));
    const int lid0 = get_local_id(0);
    const int offset0 = lid0 % 4 % 4;
    const int offset1 = lid0 / 4 * 4;
    const int offset2 = offset0 + offset1;
    const int offset3 = offset0 / 2 * 2 + offset1;
    const int offset4 = offset0 % 2 + offset1;
    shared0[offset2] = in0[lid0];
    shared1[offset2] = in1[lid0];
    barrier(CLK_LOCAL_MEM_FENCE);
    out0[lid0] = shared0[offset3 + 1] * shared1[offset4 + 2] + (shared0[offset3] * shared1[offset4] + in2[lid0]);
}
