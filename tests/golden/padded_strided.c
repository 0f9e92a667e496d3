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

// kernel_padded: out0[72] from in0[138]
static void kernel_padded(float *out0, const float *in0) {
    for (long i0 = 0; i0 < 3; i0++) {
        for (long i1 = 0; i1 < 3; i1++) {
            const long offset0 = i0 * 24 + i1 * 8;
            const long offset1 = i1 * 16;
            const long offset2 = i0 * 46 + offset1;
            const long offset3 = offset2 - 1;
            const bool condition0 = offset1 - 1 >= 0;
            out0[offset0] = condition0 ? in0[offset3] : condition0 ? in0[offset3] : 7.0f;
            const long offset4 = offset2 + 1;
            out0[offset0 + 1] = condition0 ? in0[offset4] : in0[offset4];
            const long offset5 = offset2 + 3;
            out0[offset0 + 2] = condition0 ? in0[offset5] : in0[offset5];
            const long offset6 = offset2 + 5;
            out0[offset0 + 3] = condition0 ? in0[offset6] : in0[offset6];
            const long offset7 = offset2 + 7;
            out0[offset0 + 4] = condition0 ? in0[offset7] : in0[offset7];
            const long offset8 = offset2 + 9;
            out0[offset0 + 5] = condition0 ? in0[offset8] : in0[offset8];
            const long offset9 = offset2 + 11;
            out0[offset0 + 6] = condition0 ? in0[offset9] : in0[offset9];
            const long offset10 = offset2 + 13;
            out0[offset0 + 7] = condition0 ? in0[offset10] : in0[offset10];
        }
    }
}
