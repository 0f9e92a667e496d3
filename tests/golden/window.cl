#pragma OPENCL FP_CONTRACT ON

typedef float float8_unaligned __attribute__((ext_vector_type(8), aligned(4)));

// kernel_window: out0[96] from in0[104], in1[3]; 4 work-items in groups of 1
__kernel void kernel_window(__global float *out0, __global const float *in0, __global const float *in1) {
    const long gid0 = get_global_id(0);
    const float value0 = in1[0];
    const float value1 = in1[1];
    const float value2 = in1[2];
    for (long i0 = 0; i0 < 3; i0++) {
        const long offset0 = i0 * 8;
        const long offset1 = gid0 * 26 + offset0;
        const float8 sum0 = *(__global float8_unaligned *)(in0 + offset1) * value0 + *(__global float8_unaligned *)(in0 + offset1 + 1) * value1;
        *(__global float8_unaligned *)(out0 + gid0 * 24 + offset0) = sum0 + *(__global float8_unaligned *)(in0 + offset1 + 2) * value2 + 0.0f;
    }
}
