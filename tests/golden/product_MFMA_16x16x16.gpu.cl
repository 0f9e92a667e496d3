#pragma OPENCL FP_CONTRACT ON

inline float4 float_of_half4(const ushort4 bits) {
    return vload_half4(0, (const half *)&bits);
}

inline float4 half_value_ushort4(const ushort4 bits) { return float_of_half4(bits); }

// kernel_matrices: out0[256] from in0[256], in1[256], in2[256]; 64 work-items in groups of 64
__attribute__((reqd_work_group_size(64, 1, 1))) __kernel void kernel_matrices(__global const ushort *restrict in0, __global const ushort *restrict in1, __global const float *restrict in2, __global float *out0) {
    __local float shared1[256] __attribute__((aligned(16)));
    __local float shared0[256] __attribute__((aligned(16)));
    const int lid0 = get_local_id(0);
    const int offset0 = lid0 % 64;
    const int offset1 = offset0 % 16;
    const int offset2 = offset0 / 16;
    const int offset3 = offset1 * 16 + offset2 * 4;
    const int offset4 = offset1 + offset2 * 64;
    const int offset5 = offset4 + 16;
    const int offset6 = offset4 + 32;
    const int offset7 = offset4 + 48;
    const int offset8 = lid0 / 64 * 256;
    const int offset9 = offset4 / 16 * 16 + offset8;
    const int offset10 = offset4 % 16 + offset8;
    const int offset11 = offset5 / 16 * 16 + offset8;
    const int offset12 = offset5 % 16 + offset8;
    const int offset13 = offset6 / 16 * 16 + offset8;
    const int offset14 = offset6 % 16 + offset8;
    const int offset15 = offset7 / 16 * 16 + offset8;
    const int offset16 = offset7 % 16 + offset8;
    const int offset17 = lid0 * 4;
    const float4 value0 = half_value_ushort4(*(__global const ushort4 *)(in0 + offset17));
    const float4 value1 = half_value_ushort4(*(__global const ushort4 *)(in1 + offset17));
    const float4 value2 = *(__global const float4 *)(in2 + offset17);
    shared0[offset3 + offset8] = value0.s0;
    shared0[offset3 + 1 + offset8] = value0.s1;
    shared0[offset3 + 2 + offset8] = value0.s2;
    shared0[offset3 + 3 + offset8] = value0.s3;
    shared1[offset4 + offset8] = value1.s0;
    shared1[offset5 + offset8] = value1.s1;
    shared1[offset6 + offset8] = value1.s2;
    shared1[offset7 + offset8] = value1.s3;
    barrier(CLK_LOCAL_MEM_FENCE);
    const float sum0 = shared0[offset9 + 1] * shared1[offset10 + 16] + (shared0[offset9] * shared1[offset10] + value2.s0);
    const float sum1 = shared0[offset9 + 3] * shared1[offset10 + 48] + (shared0[offset9 + 2] * shared1[offset10 + 32] + sum0);
    const float sum2 = shared0[offset9 + 5] * shared1[offset10 + 80] + (shared0[offset9 + 4] * shared1[offset10 + 64] + sum1);
    const float sum3 = shared0[offset9 + 7] * shared1[offset10 + 112] + (shared0[offset9 + 6] * shared1[offset10 + 96] + sum2);
    const float sum4 = shared0[offset9 + 9] * shared1[offset10 + 144] + (shared0[offset9 + 8] * shared1[offset10 + 128] + sum3);
    const float sum5 = shared0[offset9 + 11] * shared1[offset10 + 176] + (shared0[offset9 + 10] * shared1[offset10 + 160] + sum4);
    const float sum6 = shared0[offset9 + 13] * shared1[offset10 + 208] + (shared0[offset9 + 12] * shared1[offset10 + 192] + sum5);
    const float sum7 = shared0[offset9 + 15] * shared1[offset10 + 240] + (shared0[offset9 + 14] * shared1[offset10 + 224] + sum6);
    const float sum8 = shared0[offset11 + 1] * shared1[offset12 + 16] + (shared0[offset11] * shared1[offset12] + value2.s1);
    const float sum9 = shared0[offset11 + 3] * shared1[offset12 + 48] + (shared0[offset11 + 2] * shared1[offset12 + 32] + sum8);
    const float sum10 = shared0[offset11 + 5] * shared1[offset12 + 80] + (shared0[offset11 + 4] * shared1[offset12 + 64] + sum9);
    const float sum11 = shared0[offset11 + 7] * shared1[offset12 + 112] + (shared0[offset11 + 6] * shared1[offset12 + 96] + sum10);
    const float sum12 = shared0[offset11 + 9] * shared1[offset12 + 144] + (shared0[offset11 + 8] * shared1[offset12 + 128] + sum11);
    const float sum13 = shared0[offset11 + 11] * shared1[offset12 + 176] + (shared0[offset11 + 10] * shared1[offset12 + 160] + sum12);
    const float sum14 = shared0[offset11 + 13] * shared1[offset12 + 208] + (shared0[offset11 + 12] * shared1[offset12 + 192] + sum13);
    const float sum15 = shared0[offset11 + 15] * shared1[offset12 + 240] + (shared0[offset11 + 14] * shared1[offset12 + 224] + sum14);
    const float sum16 = shared0[offset13 + 1] * shared1[offset14 + 16] + (shared0[offset13] * shared1[offset14] + value2.s2);
    const float sum17 = shared0[offset13 + 3] * shared1[offset14 + 48] + (shared0[offset13 + 2] * shared1[offset14 + 32] + sum16);
    const float sum18 = shared0[offset13 + 5] * shared1[offset14 + 80] + (shared0[offset13 + 4] * shared1[offset14 + 64] + sum17);
    const float sum19 = shared0[offset13 + 7] * shared1[offset14 + 112] + (shared0[offset13 + 6] * shared1[offset14 + 96] + sum18);
    const float sum20 = shared0[offset13 + 9] * shared1[offset14 + 144] + (shared0[offset13 + 8] * shared1[offset14 + 128] + sum19);
    const float sum21 = shared0[offset13 + 11] * shared1[offset14 + 176] + (shared0[offset13 + 10] * shared1[offset14 + 160] + sum20);
    const float sum22 = shared0[offset13 + 13] * shared1[offset14 + 208] + (shared0[offset13 + 12] * shared1[offset14 + 192] + sum21);
    const float sum23 = shared0[offset13 + 15] * shared1[offset14 + 240] + (shared0[offset13 + 14] * shared1[offset14 + 224] + sum22);
    const float sum24 = shared0[offset15 + 1] * shared1[offset16 + 16] + (shared0[offset15] * shared1[offset16] + value2.s3);
    const float sum25 = shared0[offset15 + 3] * shared1[offset16 + 48] + (shared0[offset15 + 2] * shared1[offset16 + 32] + sum24);
    const float sum26 = shared0[offset15 + 5] * shared1[offset16 + 80] + (shared0[offset15 + 4] * shared1[offset16 + 64] + sum25);
    const float sum27 = shared0[offset15 + 7] * shared1[offset16 + 112] + (shared0[offset15 + 6] * shared1[offset16 + 96] + sum26);
    const float sum28 = shared0[offset15 + 9] * shared1[offset16 + 144] + (shared0[offset15 + 8] * shared1[offset16 + 128] + sum27);
    const float sum29 = shared0[offset15 + 11] * shared1[offset16 + 176] + (shared0[offset15 + 10] * shared1[offset16 + 160] + sum28);
    const float sum30 = shared0[offset15 + 13] * shared1[offset16 + 208] + (shared0[offset15 + 12] * shared1[offset16 + 192] + sum29);
    const float sum31 = shared0[offset15 + 15] * shared1[offset16 + 240] + (shared0[offset15 + 14] * shared1[offset16 + 224] + sum30);
    *(__global float4 *)(out0 + offset17) = (float4)(sum7, sum15, sum23, sum31);
}
