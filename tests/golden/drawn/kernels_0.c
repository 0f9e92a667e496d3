// drawn_0: out0[72] from in0[61]; 1 x 2 x 6 work-items in groups of 1 x 1 x 1
__kernel void drawn_0(__global uchar *out0, __global const uchar *in0) {
    const long gid0 = get_global_id(0);
    const long gid1 = get_global_id(1);
    const long gid2 = get_global_id(2);
    const long offset0 = gid2 % 2;
    const long offset1 = offset0 * 2 + gid1 * -2 - 1;
    const uchar value0 = (uchar)(offset1 >= 0 ? in0[offset1] : (uchar)1);
    uchar acc0;
    for (long i0 = 0; i0 < 1; i0++) {
        acc0 = value0;
    }
    for (long i1 = 0; i1 < 2; i1++) {
        out0[gid2 / 2 * 24 + offset0 * -6 + gid1 * 12 + gid0 * 24 + i1 * -3 + 9] = acc0;
    }
}

// drawn_1: out0[64] from in0[61]; 4 work-items in groups of 1
__kernel void drawn_1(__global uint *out0, __global const uint *restrict in0) {
    __local uint shared0[4] __attribute__((aligned(16)));
    const int gid0 = get_global_id(0);
    for (int i0 = 0; i0 < 1; i0++) {
        for (int i1 = 0; i1 < 4; i1++) {
            shared0[i0 * 4 + i1] = in0[(i0 + i1 * 8 + 1) % 3] / 4u;
        }
    }
    uint acc0;
    for (int i2 = 0; i2 < 1; i2++) {
        acc0 = shared0[gid0 * -1 + i2 * -4 + 3];
    }
    for (int i3 = 0; i3 < 4; i3++) {
        *(__global uint4 *)(out0 + gid0 * -16 + i3 * 4 + 48) = (uint4)(acc0);
    }
}

// drawn_3: out0[4] from in0[61], in1[61]; 2 x 1 x 2 work-items in groups of 1 x 1 x 1
__kernel void drawn_3(__global ushort *out0, __global const uchar *in0, __global const ushort *in1) {
    const long gid0 = get_global_id(0);
    const long gid1 = get_global_id(1);
    const long gid2 = get_global_id(2);
    out0[gid2 * 2 + gid1 + gid0] = half_bits_float(in0[floor_modulo_long(gid1 * 2 - 1, 61L)] ? half_value_ushort(in1[(gid2 + gid1 + gid0 * 2 + 2) % 61]) : round_half_float((float)(gid0 + 1)));
}

// drawn_6: out0[1728] from in0[61]; 2 x 12 work-items in groups of 1 x 4
__kernel void drawn_6(__global ulong *out0, __global const ulong *in0) {
    const long gidx0 = get_group_id(0);
    const long gidx1 = get_group_id(1);
    const long lid0 = get_local_id(0);
    const long lid1 = get_local_id(1);
    const ulong sum0 = in0[lid1 + 26] + in0[gidx1 + 54];
    const long offset0 = lid1 * 2;
    const bool condition0 = offset0 + 1 < 5;
    const bool condition1 = offset0 + 2 < 5;
    const bool condition2 = offset0 + 3 < 5;
    const bool condition3 = offset0 + 4 < 5;
    for (long i0 = 0; i0 < 2; i0++) {
        const long offset1 = gidx1 * 3 + gidx0 * 72 + lid1 * 432 + lid0 * 1728 + i0 * 36;
        if (condition0) out0[offset1 + 1] = sum0;
        if (condition0) out0[offset1 + 145] = sum0;
        if (condition0) out0[offset1 + 289] = sum0;
        if (condition1) out0[offset1 + 10] = sum0;
        if (condition1) out0[offset1 + 154] = sum0;
        if (condition1) out0[offset1 + 298] = sum0;
        if (condition2) out0[offset1 + 19] = sum0;
        if (condition2) out0[offset1 + 163] = sum0;
        if (condition2) out0[offset1 + 307] = sum0;
        if (condition3) out0[offset1 + 28] = sum0;
        if (condition3) out0[offset1 + 172] = sum0;
        if (condition3) out0[offset1 + 316] = sum0;
    }
}
