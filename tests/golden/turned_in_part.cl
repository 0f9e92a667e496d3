#pragma OPENCL FP_CONTRACT ON

typedef ushort ushort4_unaligned __attribute__((ext_vector_type(4), aligned(2)));

// kernel_turned: out0[48] from in0[48]; 2 work-items in groups of 1
__kernel void kernel_turned(__global ushort *out0, __global const ushort *in0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 6;
    const long offset1 = gid0 * 24;
    const ushort4 value0 = *(__global ushort4_unaligned *)(in0 + offset1);
    const ushort4 value1 = *(__global ushort4_unaligned *)(in0 + offset1 + 8);
    const ushort4 vector0 = (ushort4)(__builtin_shufflevector(value0, value1, 0, 4, 1, 5));
    const ushort4 value2 = *(__global ushort4_unaligned *)(in0 + offset1 + 4);
    const ushort4 value3 = *(__global ushort4_unaligned *)(in0 + offset1 + 12);
    const ushort4 vector1 = (ushort4)(__builtin_shufflevector(value2, value3, 0, 4, 1, 5));
    *(__global ushort4_unaligned *)(out0 + offset0) = (ushort4)(__builtin_shufflevector(vector0, vector1, 0, 4, 1, 5));
    *(__global ushort4_unaligned *)(out0 + offset0 + 12) = (ushort4)(__builtin_shufflevector(vector0, vector1, 2, 6, 3, 7));
    const ushort4 vector2 = (ushort4)(__builtin_shufflevector(value0, value1, 2, 6, 3, 7));
    const ushort4 vector3 = (ushort4)(__builtin_shufflevector(value2, value3, 2, 6, 3, 7));
    *(__global ushort4_unaligned *)(out0 + offset0 + 24) = (ushort4)(__builtin_shufflevector(vector2, vector3, 0, 4, 1, 5));
    *(__global ushort4_unaligned *)(out0 + offset0 + 36) = (ushort4)(__builtin_shufflevector(vector2, vector3, 2, 6, 3, 7));
    const ushort4 value4 = *(__global ushort4_unaligned *)(in0 + offset1 + 16);
    out0[offset0 + 4] = value4.s0;
    out0[offset0 + 16] = value4.s1;
    out0[offset0 + 28] = value4.s2;
    out0[offset0 + 40] = value4.s3;
    const ushort4 value5 = *(__global ushort4_unaligned *)(in0 + offset1 + 20);
    out0[offset0 + 5] = value5.s0;
    out0[offset0 + 17] = value5.s1;
    out0[offset0 + 29] = value5.s2;
    out0[offset0 + 41] = value5.s3;
}
