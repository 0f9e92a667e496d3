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
__attribute__((reqd_work_group_size(4, 4, 1))) __kernel void drawn_115(__global ushort *out0, __global const ushort *restrict in0) {
    __local ushort shared0[16] __attribute__((aligned(16)));
    const int gidx0 = get_group_id(0);
    const int gidx1 = get_group_id(1);
    const int gidx2 = get_group_id(2);
    const int lid0 = get_local_id(0);
    const int lid1 = get_local_id(1);
    shared0[lid1 * 4 + lid0] = convert_ushort(as_uint(as_float(convert_uint(in0[(gidx1 + lid1 + lid0 + 3) / 4 + 5]) << 16)) >> 16);
    const int offset0 = gidx2 * -8 + gidx1 * 4 + gidx0 * 384 + lid1 * 16 + lid0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const float lesser0 = at_most_float(at_least_float(-as_float(convert_uint(shared0[lid1 * -4 + lid0 * -1 + 15]) << 16), -8.0f), 8.0f);
    out0[offset0 + 8] = convert_ushort(as_uint(lesser0) >> 16);
    out0[offset0 + 72] = convert_ushort(as_uint(lesser0) >> 16);
    out0[offset0 + 136] = convert_ushort(as_uint(lesser0) >> 16);
    out0[offset0 + 200] = convert_ushort(as_uint(lesser0) >> 16);
    out0[offset0 + 264] = convert_ushort(as_uint(lesser0) >> 16);
    out0[offset0 + 328] = convert_ushort(as_uint(lesser0) >> 16);
}

// drawn_118: out0[512] from in0[61]; 2 x 2 work-items in groups of 1 x 1
__kernel void drawn_118(__global uchar *out0, __global const ushort *restrict in0) {
    const int gid0 = get_global_id(0);
    const int gid1 = get_global_id(1);
    const float value0 = as_float(convert_uint(in0[2]) << 16);
    const int4 condition0 = (float4)(value0) < 1.0f;
    const float value1 = as_float(convert_uint(in0[1]) << 16);
    const int4 condition1 = (float4)(value1) < 1.0f;
    const int offset0 = gid1 - 1;
    const bool condition2 = offset0 >= 0;
    const float4 value2 = condition2 ? as_float4(convert_uint4(vload4(0, in0 + offset0)) << 16) : (float4)(condition2 ? as_float(convert_uint(in0[offset0]) << 16) : 1.0f, 0.0f, as_float(convert_uint(in0[gid1 + 1]) << 16), 0.0f);
    const float4 value3 = condition2 ? as_float4(convert_uint4(vload4(0, in0 + gid1 + 2)) << 16) : (float4)(0.0f, as_float(convert_uint(in0[gid1 + 3]) << 16), 0.0f, as_float(convert_uint(in0[gid1 + 5]) << 16));
    const float4 vector0 = (float4)(value2.s0, value2.s2, value3.s1, value3.s3);
    const int4 condition3 = value0 < vector0;
    const int4 condition4 = value1 < vector0;
    for (int i0 = 0; i0 < 4; i0++) {
        const int offset1 = gid1 * 256 + gid0 * 4 + i0 * 32;
        *(__global uchar4 *)(out0 + offset1) = convert_uchar4(-condition0);
        *(__global uchar4 *)(out0 + offset1 + 128) = convert_uchar4(-condition1);
        *(__global uchar4 *)(out0 + offset1 + 8) = convert_uchar4(-condition3);
        *(__global uchar4 *)(out0 + offset1 + 136) = convert_uchar4(-condition4);
        *(__global uchar4 *)(out0 + offset1 + 16) = convert_uchar4(-condition3);
        *(__global uchar4 *)(out0 + offset1 + 144) = convert_uchar4(-condition4);
        *(__global uchar4 *)(out0 + offset1 + 24) = convert_uchar4(-condition3);
        *(__global uchar4 *)(out0 + offset1 + 152) = convert_uchar4(-condition4);
    }
}

// drawn_119:  from nothing; 1 work-items in groups of 1
__kernel void drawn_119() {

}
