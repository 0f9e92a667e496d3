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

inline ushort8 half_bits_float8(const float8 x) { return half_of_float8(x); }

// kernel_transposed: out0[64] from in0[64]; 1 work-items in groups of 1
__kernel void kernel_transposed(__global ushort *out0, __global const ushort *in0) {
    const long gid0 = get_global_id(0);
    for (long i0 = 0; i0 < 1; i0++) {
        const long offset0 = gid0 * 64 + i0 * 8;
        const long offset1 = gid0 * 8 + i0 * 64;
        const float8 value0 = half_value_ushort8(*(__global ushort8_unaligned *)(in0 + offset1));
        const float8 value1 = half_value_ushort8(*(__global ushort8_unaligned *)(in0 + offset1 + 8));
        const float8 vector0 = (float8)(__builtin_shufflevector(value0, value1, 0, 2, 4, 6, 8, 10, 12, 14));
        const float8 value2 = half_value_ushort8(*(__global ushort8_unaligned *)(in0 + offset1 + 16));
        const float8 value3 = half_value_ushort8(*(__global ushort8_unaligned *)(in0 + offset1 + 24));
        const float8 vector1 = (float8)(__builtin_shufflevector(value2, value3, 0, 2, 4, 6, 8, 10, 12, 14));
        const float8 vector2 = (float8)(__builtin_shufflevector(vector0, vector1, 0, 2, 4, 6, 8, 10, 12, 14));
        const float8 value4 = half_value_ushort8(*(__global ushort8_unaligned *)(in0 + offset1 + 32));
        const float8 value5 = half_value_ushort8(*(__global ushort8_unaligned *)(in0 + offset1 + 40));
        const float8 vector3 = (float8)(__builtin_shufflevector(value4, value5, 0, 2, 4, 6, 8, 10, 12, 14));
        const float8 value6 = half_value_ushort8(*(__global ushort8_unaligned *)(in0 + offset1 + 48));
        const float8 value7 = half_value_ushort8(*(__global ushort8_unaligned *)(in0 + offset1 + 56));
        const float8 vector4 = (float8)(__builtin_shufflevector(value6, value7, 0, 2, 4, 6, 8, 10, 12, 14));
        const float8 vector5 = (float8)(__builtin_shufflevector(vector3, vector4, 0, 2, 4, 6, 8, 10, 12, 14));
        *(__global ushort8_unaligned *)(out0 + offset0) = half_bits_float8((float8)(__builtin_shufflevector(vector2, vector5, 0, 2, 4, 6, 8, 10, 12, 14)));
        const float8 vector6 = (float8)(__builtin_shufflevector(value0, value1, 1, 3, 5, 7, 9, 11, 13, 15));
        const float8 vector7 = (float8)(__builtin_shufflevector(value2, value3, 1, 3, 5, 7, 9, 11, 13, 15));
        const float8 vector8 = (float8)(__builtin_shufflevector(vector6, vector7, 0, 2, 4, 6, 8, 10, 12, 14));
        const float8 vector9 = (float8)(__builtin_shufflevector(value4, value5, 1, 3, 5, 7, 9, 11, 13, 15));
        const float8 vector10 = (float8)(__builtin_shufflevector(value6, value7, 1, 3, 5, 7, 9, 11, 13, 15));
        const float8 vector11 = (float8)(__builtin_shufflevector(vector9, vector10, 0, 2, 4, 6, 8, 10, 12, 14));
        *(__global ushort8_unaligned *)(out0 + offset0 + 8) = half_bits_float8((float8)(__builtin_shufflevector(vector8, vector11, 0, 2, 4, 6, 8, 10, 12, 14)));
        const float8 vector12 = (float8)(__builtin_shufflevector(vector0, vector1, 1, 3, 5, 7, 9, 11, 13, 15));
        const float8 vector13 = (float8)(__builtin_shufflevector(vector3, vector4, 1, 3, 5, 7, 9, 11, 13, 15));
        *(__global ushort8_unaligned *)(out0 + offset0 + 16) = half_bits_float8((float8)(__builtin_shufflevector(vector12, vector13, 0, 2, 4, 6, 8, 10, 12, 14)));
        const float8 vector14 = (float8)(__builtin_shufflevector(vector6, vector7, 1, 3, 5, 7, 9, 11, 13, 15));
        const float8 vector15 = (float8)(__builtin_shufflevector(vector9, vector10, 1, 3, 5, 7, 9, 11, 13, 15));
        *(__global ushort8_unaligned *)(out0 + offset0 + 24) = half_bits_float8((float8)(__builtin_shufflevector(vector14, vector15, 0, 2, 4, 6, 8, 10, 12, 14)));
        *(__global ushort8_unaligned *)(out0 + offset0 + 32) = half_bits_float8((float8)(__builtin_shufflevector(vector2, vector5, 1, 3, 5, 7, 9, 11, 13, 15)));
        *(__global ushort8_unaligned *)(out0 + offset0 + 40) = half_bits_float8((float8)(__builtin_shufflevector(vector8, vector11, 1, 3, 5, 7, 9, 11, 13, 15)));
        *(__global ushort8_unaligned *)(out0 + offset0 + 48) = half_bits_float8((float8)(__builtin_shufflevector(vector12, vector13, 1, 3, 5, 7, 9, 11, 13, 15)));
        *(__global ushort8_unaligned *)(out0 + offset0 + 56) = half_bits_float8((float8)(__builtin_shufflevector(vector14, vector15, 1, 3, 5, 7, 9, 11, 13, 15)));
    }
}
