#pragma OPENCL FP_CONTRACT ON

inline float maximum_float(const float a, const float b) { const float c = a < b ? b : a; return b == b ? c : b; }

// kernel_nested: out0[4] from in0[60], in1[4], in2[3]; 4 work-items in groups of 1
__kernel void kernel_nested(__global float *out0, __global const float *in0, __global const float *in1, __global const float *in2) {
    const long gid0 = get_global_id(0);
    const float root0 = sqrt(in1[gid0]);
    float acc0 = 0.0f;
    float acc1 = 0.0f;
    for (long k0 = 0; k0 < 3; k0++) {
        float acc2 = -INFINITY;
        for (long k1 = 0; k1 < 5; k1++) {
            acc2 = maximum_float(acc2, in0[gid0 * 15 + k0 * 5 + k1]);
        }
        acc0 = acc0 + acc2 * root0;
        acc1 = acc1 + in2[k0];
    }
    out0[gid0] = acc0 / acc1;
}
