#pragma OPENCL FP_CONTRACT ON

#pragma OPENCL EXTENSION cl_khr_subgroups : enable
static inline float sub_group_reduce_max_float32(const float x) {
    const float found = sub_group_reduce_max(x);
    return sub_group_any(isnan(x)) ? (float)NAN : found;
}

inline float maximum_float(const float a, const float b) { const float c = a < b ? b : a; return b == b ? c : b; }

// row_totals: out0[3] from in0[96]; 48 work-items in groups of 16
__attribute__((reqd_work_group_size(16, 1, 1))) __attribute__((intel_reqd_sub_group_size(8))) __kernel void row_totals(__global float *out0, __global const float *restrict in0) {
    __local float shared0[16] __attribute__((aligned(16)));
    const int gidx0 = get_group_id(0);
    const int lid0 = get_local_id(0);
    float acc0 = -INFINITY;
    for (int k0 = 0; k0 < 2; k0++) {
        acc0 = maximum_float(acc0, in0[gidx0 * 32 + lid0 + k0 * 16]);
    }
    const float value0 = sub_group_reduce_max_float32(acc0);
    shared0[lid0] = value0;
    const int offset0 = lid0 % 8;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid0 < 1) out0[gidx0] = maximum_float(shared0[offset0], shared0[offset0 + 8]);
}
