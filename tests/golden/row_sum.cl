#pragma OPENCL FP_CONTRACT ON

typedef float float8_unaligned __attribute__((ext_vector_type(8), aligned(4)));

// row_sum: out0[16] from in0[4096]; 16 work-items in groups of 1
__kernel void row_sum(__global float *out0, __global const float *in0) {
    const long gid0 = get_global_id(0);
    float8 acc0 = (float8)(0.0f);
    float8 acc1 = (float8)(0.0f);
    float8 acc2 = (float8)(0.0f);
    float8 acc3 = (float8)(0.0f);
    for (long k0 = 0; k0 < 8; k0++) {
        const long offset0 = gid0 * 256 + k0 * 32;
        acc0 = acc0 + *(__global float8_unaligned *)(in0 + offset0);
        acc1 = acc1 + *(__global float8_unaligned *)(in0 + offset0 + 8);
        acc2 = acc2 + *(__global float8_unaligned *)(in0 + offset0 + 16);
        acc3 = acc3 + *(__global float8_unaligned *)(in0 + offset0 + 24);
    }
    const float8 sum0 = acc0 + acc1 + (acc2 + acc3);
    const float4 sum1 = sum0.lo + sum0.hi;
    const float2 sum2 = sum1.lo + sum1.hi;
    out0[gid0] = sum2.s0 + sum2.s1;
}
