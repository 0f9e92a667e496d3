#pragma OPENCL FP_CONTRACT ON

// kernel_place: out0[3] from in0[240]; 48 work-items in groups of 16
__attribute__((reqd_work_group_size(16, 1, 1))) __kernel void kernel_place(__global int *out0, __global const float *restrict in0) {
    __local int shared3[16] __attribute__((aligned(16)));
    __local float shared2[16] __attribute__((aligned(16)));
    __local int shared1[16] __attribute__((aligned(16)));
    __local float shared0[16] __attribute__((aligned(16)));
    const int gidx0 = get_group_id(0);
    const int lid0 = get_local_id(0);
    float acc0 = -INFINITY;
    int acc1 = 0;
    for (int k0 = 0; k0 < 5; k0++) {
        const int offset0 = k0 * 16;
        const float value0 = in0[gidx0 * 80 + lid0 + offset0];
        const bool condition0 = (!(value0 < acc0) & (acc0 != value0)) & (acc0 == acc0);
        acc0 = condition0 ? value0 : acc0;
        acc1 = condition0 ? lid0 + offset0 : acc1;
    }
    shared0[lid0] = acc0;
    shared1[lid0] = acc1;
    const int offset1 = lid0 / 8 * 8;
    barrier(CLK_LOCAL_MEM_FENCE);
    const float4 value1 = *(__local const float4 *)(shared0 + offset1);
    const int4 value2 = *(__local const int4 *)(shared1 + offset1);
    const bool condition1 = value2.s1 < value2.s0;
    const bool condition2 = ((value1.s0 < value1.s1) | ((value1.s0 == value1.s1) & condition1)) | ((value1.s1 != value1.s1) & ((value1.s0 == value1.s0) | condition1));
    const float choice0 = condition2 ? value1.s1 : value1.s0;
    const bool condition3 = value2.s3 < value2.s2;
    const bool condition4 = ((value1.s2 < value1.s3) | ((value1.s2 == value1.s3) & condition3)) | ((value1.s3 != value1.s3) & ((value1.s2 == value1.s2) | condition3));
    const float choice1 = condition4 ? value1.s3 : value1.s2;
    const int choice2 = condition4 ? value2.s3 : value2.s2;
    const int choice3 = condition2 ? value2.s1 : value2.s0;
    const bool condition5 = choice2 < choice3;
    const bool condition6 = ((choice0 < choice1) | ((choice0 == choice1) & condition5)) | ((choice1 != choice1) & ((choice0 == choice0) | condition5));
    const float choice4 = condition6 ? choice1 : choice0;
    const int offset2 = offset1 + 4;
    const float4 value3 = *(__local const float4 *)(shared0 + offset2);
    const int4 value4 = *(__local const int4 *)(shared1 + offset2);
    const bool condition7 = value4.s1 < value4.s0;
    const bool condition8 = ((value3.s0 < value3.s1) | ((value3.s0 == value3.s1) & condition7)) | ((value3.s1 != value3.s1) & ((value3.s0 == value3.s0) | condition7));
    const float choice5 = condition8 ? value3.s1 : value3.s0;
    const bool condition9 = value4.s3 < value4.s2;
    const bool condition10 = ((value3.s2 < value3.s3) | ((value3.s2 == value3.s3) & condition9)) | ((value3.s3 != value3.s3) & ((value3.s2 == value3.s2) | condition9));
    const float choice6 = condition10 ? value3.s3 : value3.s2;
    const int choice7 = condition10 ? value4.s3 : value4.s2;
    const int choice8 = condition8 ? value4.s1 : value4.s0;
    const bool condition11 = choice7 < choice8;
    const bool condition12 = ((choice5 < choice6) | ((choice5 == choice6) & condition11)) | ((choice6 != choice6) & ((choice5 == choice5) | condition11));
    const float choice9 = condition12 ? choice6 : choice5;
    const int choice10 = condition12 ? choice7 : choice8;
    const int choice11 = condition6 ? choice2 : choice3;
    const bool condition13 = choice10 < choice11;
    const bool condition14 = ((choice4 < choice9) | ((choice4 == choice9) & condition13)) | ((choice9 != choice9) & ((choice4 == choice4) | condition13));
    shared2[lid0] = condition14 ? choice9 : choice4;
    shared3[lid0] = condition14 ? choice10 : choice11;
    const int offset3 = lid0 % 8;
    barrier(CLK_LOCAL_MEM_FENCE);
    const float value5 = shared2[offset3];
    const int offset4 = offset3 + 8;
    const float value6 = shared2[offset4];
    const int value7 = shared3[offset4];
    const int value8 = shared3[offset3];
    const bool condition15 = value7 < value8;
    const bool condition16 = ((value5 < value6) | ((value5 == value6) & condition15)) | ((value6 != value6) & ((value5 == value5) | condition15));
    if (lid0 < 1) out0[gidx0] = condition16 ? value7 : value8;
}
