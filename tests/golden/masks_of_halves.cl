#pragma OPENCL FP_CONTRACT ON

#define convert_int4(x) __builtin_convertvector(x, int4)
#define convert_uchar4(x) __builtin_convertvector(x, uchar4)
inline float4 float_of_half4(const ushort4 bits) {
#ifdef __F16C__
    float4 x;
    __asm__("vcvtph2ps %1, %0" : "=x"(x) : "x"((short8)(as_short4(bits), (short4)0)));
    return x;
#else
    return vload_half4(0, (const half *)&bits);
#endif
}

typedef ushort ushort4_unaligned __attribute__((ext_vector_type(4), aligned(2)));
typedef int int4_unaligned __attribute__((ext_vector_type(4), aligned(4)));
typedef uchar uchar4_unaligned __attribute__((ext_vector_type(4), aligned(1)));

inline float4 half_value_ushort4(const ushort4 bits) { return float_of_half4(bits); }

// kernel_elementwise: out0[32], out1[32], out2[32], out3[32] from in0[32], in1[32], in2[32], in3[32]; 8 work-items in groups of 1
__kernel void kernel_elementwise(__global int *out0, __global uchar *out1, __global int *out2, __global uchar *out3, __global const ushort *in0, __global const ushort *in1, __global const int *in2, __global const int *in3) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    const float4 value0 = half_value_ushort4(*(__global ushort4_unaligned *)(in0 + offset0));
    const float4 value1 = half_value_ushort4(*(__global ushort4_unaligned *)(in1 + offset0));
    const int4 condition0 = value0 < value1;
    const int4 value2 = *(__global int4_unaligned *)(in2 + offset0);
    const int4 value3 = *(__global int4_unaligned *)(in3 + offset0);
    *(__global int4_unaligned *)(out0 + offset0) = condition0 ? value2 : value3;
    const int4 condition1 = value2 < value3;
    *(__global uchar4_unaligned *)(out1 + offset0) = convert_uchar4(-(condition0 ^ condition1));
    *(__global int4_unaligned *)(out2 + offset0) = convert_int4(-condition0);
    *(__global uchar4_unaligned *)(out3 + offset0) = convert_uchar4(-~((value0 != value1) & condition1));
}
