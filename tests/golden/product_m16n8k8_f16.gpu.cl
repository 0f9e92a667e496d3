#pragma OPENCL FP_CONTRACT ON

inline float2 float_of_half2(const ushort2 bits) {
    return vload_half2(0, (const half *)&bits);
}
inline float4 float_of_half4(const ushort4 bits) {
    return vload_half4(0, (const half *)&bits);
}

inline float4 half_value_ushort4(const ushort4 bits) { return float_of_half4(bits); }

inline float2 half_value_ushort2(const ushort2 bits) { return float_of_half2(bits); }

// kernel_matrices: out0[128] from in0[128], in1[64], in2[128]; 32 work-items in groups of 32
__attribute__((reqd_work_group_size(32, 1, 1))) __kernel void kernel_matrices(__global const ushort *restrict in0, __global const ushort *restrict in1, __global const float *restrict in2, __global float *out0) {
    __local float shared1[64] __attribute__((aligned(16)));
    __local float shared0[128] __attribute__((aligned(16)));
    const int lid0 = get_local_id(0);
    const int offset0 = lid0 % 32;
    const int offset1 = offset0 % 4;
    const int offset2 = offset0 / 4;
    const int offset3 = offset1 * 2 + offset2 * 8;
    const int offset4 = offset3 + 1;
    const int offset5 = offset3 + 64;
    const int offset6 = offset3 + 65;
    const int offset7 = offset1 * 16 + offset2;
    const int offset8 = lid0 / 32;
    const int offset9 = offset8 * 128;
    const int offset10 = offset3 / 8 * 8 + offset9;
    const int offset11 = offset4 / 8 * 8 + offset9;
    const int offset12 = offset5 / 8 * 8 + offset9;
    const int offset13 = offset6 / 8 * 8 + offset9;
    const int offset14 = offset8 * 64;
    const int offset15 = offset3 % 8 + offset14;
    const int offset16 = offset4 % 8 + offset14;
    const int offset17 = offset5 % 8 + offset14;
    const int offset18 = offset6 % 8 + offset14;
    const int offset19 = lid0 * 4;
    const float4 value0 = half_value_ushort4(*(__global const ushort4 *)(in0 + offset19));
    const int offset20 = lid0 * 2;
    const float2 value1 = half_value_ushort2(*(__global const ushort2 *)(in1 + offset20));
    const float4 value2 = *(__global const float4 *)(in2 + offset19);
    shared0[offset3 + offset9] = value0.s0;
    shared0[offset4 + offset9] = value0.s1;
    shared0[offset5 + offset9] = value0.s2;
    shared0[offset6 + offset9] = value0.s3;
    shared1[offset7 + offset14] = value1.s0;
    shared1[offset7 + 8 + offset14] = value1.s1;
    barrier(CLK_LOCAL_MEM_FENCE);
    const float sum0 = shared0[offset10 + 1] * shared1[offset15 + 8] + (shared0[offset10] * shared1[offset15] + value2.s0);
    const float sum1 = shared0[offset10 + 3] * shared1[offset15 + 24] + (shared0[offset10 + 2] * shared1[offset15 + 16] + sum0);
    const float sum2 = shared0[offset10 + 5] * shared1[offset15 + 40] + (shared0[offset10 + 4] * shared1[offset15 + 32] + sum1);
    const float sum3 = shared0[offset10 + 7] * shared1[offset15 + 56] + (shared0[offset10 + 6] * shared1[offset15 + 48] + sum2);
    const float sum4 = shared0[offset11 + 1] * shared1[offset16 + 8] + (shared0[offset11] * shared1[offset16] + value2.s1);
    const float sum5 = shared0[offset11 + 3] * shared1[offset16 + 24] + (shared0[offset11 + 2] * shared1[offset16 + 16] + sum4);
    const float sum6 = shared0[offset11 + 5] * shared1[offset16 + 40] + (shared0[offset11 + 4] * shared1[offset16 + 32] + sum5);
    const float sum7 = shared0[offset11 + 7] * shared1[offset16 + 56] + (shared0[offset11 + 6] * shared1[offset16 + 48] + sum6);
    const float sum8 = shared0[offset12 + 1] * shared1[offset17 + 8] + (shared0[offset12] * shared1[offset17] + value2.s2);
    const float sum9 = shared0[offset12 + 3] * shared1[offset17 + 24] + (shared0[offset12 + 2] * shared1[offset17 + 16] + sum8);
    const float sum10 = shared0[offset12 + 5] * shared1[offset17 + 40] + (shared0[offset12 + 4] * shared1[offset17 + 32] + sum9);
    const float sum11 = shared0[offset12 + 7] * shared1[offset17 + 56] + (shared0[offset12 + 6] * shared1[offset17 + 48] + sum10);
    const float sum12 = shared0[offset13 + 1] * shared1[offset18 + 8] + (shared0[offset13] * shared1[offset18] + value2.s3);
    const float sum13 = shared0[offset13 + 3] * shared1[offset18 + 24] + (shared0[offset13 + 2] * shared1[offset18 + 16] + sum12);
    const float sum14 = shared0[offset13 + 5] * shared1[offset18 + 40] + (shared0[offset13 + 4] * shared1[offset18 + 32] + sum13);
    const float sum15 = shared0[offset13 + 7] * shared1[offset18 + 56] + (shared0[offset13 + 6] * shared1[offset18 + 48] + sum14);
    *(__global float4 *)(out0 + offset19) = (float4)(sum3, sum7, sum11, sum15);
}
