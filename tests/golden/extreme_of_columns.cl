#pragma OPENCL FP_CONTRACT ON

typedef float float8_unaligned __attribute__((ext_vector_type(8), aligned(4)));
typedef int int8_unaligned __attribute__((ext_vector_type(8), aligned(4)));

// kernel_extremes: out0[32], out1[32] from in0[256]; 2 work-items in groups of 1
__kernel void kernel_extremes(__global float *out0, __global int *out1, __global const float *in0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 16;
    float8 acc0 = (float8)(INFINITY);
    int8 acc1 = (int8)(0);
    float8 acc2 = (float8)(INFINITY);
    int8 acc3 = (int8)(0);
    for (long k0 = 0; k0 < 8; k0++) {
        const long offset1 = offset0 + k0 * 32;
        const float8 value0 = *(__global float8_unaligned *)(in0 + offset1);
        const int8 condition0 = (~(acc0 < value0) & (value0 != acc0)) & (acc0 == acc0);
        acc0 = condition0 ? value0 : acc0;
        const int converted0 = (int)k0;
        acc1 = condition0 ? (int8)(converted0) : acc1;
        const float8 value1 = *(__global float8_unaligned *)(in0 + offset1 + 8);
        const int8 condition1 = (~(acc2 < value1) & (value1 != acc2)) & (acc2 == acc2);
        acc3 = condition1 ? (int8)(converted0) : acc3;
        acc2 = condition1 ? value1 : acc2;
    }
    *(__global float8_unaligned *)(out0 + offset0) = acc0;
    const long offset2 = offset0 + 8;
    *(__global float8_unaligned *)(out0 + offset2) = acc2;
    *(__global int8_unaligned *)(out1 + offset0) = acc1;
    *(__global int8_unaligned *)(out1 + offset2) = acc3;
}
