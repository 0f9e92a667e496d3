#pragma OPENCL FP_CONTRACT ON

#define convert_int8(x) __builtin_convertvector(x, int8)
#define convert_uchar8(x) __builtin_convertvector(x, uchar8)
#define convert_float8(x) __builtin_convertvector(x, float8)

typedef uchar uchar8_unaligned __attribute__((ext_vector_type(8), aligned(1)));
typedef float float8_unaligned __attribute__((ext_vector_type(8), aligned(4)));

// kernel_elementwise: out0[64], out1[64] from in0[64], in1[64]; 8 work-items in groups of 1
__kernel void kernel_elementwise(__global uchar *out0, __global float *out1, __global const uchar *in0, __global const uchar *in1) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 8;
    const char8 condition0 = *(__global uchar8_unaligned *)(in0 + offset0) != (uchar8)(0);
    const char8 condition1 = *(__global uchar8_unaligned *)(in1 + offset0) != (uchar8)(0);
    *(__global uchar8_unaligned *)(out0 + offset0) = convert_uchar8(-(condition0 & ~condition1));
    *(__global float8_unaligned *)(out1 + offset0) = convert_int8(condition0) ? convert_float8(-condition1) : (float8)(2.0f);
}
