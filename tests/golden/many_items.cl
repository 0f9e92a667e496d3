#pragma OPENCL FP_CONTRACT ON

// kernel_many: out0[720] from in0[720]; 6 x 5 x 24 work-items in groups of 6 x 5 x 1
__kernel void kernel_many(__global float *out0, __global const float *in0) {
    const long gid0 = get_global_id(0);
    const long gid1 = get_global_id(1);
    const long gid2 = get_global_id(2);
    const long offset0 = gid2 / 4;
    const long offset1 = offset0 / 3 * 360 + offset0 % 3 * 120 + gid2 % 4 * 30 + gid1 * 6 + gid0;
    const float value0 = in0[offset1];
    out0[offset1] = value0 + value0;
}
