#pragma OPENCL FP_CONTRACT ON

typedef char char16_unaligned __attribute__((ext_vector_type(16), aligned(1)));

// row_sum: out0[4] from in0[256]; 4 work-items in groups of 1
__kernel void row_sum(__global char *out0, __global const char *in0) {
    const long gid0 = get_global_id(0);
    char16 acc0 = (char16)((char)0);
    for (long k0 = 0; k0 < 4; k0++) {
        acc0 = acc0 + *(__global char16_unaligned *)(in0 + gid0 * 64 + k0 * 16);
    }
    const char8 sum0 = acc0.lo + acc0.hi;
    const char4 sum1 = sum0.lo + sum0.hi;
    const char2 sum2 = sum1.lo + sum1.hi;
    out0[gid0] = (char)((uint)sum2.s0 + (uint)sum2.s1);
}
