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

// kernel_lanes: out0[3] from in0[96]
static void kernel_lanes(float *out0, const float *in0) {
    for (long i0 = 0; i0 < 3; i0++) {
        float acc0 = 0.0f;
        for (long i1 = 0; i1 < 4; i1++) {
            for (long i2 = 0; i2 < 8; i2++) {
                acc0 = acc0 + in0[i0 * 32 + i1 * 8 + i2];
            }
        }
        out0[i0] = acc0;
    }
}
