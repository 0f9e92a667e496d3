#pragma OPENCL FP_CONTRACT ON

#define convert_ushort8(x) __builtin_convertvector(x, ushort8)
#define convert_uint8(x) __builtin_convertvector(x, uint8)

typedef ushort ushort8_unaligned __attribute__((ext_vector_type(8), aligned(2)));

// To the nearest bfloat16, ties to even.
inline float8 round_bfloat_float8(const float8 x) {
    const uint8 bits = as_uint8(x);
    const uint8 rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) & 0xffff0000u;
    return as_float8(x != x ? (bits | 0x400000u) & 0xffff0000u : rounded);
}

// kernel_elementwise: out0[64] from in0[64]; 8 work-items in groups of 1
__kernel void kernel_elementwise(__global ushort *out0, __global const ushort *in0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 8;
    const float8 value0 = as_float8(convert_uint8(*(__global ushort8_unaligned *)(in0 + offset0)) << 16);
    *(__global ushort8_unaligned *)(out0 + offset0) = convert_ushort8(as_uint8(round_bfloat_float8(round_bfloat_float8(value0 * value0) + 1.0f)) >> 16);
}
