#pragma OPENCL FP_CONTRACT ON

typedef float float8_unaligned __attribute__((ext_vector_type(8), aligned(4)));

// kernel_woven: out0[72] from in0[72]; 3 work-items in groups of 1
__kernel void kernel_woven(__global float *out0, __global const float *in0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 24;
    const long offset1 = gid0 * 8;
    const float8 value0 = *(__global float8_unaligned *)(in0 + offset1);
    const float8 value1 = *(__global float8_unaligned *)(in0 + offset1 + 24);
    const float8 vector0 = (float8)(__builtin_shufflevector(value0, value1, 0, 8, 8, 1, 9, 9, 2, 10));
    const float8 value2 = *(__global float8_unaligned *)(in0 + offset1 + 48);
    *(__global float8_unaligned *)(out0 + offset0) = (float8)(__builtin_shufflevector(vector0, value2, 0, 1, 8, 3, 4, 9, 6, 7));
    const float8 vector1 = (float8)(__builtin_shufflevector(value1, value0, 2, 11, 3, 3, 12, 4, 4, 13));
    *(__global float8_unaligned *)(out0 + offset0 + 8) = (float8)(__builtin_shufflevector(value2, vector1, 2, 9, 10, 3, 12, 13, 4, 15));
    const float8 vector2 = (float8)(__builtin_shufflevector(value1, value0, 5, 5, 14, 6, 6, 15, 7, 7));
    *(__global float8_unaligned *)(out0 + offset0 + 16) = (float8)(__builtin_shufflevector(vector2, value2, 0, 13, 2, 3, 14, 5, 6, 15));
}
