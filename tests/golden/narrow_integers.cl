#pragma OPENCL FP_CONTRACT ON

// kernel_elementwise: out0[64], out1[64] from in0[64], in1[64]; 64 work-items in groups of 4
__kernel void kernel_elementwise(__global char *out0, __global char *out1, __global const char *in0, __global const char *in1) {
    const long gid0 = get_global_id(0);
    const char value0 = in0[gid0];
    const char value1 = in1[gid0];
    out0[gid0] = (char)((uint)value0 * (uint)value1);
    out1[gid0] = min(value0, value1);
}
