// drawn_60: out0[3888] from in0[61]; 6 x 3 x 9 work-items in groups of 2 x 1 x 3
__kernel void drawn_60(__global long *out0, __global const long *in0) {
    __local long shared1[3];
    __local long shared0[6];
    const long gidx0 = get_group_id(0);
    const long gidx1 = get_group_id(1);
    const long gidx2 = get_group_id(2);
    const long lid0 = get_local_id(0);
    const long lid1 = get_local_id(1);
    const long lid2 = get_local_id(2);
    const long value0 = in0[gidx1 + lid1 * 3 + lid0 + 8];
    long acc0 = 1L;
    for (long k0 = 0; k0 < 2; k0++) {
        acc0 = (long)((ulong)acc0 * (ulong)value0);
    }
    const long offset0 = lid2 * 2 + lid1 * 2;
    shared0[offset0 + lid0] = acc0;
    const bool condition0 = lid0 < 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (condition0) shared1[lid2 + lid1] = (long)((ulong)shared0[offset0] * (ulong)shared0[offset0 + 1]);
    barrier(CLK_LOCAL_MEM_FENCE);
    const long value1 = shared1[lid2 * -1 + lid1 + 2];
    for (long i0 = 0; i0 < 4; i0++) {
        const long offset1 = gidx2 * 36 + gidx1 * 432 + gidx0 * 3 + lid2 * 1296 + lid1 * 108 + i0 * 9;
        if (condition0) out0[offset1] = value1;
        if (condition0) out0[offset1 + 108] = value1;
        if (condition0) out0[offset1 + 216] = value1;
        if (condition0) out0[offset1 + 324] = value1;
    }
}

// drawn_61: out0[256] from in0[61]; 2 x 2 work-items in groups of 2 x 2
__kernel void drawn_61(__global long *out0, __global const long *in0) {
    const long gidx0 = get_group_id(0);
    const long lid0 = get_local_id(0);
    const long lid1 = get_local_id(1);
    long acc0 = 1L;
    for (long k0 = 0; k0 < 3; k0++) {
        const long value0 = in0[(gidx0 + k0) % 61];
        for (long k1 = 0; k1 < 3; k1++) {
            acc0 = (long)((ulong)acc0 * (ulong)value0);
        }
    }
    const long offset0 = gidx0 * 16 + lid1 * 16 + lid0 * 32;
    const long sum0 = (ulong)((long)((ulong)acc0 * (ulong)acc0) & 3L) + 1uL;
    const long remainder0 = floor_modulo_long(max(3L, in0[11]), sum0);
    vstore16((long16)(remainder0), 0, out0 + offset0);
    const long remainder1 = floor_modulo_long(max(3L, in0[14]), sum0);
    vstore16((long16)(remainder1), 0, out0 + offset0 + 64);
    const long remainder2 = floor_modulo_long(max(3L, in0[17]), sum0);
    vstore16((long16)(remainder2), 0, out0 + offset0 + 128);
    const long remainder3 = floor_modulo_long(max(3L, in0[20]), sum0);
    vstore16((long16)(remainder3), 0, out0 + offset0 + 192);
}

// drawn_64: out0[6] from nothing; 1 x 2 x 3 work-items in groups of 1 x 1 x 1
__kernel void drawn_64(__global ushort *out0) {
    const long gid0 = get_global_id(0);
    const long gid1 = get_global_id(1);
    const long gid2 = get_global_id(2);
    const ushort remainder0 = (ushort)((ushort)1 % (ushort)3);
    ushort acc0 = (ushort)65535;
    int acc1 = 0;
    for (long k0 = 0; k0 < 2; k0++) {
        const bool condition0 = remainder0 < acc0;
        acc0 = (ushort)(condition0 ? remainder0 : acc0);
        acc1 = condition0 ? (int)k0 : acc1;
    }
    const ushort converted0 = (ushort)(acc1 & 7);
    ushort acc2 = (ushort)65535;
    for (long k1 = 0; k1 < 3; k1++) {
        for (long k2 = 0; k2 < 2; k2++) {
            acc2 = min(acc2, converted0);
        }
    }
    out0[gid2 / 3 * 3 + gid2 % 3 + gid1 * 3 + gid0] = acc2;
}

// drawn_65: out0[128], out1[32] from in0[61], in1[61]
static void drawn_65(uchar *out0, uchar *out1, const ushort *in0, const uchar *in1) {
    for (long i0 = 0; i0 < 4; i0++) {
        for (long i1 = 0; i1 < 2; i1++) {
            const bool condition0 = half_value_ushort(in0[i1 * 8 + 15]) != 0.0f;
            const bool condition1 = in1[i1];
            const bool condition2 = condition1 | true;
            for (long i2 = 0; i2 < 2; i2++) {
                for (long i3 = 0; i3 < 4; i3++) {
                    const bool condition3 = i3 < 3;
                    for (long i4 = 0; i4 < 1; i4++) {
                        const long offset0 = i4 * 4;
                        const long offset1 = i0 * -1 + i1 * 16 + i2 * -8 + i3 * -32 + offset0;
                        out0[offset1 + 107] = condition0;
                        out0[offset1 + 111] = condition0;
                        const long offset2 = i1 * 2 + i2 * 16 + i3 * -4 + offset0;
                        const long offset3 = i1 * -1 + i3 * 3 + i4 * 3 - 2;
                        out1[offset2 + 12] = condition1 | (((offset3 >= 0) & condition3) ? in1[offset3] : true);
                        out1[offset2 + 13] = condition2;
                    }
                }
            }
        }
    }
}

// drawn_67: out0[1728] from in0[61]; 4 x 6 work-items in groups of 1 x 2
__kernel void drawn_67(__global uchar *out0, __global const uchar *in0) {
    const long gidx0 = get_group_id(0);
    const long gidx1 = get_group_id(1);
    const long lid0 = get_local_id(0);
    const long lid1 = get_local_id(1);
    const int converted0 = (int)-2L;
    const int converted1 = (int)-60L;
    const char2 condition0 = convert_char2((converted0 < (int2)(0, 1)) & (converted1 < (int2)(0, -1))) ? (1uL < 60uL ? vload2(0, in0 + 1) != (uchar2)(0) : convert_char2((int2)(-in0[1], -in0[2]))) : (char2)(-1);
    const char2 condition1 = ~condition0;
    for (long i0 = 0; i0 < 3; i0++) {
        const long offset0 = gidx1 * 576 + gidx0 * 6 + lid1 * 288 + lid0 * 1728 + i0 * 96;
        out0[offset0 + 1] = condition1.s0 != 0;
        out0[offset0 + 4] = condition1.s1 != 0;
        out0[offset0 + 25] = condition1.s0 != 0;
        out0[offset0 + 28] = condition1.s1 != 0;
        out0[offset0 + 49] = condition1.s0 != 0;
        out0[offset0 + 52] = condition1.s1 != 0;
        out0[offset0 + 73] = condition1.s0 != 0;
        out0[offset0 + 76] = condition1.s1 != 0;
    }
}

// drawn_69: out0[768] from in0[61]; 8 x 4 work-items in groups of 2 x 4
__kernel void drawn_69(__global ushort *out0, __global const ushort *in0) {
    __local ushort shared0[16];
    const long gidx0 = get_group_id(0);
    const long lid0 = get_local_id(0);
    const long lid1 = get_local_id(1);
    const long offset0 = lid0 * 8;
    const float2 vector0 = (float2)(as_float(convert_uint(in0[min(max(offset0 - 1, 0L), 60L)]) << 16), as_float(convert_uint(in0[min(max(offset0, 0L), 60L)]) << 16));
    float2 acc0 = (float2)(INFINITY);
    for (long k0 = 0; k0 < 4; k0++) {
        acc0 = minimum_float2(acc0, vector0);
    }
    const long offset1 = lid1 * 4;
    *(__local ushort2_unaligned *)(shared0 + offset1 + lid0 * 2) = convert_ushort2(as_uint2(acc0) >> 16);
    const long offset2 = gidx0 * -96 + lid1 * 24 + lid0 * 12;
    barrier(CLK_LOCAL_MEM_FENCE);
    const float2 lesser0 = minimum_float2(as_float2(convert_uint2(*(__local ushort2_unaligned *)(shared0 + offset1)) << 16), as_float2(convert_uint2(*(__local ushort2_unaligned *)(shared0 + offset1 + 2)) << 16));
    const float2 ratio0 = round_bfloat_float2(round_bfloat_float2(at_most_float2(at_least_float2(lesser0, (float2)(-8.0f)), (float2)(8.0f)) * 4.0f) / -2.0f);
    const float2 lesser1 = at_most_float2(at_least_float2(ratio0, (float2)(-8.0f)), (float2)(8.0f));
    out0[offset2 + 288] = convert_ushort(as_uint(lesser1.s0) >> 16);
    out0[offset2 + 672] = convert_ushort(as_uint(lesser1.s1) >> 16);
    out0[offset2 + 291] = convert_ushort(as_uint(lesser1.s0) >> 16);
    out0[offset2 + 675] = convert_ushort(as_uint(lesser1.s1) >> 16);
    out0[offset2 + 294] = convert_ushort(as_uint(lesser1.s0) >> 16);
    out0[offset2 + 678] = convert_ushort(as_uint(lesser1.s1) >> 16);
    out0[offset2 + 297] = convert_ushort(as_uint(lesser1.s0) >> 16);
    out0[offset2 + 681] = convert_ushort(as_uint(lesser1.s1) >> 16);
}
