#pragma OPENCL FP_CONTRACT ON

#define convert_float4(x) __builtin_convertvector(x, float4)

typedef float float4_unaligned __attribute__((ext_vector_type(4), aligned(4)));

// kernel_others: out0[16] from in0[16], in1[1]; 1 work-items in groups of 1
__kernel void kernel_others(__global float *out0, __global const float *in0, __global const int *in1) {
    const bool condition0 = in1[0] < 1;
    const bool condition1 = condition0 & condition0;
    const float4 converted0 = convert_float4((long4)(0L, 1L, 2L, 3L));
    const float4 value0 = condition1 ? *(__global float4_unaligned *)(in0) : (float4)(condition0 ? in0[0] : converted0.s0, 0.0f, 0.0f, 0.0f);
    const float4 value1 = condition1 ? *(__global float4_unaligned *)(in0 + 4) : (float4)(condition0 ? in0[4] : converted0.s1, 0.0f, 0.0f, 0.0f);
    const float4 value2 = condition1 ? *(__global float4_unaligned *)(in0 + 8) : (float4)(condition0 ? in0[8] : converted0.s2, 0.0f, 0.0f, 0.0f);
    const float4 value3 = condition1 ? *(__global float4_unaligned *)(in0 + 9) : (float4)(0.0f, 0.0f, 0.0f, condition0 ? in0[12] : converted0.s3);
    *(__global float4_unaligned *)(out0) = (float4)(value0.s0, value1.s0, value2.s0, value3.s3);
    const float4 value4 = condition1 ? *(__global float4_unaligned *)(in0 + 1) : (float4)(condition0 ? in0[1] : converted0.s0, 0.0f, 0.0f, 0.0f);
    const float4 value5 = condition1 ? *(__global float4_unaligned *)(in0 + 5) : (float4)(condition0 ? in0[5] : converted0.s1, 0.0f, 0.0f, 0.0f);
    const float4 value6 = condition1 ? *(__global float4_unaligned *)(in0 + 9) : (float4)(condition0 ? in0[9] : converted0.s2, 0.0f, 0.0f, 0.0f);
    const float4 value7 = condition1 ? *(__global float4_unaligned *)(in0 + 10) : (float4)(0.0f, 0.0f, 0.0f, condition0 ? in0[13] : converted0.s3);
    *(__global float4_unaligned *)(out0 + 4) = (float4)(value4.s0, value5.s0, value6.s0, value7.s3);
    const float4 value8 = condition1 ? *(__global float4_unaligned *)(in0 + 2) : (float4)(condition0 ? in0[2] : converted0.s0, 0.0f, 0.0f, 0.0f);
    const float4 value9 = condition1 ? *(__global float4_unaligned *)(in0 + 6) : (float4)(condition0 ? in0[6] : converted0.s1, 0.0f, 0.0f, 0.0f);
    const float4 value10 = condition1 ? *(__global float4_unaligned *)(in0 + 10) : (float4)(condition0 ? in0[10] : converted0.s2, 0.0f, 0.0f, 0.0f);
    const float4 value11 = condition1 ? *(__global float4_unaligned *)(in0 + 11) : (float4)(0.0f, 0.0f, 0.0f, condition0 ? in0[14] : converted0.s3);
    *(__global float4_unaligned *)(out0 + 8) = (float4)(value8.s0, value9.s0, value10.s0, value11.s3);
    const float4 value12 = condition1 ? *(__global float4_unaligned *)(in0 + 3) : (float4)(condition0 ? in0[3] : converted0.s0, 0.0f, 0.0f, 0.0f);
    const float4 value13 = condition1 ? *(__global float4_unaligned *)(in0 + 7) : (float4)(condition0 ? in0[7] : converted0.s1, 0.0f, 0.0f, 0.0f);
    const float4 value14 = condition1 ? *(__global float4_unaligned *)(in0 + 11) : (float4)(condition0 ? in0[11] : converted0.s2, 0.0f, 0.0f, 0.0f);
    const float4 value15 = condition1 ? *(__global float4_unaligned *)(in0 + 12) : (float4)(0.0f, 0.0f, 0.0f, condition0 ? in0[15] : converted0.s3);
    *(__global float4_unaligned *)(out0 + 12) = (float4)(value12.s0, value13.s0, value14.s0, value15.s3);
}
