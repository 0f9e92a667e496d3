#pragma OPENCL FP_CONTRACT ON

// row_scan: out0[288] from in0[288]; 3 work-items in groups of 1
__kernel void row_scan(__global int *out0, __global const int *in0) {
    const long gid0 = get_global_id(0);
    int acc0 = (-2147483647 - 1);
    for (long i0 = 0; i0 < 32; i0++) {
        const int value0 = acc0;
        const long offset0 = gid0 * 96 + i0 * 3;
        const int value1 = in0[offset0];
        const long offset1 = offset0 + 1;
        const int value2 = in0[offset1];
        const long offset2 = offset0 + 2;
        const int value3 = in0[offset2];
        acc0 = max(value0, max(max(value1, value2), value3));
        const int greater0 = max(value0, value1);
        out0[offset0] = greater0;
        const int greater1 = max(greater0, value2);
        out0[offset1] = greater1;
        out0[offset2] = max(greater1, value3);
    }
}
