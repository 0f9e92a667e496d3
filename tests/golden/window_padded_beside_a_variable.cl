#pragma OPENCL FP_CONTRACT ON

typedef float float8_unaligned __attribute__((ext_vector_type(8), aligned(4)));

// kernel_window: out0[96] from in0[96], in1[3]; 4 work-items in groups of 1
__kernel void kernel_window(__global float *out0, __global const float *in0, __global const float *in1, const long n_) {
    const long gid0 = get_global_id(0);
    const float converted0 = (float)n_;
    const float value0 = in1[0];
    const float value1 = in1[1];
    const float value2 = in1[2];
    for (long i0 = 0; i0 < 3; i0++) {
        const long offset0 = i0 * 8;
        const long offset1 = gid0 * 24 + offset0;
        const long offset2 = offset1 - 1;
        const bool condition0 = offset0 - 1 >= 0;
        const long offset3 = offset1 + 1;
        const float value3 = in0[offset3];
        const float value4 = in0[offset1 + 2];
        const float value5 = in0[offset1 + 3];
        const float value6 = in0[offset1 + 4];
        const float value7 = in0[offset1 + 5];
        const float value8 = in0[offset1 + 6];
        const float8 value9 = condition0 ? *(__global float8_unaligned *)(in0 + offset2) : (float8)(condition0 ? in0[offset2] : 0.0f, in0[offset1], value3, value4, value5, value6, value7, value8);
        const bool condition1 = offset0 + 8 < 24;
        const float8 value10 = condition1 ? *(__global float8_unaligned *)(in0 + offset3) : (float8)(value3, value4, value5, value6, value7, value8, in0[offset1 + 7], condition1 ? in0[offset1 + 8] : 0.0f);
        const float8 sum0 = value9 * value0 + *(__global float8_unaligned *)(in0 + offset1) * value1 + value10 * value2;
        *(__global float8_unaligned *)(out0 + offset1) = (sum0 + 0.0f) * converted0;
    }
}
