#pragma OPENCL FP_CONTRACT ON

typedef float float8_unaligned __attribute__((ext_vector_type(8), aligned(4)));
typedef float float4_unaligned __attribute__((ext_vector_type(4), aligned(4)));

// kernel_turned: out0[64] from in0[64]; 2 work-items in groups of 1
__kernel void kernel_turned(__global float *out0, __global const float *in0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    const long offset1 = gid0 * 32;
    const float8 value0 = *(__global float8_unaligned *)(in0 + offset1);
    const float4 part0 = value0.lo;
    const float8 value1 = *(__global float8_unaligned *)(in0 + offset1 + 16);
    const float4 part1 = value1.lo;
    const float4 vector0 = (float4)(__builtin_shufflevector(part0, part1, 0, 4, 1, 5));
    const float8 value2 = *(__global float8_unaligned *)(in0 + offset1 + 8);
    const float4 part2 = value2.lo;
    const float8 value3 = *(__global float8_unaligned *)(in0 + offset1 + 24);
    const float4 part3 = value3.lo;
    const float4 vector1 = (float4)(__builtin_shufflevector(part2, part3, 0, 4, 1, 5));
    *(__global float4_unaligned *)(out0 + offset0) = (float4)(__builtin_shufflevector(vector0, vector1, 0, 4, 1, 5));
    *(__global float4_unaligned *)(out0 + offset0 + 8) = (float4)(__builtin_shufflevector(vector0, vector1, 2, 6, 3, 7));
    const float4 vector2 = (float4)(__builtin_shufflevector(part0, part1, 2, 6, 3, 7));
    const float4 vector3 = (float4)(__builtin_shufflevector(part2, part3, 2, 6, 3, 7));
    *(__global float4_unaligned *)(out0 + offset0 + 16) = (float4)(__builtin_shufflevector(vector2, vector3, 0, 4, 1, 5));
    *(__global float4_unaligned *)(out0 + offset0 + 24) = (float4)(__builtin_shufflevector(vector2, vector3, 2, 6, 3, 7));
    const float4 part4 = value0.hi;
    const float4 part5 = value1.hi;
    const float4 vector4 = (float4)(__builtin_shufflevector(part4, part5, 0, 4, 1, 5));
    const float4 part6 = value2.hi;
    const float4 part7 = value3.hi;
    const float4 vector5 = (float4)(__builtin_shufflevector(part6, part7, 0, 4, 1, 5));
    *(__global float4_unaligned *)(out0 + offset0 + 32) = (float4)(__builtin_shufflevector(vector4, vector5, 0, 4, 1, 5));
    *(__global float4_unaligned *)(out0 + offset0 + 40) = (float4)(__builtin_shufflevector(vector4, vector5, 2, 6, 3, 7));
    const float4 vector6 = (float4)(__builtin_shufflevector(part4, part5, 2, 6, 3, 7));
    const float4 vector7 = (float4)(__builtin_shufflevector(part6, part7, 2, 6, 3, 7));
    *(__global float4_unaligned *)(out0 + offset0 + 48) = (float4)(__builtin_shufflevector(vector6, vector7, 0, 4, 1, 5));
    *(__global float4_unaligned *)(out0 + offset0 + 56) = (float4)(__builtin_shufflevector(vector6, vector7, 2, 6, 3, 7));
}
