#pragma OPENCL FP_CONTRACT ON

inline float maximum_float(const float a, const float b) { const float c = a < b ? b : a; return b == b ? c : b; }

// kernel_elementwise: out0[1000], out1[1000] from in0[1000], in1[1000]; 1000 work-items in groups of 50
__kernel void kernel_elementwise(__global float *out0, __global float *out1, __global const float *in0, __global const float *in1) {
    const long gid0 = get_global_id(0);
    const float value0 = in0[gid0];
    const float value1 = in1[gid0];
    out0[gid0] = value0 * value1 + value0;
    out1[gid0] = maximum_float(value0, value1);
}
