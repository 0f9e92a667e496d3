#pragma OPENCL FP_CONTRACT ON

// kernel_window: out0[96] from in0[96], in1[3]; 4 work-items in groups of 1
__kernel void kernel_window(__global float *out0, __global const float *restrict in0, __global const float *restrict in1) {
    const int gid0 = get_global_id(0);
    const float2 value0 = *(__global const float2 *)(in1);
    const float value1 = in1[2];
    for (int i0 = 0; i0 < 3; i0++) {
        const int offset0 = i0 * 8;
        const int offset1 = gid0 * 24 + offset0;
        const int offset2 = offset0 - 1;
        const int converted0 = offset2 * -1 - 1;
        const int offset3 = i0 * -8;
        const int converted1 = (offset3 + 24) * -1 - 1;
        const int8 condition0 = (converted0 < (int8)(0, 1, 2, 3, 4, 5, 6, 7)) & (converted1 < (int8)(0, -1, -2, -3, -4, -5, -6, -7));
        const int offset4 = offset1 - 1;
        const float4 value2 = *(__global const float4 *)(in0 + offset1);
        const float4 value3 = *(__global const float4 *)(in0 + offset1 + 4);
        const float8 value4 = (uint)offset4 < 89u ? vload8(0, in0 + offset4) : (float8)(offset2 >= 0 ? in0[offset4] : 0.0f, value2.s0, value2.s1, value2.s2, value2.s3, value3.s0, value3.s1, value3.s2);
        const int converted2 = offset0 * -1 - 1;
        const int converted3 = (offset3 + 23) * -1 - 1;
        const int8 condition1 = (converted2 < (int8)(0, 1, 2, 3, 4, 5, 6, 7)) & (converted3 < (int8)(0, -1, -2, -3, -4, -5, -6, -7));
        const float8 value5 = (uint)offset1 < 89u ? (float8)(*(__global const float4 *)(in0 + offset1), *(__global const float4 *)(in0 + offset1 + 4)) : (float8)(value2.s0, value2.s1, value2.s2, value2.s3, value3.s0, value3.s1, value3.s2, value3.s3);
        const float8 sum0 = (condition0 ? value4 : (float8)(0.0f)) * value0.s0 + (condition1 ? value5 : (float8)(0.0f)) * value0.s1;
        const int converted4 = (offset0 + 1) * -1 - 1;
        const int converted5 = (offset3 + 22) * -1 - 1;
        const int8 condition2 = (converted4 < (int8)(0, 1, 2, 3, 4, 5, 6, 7)) & (converted5 < (int8)(0, -1, -2, -3, -4, -5, -6, -7));
        const int offset5 = offset1 + 1;
        const float8 value6 = (uint)offset5 < 89u ? vload8(0, in0 + offset5) : (float8)(value2.s1, value2.s2, value2.s3, value3.s0, value3.s1, value3.s2, value3.s3, offset0 + 8 < 24 ? in0[offset1 + 8] : 0.0f);
        vstore8(sum0 + (condition2 ? value6 : (float8)(0.0f)) * value1 + 0.0f, 0, out0 + offset1);
    }
}
