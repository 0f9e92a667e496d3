// drawn_40: out0[24], out1[4] from in0[61]; 4 x 6 work-items in groups of 2 x 2
__attribute__((reqd_work_group_size(2, 2, 1))) __kernel void drawn_40(__global ulong *out0, __global ushort *out1, __global const ushort *restrict in0) {
    __local ushort shared0[4] __attribute__((aligned(16)));
    const int gidx0 = get_group_id(0);
    const int gidx1 = get_group_id(1);
    const int lid0 = get_local_id(0);
    const int lid1 = get_local_id(1);
    const ulong converted0 = (ulong)(lid0 + 1);
    ulong acc0;
    for (int i0 = 0; i0 < 1; i0++) {
        acc0 = converted0;
    }
    out0[gidx1 * -2 + gidx0 * 6 + lid1 + lid0 * 12 + 4] = acc0;
    shared0[lid1 * 2 + lid0] = convert_ushort(as_uint(as_float(convert_uint(in0[(lid1 * 4 + 2) % 3 + 45]) << 16)) >> 16);
    barrier(CLK_LOCAL_MEM_FENCE);
    if ((gidx1 < 1) & (gidx0 < 1)) out1[lid1 + lid0 * -2 + 2] = convert_ushort(as_uint(as_float(convert_uint(shared0[lid1 * -2 + lid0 * -1 + 3]) << 16)) >> 16);
}

// drawn_41: out0[144] from in0[61]; 1 x 3 work-items in groups of 1 x 1
__kernel void drawn_41(__global uchar *out0, __global const uchar *in0) {
    __local uchar shared0[1];
    const long gidx0 = get_group_id(0);
    const long gidx1 = get_group_id(1);
    const long lid0 = get_local_id(0);
    const long lid1 = get_local_id(1);
    const long offset0 = lid1 + lid0 * -1;
    shared0[lid1 + lid0] = in0[offset0 + 1];
    const long offset1 = gidx1 * 16 + gidx0 * 4 + lid1 * 4 + lid0 * -4;
    barrier(CLK_LOCAL_MEM_FENCE);
    const bool condition0 = shared0[offset0];
    *(__global uchar4_unaligned *)(out0 + offset1) = convert_uchar4(-(int4)(-condition0));
    *(__global uchar4_unaligned *)(out0 + offset1 + 4) = convert_uchar4(-(int4)(-condition0));
    *(__global uchar4_unaligned *)(out0 + offset1 + 8) = convert_uchar4(-(int4)(-condition0));
    *(__global uchar4_unaligned *)(out0 + offset1 + 12) = convert_uchar4(-(int4)(-condition0));
    *(__global uchar4_unaligned *)(out0 + offset1 + 48) = convert_uchar4(-(int4)(-condition0));
    *(__global uchar4_unaligned *)(out0 + offset1 + 52) = convert_uchar4(-(int4)(-condition0));
    *(__global uchar4_unaligned *)(out0 + offset1 + 56) = convert_uchar4(-(int4)(-condition0));
    *(__global uchar4_unaligned *)(out0 + offset1 + 60) = convert_uchar4(-(int4)(-condition0));
    *(__global uchar4_unaligned *)(out0 + offset1 + 96) = convert_uchar4(-(int4)(-condition0));
    *(__global uchar4_unaligned *)(out0 + offset1 + 100) = convert_uchar4(-(int4)(-condition0));
    *(__global uchar4_unaligned *)(out0 + offset1 + 104) = convert_uchar4(-(int4)(-condition0));
    *(__global uchar4_unaligned *)(out0 + offset1 + 108) = convert_uchar4(-(int4)(-condition0));
}

// drawn_42: out0[144] from in0[61]; 3 x 3 work-items in groups of 1 x 1
__kernel void drawn_42(__global ushort *out0, __global const ushort *in0) {
    const long gid0 = get_global_id(0);
    const long gid1 = get_global_id(1);
    ushort acc0[8];
    const long offset0 = gid1 + gid0 * 4;
    acc0[0] = in0[(offset0 + 1) % 4];
    acc0[1] = in0[(offset0 + 2) % 4];
    acc0[2] = in0[(offset0 + 3) % 4];
    acc0[3] = in0[(offset0 + 4) % 4];
    acc0[4] = in0[(offset0 + 5) % 4];
    acc0[5] = in0[(offset0 + 6) % 4];
    acc0[6] = in0[(offset0 + 7) % 4];
    acc0[7] = in0[(offset0 + 8) % 4];
    for (long i0 = 0; i0 < 1; i0++) {
        const long offset1 = gid1 * 16 + gid0 * 48 + i0 * 48;
        out0[offset1] = acc0[6];
        out0[offset1 + 8] = acc0[6];
        out0[offset1 + 1] = acc0[6];
        out0[offset1 + 9] = acc0[6];
        out0[offset1 + 2] = acc0[6];
        out0[offset1 + 10] = acc0[6];
        out0[offset1 + 3] = acc0[6];
        out0[offset1 + 11] = acc0[6];
        out0[offset1 + 4] = acc0[6];
        out0[offset1 + 12] = acc0[6];
        out0[offset1 + 5] = acc0[6];
        out0[offset1 + 13] = acc0[6];
        out0[offset1 + 6] = acc0[6];
        out0[offset1 + 14] = acc0[6];
        out0[offset1 + 7] = acc0[6];
        out0[offset1 + 15] = acc0[6];
    }
}

// drawn_43: out0[864] from in0[61], in1[61]; 6 x 3 x 3 work-items in groups of 2 x 3 x 1
__attribute__((reqd_work_group_size(2, 3, 1))) __kernel void drawn_43(__global char *out0, __global const uchar *restrict in0, __global const char *restrict in1) {
    const int gidx0 = get_group_id(0);
    const int gidx1 = get_group_id(1);
    const int gidx2 = get_group_id(2);
    const int lid0 = get_local_id(0);
    const int lid1 = get_local_id(1);
    const int offset0 = gidx2 * 96 + gidx1 * 2 + gidx0 * -32 + lid1 * 288 + lid0 * 2;
    const int offset1 = lid1 * -2;
    const bool condition0 = in0[floor_modulo_by_positive_int(gidx1 + offset1 - 1, 61)];
    const char value0 = in1[min(max(lid1 - 1, 0), 60)];
    const char2 choice0 = condition0 ? (char2)((char)1) : (char2)(value0, in1[min(max(lid1 + 7, 0), 60)]);
    const char2 condition1 = vload2(0, in0 + 59) != (uchar2)(0);
    const char2 condition2 = (char2)(condition1.s1, condition1.s0);
    const int offset2 = lid1 + 1;
    const char converted0 = (char)offset2;
    if (offset1 + 3 >= 0) *(__global char2 *)(out0 + offset0 + 64) = choice0 ^ (condition2 ? (char2)(converted0) : (char2)(value0));
    const char value1 = in1[min(max(offset2, 0), 60)];
    *(__global char2 *)(out0 + offset0 + 68) = choice0 ^ (condition2 ? (char2)(converted0) : (char2)(value1));
    const char value2 = in1[min(max(lid1 + 3, 0), 60)];
    if (offset1 + 9 < 9) *(__global char2 *)(out0 + offset0 + 72) = choice0 ^ (condition2 ? (char2)(converted0) : (char2)(value2));
    const char value3 = in1[min(max(lid1 + 5, 0), 60)];
    if (offset1 + 12 < 9) *(__global char2 *)(out0 + offset0 + 76) = choice0 ^ (condition2 ? (char2)(converted0) : (char2)(value3));
}

// drawn_45: out0[192], out1[128] from in0[61], in1[61]; 8 x 4 x 2 work-items in groups of 2 x 2 x 1
__kernel void drawn_45(__global float *out0, __global float *out1, __global const float *in0, __global const uchar *in1) {
    __local float shared0[4];
    const long gidx0 = get_group_id(0);
    const long gidx1 = get_group_id(1);
    const long gidx2 = get_group_id(2);
    const long lid0 = get_local_id(0);
    const long lid1 = get_local_id(1);
    const long offset0 = gidx2 * 4;
    const long offset1 = lid1 * -2;
    const float value0 = in0[offset0 + gidx1 + offset1 + 3];
    const long offset2 = gidx2 * -12 + gidx1 * 96 + gidx0 * 24 + lid1 * 6 + lid0 * -3 + 16;
    float2 acc0 = (float2)(0.0f);
    for (long k0 = 0; k0 < 2; k0++) {
        const float value1 = in0[k0 + 3];
        acc0 = acc0 + value1;
    }
    const float2 sum0 = acc0 + acc0;
    shared0[lid1 * 2 + lid0] = at_most_float(at_least_float(sum0.s0 + sum0.s1, -8.0f), 8.0f);
    barrier(CLK_LOCAL_MEM_FENCE);
    const float greater0 = at_least_float((float)(uchar)(in1[((gidx0 * -2 + lid0 + 2) >> 1) + 32] & (uchar)7) * shared0[offset1 + lid0 * -1 + 3], -8.0f);
    const float lesser0 = at_most_float(greater0, 8.0f);
    const bool condition0 = gidx1 < 1;
    for (long i0 = 0; i0 < 4; i0++) {
        float acc1 = -INFINITY;
        #pragma unroll
        for (long k1 = 0; k1 < 4; k1++) {
            const float lesser1 = at_most_float(at_least_float(in0[gidx2 * 2 + k1 * 2 + 42] * value0 + in0[i0 * 8 + k1 + 15], -8.0f), 8.0f);
            acc1 = maximum_float(acc1, lesser1);
        }
        out0[offset2] = minimum_float(out0[offset2], at_most_float(at_least_float(acc1, -8.0f), 8.0f));
        if (condition0) out1[offset0 + gidx0 * 16 + lid1 * 8 + lid0 * 64 + i0 * -1 + 3] = lesser0;
    }
}

// drawn_46: out0[24] from nothing; 4 x 1 work-items in groups of 2 x 1
__attribute__((reqd_work_group_size(2, 1, 1))) __kernel void drawn_46(__global uchar *out0) {
    const int gidx0 = get_group_id(0);
    const int lid0 = get_local_id(0);
    const int lid1 = get_local_id(1);
    const bool condition0 = (1.0 < 3.0) & !(1.0 < 0.0);
    for (int i0 = 0; i0 < 3; i0++) {
        *(__global uchar2 *)(out0 + gidx0 * 12 + lid1 * 4 + lid0 * 2 + i0 * 4) = convert_uchar2(-(int2)(-condition0));
    }
}

// drawn_47: out0[9] from in0[61]
static void drawn_47(uchar *out0, const short *in0) {
    for (long i0 = 0; i0 < 1; i0++) {
        for (long i1 = 0; i1 < 3; i1++) {
            for (long i2 = 0; i2 < 3; i2++) {
                for (long i3 = 0; i3 < 1; i3++) {
                    out0[i0 + i1 + i2 * 3 + i3 * 3] = in0[i1 * 4 + i2 * 2 + i3 * 8 + 46] < in0[i0 * 3 + i3 * 2 + 7];
                }
            }
        }
    }
}

// drawn_49: out0[64] from nothing; 2 x 2 work-items in groups of 1 x 1
__kernel void drawn_49(__global int *out0) {
    const int gid0 = get_global_id(0);
    const int gid1 = get_global_id(1);
    const int offset0 = (gid1 + 1) / 2;
    const int offset1 = gid0 * 4;
    const int converted0 = (int)(offset0 >= (offset1 + 1) % 4);
    const int converted1 = (int)(offset0 >= (offset1 + 3) % 4);
    const int offset2 = (gid1 + 5) / 2;
    const int converted2 = (int)(offset2 >= (offset1 + 2) % 4);
    const int converted3 = (int)(offset2 >= (offset1 + 4) % 4);
    const int converted4 = (int)true;
    for (int i0 = 0; i0 < 1; i0++) {
        const int offset3 = gid1 * -32 + gid0 * 2 + i0 * 2;
        out0[offset3 + 33] = converted0;
        out0[offset3 + 37] = converted1;
        out0[offset3 + 41] = converted2;
        out0[offset3 + 45] = converted3;
        out0[offset3 + 49] = converted4;
        out0[offset3 + 53] = converted4;
        out0[offset3 + 57] = converted4;
        out0[offset3 + 61] = converted4;
    }
}
