#pragma OPENCL FP_CONTRACT ON

typedef float float4_unaligned __attribute__((ext_vector_type(4), aligned(4)));

// kernel_matmul: out0[64] from in0[256], in1[256]; 2 x 4 work-items in groups of 1 x 1
__kernel void kernel_matmul(__global float *out0, __global const float *in0, __global const float *in1) {
    const long gid0 = get_global_id(0);
    const long gid1 = get_global_id(1);
    const long offset0 = gid0 * 4;
    for (long i0 = 0; i0 < 1; i0++) {
        float4 acc0 = (float4)(0.0f);
        float4 acc1 = (float4)(0.0f);
        float4 acc2 = (float4)(0.0f);
        float4 acc3 = (float4)(0.0f);
        float4 acc4 = (float4)(0.0f);
        float4 acc5 = (float4)(0.0f);
        float4 acc6 = (float4)(0.0f);
        float4 acc7 = (float4)(0.0f);
        for (long k0 = 0; k0 < 8; k0++) {
            const long offset1 = gid1 * 64 + i0 * 64 + k0 * 4;
            const float value0 = in0[offset1];
            const long offset2 = offset0 + k0 * 32;
            const float4 value1 = *(__global float4_unaligned *)(in1 + offset2);
            acc0 = acc0 + value0 * value1;
            const float value2 = in0[offset1 + 32];
            acc4 = acc4 + value2 * value1;
            const float value3 = in0[offset1 + 1];
            const float4 value4 = *(__global float4_unaligned *)(in1 + offset2 + 8);
            acc1 = acc1 + value3 * value4;
            const float value5 = in0[offset1 + 33];
            acc5 = acc5 + value5 * value4;
            const float value6 = in0[offset1 + 2];
            const float4 value7 = *(__global float4_unaligned *)(in1 + offset2 + 16);
            acc2 = acc2 + value6 * value7;
            const float value8 = in0[offset1 + 34];
            acc6 = acc6 + value8 * value7;
            const float value9 = in0[offset1 + 3];
            const float4 value10 = *(__global float4_unaligned *)(in1 + offset2 + 24);
            acc3 = acc3 + value9 * value10;
            const float value11 = in0[offset1 + 35];
            acc7 = acc7 + value11 * value10;
        }
        const long offset3 = gid1 * 16 + offset0 + i0 * 16;
        *(__global float4_unaligned *)(out0 + offset3) = acc0 + acc1 + (acc2 + acc3);
        *(__global float4_unaligned *)(out0 + offset3 + 8) = acc4 + acc5 + (acc6 + acc7);
    }
}
