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

// row_scan: out0[4096] from in0[4096]
static void row_scan(float *out0, const float *in0) {
    for (long i0 = 0; i0 < 16; i0++) {
        float acc0 = 0.0f;
        for (long i1 = 0; i1 < 16; i1++) {
            const float value0 = acc0;
            const long offset0 = i0 * 256 + i1 * 16;
            const long offset1 = offset0 + 7;
            const long offset2 = offset0 + 6;
            const float value1 = in0[offset2];
            const long offset3 = offset0 + 5;
            const float value2 = in0[offset3];
            const long offset4 = offset0 + 4;
            const float value3 = in0[offset4];
            const float sum0 = value2 + value3;
            const long offset5 = offset0 + 3;
            const float value4 = in0[offset5];
            const long offset6 = offset0 + 2;
            const float value5 = in0[offset6];
            const float sum1 = value4 + value5;
            const long offset7 = offset0 + 1;
            const float value6 = in0[offset7];
            const float value7 = in0[offset0];
            const float sum2 = value6 + value7;
            const float sum3 = sum1 + sum2;
            const float sum4 = in0[offset1] + value1 + sum0 + sum3;
            const long offset8 = offset0 + 15;
            const long offset9 = offset0 + 14;
            const float value8 = in0[offset9];
            const long offset10 = offset0 + 13;
            const float value9 = in0[offset10];
            const long offset11 = offset0 + 12;
            const float value10 = in0[offset11];
            const float sum5 = value9 + value10;
            const long offset12 = offset0 + 11;
            const float value11 = in0[offset12];
            const long offset13 = offset0 + 10;
            const float value12 = in0[offset13];
            const float sum6 = value11 + value12;
            const long offset14 = offset0 + 9;
            const float value13 = in0[offset14];
            const long offset15 = offset0 + 8;
            const float value14 = in0[offset15];
            const float sum7 = value13 + value14;
            const float sum8 = sum6 + sum7;
            const float sum9 = in0[offset8] + value8 + sum5 + sum8;
            acc0 = value0 + (sum4 + sum9);
            const float sum10 = value7 + 0.0f;
            const float sum11 = sum10 + 0.0f;
            out0[offset0] = value0 + (sum11 + 0.0f);
            const float sum12 = sum2 + 0.0f;
            out0[offset7] = value0 + (sum12 + 0.0f);
            const float sum13 = value5 + value6;
            const float sum14 = sum13 + sum10;
            out0[offset6] = value0 + (sum14 + 0.0f);
            out0[offset5] = value0 + (sum3 + 0.0f);
            const float sum15 = value3 + value4;
            out0[offset4] = value0 + (sum15 + sum13 + sum11);
            out0[offset3] = value0 + (sum0 + sum1 + sum12);
            out0[offset2] = value0 + (value1 + value2 + sum15 + sum14);
            const float sum16 = value0 + sum4;
            out0[offset1] = sum16;
            const float sum17 = value14 + 0.0f;
            const float sum18 = sum17 + 0.0f;
            out0[offset15] = sum16 + (sum18 + 0.0f);
            const float sum19 = sum7 + 0.0f;
            out0[offset14] = sum16 + (sum19 + 0.0f);
            const float sum20 = value12 + value13;
            const float sum21 = sum20 + sum17;
            out0[offset13] = sum16 + (sum21 + 0.0f);
            out0[offset12] = sum16 + (sum8 + 0.0f);
            const float sum22 = value10 + value11;
            out0[offset11] = sum16 + (sum22 + sum20 + sum18);
            out0[offset10] = sum16 + (sum5 + sum6 + sum19);
            out0[offset9] = sum16 + (value8 + value9 + sum22 + sum21);
            out0[offset8] = sum16 + sum9;
        }
    }
}
