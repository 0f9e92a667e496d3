#pragma OPENCL FP_CONTRACT ON

typedef float float8_unaligned __attribute__((ext_vector_type(8), aligned(4)));

// kernel_gated: out0[48] from in0[48]; 3 work-items in groups of 1
__kernel void kernel_gated(__global float *out0, __global const float *in0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 8;
    const bool condition0 = gid0 >= 1;
    if (condition0) *(__global float8_unaligned *)(out0 + offset0) = *(__global float8_unaligned *)(in0 + offset0);
    const long offset1 = offset0 + 24;
    if (condition0) *(__global float8_unaligned *)(out0 + offset1) = *(__global float8_unaligned *)(in0 + offset1);
}
