#pragma OPENCL FP_CONTRACT ON

typedef int int4_unaligned __attribute__((ext_vector_type(4), aligned(4)));

// kernel_transposed: out0[96] from in0[96]; 2 work-items in groups of 1
__kernel void kernel_transposed(__global int *out0, __global const int *in0) {
    const long gid0 = get_global_id(0);
    for (long i0 = 0; i0 < 3; i0++) {
        const long offset0 = gid0 * 48 + i0 * 4;
        const long offset1 = gid0 * 4 + i0 * 32;
        const bool condition0 = i0 >= 1;
        const int4 value0 = condition0 ? *(__global int4_unaligned *)(in0 + offset1) : (int4)(0);
        const int4 value1 = condition0 ? *(__global int4_unaligned *)(in0 + offset1 + 16) : (int4)(0);
        const int4 vector0 = (int4)(__builtin_shufflevector(value0, value1, 0, 4, 1, 5));
        const int4 value2 = condition0 ? *(__global int4_unaligned *)(in0 + offset1 + 8) : (int4)(0);
        const int4 value3 = condition0 ? *(__global int4_unaligned *)(in0 + offset1 + 24) : (int4)(0);
        const int4 vector1 = (int4)(__builtin_shufflevector(value2, value3, 0, 4, 1, 5));
        *(__global int4_unaligned *)(out0 + offset0) = (int4)(__builtin_shufflevector(vector0, vector1, 0, 4, 1, 5));
        *(__global int4_unaligned *)(out0 + offset0 + 12) = (int4)(__builtin_shufflevector(vector0, vector1, 2, 6, 3, 7));
        const int4 vector2 = (int4)(__builtin_shufflevector(value0, value1, 2, 6, 3, 7));
        const int4 vector3 = (int4)(__builtin_shufflevector(value2, value3, 2, 6, 3, 7));
        *(__global int4_unaligned *)(out0 + offset0 + 24) = (int4)(__builtin_shufflevector(vector2, vector3, 0, 4, 1, 5));
        *(__global int4_unaligned *)(out0 + offset0 + 36) = (int4)(__builtin_shufflevector(vector2, vector3, 2, 6, 3, 7));
    }
}
