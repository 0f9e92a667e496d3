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
