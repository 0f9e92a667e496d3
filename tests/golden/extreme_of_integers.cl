#pragma OPENCL FP_CONTRACT ON

typedef int int4_unaligned __attribute__((ext_vector_type(4), aligned(4)));

// kernel_extremes: out0[4], out1[4] from in0[256]; 4 work-items in groups of 1
__kernel void kernel_extremes(__global int *out0, __global int *out1, __global const int *in0) {
    const long gid0 = get_global_id(0);
    int4 acc0 = (int4)(2147483647);
    int4 acc1 = (int4)(0);
    for (long k0 = 0; k0 < 16; k0++) {
        const long offset0 = k0 * 4;
        const int4 value0 = *(__global int4_unaligned *)(in0 + gid0 * 64 + offset0);
        const int4 condition0 = value0 < acc0;
        acc0 = condition0 ? value0 : acc0;
        const int converted0 = (int)offset0;
        acc1 = condition0 ? converted0 + (int4)(0, 1, 2, 3) : acc1;
    }
    const int2 part0 = acc0.hi;
    const int2 part1 = acc0.lo;
    const int2 part2 = acc1.hi;
    const int2 part3 = acc1.lo;
    const int2 condition1 = (part0 < part1) | ((part1 == part0) & (part2 < part3));
    const int2 choice0 = condition1 ? part0 : part1;
    const int2 choice1 = condition1 ? part2 : part3;
    const bool condition2 = (choice0.s1 < choice0.s0) | ((choice0.s0 == choice0.s1) & (choice1.s1 < choice1.s0));
    out0[gid0] = condition2 ? choice0.s1 : choice0.s0;
    out1[gid0] = condition2 ? choice1.s1 : choice1.s0;
}
