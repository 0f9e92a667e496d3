#pragma OPENCL FP_CONTRACT ON

typedef float float8_unaligned __attribute__((ext_vector_type(8), aligned(4)));

// kernel_extremes: out0[16], out1[16] from in0[4096]; 16 work-items in groups of 1
__kernel void kernel_extremes(__global float *out0, __global int *out1, __global const float *in0) {
    const long gid0 = get_global_id(0);
    float8 acc0 = (float8)(-INFINITY);
    int8 acc1 = (int8)(0);
    float8 acc2 = (float8)(-INFINITY);
    int8 acc3 = (int8)(0);
    for (long k0 = 0; k0 < 16; k0++) {
        const long offset0 = k0 * 16;
        const long offset1 = gid0 * 256 + offset0;
        const float8 value0 = *(__global float8_unaligned *)(in0 + offset1);
        const int8 condition0 = (~(value0 < acc0) & (acc0 != value0)) & (acc0 == acc0);
        acc0 = condition0 ? value0 : acc0;
        const int converted0 = (int)offset0;
        acc1 = condition0 ? converted0 + (int8)(0, 1, 2, 3, 4, 5, 6, 7) : acc1;
        const float8 value1 = *(__global float8_unaligned *)(in0 + offset1 + 8);
        const int8 condition1 = (~(value1 < acc2) & (acc2 != value1)) & (acc2 == acc2);
        acc2 = condition1 ? value1 : acc2;
        const int converted1 = (int)(offset0 + 8);
        acc3 = condition1 ? converted1 + (int8)(0, 1, 2, 3, 4, 5, 6, 7) : acc3;
    }
    const int8 condition2 = acc3 < acc1;
    const int8 condition3 = ((acc0 < acc2) | ((acc0 == acc2) & condition2)) | ((acc2 != acc2) & ((acc0 == acc0) | condition2));
    const float8 choice0 = condition3 ? acc2 : acc0;
    const float4 part0 = choice0.lo;
    const float4 part1 = choice0.hi;
    const int8 choice1 = condition3 ? acc3 : acc1;
    const int4 part2 = choice1.hi;
    const int4 part3 = choice1.lo;
    const int4 condition4 = part2 < part3;
    const int4 condition5 = ((part0 < part1) | ((part0 == part1) & condition4)) | ((part1 != part1) & ((part0 == part0) | condition4));
    const float4 choice2 = condition5 ? part1 : part0;
    const float2 part4 = choice2.lo;
    const float2 part5 = choice2.hi;
    const int4 choice3 = condition5 ? part2 : part3;
    const int2 part6 = choice3.hi;
    const int2 part7 = choice3.lo;
    const int2 condition6 = part6 < part7;
    const int2 condition7 = ((part4 < part5) | ((part4 == part5) & condition6)) | ((part5 != part5) & ((part4 == part4) | condition6));
    const float2 choice4 = condition7 ? part5 : part4;
    const int2 choice5 = condition7 ? part6 : part7;
    const bool condition8 = choice5.s1 < choice5.s0;
    const bool condition9 = ((choice4.s0 < choice4.s1) | ((choice4.s0 == choice4.s1) & condition8)) | ((choice4.s1 != choice4.s1) & ((choice4.s0 == choice4.s0) | condition8));
    out0[gid0] = condition9 ? choice4.s1 : choice4.s0;
    out1[gid0] = condition9 ? choice5.s1 : choice5.s0;
}
