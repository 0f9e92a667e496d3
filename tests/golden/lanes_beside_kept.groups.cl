#pragma OPENCL FP_CONTRACT ON

#pragma OPENCL EXTENSION cl_khr_subgroups : enable

// kernel_lanes: out0[96] from in0[96]; 24 x 4 work-items in groups of 8 x 4
__attribute__((reqd_work_group_size(8, 4, 1))) __attribute__((intel_reqd_sub_group_size(8))) __kernel void kernel_lanes(__global float *out0, __global const float *restrict in0) {
    __local float shared0[32] __attribute__((aligned(16)));
    const int gidx0 = get_group_id(0);
    const int lid0 = get_local_id(0);
    const int lid1 = get_local_id(1);
    const int offset0 = lid1 * 8;
    const int offset1 = gidx0 * 32 + lid0 + offset0;
    const float value0 = in0[offset1];
    const float value1 = sub_group_reduce_add(value0);
    shared0[lid0 + offset0] = value1;
    barrier(CLK_LOCAL_MEM_FENCE);
    out0[offset1] = value0 - (shared0[lid0] + shared0[lid0 + 8] + (shared0[lid0 + 16] + shared0[lid0 + 24]));
}
