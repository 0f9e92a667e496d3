// drawn_10: out0[96] from in0[61]; 3 work-items in groups of 3
__kernel void drawn_10(__global uint *out0, __global const uint *in0) {
    const long gid0 = get_global_id(0);
    const uint value0 = in0[gid0 + 18];
    const uint choice0 = false ? in0[gid0 + 48] : value0;
    const uint choice1 = false ? in0[gid0 + 56] : value0;
    for (long i0 = 0; i0 < 2; i0++) {
        for (long i1 = 0; i1 < 2; i1++) {
            uint2 acc0 = (uint2)(4294967295u);
            uint2 acc1 = (uint2)(4294967295u);
            for (long k0 = 0; k0 < 3; k0++) {
                const uint value1 = in0[i1 * 3 + k0 + 16];
                uint acc2 = 4294967295u;
                for (long k1 = 0; k1 < 2; k1++) {
                    acc2 = min(acc2, value1);
                }
                const uint value2 = acc2 | choice0;
                acc0 = min(acc0, (uint2)(value2));
                acc0 = min(acc0, (uint2)(value2));
                acc0 = min(acc0, (uint2)(value2));
                acc0 = min(acc0, (uint2)(value2));
                acc0 = min(acc0, (uint2)(value2));
                acc0 = min(acc0, (uint2)(value2));
                acc0 = min(acc0, (uint2)(value2));
                acc0 = min(acc0, (uint2)(value2));
                const uint value3 = acc2 | choice1;
                acc1 = min(acc1, (uint2)(value3));
                acc1 = min(acc1, (uint2)(value3));
                acc1 = min(acc1, (uint2)(value3));
                acc1 = min(acc1, (uint2)(value3));
                acc1 = min(acc1, (uint2)(value3));
                acc1 = min(acc1, (uint2)(value3));
                acc1 = min(acc1, (uint2)(value3));
                acc1 = min(acc1, (uint2)(value3));
            }
            const long offset0 = gid0 * 8 + i0 * 24 + i1 * 48;
            const uint lesser0 = min(acc0.s0, acc0.s1);
            vstore4((uint4)(lesser0), 0, out0 + offset0);
            const uint lesser1 = min(acc1.s0, acc1.s1);
            vstore4((uint4)(lesser1), 0, out0 + offset0 + 4);
        }
    }
}

// drawn_11: out0[32] from in0[61]
static void drawn_11(float *out0, const float *in0) {
    float acc0[8];
    const float greater0 = at_least_float(1.0f, 1.0f);
    const float greater1 = maximum_float(greater0, greater0);
    const float lesser0 = at_most_float(at_least_float(maximum_float(greater1, greater1), -8.0f), 8.0f);
    acc0[3] = lesser0;
    acc0[4] = lesser0;
    acc0[5] = lesser0;
    acc0[6] = lesser0;
    acc0[7] = lesser0;
    for (long i0 = 0; i0 < 4; i0++) {
        const long offset0 = i0 * 3 - 2;
        const bool condition0 = offset0 >= 0;
        for (long i1 = 0; i1 < 2; i1++) {
            const long offset1 = i0 * -2 + i1 * 2;
            const float value0 = (condition0 & (offset1 + 3 >= 1)) ? in0[offset0] : 1.0f;
            const float greater2 = maximum_float(value0, value0);
            const float greater3 = maximum_float(greater2, greater2);
            acc0[0] = at_most_float(at_least_float(maximum_float(greater3, greater3), -8.0f), 8.0f);
            const float value1 = (condition0 & (offset1 + 4 >= 1)) ? in0[offset0] : 1.0f;
            const float greater4 = maximum_float(value1, value1);
            const float greater5 = maximum_float(greater4, greater4);
            acc0[1] = at_most_float(at_least_float(maximum_float(greater5, greater5), -8.0f), 8.0f);
            const float value2 = (condition0 & ((i1 + 2 < 3) & (offset1 + 5 >= 1))) ? in0[offset0] : 1.0f;
            const float greater6 = maximum_float(value2, value2);
            const float greater7 = maximum_float(greater6, greater6);
            acc0[2] = at_most_float(at_least_float(maximum_float(greater7, greater7), -8.0f), 8.0f);
            const long offset2 = i0 * -4 + i1 * 16;
            out0[offset2 + 15] = acc0[6];
            out0[offset2 + 14] = acc0[6];
            out0[offset2 + 13] = acc0[6];
            out0[offset2 + 12] = acc0[6];
        }
    }
}

// drawn_13: out0[16] from in0[61]; 2 work-items in groups of 1
__kernel void drawn_13(__global float *out0, __global const float *in0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 8;
    const float8 value0 = vload8(0, in0 + gid0 + 36);
    vstore8(true ? vload8(0, in0 + offset0 + 3) : (float8)(value0.s7, value0.s6, value0.s5, value0.s4, value0.s3, value0.s2, value0.s1, value0.s0), 0, out0 + offset0);
}

// drawn_15:  from nothing; 1 work-items in groups of 1
__kernel void drawn_15() {

}

// drawn_18: out0[6144] from in0[61]; 8 x 8 x 12 work-items in groups of 4 x 2 x 1
__kernel void drawn_18(__global uchar *out0, __global const ushort *in0) {
    const long gidx0 = get_group_id(0);
    const long gidx1 = get_group_id(1);
    const long gidx2 = get_group_id(2);
    const long lid0 = get_local_id(0);
    const long lid1 = get_local_id(1);
    const bool condition0 = half_value_ushort(in0[gidx0 + 5]) < half_value_ushort(in0[lid0 + 33]);
    bool acc0[4];
    for (long i0 = 0; i0 < 2; i0++) {
        acc0[i0] = condition0;
        acc0[i0 + 2] = condition0;
    }
    const long offset0 = gidx2 / 4 * -64 + gidx2 % 4 * 8 + gidx1 * 2 + gidx0 * 3072 + lid1 * 32 + lid0 * 192;
    const int2 condition1 = (int2)(-acc0[3], -acc0[0]);
    *(__global uchar2_unaligned *)(out0 + offset0 + 128) = convert_uchar2(-condition1);
    *(__global uchar2_unaligned *)(out0 + offset0 + 1664) = convert_uchar2(-condition1);
    *(__global uchar2_unaligned *)(out0 + offset0 + 896) = convert_uchar2(-condition1);
    *(__global uchar2_unaligned *)(out0 + offset0 + 2432) = convert_uchar2(-condition1);
}

// drawn_19: out0[24] from in0[61]; 3 x 4 work-items in groups of 1 x 1
__kernel void drawn_19(__global uint *out0, __global const uint *in0) {
    const long gid0 = get_global_id(0);
    const long gid1 = get_global_id(1);
    uint acc0[3];
    acc0[0] = in0[gid1 + 8];
    acc0[1] = in0[gid1 + 10];
    acc0[2] = in0[gid1 + 12];
    for (long i0 = 0; i0 < 1; i0++) {
        out0[gid1 * 2 + gid0 * 8 + i0 * 8 + 1] = acc0[gid0 * -1 + 2];
    }
}
