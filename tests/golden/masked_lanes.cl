#pragma OPENCL FP_CONTRACT ON

typedef float float4_unaligned __attribute__((ext_vector_type(4), aligned(4)));

// masked_copy: out0[64] from in0[64]; 16 work-items in groups of 1
__kernel void masked_copy(__global float *out0, __global const float *in0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    const long offset1 = offset0 - 5;
    const bool condition0 = offset1 >= 0;
    const long offset2 = offset0 - 2;
    const bool condition1 = offset2 >= 0;
    const long offset3 = offset0 - 4;
    const long offset4 = offset0 - 3;
    *(__global float4_unaligned *)(out0 + offset0) = (condition0 & condition1) ? *(__global float4_unaligned *)(in0 + offset1) : (float4)(condition0 ? in0[offset1] : 7.0f, offset3 >= 0 ? in0[offset3] : 7.0f, offset4 >= 0 ? in0[offset4] : 7.0f, condition1 ? in0[offset2] : 7.0f);
}
