#pragma OPENCL FP_CONTRACT ON

// drawn_up: out0[4] from in0[64]; 4 work-items in groups of 1
__kernel void drawn_up(__global float *out0, __global const float *in0, const long n_) {
    const long gid0 = get_global_id(0);
    float acc0 = 0.0f;
    for (long k0 = 0; k0 < n_; k0++) {
        acc0 = acc0 + in0[gid0 * 16 + k0];
    }
    out0[gid0] = acc0;
}
