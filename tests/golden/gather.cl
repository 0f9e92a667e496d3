#pragma OPENCL FP_CONTRACT ON

typedef int int4_unaligned __attribute__((ext_vector_type(4), aligned(4)));
typedef float float4_unaligned __attribute__((ext_vector_type(4), aligned(4)));

// kernel_gather: out0[64] from in0[10], in1[64]; 16 work-items in groups of 1
__kernel void kernel_gather(__global float *out0, __global const float *in0, __global const int *in1) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    const int4 value0 = *(__global int4_unaligned *)(in1 + offset0);
    const long offset1 = (long)value0.s0;
    const long offset2 = (long)value0.s1;
    const long offset3 = (long)value0.s2;
    const long offset4 = (long)value0.s3;
    *(__global float4_unaligned *)(out0 + offset0) = (float4)((ulong)offset1 < 10uL ? in0[offset1] : 0.0f, (ulong)offset2 < 10uL ? in0[offset2] : 0.0f, (ulong)offset3 < 10uL ? in0[offset3] : 0.0f, (ulong)offset4 < 10uL ? in0[offset4] : 0.0f);
}
