// Definitions that all kernels share. Vectors are those of AVX-512; each work-group has one work-item.
#pragma OPENCL FP_CONTRACT ON
#define LANES 16
#define UNROLLED _Pragma("unroll")

typedef float vector __attribute__((ext_vector_type(LANES), aligned(4)));

inline float16 read(const __global float *from) { return *(const __global vector *)from; }
inline void write(__global float *to, const float16 value) { *(__global vector *)to = value; }

// Stores past the caches if the alignment of `to` allows it.
inline void stream(__global float *to, const float16 value) {
    if ((ulong)to % sizeof(float16) == 0) __builtin_nontemporal_store(value, (__global float16 *)to);
    else write(to, value);
}

inline float sum_of_lanes(const float16 x) {
    const float8 a = x.lo + x.hi;
    const float4 b = a.lo + a.hi;
    return b.s0 + b.s1 + (b.s2 + b.s3);
}

inline float16 greater(const float16 a, const float16 b) { return a < b ? b : a; }

inline float greatest_of_lanes(const float16 x) {
    const float8 a = max(x.lo, x.hi);
    const float4 b = max(a.lo, a.hi);
    return max(max(b.s0, b.s1), max(b.s2, b.s3));
}

// 2^x with an error of 2e-7, for x from -126 to 127; lower x count as -126. Adding 1.5 * 2^23 rounds to an integer.
inline float16 power_of_two(const float16 x) {
    const float16 clamped = greater(x, (float16)(-126.0f)), shifted = clamped + 12582912.0f, r = clamped - (shifted - 12582912.0f);
    float16 p = r * 1.3333558e-3f + 9.6181291e-3f;
    p = p * r + 5.5504109e-2f;
    p = p * r + 2.4022651e-1f;
    p = p * r + 6.9314718e-1f;
    p = p * r + 1.0f;
    return as_float16(as_uint16(p) + (as_uint16(shifted) << 23));
}
