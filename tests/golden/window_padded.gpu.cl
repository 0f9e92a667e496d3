#pragma OPENCL FP_CONTRACT ON

// kernel_window: out0[96] from in0[96], in1[3]; 4 work-items in groups of 1
__kernel void kernel_window(__global float *out0, __global const float *restrict in0, __global const float *restrict in1) {
    const long gid0 = get_global_id(0);
    const float value0 = in1[0];
    const float value1 = in1[1];
    const float value2 = in1[2];
    for (long i0 = 0; i0 < 3; i0++) {
        const long offset0 = i0 * 8;
        const long offset1 = gid0 * 24 + offset0;
        const long offset2 = offset0 - 1;
        const int converted0 = (int)(offset2 * -1 - 1);
        const long offset3 = i0 * -8;
        const int converted1 = (int)((offset3 + 24) * -1 - 1);
        const int8 condition0 = (converted0 < (int8)(0, 1, 2, 3, 4, 5, 6, 7)) & (converted1 < (int8)(0, -1, -2, -3, -4, -5, -6, -7));
        const long offset4 = offset1 - 1;
        const float value3 = in0[offset1];
        const long offset5 = offset1 + 1;
        const float value4 = in0[offset5];
        const float value5 = in0[offset1 + 2];
        const float value6 = in0[offset1 + 3];
        const float value7 = in0[offset1 + 4];
        const float value8 = in0[offset1 + 5];
        const float value9 = in0[offset1 + 6];
        const float8 value10 = (ulong)offset4 < 89uL ? vload8(0, in0 + offset4) : (float8)(offset2 >= 0 ? in0[offset4] : 0.0f, value3, value4, value5, value6, value7, value8, value9);
        const int converted2 = (int)(offset0 * -1 - 1);
        const int converted3 = (int)((offset3 + 23) * -1 - 1);
        const int8 condition1 = (converted2 < (int8)(0, 1, 2, 3, 4, 5, 6, 7)) & (converted3 < (int8)(0, -1, -2, -3, -4, -5, -6, -7));
        const float value11 = in0[offset1 + 7];
        const float8 value12 = (ulong)offset1 < 89uL ? vload8(0, in0 + offset1) : (float8)(value3, value4, value5, value6, value7, value8, value9, value11);
        const float8 sum0 = (condition0 ? value10 : (float8)(0.0f)) * value0 + (condition1 ? value12 : (float8)(0.0f)) * value1;
        const int converted4 = (int)((offset0 + 1) * -1 - 1);
        const int converted5 = (int)((offset3 + 22) * -1 - 1);
        const int8 condition2 = (converted4 < (int8)(0, 1, 2, 3, 4, 5, 6, 7)) & (converted5 < (int8)(0, -1, -2, -3, -4, -5, -6, -7));
        const float8 value13 = (ulong)offset5 < 89uL ? vload8(0, in0 + offset5) : (float8)(value4, value5, value6, value7, value8, value9, value11, offset0 + 8 < 24 ? in0[offset1 + 8] : 0.0f);
        vstore8(sum0 + (condition2 ? value13 : (float8)(0.0f)) * value2 + 0.0f, 0, out0 + offset1);
    }
}
