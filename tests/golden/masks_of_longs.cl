#pragma OPENCL FP_CONTRACT ON

#define convert_long4(x) __builtin_convertvector(x, long4)
#define convert_int4(x) __builtin_convertvector(x, int4)
#define convert_uchar4(x) __builtin_convertvector(x, uchar4)
#define convert_float4(x) __builtin_convertvector(x, float4)

typedef long long4_unaligned __attribute__((ext_vector_type(4), aligned(8)));
typedef float float4_unaligned __attribute__((ext_vector_type(4), aligned(4)));
typedef uchar uchar4_unaligned __attribute__((ext_vector_type(4), aligned(1)));

// kernel_elementwise: out0[32], out1[32], out2[32], out3[32] from in0[32], in1[32], in2[32], in3[32]; 8 work-items in groups of 1
__kernel void kernel_elementwise(__global float *out0, __global uchar *out1, __global float *out2, __global uchar *out3, __global const long *in0, __global const long *in1, __global const float *in2, __global const float *in3) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    const long4 value0 = *(__global long4_unaligned *)(in0 + offset0);
    const long4 value1 = *(__global long4_unaligned *)(in1 + offset0);
    const long4 condition0 = value0 < value1;
    const float4 value2 = *(__global float4_unaligned *)(in2 + offset0);
    const float4 value3 = *(__global float4_unaligned *)(in3 + offset0);
    *(__global float4_unaligned *)(out0 + offset0) = convert_int4(condition0) ? value2 : value3;
    const int4 condition1 = value2 < value3;
    *(__global uchar4_unaligned *)(out1 + offset0) = convert_uchar4(-(condition0 ^ convert_long4(condition1)));
    *(__global float4_unaligned *)(out2 + offset0) = convert_float4(-condition0);
    *(__global uchar4_unaligned *)(out3 + offset0) = convert_uchar4(-~((value0 != value1) & convert_long4(condition1)));
}
