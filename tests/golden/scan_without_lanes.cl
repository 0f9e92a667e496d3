#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT ON

// row_scan: out0[288] from in0[288]; 3 work-items in groups of 1
__kernel void row_scan(__global double *out0, __global const double *in0) {
    const long gid0 = get_global_id(0);
    double acc0 = 0.0;
    for (long i0 = 0; i0 < 96; i0++) {
        const double value0 = acc0;
        const long offset0 = gid0 * 96 + i0;
        acc0 = value0 + in0[offset0];
        out0[offset0] = value0;
    }
}
