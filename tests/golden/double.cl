#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT ON

typedef double double4_unaligned __attribute__((ext_vector_type(4), aligned(8)));

// kernel_elementwise: out0[64] from in0[64]; 16 work-items in groups of 1
__kernel void kernel_elementwise(__global double *out0, __global const double *in0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global double4_unaligned *)(out0 + offset0) = sqrt(*(__global double4_unaligned *)(in0 + offset0)) + 0.1;
}
