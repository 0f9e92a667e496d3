#pragma OPENCL FP_CONTRACT ON

typedef uchar uchar8_unaligned __attribute__((ext_vector_type(8), aligned(1)));

// kernel_copied: out0[34] from in0[34]; 2 work-items in groups of 1
__kernel void kernel_copied(__global uchar *out0, __global const uchar *in0) {
    const long gid0 = get_global_id(0);
    for (long i0 = 0; i0 < 2; i0++) {
        const long offset0 = gid0 * 17 + i0 * 8;
        *(__global uchar8_unaligned *)(out0 + offset0) = *(__global uchar8_unaligned *)(in0 + offset0);
    }
}
