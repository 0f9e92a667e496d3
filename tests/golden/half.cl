#pragma OPENCL FP_CONTRACT ON

inline float8 float_of_half8(const ushort8 bits) {
#ifdef __F16C__
    float8 x;
    __asm__("vcvtph2ps %1, %0" : "=x"(x) : "x"(as_short8(bits)));
    return x;
#else
    return vload_half8(0, (const half *)&bits);
#endif
}
inline ushort8 half_of_float8(const float8 x) {
#ifdef __F16C__
    return as_ushort8(__builtin_ia32_vcvtps2ph256(x, 0));
#else
    ushort8 bits;
    vstore_half8(x, 0, (half *)&bits);
    return bits;
#endif
}

typedef ushort ushort8_unaligned __attribute__((ext_vector_type(8), aligned(2)));

inline float8 half_value_ushort8(const ushort8 bits) { return float_of_half8(bits); }

inline float8 round_half_float8(const float8 x) { return float_of_half8(half_of_float8(x)); }

inline ushort8 half_bits_float8(const float8 x) { return half_of_float8(x); }

// kernel_elementwise: out0[64] from in0[64]; 8 work-items in groups of 1
__kernel void kernel_elementwise(__global ushort *out0, __global const ushort *in0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 8;
    const float8 value0 = half_value_ushort8(*(__global ushort8_unaligned *)(in0 + offset0));
    *(__global ushort8_unaligned *)(out0 + offset0) = half_bits_float8(round_half_float8(value0 * value0) + 1.0f);
}
