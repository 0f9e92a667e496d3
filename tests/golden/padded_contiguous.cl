#pragma OPENCL FP_CONTRACT ON

typedef float float8_unaligned __attribute__((ext_vector_type(8), aligned(4)));

// kernel_padded: out0[72] from in0[66]; 3 work-items in groups of 1
__kernel void kernel_padded(__global float *out0, __global const float *in0) {
    const long gid0 = get_global_id(0);
    for (long i0 = 0; i0 < 3; i0++) {
        const long offset0 = i0 * 8;
        const long offset1 = offset0 - 1;
        const int converted0 = (int)(offset1 * -1 - 1);
        const int converted1 = (int)((i0 * -8 + 22) * -1 - 1);
        const int8 condition0 = (converted0 < (int8)(0, 1, 2, 3, 4, 5, 6, 7)) & (converted1 < (int8)(0, -1, -2, -3, -4, -5, -6, -7));
        const long offset2 = gid0 * 22 + offset0;
        const long offset3 = offset2 - 1;
        const float8 value0 = (ulong)offset3 < 59uL ? *(__global float8_unaligned *)(in0 + offset3) : (float8)(offset1 >= 0 ? in0[offset3] : 7.0f, in0[offset2], in0[offset2 + 1], in0[offset2 + 2], in0[offset2 + 3], in0[offset2 + 4], in0[offset2 + 5], offset0 + 6 < 22 ? in0[offset2 + 6] : 7.0f);
        *(__global float8_unaligned *)(out0 + gid0 * 24 + offset0) = condition0 ? value0 : (float8)(7.0f);
    }
}
