// drawn_9: out0[64] from in0[40], in1[40]; 4 work-items in groups of 2
__kernel void drawn_9(__global float *out0, __global const float *in0, __global const int *in1) {
    __local float shared0[4];
    const long lid0 = get_local_id(0);
    const long gidx0 = get_group_id(0);
    const long offset0 = (gidx0 * 2 + lid0) * 16;
    float acc0[4];
    const long offset1 = offset0 + 0;
    out0[offset1] = -7.0f;
    const long offset2 = offset0 + 1;
    out0[offset2] = -5.0f;
    const long offset3 = offset0 + 2;
    out0[offset3] = 2.0f;
    const long offset4 = offset0 + 3;
    out0[offset4] = 8.0f;
    const long offset5 = offset0 + 4;
    out0[offset5] = -1.0f;
    const long offset6 = offset0 + 5;
    out0[offset6] = -5.0f;
    const long offset7 = offset0 + 6;
    out0[offset7] = -3.0f;
    const long offset8 = offset0 + 7;
    out0[offset8] = 4.0f;
    const long offset9 = offset0 + 8;
    out0[offset9] = 4.0f;
    const long offset10 = offset0 + 9;
    out0[offset10] = -9.0f;
    const long offset11 = offset0 + 10;
    out0[offset11] = 8.0f;
    const long offset12 = offset0 + 11;
    out0[offset12] = 7.0f;
    const long offset13 = offset0 + 12;
    out0[offset13] = -9.0f;
    const long offset14 = offset0 + 13;
    out0[offset14] = -2.0f;
    const long offset15 = offset0 + 14;
    out0[offset15] = 6.0f;
    const long offset16 = offset0 + 15;
    out0[offset16] = 6.0f;
    acc0[0] = 4.0f;
    acc0[1] = -7.0f;
    acc0[2] = 6.0f;
    acc0[3] = 1.0f;
    const long offset17 = false ? 5L : gidx0;
    const bool condition0 = (offset17 < 40) & (-1 < offset17);
    const float lesser0 = at_most_float(at_least_float((condition0 & (false != true)) ? in0[offset17] : 2.0f, -99.0f), 99.0f);
    const long offset18 = -2 + gidx0 % 4 - -2;
    for (long i0 = 0; i0 < offset18; i0++) {
        const long offset19 = i0 - 2;
        float acc1 = at_most_float(at_least_float(lesser0 + lesser0, -99.0f), 99.0f);
        acc0[min(max(gidx0 + lid0, -40L), 80L) % 4] = at_most_float(at_least_float(maximum_float(lesser0, lesser0), -99.0f), 99.0f);
        const float value0 = acc0[min(max(min(offset0, lid0), -40L), 80L) % 4];
        const long offset20 = floor_modulo_by_positive_long(min(max(gidx0 - offset0, -40L), 80L), 40L);
        const int value1 = in1[offset20];
    }
    const bool condition1 = (int)(9u * (uint)-9) != -6 / 4;
    const long offset21 = lid0 * 2;
    shared0[offset21 + 0] = at_most_float(at_least_float(at_least_float(lesser0, -2.0f), -99.0f), 99.0f);
    shared0[offset21 + 1] = at_most_float(at_least_float(at_least_float(lesser0, 3.0f), -99.0f), 99.0f);
    barrier(CLK_LOCAL_MEM_FENCE);
    const float value2 = shared0[min(max(min(lid0, offset0), -40L), 80L) % 4];
    barrier(CLK_LOCAL_MEM_FENCE);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (condition1 != condition1) {
        const long offset22 = -1 + lid0 % 4 - -1;
        for (long i1 = 0; i1 < offset22; i1++) {
            const long offset23 = min(max(floor_modulo_long(i1 - 1, -1L), -40L), 80L);
            const bool condition2 = (offset23 < 40) & (-1 < offset23);
            const int value3 = (condition2 & (condition1 & true)) ? in1[offset23] : -7;
        }
    }
    out0[offset15] = (true | condition1) ? at_most_float(at_least_float(value2 + lesser0, -99.0f), 99.0f) : at_most_float(at_least_float(maximum_float(value2, lesser0), -99.0f), 99.0f);
    const float lesser1 = minimum_float(at_most_float(at_least_float(at_least_float(-9.0f, -7.0f), -99.0f), 99.0f), at_most_float(at_least_float((float)7, -99.0f), 99.0f));
    const float lesser2 = at_most_float(at_least_float(lesser1, -99.0f), 99.0f);
    out0[offset1] = lesser2;
}

// drawn_10: out0[32] from in0[40], in1[40]; 2 work-items in groups of 2
__kernel void drawn_10(__global float *out0, __global const float *in0, __global const int *in1) {
    __local float shared0[4];
    const long lid0 = get_local_id(0);
    const long gidx0 = get_group_id(0);
    const long offset0 = (gidx0 * 2 + lid0) * 16;
    float acc0[4];
    const long offset1 = offset0 + 0;
    out0[offset1] = -3.0f;
    const long offset2 = offset0 + 1;
    out0[offset2] = 2.0f;
    const long offset3 = offset0 + 2;
    out0[offset3] = 0.0f;
    const long offset4 = offset0 + 3;
    out0[offset4] = 7.0f;
    const long offset5 = offset0 + 4;
    out0[offset5] = 4.0f;
    const long offset6 = offset0 + 5;
    out0[offset6] = 0.0f;
    const long offset7 = offset0 + 6;
    out0[offset7] = -3.0f;
    const long offset8 = offset0 + 7;
    out0[offset8] = -7.0f;
    const long offset9 = offset0 + 8;
    out0[offset9] = 3.0f;
    const long offset10 = offset0 + 9;
    out0[offset10] = 7.0f;
    const long offset11 = offset0 + 10;
    out0[offset11] = 3.0f;
    const long offset12 = offset0 + 11;
    out0[offset12] = 4.0f;
    const long offset13 = offset0 + 12;
    out0[offset13] = 1.0f;
    const long offset14 = offset0 + 13;
    out0[offset14] = 3.0f;
    const long offset15 = offset0 + 14;
    out0[offset15] = 3.0f;
    const long offset16 = offset0 + 15;
    out0[offset16] = -7.0f;
    acc0[0] = 3.0f;
    acc0[1] = -7.0f;
    acc0[2] = -5.0f;
    acc0[3] = 5.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    const long offset17 = floor_modulo_by_positive_long(min(max(0 - offset0, -40L), 80L), 40L);
    const int value0 = -5.0f < -2.0f ? in1[offset17] : 7;
    const long offset18 = lid0 * 2;
    const long offset19 = offset18 + 0;
    shared0[offset19] = at_most_float(at_least_float((float)value0, -99.0f), 99.0f);
    const long offset20 = offset18 + 1;
    const float lesser0 = at_most_float(at_least_float(2.0f + -1.0f, -99.0f), 99.0f);
    shared0[offset20] = lesser0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const float value1 = shared0[(true ? -8L : gidx0) & 3];
    barrier(CLK_LOCAL_MEM_FENCE);
    const long offset21 = (true ? gidx0 : lid0) % 39;
    const float lesser1 = at_most_float(at_least_float(maximum_float2(true != true ? *(__global float2_unaligned *)(in0 + offset21) : (float2)(value1), (float2)(value1)).s1, -99.0f), 99.0f);
    *(__global float2_unaligned *)(out0 + offset10) = (float2)(lesser1);
    const bool condition0 = (false ? offset0 : lid0) != (true ? lid0 : gidx0);
    for (long i0 = 0; i0 < 4; i0++) {
        const bool condition1 = (condition0 & condition0) ? condition0 != condition0 : i0 < 2;
        barrier(CLK_LOCAL_MEM_FENCE);
        const long offset22 = min(max(min(i0, i0), -40L), 80L) % 40;
        const float lesser2 = at_most_float(at_least_float(value0 < 0 ? in0[offset22] : lesser1, -99.0f), 99.0f);
        const long offset23 = 1L + 0L - 1;
        for (long i1 = 0; i1 < offset23; i1++) {
            const long offset24 = i1 + 1;
            const bool condition2 = value0 != value0 ? condition1 & condition0 : value0 < value0;
            shared0[offset19] = at_most_float(at_least_float(maximum_float(lesser2, value1), -99.0f), 99.0f);
            shared0[offset20] = at_most_float(at_least_float(at_least_float(value1, 6.0f), -99.0f), 99.0f);
            barrier(CLK_LOCAL_MEM_FENCE);
            const float value2 = shared0[(condition1 ? gidx0 : i0) % 4];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
    const long offset25 = 2 + (-6L & 3) - 2;
    for (long i2 = 0; i2 < offset25; i2++) {
        const long offset26 = i2 + 2;
        if (value1 < value1) {
            const float lesser3 = minimum_float(condition0 ? lesser1 : lesser1, at_most_float(at_least_float(-8.0f + lesser1, -99.0f), 99.0f));
            if (condition0 ? false : false) out0[offset4] = at_most_float(at_least_float(lesser3, -99.0f), 99.0f);
            float acc1 = at_most_float(at_least_float(value1 + value1, -99.0f), 99.0f);
        }
    }
    for (long i3 = 0; i3 < 2; i3++) {
        if (lid0 != i3) {
            const float lesser4 = at_most_float(at_least_float(in0[min(max(max(i3, gidx0), -40L), 80L) % 40], -99.0f), 99.0f);
        }
    }
    acc0[min(max(max(lid0, offset0), -40L), 80L) % 4] = at_most_float(at_least_float(at_least_float(lesser1, -7.0f), -99.0f), 99.0f);
    const float value3 = acc0[min(max(-4 + lid0, -40L), 80L) & 3];
    if (value3 < value3) {
        const long offset27 = min(max(-5 - offset0, -40L), 80L);
        const float lesser5 = at_most_float(at_least_float(((offset27 < 40) & (-1 < offset27)) ? in0[offset27] : value1, -99.0f), 99.0f);
        const int product0 = (uint)(value0 ^ value0) * (uint)floor_modulo_by_positive_int(value0, 3);
        const float lesser6 = at_most_float(at_least_float(at_least_float(-9.0f, 7.0f), -99.0f), 99.0f);
        acc0[min(max(gidx0 + offset0, -40L), 80L) % 4] = lesser6;
        const float value4 = acc0[min(max(min(offset0, 9L), -40L), 80L) % 4];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const bool condition3 = condition0 ? condition0 : condition0;
    if (condition3) {
        for (long k0 = 0; k0 < 2; k0++) {
            const long offset28 = -1L + 0L - -1;
            for (long i4 = 0; i4 < offset28; i4++) {
                const long offset29 = i4 - 1;
                const long offset30 = min(max(min(gidx0, offset0), -40L), 80L) % 40;
                const int value5 = condition3 ? ((__global int *)((__global char *)(in1 + offset30) + 0L))[0] : value0;
                float acc2 = at_most_float(at_least_float(maximum_float(lesser1, value1), -99.0f), 99.0f);
                acc0[min(max(min(gidx0, lid0), -40L), 80L) % 4] = condition0 ? value1 : value3;
            }
            const float lesser7 = minimum_float(at_most_float(at_least_float(lesser1 * value1, -99.0f), 99.0f), at_most_float(at_least_float(7.0f - lesser1, -99.0f), 99.0f));
            out0[offset3] = at_most_float(at_least_float(lesser7, -99.0f), 99.0f);
        }
        if (value0 != 6) {
            const long offset31 = floor_modulo_by_positive_long(min(max(floor_modulo_long(offset0, gidx0), -40L), 80L), 40L);
            const float lesser8 = at_most_float(at_least_float(value3 < lesser1 ? in0[offset31] : value3, -99.0f), 99.0f);
            const long offset32 = min(max(min(9L, lid0), -40L), 80L) % 40;
            const int value6 = condition3 ? ((__global int *)((__global char *)(in1 + offset32) + 0L))[0] : -2;
        }
        float acc3 = condition0 ? lesser1 : 8.0f;
    }
    if (condition0 & false) out0[offset11] = at_most_float(at_least_float((float)floor_modulo_int(value0, value0), -99.0f), 99.0f);
    const float greater0 = maximum_float(at_most_float(at_least_float(lesser1 + value1, -99.0f), 99.0f), at_most_float(at_least_float(lesser1 * lesser1, -99.0f), 99.0f));
    out0[offset5] = at_most_float(at_least_float(greater0, -99.0f), 99.0f);
}

// drawn_11: out0[32] from in0[40], in1[40]; 2 work-items in groups of 1
__kernel void drawn_11(__global float *out0, __global const float *in0, __global const int *in1) {
    __local float shared0[2];
    const long lid0 = get_local_id(0);
    const long gidx0 = get_group_id(0);
    const long offset0 = (gidx0 * 1 + lid0) * 16;
    float acc0[4];
    const long offset1 = offset0 + 0;
    out0[offset1] = 0.0f;
    const long offset2 = offset0 + 1;
    out0[offset2] = 4.0f;
    const long offset3 = offset0 + 2;
    out0[offset3] = -4.0f;
    const long offset4 = offset0 + 3;
    out0[offset4] = -4.0f;
    const long offset5 = offset0 + 4;
    out0[offset5] = 8.0f;
    const long offset6 = offset0 + 5;
    out0[offset6] = -4.0f;
    const long offset7 = offset0 + 6;
    out0[offset7] = 4.0f;
    const long offset8 = offset0 + 7;
    out0[offset8] = -2.0f;
    const long offset9 = offset0 + 8;
    out0[offset9] = -4.0f;
    const long offset10 = offset0 + 9;
    out0[offset10] = -7.0f;
    const long offset11 = offset0 + 10;
    out0[offset11] = -7.0f;
    const long offset12 = offset0 + 11;
    out0[offset12] = -9.0f;
    const long offset13 = offset0 + 12;
    out0[offset13] = -7.0f;
    const long offset14 = offset0 + 13;
    out0[offset14] = -8.0f;
    const long offset15 = offset0 + 14;
    out0[offset15] = 8.0f;
    const long offset16 = offset0 + 15;
    out0[offset16] = 1.0f;
    acc0[0] = -2.0f;
    acc0[1] = 8.0f;
    acc0[2] = 3.0f;
    acc0[3] = 1.0f;
    const long offset17 = min(max(max(offset0, -9L), -40L), 80L) % 25;
    const bool condition0 = false != true;
    const float16 value0 = condition0 ? *(__global float16_unaligned *)(in0 + offset17) : (float16)(-8.0f, 1.0f, 1.0f, -5.0f, -2.0f, -9.0f, 0.0f, -4.0f, 0.0f, -4.0f, -3.0f, -4.0f, -2.0f, -9.0f, -5.0f, 3.0f);
    const float16 difference0 = value0 - 2.0f;
    const float lesser0 = at_most_float(at_least_float(difference0.sc, -99.0f), 99.0f);
    const float lesser1 = at_most_float(at_least_float(difference0.se, -99.0f), 99.0f);
    const float lesser2 = at_most_float(at_least_float(difference0.sb, -99.0f), 99.0f);
    const float lesser3 = at_most_float(at_least_float(difference0.s6, -99.0f), 99.0f);
    *(__global float16_unaligned *)(out0 + offset1) = (float16)(lesser0, lesser1, at_most_float(at_least_float(difference0.s8, -99.0f), 99.0f), lesser2, at_most_float(at_least_float(difference0.s7, -99.0f), 99.0f), at_most_float(at_least_float(difference0.s1, -99.0f), 99.0f), lesser3, lesser1, at_most_float(at_least_float(difference0.s2, -99.0f), 99.0f), at_most_float(at_least_float(difference0.sa, -99.0f), 99.0f), at_most_float(at_least_float(difference0.s9, -99.0f), 99.0f), at_most_float(at_least_float(difference0.s5, -99.0f), 99.0f), lesser3, lesser1, lesser2, at_most_float(at_least_float(difference0.s3, -99.0f), 99.0f));
    const long offset18 = 1L + 0L - 1;
    for (long i0 = 0; i0 < offset18; i0++) {
        const float lesser4 = at_most_float(at_least_float((float)(false ? -1 : -4), -99.0f), 99.0f);
        out0[offset7] = lesser4;
        float acc1 = at_most_float(at_least_float(at_least_float(lesser0, 1.0f), -99.0f), 99.0f);
        const long offset19 = min(max(5L % 8, -40L), 80L) % 25;
        const float16 sum0 = *(__global float16_unaligned *)(in0 + offset19) + lesser0;
        const float lesser5 = at_most_float(at_least_float(sum0.s0, -99.0f), 99.0f);
        const float lesser6 = at_most_float(at_least_float(sum0.s8, -99.0f), 99.0f);
        const float lesser7 = at_most_float(at_least_float(sum0.s9, -99.0f), 99.0f);
        const float lesser8 = at_most_float(at_least_float(sum0.sa, -99.0f), 99.0f);
        const float lesser9 = at_most_float(at_least_float(sum0.sb, -99.0f), 99.0f);
        const float lesser10 = at_most_float(at_least_float(sum0.sd, -99.0f), 99.0f);
        *(__global float16_unaligned *)(out0 + offset1) = (float16)(lesser5, lesser6, lesser7, lesser8, lesser8, at_most_float(at_least_float(sum0.se, -99.0f), 99.0f), lesser9, lesser10, at_most_float(at_least_float(sum0.s6, -99.0f), 99.0f), lesser10, at_most_float(at_least_float(sum0.s3, -99.0f), 99.0f), lesser6, lesser7, lesser9, lesser8, lesser10);
        for (long i1 = 0; i1 < 0; i1++) {
            const float greater0 = at_least_float((false ? lesser5 : -2.0f) * at_most_float(at_least_float((float)1, -99.0f), 99.0f), -99.0f);
            acc0[min(max(offset0 - i1, -40L), 80L) % 4] = at_most_float(at_least_float(at_most_float(at_most_float(greater0, 99.0f), -6.0f), -99.0f), 99.0f);
        }
    }
    const long offset20 = lid0 * 2;
    const long offset21 = offset20 + 0;
    shared0[offset21] = at_most_float(at_least_float(lesser0 * -9.0f, -99.0f), 99.0f);
    const long offset22 = offset20 + 1;
    shared0[offset22] = false ? 4.0f : lesser0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const float value1 = shared0[min(max(gidx0 + gidx0, -40L), 80L) % 2];
    barrier(CLK_LOCAL_MEM_FENCE);
    const long offset23 = min(max(offset0 + gidx0, -40L), 80L);
    const bool condition1 = (offset23 < 40) & (-1 < offset23);
    const int value2 = (condition1 & (-6 != 0)) ? in1[offset23] : -8;
    acc0[(true ? lid0 : lid0) % 4] = at_most_float(at_least_float(value1 * value1, -99.0f), 99.0f);
    shared0[offset21] = at_most_float(at_least_float(lesser0 + lesser0, -99.0f), 99.0f);
    shared0[offset22] = true ? value1 : lesser0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const float value3 = shared0[min(max(min(3L, lid0), -40L), 80L) % 2];
    barrier(CLK_LOCAL_MEM_FENCE);
    const float4 value4 = condition0 ? *(__global float4_unaligned *)(in0 + 1) : (float4)(value1);
    const bool condition2 = false ? true : false;
    if (condition2) out0[offset4] = value4.s0;
    if (condition2) out0[offset9] = value4.s1;
    if (condition2) out0[offset8] = value4.s2;
    if (condition2) out0[offset5] = value4.s3;
    const float greater1 = at_least_float((false ? value3 : acc0[min(max(gidx0 + offset0, -40L), 80L) % 4]) * at_most_float(at_least_float(3.0f + lesser0, -99.0f), 99.0f), -99.0f);
    if (value2 < value2) out0[offset3] = at_most_float(greater1, 99.0f);
    out0[offset13] = at_most_float(at_least_float((float)(int)((uint)value2 + (uint)value2), -99.0f), 99.0f);
    const float greater2 = at_least_float((false ? value3 : lesser0) - at_most_float(at_least_float((float)value2, -99.0f), 99.0f), -99.0f);
    if (false | true) out0[offset14] = at_most_float(greater2, 99.0f);
}
