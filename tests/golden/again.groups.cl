#pragma OPENCL FP_CONTRACT ON

#pragma OPENCL EXTENSION cl_khr_subgroups : enable

// kernel_rows: out0[4] from in0[64]; 16 work-items in groups of 16
__attribute__((reqd_work_group_size(16, 1, 1))) __attribute__((intel_reqd_sub_group_size(8))) __kernel void kernel_rows(__global float *out0, __global const float *restrict in0) {
    __local float shared0[16] __attribute__((aligned(16)));
    const int lid0 = get_local_id(0);
    const bool condition0 = lid0 < 1;
    const int offset0 = lid0 % 8;
    for (int i0 = 0; i0 < 4; i0++) {
        const float value0 = sub_group_reduce_add(in0[lid0 + i0 * 16]);
        barrier(CLK_LOCAL_MEM_FENCE);
        shared0[lid0] = value0;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (condition0) out0[i0] = shared0[offset0] + shared0[offset0 + 8];
    }
}
