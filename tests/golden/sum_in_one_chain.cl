#pragma OPENCL FP_CONTRACT ON

typedef float float4_unaligned __attribute__((ext_vector_type(4), aligned(4)));

// row_sum: out0[4] from in0[512]; 4 work-items in groups of 1
__kernel void row_sum(__global float *out0, __global const float *in0) {
    const long gid0 = get_global_id(0);
    float4 acc0 = (float4)(0.0f);
    for (long k0 = 0; k0 < 4; k0++) {
        const long offset0 = gid0 * 128 + k0 * 32;
        acc0 = acc0 + *(__global float4_unaligned *)(in0 + offset0);
        acc0 = acc0 + *(__global float4_unaligned *)(in0 + offset0 + 4);
        acc0 = acc0 + *(__global float4_unaligned *)(in0 + offset0 + 8);
        acc0 = acc0 + *(__global float4_unaligned *)(in0 + offset0 + 12);
        acc0 = acc0 + *(__global float4_unaligned *)(in0 + offset0 + 16);
        acc0 = acc0 + *(__global float4_unaligned *)(in0 + offset0 + 20);
        acc0 = acc0 + *(__global float4_unaligned *)(in0 + offset0 + 24);
        acc0 = acc0 + *(__global float4_unaligned *)(in0 + offset0 + 28);
    }
    const float2 sum0 = acc0.lo + acc0.hi;
    out0[gid0] = sum0.s0 + sum0.s1;
}
