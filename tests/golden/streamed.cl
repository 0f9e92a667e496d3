#pragma OPENCL FP_CONTRACT ON

typedef float float8_unaligned __attribute__((ext_vector_type(8), aligned(4)));
inline void stream_float8(__global float *to, const float8 value) {
    if ((ulong)to % sizeof(float8) == 0) __builtin_nontemporal_store(value, (__global float8 *)to);
    else *(__global float8_unaligned *)to = value;
}

// kernel_copied: out0[34] from in0[34]; 2 work-items in groups of 1
__kernel void kernel_copied(__global float *out0, __global const float *in0) {
    const long gid0 = get_global_id(0);
    for (long i0 = 0; i0 < 2; i0++) {
        const long offset0 = gid0 * 17 + i0 * 8;
        stream_float8(out0 + offset0, *(__global float8_unaligned *)(in0 + offset0));
    }
}
