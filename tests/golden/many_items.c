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

// kernel_many: out0[720] from in0[720]
static void kernel_many(float *out0, const float *in0) {
    for (long i0 = 0; i0 < 2; i0++) {
        for (long i1 = 0; i1 < 3; i1++) {
            for (long i2 = 0; i2 < 4; i2++) {
                for (long i3 = 0; i3 < 5; i3++) {
                    for (long i4 = 0; i4 < 6; i4++) {
                        const long offset0 = i0 * 360 + i1 * 120 + i2 * 30 + i3 * 6 + i4;
                        const float value0 = in0[offset0];
                        out0[offset0] = value0 + value0;
                    }
                }
            }
        }
    }
}
