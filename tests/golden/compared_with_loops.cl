#pragma OPENCL FP_CONTRACT ON

#define convert_long4(x) __builtin_convertvector(x, long4)
#define convert_int4(x) __builtin_convertvector(x, int4)

typedef int int4_unaligned __attribute__((ext_vector_type(4), aligned(4)));
typedef float float4_unaligned __attribute__((ext_vector_type(4), aligned(4)));

// kernel_compared: out0[16] from in0[16], in1[6]; 4 work-items in groups of 1
__kernel void kernel_compared(__global float *out0, __global const int *in0, __global const float *in1) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    const int4 value0 = *(__global int4_unaligned *)(in0 + offset0);
    float4 acc0 = (float4)(0.0f);
    for (long k0 = 0; k0 < 6; k0++) {
        const float value1 = in1[k0];
        acc0 = acc0 + (convert_int4(k0 < convert_long4(value0)) ? (float4)(value1) : (float4)(0.0f));
    }
    *(__global float4_unaligned *)(out0 + offset0) = acc0;
}
