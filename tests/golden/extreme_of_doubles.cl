#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT ON

// kernel_extremes: out0[4], out1[4] from in0[256]; 4 work-items in groups of 1
__kernel void kernel_extremes(__global double *out0, __global int *out1, __global const double *in0) {
    const long gid0 = get_global_id(0);
    double acc0 = -(double)INFINITY;
    int acc1 = 0;
    double acc2 = -(double)INFINITY;
    int acc3 = 0;
    double acc4 = -(double)INFINITY;
    int acc5 = 0;
    double acc6 = -(double)INFINITY;
    int acc7 = 0;
    for (long k0 = 0; k0 < 16; k0++) {
        const long offset0 = k0 * 4;
        const long offset1 = gid0 * 64 + offset0;
        const double value0 = in0[offset1];
        const bool condition0 = (!(value0 < acc0) & (acc0 != value0)) & (acc0 == acc0);
        acc0 = condition0 ? value0 : acc0;
        acc1 = condition0 ? (int)offset0 : acc1;
        const double value1 = in0[offset1 + 1];
        const bool condition1 = (!(value1 < acc2) & (acc2 != value1)) & (acc2 == acc2);
        acc2 = condition1 ? value1 : acc2;
        acc3 = condition1 ? (int)(offset0 + 1) : acc3;
        const double value2 = in0[offset1 + 2];
        const bool condition2 = (!(value2 < acc4) & (acc4 != value2)) & (acc4 == acc4);
        acc4 = condition2 ? value2 : acc4;
        acc5 = condition2 ? (int)(offset0 + 2) : acc5;
        const double value3 = in0[offset1 + 3];
        const bool condition3 = (!(value3 < acc6) & (acc6 != value3)) & (acc6 == acc6);
        acc6 = condition3 ? value3 : acc6;
        acc7 = condition3 ? (int)(offset0 + 3) : acc7;
    }
    const bool condition4 = acc3 < acc1;
    const bool condition5 = ((acc0 < acc2) | ((acc0 == acc2) & condition4)) | ((acc2 != acc2) & ((acc0 == acc0) | condition4));
    const double choice0 = condition5 ? acc2 : acc0;
    const bool condition6 = acc7 < acc5;
    const bool condition7 = ((acc4 < acc6) | ((acc4 == acc6) & condition6)) | ((acc6 != acc6) & ((acc4 == acc4) | condition6));
    const double choice1 = condition7 ? acc6 : acc4;
    const int choice2 = condition7 ? acc7 : acc5;
    const int choice3 = condition5 ? acc3 : acc1;
    const bool condition8 = choice2 < choice3;
    const bool condition9 = ((choice0 < choice1) | ((choice0 == choice1) & condition8)) | ((choice1 != choice1) & ((choice0 == choice0) | condition8));
    out0[gid0] = condition9 ? choice1 : choice0;
    out1[gid0] = condition9 ? choice2 : choice3;
}
