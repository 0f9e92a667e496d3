#pragma OPENCL FP_CONTRACT ON

typedef float float8_unaligned __attribute__((ext_vector_type(8), aligned(4)));

// masked_copy: out0[64] from in0[64]; 8 work-items in groups of 1
__kernel void masked_copy(__global float *out0, __global const float *in0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 8;
    *(__global float8_unaligned *)(out0 + offset0) = offset0 >= 8 ? *(__global float8_unaligned *)(in0 + offset0 - 8) : (float8)(7.0f);
}
