#pragma OPENCL FP_CONTRACT ON

inline float4 mma_m16n8k16_bf16(const float8 a, const float4 b, const float4 c) {
    float d0, d1, d2, d3;
    asm volatile(
        "{\n"
        ".reg .b32 a0, a1, a2, a3, b0, b1;\n"
        "cvt.rn.bf16x2.f32 a0, %5, %4;\n"
        "cvt.rn.bf16x2.f32 a1, %7, %6;\n"
        "cvt.rn.bf16x2.f32 a2, %9, %8;\n"
        "cvt.rn.bf16x2.f32 a3, %11, %10;\n"
        "cvt.rn.bf16x2.f32 b0, %13, %12;\n"
        "cvt.rn.bf16x2.f32 b1, %15, %14;\n"
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {a0, a1, a2, a3}, {b0, b1}, {%16, %17, %18, %19};\n"
        "}\n"
        : "=f"(d0), "=f"(d1), "=f"(d2), "=f"(d3)
        : "f"(a.s0), "f"(a.s1), "f"(a.s2), "f"(a.s3), "f"(a.s4), "f"(a.s5), "f"(a.s6), "f"(a.s7), "f"(b.s0), "f"(b.s1), "f"(b.s2), "f"(b.s3), "f"(c.s0), "f"(c.s1), "f"(c.s2), "f"(c.s3));
    return (float4)(d0, d1, d2, d3);
}

// kernel_matrices: out0[128] from in0[512], in1[256], in2[128]; 32 work-items in groups of 32
__attribute__((reqd_work_group_size(32, 1, 1))) __kernel void kernel_matrices(__global const ushort *restrict in0, __global const ushort *restrict in1, __global const float *restrict in2, __global float *out0) {
    const int lid0 = get_local_id(0);
    const int offset0 = lid0 * 4;
    float4 acc0 = (float4)(0.0f);
    for (int k0 = 0; k0 < 2; k0++) {
        const int offset1 = lid0 * 8 + k0 * 256;
        const int offset2 = offset0 + k0 * 128;
        const float4 value0 = mma_m16n8k16_bf16(as_float8(convert_uint8(*(__global const ushort8 *)(in0 + offset1)) << 16), as_float4(convert_uint4(*(__global const ushort4 *)(in1 + offset2)) << 16), acc0);
        acc0 = value0;
    }
    *(__global float4 *)(out0 + offset0) = acc0 + *(__global const float4 *)(in2 + offset0);
}
