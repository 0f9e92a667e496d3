#pragma OPENCL FP_CONTRACT ON

typedef float float8_unaligned __attribute__((ext_vector_type(8), aligned(4)));

// kernel_strided: out0[16] from in0[16]; 2 work-items in groups of 1
__kernel void kernel_strided(__global float *out0, __global const float *in0) {
    const long gid0 = get_global_id(0);
    const float8 value0 = *(__global float8_unaligned *)(in0 + gid0 * -8 + 8);
    *(__global float8_unaligned *)(out0 + gid0 * 8) = (float8)(__builtin_shufflevector(value0, value0, 7, 6, 5, 4, 3, 2, 1, 0));
}
