#pragma OPENCL FP_CONTRACT ON

// A quotient that cannot trap: by zero it is 0, and the least number divided by -1 wraps.
inline int divide_int(const int a, const int b) {
    const int safe = ((b == (int)(0)) | (b == (int)(-1))) ? (int)(1) : b;
    const int quotient = a / safe;
    return b == (int)(0) ? (int)(0) : b == (int)(-1) ? (int)(-(uint)a) : quotient;
}

inline int modulo_int(const int a, const int b) {
    const int safe = ((b == (int)(0)) | (b == (int)(-1))) ? (int)(1) : b;
    return a % safe;
}

inline int floor_divide_int(const int a, const int b) {
    const int quotient = divide_int(a, b), rest = modulo_int(a, b), lower = quotient - (int)(1);
    return ((rest != (int)(0)) & ((rest ^ b) < (int)(0))) ? lower : quotient;
}

// kernel_elementwise: out0[64], out1[64], out2[64] from in0[64], in1[64]; 64 work-items in groups of 4
__kernel void kernel_elementwise(__global int *out0, __global int *out1, __global int *out2, __global const int *in0, __global const int *in1) {
    const long gid0 = get_global_id(0);
    const int value0 = in0[gid0];
    const int value1 = in1[gid0];
    out0[gid0] = (int)((uint)value0 * (uint)value1 + (uint)value0);
    out1[gid0] = floor_divide_int(value0, value1);
    out2[gid0] = value0 & 7;
}
