#pragma OPENCL FP_CONTRACT ON

typedef float float8_unaligned __attribute__((ext_vector_type(8), aligned(4)));

// kernel_matmul: out0[4096] from in0[4096], in1[4096]; 4 x 16 work-items in groups of 1 x 1
__kernel void kernel_matmul(__global float *out0, __global const float *in0, __global const float *in1) {
    const long gid0 = get_global_id(0);
    const long gid1 = get_global_id(1);
    const long offset0 = gid1 * 256;
    const long offset1 = gid0 * 16;
    for (long i0 = 0; i0 < 2; i0++) {
        const long offset2 = i0 * 128;
        float8 acc0 = (float8)(0.0f);
        float8 acc1 = (float8)(0.0f);
        float8 acc2 = (float8)(0.0f);
        float8 acc3 = (float8)(0.0f);
        for (long k0 = 0; k0 < 64; k0++) {
            const long offset3 = offset0 + offset2 + k0;
            const float value0 = in0[offset3];
            const long offset4 = offset1 + k0 * 64;
            const float8 value1 = *(__global float8_unaligned *)(in1 + offset4);
            acc0 = acc0 + value0 * value1;
            const float8 value2 = *(__global float8_unaligned *)(in1 + offset4 + 8);
            acc1 = acc1 + value0 * value2;
            const float value3 = in0[offset3 + 64];
            acc2 = acc2 + value3 * value1;
            acc3 = acc3 + value3 * value2;
        }
        const long offset5 = offset0 + offset1 + offset2;
        *(__global float8_unaligned *)(out0 + offset5) = acc0;
        *(__global float8_unaligned *)(out0 + offset5 + 8) = acc1;
        *(__global float8_unaligned *)(out0 + offset5 + 64) = acc2;
        *(__global float8_unaligned *)(out0 + offset5 + 72) = acc3;
    }
}
