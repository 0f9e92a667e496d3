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

typedef unsigned short ushort;

// kernel_turned: out0[48] from in0[48]
static void kernel_turned(ushort *out0, const ushort *in0) {
    for (long i0 = 0; i0 < 2; i0++) {
        const long offset0 = i0 * 6;
        const long offset1 = i0 * 24;
        out0[offset0] = in0[offset1];
        out0[offset0 + 1] = in0[offset1 + 4];
        out0[offset0 + 2] = in0[offset1 + 8];
        out0[offset0 + 3] = in0[offset1 + 12];
        out0[offset0 + 12] = in0[offset1 + 1];
        out0[offset0 + 13] = in0[offset1 + 5];
        out0[offset0 + 14] = in0[offset1 + 9];
        out0[offset0 + 15] = in0[offset1 + 13];
        out0[offset0 + 24] = in0[offset1 + 2];
        out0[offset0 + 25] = in0[offset1 + 6];
        out0[offset0 + 26] = in0[offset1 + 10];
        out0[offset0 + 27] = in0[offset1 + 14];
        out0[offset0 + 36] = in0[offset1 + 3];
        out0[offset0 + 37] = in0[offset1 + 7];
        out0[offset0 + 38] = in0[offset1 + 11];
        out0[offset0 + 39] = in0[offset1 + 15];
        out0[offset0 + 4] = in0[offset1 + 16];
        out0[offset0 + 16] = in0[offset1 + 17];
        out0[offset0 + 28] = in0[offset1 + 18];
        out0[offset0 + 40] = in0[offset1 + 19];
        out0[offset0 + 5] = in0[offset1 + 20];
        out0[offset0 + 17] = in0[offset1 + 21];
        out0[offset0 + 29] = in0[offset1 + 22];
        out0[offset0 + 41] = in0[offset1 + 23];
    }
}
