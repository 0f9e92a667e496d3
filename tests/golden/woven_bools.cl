#pragma OPENCL FP_CONTRACT ON

#define convert_uchar8(x) __builtin_convertvector(x, uchar8)

typedef uchar uchar8_unaligned __attribute__((ext_vector_type(8), aligned(1)));

// kernel_woven: out0[48] from in0[48]; 3 work-items in groups of 1
__kernel void kernel_woven(__global uchar *out0, __global const uchar *in0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 16;
    const long offset1 = gid0 * 8;
    const char8 condition0 = *(__global uchar8_unaligned *)(in0 + offset1) != (uchar8)(0);
    const char8 condition1 = *(__global uchar8_unaligned *)(in0 + offset1 + 24) != (uchar8)(0);
    *(__global uchar8_unaligned *)(out0 + offset0) = convert_uchar8(-(char8)(condition0.s0, condition1.s0, condition0.s1, condition1.s1, condition0.s2, condition1.s2, condition0.s3, condition1.s3));
    *(__global uchar8_unaligned *)(out0 + offset0 + 8) = convert_uchar8(-(char8)(condition0.s4, condition1.s4, condition0.s5, condition1.s5, condition0.s6, condition1.s6, condition0.s7, condition1.s7));
}
