// drawn_111: out0[384], out1[384] from in0[61], in1[61]; 4 x 2 x 4 work-items in groups of 1 x 1 x 1
__kernel void drawn_111(__global ushort *out0, __global uchar *out1, __global const double *in0, __global const uchar *in1) {
    const long gid0 = get_global_id(0);
    const long gid1 = get_global_id(1);
    const long gid2 = get_global_id(2);
    const long offset0 = gid2 / 2;
    const long offset1 = gid2 % 2;
    const double lesser0 = at_most_double(at_least_double(in0[offset0 + offset1 * 3 + gid1 * 3 + 45] * 4.0 / 4.0, -8.0), 8.0);
    const float greater0 = at_least_float(at_most_float(at_least_float(round_half_double(lesser0), -8.0f), 8.0f), 0.0f);
    const ushort converted0 = ushort_of_float(greater0);
    const long offset2 = offset0 * -1 + gid0 - 1;
    const bool condition0 = offset2 >= 0 ? in1[offset2] : true;
    bool acc0 = false;
    for (long k0 = 0; k0 < 2; k0++) {
        for (long k1 = 0; k1 < 2; k1++) {
            acc0 = acc0 | condition0;
        }
    }
    for (long i0 = 0; i0 < 2; i0++) {
        for (long i1 = 0; i1 < 3; i1++) {
            *(__global ushort2_unaligned *)(out0 + offset0 * 2 + offset1 * 24 + gid1 * 12 + gid0 * 48 + i0 * -192 + i1 * 4 + 192) = (ushort2)(converted0);
            *(__global uchar2_unaligned *)(out1 + offset0 * 96 + offset1 * 12 + gid1 * 192 + gid0 * 24 + i0 * 6 + i1 * 2) = convert_uchar2(-(int2)(-acc0));
        }
    }
}

// drawn_114: out0[288] from in0[61]; 2 x 3 x 8 work-items in groups of 1 x 1 x 1
__kernel void drawn_114(__global float *out0, __global const float *in0) {
    __local float shared0[12];
    const long gid0 = get_global_id(0);
    const long gid1 = get_global_id(1);
    const long gid2 = get_global_id(2);
    const long offset0 = gid2 / 4;
    for (long i0 = 0; i0 < 4; i0++) {
        for (long i1 = 0; i1 < 3; i1++) {
            shared0[i0 * 3 + i1] = in0[offset0 + gid1 * 3 + i1 * -1 + 19];
        }
    }
    const long offset1 = offset0 * 3 + gid2 % 4 * -6 + gid1 * 24 + gid0 * 72;
    const float value0 = shared0[gid0 * -3 + 9];
    out0[offset1 + 18] = value0;
    out0[offset1 + 162] = value0;
}

// drawn_115: out0[768] from in0[61]; 8 x 8 x 2 work-items in groups of 4 x 4 x 1
__kernel void drawn_115(__global ushort *out0, __global const ushort *in0) {
    __local ushort shared0[16];
    const long gidx0 = get_group_id(0);
    const long gidx1 = get_group_id(1);
    const long gidx2 = get_group_id(2);
    const long lid0 = get_local_id(0);
    const long lid1 = get_local_id(1);
    shared0[lid1 * 4 + lid0] = convert_ushort(as_uint(as_float(convert_uint(in0[(gidx1 + lid1 + lid0 + 3) / 4 + 5]) << 16)) >> 16);
    const long offset0 = gidx2 * -8 + gidx1 * 4 + gidx0 * 384 + lid1 * 16 + lid0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const float lesser0 = at_most_float(at_least_float(-as_float(convert_uint(shared0[lid1 * -4 + lid0 * -1 + 15]) << 16), -8.0f), 8.0f);
    out0[offset0 + 8] = convert_ushort(as_uint(lesser0) >> 16);
    out0[offset0 + 72] = convert_ushort(as_uint(lesser0) >> 16);
    out0[offset0 + 136] = convert_ushort(as_uint(lesser0) >> 16);
    out0[offset0 + 200] = convert_ushort(as_uint(lesser0) >> 16);
    out0[offset0 + 264] = convert_ushort(as_uint(lesser0) >> 16);
    out0[offset0 + 328] = convert_ushort(as_uint(lesser0) >> 16);
}

// drawn_117:  from nothing; 1 work-items in groups of 1
__kernel void drawn_117() {

}

// drawn_119:  from nothing; 1 work-items in groups of 1
__kernel void drawn_119() {

}
