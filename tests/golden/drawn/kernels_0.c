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
__kernel void drawn_1(__global uint *out0, __global const uint *in0) {
    __local uint shared0[4];
    const long gid0 = get_global_id(0);
    for (long i0 = 0; i0 < 1; i0++) {
        for (long i1 = 0; i1 < 4; i1++) {
            shared0[i0 * 4 + i1] = in0[(i0 + i1 * 8 + 1) % 3] / 4u;
        }
    }
    uint acc0;
    for (long i2 = 0; i2 < 1; i2++) {
        acc0 = shared0[gid0 * -1 + i2 * -4 + 3];
    }
    for (long i3 = 0; i3 < 4; i3++) {
        vstore4((uint4)(acc0), 0, out0 + gid0 * -16 + i3 * 4 + 48);
    }
}

// drawn_3: out0[4] from in0[61], in1[61]; 2 x 1 x 2 work-items in groups of 1 x 1 x 1
__kernel void drawn_3(__global ushort *out0, __global const uchar *in0, __global const ushort *in1) {
    const long gid0 = get_global_id(0);
    const long gid1 = get_global_id(1);
    const long gid2 = get_global_id(2);
    out0[gid2 * 2 + gid1 + gid0] = half_bits_float(in0[floor_modulo_long(gid1 * 2 - 1, 61L)] ? half_value_ushort(in1[(gid2 + gid1 + gid0 * 2 + 2) % 61]) : round_half_float((float)(gid0 + 1)));
}

// drawn_4: out0[144], out1[48] from in0[61], in1[61], in2[61]; 3 work-items in groups of 1
__kernel void drawn_4(__global ushort *out0, __global uchar *out1, __global const uchar *in0, __global const ushort *in1, __global const float *in2) {
    const long gidx0 = get_group_id(0);
    const long lid0 = get_local_id(0);
    const bool condition0 = in0[lid0 + 30];
    const long offset0 = gidx0 * 4 + lid0 * -1;
    const ushort8 vector0 = (ushort8)(in1[min(max(offset0, 0L), 60L)], in1[min(max(offset0 + 8, 0L), 60L)], in1[min(max(offset0 + 16, 0L), 60L)], in1[min(max(offset0 + 24, 0L), 60L)], in1[min(max(offset0 + 32, 0L), 60L)], in1[min(max(offset0 + 40, 0L), 60L)], in1[min(max(offset0 + 48, 0L), 60L)], in1[min(max(offset0 + 56, 0L), 60L)]);
    const ushort8 choice0 = condition0 ? vload8(0, in1 + gidx0 + 33) : vector0;
    const ushort8 choice1 = condition0 ? vload8(0, in1 + gidx0 + 37) : vector0;
    const int8 condition1 = vload8(0, in2 + lid0 + 28) != 0.0f;
    const bool condition2 = gidx0 < 1;
    ushort8 acc0 = (ushort8)((ushort)1);
    ushort8 acc1 = (ushort8)((ushort)1);
    for (long i0 = 0; i0 < 3; i0++) {
        const ushort8 product0 = acc0 * choice0;
        acc0 = product0;
        const long offset1 = i0 * 16;
        const long offset2 = gidx0 * 48 + lid0 + offset1;
        vstore8(product0, 0, out0 + offset2);
        const ushort8 product1 = acc1 * choice1;
        acc1 = product1;
        vstore8(product1, 0, out0 + offset2 + 8);
        const long offset3 = lid0 * 16 + offset1;
        if (condition2) out1[offset3 + 7] = condition1.s0 != 0;
        if (condition2) out1[offset3 + 6] = condition1.s1 != 0;
        if (condition2) out1[offset3 + 5] = condition1.s2 != 0;
        if (condition2) out1[offset3 + 4] = condition1.s3 != 0;
        if (condition2) out1[offset3 + 3] = condition1.s4 != 0;
        if (condition2) out1[offset3 + 2] = condition1.s5 != 0;
        if (condition2) out1[offset3 + 1] = condition1.s6 != 0;
        if (condition2) out1[offset3] = condition1.s7 != 0;
    }
}
