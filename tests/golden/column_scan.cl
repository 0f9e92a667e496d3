#pragma OPENCL FP_CONTRACT ON

typedef int int8_unaligned __attribute__((ext_vector_type(8), aligned(4)));

// column_scan: out0[2048] from in0[2048]; 4 work-items in groups of 1
__kernel void column_scan(__global int *out0, __global const int *in0) {
    const long gid0 = get_global_id(0);
    int8 acc0 = (int8)((-2147483647 - 1));
    int8 acc1 = (int8)((-2147483647 - 1));
    for (long i0 = 0; i0 < 32; i0++) {
        const long offset0 = gid0 * 16 + i0 * 64;
        const int8 greater0 = max(acc0, *(__global int8_unaligned *)(in0 + offset0));
        acc0 = greater0;
        *(__global int8_unaligned *)(out0 + offset0) = greater0;
        const long offset1 = offset0 + 8;
        const int8 greater1 = max(acc1, *(__global int8_unaligned *)(in0 + offset1));
        acc1 = greater1;
        *(__global int8_unaligned *)(out0 + offset1) = greater1;
    }
}
