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

// masked_copy: out0[64] from in0[64]
static void masked_copy(float *out0, const float *in0) {
    for (long i0 = 0; i0 < 16; i0++) {
        const long offset0 = i0 * 4;
        const long offset1 = offset0 - 5;
        const int converted0 = (int)(offset1 * -1 - 1);
        const bool condition0 = offset1 >= 0;
        const bool condition1 = condition0 & (offset1 < 61);
        out0[offset0] = converted0 < 0 ? (condition1 ? in0[offset1] : condition0 ? in0[offset1] : 7.0f) : 7.0f;
        const long offset2 = offset0 - 4;
        out0[offset0 + 1] = converted0 < 1 ? (condition1 ? in0[offset2] : offset2 >= 0 ? in0[offset2] : 7.0f) : 7.0f;
        const long offset3 = offset0 - 3;
        out0[offset0 + 2] = converted0 < 2 ? (condition1 ? in0[offset3] : offset3 >= 0 ? in0[offset3] : 7.0f) : 7.0f;
        const long offset4 = offset0 - 2;
        out0[offset0 + 3] = converted0 < 3 ? (condition1 ? in0[offset4] : offset4 >= 0 ? in0[offset4] : 7.0f) : 7.0f;
    }
}
