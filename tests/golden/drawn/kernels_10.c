// drawn_100: out0[384] from nothing; 2 x 3 x 8 work-items in groups of 2 x 1 x 1
__attribute__((reqd_work_group_size(2, 1, 1))) __kernel void drawn_100(__global uchar *out0) {
    const int gidx0 = get_group_id(0);
    const int gidx1 = get_group_id(1);
    const int gidx2 = get_group_id(2);
    const int lid0 = get_local_id(0);
    const bool condition0 = !(3.0 < 3.0) & (3.0 < 5.0);
    int2 acc0 = (int2)(-1);
    for (int k0 = 0; k0 < 4; k0++) {
        for (int k1 = 0; k1 < 2; k1++) {
            acc0 = acc0 & (int2)(-condition0);
        }
    }
    const int offset0 = gidx2 / 2 * 4 + gidx2 % 2 + gidx1 * 64 + gidx0 + lid0 * 192;
    const bool condition1 = (acc0.s0 != 0) & (acc0.s1 != 0);
    out0[offset0] = condition1;
    out0[offset0 + 16] = condition1;
    out0[offset0 + 32] = condition1;
    out0[offset0 + 48] = condition1;
    out0[offset0 + 2] = condition1;
    out0[offset0 + 18] = condition1;
    out0[offset0 + 34] = condition1;
    out0[offset0 + 50] = condition1;
}

// drawn_102: out0[8] from nothing; 4 work-items in groups of 2
__kernel void drawn_102(__global float *out0) {
    const long gidx0 = get_group_id(0);
    const long lid0 = get_local_id(0);
    out0[gidx0 * 4 + lid0 * 2] = (float)(min(1u, 2u) & 7u);
}

// drawn_103: out0[864] from nothing; 4 x 6 x 6 work-items in groups of 4 x 3 x 1
__attribute__((reqd_work_group_size(4, 3, 1))) __kernel void drawn_103(__global uchar *out0) {
    __local uchar shared0[12] __attribute__((aligned(16)));
    const int gidx0 = get_group_id(0);
    const int gidx1 = get_group_id(1);
    const int gidx2 = get_group_id(2);
    const int lid0 = get_local_id(0);
    const int lid1 = get_local_id(1);
    shared0[lid1 * 4 + lid0] = true;
    const int offset0 = gidx2 / 2;
    const int offset1 = offset0 * 6 + gidx2 % 2 * 36 + gidx1 * 18 + gidx0 * 72 + lid1 * 72 + lid0 * 216;
    barrier(CLK_LOCAL_MEM_FENCE);
    const bool condition0 = shared0[lid1 * -4 + lid0 * -1 + 11];
    if (offset0 >= 1) out0[offset1 + 5] = condition0;
    out0[offset1 + 2] = condition0;
}

// drawn_104: out0[32], out1[16] from in0[61], in1[61]
static void drawn_104(uchar *out0, int *out1, const uchar *in0, const int *in1) {
    uchar shared0[6];
    for (long i0 = 0; i0 < 2; i0++) {
        const long offset0 = i0 * 4;
        const int value0 = in1[offset0 + 19];
        const int lesser0 = min_int(value0, value0);
        const int lesser1 = min_int(lesser0, lesser0);
        const int value1 = in1[offset0 + 22];
        const int lesser2 = min_int(value1, value1);
        const int lesser3 = min_int(lesser2, lesser2);
        const int lesser4 = min_int(min_int(lesser1, lesser1), min_int(lesser3, lesser3));
        for (long i1 = 0; i1 < 1; i1++) {
            for (long i2 = 0; i2 < 3; i2++) {
                const long offset1 = i2 * 2;
                const long offset2 = i1 * 4 + i2;
                shared0[offset1] = in0[offset2 + 32] != false;
                shared0[offset1 + 1] = in0[offset2 + 30] != false;
            }
            const long offset3 = i0 * 16 + i1 * 16;
            const bool condition0 = shared0[i1 * -3 + 5];
            out0[offset3] = condition0;
            out0[offset3 + 2] = condition0;
            out0[offset3 + 4] = condition0;
            out0[offset3 + 6] = condition0;
            out0[offset3 + 8] = condition0;
            out0[offset3 + 10] = condition0;
            out0[offset3 + 12] = condition0;
            out0[offset3 + 14] = condition0;
            const long offset4 = i0 + i1 * 2;
            out1[offset4] = lesser4;
            out1[offset4 + 2] = lesser4;
            out1[offset4 + 4] = lesser4;
            out1[offset4 + 6] = lesser4;
            out1[offset4 + 8] = lesser4;
            out1[offset4 + 10] = lesser4;
            out1[offset4 + 12] = lesser4;
            out1[offset4 + 14] = lesser4;
        }
    }
}

// drawn_105: out0[128] from in0[61]; 4 x 2 x 4 work-items in groups of 1 x 1 x 1
__kernel void drawn_105(__global ushort *out0, __global const ushort *in0) {
    const long gid0 = get_global_id(0);
    const long gid1 = get_global_id(1);
    const long gid2 = get_global_id(2);
    const long offset0 = gid2 % 2;
    const long offset1 = gid2 / 2 * 8 + offset0 * 16 + gid1 * 4 + gid0 * 32;
    const bool condition0 = offset0 * 3 + 3 < 4;
    const ushort value0 = in0[offset0 + 48];
    const ushort value1 = in0[53];
    const ushort2 sum0 = *(__global ushort2_unaligned *)(in0 + gid1 * 2 + gid0 + 19) * (ushort2)(value0) + (ushort2)(value1);
    const ushort2 shifted0 = sum0 >> (ushort2)((ushort)2);
    if (condition0) out0[offset1] = shifted0.s0;
    if (condition0) out0[offset1 + 2] = shifted0.s1;
}

// drawn_107: out0[12] from in0[61]
static void drawn_107(schar *out0, const schar *in0) {
    schar acc0[4];
    for (long i0 = 0; i0 < 3; i0++) {
        for (long i1 = 0; i1 < 2; i1++) {
            const long offset0 = i0 * 2 + i1 * 6;
            const long offset1 = i0 * -2 + i1;
            acc0[0] = in0[offset1 + 24];
            acc0[1] = in0[offset1 + 25];
            acc0[2] = in0[offset1 + 26];
            acc0[3] = in0[offset1 + 27];
            const schar sum0 = (schar)((uint)(schar)(acc0[i0 * -1 + 3] & (schar)3) + (uint)(schar)1);
            const long offset2 = offset0 + 1;
            schar acc1 = (schar)1;
            for (long i2 = 0; i2 < 4; i2++) {
                schar acc2 = (schar)127;
                for (long k0 = 0; k0 < 4; k0++) {
                    acc2 = min_schar(acc2, in0[i1 * 3 + i2 * -2 + k0 + 40]);
                }
                const schar product0 = (schar)((uint)acc1 * (uint)acc2);
                acc1 = product0;
                const schar quotient0 = divide_schar(product0, sum0);
                out0[offset0] = (schar)((uint)out0[offset0] + (uint)quotient0);
                out0[offset2] = (schar)((uint)out0[offset2] + (uint)quotient0);
            }
        }
    }
}

// drawn_108: out0[288] from in0[61]; 2 x 2 x 3 work-items in groups of 1 x 1 x 1
__kernel void drawn_108(__global uchar *out0, __global const uchar *in0) {
    __local uchar shared0[4];
    const long gid0 = get_global_id(0);
    const long gid1 = get_global_id(1);
    const long gid2 = get_global_id(2);
    const long offset0 = gid2 / 1;
    const long offset1 = offset0 * 3;
    const long offset2 = gid1 * -1;
    for (long i0 = 0; i0 < 4; i0++) {
        shared0[i0] = (gid0 + i0 * 8 + 3 >= 11 ? in0[(offset1 + offset2 + gid0 - 2) & 1] : true) | in0[offset1 + i0 + 27];
    }
    const long offset3 = offset0 * 96 + gid2 % 1 * -48 + gid1 * 24 + gid0 * 48;
    const bool condition0 = !shared0[offset2 + 3];
    *(__global uchar8_unaligned *)(out0 + offset3) = convert_uchar8(-(int8)(-condition0));
    *(__global uchar8_unaligned *)(out0 + offset3 + 8) = convert_uchar8(-(int8)(-condition0));
    *(__global uchar8_unaligned *)(out0 + offset3 + 16) = convert_uchar8(-(int8)(-condition0));
}
