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

// row_sum: out0[4] from in0[512]
static void row_sum(float *out0, const float *in0) {
    for (long i0 = 0; i0 < 4; i0++) {
        float acc0 = 0.0f;
        float acc1 = 0.0f;
        float acc2 = 0.0f;
        float acc3 = 0.0f;
        float acc4 = 0.0f;
        float acc5 = 0.0f;
        float acc6 = 0.0f;
        float acc7 = 0.0f;
        for (long k0 = 0; k0 < 4; k0++) {
            const long offset0 = i0 * 128 + k0 * 32;
            acc0 = acc0 + in0[offset0];
            acc0 = acc0 + in0[offset0 + 8];
            acc0 = acc0 + in0[offset0 + 16];
            acc0 = acc0 + in0[offset0 + 24];
            acc1 = acc1 + in0[offset0 + 4];
            acc1 = acc1 + in0[offset0 + 12];
            acc1 = acc1 + in0[offset0 + 20];
            acc1 = acc1 + in0[offset0 + 28];
            acc2 = acc2 + in0[offset0 + 2];
            acc2 = acc2 + in0[offset0 + 10];
            acc2 = acc2 + in0[offset0 + 18];
            acc2 = acc2 + in0[offset0 + 26];
            acc3 = acc3 + in0[offset0 + 6];
            acc3 = acc3 + in0[offset0 + 14];
            acc3 = acc3 + in0[offset0 + 22];
            acc3 = acc3 + in0[offset0 + 30];
            acc4 = acc4 + in0[offset0 + 1];
            acc4 = acc4 + in0[offset0 + 9];
            acc4 = acc4 + in0[offset0 + 17];
            acc4 = acc4 + in0[offset0 + 25];
            acc5 = acc5 + in0[offset0 + 5];
            acc5 = acc5 + in0[offset0 + 13];
            acc5 = acc5 + in0[offset0 + 21];
            acc5 = acc5 + in0[offset0 + 29];
            acc6 = acc6 + in0[offset0 + 3];
            acc6 = acc6 + in0[offset0 + 11];
            acc6 = acc6 + in0[offset0 + 19];
            acc6 = acc6 + in0[offset0 + 27];
            acc7 = acc7 + in0[offset0 + 7];
            acc7 = acc7 + in0[offset0 + 15];
            acc7 = acc7 + in0[offset0 + 23];
            acc7 = acc7 + in0[offset0 + 31];
        }
        out0[i0] = acc0 + acc1 + (acc2 + acc3) + (acc4 + acc5 + (acc6 + acc7));
    }
}
