// drawn_20:  from nothing
static void drawn_20() {

}

// drawn_21: out0[432] from in0[61]; 9 x 3 work-items in groups of 3 x 1
__kernel void drawn_21(__global long *out0, __global const long *in0) {
    const long gidx0 = get_group_id(0);
    const long gidx1 = get_group_id(1);
    const long lid0 = get_local_id(0);
    const long offset0 = gidx1 * 2 + gidx0 * 48 + lid0 * 144;
    const long offset1 = lid0 * -1;
    const long difference0 = (ulong)in0[gidx0 + 1] - (ulong)in0[(offset1 + 3) % 61];
    out0[offset0] = difference0;
    const long difference1 = (ulong)in0[gidx0 + 9] - (ulong)in0[floor_modulo_by_positive_long(offset1 + 1, 61L)];
    out0[offset0 + 24] = difference1;
    out0[offset0 + 6] = difference0;
    out0[offset0 + 30] = difference1;
    out0[offset0 + 12] = difference0;
    out0[offset0 + 36] = difference1;
    out0[offset0 + 18] = difference0;
    out0[offset0 + 42] = difference1;
}

// drawn_23: out0[6], out1[2] from in0[61]
static void drawn_23(uint *out0, ushort *out1, const ushort *in0) {
    const uint quotient0 = (2u << 5u) / 1u;
    for (long i0 = 0; i0 < 1; i0++) {
        for (long i1 = 0; i1 < 2; i1++) {
            float acc0 = 0.0f;
            for (long i2 = 0; i2 < 1; i2++) {
                out0[i0 * 6 + i1 * 3 + i2 * 6] = quotient0;
                const float sum0 = round_bfloat_float(acc0 + as_float(convert_uint(in0[i0 * 8 + i2 * 2 + 37]) << 16));
                acc0 = sum0;
                out1[i0 * -1 + i1 + i2] = convert_ushort(as_uint(at_most_float(at_least_float(sum0, -8.0f), 8.0f)) >> 16);
            }
        }
    }
}

// drawn_25:  from nothing; 1 work-items in groups of 1
__kernel void drawn_25() {

}

// drawn_27: out0[24], out1[24] from in0[61], in1[61]; 4 work-items in groups of 4
__kernel void drawn_27(__global uchar *out0, __global ushort *out1, __global const uchar *in0, __global const ushort *in1) {
    __local uchar shared0[4];
    const long gidx0 = get_group_id(0);
    const long lid0 = get_local_id(0);
    const long offset0 = lid0 * -1;
    shared0[lid0] = in0[gidx0 * 4 + offset0 + 4];
    const long offset1 = gidx0 * 24 + lid0 * 6;
    barrier(CLK_LOCAL_MEM_FENCE);
    const bool condition0 = shared0[offset0 + 3];
    out0[offset1] = condition0;
    out0[offset1 + 2] = condition0;
    out0[offset1 + 4] = condition0;
    const long offset2 = gidx0 * 6 + lid0 * -6;
    const long offset3 = gidx0 + lid0;
    const float3 value0 = as_float3(convert_uint3(vload3(0, in1 + offset3 + 42)) << 16);
    const float3 value1 = as_float3(convert_uint3(vload3(0, in1 + offset3 + 45)) << 16);
    const float value2 = as_float(convert_uint(in1[26]) << 16);
    const float3 sum0 = round_bfloat_float3((float3)(__builtin_shufflevector(value0, value1, 0, 2, 4)) * (float3)(value2, value2, as_float(convert_uint(in1[27]) << 16)) + as_float3(convert_uint3(vload3(0, in1 + lid0 + 15)) << 16));
    const float3 lesser0 = at_most_float3(at_least_float3(sum0, (float3)(-8.0f)), (float3)(8.0f));
    out1[offset2 + 18] = convert_ushort(as_uint(lesser0.s0) >> 16);
    out1[offset2 + 20] = convert_ushort(as_uint(lesser0.s1) >> 16);
    out1[offset2 + 22] = convert_ushort(as_uint(lesser0.s2) >> 16);
}

// drawn_28: out0[8] from in0[61], in1[61]; 4 work-items in groups of 1
__kernel void drawn_28(__global float *out0, __global const uchar *restrict in0, __global const float *restrict in1) {
    const int gid0 = get_global_id(0);
    const int offset0 = gid0 * 4;
    const int offset1 = offset0 - 2;
    const int offset2 = gid0 * 8;
    const int offset3 = gid0 * 3;
    const int offset4 = offset3 - 2;
    const float choice0 = (((offset4 >= 0) & (offset0 + 1 < 9)) ? in0[offset4] : true) ? in1[(offset2 + 3) % 3 + 2] : in1[offset3 + 17];
    if ((offset1 < 5) & (offset1 >= 3)) out0[gid0 * -2 + 7] = at_most_float(at_least_float(maximum_float((float)in0[offset2 + 13], choice0), -8.0f), 8.0f);
}
