// drawn_10: out0[96] from in0[61]; 3 work-items in groups of 3
__kernel void drawn_10(__global uint *out0, __global const uint *restrict in0) {
    const int gid0 = get_global_id(0);
    const uint value0 = in0[gid0 + 18];
    const uint choice0 = false ? in0[gid0 + 48] : value0;
    const uint choice1 = false ? in0[gid0 + 56] : value0;
    for (int i0 = 0; i0 < 2; i0++) {
        for (int i1 = 0; i1 < 2; i1++) {
            uint2 acc0 = (uint2)(4294967295u);
            uint2 acc1 = (uint2)(4294967295u);
            for (int k0 = 0; k0 < 3; k0++) {
                const uint value1 = in0[i1 * 3 + k0 + 16];
                uint acc2 = 4294967295u;
                for (int k1 = 0; k1 < 2; k1++) {
                    acc2 = min(acc2, value1);
                }
                const uint value2 = acc2 | choice0;
                acc0 = min(acc0, (uint2)(value2));
                acc0 = min(acc0, (uint2)(value2));
                acc0 = min(acc0, (uint2)(value2));
                acc0 = min(acc0, (uint2)(value2));
                acc0 = min(acc0, (uint2)(value2));
                acc0 = min(acc0, (uint2)(value2));
                acc0 = min(acc0, (uint2)(value2));
                acc0 = min(acc0, (uint2)(value2));
                const uint value3 = acc2 | choice1;
                acc1 = min(acc1, (uint2)(value3));
                acc1 = min(acc1, (uint2)(value3));
                acc1 = min(acc1, (uint2)(value3));
                acc1 = min(acc1, (uint2)(value3));
                acc1 = min(acc1, (uint2)(value3));
                acc1 = min(acc1, (uint2)(value3));
                acc1 = min(acc1, (uint2)(value3));
                acc1 = min(acc1, (uint2)(value3));
            }
            const int offset0 = gid0 * 8 + i0 * 24 + i1 * 48;
            const uint lesser0 = min(acc0.s0, acc0.s1);
            *(__global uint4 *)(out0 + offset0) = (uint4)(lesser0);
            const uint lesser1 = min(acc1.s0, acc1.s1);
            *(__global uint4 *)(out0 + offset0 + 4) = (uint4)(lesser1);
        }
    }
}

// drawn_11: out0[32] from nothing
static void drawn_11(float *out0) {
    float shared0[8];
    const float lesser0 = at_most_float(1.0f, 1.0f);
    const float lesser1 = minimum_float(lesser0, lesser0);
    const float lesser2 = at_most_float(at_least_float(minimum_float(lesser1, lesser1), -8.0f), 8.0f);
    shared0[0] = lesser2;
    shared0[1] = lesser2;
    shared0[2] = lesser2;
    shared0[3] = lesser2;
    shared0[4] = lesser2;
    shared0[5] = lesser2;
    shared0[6] = lesser2;
    shared0[7] = lesser2;
    for (long i0 = 0; i0 < 4; i0++) {
        for (long i1 = 0; i1 < 2; i1++) {
            const long offset0 = i0 * -4 + i1 * 16;
            const float value0 = shared0[i1 * -1 + 7];
            out0[offset0 + 15] = value0;
            out0[offset0 + 14] = value0;
            out0[offset0 + 13] = value0;
            out0[offset0 + 12] = value0;
        }
    }
}

// drawn_13: out0[16] from in0[61]; 2 work-items in groups of 1
__kernel void drawn_13(__global float *out0, __global const float *restrict in0) {
    const int gid0 = get_global_id(0);
    const int offset0 = gid0 * 8;
    const float8 value0 = vload8(0, in0 + gid0 + 36);
    vstore8(true ? vload8(0, in0 + offset0 + 3) : (float8)(value0.s7, value0.s6, value0.s5, value0.s4, value0.s3, value0.s2, value0.s1, value0.s0), 0, out0 + offset0);
}

// drawn_17: out0[1152] from in0[61]; 3 x 12 work-items in groups of 3 x 3
__kernel void drawn_17(__global short *out0, __global const short *in0) {
    __local short shared1[9];
    __local short shared0[9];
    const long gidx0 = get_group_id(0);
    const long gidx1 = get_group_id(1);
    const long lid0 = get_local_id(0);
    const long lid1 = get_local_id(1);
    const long offset0 = lid1 * 3 + lid0;
    shared0[offset0] = in0[(gidx1 + gidx0 * 2 + 1) % 61];
    const long offset1 = gidx0 * 4;
    shared1[offset0] = (short)(false ? (short)(lid1 + 1) : in0[gidx1 * -2 + offset1 + 58]);
    const long offset2 = lid1 * -3 + lid0 + 6;
    barrier(CLK_LOCAL_MEM_FENCE);
    const short remainder0 = modulo_short(shared0[offset2], (short)((uint)(short)(shared1[offset2] & (short)3) + (uint)(short)1));
    for (long i0 = 0; i0 < 2; i0++) {
        const bool condition0 = offset1 + lid1 * 4 + i0 * 8 - 1 < 11;
        for (long i1 = 0; i1 < 1; i1++) {
            const long offset3 = gidx1 * -288 + gidx0 * 6 + lid1 * 2 + lid0 * 12 + i0 * 6 + i1 * 2;
            if (condition0) *(__global short2_unaligned *)(out0 + offset3 + 864) = (short2)(remainder0);
            if (condition0) *(__global short2_unaligned *)(out0 + offset3 + 900) = (short2)(remainder0);
            if (condition0) *(__global short2_unaligned *)(out0 + offset3 + 936) = (short2)(remainder0);
            if (condition0) *(__global short2_unaligned *)(out0 + offset3 + 972) = (short2)(remainder0);
            if (condition0) *(__global short2_unaligned *)(out0 + offset3 + 1008) = (short2)(remainder0);
            if (condition0) *(__global short2_unaligned *)(out0 + offset3 + 1044) = (short2)(remainder0);
            if (condition0) *(__global short2_unaligned *)(out0 + offset3 + 1080) = (short2)(remainder0);
            if (condition0) *(__global short2_unaligned *)(out0 + offset3 + 1116) = (short2)(remainder0);
        }
    }
}

// drawn_18: out0[6144] from in0[61]; 8 x 8 x 12 work-items in groups of 4 x 2 x 1
__kernel void drawn_18(__global uchar *out0, __global const ushort *in0) {
    const long gidx0 = get_group_id(0);
    const long gidx1 = get_group_id(1);
    const long gidx2 = get_group_id(2);
    const long lid0 = get_local_id(0);
    const long lid1 = get_local_id(1);
    const bool condition0 = half_value_ushort(in0[gidx0 + 5]) < half_value_ushort(in0[lid0 + 33]);
    bool acc0[4];
    for (long i0 = 0; i0 < 2; i0++) {
        acc0[i0] = condition0;
        acc0[i0 + 2] = condition0;
    }
    const long offset0 = gidx2 / 4 * -64 + gidx2 % 4 * 8 + gidx1 * 2 + gidx0 * 3072 + lid1 * 32 + lid0 * 192;
    const int2 condition1 = (int2)(-acc0[3], -acc0[0]);
    *(__global uchar2_unaligned *)(out0 + offset0 + 128) = convert_uchar2(-condition1);
    *(__global uchar2_unaligned *)(out0 + offset0 + 1664) = convert_uchar2(-condition1);
    *(__global uchar2_unaligned *)(out0 + offset0 + 896) = convert_uchar2(-condition1);
    *(__global uchar2_unaligned *)(out0 + offset0 + 2432) = convert_uchar2(-condition1);
}

// drawn_19: out0[24] from in0[61]; 3 x 4 work-items in groups of 1 x 1
__kernel void drawn_19(__global uint *out0, __global const uint *restrict in0) {
    const int gid0 = get_global_id(0);
    const int gid1 = get_global_id(1);
    uint acc0[3];
    acc0[0] = in0[gid1 + 8];
    acc0[1] = in0[gid1 + 10];
    acc0[2] = in0[gid1 + 12];
    for (int i0 = 0; i0 < 1; i0++) {
        out0[gid1 * 2 + gid0 * 8 + i0 * 8 + 1] = acc0[gid0 * -1 + 2];
    }
}
