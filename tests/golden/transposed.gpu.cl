#pragma OPENCL FP_CONTRACT ON

// kernel_transposed: out0[128] from in0[128]; 2 work-items in groups of 1
__kernel void kernel_transposed(__global float *out0, __global const float *restrict in0) {
    const int gid0 = get_global_id(0);
    for (int i0 = 0; i0 < 1; i0++) {
        const int offset0 = gid0 * 64 + i0 * 8;
        const int offset1 = gid0 * 8 + i0 * 128;
        const float8 value0 = (float8)(*(__global const float4 *)(in0 + offset1), *(__global const float4 *)(in0 + offset1 + 4));
        const float8 value1 = (float8)(*(__global const float4 *)(in0 + offset1 + 64), *(__global const float4 *)(in0 + offset1 + 64 + 4));
        const float8 vector0 = (float8)(value0.s0, value0.s1, value0.s2, value0.s3, value1.s0, value1.s1, value1.s2, value1.s3);
        const float8 value2 = (float8)(*(__global const float4 *)(in0 + offset1 + 32), *(__global const float4 *)(in0 + offset1 + 32 + 4));
        const float8 value3 = (float8)(*(__global const float4 *)(in0 + offset1 + 96), *(__global const float4 *)(in0 + offset1 + 96 + 4));
        const float8 vector1 = (float8)(value2.s0, value2.s1, value2.s2, value2.s3, value3.s0, value3.s1, value3.s2, value3.s3);
        const float8 vector2 = (float8)(vector0.s0, vector1.s0, vector0.s1, vector1.s1, vector0.s4, vector1.s4, vector0.s5, vector1.s5);
        const float8 value4 = (float8)(*(__global const float4 *)(in0 + offset1 + 16), *(__global const float4 *)(in0 + offset1 + 16 + 4));
        const float8 value5 = (float8)(*(__global const float4 *)(in0 + offset1 + 80), *(__global const float4 *)(in0 + offset1 + 80 + 4));
        const float8 vector3 = (float8)(value4.s0, value4.s1, value4.s2, value4.s3, value5.s0, value5.s1, value5.s2, value5.s3);
        const float8 value6 = (float8)(*(__global const float4 *)(in0 + offset1 + 48), *(__global const float4 *)(in0 + offset1 + 48 + 4));
        const float8 value7 = (float8)(*(__global const float4 *)(in0 + offset1 + 112), *(__global const float4 *)(in0 + offset1 + 112 + 4));
        const float8 vector4 = (float8)(value6.s0, value6.s1, value6.s2, value6.s3, value7.s0, value7.s1, value7.s2, value7.s3);
        const float8 vector5 = (float8)(vector3.s0, vector4.s0, vector3.s1, vector4.s1, vector3.s4, vector4.s4, vector3.s5, vector4.s5);
        vstore8((float8)(vector2.s0, vector5.s0, vector2.s1, vector5.s1, vector2.s4, vector5.s4, vector2.s5, vector5.s5), 0, out0 + offset0);
        vstore8((float8)(vector2.s2, vector5.s2, vector2.s3, vector5.s3, vector2.s6, vector5.s6, vector2.s7, vector5.s7), 0, out0 + offset0 + 8);
        const float8 vector6 = (float8)(vector0.s2, vector1.s2, vector0.s3, vector1.s3, vector0.s6, vector1.s6, vector0.s7, vector1.s7);
        const float8 vector7 = (float8)(vector3.s2, vector4.s2, vector3.s3, vector4.s3, vector3.s6, vector4.s6, vector3.s7, vector4.s7);
        vstore8((float8)(vector6.s0, vector7.s0, vector6.s1, vector7.s1, vector6.s4, vector7.s4, vector6.s5, vector7.s5), 0, out0 + offset0 + 16);
        vstore8((float8)(vector6.s2, vector7.s2, vector6.s3, vector7.s3, vector6.s6, vector7.s6, vector6.s7, vector7.s7), 0, out0 + offset0 + 24);
        const float8 vector8 = (float8)(value0.s4, value0.s5, value0.s6, value0.s7, value1.s4, value1.s5, value1.s6, value1.s7);
        const float8 vector9 = (float8)(value2.s4, value2.s5, value2.s6, value2.s7, value3.s4, value3.s5, value3.s6, value3.s7);
        const float8 vector10 = (float8)(vector8.s0, vector9.s0, vector8.s1, vector9.s1, vector8.s4, vector9.s4, vector8.s5, vector9.s5);
        const float8 vector11 = (float8)(value4.s4, value4.s5, value4.s6, value4.s7, value5.s4, value5.s5, value5.s6, value5.s7);
        const float8 vector12 = (float8)(value6.s4, value6.s5, value6.s6, value6.s7, value7.s4, value7.s5, value7.s6, value7.s7);
        const float8 vector13 = (float8)(vector11.s0, vector12.s0, vector11.s1, vector12.s1, vector11.s4, vector12.s4, vector11.s5, vector12.s5);
        vstore8((float8)(vector10.s0, vector13.s0, vector10.s1, vector13.s1, vector10.s4, vector13.s4, vector10.s5, vector13.s5), 0, out0 + offset0 + 32);
        vstore8((float8)(vector10.s2, vector13.s2, vector10.s3, vector13.s3, vector10.s6, vector13.s6, vector10.s7, vector13.s7), 0, out0 + offset0 + 40);
        const float8 vector14 = (float8)(vector8.s2, vector9.s2, vector8.s3, vector9.s3, vector8.s6, vector9.s6, vector8.s7, vector9.s7);
        const float8 vector15 = (float8)(vector11.s2, vector12.s2, vector11.s3, vector12.s3, vector11.s6, vector12.s6, vector11.s7, vector12.s7);
        vstore8((float8)(vector14.s0, vector15.s0, vector14.s1, vector15.s1, vector14.s4, vector15.s4, vector14.s5, vector15.s5), 0, out0 + offset0 + 48);
        vstore8((float8)(vector14.s2, vector15.s2, vector14.s3, vector15.s3, vector14.s6, vector15.s6, vector14.s7, vector15.s7), 0, out0 + offset0 + 56);
    }
}
