#pragma OPENCL FP_CONTRACT ON

#define convert_uchar16(x) __builtin_convertvector(x, uchar16)
#define convert_ushort16(x) __builtin_convertvector(x, ushort16)

typedef uchar uchar16_unaligned __attribute__((ext_vector_type(16), aligned(1)));

// kernel_averaged: out0[128] from in0[128]; 4 work-items in groups of 1
__kernel void kernel_averaged(__global uchar *out0, __global const uchar *in0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 32;
    const ushort16 sum0 = convert_ushort16(*(__global uchar16_unaligned *)(in0 + offset0)) * (ushort16)((ushort)3) + (ushort16)((ushort)7);
    *(__global uchar16_unaligned *)(out0 + offset0) = convert_uchar16(sum0 / (ushort16)((ushort)16));
    const long offset1 = offset0 + 16;
    const ushort16 sum1 = convert_ushort16(*(__global uchar16_unaligned *)(in0 + offset1)) * (ushort16)((ushort)3) + (ushort16)((ushort)7);
    *(__global uchar16_unaligned *)(out0 + offset1) = convert_uchar16(sum1 / (ushort16)((ushort)16));
}
