#pragma OPENCL FP_CONTRACT ON

typedef float float8_unaligned __attribute__((ext_vector_type(8), aligned(4)));

// kernel_padded: out0[72] from in0[210]; 3 work-items in groups of 1
__kernel void kernel_padded(__global float *out0, __global const float *in0) {
    const long gid0 = get_global_id(0);
    for (long i0 = 0; i0 < 3; i0++) {
        const long offset0 = i0 * -24;
        const long offset1 = gid0 * 70 + offset0;
        const bool condition0 = offset0 + 70 < 70;
        const float8 value0 = condition0 ? *(__global float8_unaligned *)(in0 + offset1 + 63) : (float8)(0.0f, 0.0f, 0.0f, 0.0f, in0[offset1 + 67], 0.0f, 0.0f, condition0 ? in0[offset1 + 70] : 7.0f);
        const float8 value1 = condition0 ? *(__global float8_unaligned *)(in0 + offset1 + 57) : (float8)(0.0f, in0[offset1 + 58], 0.0f, 0.0f, in0[offset1 + 61], 0.0f, 0.0f, in0[offset1 + 64]);
        const long offset2 = offset1 + 49;
        const float8 value2 = condition0 ? *(__global float8_unaligned *)(in0 + offset2) : (float8)(in0[offset2], 0.0f, 0.0f, in0[offset1 + 52], 0.0f, 0.0f, in0[offset1 + 55], 0.0f);
        *(__global float8_unaligned *)(out0 + gid0 * 24 + i0 * 8) = (float8)(value0.s7, value0.s4, value1.s7, value1.s4, value1.s1, value2.s6, value2.s3, value2.s0);
    }
}
