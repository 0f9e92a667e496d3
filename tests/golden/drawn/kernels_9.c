// drawn_90: out0[256] from nothing; 4 x 8 work-items in groups of 4 x 2
__kernel void drawn_90(__global float *out0) {
    const long gidx0 = get_group_id(0);
    const long gidx1 = get_group_id(1);
    const long lid0 = get_local_id(0);
    const long lid1 = get_local_id(1);
    const long offset0 = gidx1 * 2 + gidx0 * 64 + lid1 * -1 + lid0 * 64;
    const bool condition0 = gidx1 * -2 + gidx0 * 8 + lid0 * -2 + 2 >= -1;
    if (condition0) out0[offset0 + 1] = at_most_float(at_least_float(2.0f - (float)1L, -8.0f), 8.0f);
    if (condition0) out0[offset0 + 9] = at_most_float(at_least_float(2.0f - (float)2L, -8.0f), 8.0f);
    if (condition0) out0[offset0 + 17] = at_most_float(at_least_float(2.0f - (float)3L, -8.0f), 8.0f);
    if (condition0) out0[offset0 + 25] = at_most_float(at_least_float(2.0f - (float)4L, -8.0f), 8.0f);
    if (condition0) out0[offset0 + 33] = at_most_float(at_least_float(2.0f - (float)5L, -8.0f), 8.0f);
    if (condition0) out0[offset0 + 41] = at_most_float(at_least_float(2.0f - (float)6L, -8.0f), 8.0f);
    if (condition0) out0[offset0 + 49] = at_most_float(at_least_float(2.0f - (float)7L, -8.0f), 8.0f);
    if (condition0) out0[offset0 + 57] = at_most_float(at_least_float(2.0f - (float)8L, -8.0f), 8.0f);
}

// drawn_96: out0[24] from in0[61]; 4 x 3 work-items in groups of 2 x 1
__kernel void drawn_96(__global uint *out0, __global const uint *in0) {
    __local uint shared0[2];
    const long gidx0 = get_group_id(0);
    const long gidx1 = get_group_id(1);
    const long lid0 = get_local_id(0);
    const long offset0 = gidx0 * 4 - 2;
    shared0[lid0] = max(3u, offset0 >= 0 ? in0[offset0] : 1u);
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint value0 = shared0[lid0 * -1 + 1];
    for (long i0 = 0; i0 < 2; i0++) {
        out0[gidx1 + gidx0 * -3 + lid0 * 6 + i0 * -12 + 15] = value0;
    }
}

// drawn_97: out0[4] from in0[61]; 1 x 4 work-items in groups of 1 x 4
__kernel void drawn_97(__global uchar *out0, __global const uchar *restrict in0) {
    const int gid0 = get_global_id(0);
    const int gid1 = get_global_id(1);
    const bool condition0 = gid1 * -1 >= 0;
    for (int i0 = 0; i0 < 1; i0++) {
        if (condition0) out0[gid1 + gid0 + i0] = in0[gid1 * -2 + gid0 * 4 + i0 * 3 + 49];
    }
}
