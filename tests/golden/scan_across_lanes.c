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

// row_scan: out0[288] from in0[288]
static void row_scan(float *out0, const float *in0) {
    for (long i0 = 0; i0 < 3; i0++) {
        float acc0 = 0.0f;
        for (long i1 = 0; i1 < 8; i1++) {
            const float value0 = acc0;
            const long offset0 = i0 * 96 + i1 * 12;
            const long offset1 = offset0 + 3;
            const long offset2 = offset0 + 2;
            const float value1 = in0[offset2];
            const long offset3 = offset0 + 1;
            const float value2 = in0[offset3];
            const float value3 = in0[offset0];
            const float sum0 = value2 + value3;
            const float sum1 = in0[offset1] + value1 + sum0;
            const long offset4 = offset0 + 7;
            const long offset5 = offset0 + 6;
            const float value4 = in0[offset5];
            const long offset6 = offset0 + 5;
            const float value5 = in0[offset6];
            const long offset7 = offset0 + 4;
            const float value6 = in0[offset7];
            const float sum2 = value5 + value6;
            const float sum3 = in0[offset4] + value4 + sum2;
            const long offset8 = offset0 + 11;
            const long offset9 = offset0 + 10;
            const float value7 = in0[offset9];
            const long offset10 = offset0 + 9;
            const float value8 = in0[offset10];
            const long offset11 = offset0 + 8;
            const float value9 = in0[offset11];
            const float sum4 = value8 + value9;
            acc0 = value0 + (sum1 + sum3 + (in0[offset8] + value7 + sum4));
            out0[offset0] = value0 + 0.0f;
            const float sum5 = value3 + 0.0f;
            out0[offset3] = value0 + (sum5 + 0.0f);
            out0[offset2] = value0 + (sum0 + 0.0f);
            out0[offset1] = value0 + (value1 + value2 + sum5);
            const float sum6 = value0 + sum1;
            out0[offset7] = sum6 + 0.0f;
            const float sum7 = value6 + 0.0f;
            out0[offset6] = sum6 + (sum7 + 0.0f);
            out0[offset5] = sum6 + (sum2 + 0.0f);
            out0[offset4] = sum6 + (value4 + value5 + sum7);
            const float sum8 = sum6 + sum3;
            out0[offset11] = sum8 + 0.0f;
            const float sum9 = value9 + 0.0f;
            out0[offset10] = sum8 + (sum9 + 0.0f);
            out0[offset9] = sum8 + (sum4 + 0.0f);
            out0[offset8] = sum8 + (value7 + value8 + sum9);
        }
    }
}
