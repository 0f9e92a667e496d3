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

// kernel_gated: out0[48] from in0[48]
static void kernel_gated(float *out0, const float *in0) {
    for (long i0 = 0; i0 < 3; i0++) {
        const long offset0 = i0 * 8;
        out0[offset0] = in0[offset0];
        const long offset1 = offset0 + 1;
        out0[offset1] = in0[offset1];
        const long offset2 = offset0 + 2;
        out0[offset2] = in0[offset2];
        const long offset3 = offset0 + 3;
        out0[offset3] = in0[offset3];
        const long offset4 = offset0 + 4;
        out0[offset4] = in0[offset4];
        const long offset5 = offset0 + 5;
        out0[offset5] = in0[offset5];
        const long offset6 = offset0 + 6;
        out0[offset6] = in0[offset6];
        const long offset7 = offset0 + 7;
        out0[offset7] = in0[offset7];
        const long offset8 = offset0 + 24;
        const bool condition0 = offset8 < 37;
        const long offset9 = offset0 + 31;
        const bool condition1 = offset9 < 37;
        const bool condition2 = condition0 & condition1;
        const float value0 = in0[offset8];
        if (condition2) out0[offset8] = value0;
        const long offset10 = offset0 + 25;
        const float value1 = in0[offset10];
        if (condition2) out0[offset10] = value1;
        const long offset11 = offset0 + 26;
        const float value2 = in0[offset11];
        if (condition2) out0[offset11] = value2;
        const long offset12 = offset0 + 27;
        const float value3 = in0[offset12];
        if (condition2) out0[offset12] = value3;
        const long offset13 = offset0 + 28;
        const float value4 = in0[offset13];
        if (condition2) out0[offset13] = value4;
        const long offset14 = offset0 + 29;
        const float value5 = in0[offset14];
        if (condition2) out0[offset14] = value5;
        const long offset15 = offset0 + 30;
        const float value6 = in0[offset15];
        if (condition2) out0[offset15] = value6;
        const float value7 = in0[offset9];
        if (condition2) out0[offset9] = value7;
        const bool condition3 = !condition2;
        if (condition0 & condition3) out0[offset8] = value0;
        if ((offset10 < 37) & condition3) out0[offset10] = value1;
        if ((offset11 < 37) & condition3) out0[offset11] = value2;
        if ((offset12 < 37) & condition3) out0[offset12] = value3;
        if ((offset13 < 37) & condition3) out0[offset13] = value4;
        if ((offset14 < 37) & condition3) out0[offset14] = value5;
        if ((offset15 < 37) & condition3) out0[offset15] = value6;
        if (condition1 & condition3) out0[offset9] = value7;
    }
}
