#pragma OPENCL FP_CONTRACT ON

typedef float float8_unaligned __attribute__((ext_vector_type(8), aligned(4)));

// row_scan: out0[4096] from in0[4096]; 16 work-items in groups of 1
__kernel void row_scan(__global float *out0, __global const float *in0) {
    const long gid0 = get_global_id(0);
    float acc0 = 0.0f;
    for (long i0 = 0; i0 < 16; i0++) {
        const float value0 = acc0;
        const long offset0 = gid0 * 256 + i0 * 16;
        const float8 value1 = *(__global float8_unaligned *)(in0 + offset0);
        const float8 sum0 = value1 + (float8)(0.0f, value1.s0, value1.s1, value1.s2, value1.s3, value1.s4, value1.s5, value1.s6);
        const float8 sum1 = sum0 + (float8)(0.0f, 0.0f, sum0.s0, sum0.s1, sum0.s2, sum0.s3, sum0.s4, sum0.s5);
        const float8 sum2 = sum1 + (float8)(0.0f, 0.0f, 0.0f, 0.0f, sum1.s0, sum1.s1, sum1.s2, sum1.s3);
        const long offset1 = offset0 + 8;
        const float8 value2 = *(__global float8_unaligned *)(in0 + offset1);
        const float8 sum3 = value2 + (float8)(0.0f, value2.s0, value2.s1, value2.s2, value2.s3, value2.s4, value2.s5, value2.s6);
        const float8 sum4 = sum3 + (float8)(0.0f, 0.0f, sum3.s0, sum3.s1, sum3.s2, sum3.s3, sum3.s4, sum3.s5);
        const float8 sum5 = sum4 + (float8)(0.0f, 0.0f, 0.0f, 0.0f, sum4.s0, sum4.s1, sum4.s2, sum4.s3);
        acc0 = value0 + (sum2.s7 + sum5.s7);
        *(__global float8_unaligned *)(out0 + offset0) = value0 + sum2;
        const float sum6 = value0 + sum2.s7;
        *(__global float8_unaligned *)(out0 + offset1) = sum6 + sum5;
    }
}
