// drawn_71: out0[1536] from nothing
static void drawn_71(float *out0) {
    const float lesser0 = at_most_float(at_least_float(-(float)1L, -8.0f), 8.0f);
    const float lesser1 = at_most_float(at_least_float(-(float)2L, -8.0f), 8.0f);
    for (long i0 = 0; i0 < 4; i0++) {
        for (long i1 = 0; i1 < 4; i1++) {
            for (long i2 = 0; i2 < 2; i2++) {
                for (long i3 = 0; i3 < 4; i3++) {
                    const long offset0 = i0 + i1 * 16 + i2 * 768 + i3 * 64;
                    out0[offset0] = lesser0;
                    out0[offset0 + 8] = lesser0;
                    out0[offset0 + 4] = lesser1;
                    out0[offset0 + 12] = lesser1;
                    out0[offset0 + 256] = lesser0;
                    out0[offset0 + 264] = lesser0;
                    out0[offset0 + 260] = lesser1;
                    out0[offset0 + 268] = lesser1;
                    out0[offset0 + 512] = lesser0;
                    out0[offset0 + 520] = lesser0;
                    out0[offset0 + 516] = lesser1;
                    out0[offset0 + 524] = lesser1;
                }
            }
        }
    }
}

// drawn_72: out0[36] from in0[61]; 6 x 2 work-items in groups of 3 x 1
__kernel void drawn_72(__global float *out0, __global const float *in0) {
    __local float shared0[3];
    const long gidx0 = get_group_id(0);
    const long gidx1 = get_group_id(1);
    const long lid0 = get_local_id(0);
    shared0[lid0] = in0[gidx1 + lid0 + 24];
    barrier(CLK_LOCAL_MEM_FENCE);
    const float value0 = shared0[lid0 * -1 + 2];
    for (long i0 = 0; i0 < 3; i0++) {
        out0[gidx1 * 6 + gidx0 + lid0 * 2 + i0 * 12] = value0;
    }
}

// drawn_73: out0[4] from in0[61]; 1 work-items in groups of 1
__kernel void drawn_73(__global ushort *out0, __global const ushort *restrict in0) {
    const int gid0 = get_global_id(0);
    float acc0 = -INFINITY;
    float acc1 = -INFINITY;
    float acc2 = -INFINITY;
    float acc3 = -INFINITY;
    for (int k0 = 0; k0 < 3; k0++) {
        const int offset0 = gid0 + k0 * -1;
        acc0 = maximum_float(acc0, half_value_ushort(in0[offset0 + 7]));
        acc1 = maximum_float(acc1, half_value_ushort(in0[offset0 + 8]));
        acc2 = maximum_float(acc2, half_value_ushort(in0[offset0 + 9]));
        acc3 = maximum_float(acc3, half_value_ushort(in0[offset0 + 10]));
    }
    const int offset1 = gid0 * 4;
    out0[offset1] = convert_ushort(as_uint(round_bfloat_float(at_most_float(at_least_float(acc0, -8.0f), 8.0f))) >> 16);
    out0[offset1 + 1] = convert_ushort(as_uint(round_bfloat_float(at_most_float(at_least_float(acc1, -8.0f), 8.0f))) >> 16);
    out0[offset1 + 2] = convert_ushort(as_uint(round_bfloat_float(at_most_float(at_least_float(acc2, -8.0f), 8.0f))) >> 16);
    out0[offset1 + 3] = convert_ushort(as_uint(round_bfloat_float(at_most_float(at_least_float(acc3, -8.0f), 8.0f))) >> 16);
}

// drawn_75: out0[12] from in0[61]; 2 x 1 work-items in groups of 1 x 1
__kernel void drawn_75(__global uchar *out0, __global const char *in0) {
    const long gid0 = get_global_id(0);
    const long gid1 = get_global_id(1);
    char acc0 = (char)0;
    for (long k0 = 0; k0 < 3; k0++) {
        #pragma unroll
        for (long k1 = 0; k1 < 1; k1++) {
            acc0 = (char)((uint)acc0 + (uint)(char)(in0[gid0 * 3 + k1 * 2 + 1] % (char)(-3)));
        }
    }
    const char value0 = in0[gid1 * -1 + 19];
    const bool condition0 = (value0 < value0) | ((value0 == value0) & (1 < 0));
    const char choice0 = (char)(condition0 ? value0 : value0);
    const int choice1 = condition0 ? 1 : 0;
    const char remainder0 = (char)((char)((((choice0 < value0) | ((choice0 == value0) & (2 < choice1))) ? 2 : choice1) & 7) % (char)(-2));
    const bool condition1 = remainder0 < acc0;
    for (long i0 = 0; i0 < 3; i0++) {
        const long offset0 = gid1 * 3 + gid0 * 6 + i0;
        out0[offset0] = condition1;
        out0[offset0 + 3] = condition1;
    }
}

// drawn_78:  from nothing; 1 work-items in groups of 1
__kernel void drawn_78() {

}

// drawn_79: out0[4] from in0[61]; 2 work-items in groups of 2
__kernel void drawn_79(__global ushort *out0, __global const ushort *restrict in0) {
    const int gid0 = get_global_id(0);
    const int offset0 = gid0 * 2;
    out0[offset0] = (ushort)((uint)min(in0[offset0], in0[gid0 * 8 + 52]) + (uint)(ushort)(in0[(gid0 + 3) / 4 + 30] >> (ushort)2));
}
