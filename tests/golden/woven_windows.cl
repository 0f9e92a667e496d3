#pragma OPENCL FP_CONTRACT ON

typedef float float4_unaligned __attribute__((ext_vector_type(4), aligned(4)));

// kernel_woven: out0[48] from in0[48]; 3 work-items in groups of 1
__kernel void kernel_woven(__global float *out0, __global const float *in0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 16;
    const long offset1 = gid0 * 8;
    const float4 choice0 = true ? (float4)(1.0f) : *(__global float4_unaligned *)(in0 + offset1);
    const float4 choice1 = false ? (float4)(1.0f) : *(__global float4_unaligned *)(in0 + offset1 + 24);
    *(__global float4_unaligned *)(out0 + offset0) = (float4)(__builtin_shufflevector(choice0, choice1, 0, 4, 1, 5));
    *(__global float4_unaligned *)(out0 + offset0 + 4) = (float4)(__builtin_shufflevector(choice0, choice1, 2, 6, 3, 7));
    const float4 choice2 = true ? (float4)(1.0f) : *(__global float4_unaligned *)(in0 + offset1 + 4);
    const float4 choice3 = false ? (float4)(1.0f) : *(__global float4_unaligned *)(in0 + offset1 + 28);
    *(__global float4_unaligned *)(out0 + offset0 + 8) = (float4)(__builtin_shufflevector(choice2, choice3, 0, 4, 1, 5));
    *(__global float4_unaligned *)(out0 + offset0 + 12) = (float4)(__builtin_shufflevector(choice2, choice3, 2, 6, 3, 7));
}
