#pragma OPENCL FP_CONTRACT ON

inline float4 mma_m16n8k8_tf32(const float4 a, const float2 b, const float4 c) {
    float d0, d1, d2, d3;
    asm volatile(
        "{\n"
        ".reg .b32 a0, a1, a2, a3, b0, b1;\n"
        "cvt.rna.tf32.f32 a0, %4;\n"
        "cvt.rna.tf32.f32 a1, %5;\n"
        "cvt.rna.tf32.f32 a2, %6;\n"
        "cvt.rna.tf32.f32 a3, %7;\n"
        "cvt.rna.tf32.f32 b0, %8;\n"
        "cvt.rna.tf32.f32 b1, %9;\n"
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {a0, a1, a2, a3}, {b0, b1}, {%10, %11, %12, %13};\n"
        "}\n"
        : "=f"(d0), "=f"(d1), "=f"(d2), "=f"(d3)
        : "f"(a.s0), "f"(a.s1), "f"(a.s2), "f"(a.s3), "f"(b.s0), "f"(b.s1), "f"(c.s0), "f"(c.s1), "f"(c.s2), "f"(c.s3));
    return (float4)(d0, d1, d2, d3);
}

// kernel_matrices: out0[128] from in0[384], in1[192], in2[128]; 32 work-items in groups of 32
__attribute__((reqd_work_group_size(32, 1, 1))) __kernel void kernel_matrices(__global const float *restrict in0, __global const float *restrict in1, __global const float *restrict in2, __global float *out0) {
    const int lid0 = get_local_id(0);
    const int offset0 = lid0 * 4;
    float4 acc0 = (float4)(0.0f);
    for (int k0 = 0; k0 < 3; k0++) {
        const int offset1 = offset0 + k0 * 128;
        const int offset2 = lid0 * 2 + k0 * 64;
        const float4 value0 = mma_m16n8k8_tf32(*(__global const float4 *)(in0 + offset1), *(__global const float2 *)(in1 + offset2), acc0);
        acc0 = value0;
    }
    *(__global float4 *)(out0 + offset0) = acc0 + *(__global const float4 *)(in2 + offset0);
}
