#pragma OPENCL FP_CONTRACT ON

inline float maximum_float(const float a, const float b) { const float c = a < b ? b : a; return b == b ? c : b; }

// row_totals: out0[3] from in0[96]; 48 work-items in groups of 16
__attribute__((reqd_work_group_size(16, 1, 1))) __kernel void row_totals(__global float *out0, __global const float *restrict in0) {
    __local float shared1[16] __attribute__((aligned(16)));
    __local float shared0[16] __attribute__((aligned(16)));
    const int gidx0 = get_group_id(0);
    const int lid0 = get_local_id(0);
    float acc0 = -INFINITY;
    for (int k0 = 0; k0 < 2; k0++) {
        acc0 = maximum_float(acc0, in0[gidx0 * 32 + lid0 + k0 * 16]);
    }
    shared0[lid0] = acc0;
    const int offset0 = lid0 / 8 * 8;
    barrier(CLK_LOCAL_MEM_FENCE);
    const float4 value0 = *(__local const float4 *)(shared0 + offset0);
    const float4 value1 = *(__local const float4 *)(shared0 + offset0 + 4);
    shared1[lid0] = maximum_float(maximum_float(maximum_float(value0.s0, value0.s1), maximum_float(value0.s2, value0.s3)), maximum_float(maximum_float(value1.s0, value1.s1), maximum_float(value1.s2, value1.s3)));
    const int offset1 = lid0 % 8;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid0 < 1) out0[gidx0] = maximum_float(shared1[offset1], shared1[offset1 + 8]);
}
