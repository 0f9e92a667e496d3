#pragma OPENCL FP_CONTRACT ON

typedef float float4_unaligned __attribute__((ext_vector_type(4), aligned(4)));

// row_scan: out0[288] from in0[288]; 3 work-items in groups of 1
__kernel void row_scan(__global float *out0, __global const float *in0) {
    const long gid0 = get_global_id(0);
    float acc0 = 0.0f;
    for (long i0 = 0; i0 < 8; i0++) {
        const float value0 = acc0;
        const long offset0 = gid0 * 96 + i0 * 12;
        const float4 value1 = *(__global float4_unaligned *)(in0 + offset0);
        const float4 sum0 = value1 + (float4)(0.0f, value1.s0, value1.s1, value1.s2);
        const float4 sum1 = sum0 + (float4)(0.0f, 0.0f, sum0.s0, sum0.s1);
        const long offset1 = offset0 + 4;
        const float4 value2 = *(__global float4_unaligned *)(in0 + offset1);
        const float4 sum2 = value2 + (float4)(0.0f, value2.s0, value2.s1, value2.s2);
        const float4 sum3 = sum2 + (float4)(0.0f, 0.0f, sum2.s0, sum2.s1);
        const long offset2 = offset0 + 8;
        const float4 value3 = *(__global float4_unaligned *)(in0 + offset2);
        const float4 sum4 = value3 + (float4)(0.0f, value3.s0, value3.s1, value3.s2);
        const float4 sum5 = sum4 + (float4)(0.0f, 0.0f, sum4.s0, sum4.s1);
        acc0 = value0 + (sum1.s3 + sum3.s3 + sum5.s3);
        *(__global float4_unaligned *)(out0 + offset0) = value0 + (float4)(0.0f, sum1.s0, sum1.s1, sum1.s2);
        const float sum6 = value0 + sum1.s3;
        *(__global float4_unaligned *)(out0 + offset1) = sum6 + (float4)(0.0f, sum3.s0, sum3.s1, sum3.s2);
        const float sum7 = sum6 + sum3.s3;
        *(__global float4_unaligned *)(out0 + offset2) = sum7 + (float4)(0.0f, sum5.s0, sum5.s1, sum5.s2);
    }
}
