// Compile with -std=c11 -ffp-contract=off, and link with -lm.
#include <float.h>
#include <stdbool.h>
#include <string.h>
#include <tgmath.h>

_Static_assert(sizeof(int) == 4 && sizeof(long) == 8, "int has 32 bits and long has 64");
_Static_assert(FLT_EVAL_METHOD == 0, "float is computed in float");
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

typedef unsigned int uint;

// A quotient that cannot trap: by zero it is 0, and the least number divided by -1 wraps.
static inline int divide_int(const int a, const int b) {
    const int safe = ((b == (int)(0)) | (b == (int)(-1))) ? (int)(1) : b;
    const int quotient = a / safe;
    return b == (int)(0) ? (int)(0) : b == (int)(-1) ? (int)(-(uint)a) : quotient;
}

static inline int modulo_int(const int a, const int b) {
    const int safe = ((b == (int)(0)) | (b == (int)(-1))) ? (int)(1) : b;
    return a % safe;
}

static inline int floor_divide_int(const int a, const int b) {
    const int quotient = divide_int(a, b), rest = modulo_int(a, b);
    return rest != 0 && (rest ^ b) < 0 ? quotient - 1 : quotient;
}

// kernel_elementwise: out0[64], out1[64], out2[64] from in0[64], in1[64]
static void kernel_elementwise(int *out0, int *out1, int *out2, const int *in0, const int *in1) {
    for (long i0 = 0; i0 < 64; i0++) {
        const int value0 = in0[i0];
        const int value1 = in1[i0];
        out0[i0] = (int)((uint)value0 * (uint)value1 + (uint)value0);
        out1[i0] = floor_divide_int(value0, value1);
        out2[i0] = value0 & 7;
    }
}
