#pragma OPENCL FP_CONTRACT ON

typedef float float8_unaligned __attribute__((ext_vector_type(8), aligned(4)));

// kernel_padded: out0[72] from in0[144]; 3 work-items in groups of 1
__kernel void kernel_padded(__global float *out0, __global const float *in0) {
    const long gid0 = get_global_id(0);
    const bool condition0 = gid0 >= 1;
    for (long i0 = 0; i0 < 3; i0++) {
        const long offset0 = gid0 * 48 + i0 * 16;
        const float8 value0 = condition0 ? *(__global float8_unaligned *)(in0 + offset0 + 1) : (float8)(7.0f);
        const float8 value1 = condition0 ? *(__global float8_unaligned *)(in0 + offset0 + 8) : (float8)(7.0f);
        *(__global float8_unaligned *)(out0 + gid0 * 24 + i0 * 8) = (float8)(__builtin_shufflevector(value0, value1, 0, 2, 4, 6, 9, 11, 13, 15));
    }
}
