#pragma OPENCL FP_CONTRACT ON

// kernel_woven: out0[72] from in0[72]; 3 work-items in groups of 1
__kernel void kernel_woven(__global float *out0, __global const float *restrict in0) {
    const int gid0 = get_global_id(0);
    const int offset0 = gid0 * 24;
    const int offset1 = gid0 * 8;
    const float8 value0 = (float8)(*(__global const float4 *)(in0 + offset1), *(__global const float4 *)(in0 + offset1 + 4));
    const float8 value1 = (float8)(*(__global const float4 *)(in0 + offset1 + 24), *(__global const float4 *)(in0 + offset1 + 24 + 4));
    const float8 vector0 = (float8)(value0.s0, value1.s0, value1.s0, value0.s1, value1.s1, value1.s1, value0.s2, value1.s2);
    const float8 value2 = (float8)(*(__global const float4 *)(in0 + offset1 + 48), *(__global const float4 *)(in0 + offset1 + 48 + 4));
    vstore8((float8)(vector0.s0, vector0.s1, value2.s0, vector0.s3, vector0.s4, value2.s1, vector0.s6, vector0.s7), 0, out0 + offset0);
    const float8 vector1 = (float8)(value1.s2, value0.s3, value1.s3, value1.s3, value0.s4, value1.s4, value1.s4, value0.s5);
    vstore8((float8)(value2.s2, vector1.s1, vector1.s2, value2.s3, vector1.s4, vector1.s5, value2.s4, vector1.s7), 0, out0 + offset0 + 8);
    const float8 vector2 = (float8)(value1.s5, value1.s5, value0.s6, value1.s6, value1.s6, value0.s7, value1.s7, value1.s7);
    vstore8((float8)(vector2.s0, value2.s5, vector2.s2, vector2.s3, value2.s6, vector2.s5, vector2.s6, value2.s7), 0, out0 + offset0 + 16);
}
