#pragma OPENCL FP_CONTRACT ON

typedef uchar uchar16_unaligned __attribute__((ext_vector_type(16), aligned(1)));

// kernel_strided: out0[64], out1[64], out2[64] from in0[192]; 4 work-items in groups of 1
__kernel void kernel_strided(__global uchar *out0, __global uchar *out1, __global uchar *out2, __global const uchar *in0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 16;
    const long offset1 = gid0 * 48;
    const uchar16 value0 = *(__global uchar16_unaligned *)(in0 + offset1);
    const uchar16 value1 = *(__global uchar16_unaligned *)(in0 + offset1 + 16);
    const uchar16 value2 = *(__global uchar16_unaligned *)(in0 + offset1 + 32);
    *(__global uchar16_unaligned *)(out0 + offset0) = (uchar16)(value0.s0, value0.s3, value0.s6, value0.s9, value0.sc, value0.sf, value1.s2, value1.s5, value1.s8, value1.sb, value1.se, value2.s1, value2.s4, value2.s7, value2.sa, value2.sd);
    *(__global uchar16_unaligned *)(out1 + offset0) = (uchar16)(value0.s1, value0.s4, value0.s7, value0.sa, value0.sd, value1.s0, value1.s3, value1.s6, value1.s9, value1.sc, value1.sf, value2.s2, value2.s5, value2.s8, value2.sb, value2.se);
    *(__global uchar16_unaligned *)(out2 + offset0) = (uchar16)(value0.s2, value0.s5, value0.s8, value0.sb, value0.se, value1.s1, value1.s4, value1.s7, value1.sa, value1.sd, value2.s0, value2.s3, value2.s6, value2.s9, value2.sc, value2.sf);
}
