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

// kernel_extremes: out0[32], out1[32] from in0[256]
static void kernel_extremes(float *out0, int *out1, const float *in0) {
    for (long i0 = 0; i0 < 2; i0++) {
        const long offset0 = i0 * 16;
        float acc0 = INFINITY;
        int acc1 = 0;
        float acc2 = INFINITY;
        int acc3 = 0;
        float acc4 = INFINITY;
        int acc5 = 0;
        float acc6 = INFINITY;
        int acc7 = 0;
        float acc8 = INFINITY;
        int acc9 = 0;
        float acc10 = INFINITY;
        int acc11 = 0;
        float acc12 = INFINITY;
        int acc13 = 0;
        float acc14 = INFINITY;
        int acc15 = 0;
        float acc16 = INFINITY;
        int acc17 = 0;
        float acc18 = INFINITY;
        int acc19 = 0;
        float acc20 = INFINITY;
        int acc21 = 0;
        float acc22 = INFINITY;
        int acc23 = 0;
        float acc24 = INFINITY;
        int acc25 = 0;
        float acc26 = INFINITY;
        int acc27 = 0;
        float acc28 = INFINITY;
        int acc29 = 0;
        float acc30 = INFINITY;
        int acc31 = 0;
        for (long k0 = 0; k0 < 8; k0++) {
            const long offset1 = offset0 + k0 * 32;
            const float value0 = in0[offset1];
            const bool condition0 = (!(acc0 < value0) & (value0 != acc0)) & (acc0 == acc0);
            acc0 = condition0 ? value0 : acc0;
            const int converted0 = (int)k0;
            acc1 = condition0 ? converted0 : acc1;
            const float value1 = in0[offset1 + 1];
            const bool condition1 = (!(acc2 < value1) & (value1 != acc2)) & (acc2 == acc2);
            acc3 = condition1 ? converted0 : acc3;
            acc2 = condition1 ? value1 : acc2;
            const float value2 = in0[offset1 + 2];
            const bool condition2 = (!(acc4 < value2) & (value2 != acc4)) & (acc4 == acc4);
            acc5 = condition2 ? converted0 : acc5;
            acc4 = condition2 ? value2 : acc4;
            const float value3 = in0[offset1 + 3];
            const bool condition3 = (!(acc6 < value3) & (value3 != acc6)) & (acc6 == acc6);
            acc7 = condition3 ? converted0 : acc7;
            acc6 = condition3 ? value3 : acc6;
            const float value4 = in0[offset1 + 4];
            const bool condition4 = (!(acc8 < value4) & (value4 != acc8)) & (acc8 == acc8);
            acc9 = condition4 ? converted0 : acc9;
            acc8 = condition4 ? value4 : acc8;
            const float value5 = in0[offset1 + 5];
            const bool condition5 = (!(acc10 < value5) & (value5 != acc10)) & (acc10 == acc10);
            acc11 = condition5 ? converted0 : acc11;
            acc10 = condition5 ? value5 : acc10;
            const float value6 = in0[offset1 + 6];
            const bool condition6 = (!(acc12 < value6) & (value6 != acc12)) & (acc12 == acc12);
            acc13 = condition6 ? converted0 : acc13;
            acc12 = condition6 ? value6 : acc12;
            const float value7 = in0[offset1 + 7];
            const bool condition7 = (!(acc14 < value7) & (value7 != acc14)) & (acc14 == acc14);
            acc15 = condition7 ? converted0 : acc15;
            acc14 = condition7 ? value7 : acc14;
            const float value8 = in0[offset1 + 8];
            const bool condition8 = (!(acc16 < value8) & (value8 != acc16)) & (acc16 == acc16);
            acc17 = condition8 ? converted0 : acc17;
            acc16 = condition8 ? value8 : acc16;
            const float value9 = in0[offset1 + 9];
            const bool condition9 = (!(acc18 < value9) & (value9 != acc18)) & (acc18 == acc18);
            acc19 = condition9 ? converted0 : acc19;
            acc18 = condition9 ? value9 : acc18;
            const float value10 = in0[offset1 + 10];
            const bool condition10 = (!(acc20 < value10) & (value10 != acc20)) & (acc20 == acc20);
            acc21 = condition10 ? converted0 : acc21;
            acc20 = condition10 ? value10 : acc20;
            const float value11 = in0[offset1 + 11];
            const bool condition11 = (!(acc22 < value11) & (value11 != acc22)) & (acc22 == acc22);
            acc23 = condition11 ? converted0 : acc23;
            acc22 = condition11 ? value11 : acc22;
            const float value12 = in0[offset1 + 12];
            const bool condition12 = (!(acc24 < value12) & (value12 != acc24)) & (acc24 == acc24);
            acc25 = condition12 ? converted0 : acc25;
            acc24 = condition12 ? value12 : acc24;
            const float value13 = in0[offset1 + 13];
            const bool condition13 = (!(acc26 < value13) & (value13 != acc26)) & (acc26 == acc26);
            acc27 = condition13 ? converted0 : acc27;
            acc26 = condition13 ? value13 : acc26;
            const float value14 = in0[offset1 + 14];
            const bool condition14 = (!(acc28 < value14) & (value14 != acc28)) & (acc28 == acc28);
            acc29 = condition14 ? converted0 : acc29;
            acc28 = condition14 ? value14 : acc28;
            const float value15 = in0[offset1 + 15];
            const bool condition15 = (!(acc30 < value15) & (value15 != acc30)) & (acc30 == acc30);
            acc31 = condition15 ? converted0 : acc31;
            acc30 = condition15 ? value15 : acc30;
        }
        out0[offset0] = acc0;
        const long offset2 = offset0 + 1;
        out0[offset2] = acc2;
        const long offset3 = offset0 + 2;
        out0[offset3] = acc4;
        const long offset4 = offset0 + 3;
        out0[offset4] = acc6;
        const long offset5 = offset0 + 4;
        out0[offset5] = acc8;
        const long offset6 = offset0 + 5;
        out0[offset6] = acc10;
        const long offset7 = offset0 + 6;
        out0[offset7] = acc12;
        const long offset8 = offset0 + 7;
        out0[offset8] = acc14;
        const long offset9 = offset0 + 8;
        out0[offset9] = acc16;
        const long offset10 = offset0 + 9;
        out0[offset10] = acc18;
        const long offset11 = offset0 + 10;
        out0[offset11] = acc20;
        const long offset12 = offset0 + 11;
        out0[offset12] = acc22;
        const long offset13 = offset0 + 12;
        out0[offset13] = acc24;
        const long offset14 = offset0 + 13;
        out0[offset14] = acc26;
        const long offset15 = offset0 + 14;
        out0[offset15] = acc28;
        const long offset16 = offset0 + 15;
        out0[offset16] = acc30;
        out1[offset0] = acc1;
        out1[offset2] = acc3;
        out1[offset3] = acc5;
        out1[offset4] = acc7;
        out1[offset5] = acc9;
        out1[offset6] = acc11;
        out1[offset7] = acc13;
        out1[offset8] = acc15;
        out1[offset9] = acc17;
        out1[offset10] = acc19;
        out1[offset11] = acc21;
        out1[offset12] = acc23;
        out1[offset13] = acc25;
        out1[offset14] = acc27;
        out1[offset15] = acc29;
        out1[offset16] = acc31;
    }
}
