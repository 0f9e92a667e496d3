// drawn_81: out0[2048] from in0[61]; 8 x 4 work-items in groups of 4 x 4
__kernel void drawn_81(__global uchar *out0, __global const float *in0) {
    const long gidx0 = get_group_id(0);
    const long lid0 = get_local_id(0);
    const long lid1 = get_local_id(1);
    const long offset0 = gidx0 * 8 + lid1 * 16 + lid0 * -2;
    const bool condition0 = in0[(lid1 + 2) % 61] != in0[10];
    out0[offset0 + 1799] = condition0;
    out0[offset0 + 1863] = condition0;
    out0[offset0 + 1927] = condition0;
    out0[offset0 + 1991] = condition0;
}

// drawn_82: out0[1536] from in0[61]; 2 x 2 x 4 work-items in groups of 1 x 1 x 1
__kernel void drawn_82(__global long *out0, __global const long *restrict in0) {
    __local long shared0[2] __attribute__((aligned(16)));
    const int gid0 = get_global_id(0);
    const int gid1 = get_global_id(1);
    const int gid2 = get_global_id(2);
    const int offset0 = gid2 / 2;
    const long value0 = in0[(offset0 * -1 + 3) % 3 + 47];
    for (int i0 = 0; i0 < 2; i0++) {
        shared0[i0] = value0;
    }
    const long value1 = shared0[0];
    for (int i1 = 0; i1 < 3; i1++) {
        const int offset1 = offset0 * 384 + gid2 % 2 * 768 + gid1 * 192 + gid0 * -16 + i1 * 64;
        vstore8((long8)(value1), 0, out0 + offset1 + 48);
        vstore8((long8)(value1), 0, out0 + offset1 + 56);
        vstore8((long8)(value1), 0, out0 + offset1 + 16);
        vstore8((long8)(value1), 0, out0 + offset1 + 24);
    }
}

// drawn_83: out0[192] from in0[61]; 6 x 2 work-items in groups of 3 x 1
__kernel void drawn_83(__global double *out0, __global const double *in0) {
    __local double shared0[3];
    const long gidx0 = get_group_id(0);
    const long gidx1 = get_group_id(1);
    const long lid0 = get_local_id(0);
    shared0[lid0] = in0[gidx0 * -2 + 2];
    const long offset0 = gidx1 * -16 + gidx0 * 96 + lid0 * 32;
    const long offset1 = gidx1 + lid0 * -2;
    barrier(CLK_LOCAL_MEM_FENCE);
    const double value0 = shared0[lid0 * -1 + 2];
    if (offset1 + 1 >= 2) out0[offset0 + 16] = value0;
    if (offset1 + 5 >= 2) out0[offset0 + 18] = value0;
    out0[offset0 + 20] = value0;
    if (lid0 + 11 < 12) out0[offset0 + 22] = value0;
}

// drawn_88: out0[96], out1[96] from in0[61]; 9 x 2 x 2 work-items in groups of 3 x 2 x 2
__attribute__((reqd_work_group_size(3, 2, 2))) __kernel void drawn_88(__global float *out0, __global double *out1, __global const double *restrict in0) {
    __local double shared0[12] __attribute__((aligned(16)));
    const int gidx0 = get_group_id(0);
    const int lid0 = get_local_id(0);
    const int lid1 = get_local_id(1);
    const int lid2 = get_local_id(2);
    const float lesser0 = at_most_float(at_least_float(1.0f + 3.0f, -8.0f), 8.0f);
    const bool condition0 = lid0 < 1;
    const int offset0 = lid2 * 48;
    const int offset1 = lid2 * 6 + lid1 * 3;
    const double value0 = in0[lid1 * -1 + 5];
    double acc0 = -(double)INFINITY;
    for (int k0 = 0; k0 < 4; k0++) {
        acc0 = maximum_double(acc0, value0);
    }
    shared0[offset1 + lid0] = acc0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const double greater0 = maximum_double(maximum_double(shared0[offset1], shared0[offset1 + 1]), shared0[offset1 + 2]);
    const double lesser1 = at_most_double(at_least_double(greater0, -8.0), 8.0);
    for (int i0 = 0; i0 < 1; i0++) {
        const int offset2 = gidx0 * 16 + offset0 + lid1 * -4 + i0 * 8;
        if (condition0) out0[offset2 + 4] = lesser0;
        if (condition0) out0[offset2 + 12] = lesser0;
        if (condition0) out0[offset2 + 5] = lesser0;
        if (condition0) out0[offset2 + 13] = lesser0;
        const int offset3 = gidx0 * -2 + offset0 + lid1 * -6 + i0 * 96;
        if (condition0) out1[offset3 + 22] = lesser1;
        if (condition0) out1[offset3 + 23] = lesser1;
        if (condition0) out1[offset3 + 34] = lesser1;
        if (condition0) out1[offset3 + 35] = lesser1;
        if (condition0) out1[offset3 + 46] = lesser1;
        if (condition0) out1[offset3 + 47] = lesser1;
    }
}

// drawn_89: out0[9] from in0[61]
static void drawn_89(double *out0, const double *in0) {
    double acc0[2];
    for (long i0 = 0; i0 < 3; i0++) {
        for (long i1 = 0; i1 < 2; i1++) {
            acc0[i1] = in0[i0 + i1 * 8 + 2];
        }
        out0[i0 * 3 + 2] = acc0[0];
    }
}
