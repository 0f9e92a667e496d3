#pragma OPENCL FP_CONTRACT ON

typedef float float4_unaligned __attribute__((ext_vector_type(4), aligned(4)));

// masked_copy: out0[64] from in0[64]; 16 work-items in groups of 1
__kernel void masked_copy(__global float *out0, __global const float *in0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    const long offset1 = offset0 - 5;
    const int converted0 = (int)(offset1 * -1 - 1);
    const bool condition0 = offset1 >= 0;
    const long offset2 = offset0 - 4;
    const long offset3 = offset0 - 3;
    const long offset4 = offset0 - 2;
    const float4 value0 = (condition0 & (offset1 < 61)) ? *(__global float4_unaligned *)(in0 + offset1) : (float4)(condition0 ? in0[offset1] : 7.0f, offset2 >= 0 ? in0[offset2] : 7.0f, offset3 >= 0 ? in0[offset3] : 7.0f, offset4 >= 0 ? in0[offset4] : 7.0f);
    *(__global float4_unaligned *)(out0 + offset0) = converted0 < (int4)(0, 1, 2, 3) ? value0 : (float4)(7.0f);
}
