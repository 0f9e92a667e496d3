#pragma OPENCL FP_CONTRACT ON

inline float maximum_float(const float a, const float b) { const float c = a < b ? b : a; return b == b ? c : b; }

// row_totals: out0[3] from in0[96]; 48 work-items in groups of 16
__kernel void row_totals(__global float *out0, __global const float *restrict in0) {
    __local float shared1[16];
    __local float shared0[16];
    const long gidx0 = get_group_id(0);
    const long lid0 = get_local_id(0);
    float acc0 = -INFINITY;
    for (long k0 = 0; k0 < 2; k0++) {
        acc0 = maximum_float(acc0, in0[gidx0 * 32 + lid0 + k0 * 16]);
    }
    shared0[lid0] = acc0;
    const long offset0 = lid0 / 8 * 8;
    barrier(CLK_LOCAL_MEM_FENCE);
    const float greater0 = maximum_float(maximum_float(shared0[offset0], shared0[offset0 + 1]), maximum_float(shared0[offset0 + 2], shared0[offset0 + 3]));
    const float greater1 = maximum_float(maximum_float(shared0[offset0 + 4], shared0[offset0 + 5]), maximum_float(shared0[offset0 + 6], shared0[offset0 + 7]));
    shared1[lid0] = maximum_float(greater0, greater1);
    const long offset1 = lid0 % 8;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid0 < 1) out0[gidx0] = maximum_float(shared1[offset1], shared1[offset1 + 8]);
}
