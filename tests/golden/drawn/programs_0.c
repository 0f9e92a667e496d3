// drawn_0: out0[48] from in0[40], in1[40]; 3 work-items in groups of 1
__kernel void drawn_0(__global float *out0, __global const float *in0, __global const int *in1) {
    __local float shared0[2];
    const long lid0 = get_local_id(0);
    const long gidx0 = get_group_id(0);
    const long offset0 = (gidx0 * 1 + lid0) * 16;
    float acc0[4];
    const long offset1 = offset0 + 0;
    out0[offset1] = 9.0f;
    const long offset2 = offset0 + 1;
    out0[offset2] = 9.0f;
    const long offset3 = offset0 + 2;
    out0[offset3] = 5.0f;
    const long offset4 = offset0 + 3;
    out0[offset4] = -4.0f;
    const long offset5 = offset0 + 4;
    out0[offset5] = -1.0f;
    const long offset6 = offset0 + 5;
    out0[offset6] = 5.0f;
    const long offset7 = offset0 + 6;
    out0[offset7] = 1.0f;
    const long offset8 = offset0 + 7;
    out0[offset8] = -1.0f;
    const long offset9 = offset0 + 8;
    out0[offset9] = -9.0f;
    const long offset10 = offset0 + 9;
    out0[offset10] = 0.0f;
    const long offset11 = offset0 + 10;
    out0[offset11] = -5.0f;
    const long offset12 = offset0 + 11;
    out0[offset12] = 2.0f;
    const long offset13 = offset0 + 12;
    out0[offset13] = 0.0f;
    const long offset14 = offset0 + 13;
    out0[offset14] = -3.0f;
    const long offset15 = offset0 + 14;
    out0[offset15] = 8.0f;
    const long offset16 = offset0 + 15;
    out0[offset16] = 0.0f;
    acc0[0] = -5.0f;
    acc0[1] = -7.0f;
    acc0[2] = -3.0f;
    acc0[3] = 2.0f;
    if (-1.0f != -1.0f) {
        const float lesser0 = at_most_float(at_least_float(8.0f + 5.0f, -99.0f), 99.0f);
        acc0[min(max(-2 - gidx0, -40L), 80L) & 3] = lesser0;
        const float value0 = acc0[min(max(min(gidx0, offset0), -40L), 80L) % 4];
    }
    const float2 value1 = *(__global float2_unaligned *)(in0 + 27);
    out0[offset15] = value1.s0;
    out0[offset7] = value1.s1;
    const long offset17 = min(max(lid0 + gidx0, -40L), 80L);
    const bool condition0 = (offset17 < 40) & (-1 < offset17);
    const int value2 = condition0 ? in1[offset17] : -8;
    for (long k0 = 0; k0 < 4; k0++) {
        if (value2 != value2) {
            const float lesser1 = minimum_float(at_most_float(at_least_float(0.0f - 0.0f, -99.0f), 99.0f), at_most_float(at_least_float(at_least_float(-9.0f, 0.0f), -99.0f), 99.0f));
            if (true | false) out0[offset4] = at_most_float(at_least_float(lesser1, -99.0f), 99.0f);
            float acc1 = at_most_float(at_least_float(at_least_float(0.0f, -4.0f), -99.0f), 99.0f);
            const float lesser2 = minimum_float(at_most_float(at_least_float(at_least_float(-3.0f, -9.0f), -99.0f), 99.0f), at_most_float(at_least_float((float)value2, -99.0f), 99.0f));
            if (true != false) out0[offset14] = at_most_float(at_least_float(lesser2, -99.0f), 99.0f);
        }
        float acc2 = false ? 9.0f : 6.0f;
    }
    const float value3 = in0[7];
    const float value4 = in0[24];
    const float2 vector0 = (float2)(value3, value4);
    const bool condition1 = gidx0 < gidx0;
    if (condition1) out0[offset1] = value3;
    if (condition1) out0[offset6] = value4;
    barrier(CLK_LOCAL_MEM_FENCE);
    const float greater0 = maximum_float(at_most_float(at_least_float(at_least_float(6.0f, 5.0f), -99.0f), 99.0f), at_most_float(at_least_float(at_least_float(2.0f, 2.0f), -99.0f), 99.0f));
    const float lesser3 = at_most_float(at_least_float(greater0, -99.0f), 99.0f);
    out0[offset2] = lesser3;
}

// drawn_1: out0[16] from in0[40], in1[40]; 1 work-items in groups of 1
__kernel void drawn_1(__global float *out0, __global const float *in0, __global const int *in1) {
    __local float shared0[2];
    const long lid0 = get_local_id(0);
    const long gidx0 = get_group_id(0);
    const long offset0 = (gidx0 * 1 + lid0) * 16;
    float acc0[4];
    const long offset1 = offset0 + 0;
    out0[offset1] = 1.0f;
    const long offset2 = offset0 + 1;
    out0[offset2] = -7.0f;
    const long offset3 = offset0 + 2;
    out0[offset3] = 3.0f;
    const long offset4 = offset0 + 3;
    out0[offset4] = 9.0f;
    const long offset5 = offset0 + 4;
    out0[offset5] = 9.0f;
    const long offset6 = offset0 + 5;
    out0[offset6] = -1.0f;
    const long offset7 = offset0 + 6;
    out0[offset7] = 2.0f;
    const long offset8 = offset0 + 7;
    out0[offset8] = -5.0f;
    const long offset9 = offset0 + 8;
    out0[offset9] = -8.0f;
    const long offset10 = offset0 + 9;
    out0[offset10] = -1.0f;
    const long offset11 = offset0 + 10;
    out0[offset11] = 3.0f;
    const long offset12 = offset0 + 11;
    out0[offset12] = 0.0f;
    const long offset13 = offset0 + 12;
    out0[offset13] = -4.0f;
    const long offset14 = offset0 + 13;
    out0[offset14] = -6.0f;
    const long offset15 = offset0 + 14;
    out0[offset15] = 2.0f;
    const long offset16 = offset0 + 15;
    out0[offset16] = 5.0f;
    acc0[0] = -4.0f;
    acc0[1] = -5.0f;
    acc0[2] = 3.0f;
    acc0[3] = -1.0f;
    const bool condition0 = (true ? true : true) != (true ? true : false);
    const long offset17 = -2L + 2L - -2;
    for (long i0 = 0; i0 < offset17; i0++) {
        const long offset18 = floor_modulo_by_positive_long(min(max(floor_modulo_long(lid0, lid0), -40L), 80L), 37L);
        const float4 sum0 = ((true ? condition0 : condition0) ? *(__global float4_unaligned *)(in0 + offset18) : (float4)(-9.0f, 7.0f, -9.0f, 6.0f)) + 1.0f;
        const float lesser0 = at_most_float(at_least_float(sum0.s2, -99.0f), 99.0f);
        const float lesser1 = at_most_float(at_least_float(sum0.s0, -99.0f), 99.0f);
        *(__global float4_unaligned *)(out0 + offset3) = (float4)(lesser0, at_most_float(at_least_float(sum0.s1, -99.0f), 99.0f), lesser1, lesser1);
        const long offset19 = min(max(max(lid0, gidx0), -40L), 80L) % 37;
        const float4 value0 = (condition0 | condition0) ? *(__global float4_unaligned *)(in0 + offset19) : (float4)(lesser0);
        const float4 greater0 = maximum_float4(value0, (float4)(lesser0));
        const float lesser2 = at_most_float(at_least_float(greater0.s0, -99.0f), 99.0f);
        *(__global float4_unaligned *)(out0 + offset1) = (float4)(lesser2, at_most_float(at_least_float(greater0.s1, -99.0f), 99.0f), lesser2, at_most_float(at_least_float(greater0.s2, -99.0f), 99.0f));
        for (long k0 = 0; k0 < 2; k0++) {
            const long offset20 = lid0 * 2;
            shared0[offset20 + 0] = at_most_float(at_least_float((float)in1[min(max(min(gidx0, k0), -40L), 80L) % 40], -99.0f), 99.0f);
            shared0[offset20 + 1] = at_most_float(at_least_float(lesser0 + 5.0f, -99.0f), 99.0f);
            barrier(CLK_LOCAL_MEM_FENCE);
            const float value1 = shared0[min(max((i0 - 2) & 7, -40L), 80L) % 2];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
    const float lesser3 = minimum_float(at_most_float(at_least_float(at_least_float(-4.0f, -6.0f), -99.0f), 99.0f), at_most_float(at_least_float(2.0f - 9.0f, -99.0f), 99.0f));
    if (lid0 < offset0) out0[offset10] = at_most_float(at_least_float(lesser3, -99.0f), 99.0f);
    const bool condition1 = 3 != -7;
    const bool condition2 = condition0 != condition0;
    if (condition1 & condition2) out0[offset1] = at_most_float(at_least_float((float)(int)((uint)-7 + 9u), -99.0f), 99.0f);
    const float2 value2 = offset0 != offset0 ? *(__global float2_unaligned *)(in0 + 12) : (float2)(4.0f);
    out0[offset13] = value2.s0;
    out0[offset4] = value2.s1;
    if (true | condition0) out0[offset15] = condition2 ? at_most_float(at_least_float(at_most_float(-6.0f, -3.0f), -99.0f), 99.0f) : at_most_float(at_least_float(8.0f - 6.0f, -99.0f), 99.0f);
    const float value3 = condition2 ? in0[38] : -1.0f;
    const float value4 = condition2 ? in0[26] : -1.0f;
    const float2 vector0 = (float2)(value3, value4);
    out0[offset15] = value3;
    out0[offset11] = value4;
    const long offset21 = -1L + 4L - -1;
    for (long i1 = 0; i1 < offset21; i1++) {
        const long offset22 = i1 - 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        const long offset23 = min(max(gidx0 + offset0, -40L), 80L);
        const bool condition3 = (offset23 < 40) & (-1 < offset23);
        const int value5 = (condition3 & (-9.0f < 7.0f)) ? in1[offset23] : 7;
        for (long i2 = 0; i2 < 4; i2++) {
            const long offset24 = min(max(gidx0 + gidx0, -40L), 80L) % 37;
            const float4 sum1 = *(__global float4_unaligned *)(in0 + offset24) + -3.0f;
            const float lesser4 = at_most_float(at_least_float(sum1.s0, -99.0f), 99.0f);
            *(__global float4_unaligned *)(out0 + offset9) = (float4)(lesser4, at_most_float(at_least_float(sum1.s1, -99.0f), 99.0f), lesser4, lesser4);
            const long offset25 = min(max(max(i2, gidx0), -40L), 80L) % 38;
            const float3 difference0 = vload3(0, in0 + offset25) - lesser4;
            const float lesser5 = at_most_float(at_least_float(difference0.s2, -99.0f), 99.0f);
            vstore3((float3)(at_most_float(at_least_float(difference0.s1, -99.0f), 99.0f), lesser5, lesser5), 0, out0 + offset13);
            const int remainder0 = floor_modulo_int(condition0 ? value5 : value5, floor_modulo_int(2, value5));
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        const long offset26 = min(max(gidx0 + 5, -40L), 80L);
        const float lesser6 = at_most_float(at_least_float(((offset26 < 40) & (-1 < offset26)) ? in0[offset26] : 3.0f, -99.0f), 99.0f);
        const long offset27 = 2L + 0L - 2;
        for (long i3 = 0; i3 < offset27; i3++) {
            const long offset28 = min(max((condition0 ? gidx0 : i3 + 2) + min(max(min(offset22, offset22), -40L), 80L), -40L), 80L);
        }
    }
    if (false | condition0) out0[offset7] = at_most_float(at_least_float((float)floor_modulo_by_positive_int(-6, 5), -99.0f), 99.0f);
    const float value6 = in0[34];
    const float value7 = in0[5];
    const float2 vector1 = (float2)(value6, value7);
    out0[offset6] = value6;
    out0[offset5] = value7;
    const long offset29 = min(max(min(offset0, lid0), -40L), 80L) % 40;
    const float lesser7 = at_most_float(at_least_float(at_least_float(-7.0f, -4.0f), -99.0f), 99.0f);
    acc0[min(max(min(offset0, -1L), -40L), 80L) & 3] = lesser7;
    const float lesser8 = at_most_float(at_least_float((float)in1[offset29], -99.0f), 99.0f);
    out0[offset15] = at_most_float(at_least_float(minimum_float(lesser8, lesser8), -99.0f), 99.0f);
    const float greater1 = at_least_float(acc0[min(max(offset0 - -8, -40L), 80L) % 4] + acc0[min(max(offset0 - -8, -40L), 80L) % 4], -99.0f);
    out0[offset13] = at_most_float(at_least_float(minimum_float(at_most_float(greater1, 99.0f), lesser8), -99.0f), 99.0f);
}

// drawn_2: out0[48] from in0[40], in1[40]; 3 work-items in groups of 1
__kernel void drawn_2(__global float *out0, __global const float *in0, __global const int *in1) {
    __local float shared0[2];
    const long lid0 = get_local_id(0);
    const long gidx0 = get_group_id(0);
    const long offset0 = (gidx0 * 1 + lid0) * 16;
    float acc0[4];
    const long offset1 = offset0 + 0;
    out0[offset1] = -6.0f;
    const long offset2 = offset0 + 1;
    out0[offset2] = 0.0f;
    const long offset3 = offset0 + 2;
    out0[offset3] = 2.0f;
    const long offset4 = offset0 + 3;
    out0[offset4] = 5.0f;
    const long offset5 = offset0 + 4;
    out0[offset5] = 5.0f;
    const long offset6 = offset0 + 5;
    out0[offset6] = -8.0f;
    const long offset7 = offset0 + 6;
    out0[offset7] = 4.0f;
    const long offset8 = offset0 + 7;
    out0[offset8] = -6.0f;
    const long offset9 = offset0 + 8;
    out0[offset9] = -2.0f;
    const long offset10 = offset0 + 9;
    out0[offset10] = 9.0f;
    const long offset11 = offset0 + 10;
    out0[offset11] = 2.0f;
    const long offset12 = offset0 + 11;
    out0[offset12] = 9.0f;
    const long offset13 = offset0 + 12;
    out0[offset13] = -4.0f;
    const long offset14 = offset0 + 13;
    out0[offset14] = 9.0f;
    const long offset15 = offset0 + 14;
    out0[offset15] = -7.0f;
    const long offset16 = offset0 + 15;
    out0[offset16] = 1.0f;
    acc0[0] = -2.0f;
    acc0[1] = -6.0f;
    acc0[2] = -3.0f;
    acc0[3] = -4.0f;
    const float lesser0 = minimum_float(at_most_float(at_least_float((float)7, -99.0f), 99.0f), at_most_float(at_least_float(2.0f + 9.0f, -99.0f), 99.0f));
    const float lesser1 = at_most_float(at_least_float(lesser0, -99.0f), 99.0f);
    out0[offset15] = lesser1;
    const float lesser2 = at_most_float(at_least_float(8.0f + -1.0f, -99.0f), 99.0f);
    acc0[min(max(min(gidx0, gidx0), -40L), 80L) % 4] = lesser2;
    const bool condition0 = -4 != -5 ? true & true : -8 < 8;
    const long offset17 = lid0 * 2;
    const long offset18 = offset17 + 0;
    const float sum0 = acc0[min(max(floor_modulo_long(lid0, gidx0), -40L), 80L) & 3] + acc0[min(max(floor_modulo_long(lid0, gidx0), -40L), 80L) & 3];
    shared0[offset18] = at_most_float(at_least_float(sum0, -99.0f), 99.0f);
    const long offset19 = offset17 + 1;
    shared0[offset19] = condition0 ? acc0[min(max(floor_modulo_long(lid0, gidx0), -40L), 80L) & 3] : acc0[min(max(floor_modulo_long(lid0, gidx0), -40L), 80L) & 3];
    barrier(CLK_LOCAL_MEM_FENCE);
    const float value0 = shared0[min(max(-8 + gidx0, -40L), 80L) & 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    const float greater0 = at_least_float(acc0[min(max(floor_modulo_long(lid0, gidx0), -40L), 80L) & 3] * acc0[min(max(floor_modulo_long(lid0, gidx0), -40L), 80L) & 3], -99.0f);
    shared0[offset18] = at_most_float(greater0, 99.0f);
    const float lesser3 = at_most_float(at_least_float((float)1, -99.0f), 99.0f);
    shared0[offset19] = lesser3;
    barrier(CLK_LOCAL_MEM_FENCE);
    const float value1 = shared0[(condition0 ? lid0 : lid0) % 2];
    barrier(CLK_LOCAL_MEM_FENCE);
    const float greater1 = at_least_float(acc0[min(max(floor_modulo_long(lid0, gidx0), -40L), 80L) & 3] * value1, -99.0f);
    float acc1 = at_most_float(greater1, 99.0f);
    const float greater2 = at_least_float(value0 - acc0[min(max(floor_modulo_long(lid0, gidx0), -40L), 80L) & 3], -99.0f);
    const float lesser4 = minimum_float(at_most_float(at_least_float(at_least_float(value1, 5.0f), -99.0f), 99.0f), at_most_float(greater2, 99.0f));
    if (condition0 ? condition0 : false) out0[offset4] = at_most_float(at_least_float(lesser4, -99.0f), 99.0f);
    const bool condition1 = offset0 != 2;
    const float greater3 = at_least_float(maximum_float(acc0[min(max(floor_modulo_long(lid0, gidx0), -40L), 80L) & 3], acc1), -99.0f);
    const float greater4 = at_least_float(at_least_float(acc0[min(max(floor_modulo_long(lid0, gidx0), -40L), 80L) & 3], -8.0f), -99.0f);
    if (condition1 & (gidx0 != -5)) out0[offset9] = 6 != lid0 ? at_most_float(greater3, 99.0f) : at_most_float(greater4, 99.0f);
    const float lesser5 = minimum_float(at_most_float(at_least_float(at_most_float(value0, 8.0f), -99.0f), 99.0f), at_most_float(at_least_float(value1 - value1, -99.0f), 99.0f));
    out0[offset5] = at_most_float(at_least_float(lesser5, -99.0f), 99.0f);
}
