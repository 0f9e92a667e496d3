#pragma OPENCL FP_CONTRACT ON

// row_sum: out0[4] from in0[96]; 4 work-items in groups of 1
__kernel void row_sum(__global float *out0, __global const float *in0) {
    const long gid0 = get_global_id(0);
    float3 acc0 = (float3)(0.0f);
    float3 acc1 = (float3)(0.0f);
    for (long k0 = 0; k0 < 4; k0++) {
        const long offset0 = gid0 * 24 + k0 * 6;
        acc0 = acc0 + vload3(0, in0 + offset0);
        acc1 = acc1 + vload3(0, in0 + offset0 + 3);
    }
    const float3 sum0 = acc0 + acc1;
    out0[gid0] = sum0.s0 + sum0.s1 + sum0.s2;
}
