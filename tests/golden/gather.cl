#pragma OPENCL FP_CONTRACT ON

#define convert_long4(x) __builtin_convertvector(x, long4)
#define convert_int4(x) __builtin_convertvector(x, int4)

typedef int int4_unaligned __attribute__((ext_vector_type(4), aligned(4)));
typedef float float4_unaligned __attribute__((ext_vector_type(4), aligned(4)));

// kernel_gather: out0[64] from in0[10], in1[64]; 16 work-items in groups of 1
__kernel void kernel_gather(__global float *out0, __global const float *in0, __global const int *in1) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    const long4 offset1 = convert_long4(*(__global int4_unaligned *)(in1 + offset0));
    const long4 condition0 = (offset1 >= 0) & (offset1 < 10);
    const long4 offset2 = condition0 ? offset1 : (long4)(0L);
    *(__global float4_unaligned *)(out0 + offset0) = convert_int4(condition0) ? (float4)(in0[offset2.s0], in0[offset2.s1], in0[offset2.s2], in0[offset2.s3]) : (float4)(0.0f);
}
