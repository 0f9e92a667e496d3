// drawn_60: out0[648] from in0[61]; 6 x 3 x 9 work-items in groups of 2 x 1 x 3
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
    const long offset1 = gidx2 * 6 + gidx1 * 72 + gidx0 * 2 + lid2 * 216 + lid1 * 18;
    barrier(CLK_LOCAL_MEM_FENCE);
    const long value1 = shared1[lid2 * -1 + lid1 + 2];
    const long offset2 = offset1 + 18;
    const long offset3 = offset1 + 36;
    const long offset4 = offset1 + 54;
    for (long i0 = 0; i0 < 4; i0++) {
        if (condition0) out0[offset1] = max(condition0 ? out0[offset1] : 0L, value1);
        if (condition0) out0[offset2] = max(condition0 ? out0[offset2] : 0L, value1);
        if (condition0) out0[offset3] = max(condition0 ? out0[offset3] : 0L, value1);
        if (condition0) out0[offset4] = max(condition0 ? out0[offset4] : 0L, value1);
    }
}

// drawn_61: out0[256] from in0[61]; 2 x 2 work-items in groups of 2 x 2
__attribute__((reqd_work_group_size(2, 2, 1))) __kernel void drawn_61(__global long *out0, __global const long *restrict in0) {
    __local long shared1[4] __attribute__((aligned(16)));
    __local long shared0[4] __attribute__((aligned(16)));
    const int gidx0 = get_group_id(0);
    const int lid0 = get_local_id(0);
    const int lid1 = get_local_id(1);
    const int offset0 = lid1 * 2 + lid0;
    shared0[offset0] = in0[(gidx0 * -2 + lid1 + lid0 * -2 + 3) % 2];
    const int offset1 = lid1 * -2 + lid0 * -1 + 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    shared1[offset0] = shared0[offset1];
    const int offset2 = gidx0 * 16 + lid1 * 16 + lid0 * 32;
    const bool condition0 = lid1 + 2 >= 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    const long value0 = shared1[offset1];
    if (condition0) out0[offset2] = value0;
    out0[offset2 + 1] = value0;
    const bool condition1 = lid1 + 8 < 9;
    if (condition1) out0[offset2 + 2] = value0;
    if (condition0) out0[offset2 + 64] = value0;
    out0[offset2 + 65] = value0;
    if (condition1) out0[offset2 + 66] = value0;
    if (condition0) out0[offset2 + 128] = value0;
    out0[offset2 + 129] = value0;
    if (condition1) out0[offset2 + 130] = value0;
    if (condition0) out0[offset2 + 192] = value0;
    out0[offset2 + 193] = value0;
    if (condition1) out0[offset2 + 194] = value0;
}

// drawn_64: out0[6] from nothing; 1 x 2 x 3 work-items in groups of 1 x 1 x 1
__kernel void drawn_64(__global ushort *out0) {
    const int gid0 = get_global_id(0);
    const int gid1 = get_global_id(1);
    const int gid2 = get_global_id(2);
    const ushort remainder0 = (ushort)((ushort)1 % (ushort)3);
    ushort acc0 = (ushort)65535;
    int acc1 = 0;
    for (int k0 = 0; k0 < 2; k0++) {
        const bool condition0 = remainder0 < acc0;
        acc0 = (ushort)(condition0 ? remainder0 : acc0);
        acc1 = condition0 ? k0 : acc1;
    }
    const ushort converted0 = (ushort)(acc1 & 7);
    ushort acc2 = (ushort)65535;
    for (int k1 = 0; k1 < 3; k1++) {
        for (int k2 = 0; k2 < 2; k2++) {
            acc2 = min(acc2, converted0);
        }
    }
    out0[gid2 / 3 * 3 + gid2 % 3 + gid1 * 3 + gid0] = acc2;
}

// drawn_65: out0[128], out1[64] from in0[61], in1[61]; 8 x 8 work-items in groups of 4 x 2
__kernel void drawn_65(__global uchar *out0, __global float *out1, __global const uchar *in0, __global const float *in1) {
    __local uchar shared0[8];
    const long gidx0 = get_group_id(0);
    const long gidx1 = get_group_id(1);
    const long lid0 = get_local_id(0);
    const long lid1 = get_local_id(1);
    int4 acc0 = (int4)(0);
    for (long k0 = 0; k0 < 2; k0++) {
        const bool condition0 = in0[k0 + 3];
        acc0 = acc0 | (int4)(-condition0);
    }
    const int2 condition1 = acc0.lo | acc0.hi;
    shared0[lid1 * 4 + lid0] = (condition1.s0 != 0) | (condition1.s1 != 0);
    const long offset0 = gidx0 * -16;
    const long offset1 = gidx1 * -1 + offset0 + lid1 * 8 + lid0 * 32;
    const long offset2 = offset1 + 19;
    const long offset3 = lid0 * -1;
    barrier(CLK_LOCAL_MEM_FENCE);
    const bool condition2 = shared0[lid1 * -4 + offset3 + 7];
    const long offset4 = offset1 + 23;
    float acc1[2];
    for (long i0 = 0; i0 < 2; i0++) {
        const long offset5 = i0 * 2;
        const long offset6 = lid0 * -2 + offset5 - 1;
        acc1[i0] = offset6 >= 0 ? in1[offset6] : in1[lid1 + offset3 + offset5 + 12];
    }
    const bool condition3 = gidx1 < 1;
    for (long i1 = 0; i1 < 1; i1++) {
        out0[offset2] = out0[offset2] | condition2;
        out0[offset4] = out0[offset4] | condition2;
        const long offset7 = offset0 + lid1 * 2 + lid0 * 4 + i1 * 2;
        if (condition3) out1[offset7 + 16] = acc1[1];
        if (condition3) out1[offset7 + 48] = acc1[0];
    }
}

// drawn_67: out0[384] from in0[61]; 4 x 6 work-items in groups of 1 x 2
__attribute__((reqd_work_group_size(1, 2, 1))) __kernel void drawn_67(__global uchar *out0, __global const uchar *restrict in0) {
    __local uchar shared0[2] __attribute__((aligned(16)));
    const int gidx0 = get_group_id(0);
    const int gidx1 = get_group_id(1);
    const int lid0 = get_local_id(0);
    const int lid1 = get_local_id(1);
    shared0[lid1 + lid0] = in0[(gidx1 + gidx0 * 8 + lid0 * 4 + 3) % 2];
    const int offset0 = gidx1 * 128 + gidx0 * 4 + lid1 * 64 + lid0 * 384;
    barrier(CLK_LOCAL_MEM_FENCE);
    const bool condition0 = shared0[lid1 * -1 + lid0 + 1];
    const int offset1 = offset0 + 2;
    const int offset2 = offset0 + 16;
    const int offset3 = offset0 + 18;
    const int offset4 = offset0 + 32;
    const int offset5 = offset0 + 34;
    const int offset6 = offset0 + 48;
    const int offset7 = offset0 + 50;
    for (int i0 = 0; i0 < 3; i0++) {
        out0[offset0] = out0[offset0] | condition0;
        out0[offset1] = out0[offset1] | condition0;
        out0[offset2] = out0[offset2] | condition0;
        out0[offset3] = out0[offset3] | condition0;
        out0[offset4] = out0[offset4] | condition0;
        out0[offset5] = out0[offset5] | condition0;
        out0[offset6] = out0[offset6] | condition0;
        out0[offset7] = out0[offset7] | condition0;
    }
}

// drawn_69: out0[768] from in0[61]; 8 x 4 work-items in groups of 2 x 4
__kernel void drawn_69(__global ushort *out0, __global const ushort *in0) {
    const long gidx0 = get_group_id(0);
    const long lid0 = get_local_id(0);
    const long lid1 = get_local_id(1);
    float acc0[8];
    for (long i0 = 0; i0 < 2; i0++) {
        const long offset0 = lid0 + i0 * 2;
        acc0[i0] = as_float(convert_uint(in0[offset0 + 28]) << 16);
        acc0[i0 + 2] = as_float(convert_uint(in0[offset0 + 36]) << 16);
        acc0[i0 + 4] = as_float(convert_uint(in0[offset0 + 44]) << 16);
        acc0[i0 + 6] = as_float(convert_uint(in0[offset0 + 52]) << 16);
    }
    const long offset1 = gidx0 * -96 + lid1 * 24 + lid0 * 12;
    const bool condition0 = gidx0 * 3 - 2 < 3;
    if (condition0) out0[offset1 + 288] = convert_ushort(as_uint(acc0[lid0 * -1 + 7]) >> 16);
    if (condition0) out0[offset1 + 672] = convert_ushort(as_uint(acc0[lid0 * -1 + 7]) >> 16);
    if (condition0) out0[offset1 + 291] = convert_ushort(as_uint(acc0[lid0 * -1 + 7]) >> 16);
    if (condition0) out0[offset1 + 675] = convert_ushort(as_uint(acc0[lid0 * -1 + 7]) >> 16);
    if (condition0) out0[offset1 + 294] = convert_ushort(as_uint(acc0[lid0 * -1 + 7]) >> 16);
    if (condition0) out0[offset1 + 678] = convert_ushort(as_uint(acc0[lid0 * -1 + 7]) >> 16);
    if (condition0) out0[offset1 + 297] = convert_ushort(as_uint(acc0[lid0 * -1 + 7]) >> 16);
    if (condition0) out0[offset1 + 681] = convert_ushort(as_uint(acc0[lid0 * -1 + 7]) >> 16);
}
