// drawn_0: out0[72], out1[3] from in0[61], in1[61]; 1 x 2 x 6 work-items in groups of 1 x 1 x 1
__kernel void drawn_0(__global uchar *out0, __global uchar *out1, __global const uchar *in0, __global const uchar *in1) {
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
    const long offset2 = gid2 / 2;
    const long offset3 = offset2 + gid0;
    const bool condition0 = (offset0 < 1) & (gid1 < 1);
    for (long i1 = 0; i1 < 2; i1++) {
        out0[offset2 * 24 + offset0 * -6 + gid1 * 12 + gid0 * 24 + i1 * -3 + 9] = acc0;
        if (condition0) out1[offset3] = (condition0 ? out1[offset3] : false) | !in1[i1 * 2 % 2 + 7];
    }
}

// drawn_1: out0[16] from in0[61]; 4 work-items in groups of 4
__kernel void drawn_1(__global uint *out0, __global const uint *restrict in0) {
    const int gid0 = get_global_id(0);
    uint acc0[2];
    for (int i0 = 0; i0 < 2; i0++) {
        acc0[i0] = in0[gid0 + i0 + 16] / 4u;
    }
    const uint negative0 = -acc0[0];
    uint acc1 = 0u;
    for (int k0 = 0; k0 < 3; k0++) {
        for (int k1 = 0; k1 < 1; k1++) {
            acc1 = max(acc1, negative0);
        }
    }
    const int offset0 = gid0 * 4;
    for (int i1 = 0; i1 < 4; i1++) {
        *(__global uint4 *)(out0 + offset0) = max(*(__global const uint4 *)(out0 + offset0), (uint4)(acc1));
    }
}

// drawn_3: out0[4] from in0[61], in1[61]; 2 x 1 x 2 work-items in groups of 1 x 1 x 1
__kernel void drawn_3(__global ushort *out0, __global const uchar *in0, __global const ushort *in1) {
    const long gid0 = get_global_id(0);
    const long gid1 = get_global_id(1);
    const long gid2 = get_global_id(2);
    out0[gid2 * 2 + gid1 + gid0] = half_bits_float(in0[floor_modulo_by_positive_long(gid1 * 2 - 1, 61L)] ? half_value_ushort(in1[(gid2 + gid1 + gid0 * 2 + 2) % 61]) : round_half_float((float)(gid0 + 1)));
}

// drawn_6: out0[288] from in0[61]; 2 x 12 work-items in groups of 1 x 4
__kernel void drawn_6(__global ulong *out0, __global const ulong *in0) {
    const long gidx0 = get_group_id(0);
    const long gidx1 = get_group_id(1);
    const long lid0 = get_local_id(0);
    const long lid1 = get_local_id(1);
    const ulong value0 = in0[gidx1 * 4 + 11];
    ulong acc0 = 0uL;
    for (long k0 = 0; k0 < 2; k0++) {
        acc0 = max(acc0, value0);
    }
    ulong acc1 = 18446744073709551615uL;
    int acc2 = 0;
    for (long k1 = 0; k1 < 3; k1++) {
        const bool condition0 = acc0 < acc1;
        acc1 = condition0 ? acc0 : acc1;
        acc2 = condition0 ? (int)k1 : acc2;
    }
    const long offset0 = gidx1 + gidx0 * 12 + lid1 * 72 + lid0 * 288;
    const long offset1 = offset0 + 24;
    const long offset2 = offset0 + 48;
    const long offset3 = offset0 + 3;
    const long offset4 = offset0 + 27;
    const long offset5 = offset0 + 51;
    const long offset6 = offset0 + 6;
    const long offset7 = offset0 + 30;
    const long offset8 = offset0 + 54;
    const long offset9 = offset0 + 9;
    const long offset10 = offset0 + 33;
    const long offset11 = offset0 + 57;
    for (long i0 = 0; i0 < 2; i0++) {
        out0[offset0] = out0[offset0] + acc1;
        out0[offset1] = out0[offset1] + acc1;
        out0[offset2] = out0[offset2] + acc1;
        out0[offset3] = out0[offset3] + acc1;
        out0[offset4] = out0[offset4] + acc1;
        out0[offset5] = out0[offset5] + acc1;
        out0[offset6] = out0[offset6] + acc1;
        out0[offset7] = out0[offset7] + acc1;
        out0[offset8] = out0[offset8] + acc1;
        out0[offset9] = out0[offset9] + acc1;
        out0[offset10] = out0[offset10] + acc1;
        out0[offset11] = out0[offset11] + acc1;
    }
}
