#pragma OPENCL FP_CONTRACT ON

typedef float float8_unaligned __attribute__((ext_vector_type(8), aligned(4)));

// kernel_elementwise: out0[1024], out1[1024] from in0[1024], in1[1024]; 128 work-items in groups of 8
__kernel void kernel_elementwise(__global float *out0, __global float *out1, __global const float *in0, __global const float *in1) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 8;
    const float8 value0 = *(__global float8_unaligned *)(in0 + offset0);
    const float8 value1 = *(__global float8_unaligned *)(in1 + offset0);
    *(__global float8_unaligned *)(out0 + offset0) = value0 * value1 + value0;
    *(__global float8_unaligned *)(out1 + offset0) = value0 < value1 ? value0 : (float8)(0.0f);
}
