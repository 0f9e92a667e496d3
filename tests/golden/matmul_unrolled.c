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

// kernel_matmul: out0[64] from in0[256], in1[256]
static void kernel_matmul(float *out0, const float *in0, const float *in1) {
    for (long i0 = 0; i0 < 4; i0++) {
        for (long i1 = 0; i1 < 2; i1++) {
            const long offset0 = i1 * 4;
            for (long i2 = 0; i2 < 1; i2++) {
                float acc0 = 0.0f;
                float acc1 = 0.0f;
                float acc2 = 0.0f;
                float acc3 = 0.0f;
                float acc4 = 0.0f;
                float acc5 = 0.0f;
                float acc6 = 0.0f;
                float acc7 = 0.0f;
                float acc8 = 0.0f;
                float acc9 = 0.0f;
                float acc10 = 0.0f;
                float acc11 = 0.0f;
                float acc12 = 0.0f;
                float acc13 = 0.0f;
                float acc14 = 0.0f;
                float acc15 = 0.0f;
                float acc16 = 0.0f;
                float acc17 = 0.0f;
                float acc18 = 0.0f;
                float acc19 = 0.0f;
                float acc20 = 0.0f;
                float acc21 = 0.0f;
                float acc22 = 0.0f;
                float acc23 = 0.0f;
                float acc24 = 0.0f;
                float acc25 = 0.0f;
                float acc26 = 0.0f;
                float acc27 = 0.0f;
                float acc28 = 0.0f;
                float acc29 = 0.0f;
                float acc30 = 0.0f;
                float acc31 = 0.0f;
                for (long k0 = 0; k0 < 8; k0++) {
                    const long offset1 = i0 * 64 + i2 * 64 + k0 * 4;
                    const float value0 = in0[offset1];
                    const long offset2 = offset0 + k0 * 32;
                    const float value1 = in1[offset2];
                    acc0 = acc0 + value0 * value1;
                    const float value2 = in0[offset1 + 32];
                    acc16 = acc16 + value2 * value1;
                    const float value3 = in1[offset2 + 1];
                    acc4 = acc4 + value0 * value3;
                    acc20 = acc20 + value2 * value3;
                    const float value4 = in1[offset2 + 2];
                    acc8 = acc8 + value0 * value4;
                    acc24 = acc24 + value2 * value4;
                    const float value5 = in1[offset2 + 3];
                    acc12 = acc12 + value0 * value5;
                    acc28 = acc28 + value2 * value5;
                    const float value6 = in0[offset1 + 1];
                    const float value7 = in1[offset2 + 8];
                    acc1 = acc1 + value6 * value7;
                    const float value8 = in0[offset1 + 33];
                    acc17 = acc17 + value8 * value7;
                    const float value9 = in1[offset2 + 9];
                    acc5 = acc5 + value6 * value9;
                    acc21 = acc21 + value8 * value9;
                    const float value10 = in1[offset2 + 10];
                    acc9 = acc9 + value6 * value10;
                    acc25 = acc25 + value8 * value10;
                    const float value11 = in1[offset2 + 11];
                    acc13 = acc13 + value6 * value11;
                    acc29 = acc29 + value8 * value11;
                    const float value12 = in0[offset1 + 2];
                    const float value13 = in1[offset2 + 16];
                    acc2 = acc2 + value12 * value13;
                    const float value14 = in0[offset1 + 34];
                    acc18 = acc18 + value14 * value13;
                    const float value15 = in1[offset2 + 17];
                    acc6 = acc6 + value12 * value15;
                    acc22 = acc22 + value14 * value15;
                    const float value16 = in1[offset2 + 18];
                    acc10 = acc10 + value12 * value16;
                    acc26 = acc26 + value14 * value16;
                    const float value17 = in1[offset2 + 19];
                    acc14 = acc14 + value12 * value17;
                    acc30 = acc30 + value14 * value17;
                    const float value18 = in0[offset1 + 3];
                    const float value19 = in1[offset2 + 24];
                    acc3 = acc3 + value18 * value19;
                    const float value20 = in0[offset1 + 35];
                    acc19 = acc19 + value20 * value19;
                    const float value21 = in1[offset2 + 25];
                    acc7 = acc7 + value18 * value21;
                    acc23 = acc23 + value20 * value21;
                    const float value22 = in1[offset2 + 26];
                    acc11 = acc11 + value18 * value22;
                    acc27 = acc27 + value20 * value22;
                    const float value23 = in1[offset2 + 27];
                    acc15 = acc15 + value18 * value23;
                    acc31 = acc31 + value20 * value23;
                }
                const long offset3 = i0 * 16 + offset0 + i2 * 16;
                out0[offset3] = acc0 + acc1 + (acc2 + acc3);
                out0[offset3 + 1] = acc4 + acc5 + (acc6 + acc7);
                out0[offset3 + 2] = acc8 + acc9 + (acc10 + acc11);
                out0[offset3 + 3] = acc12 + acc13 + (acc14 + acc15);
                out0[offset3 + 8] = acc16 + acc17 + (acc18 + acc19);
                out0[offset3 + 9] = acc20 + acc21 + (acc22 + acc23);
                out0[offset3 + 10] = acc24 + acc25 + (acc26 + acc27);
                out0[offset3 + 11] = acc28 + acc29 + (acc30 + acc31);
            }
        }
    }
}
