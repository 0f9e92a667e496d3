// drawn_50: out0[256] from in0[61]
static void drawn_50(short *out0, const short *in0) {
    for (long i0 = 0; i0 < 1; i0++) {
        for (long i1 = 0; i1 < 4; i1++) {
            const short shifted0 = (short)((uint)(short)(in0[i0 * -2 + i1 * 2 + 12] | (short)(i1 + 1)) << (short)7);
            for (long i2 = 0; i2 < 2; i2++) {
                for (long i3 = 0; i3 < 4; i3++) {
                    const long offset0 = i0 * 256 + i1 + i2 * 16 + i3 * 4;
                    const long offset1 = offset0 + 224;
                    const long offset2 = offset0 + 192;
                    const long offset3 = offset0 + 160;
                    const long offset4 = offset0 + 128;
                    const long offset5 = offset0 + 96;
                    const long offset6 = offset0 + 64;
                    const long offset7 = offset0 + 32;
                    for (long i4 = 0; i4 < 2; i4++) {
                        out0[offset1] = (short)((uint)out0[offset1] * (uint)shifted0);
                        out0[offset2] = (short)((uint)out0[offset2] * (uint)shifted0);
                        out0[offset3] = (short)((uint)out0[offset3] * (uint)shifted0);
                        out0[offset4] = (short)((uint)out0[offset4] * (uint)shifted0);
                        out0[offset5] = (short)((uint)out0[offset5] * (uint)shifted0);
                        out0[offset6] = (short)((uint)out0[offset6] * (uint)shifted0);
                        out0[offset7] = (short)((uint)out0[offset7] * (uint)shifted0);
                        out0[offset0] = (short)((uint)out0[offset0] * (uint)shifted0);
                    }
                }
            }
        }
    }
}

// drawn_51: out0[72] from in0[61]; 9 x 2 work-items in groups of 3 x 1
__kernel void drawn_51(__global uchar *out0, __global const uchar *in0) {
    const long gidx0 = get_group_id(0);
    const long gidx1 = get_group_id(1);
    const long lid0 = get_local_id(0);
    const long offset0 = gidx0 * 8;
    const uchar value0 = (uchar)((uchar)(lid0 + 1) | in0[gidx1 + offset0 + 30]);
    *(__global uchar4_unaligned *)(out0 + gidx1 * -4 + offset0 + lid0 * 24 + 4) = (uchar4)(value0);
}

// drawn_53: out0[162] from in0[61]
static void drawn_53(uchar *out0, const uchar *in0) {
    uchar shared1[1];
    uchar shared0[2];
    for (long i0 = 0; i0 < 3; i0++) {
        for (long i1 = 0; i1 < 3; i1++) {
            for (long i2 = 0; i2 < 3; i2++) {
                for (long i3 = 0; i3 < 3; i3++) {
                    const bool condition0 = in0[i1 + i2 + i3 * 3 + 2];
                    bool acc0 = false;
                    for (long k0 = 0; k0 < 2; k0++) {
                        acc0 = acc0 | condition0;
                    }
                    shared0[0] = acc0;
                    shared0[1] = acc0;
                    for (long i4 = 0; i4 < 1; i4++) {
                        shared1[i4] = shared0[i4 * -1 + 1];
                    }
                    bool acc1 = false;
                    for (long k1 = 0; k1 < 1; k1++) {
                        const bool condition1 = shared1[k1 * -1];
                        acc1 = acc1 | condition1;
                        acc1 = acc1 | condition1;
                    }
                    const long offset0 = i0 * 2 + i1 * 54 + i2 * 6 + i3 * 18;
                    const long offset1 = offset0 + 1;
                    for (long i5 = 0; i5 < 4; i5++) {
                        out0[offset1] = out0[offset1] & acc1;
                        out0[offset0] = out0[offset0] & acc1;
                    }
                }
            }
        }
    }
}

// drawn_57: out0[24] from in0[61]; 1 x 4 x 3 work-items in groups of 1 x 1 x 1
__kernel void drawn_57(__global float *out0, __global const uchar *in0) {
    const long gid0 = get_global_id(0);
    const long gid1 = get_global_id(1);
    const long gid2 = get_global_id(2);
    const float converted0 = (float)in0[gid1 * 8];
    float acc0 = -INFINITY;
    for (long k0 = 0; k0 < 2; k0++) {
        acc0 = maximum_float(acc0, converted0);
        acc0 = maximum_float(acc0, converted0);
    }
    const float greater0 = at_least_float(-at_most_float(at_least_float(maximum_float(acc0, acc0), -8.0f), 8.0f), -8.0f);
    const float lesser0 = at_most_float(greater0, 8.0f);
    *(__global float2_unaligned *)(out0 + gid2 * 8 + gid1 * -2 + gid0 * 2 + 6) = (float2)(lesser0);
}

// drawn_58: out0[324], out1[972] from in0[61], in1[61], in2[61]; 3 x 3 x 3 work-items in groups of 1 x 1 x 1
__kernel void drawn_58(__global ushort *out0, __global uchar *out1, __global const uchar *restrict in0, __global const ushort *restrict in1, __global const short *restrict in2) {
    const int gid0 = get_global_id(0);
    const int gid1 = get_global_id(1);
    const int gid2 = get_global_id(2);
    const int offset0 = gid2 * 3 + gid1 * 9 + gid0 * 27;
    const int offset1 = gid2 * -1 + 1;
    const bool condition0 = offset1 >= 0;
    const float choice0 = (condition0 ? in0[offset1] : in0[gid1 + 1]) ? 0.0f : half_value_ushort(in1[gid0 + 12]);
    vstore3(half_bits_float3((float3)(choice0)), 0, out0 + offset0);
    const float choice1 = (condition0 ? in0[offset1] : in0[gid1 + 3]) ? 0.0f : half_value_ushort(in1[gid0 + 15]);
    vstore3(half_bits_float3((float3)(choice1)), 0, out0 + offset0 + 81);
    const float choice2 = (condition0 ? in0[offset1] : in0[gid1 + 5]) ? 0.0f : half_value_ushort(in1[gid0 + 18]);
    vstore3(half_bits_float3((float3)(choice2)), 0, out0 + offset0 + 162);
    const float choice3 = (condition0 ? in0[offset1] : in0[gid1 + 7]) ? 0.0f : half_value_ushort(in1[gid0 + 21]);
    vstore3(half_bits_float3((float3)(choice3)), 0, out0 + offset0 + 243);
    bool acc0[2];
    acc0[0] = in0[1];
    acc0[1] = in0[9];
    const int offset2 = gid2 * 324 + gid1 * 36 + gid0 * 108;
    const int offset3 = gid2 * -2 + gid1 + 2;
    const short value0 = (short)(offset3 >= 0 ? in2[offset3] : (short)1);
    const short3 condition1 = ((short3)(value0) < vload3(0, in2 + gid1 * 2 + 54)) & convert_short3((int3)(-acc0[1]));
    out1[offset2 + 1] = condition1.s0 != 0;
    out1[offset2 + 4] = condition1.s1 != 0;
    out1[offset2 + 7] = condition1.s2 != 0;
    out1[offset2 + 10] = condition1.s0 != 0;
    out1[offset2 + 13] = condition1.s1 != 0;
    out1[offset2 + 16] = condition1.s2 != 0;
    out1[offset2 + 19] = condition1.s0 != 0;
    out1[offset2 + 22] = condition1.s1 != 0;
    out1[offset2 + 25] = condition1.s2 != 0;
    out1[offset2 + 28] = condition1.s0 != 0;
    out1[offset2 + 31] = condition1.s1 != 0;
    out1[offset2 + 34] = condition1.s2 != 0;
}

// drawn_59: out0[24], out1[18] from in0[61], in1[61], in2[61]
static void drawn_59(ushort *out0, schar *out1, const uchar *in0, const ushort *in1, const schar *in2) {
    for (long i0 = 0; i0 < 4; i0++) {
        const bool condition0 = in0[i0 + 20];
        const bool condition1 = in0[i0 + 21];
        const bool condition2 = in0[i0 + 22];
        for (long i1 = 0; i1 < 2; i1++) {
            const float value0 = as_float(convert_uint(in1[i0 + i1 + 37]) << 16);
            const long offset0 = i1 * 4;
            const schar remainder0 = floor_modulo_schar(in2[offset0], (schar)(-2));
            const schar remainder1 = floor_modulo_schar(in2[offset0 + 3], (schar)(-2));
            const schar remainder2 = floor_modulo_schar(in2[offset0 + 6], (schar)(-2));
            for (long i2 = 0; i2 < 1; i2++) {
                const long offset1 = i0 * 3 + i1 * 12 + i2;
                const long offset2 = i0 * -1 + i2;
                const long offset3 = offset2 - 1;
                const int converted0 = (int)(offset3 * -1 - 1);
                const bool condition3 = (ulong)offset3 < 59uL;
                out0[offset1] = convert_ushort(as_uint(condition0 ? value0 : converted0 < 0 ? (condition3 ? as_float(convert_uint(in1[offset3]) << 16) : 1.0f) : 1.0f) >> 16);
                const float value1 = condition3 ? as_float(convert_uint(in1[offset2]) << 16) : offset2 >= 0 ? as_float(convert_uint(in1[offset2]) << 16) : 1.0f;
                out0[offset1 + 1] = convert_ushort(as_uint(condition1 ? value0 : converted0 < 1 ? value1 : 1.0f) >> 16);
                const long offset4 = offset2 + 1;
                const float value2 = condition3 ? as_float(convert_uint(in1[offset4]) << 16) : offset4 >= 0 ? as_float(convert_uint(in1[offset4]) << 16) : 1.0f;
                out0[offset1 + 2] = convert_ushort(as_uint(condition2 ? value0 : converted0 < 2 ? value2 : 1.0f) >> 16);
                const long offset5 = i1 * 3 + i2 * 6;
                out1[offset5 + 14] = remainder0;
                out1[offset5 + 8] = remainder1;
                out1[offset5 + 2] = remainder2;
            }
        }
    }
}
