#pragma OPENCL FP_CONTRACT ON

typedef float float16_unaligned __attribute__((ext_vector_type(16), aligned(4)));

// kernel_strided: out0[32], out1[32], out2[32], out3[32], out4[32] from in0[69]; 2 work-items in groups of 1
__kernel void kernel_strided(__global float *out0, __global float *out1, __global float *out2, __global float *out3, __global float *out4, __global const float *in0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 16;
    const long offset1 = gid0 * 32;
    const float16 value0 = *(__global float16_unaligned *)(in0 + offset1);
    const float16 value1 = *(__global float16_unaligned *)(in0 + offset1 + 16);
    *(__global float16_unaligned *)(out0 + offset0) = (float16)(__builtin_shufflevector(value0, value1, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30));
    *(__global float16_unaligned *)(out1 + offset0) = (float16)(__builtin_shufflevector(value0, value1, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31));
    const float16 value2 = *(__global float16_unaligned *)(in0 + offset1 + 2);
    const float16 value3 = *(__global float16_unaligned *)(in0 + offset1 + 18);
    *(__global float16_unaligned *)(out2 + offset0) = (float16)(__builtin_shufflevector(value2, value3, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30));
    *(__global float16_unaligned *)(out3 + offset0) = (float16)(__builtin_shufflevector(value2, value3, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31));
    const float16 value4 = *(__global float16_unaligned *)(in0 + offset1 + 4);
    const float16 value5 = *(__global float16_unaligned *)(in0 + offset1 + 20);
    *(__global float16_unaligned *)(out4 + offset0) = (float16)(__builtin_shufflevector(value4, value5, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30));
}
