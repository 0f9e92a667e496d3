#pragma OPENCL FP_CONTRACT ON

typedef long long8_unaligned __attribute__((ext_vector_type(8), aligned(8)));

// row_sum: out0[4] from in0[256]; 4 work-items in groups of 1
__kernel void row_sum(__global long *out0, __global const long *in0) {
    const long gid0 = get_global_id(0);
    long8 acc0 = (long8)(1L);
    long8 acc1 = (long8)(1L);
    for (long k0 = 0; k0 < 4; k0++) {
        const long offset0 = gid0 * 64 + k0 * 16;
        acc0 = acc0 * *(__global long8_unaligned *)(in0 + offset0);
        acc1 = acc1 * *(__global long8_unaligned *)(in0 + offset0 + 8);
    }
    const long8 product0 = acc0 * acc1;
    const long4 product1 = product0.lo * product0.hi;
    const long2 product2 = product1.lo * product1.hi;
    out0[gid0] = (long)((ulong)product2.s0 * (ulong)product2.s1);
}
