#pragma OPENCL FP_CONTRACT ON

inline float4 float_of_half4(const ushort4 bits) {
    return vload_half4(0, (const half *)&bits);
}
inline float8 float_of_half8(const ushort8 bits) {
    return vload_half8(0, (const half *)&bits);
}

inline float8 half_value_ushort8(const ushort8 bits) { return float_of_half8(bits); }

inline float4 half_value_ushort4(const ushort4 bits) { return float_of_half4(bits); }

// kernel_matrices: out0[128] from in0[256], in1[128], in2[128]; 32 work-items in groups of 32
__attribute__((reqd_work_group_size(32, 1, 1))) __kernel void kernel_matrices(__global const ushort *restrict in0, __global const ushort *restrict in1, __global const float *restrict in2, __global float *out0) {
    __local float shared1[128] __attribute__((aligned(16)));
    __local float shared0[256] __attribute__((aligned(16)));
    const int lid0 = get_local_id(0);
    const int offset0 = lid0 % 32;
    const int offset1 = offset0 % 4;
    const int offset2 = offset1 * 2;
    const int offset3 = offset0 / 4;
    const int offset4 = offset2 + offset3 * 16;
    const int offset5 = offset1 * 16 + offset3;
    const int offset6 = offset2 + offset3 * 8;
    const int offset7 = offset6 + 1;
    const int offset8 = offset6 + 64;
    const int offset9 = offset6 + 65;
    const int offset10 = lid0 / 32;
    const int offset11 = offset10 * 256;
    const int offset12 = offset6 / 8 * 16 + offset11;
    const int offset13 = offset7 / 8 * 16 + offset11;
    const int offset14 = offset8 / 8 * 16 + offset11;
    const int offset15 = offset9 / 8 * 16 + offset11;
    const int offset16 = offset10 * 128;
    const int offset17 = offset6 % 8 + offset16;
    const int offset18 = offset7 % 8 + offset16;
    const int offset19 = offset8 % 8 + offset16;
    const int offset20 = offset9 % 8 + offset16;
    const int offset21 = lid0 * 4;
    const int offset22 = lid0 * 8;
    const float8 value0 = half_value_ushort8(*(__global const ushort8 *)(in0 + offset22));
    const float4 value1 = half_value_ushort4(*(__global const ushort4 *)(in1 + offset21));
    const float4 value2 = *(__global const float4 *)(in2 + offset21);
    shared0[offset4 + offset11] = value0.s0;
    shared0[offset4 + 1 + offset11] = value0.s1;
    shared0[offset4 + 128 + offset11] = value0.s2;
    shared0[offset4 + 129 + offset11] = value0.s3;
    shared0[offset4 + 8 + offset11] = value0.s4;
    shared0[offset4 + 9 + offset11] = value0.s5;
    shared0[offset4 + 136 + offset11] = value0.s6;
    shared0[offset4 + 137 + offset11] = value0.s7;
    shared1[offset5 + offset16] = value1.s0;
    shared1[offset5 + 8 + offset16] = value1.s1;
    shared1[offset5 + 64 + offset16] = value1.s2;
    shared1[offset5 + 72 + offset16] = value1.s3;
    barrier(CLK_LOCAL_MEM_FENCE);
    const float sum0 = shared0[offset12 + 1] * shared1[offset17 + 8] + (shared0[offset12] * shared1[offset17] + value2.s0);
    const float sum1 = shared0[offset12 + 3] * shared1[offset17 + 24] + (shared0[offset12 + 2] * shared1[offset17 + 16] + sum0);
    const float sum2 = shared0[offset12 + 5] * shared1[offset17 + 40] + (shared0[offset12 + 4] * shared1[offset17 + 32] + sum1);
    const float sum3 = shared0[offset12 + 7] * shared1[offset17 + 56] + (shared0[offset12 + 6] * shared1[offset17 + 48] + sum2);
    const float sum4 = shared0[offset12 + 9] * shared1[offset17 + 72] + (shared0[offset12 + 8] * shared1[offset17 + 64] + sum3);
    const float sum5 = shared0[offset12 + 11] * shared1[offset17 + 88] + (shared0[offset12 + 10] * shared1[offset17 + 80] + sum4);
    const float sum6 = shared0[offset12 + 13] * shared1[offset17 + 104] + (shared0[offset12 + 12] * shared1[offset17 + 96] + sum5);
    const float sum7 = shared0[offset12 + 15] * shared1[offset17 + 120] + (shared0[offset12 + 14] * shared1[offset17 + 112] + sum6);
    const float sum8 = shared0[offset13 + 1] * shared1[offset18 + 8] + (shared0[offset13] * shared1[offset18] + value2.s1);
    const float sum9 = shared0[offset13 + 3] * shared1[offset18 + 24] + (shared0[offset13 + 2] * shared1[offset18 + 16] + sum8);
    const float sum10 = shared0[offset13 + 5] * shared1[offset18 + 40] + (shared0[offset13 + 4] * shared1[offset18 + 32] + sum9);
    const float sum11 = shared0[offset13 + 7] * shared1[offset18 + 56] + (shared0[offset13 + 6] * shared1[offset18 + 48] + sum10);
    const float sum12 = shared0[offset13 + 9] * shared1[offset18 + 72] + (shared0[offset13 + 8] * shared1[offset18 + 64] + sum11);
    const float sum13 = shared0[offset13 + 11] * shared1[offset18 + 88] + (shared0[offset13 + 10] * shared1[offset18 + 80] + sum12);
    const float sum14 = shared0[offset13 + 13] * shared1[offset18 + 104] + (shared0[offset13 + 12] * shared1[offset18 + 96] + sum13);
    const float sum15 = shared0[offset13 + 15] * shared1[offset18 + 120] + (shared0[offset13 + 14] * shared1[offset18 + 112] + sum14);
    const float sum16 = shared0[offset14 + 1] * shared1[offset19 + 8] + (shared0[offset14] * shared1[offset19] + value2.s2);
    const float sum17 = shared0[offset14 + 3] * shared1[offset19 + 24] + (shared0[offset14 + 2] * shared1[offset19 + 16] + sum16);
    const float sum18 = shared0[offset14 + 5] * shared1[offset19 + 40] + (shared0[offset14 + 4] * shared1[offset19 + 32] + sum17);
    const float sum19 = shared0[offset14 + 7] * shared1[offset19 + 56] + (shared0[offset14 + 6] * shared1[offset19 + 48] + sum18);
    const float sum20 = shared0[offset14 + 9] * shared1[offset19 + 72] + (shared0[offset14 + 8] * shared1[offset19 + 64] + sum19);
    const float sum21 = shared0[offset14 + 11] * shared1[offset19 + 88] + (shared0[offset14 + 10] * shared1[offset19 + 80] + sum20);
    const float sum22 = shared0[offset14 + 13] * shared1[offset19 + 104] + (shared0[offset14 + 12] * shared1[offset19 + 96] + sum21);
    const float sum23 = shared0[offset14 + 15] * shared1[offset19 + 120] + (shared0[offset14 + 14] * shared1[offset19 + 112] + sum22);
    const float sum24 = shared0[offset15 + 1] * shared1[offset20 + 8] + (shared0[offset15] * shared1[offset20] + value2.s3);
    const float sum25 = shared0[offset15 + 3] * shared1[offset20 + 24] + (shared0[offset15 + 2] * shared1[offset20 + 16] + sum24);
    const float sum26 = shared0[offset15 + 5] * shared1[offset20 + 40] + (shared0[offset15 + 4] * shared1[offset20 + 32] + sum25);
    const float sum27 = shared0[offset15 + 7] * shared1[offset20 + 56] + (shared0[offset15 + 6] * shared1[offset20 + 48] + sum26);
    const float sum28 = shared0[offset15 + 9] * shared1[offset20 + 72] + (shared0[offset15 + 8] * shared1[offset20 + 64] + sum27);
    const float sum29 = shared0[offset15 + 11] * shared1[offset20 + 88] + (shared0[offset15 + 10] * shared1[offset20 + 80] + sum28);
    const float sum30 = shared0[offset15 + 13] * shared1[offset20 + 104] + (shared0[offset15 + 12] * shared1[offset20 + 96] + sum29);
    const float sum31 = shared0[offset15 + 15] * shared1[offset20 + 120] + (shared0[offset15 + 14] * shared1[offset20 + 112] + sum30);
    *(__global float4 *)(out0 + offset21) = (float4)(sum7, sum15, sum23, sum31);
}
