#pragma OPENCL FP_CONTRACT ON

#define convert_int8(x) __builtin_convertvector(x, int8)

typedef uchar uchar8_unaligned __attribute__((ext_vector_type(8), aligned(1)));

// row_sum: out0[16] from in0[4096]; 16 work-items in groups of 1
__kernel void row_sum(__global uchar *out0, __global const uchar *in0) {
    const long gid0 = get_global_id(0);
    int8 acc0 = (int8)(0);
    for (long k0 = 0; k0 < 32; k0++) {
        acc0 = acc0 | convert_int8(*(__global uchar8_unaligned *)(in0 + gid0 * 256 + k0 * 8) != (uchar8)(0));
    }
    const int4 condition0 = acc0.lo | acc0.hi;
    const int2 condition1 = condition0.lo | condition0.hi;
    out0[gid0] = (condition1.s0 != 0) | (condition1.s1 != 0);
}
