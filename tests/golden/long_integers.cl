#pragma OPENCL FP_CONTRACT ON

typedef long long8_unaligned __attribute__((ext_vector_type(8), aligned(8)));

// Repeated squaring; wraps. A negative exponent gives the reciprocal, truncated: 0 but for 1 and -1.
inline long8 power_long8(const long8 base, long8 exponent) {
    ulong8 result = (ulong8)(1), square = as_ulong8(base);
    const long8 inverse = base == (long8)(1) ? base : base == (long8)(-1) ? (exponent & (long8)(1)) != (long8)(0) ? base : (long8)(1) : (long8)(0);
    const long8 given = exponent;
    for (int bit = 1; bit < 64; bit++) {
        const ulong8 next = result * square;
        result = (exponent & (long8)(1)) != (long8)(0) ? next : result;
        square *= square;
        exponent >>= (long8)(1);
    }
    return given < (long8)(0) ? inverse : as_long8(result);
}

// kernel_elementwise: out0[64], out1[64] from in0[64]; 8 work-items in groups of 1
__kernel void kernel_elementwise(__global long *out0, __global long *out1, __global const long *in0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 8;
    const long8 value0 = *(__global long8_unaligned *)(in0 + offset0);
    *(__global long8_unaligned *)(out0 + offset0) = power_long8(value0, value0 & 3L);
    *(__global long8_unaligned *)(out1 + offset0) = max(value0, (long8)((-9223372036854775807L - 1)));
}
