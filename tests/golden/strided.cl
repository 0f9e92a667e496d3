#pragma OPENCL FP_CONTRACT ON

typedef uchar uchar16_unaligned __attribute__((ext_vector_type(16), aligned(1)));

// kernel_strided: out0[64], out1[64], out2[64] from in0[192]; 4 work-items in groups of 1
__kernel void kernel_strided(__global uchar *out0, __global uchar *out1, __global uchar *out2, __global const uchar *in0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 16;
    const long offset1 = gid0 * 48;
    const uchar16 value0 = *(__global uchar16_unaligned *)(in0 + offset1);
    const uchar16 value1 = *(__global uchar16_unaligned *)(in0 + offset1 + 16);
    const uchar16 vector0 = (uchar16)(__builtin_shufflevector(value0, value1, 0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 17, 20, 23, 26, 29));
    const uchar16 value2 = *(__global uchar16_unaligned *)(in0 + offset1 + 32);
    *(__global uchar16_unaligned *)(out0 + offset0) = (uchar16)(__builtin_shufflevector(vector0, value2, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 17, 20, 23, 26, 29));
    const uchar16 vector1 = (uchar16)(__builtin_shufflevector(value0, value1, 1, 4, 7, 10, 13, 16, 19, 22, 25, 28, 31, 18, 21, 24, 27, 30));
    *(__global uchar16_unaligned *)(out1 + offset0) = (uchar16)(__builtin_shufflevector(vector1, value2, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 18, 21, 24, 27, 30));
    const uchar16 vector2 = (uchar16)(__builtin_shufflevector(value0, value1, 2, 5, 8, 11, 14, 17, 20, 23, 26, 29, 16, 19, 22, 25, 28, 31));
    *(__global uchar16_unaligned *)(out2 + offset0) = (uchar16)(__builtin_shufflevector(vector2, value2, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 19, 22, 25, 28, 31));
}
