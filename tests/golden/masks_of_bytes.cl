#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT ON

#define convert_long4(x) __builtin_convertvector(x, long4)
#define convert_uchar4(x) __builtin_convertvector(x, uchar4)
#define convert_double4(x) __builtin_convertvector(x, double4)

typedef char char4_unaligned __attribute__((ext_vector_type(4), aligned(1)));
typedef double double4_unaligned __attribute__((ext_vector_type(4), aligned(8)));
typedef uchar uchar4_unaligned __attribute__((ext_vector_type(4), aligned(1)));

// kernel_elementwise: out0[32], out1[32], out2[32], out3[32] from in0[32], in1[32], in2[32], in3[32]; 8 work-items in groups of 1
__kernel void kernel_elementwise(__global double *out0, __global uchar *out1, __global double *out2, __global uchar *out3, __global const char *in0, __global const char *in1, __global const double *in2, __global const double *in3) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    const char4 value0 = *(__global char4_unaligned *)(in0 + offset0);
    const char4 value1 = *(__global char4_unaligned *)(in1 + offset0);
    const char4 condition0 = value0 < value1;
    const double4 value2 = *(__global double4_unaligned *)(in2 + offset0);
    const double4 value3 = *(__global double4_unaligned *)(in3 + offset0);
    *(__global double4_unaligned *)(out0 + offset0) = convert_long4(condition0) ? value2 : value3;
    const long4 condition1 = value2 < value3;
    *(__global uchar4_unaligned *)(out1 + offset0) = convert_uchar4(-(convert_long4(condition0) ^ condition1));
    *(__global double4_unaligned *)(out2 + offset0) = convert_double4(-condition0);
    *(__global uchar4_unaligned *)(out3 + offset0) = convert_uchar4(-~(convert_long4(value0 != value1) & condition1));
}
