// kernel: RANGE(GLOBAL); expanded: RANGE(GLOBAL); kernel: RANGE(THREAD); expanded: RANGE(THREAD)
// form: out0[8] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = in0[gid0] * 2.0f;
}

// kernel: RANGE(LOCAL); expanded: RANGE(LOCAL); kernel: RANGE(WARP); expanded: RANGE(WARP)
// form: out0[8] from in0[16]; 8 work-items in groups of 8
__kernel void form(__global const float *in0, __global float *out0) {
    const long lid0 = get_local_id(0);
    out0[lid0] = in0[lid0] * 2.0f;
}

// kernel: RANGE(LOOP); expanded: RANGE(LOOP); kernel: RANGE(PLACEHOLDER); expanded: RANGE(PLACEHOLDER)
// form: out0[8] from in0[16]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = in0[i0] * 2.0f;
    }
}

// kernel: RANGE(UNROLL)
// form: out0[8] from in0[16]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    out0[0] = in0[0] * 2.0f;
    out0[1] = in0[1] * 2.0f;
    out0[2] = in0[2] * 2.0f;
    out0[3] = in0[3] * 2.0f;
    out0[4] = in0[4] * 2.0f;
    out0[5] = in0[5] * 2.0f;
    out0[6] = in0[6] * 2.0f;
    out0[7] = in0[7] * 2.0f;
}

// kernel: RANGE(UPCAST); kernel: RANGE(UPCAST) of 8
// form: out0[8] from in0[16]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    *(__global float8_unaligned *)(out0) = *(__global float8_unaligned *)(in0) * 2.0f;
}

// kernel: RANGE(UPCAST) of 2
// form: out0[2] from in0[16]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    *(__global float2_unaligned *)(out0) = *(__global float2_unaligned *)(in0) * 2.0f;
}

// kernel: REDUCE over UPCAST of 2
// form: out0[8] from in0[16]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const float2 value0 = *(__global float2_unaligned *)(in0);
    out0[0] = value0.s0 + value0.s1 + 0.0f;
}

// kernel: RANGE(UPCAST) of 3
// form: out0[3] from in0[16]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    vstore3(vload3(0, in0) * 2.0f, 0, out0);
}

// kernel: REDUCE over UPCAST of 3
// form: out0[8] from in0[16]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const float3 value0 = vload3(0, in0);
    out0[0] = value0.s0 + value0.s1 + value0.s2 + 0.0f;
}

// kernel: RANGE(UPCAST) of 4
// form: out0[4] from in0[16]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    *(__global float4_unaligned *)(out0) = *(__global float4_unaligned *)(in0) * 2.0f;
}

// kernel: REDUCE over UPCAST of 4
// form: out0[8] from in0[16]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const float4 value0 = *(__global float4_unaligned *)(in0);
    const float2 sum0 = value0.lo + value0.hi;
    out0[0] = sum0.s0 + sum0.s1 + 0.0f;
}

// kernel: REDUCE over UPCAST of 8
// form: out0[8] from in0[16]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const float8 value0 = *(__global float8_unaligned *)(in0);
    const float4 sum0 = value0.lo + value0.hi;
    const float2 sum1 = sum0.lo + sum0.hi;
    out0[0] = sum1.s0 + sum1.s1 + 0.0f;
}

// kernel: RANGE(UPCAST) of 16
// form: out0[16] from in0[16]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    *(__global float16_unaligned *)(out0) = *(__global float16_unaligned *)(in0) * 2.0f;
}

// kernel: REDUCE over UPCAST of 16
// form: out0[8] from in0[16]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const float16 value0 = *(__global float16_unaligned *)(in0);
    const float8 sum0 = value0.lo + value0.hi;
    const float4 sum1 = sum0.lo + sum0.hi;
    const float2 sum2 = sum1.lo + sum1.hi;
    out0[0] = sum2.s0 + sum2.s1 + 0.0f;
}

// expanded: REDUCE over REDUCE; kernel: REDUCE over REDUCE; kernel: REDUCE(ADD); expanded: REDUCE(ADD)
// form: out0[8] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    float acc0 = 0.0f;
    for (long k0 = 0; k0 < 2; k0++) {
        acc0 = acc0 + in0[gid0 * 2 + k0];
    }
    out0[gid0] = acc0;
}

// kernel: REDUCE over GROUP_REDUCE; kernel: REDUCE over WARP
// form: out0[8] from in0[16]; 16 work-items in groups of 2
__kernel void form(__global const float *in0, __global float *out0) {
    __local float shared0[2];
    const long gidx0 = get_group_id(0);
    const long lid0 = get_local_id(0);
    shared0[lid0] = in0[gidx0 * 2 + lid0];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid0 < 1) out0[gidx0] = shared0[0] + shared0[1];
}

// kernel: REDUCE over UPCAST
// form: out0[8] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const float2 value0 = *(__global float2_unaligned *)(in0 + gid0 * 2);
    out0[gid0] = value0.s0 + value0.s1 + 0.0f;
}

// kernel: REDUCE over UNROLL
// form: out0[8] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 2;
    out0[gid0] = in0[offset0] + in0[offset0 + 1] + 0.0f;
}

// kernel: RANGE(LOOP) inside RANGE(GLOBAL); expanded: RANGE(LOOP) inside RANGE(GLOBAL); kernel: END of several ranges; expanded: END of several ranges; kernel: RANGE with ranges that it lies in; expanded: RANGE with ranges that it lies in
// form: out0[16] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    for (long i0 = 0; i0 < 2; i0++) {
        const long offset0 = gid0 * 2 + i0;
        out0[offset0] = in0[offset0];
    }
}

// kernel: INDEX, LOAD, STORE; expanded: INDEX, LOAD, STORE; kernel: LOAD(BUFFER, INDEX); expanded: LOAD(BUFFER, INDEX); expanded: DEFINE_GLOBAL; kernel: NOOP of a value; expanded: NOOP of a value; kernel: SPECIAL(gid); expanded: SPECIAL(gid)
// form: out0[8] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = in0[gid0];
}

// kernel: LOAD(INDEX with a gate, alternative); expanded: LOAD(INDEX with a gate, alternative); kernel: LOAD(BUFFER, INDEX, alternative); expanded: LOAD(BUFFER, INDEX, alternative)
// form: out0[8] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = gid0 < 3 ? in0[gid0] : 7.0f;
}

// kernel: STORE to an INDEX with a gate; expanded: STORE to an INDEX with a gate
// form: out0[8] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    if (gid0 < 3) out0[gid0] = in0[gid0];
}

// kernel: INDEX of several dimensions of a RESHAPE
// form: out0[8] from in0[16]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    for (long i0 = 0; i0 < 4; i0++) {
        out0[gid0 * 4 + i0] = in0[gid0 + i0 * 4 + 2] * 2.0f;
    }
}

// expanded: INDEX of several dimensions of a RESHAPE
// form: out0[8] from in0[16]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    for (long i0 = 0; i0 < 4; i0++) {
        out0[gid0 * 4 + i0] = in0[i0 * 4 + 1L * 2L + gid0] * 2.0f;
    }
}

// kernel: INDEX of several dimensions with a gate
// form: out0[8] from in0[16]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    for (long i0 = 0; i0 < 4; i0++) {
        const bool condition0 = i0 < gid0 + 2;
        if (condition0) out0[gid0 * 4 + i0] = condition0 ? in0[gid0 + i0 * 4 + 2] : 7.0f;
    }
}

// expanded: INDEX of several dimensions with a gate
// form: out0[8] from in0[16]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    for (long i0 = 0; i0 < 4; i0++) {
        const bool condition0 = i0 < gid0 + 2;
        if (condition0) out0[gid0 * 4 + i0] = condition0 ? in0[i0 * 4 + 1L * 2L + gid0] : 7.0f;
    }
}

// kernel: INDEX of several dimensions, out of bounds and gated
// form: out0[8] from in0[16]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    for (long i0 = 0; i0 < 4; i0++) {
        out0[gid0 * 4 + i0] = i0 < 2 ? in0[gid0 + i0 * 4 + 10] : 7.0f;
    }
}

// expanded: INDEX of several dimensions, out of bounds and gated
// form: out0[8] from in0[16]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    for (long i0 = 0; i0 < 4; i0++) {
        out0[gid0 * 4 + i0] = i0 < 2 ? in0[(i0 + 2) * 4 + 1L * 2L + gid0] : 7.0f;
    }
}

// kernel: LOAD(BUFFER, INDEX of several dimensions)
// form: out0[8] from in0[16]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    for (long i0 = 0; i0 < 4; i0++) {
        out0[gid0 * 4 + i0] = in0[gid0 + i0 * 4 + 2];
    }
}

// expanded: LOAD(BUFFER, INDEX of several dimensions)
// form: out0[8] from in0[16]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    for (long i0 = 0; i0 < 4; i0++) {
        out0[gid0 * 4 + i0] = in0[i0 * 4 + 1L * 2L + gid0];
    }
}

// kernel: LOAD of a vector along the last dimension; kernel: AFTER(LOAD, nothing) along UPCAST; kernel: AFTER(INDEX to LOAD, nothing) along UPCAST; kernel: AFTER(INDEX to STORE, nothing) along UPCAST; kernel: LOAD and STORE of a vector; expanded: LOAD and STORE of a vector
// form: out0[8] from in0[16]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global float4_unaligned *)(out0 + offset0) = *(__global float4_unaligned *)(in0 + offset0);
}

// expanded: LOAD of a vector along the last dimension
// form: out0[8] from in0[16]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4 + 0;
    *(__global float4_unaligned *)(out0 + offset0) = *(__global float4_unaligned *)(in0 + offset0);
}

// kernel: AFTER a STORE to several dimensions
// form: out0[8], out1[8] from in0[16]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0, __global float *out1) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    for (long i0 = 0; i0 < 4; i0++) {
        out0[offset0 + i0] = in0[gid0 + i0 * 4 + 2];
    }
    for (long i1 = 0; i1 < 4; i1++) {
        const long offset1 = offset0 + i1;
        out1[offset1] = out0[offset1] + 1.0f;
    }
}

// expanded: AFTER a STORE to several dimensions
// form: out0[8], out1[8] from in0[16]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0, __global float *out1) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    for (long i0 = 0; i0 < 4; i0++) {
        out0[offset0 + i0] = in0[i0 * 4 + 1L * 2L + gid0];
    }
    for (long i1 = 0; i1 < 4; i1++) {
        const long offset1 = offset0 + i1;
        out1[offset1] = out0[offset1] + 1.0f;
    }
}

// kernel: INDEX of several dimensions along UPCAST
// form: out0[8] from in0[16]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    *(__global float4_unaligned *)(out0 + gid0 * 4) = (float4)((*(__global float4_unaligned *)(in0 + gid0 + 2)).s0, (*(__global float4_unaligned *)(in0 + gid0 + 6)).s0, (*(__global float4_unaligned *)(in0 + gid0 + 10)).s0, (*(__global float4_unaligned *)(in0 + gid0 + 11)).s3);
}

// kernel: STORE of two values; expanded: STORE of two values
// form: out0[8], out1[8] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0, __global float *out1) {
    const long gid0 = get_global_id(0);
    const float value0 = in0[gid0];
    out0[gid0] = value0;
    out1[gid0] = value0 * 2.0f;
}

// kernel: AFTER a STORE; expanded: AFTER a STORE
// form: out0[8], out1[8] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0, __global float *out1) {
    const long gid0 = get_global_id(0);
    out0[gid0] = in0[gid0];
    out1[gid0] = out0[gid0] + 1.0f;
}

// kernel: GROUP of stores; expanded: GROUP of stores
// form: out0[8], out1[8] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0, __global float *out1) {
    const long gid0 = get_global_id(0);
    const float value0 = in0[gid0];
    out0[gid0] = value0;
    out1[gid0] = value0;
}

// kernel: DEFINE_VAR; expanded: DEFINE_VAR
// form: out0[8] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0, const long size_) {
    const long gid0 = get_global_id(0);
    out0[gid0] = in0[gid0] + (float)size_;
}

// kernel: CONST; expanded: CONST; linear: CONST
// form: out0[8] from nothing; 8 work-items in groups of 1
__kernel void form(__global float *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = 2.5f;
}

// kernel: SPECIAL(gidx, lid); expanded: SPECIAL(gidx, lid)
// form: out0[8] from in0[16]; 8 work-items in groups of 4
__kernel void form(__global const float *in0, __global float *out0) {
    const long gidx0 = get_group_id(0);
    const long lid0 = get_local_id(0);
    const long offset0 = gidx0 * 4 + lid0;
    out0[offset0] = in0[offset0];
}

// kernel: CUSTOMI with a value; expanded: CUSTOMI with a value
// form: out0[8] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = fabs(in0[gid0] - 2.0f);
}

// kernel: CUSTOM with a value; expanded: CUSTOM with a value
// form: out0[8] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const float value0 = fmax(in0[gid0], 2.0f);
    out0[gid0] = value0;
}

// kernel: CUSTOM as a statement; expanded: CUSTOM as a statement
// form: out0[8] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    if (1.0f > 0.0f) { return; }
    out0[gid0] = in0[gid0];
}

// kernel: LOAD after a STORE along GLOBAL; kernel: LOAD after a STORE along THREAD
// form: out0[8], out1[8] from in0[8]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0, __global float *out1) {
    const long gid0 = get_global_id(0);
    out0[gid0] = in0[gid0] * 2.0f;
    out1[gid0] = out0[gid0];
}

// kernel: LOAD after a STORE along LOCAL; kernel: LOAD after a STORE along WARP
// form: out0[8], out1[8] from in0[8]; 8 work-items in groups of 8
__kernel void form(__global const float *in0, __global float *out0, __global float *out1) {
    const long lid0 = get_local_id(0);
    out0[lid0] = in0[lid0] * 2.0f;
    out1[lid0] = out0[lid0];
}

// kernel: LOAD after a STORE along UPCAST
// form: out0[8], out1[8] from in0[8]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0, __global float *out1) {
    *(__global float8_unaligned *)(out0) = *(__global float8_unaligned *)(in0) * 2.0f;
    *(__global float8_unaligned *)(out1) = *(__global float8_unaligned *)(out0);
}

// kernel: LOAD at another place after a STORE along UPCAST
// form: out0[8], out1[8] from in0[8]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0, __global float *out1) {
    *(__global float8_unaligned *)(out0) = *(__global float8_unaligned *)(in0) * 2.0f;
    const float8 value0 = *(__global float8_unaligned *)(out0);
    *(__global float8_unaligned *)(out1) = (float8)(__builtin_shufflevector(value0, value0, 7, 6, 5, 4, 3, 2, 1, 0));
}

// kernel: LOAD in a loop after a STORE along UPCAST
// form: out0[8], out1[8] from in0[8]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0, __global float *out1) {
    *(__global float8_unaligned *)(out0) = *(__global float8_unaligned *)(in0) * 2.0f;
    for (long i0 = 0; i0 < 8; i0++) {
        out1[i0] = out0[i0];
    }
}

// kernel: LOAD in a REDUCE after a STORE along UPCAST
// form: out0[8], out1[8] from in0[8]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0, __global float *out1) {
    *(__global float8_unaligned *)(out0) = *(__global float8_unaligned *)(in0) * 2.0f;
    float acc0 = 0.0f;
    for (long k0 = 0; k0 < 8; k0++) {
        acc0 = acc0 + out0[k0];
    }
    *(__global float8_unaligned *)(out1) = (float8)(acc0);
}

// kernel: LOAD after a STORE along UNROLL
// form: out0[8], out1[8] from in0[8]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0, __global float *out1) {
    out0[0] = in0[0] * 2.0f;
    out0[1] = in0[1] * 2.0f;
    out0[2] = in0[2] * 2.0f;
    out0[3] = in0[3] * 2.0f;
    out0[4] = in0[4] * 2.0f;
    out0[5] = in0[5] * 2.0f;
    out0[6] = in0[6] * 2.0f;
    out0[7] = in0[7] * 2.0f;
    out1[0] = out0[0];
    out1[1] = out0[1];
    out1[2] = out0[2];
    out1[3] = out0[3];
    out1[4] = out0[4];
    out1[5] = out0[5];
    out1[6] = out0[6];
    out1[7] = out0[7];
}

// kernel: LOAD at another place after a STORE along UNROLL
// form: out0[8], out1[8] from in0[8]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0, __global float *out1) {
    out0[0] = in0[0] * 2.0f;
    out0[1] = in0[1] * 2.0f;
    out0[2] = in0[2] * 2.0f;
    out0[3] = in0[3] * 2.0f;
    out0[4] = in0[4] * 2.0f;
    out0[5] = in0[5] * 2.0f;
    out0[6] = in0[6] * 2.0f;
    out0[7] = in0[7] * 2.0f;
    out1[0] = out0[7];
    out1[1] = out0[6];
    out1[2] = out0[5];
    out1[3] = out0[4];
    out1[4] = out0[3];
    out1[5] = out0[2];
    out1[6] = out0[1];
    out1[7] = out0[0];
}

// kernel: LOAD in a loop after a STORE along UNROLL
// form: out0[8], out1[8] from in0[8]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0, __global float *out1) {
    out0[0] = in0[0] * 2.0f;
    out0[1] = in0[1] * 2.0f;
    out0[2] = in0[2] * 2.0f;
    out0[3] = in0[3] * 2.0f;
    out0[4] = in0[4] * 2.0f;
    out0[5] = in0[5] * 2.0f;
    out0[6] = in0[6] * 2.0f;
    out0[7] = in0[7] * 2.0f;
    for (long i0 = 0; i0 < 8; i0++) {
        out1[i0] = out0[i0];
    }
}

// kernel: LOAD in a REDUCE after a STORE along UNROLL
// form: out0[8], out1[8] from in0[8]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0, __global float *out1) {
    out0[0] = in0[0] * 2.0f;
    out0[1] = in0[1] * 2.0f;
    out0[2] = in0[2] * 2.0f;
    out0[3] = in0[3] * 2.0f;
    out0[4] = in0[4] * 2.0f;
    out0[5] = in0[5] * 2.0f;
    out0[6] = in0[6] * 2.0f;
    out0[7] = in0[7] * 2.0f;
    float acc0 = 0.0f;
    for (long k0 = 0; k0 < 8; k0++) {
        acc0 = acc0 + out0[k0];
    }
    out1[0] = acc0;
    out1[1] = acc0;
    out1[2] = acc0;
    out1[3] = acc0;
    out1[4] = acc0;
    out1[5] = acc0;
    out1[6] = acc0;
    out1[7] = acc0;
}

// kernel: LOAD in a loop after a STORE along LOOP
// form: out0[8], out1[8] from in0[8]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0, __global float *out1) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = in0[i0] * 2.0f;
    }
    for (long i1 = 0; i1 < 8; i1++) {
        out1[i1] = out0[i1 * -1 + 7];
    }
}

// expanded: LOAD in a loop after a STORE along LOOP
// form: out0[8], out1[8] from in0[8]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0, __global float *out1) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = in0[i0] * 2.0f;
    }
    for (long i1 = 0; i1 < 8; i1++) {
        out1[i1] = out0[7 + i1 * -1];
    }
}

// kernel: LOAD after two STOREs along GLOBAL; kernel: LOAD after two STOREs along THREAD
// form: out0[8], out1[8] from in0[8]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0, __global float *out1) {
    const long gid0 = get_global_id(0);
    out0[gid0] = in0[gid0] * 2.0f;
    out0[gid0] = out0[gid0] + 1.0f;
    out1[gid0] = out0[gid0];
}

// kernel: LOAD after two STOREs along LOCAL; kernel: LOAD after two STOREs along WARP
// form: out0[8], out1[8] from in0[8]; 8 work-items in groups of 8
__kernel void form(__global const float *in0, __global float *out0, __global float *out1) {
    const long lid0 = get_local_id(0);
    out0[lid0] = in0[lid0] * 2.0f;
    out0[lid0] = out0[lid0] + 1.0f;
    out1[lid0] = out0[lid0];
}

// kernel: LOAD after two STOREs along UPCAST
// form: out0[8], out1[8] from in0[8]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0, __global float *out1) {
    *(__global float8_unaligned *)(out0) = *(__global float8_unaligned *)(in0) * 2.0f;
    *(__global float8_unaligned *)(out0) = *(__global float8_unaligned *)(out0) + 1.0f;
    const float8 value0 = *(__global float8_unaligned *)(out0);
    *(__global float8_unaligned *)(out1) = (float8)(__builtin_shufflevector(value0, value0, 7, 6, 5, 4, 3, 2, 1, 0));
}

// kernel: LOAD after two STOREs along UNROLL
// form: out0[8], out1[8] from in0[8]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0, __global float *out1) {
    out0[0] = in0[0] * 2.0f;
    out0[1] = in0[1] * 2.0f;
    out0[2] = in0[2] * 2.0f;
    out0[3] = in0[3] * 2.0f;
    out0[4] = in0[4] * 2.0f;
    out0[5] = in0[5] * 2.0f;
    out0[6] = in0[6] * 2.0f;
    out0[7] = in0[7] * 2.0f;
    out0[0] = out0[0] + 1.0f;
    out0[1] = out0[1] + 1.0f;
    out0[2] = out0[2] + 1.0f;
    out0[3] = out0[3] + 1.0f;
    out0[4] = out0[4] + 1.0f;
    out0[5] = out0[5] + 1.0f;
    out0[6] = out0[6] + 1.0f;
    out0[7] = out0[7] + 1.0f;
    out1[0] = out0[7];
    out1[1] = out0[6];
    out1[2] = out0[5];
    out1[3] = out0[4];
    out1[4] = out0[3];
    out1[5] = out0[2];
    out1[6] = out0[1];
    out1[7] = out0[0];
}

// kernel: LOAD of the part of its group
// form: out0[8], out1[8] from in0[8]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0, __global float *out1) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    for (long i0 = 0; i0 < 4; i0++) {
        const long offset1 = offset0 + i0;
        out0[offset1] = in0[offset1] * 2.0f;
    }
    for (long i1 = 0; i1 < 4; i1++) {
        out1[offset0 + i1] = out0[offset0 + i1 * -1 + 3];
    }
}

// expanded: LOAD of the part of its group
// form: out0[8], out1[8] from in0[8]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0, __global float *out1) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    for (long i0 = 0; i0 < 4; i0++) {
        const long offset1 = offset0 + i0;
        out0[offset1] = in0[offset1] * 2.0f;
    }
    for (long i1 = 0; i1 < 4; i1++) {
        out1[offset0 + i1] = out0[offset0 + 3 + i1 * -1];
    }
}

// kernel: STORE where its value is read, along GLOBAL; expanded: STORE where its value is read, along GLOBAL
// form: out0[8] from in0[8]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const float value0 = in0[gid0];
    out0[gid0] = value0 * 2.0f;
    out0[gid0] = out0[gid0] + value0;
}

// kernel: STORE where its value is read, under a gate, along GLOBAL; expanded: STORE where its value is read, under a gate, along GLOBAL
// form: out0[8] from in0[8]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const float value0 = in0[gid0];
    out0[gid0] = value0 * 2.0f;
    if (gid0 < 3) out0[gid0] = out0[gid0] + value0;
}

// kernel: STORE where its value is read, along LOOP; expanded: STORE where its value is read, along LOOP
// form: out0[8] from in0[8]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = in0[i0] * 2.0f;
    }
    for (long i1 = 0; i1 < 8; i1++) {
        out0[i1] = out0[i1] + in0[i1];
    }
}

// kernel: STORE where its value is read, under a gate, along LOOP; expanded: STORE where its value is read, under a gate, along LOOP
// form: out0[8] from in0[8]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = in0[i0] * 2.0f;
    }
    for (long i1 = 0; i1 < 8; i1++) {
        if (i1 < 3) out0[i1] = out0[i1] + in0[i1];
    }
}

// kernel: LOAD beside STOREs of the odd elements along GLOBAL; kernel: LOAD beside STOREs of the odd elements along THREAD
// form: out0[8] from in0[8]; 4 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 2;
    out0[offset0] = in0[offset0] * 2.0f;
    out0[offset0 + 1] = out0[offset0] + 1.0f;
}

// kernel: LOAD beside STOREs of the last elements along GLOBAL; kernel: LOAD beside STOREs of the last elements along THREAD
// form: out0[8] from in0[8]; 4 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * -1 + 3;
    out0[offset0] = in0[offset0] * 2.0f;
    out0[gid0 + 4] = out0[offset0] + 1.0f;
}

// kernel: LOAD beside STOREs of the odd elements along LOCAL; kernel: LOAD beside STOREs of the odd elements along WARP
// form: out0[8] from in0[8]; 4 work-items in groups of 4
__kernel void form(__global const float *in0, __global float *out0) {
    const long lid0 = get_local_id(0);
    const long offset0 = lid0 * 2;
    out0[offset0] = in0[offset0] * 2.0f;
    out0[offset0 + 1] = out0[offset0] + 1.0f;
}

// kernel: LOAD beside STOREs of the last elements along LOCAL; kernel: LOAD beside STOREs of the last elements along WARP
// form: out0[8] from in0[8]; 4 work-items in groups of 4
__kernel void form(__global const float *in0, __global float *out0) {
    const long lid0 = get_local_id(0);
    const long offset0 = lid0 * -1 + 3;
    out0[offset0] = in0[offset0] * 2.0f;
    out0[lid0 + 4] = out0[offset0] + 1.0f;
}

// kernel: LOAD beside STOREs of the odd elements along UPCAST
// form: out0[8] from in0[8]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const float4 value0 = *(__global float4_unaligned *)(in0);
    const float4 value1 = *(__global float4_unaligned *)(in0 + 4);
    const float4 product0 = (float4)(__builtin_shufflevector(value0, value1, 0, 2, 4, 6)) * 2.0f;
    out0[0] = product0.s0;
    out0[2] = product0.s1;
    out0[4] = product0.s2;
    out0[6] = product0.s3;
    const float4 value2 = *(__global float4_unaligned *)(out0);
    const float4 value3 = *(__global float4_unaligned *)(out0 + 4);
    const float4 sum0 = (float4)(__builtin_shufflevector(value2, value3, 0, 2, 4, 6)) + 1.0f;
    out0[1] = sum0.s0;
    out0[3] = sum0.s1;
    out0[5] = sum0.s2;
    out0[7] = sum0.s3;
}

// kernel: LOAD beside STOREs of the last elements along UPCAST
// form: out0[8] from in0[8]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const float4 value0 = *(__global float4_unaligned *)(in0);
    const float4 product0 = (float4)(__builtin_shufflevector(value0, value0, 3, 2, 1, 0)) * 2.0f;
    out0[3] = product0.s0;
    out0[2] = product0.s1;
    out0[1] = product0.s2;
    out0[0] = product0.s3;
    const float4 value1 = *(__global float4_unaligned *)(out0);
    *(__global float4_unaligned *)(out0 + 4) = (float4)(__builtin_shufflevector(value1, value1, 3, 2, 1, 0)) + 1.0f;
}

// kernel: LOAD beside STOREs of the odd elements along UNROLL
// form: out0[8] from in0[8]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    out0[0] = in0[0] * 2.0f;
    out0[2] = in0[2] * 2.0f;
    out0[4] = in0[4] * 2.0f;
    out0[6] = in0[6] * 2.0f;
    out0[1] = out0[0] + 1.0f;
    out0[3] = out0[2] + 1.0f;
    out0[5] = out0[4] + 1.0f;
    out0[7] = out0[6] + 1.0f;
}

// kernel: LOAD beside STOREs of the last elements along UNROLL
// form: out0[8] from in0[8]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    out0[3] = in0[3] * 2.0f;
    out0[2] = in0[2] * 2.0f;
    out0[1] = in0[1] * 2.0f;
    out0[0] = in0[0] * 2.0f;
    out0[4] = out0[3] + 1.0f;
    out0[5] = out0[2] + 1.0f;
    out0[6] = out0[1] + 1.0f;
    out0[7] = out0[0] + 1.0f;
}

// kernel: STORE over local memory that others read
// form: out0[8] from in0[8]; 8 work-items in groups of 8
__kernel void form(__global const float *in0, __global float *out0) {
    __local float shared0[8];
    const long lid0 = get_local_id(0);
    shared0[lid0] = in0[lid0];
    const long offset0 = lid0 * -1 + 7;
    barrier(CLK_LOCAL_MEM_FENCE);
    const float value0 = shared0[offset0];
    barrier(CLK_LOCAL_MEM_FENCE);
    shared0[lid0] = value0 + 1.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    out0[lid0] = shared0[offset0];
}

// expanded: STORE over local memory that others read
// form: out0[8] from in0[8]; 8 work-items in groups of 8
__kernel void form(__global const float *in0, __global float *out0) {
    __local float shared0[8];
    const long lid0 = get_local_id(0);
    shared0[lid0] = in0[lid0];
    const long offset0 = 7 + lid0 * -1;
    barrier(CLK_LOCAL_MEM_FENCE);
    const float value0 = shared0[offset0];
    barrier(CLK_LOCAL_MEM_FENCE);
    shared0[lid0] = value0 + 1.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    out0[lid0] = shared0[offset0];
}

// kernel: BARRIER(STORE, STORE) along PLACEHOLDER; kernel: END(BARRIER(STORE, STORE)) along PLACEHOLDER; kernel: BARRIER(STORE, STORE) along LOOP; kernel: END(BARRIER(STORE, STORE)) along LOOP
// form: out0[8], out1[8] from in0[16]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0, __global float *out1) {
    const long gid0 = get_global_id(0);
    for (long i0 = 0; i0 < 4; i0++) {
        const long offset0 = gid0 * 4 + i0;
        const float product0 = in0[offset0] * 2.0f;
        out0[offset0] = product0;
        out1[offset0] = product0;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// kernel: AFTER(PARAM, BARRIER(STORE)) along PLACEHOLDER; kernel: AFTER(PARAM, BARRIER(STORE)) along LOOP
// form: out0[8], out1[8] from in0[16]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0, __global float *out1) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    for (long i0 = 0; i0 < 4; i0++) {
        const long offset1 = offset0 + i0;
        out1[offset1] = in0[offset1] * 2.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (long i1 = 0; i1 < 4; i1++) {
        out0[offset0 + i1] = out1[offset0 + i1 * -1 + 3];
    }
}

// kernel: AFTER(STORE, STORE) along PLACEHOLDER; kernel: END(AFTER(STORE, STORE)) along PLACEHOLDER; kernel: GROUP(STORE, STORE) along PLACEHOLDER; kernel: END(GROUP(STORE, STORE)) along PLACEHOLDER; kernel: AFTER(STORE, STORE) along LOOP; kernel: END(AFTER(STORE, STORE)) along LOOP; kernel: GROUP(STORE, STORE) along LOOP; kernel: END(GROUP(STORE, STORE)) along LOOP
// form: out0[8], out1[8] from in0[16]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0, __global float *out1) {
    const long gid0 = get_global_id(0);
    for (long i0 = 0; i0 < 4; i0++) {
        const long offset0 = gid0 * 4 + i0;
        const float product0 = in0[offset0] * 2.0f;
        out0[offset0] = product0;
        out1[offset0] = product0;
    }
}

// kernel: AFTER(PARAM, AFTER(STORE)) along PLACEHOLDER; kernel: AFTER(PARAM, GROUP(STORE)) along PLACEHOLDER; kernel: AFTER(PARAM, AFTER(STORE)) along LOOP; kernel: AFTER(PARAM, GROUP(STORE)) along LOOP
// form: out0[8], out1[8] from in0[16]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0, __global float *out1) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    for (long i0 = 0; i0 < 4; i0++) {
        const long offset1 = offset0 + i0;
        out1[offset1] = in0[offset1] * 2.0f;
    }
    for (long i1 = 0; i1 < 4; i1++) {
        out0[offset0 + i1] = out1[offset0 + i1 * -1 + 3];
    }
}

// kernel: BARRIER(STORE, STORE) along UPCAST; kernel: END(BARRIER(STORE, STORE)) along UPCAST
// form: out0[8], out1[8] from in0[16]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0, __global float *out1) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    const float4 product0 = *(__global float4_unaligned *)(in0 + offset0) * 2.0f;
    *(__global float4_unaligned *)(out0 + offset0) = product0;
    *(__global float4_unaligned *)(out1 + offset0) = product0;
    barrier(CLK_LOCAL_MEM_FENCE);
}

// kernel: AFTER(PARAM, BARRIER(STORE)) along UPCAST
// form: out0[8], out1[8] from in0[16]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0, __global float *out1) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global float4_unaligned *)(out1 + offset0) = *(__global float4_unaligned *)(in0 + offset0) * 2.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (long i0 = 0; i0 < 4; i0++) {
        out0[offset0 + i0] = out1[offset0 + i0 * -1 + 3];
    }
}

// kernel: AFTER(STORE, STORE) along UPCAST; kernel: END(AFTER(STORE, STORE)) along UPCAST; kernel: GROUP(STORE, STORE) along UPCAST; kernel: END(GROUP(STORE, STORE)) along UPCAST
// form: out0[8], out1[8] from in0[16]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0, __global float *out1) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    const float4 product0 = *(__global float4_unaligned *)(in0 + offset0) * 2.0f;
    *(__global float4_unaligned *)(out0 + offset0) = product0;
    *(__global float4_unaligned *)(out1 + offset0) = product0;
}

// kernel: AFTER(PARAM, AFTER(STORE)) along UPCAST; kernel: AFTER(PARAM, GROUP(STORE)) along UPCAST
// form: out0[8], out1[8] from in0[16]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0, __global float *out1) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global float4_unaligned *)(out1 + offset0) = *(__global float4_unaligned *)(in0 + offset0) * 2.0f;
    for (long i0 = 0; i0 < 4; i0++) {
        out0[offset0 + i0] = out1[offset0 + i0 * -1 + 3];
    }
}

// kernel: BARRIER(STORE, STORE) along UNROLL; kernel: END(BARRIER(STORE, STORE)) along UNROLL
// form: out0[8], out1[8] from in0[16]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0, __global float *out1) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    const float product0 = in0[offset0] * 2.0f;
    out0[offset0] = product0;
    const long offset1 = offset0 + 1;
    const float product1 = in0[offset1] * 2.0f;
    out0[offset1] = product1;
    const long offset2 = offset0 + 2;
    const float product2 = in0[offset2] * 2.0f;
    out0[offset2] = product2;
    const long offset3 = offset0 + 3;
    const float product3 = in0[offset3] * 2.0f;
    out0[offset3] = product3;
    out1[offset0] = product0;
    out1[offset1] = product1;
    out1[offset2] = product2;
    out1[offset3] = product3;
    barrier(CLK_LOCAL_MEM_FENCE);
}

// kernel: AFTER(PARAM, BARRIER(STORE)) along UNROLL
// form: out0[8], out1[8] from in0[16]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0, __global float *out1) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    out1[offset0] = in0[offset0] * 2.0f;
    const long offset1 = offset0 + 1;
    out1[offset1] = in0[offset1] * 2.0f;
    const long offset2 = offset0 + 2;
    out1[offset2] = in0[offset2] * 2.0f;
    const long offset3 = offset0 + 3;
    out1[offset3] = in0[offset3] * 2.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (long i0 = 0; i0 < 4; i0++) {
        out0[offset0 + i0] = out1[offset0 + i0 * -1 + 3];
    }
}

// kernel: AFTER(STORE, STORE) along UNROLL; kernel: END(AFTER(STORE, STORE)) along UNROLL; kernel: GROUP(STORE, STORE) along UNROLL; kernel: END(GROUP(STORE, STORE)) along UNROLL
// form: out0[8], out1[8] from in0[16]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0, __global float *out1) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    const float product0 = in0[offset0] * 2.0f;
    out0[offset0] = product0;
    const long offset1 = offset0 + 1;
    const float product1 = in0[offset1] * 2.0f;
    out0[offset1] = product1;
    const long offset2 = offset0 + 2;
    const float product2 = in0[offset2] * 2.0f;
    out0[offset2] = product2;
    const long offset3 = offset0 + 3;
    const float product3 = in0[offset3] * 2.0f;
    out0[offset3] = product3;
    out1[offset0] = product0;
    out1[offset1] = product1;
    out1[offset2] = product2;
    out1[offset3] = product3;
}

// kernel: AFTER(PARAM, AFTER(STORE)) along UNROLL; kernel: AFTER(PARAM, GROUP(STORE)) along UNROLL
// form: out0[8], out1[8] from in0[16]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0, __global float *out1) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    out1[offset0] = in0[offset0] * 2.0f;
    const long offset1 = offset0 + 1;
    out1[offset1] = in0[offset1] * 2.0f;
    const long offset2 = offset0 + 2;
    out1[offset2] = in0[offset2] * 2.0f;
    const long offset3 = offset0 + 3;
    out1[offset3] = in0[offset3] * 2.0f;
    for (long i0 = 0; i0 < 4; i0++) {
        out0[offset0 + i0] = out1[offset0 + i0 * -1 + 3];
    }
}

// kernel: AFTER(LOAD, STORE) along PLACEHOLDER; kernel: AFTER(INDEX to LOAD, STORE) along PLACEHOLDER; kernel: AFTER(INDEX to STORE, STORE) along PLACEHOLDER; kernel: AFTER(LOAD, STORE) along LOOP; kernel: AFTER(INDEX to LOAD, STORE) along LOOP; kernel: AFTER(INDEX to STORE, STORE) along LOOP
// form: out0[8], out1[8] from in0[16]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0, __global float *out1) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    for (long i0 = 0; i0 < 4; i0++) {
        out1[offset0 + i0] = in0[i0];
    }
    for (long i1 = 0; i1 < 4; i1++) {
        const long offset1 = offset0 + i1;
        out0[offset1] = in0[offset1];
    }
}

// kernel: AFTER(RANGE, STORE) along PLACEHOLDER; kernel: AFTER(RANGE, STORE) along LOOP
// form: out0[8], out1[8] from in0[16]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0, __global float *out1) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    for (long i0 = 0; i0 < 4; i0++) {
        out1[offset0 + i0] = in0[i0];
    }
    for (long i1 = 0; i1 < 4; i1++) {
        out0[offset0 + i1] = in0[offset0 + i1];
    }
}

// kernel: AFTER(LOAD, nothing) along PLACEHOLDER; kernel: AFTER(INDEX to LOAD, nothing) along PLACEHOLDER; kernel: AFTER(INDEX to STORE, nothing) along PLACEHOLDER; kernel: AFTER(LOAD, nothing) along LOOP; kernel: AFTER(INDEX to LOAD, nothing) along LOOP; kernel: AFTER(INDEX to STORE, nothing) along LOOP
// form: out0[8] from in0[16]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    for (long i0 = 0; i0 < 4; i0++) {
        const long offset0 = gid0 * 4 + i0;
        out0[offset0] = in0[offset0];
    }
}

// kernel: AFTER(RANGE, nothing) along PLACEHOLDER; kernel: AFTER(RANGE, nothing) along LOOP
// form: out0[8] from in0[16]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    for (long i0 = 0; i0 < 4; i0++) {
        out0[offset0 + i0] = in0[offset0 + i0];
    }
}

// kernel: AFTER(LOAD, STORE) along UPCAST; kernel: AFTER(INDEX to LOAD, STORE) along UPCAST; kernel: AFTER(INDEX to STORE, STORE) along UPCAST
// form: out0[8], out1[8] from in0[16]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0, __global float *out1) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    for (long i0 = 0; i0 < 4; i0++) {
        out1[offset0 + i0] = in0[i0];
    }
    *(__global float4_unaligned *)(out0 + offset0) = *(__global float4_unaligned *)(in0 + offset0);
}

// kernel: AFTER(RANGE, STORE) along UPCAST
// form: out0[8], out1[8] from in0[16]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0, __global float *out1) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    for (long i0 = 0; i0 < 4; i0++) {
        out1[offset0 + i0] = in0[i0];
    }
    const float4 value0 = *(__global float4_unaligned *)(in0 + offset0);
    out0[offset0 + 0L] = value0.s0;
    out0[offset0 + 1L] = value0.s1;
    out0[offset0 + 2L] = value0.s2;
    out0[offset0 + 3L] = value0.s3;
}

// kernel: AFTER(RANGE, nothing) along UPCAST
// form: out0[8] from in0[16]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    const float4 value0 = *(__global float4_unaligned *)(in0 + offset0);
    out0[offset0 + 0L] = value0.s0;
    out0[offset0 + 1L] = value0.s1;
    out0[offset0 + 2L] = value0.s2;
    out0[offset0 + 3L] = value0.s3;
}

// kernel: AFTER(LOAD, STORE) along UNROLL; kernel: AFTER(INDEX to LOAD, STORE) along UNROLL; kernel: AFTER(INDEX to STORE, STORE) along UNROLL
// form: out0[8], out1[8] from in0[16]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0, __global float *out1) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    for (long i0 = 0; i0 < 4; i0++) {
        out1[offset0 + i0] = in0[i0];
    }
    out0[offset0] = in0[offset0];
    const long offset1 = offset0 + 1;
    out0[offset1] = in0[offset1];
    const long offset2 = offset0 + 2;
    out0[offset2] = in0[offset2];
    const long offset3 = offset0 + 3;
    out0[offset3] = in0[offset3];
}

// kernel: AFTER(RANGE, STORE) along UNROLL
// form: out0[8], out1[8] from in0[16]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0, __global float *out1) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    for (long i0 = 0; i0 < 4; i0++) {
        out1[offset0 + i0] = in0[i0];
    }
    out0[offset0 + 0L] = in0[offset0];
    out0[offset0 + 1L] = in0[offset0 + 1];
    out0[offset0 + 2L] = in0[offset0 + 2];
    out0[offset0 + 3L] = in0[offset0 + 3];
}

// kernel: AFTER(LOAD, nothing) along UNROLL; kernel: AFTER(INDEX to LOAD, nothing) along UNROLL; kernel: AFTER(INDEX to STORE, nothing) along UNROLL
// form: out0[8] from in0[16]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    out0[offset0] = in0[offset0];
    const long offset1 = offset0 + 1;
    out0[offset1] = in0[offset1];
    const long offset2 = offset0 + 2;
    out0[offset2] = in0[offset2];
    const long offset3 = offset0 + 3;
    out0[offset3] = in0[offset3];
}

// kernel: AFTER(RANGE, nothing) along UNROLL
// form: out0[8] from in0[16]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    out0[offset0 + 0L] = in0[offset0];
    out0[offset0 + 1L] = in0[offset0 + 1];
    out0[offset0 + 2L] = in0[offset0 + 2];
    out0[offset0 + 3L] = in0[offset0 + 3];
}

// kernel: REDUCE(AFTER); expanded: REDUCE(AFTER)
// form: out0[8], out1[8] from in0[16]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0, __global float *out1) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    for (long i0 = 0; i0 < 4; i0++) {
        out1[offset0 + i0] = in0[i0];
    }
    float acc0 = 0.0f;
    for (long k0 = 0; k0 < 4; k0++) {
        acc0 = acc0 + in0[offset0 + k0];
    }
    out0[gid0] = acc0;
}

// kernel: CUSTOMI along PLACEHOLDER; kernel: CUSTOMI along LOOP
// form: out0[8] from in0[16]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    for (long i0 = 0; i0 < 4; i0++) {
        const long offset0 = gid0 * 4 + i0;
        out0[offset0] = (in0[offset0] + in0[offset0]);
    }
}

// kernel: CUSTOMI along UPCAST
// form: out0[8] from in0[16]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    const float4 value0 = *(__global float4_unaligned *)(in0 + offset0);
    *(__global float4_unaligned *)(out0 + offset0) = (float4)((value0.s0 + value0.s0), (value0.s1 + value0.s1), (value0.s2 + value0.s2), (value0.s3 + value0.s3));
}

// kernel: CUSTOMI along UNROLL
// form: out0[8] from in0[16]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    out0[offset0] = (in0[offset0] + in0[offset0]);
    const long offset1 = offset0 + 1;
    out0[offset1] = (in0[offset1] + in0[offset1]);
    const long offset2 = offset0 + 2;
    out0[offset2] = (in0[offset2] + in0[offset2]);
    const long offset3 = offset0 + 3;
    out0[offset3] = (in0[offset3] + in0[offset3]);
}

// kernel: BUFFERIZE of nothing in reg memory
// form: out0[8], out1[8] from in0[16]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0, __global float *out1) {
    const long gid0 = get_global_id(0);
    out0[gid0] = 3.0f;
    float acc0;
    for (long i0 = 0; i0 < 0; i0++) {
        acc0 = in0[i0];
    }
    const bool condition0 = gid0 < 1;
    for (long i1 = 0; i1 < 0; i1++) {
        if (condition0) out1[i1] = acc0;
    }
}

// kernel: BUFFERIZE of nothing in local memory
// form: out0[8], out1[8] from in0[16]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0, __global float *out1) {
    __local float shared0[1];
    const long gid0 = get_global_id(0);
    out0[gid0] = 3.0f;
    for (long i0 = 0; i0 < 0; i0++) {
        shared0[i0] = in0[i0];
    }
    const bool condition0 = gid0 < 1;
    for (long i1 = 0; i1 < 0; i1++) {
        if (condition0) out1[i1] = shared0[i1];
    }
}

// expanded: REDUCE(ADD) of lanes
// form: out0[8] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const float4 value0 = *(__global float4_unaligned *)(in0 + gid0);
    float acc0 = 0.0f;
    for (long k0 = 0; k0 < 2; k0++) {
        acc0 = acc0 + value0.s0;
        acc0 = acc0 + value0.s1;
        acc0 = acc0 + value0.s2;
        acc0 = acc0 + value0.s3;
    }
    out0[gid0] = acc0;
}

// expanded: REDUCE(MUL) of lanes
// form: out0[8] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const float4 value0 = *(__global float4_unaligned *)(in0 + gid0);
    float acc0 = 1.0f;
    for (long k0 = 0; k0 < 2; k0++) {
        acc0 = acc0 * value0.s0;
        acc0 = acc0 * value0.s1;
        acc0 = acc0 * value0.s2;
        acc0 = acc0 * value0.s3;
    }
    out0[gid0] = acc0;
}

// expanded: REDUCE(MAX) of lanes
// form: out0[8] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const float4 value0 = *(__global float4_unaligned *)(in0 + gid0);
    float acc0 = -INFINITY;
    for (long k0 = 0; k0 < 2; k0++) {
        acc0 = maximum_float(acc0, value0.s0);
        acc0 = maximum_float(acc0, value0.s1);
        acc0 = maximum_float(acc0, value0.s2);
        acc0 = maximum_float(acc0, value0.s3);
    }
    out0[gid0] = acc0;
}

// expanded: REDUCE(MIN) of lanes
// form: out0[8] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const float4 value0 = *(__global float4_unaligned *)(in0 + gid0);
    float acc0 = INFINITY;
    for (long k0 = 0; k0 < 2; k0++) {
        acc0 = minimum_float(acc0, value0.s0);
        acc0 = minimum_float(acc0, value0.s1);
        acc0 = minimum_float(acc0, value0.s2);
        acc0 = minimum_float(acc0, value0.s3);
    }
    out0[gid0] = acc0;
}

// expanded: REDUCE of four lanes to two
// form: out0[8] from in0[16]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    float2 acc0 = (float2)(0.0f);
    for (long k0 = 0; k0 < 4; k0++) {
        const float4 value0 = *(__global float4_unaligned *)(in0 + gid0 * 4 + k0);
        acc0 = acc0 + value0.lo;
        acc0 = acc0 + value0.hi;
    }
    *(__global float2_unaligned *)(out0 + gid0 * 2) = acc0;
}

// expanded: REDUCE of the lanes of a VCONST
// form: out0[8] from nothing; 2 work-items in groups of 1
__kernel void form(__global float *out0) {
    const long gid0 = get_global_id(0);
    float acc0 = 0.0f;
    for (long k0 = 0; k0 < 4; k0++) {
        acc0 = acc0 + (float2)(1.0f, 2.0f).s0;
        acc0 = acc0 + (float2)(1.0f, 2.0f).s1;
    }
    out0[gid0] = acc0;
}

// expanded: ARGREDUCE of lanes, member 0
// form: out0[8] from in0[16]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    float acc0 = -INFINITY;
    int acc1 = 0;
    for (long k0 = 0; k0 < 4; k0++) {
        const long offset0 = k0 * 2;
        const float2 value0 = *(__global float2_unaligned *)(in0 + gid0 * 4 + offset0);
        const bool condition0 = (!(value0.s0 < acc0) & (acc0 != value0.s0)) & (acc0 == acc0);
        acc0 = condition0 ? value0.s0 : acc0;
        acc1 = condition0 ? (int)offset0 : acc1;
        const bool condition1 = (!(value0.s1 < acc0) & (acc0 != value0.s1)) & (acc0 == acc0);
        acc0 = condition1 ? value0.s1 : acc0;
        acc1 = condition1 ? (int)(offset0 + 1) : acc1;
    }
    out0[gid0] = acc0;
}

// expanded: ARGREDUCE of lanes, member 1
// form: out0[8] from in0[16]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    float acc0 = -INFINITY;
    int acc1 = 0;
    for (long k0 = 0; k0 < 4; k0++) {
        const long offset0 = k0 * 2;
        const float2 value0 = *(__global float2_unaligned *)(in0 + gid0 * 4 + offset0);
        const bool condition0 = (!(value0.s0 < acc0) & (acc0 != value0.s0)) & (acc0 == acc0);
        acc0 = condition0 ? value0.s0 : acc0;
        acc1 = condition0 ? (int)offset0 : acc1;
        const bool condition1 = (!(value0.s1 < acc0) & (acc0 != value0.s1)) & (acc0 == acc0);
        acc0 = condition1 ? value0.s1 : acc0;
        acc1 = condition1 ? (int)(offset0 + 1) : acc1;
    }
    out0[gid0] = (float)acc1;
}

// kernel: DEFINE_LOCAL, AFTER
// form: out0[8] from in0[16]; 8 work-items in groups of 4
__kernel void form(__global const float *in0, __global float *out0) {
    __local float shared0[4];
    const long gidx0 = get_group_id(0);
    const long lid0 = get_local_id(0);
    const long offset0 = gidx0 * 4 + lid0;
    shared0[lid0] = in0[offset0];
    barrier(CLK_LOCAL_MEM_FENCE);
    out0[offset0] = shared0[lid0 * -1 + 3];
}

// expanded: DEFINE_LOCAL, AFTER
// form: out0[8] from in0[16]; 8 work-items in groups of 4
__kernel void form(__global const float *in0, __global float *out0) {
    __local float shared0[4];
    const long gidx0 = get_group_id(0);
    const long lid0 = get_local_id(0);
    const long offset0 = gidx0 * 4 + lid0;
    shared0[lid0] = in0[offset0];
    barrier(CLK_LOCAL_MEM_FENCE);
    out0[offset0] = shared0[3 + lid0 * -1];
}

// kernel: BARRIER(STORE)
// form: out0[8] from in0[16]; 8 work-items in groups of 4
__kernel void form(__global const float *in0, __global float *out0) {
    __local float shared0[4];
    const long gidx0 = get_group_id(0);
    const long lid0 = get_local_id(0);
    const long offset0 = gidx0 * 4 + lid0;
    shared0[lid0] = in0[offset0];
    barrier(CLK_LOCAL_MEM_FENCE);
    barrier(CLK_LOCAL_MEM_FENCE);
    out0[offset0] = shared0[lid0 * -1 + 3];
}

// expanded: BARRIER(STORE)
// form: out0[8] from in0[16]; 8 work-items in groups of 4
__kernel void form(__global const float *in0, __global float *out0) {
    __local float shared0[4];
    const long gidx0 = get_group_id(0);
    const long lid0 = get_local_id(0);
    const long offset0 = gidx0 * 4 + lid0;
    shared0[lid0] = in0[offset0];
    barrier(CLK_LOCAL_MEM_FENCE);
    barrier(CLK_LOCAL_MEM_FENCE);
    out0[offset0] = shared0[3 + lid0 * -1];
}

// expanded: DEFINE_REG, AFTER
// form: out0[8] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    float acc0[4];
    const float value0 = in0[gid0 * 2];
    for (long i0 = 0; i0 < 4; i0++) {
        acc0[i0] = value0 + (float)i0;
    }
    out0[gid0] = acc0[2];
}

// kernel: BUFFERIZE in local memory
// form: out0[8] from in0[16]; 8 work-items in groups of 4
__kernel void form(__global const float *in0, __global float *out0) {
    __local float shared0[4];
    const long gidx0 = get_group_id(0);
    const long lid0 = get_local_id(0);
    const long offset0 = gidx0 * 4 + lid0;
    shared0[lid0] = in0[offset0] * 2.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    out0[offset0] = shared0[lid0 * -1 + 3];
}

// kernel: BUFFERIZE in local memory, read under a gate
// form: out0[8] from in0[16]; 8 work-items in groups of 4
__kernel void form(__global const float *in0, __global float *out0) {
    __local float shared0[4];
    const long gidx0 = get_group_id(0);
    const long lid0 = get_local_id(0);
    const long offset0 = gidx0 * 4 + lid0;
    shared0[lid0] = in0[offset0] * 2.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    out0[offset0] = lid0 < 2 ? shared0[lid0 * -1 + 3] : 7.0f;
}

// kernel: BUFFERIZE of a BUFFERIZE
// form: out0[8] from in0[16]; 8 work-items in groups of 4
__kernel void form(__global const float *in0, __global float *out0) {
    __local float shared1[4];
    __local float shared0[4];
    const long gidx0 = get_group_id(0);
    const long lid0 = get_local_id(0);
    const long offset0 = gidx0 * 4 + lid0;
    const float product0 = in0[offset0] * 2.0f;
    shared0[lid0] = product0;
    const long offset1 = lid0 * -1 + 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    shared1[lid0] = shared0[offset1] + 1.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    out0[offset0] = shared1[offset1] + product0;
}

// kernel: BUFFERIZE of two ranges in local memory
// form: out0[8] from in0[16]; 8 work-items in groups of 4
__kernel void form(__global const float *in0, __global float *out0) {
    __local float shared0[8];
    const long gidx0 = get_group_id(0);
    const long lid0 = get_local_id(0);
    const long offset0 = lid0 * 2;
    const long offset1 = gidx0 * 4 + lid0;
    for (long i0 = 0; i0 < 2; i0++) {
        shared0[offset0 + i0] = in0[offset1 + i0];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out0[offset1] = shared0[lid0 * -2 + 7] + shared0[offset0];
}

// kernel: BUFFERIZE along UPCAST in local memory
// form: out0[8] from in0[16]; 8 work-items in groups of 4
__kernel void form(__global const float *in0, __global float *out0) {
    __local float shared0[16];
    const long gidx0 = get_group_id(0);
    const long lid0 = get_local_id(0);
    const long offset0 = gidx0 * 4;
    const float converted0 = (float)lid0;
    *(__local float4_unaligned *)(shared0 + lid0 * 4) = *(__global float4_unaligned *)(in0 + offset0) + converted0;
    barrier(CLK_LOCAL_MEM_FENCE);
    out0[offset0 + lid0] = shared0[lid0 * -3 + 12];
}

// kernel: BUFFERIZE in local memory, filled again in a REDUCE
// form: out0[8] from in0[16]; 8 work-items in groups of 4
__kernel void form(__global const float *in0, __global float *out0) {
    __local float shared0[4];
    const long gidx0 = get_group_id(0);
    const long lid0 = get_local_id(0);
    float acc0 = 0.0f;
    for (long k0 = 0; k0 < 3; k0++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        shared0[lid0] = in0[lid0 + k0 * 4];
        barrier(CLK_LOCAL_MEM_FENCE);
        acc0 = acc0 + shared0[lid0 * -1 + 3];
    }
    out0[gidx0 * 4 + lid0] = acc0;
}

// kernel: BUFFERIZE in registers along LOOP
// form: out0[8] from in0[16]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    float acc0[4];
    const long offset0 = gid0 * 4;
    for (long i0 = 0; i0 < 4; i0++) {
        acc0[i0] = in0[offset0 + i0] * 2.0f;
    }
    for (long i1 = 0; i1 < 4; i1++) {
        out0[offset0 + i1] = acc0[i1 * -1 + 3] + 1.0f;
    }
}

// kernel: BUFFERIZE in registers along UNROLL
// form: out0[8] from in0[16]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    float acc0[4];
    const long offset0 = gid0 * 4;
    acc0[0] = in0[offset0] * 2.0f;
    const long offset1 = offset0 + 1;
    acc0[1] = in0[offset1] * 2.0f;
    const long offset2 = offset0 + 2;
    acc0[2] = in0[offset2] * 2.0f;
    const long offset3 = offset0 + 3;
    acc0[3] = in0[offset3] * 2.0f;
    out0[offset0] = acc0[3] + 1.0f;
    out0[offset1] = acc0[2] + 1.0f;
    out0[offset2] = acc0[1] + 1.0f;
    out0[offset3] = acc0[0] + 1.0f;
}

// kernel: BUFFERIZE in registers along LOOP in LOOP 9
// form: out0[8] from in0[16]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    float acc0[4];
    for (long i0 = 0; i0 < 4; i0++) {
        #pragma unroll
        for (long i1 = 0; i1 < 2; i1++) {
            const long offset0 = i1 * 4;
            #pragma unroll
            for (long i2 = 0; i2 < 4; i2++) {
                acc0[i2] = in0[i2 + offset0] * 2.0f;
            }
            out0[i0 + offset0] = acc0[i0 * -1 + 3];
        }
    }
}

// kernel: BUFFERIZE in registers along PLACEHOLDER in LOOP 0
// form: out0[8] from in0[16]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    float acc0[4];
    for (long i0 = 0; i0 < 2; i0++) {
        const long offset0 = i0 * 4;
        #pragma unroll
        for (long i1 = 0; i1 < 4; i1++) {
            acc0[i1] = in0[i1 + offset0] * 2.0f;
        }
        for (long i2 = 0; i2 < 4; i2++) {
            out0[offset0 + i2] = acc0[i2 * -1 + 3];
        }
    }
}

// kernel: BUFFERIZE in one register beside an accumulator
// form: out0[8] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const float value0 = in0[gid0];
    float acc0;
    for (long i0 = 0; i0 < 1; i0++) {
        acc0 = value0;
    }
    float acc1 = 0.0f;
    for (long k0 = 0; k0 < 4; k0++) {
        acc1 = acc1 + in0[gid0 + k0];
    }
    out0[gid0] = acc0 + acc1;
}

// kernel: SCAN(ADD, False); expanded: SCAN(ADD, False)
// form: out0[8] from in0[16]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    float acc0 = 0.0f;
    for (long i0 = 0; i0 < 8; i0++) {
        const float sum0 = acc0 + in0[i0];
        acc0 = sum0;
        out0[i0] = sum0;
    }
}

// kernel: SCAN(ADD, True); expanded: SCAN(ADD, True)
// form: out0[8] from in0[16]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    float acc0 = 0.0f;
    for (long i0 = 0; i0 < 8; i0++) {
        const float value0 = acc0;
        acc0 = value0 + in0[i0];
        out0[i0] = value0;
    }
}

// kernel: REDUCE(MUL); expanded: REDUCE(MUL)
// form: out0[8] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    float acc0 = 1.0f;
    for (long k0 = 0; k0 < 2; k0++) {
        acc0 = acc0 * in0[gid0 * 2 + k0];
    }
    out0[gid0] = acc0;
}

// kernel: SCAN(MUL, False); expanded: SCAN(MUL, False)
// form: out0[8] from in0[16]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    float acc0 = 1.0f;
    for (long i0 = 0; i0 < 8; i0++) {
        const float product0 = acc0 * in0[i0];
        acc0 = product0;
        out0[i0] = product0;
    }
}

// kernel: SCAN(MUL, True); expanded: SCAN(MUL, True)
// form: out0[8] from in0[16]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    float acc0 = 1.0f;
    for (long i0 = 0; i0 < 8; i0++) {
        const float value0 = acc0;
        acc0 = value0 * in0[i0];
        out0[i0] = value0;
    }
}

// kernel: REDUCE(MAX); expanded: REDUCE(MAX)
// form: out0[8] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    float acc0 = -INFINITY;
    for (long k0 = 0; k0 < 2; k0++) {
        acc0 = maximum_float(acc0, in0[gid0 * 2 + k0]);
    }
    out0[gid0] = acc0;
}

// kernel: SCAN(MAX, False); expanded: SCAN(MAX, False)
// form: out0[8] from in0[16]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    float acc0 = -INFINITY;
    for (long i0 = 0; i0 < 8; i0++) {
        const float greater0 = maximum_float(acc0, in0[i0]);
        acc0 = greater0;
        out0[i0] = greater0;
    }
}

// kernel: SCAN(MAX, True); expanded: SCAN(MAX, True)
// form: out0[8] from in0[16]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    float acc0 = -INFINITY;
    for (long i0 = 0; i0 < 8; i0++) {
        const float value0 = acc0;
        acc0 = maximum_float(value0, in0[i0]);
        out0[i0] = value0;
    }
}

// kernel: REDUCE(MIN); expanded: REDUCE(MIN)
// form: out0[8] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    float acc0 = INFINITY;
    for (long k0 = 0; k0 < 2; k0++) {
        acc0 = minimum_float(acc0, in0[gid0 * 2 + k0]);
    }
    out0[gid0] = acc0;
}

// kernel: SCAN(MIN, False); expanded: SCAN(MIN, False)
// form: out0[8] from in0[16]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    float acc0 = INFINITY;
    for (long i0 = 0; i0 < 8; i0++) {
        const float lesser0 = minimum_float(acc0, in0[i0]);
        acc0 = lesser0;
        out0[i0] = lesser0;
    }
}

// kernel: SCAN(MIN, True); expanded: SCAN(MIN, True)
// form: out0[8] from in0[16]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    float acc0 = INFINITY;
    for (long i0 = 0; i0 < 8; i0++) {
        const float value0 = acc0;
        acc0 = minimum_float(value0, in0[i0]);
        out0[i0] = value0;
    }
}

// kernel: RECUR, CARRY; expanded: RECUR, CARRY
// form: out0[8] from in0[16]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    float acc0 = 0.0f;
    for (long i0 = 0; i0 < 8; i0++) {
        const float sum0 = acc0 * 0.5f + in0[i0];
        acc0 = sum0;
        out0[i0] = sum0;
    }
}

// kernel: RECUR of two CARRYs; expanded: RECUR of two CARRYs
// form: out0[8] from in0[16]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    float acc1 = 0.0f;
    float acc0 = 0.0f;
    for (long i0 = 0; i0 < 8; i0++) {
        const float value0 = acc1;
        const float value1 = in0[i0];
        acc1 = acc0;
        acc0 = value0 + value1;
        out0[i0] = value0 * 0.5f + value1;
    }
}

// kernel: ARGREDUCE(MAX); expanded: ARGREDUCE(MAX)
// form: out0[8] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global int *out0) {
    const long gid0 = get_global_id(0);
    float acc0 = -INFINITY;
    int acc1 = 0;
    for (long k0 = 0; k0 < 2; k0++) {
        const float value0 = in0[gid0 * 2 + k0];
        const bool condition0 = (!(value0 < acc0) & (acc0 != value0)) & (acc0 == acc0);
        acc0 = condition0 ? value0 : acc0;
        acc1 = condition0 ? (int)k0 : acc1;
    }
    out0[gid0] = acc1;
}

// kernel: ARGREDUCE(MIN); expanded: ARGREDUCE(MIN)
// form: out0[8] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global int *out0) {
    const long gid0 = get_global_id(0);
    float acc0 = INFINITY;
    int acc1 = 0;
    for (long k0 = 0; k0 < 2; k0++) {
        const float value0 = in0[gid0 * 2 + k0];
        const bool condition0 = (!(acc0 < value0) & (value0 != acc0)) & (acc0 == acc0);
        acc0 = condition0 ? value0 : acc0;
        acc1 = condition0 ? (int)k0 : acc1;
    }
    out0[gid0] = acc1;
}

// kernel: VCONST; expanded: VCONST
// form: out0[8] from nothing; 2 work-items in groups of 1
__kernel void form(__global float *out0) {
    const long gid0 = get_global_id(0);
    *(__global float4_unaligned *)(out0 + gid0 * 4) = (float4)(1.0f, 2.0f, 3.0f, 4.0f);
}

// kernel: GEP of one lane, VECTORIZE; expanded: GEP of one lane, VECTORIZE
// form: out0[8] from in0[16]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    const float4 value0 = *(__global float4_unaligned *)(in0 + offset0);
    *(__global float4_unaligned *)(out0 + offset0) = (float4)(__builtin_shufflevector(value0, value0, 3, 2, 1, 0));
}

// kernel: CAT of a VCONST of five lanes; expanded: CAT of a VCONST of five lanes
// form: out0[8] from nothing; 1 work-items in groups of 1
__kernel void form(__global float *out0) {
    *(__global float8_unaligned *)(out0) = (float8)(1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 0.5f, 1.5f, 2.5f);
}

// kernel: CAT of a VECTORIZE of five lanes; expanded: CAT of a VECTORIZE of five lanes
// form: out0[8] from in0[16]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    *(__global float8_unaligned *)(out0) = (float8)(in0[5], in0[1], in0[4], in0[0], in0[2], 0.5f, 1.5f, 2.5f);
}

// kernel: GEP of two lanes, CAT; expanded: GEP of two lanes, CAT
// form: out0[8] from in0[16]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    const float2 part0 = (*(__global float4_unaligned *)(in0 + offset0)).s02;
    *(__global float4_unaligned *)(out0 + offset0) = (float4)(part0.s0, part0.s1, part0.s0, part0.s1);
}

// expanded: LOAD(PTRCAT)
// form: out0[8] from in0[16]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global float4_unaligned *)(out0 + offset0) = (float4)(in0[offset0 + 3], in0[offset0 + 1], in0[offset0 + 2], in0[offset0 + 0]);
}

// expanded: STORE(PTRCAT)
// form: out0[8] from in0[16]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    const float4 value0 = *(__global float4_unaligned *)(in0 + offset0);
    out0[offset0 + 3] = value0.s0;
    out0[offset0 + 1] = value0.s1;
    out0[offset0 + 2] = value0.s2;
    out0[offset0 + 0] = value0.s3;
}

// expanded: LOAD(PTRCAT), one after another
// form: out0[8] from in0[16]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global float4_unaligned *)(out0 + offset0) = *(__global float4_unaligned *)(in0 + offset0 + 0);
}

// expanded: POINTER_INDEX
// form: out0[8] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = ((__global float *)((__global char *)(in0 + gid0) + 4L))[0];
}

// kernel: CONTRACT(UNROLL)
// form: out0[8] from nothing; 2 work-items in groups of 1
__kernel void form(__global float *out0) {
    const long gid0 = get_global_id(0);
    *(__global float4_unaligned *)(out0 + gid0 * 4) = (float4)(1.0f * 2.0f, 2.0f * 2.0f, 3.0f * 2.0f, 4.0f * 2.0f);
}

// kernel: 2 lanes; expanded: 2 lanes
// form: out0[2] from in0[2]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const float2 value0 = *(__global float2_unaligned *)(in0);
    *(__global float2_unaligned *)(out0) = value0 + value0;
}

// kernel: 3 lanes; expanded: 3 lanes
// form: out0[3] from in0[3]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const float3 value0 = vload3(0, in0);
    vstore3(value0 + value0, 0, out0);
}

// kernel: 4 lanes; expanded: 4 lanes
// form: out0[4] from in0[4]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const float4 value0 = *(__global float4_unaligned *)(in0);
    *(__global float4_unaligned *)(out0) = value0 + value0;
}

// kernel: 8 lanes; expanded: 8 lanes
// form: out0[8] from in0[8]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const float8 value0 = *(__global float8_unaligned *)(in0);
    *(__global float8_unaligned *)(out0) = value0 + value0;
}

// kernel: 16 lanes; expanded: 16 lanes
// form: out0[16] from in0[16]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const float16 value0 = *(__global float16_unaligned *)(in0);
    *(__global float16_unaligned *)(out0) = value0 + value0;
}

// kernel: WMMA of 2 x 2 and 2 x 2; expanded: WMMA of 2 x 2 and 2 x 2
// form: out0[8] from in0[16]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const float4 value0 = *(__global float4_unaligned *)(in0 + 1);
    const float4 value1 = *(__global float4_unaligned *)(in0);
    const float4 value2 = *(__global float4_unaligned *)(in0 + 2);
    *(__global float4_unaligned *)(out0) = (float4)(value0.s1 * value1.s2 + (value0.s0 * value1.s0 + value2.s0), value0.s1 * value1.s3 + (value0.s0 * value1.s1 + value2.s1), value0.s3 * value1.s2 + (value0.s2 * value1.s0 + value2.s2), value0.s3 * value1.s3 + (value0.s2 * value1.s1 + value2.s3));
}

// linear: WMMA of 2 x 2 and 2 x 2
// form: out0[8] from in0[16]; 1 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    const float4 value0 = *(__global float4_unaligned *)(in0 + 1);
    const float4 value1 = *(__global float4_unaligned *)(in0);
    const float4 value2 = *(__global float4_unaligned *)(in0 + 2);
    *(__global float4_unaligned *)(out0) = (float4)(value0.s1 * value1.s2 + (value0.s0 * value1.s0 + value2.s0), value0.s1 * value1.s3 + (value0.s0 * value1.s1 + value2.s1), value0.s3 * value1.s2 + (value0.s2 * value1.s0 + value2.s2), value0.s3 * value1.s3 + (value0.s2 * value1.s1 + value2.s3));
}

// kernel: WMMA of 2 x 4 and 4 x 4; expanded: WMMA of 2 x 4 and 4 x 4
// form: out0[8] from in0[16]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const float8 value0 = *(__global float8_unaligned *)(in0 + 1);
    const float16 value1 = *(__global float16_unaligned *)(in0);
    const float8 value2 = *(__global float8_unaligned *)(in0 + 2);
    const float sum0 = value0.s3 * value1.sc + (value0.s2 * value1.s8 + (value0.s1 * value1.s4 + (value0.s0 * value1.s0 + value2.s0)));
    const float sum1 = value0.s3 * value1.sd + (value0.s2 * value1.s9 + (value0.s1 * value1.s5 + (value0.s0 * value1.s1 + value2.s1)));
    const float sum2 = value0.s3 * value1.se + (value0.s2 * value1.sa + (value0.s1 * value1.s6 + (value0.s0 * value1.s2 + value2.s2)));
    const float sum3 = value0.s3 * value1.sf + (value0.s2 * value1.sb + (value0.s1 * value1.s7 + (value0.s0 * value1.s3 + value2.s3)));
    const float sum4 = value0.s7 * value1.sc + (value0.s6 * value1.s8 + (value0.s5 * value1.s4 + (value0.s4 * value1.s0 + value2.s4)));
    const float sum5 = value0.s7 * value1.sd + (value0.s6 * value1.s9 + (value0.s5 * value1.s5 + (value0.s4 * value1.s1 + value2.s5)));
    const float sum6 = value0.s7 * value1.se + (value0.s6 * value1.sa + (value0.s5 * value1.s6 + (value0.s4 * value1.s2 + value2.s6)));
    const float sum7 = value0.s7 * value1.sf + (value0.s6 * value1.sb + (value0.s5 * value1.s7 + (value0.s4 * value1.s3 + value2.s7)));
    *(__global float8_unaligned *)(out0) = (float8)(sum0, sum1, sum2, sum3, sum4, sum5, sum6, sum7);
}

// linear: WMMA of 2 x 4 and 4 x 4
// form: out0[8] from in0[16]; 1 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    const float8 value0 = *(__global float8_unaligned *)(in0 + 1);
    const float16 value1 = *(__global float16_unaligned *)(in0);
    const float8 value2 = *(__global float8_unaligned *)(in0 + 2);
    const float sum0 = value0.s3 * value1.sc + (value0.s2 * value1.s8 + (value0.s1 * value1.s4 + (value0.s0 * value1.s0 + value2.s0)));
    const float sum1 = value0.s3 * value1.sd + (value0.s2 * value1.s9 + (value0.s1 * value1.s5 + (value0.s0 * value1.s1 + value2.s1)));
    const float sum2 = value0.s3 * value1.se + (value0.s2 * value1.sa + (value0.s1 * value1.s6 + (value0.s0 * value1.s2 + value2.s2)));
    const float sum3 = value0.s3 * value1.sf + (value0.s2 * value1.sb + (value0.s1 * value1.s7 + (value0.s0 * value1.s3 + value2.s3)));
    const float sum4 = value0.s7 * value1.sc + (value0.s6 * value1.s8 + (value0.s5 * value1.s4 + (value0.s4 * value1.s0 + value2.s4)));
    const float sum5 = value0.s7 * value1.sd + (value0.s6 * value1.s9 + (value0.s5 * value1.s5 + (value0.s4 * value1.s1 + value2.s5)));
    const float sum6 = value0.s7 * value1.se + (value0.s6 * value1.sa + (value0.s5 * value1.s6 + (value0.s4 * value1.s2 + value2.s6)));
    const float sum7 = value0.s7 * value1.sf + (value0.s6 * value1.sb + (value0.s5 * value1.s7 + (value0.s4 * value1.s3 + value2.s7)));
    *(__global float8_unaligned *)(out0) = (float8)(sum0, sum1, sum2, sum3, sum4, sum5, sum6, sum7);
}

// kernel: WMMA of 4 x 1 and 1 x 2; expanded: WMMA of 4 x 1 and 1 x 2
// form: out0[8] from in0[16]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const float4 value0 = *(__global float4_unaligned *)(in0 + 1);
    const float2 value1 = *(__global float2_unaligned *)(in0);
    const float8 value2 = *(__global float8_unaligned *)(in0 + 2);
    *(__global float8_unaligned *)(out0) = (float8)(value0.s0 * value1.s0 + value2.s0, value0.s0 * value1.s1 + value2.s1, value0.s1 * value1.s0 + value2.s2, value0.s1 * value1.s1 + value2.s3, value0.s2 * value1.s0 + value2.s4, value0.s2 * value1.s1 + value2.s5, value0.s3 * value1.s0 + value2.s6, value0.s3 * value1.s1 + value2.s7);
}

// linear: WMMA of 4 x 1 and 1 x 2
// form: out0[8] from in0[16]; 1 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    const float4 value0 = *(__global float4_unaligned *)(in0 + 1);
    const float2 value1 = *(__global float2_unaligned *)(in0);
    const float8 value2 = *(__global float8_unaligned *)(in0 + 2);
    *(__global float8_unaligned *)(out0) = (float8)(value0.s0 * value1.s0 + value2.s0, value0.s0 * value1.s1 + value2.s1, value0.s1 * value1.s0 + value2.s2, value0.s1 * value1.s1 + value2.s3, value0.s2 * value1.s0 + value2.s4, value0.s2 * value1.s1 + value2.s5, value0.s3 * value1.s0 + value2.s6, value0.s3 * value1.s1 + value2.s7);
}

// kernel: WMMA over a RANGE(REDUCE)
// form: out0[8] from in0[16]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    float4 acc0 = (float4)(0.0f);
    for (long k0 = 0; k0 < 2; k0++) {
        const long offset0 = k0 * 4;
        const float4 value0 = *(__global float4_unaligned *)(in0 + offset0);
        const long offset1 = offset0 + 8;
        const float4 value1 = *(__global float4_unaligned *)(in0 + offset1);
        acc0 = (float4)(value0.s1 * value1.s2 + (value0.s0 * value1.s0 + acc0.s0), value0.s1 * value1.s3 + (value0.s0 * value1.s1 + acc0.s1), value0.s3 * value1.s2 + (value0.s2 * value1.s0 + acc0.s2), value0.s3 * value1.s3 + (value0.s2 * value1.s1 + acc0.s3));
    }
    *(__global float4_unaligned *)(out0) = acc0 + (float4)(1.0f, 2.0f, 3.0f, 4.0f);
}

// kernel: WMMA over a RANGE(UNROLL)
// form: out0[8] from in0[16]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const float4 value0 = *(__global float4_unaligned *)(in0);
    const float4 value1 = *(__global float4_unaligned *)(in0 + 8);
    const float4 value2 = *(__global float4_unaligned *)(in0 + 4);
    const float4 value3 = *(__global float4_unaligned *)(in0 + 12);
    const float sum0 = value2.s1 * value3.s2 + (value2.s0 * value3.s0 + 0.0f);
    const float sum1 = value2.s3 * value3.s2 + (value2.s2 * value3.s0 + 0.0f);
    const float sum2 = value2.s1 * value3.s3 + (value2.s0 * value3.s1 + 0.0f);
    const float sum3 = value2.s3 * value3.s3 + (value2.s2 * value3.s1 + 0.0f);
    const float4 vector0 = (float4)(sum0, sum2, sum1, sum3);
    const float4 sum4 = (float4)(value0.s1 * value1.s2 + (value0.s0 * value1.s0 + sum0), value0.s1 * value1.s3 + (value0.s0 * value1.s1 + sum2), value0.s3 * value1.s2 + (value0.s2 * value1.s0 + sum1), value0.s3 * value1.s3 + (value0.s2 * value1.s1 + sum3)) + 0.0f;
    *(__global float4_unaligned *)(out0) = sum4 + (float4)(1.0f, 2.0f, 3.0f, 4.0f);
}

// kernel: WMMA on 1 thread
// form: out0[8] from in0[8], in1[4], in2[8]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global const float *in1, __global const float *in2, __global float *out0) {
    const float8 value0 = *(__global float8_unaligned *)(in0);
    const float4 value1 = *(__global float4_unaligned *)(in1);
    const float8 value2 = *(__global float8_unaligned *)(in2);
    *(__global float8_unaligned *)(out0) = (float8)(value0.s1 * value1.s2 + (value0.s0 * value1.s0 + value2.s0), value0.s1 * value1.s3 + (value0.s0 * value1.s1 + value2.s1), value0.s3 * value1.s2 + (value0.s2 * value1.s0 + value2.s2), value0.s3 * value1.s3 + (value0.s2 * value1.s1 + value2.s3), value0.s5 * value1.s2 + (value0.s4 * value1.s0 + value2.s4), value0.s5 * value1.s3 + (value0.s4 * value1.s1 + value2.s5), value0.s7 * value1.s2 + (value0.s6 * value1.s0 + value2.s6), value0.s7 * value1.s3 + (value0.s6 * value1.s1 + value2.s7));
}

// expanded: WMMA on 1 thread
// form: out0[8] from in0[8], in1[4], in2[8]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global const float *in1, __global const float *in2, __global float *out0) {
    const long offset0 = 0L * 1L + 0;
    const long offset1 = offset0 * 8;
    const long offset2 = offset0 * 1 + 0;
    const long offset3 = offset2 * 8;
    const float8 value0 = *(__global float8_unaligned *)(in0 + offset3);
    const long offset4 = offset2 * 4;
    const float4 value1 = *(__global float4_unaligned *)(in1 + offset4);
    const float8 value2 = *(__global float8_unaligned *)(in2 + offset1);
    *(__global float8_unaligned *)(out0 + offset1) = (float8)(value0.s1 * value1.s2 + (value0.s0 * value1.s0 + value2.s0), value0.s1 * value1.s3 + (value0.s0 * value1.s1 + value2.s1), value0.s3 * value1.s2 + (value0.s2 * value1.s0 + value2.s2), value0.s3 * value1.s3 + (value0.s2 * value1.s1 + value2.s3), value0.s5 * value1.s2 + (value0.s4 * value1.s0 + value2.s4), value0.s5 * value1.s3 + (value0.s4 * value1.s1 + value2.s5), value0.s7 * value1.s2 + (value0.s6 * value1.s0 + value2.s6), value0.s7 * value1.s3 + (value0.s6 * value1.s1 + value2.s7));
}

// kernel: WMMA on 1 thread over a RANGE
// form: out0[8] from in0[16], in1[8], in2[8]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global const float *in1, __global const float *in2, __global float *out0) {
    float8 acc0 = (float8)(0.0f);
    for (long k0 = 0; k0 < 2; k0++) {
        const long offset0 = k0 * 8;
        const float8 value0 = *(__global float8_unaligned *)(in0 + offset0);
        const long offset1 = k0 * 4;
        const float4 value1 = *(__global float4_unaligned *)(in1 + offset1);
        acc0 = (float8)(value0.s1 * value1.s2 + (value0.s0 * value1.s0 + acc0.s0), value0.s1 * value1.s3 + (value0.s0 * value1.s1 + acc0.s1), value0.s3 * value1.s2 + (value0.s2 * value1.s0 + acc0.s2), value0.s3 * value1.s3 + (value0.s2 * value1.s1 + acc0.s3), value0.s5 * value1.s2 + (value0.s4 * value1.s0 + acc0.s4), value0.s5 * value1.s3 + (value0.s4 * value1.s1 + acc0.s5), value0.s7 * value1.s2 + (value0.s6 * value1.s0 + acc0.s6), value0.s7 * value1.s3 + (value0.s6 * value1.s1 + acc0.s7));
    }
    *(__global float8_unaligned *)(out0) = acc0 + *(__global float8_unaligned *)(in2);
}

// expanded: WMMA on 1 thread over a RANGE
// form: out0[8] from in0[16], in1[8], in2[8]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global const float *in1, __global const float *in2, __global float *out0) {
    float8 acc0 = (float8)(0.0f);
    for (long k0 = 0; k0 < 2; k0++) {
        const long offset0 = (0L * 2L + k0) * 1 + 0;
        const long offset1 = offset0 * 8;
        const float8 value0 = *(__global float8_unaligned *)(in0 + offset1);
        const long offset2 = offset0 * 4;
        const float4 value1 = *(__global float4_unaligned *)(in1 + offset2);
        acc0 = (float8)(value0.s1 * value1.s2 + (value0.s0 * value1.s0 + acc0.s0), value0.s1 * value1.s3 + (value0.s0 * value1.s1 + acc0.s1), value0.s3 * value1.s2 + (value0.s2 * value1.s0 + acc0.s2), value0.s3 * value1.s3 + (value0.s2 * value1.s1 + acc0.s3), value0.s5 * value1.s2 + (value0.s4 * value1.s0 + acc0.s4), value0.s5 * value1.s3 + (value0.s4 * value1.s1 + acc0.s5), value0.s7 * value1.s2 + (value0.s6 * value1.s0 + acc0.s6), value0.s7 * value1.s3 + (value0.s6 * value1.s1 + acc0.s7));
    }
    const long offset3 = (0L * 1L + 0) * 8;
    *(__global float8_unaligned *)(out0 + offset3) = acc0 + *(__global float8_unaligned *)(in2 + offset3);
}

// kernel: WMMA on 2 threads
// form: out0[4] from in0[6], in1[6], in2[4]; 2 work-items in groups of 2
__kernel void form(__global const float *in0, __global const float *in1, __global const float *in2, __global float *out0) {
    __local float shared1[6];
    __local float shared0[6];
    const long lid0 = get_local_id(0);
    const long offset0 = lid0 % 2 % 2;
    const long offset1 = offset0 * 3;
    const long offset2 = offset0 * 2;
    const long offset3 = offset2 + 1;
    const long offset4 = lid0 / 2 * 6;
    const long offset5 = offset1 + offset4;
    const long offset6 = offset1 + 1 + offset4;
    const long offset7 = offset1 + 2 + offset4;
    const long offset8 = offset2 / 2 * 3 + offset4;
    const long offset9 = offset2 % 2 + offset4;
    const long offset10 = offset3 / 2 * 3 + offset4;
    const long offset11 = offset3 % 2 + offset4;
    const long offset12 = lid0 * 2;
    const long offset13 = lid0 * 3;
    const float3 value0 = vload3(0, in0 + offset13);
    const float3 value1 = vload3(0, in1 + offset13);
    const float2 value2 = *(__global float2_unaligned *)(in2 + offset12);
    shared0[offset5] = value0.s0;
    shared0[offset6] = value0.s1;
    shared0[offset7] = value0.s2;
    shared1[offset5] = value1.s0;
    shared1[offset6] = value1.s1;
    shared1[offset7] = value1.s2;
    barrier(CLK_LOCAL_MEM_FENCE);
    const float sum0 = shared0[offset8 + 1] * shared1[offset9 + 2] + (shared0[offset8] * shared1[offset9] + value2.s0);
    const float sum1 = shared0[offset10 + 1] * shared1[offset11 + 2] + (shared0[offset10] * shared1[offset11] + value2.s1);
    *(__global float2_unaligned *)(out0 + offset12) = (float2)(shared0[offset8 + 2] * shared1[offset9 + 4] + sum0, shared0[offset10 + 2] * shared1[offset11 + 4] + sum1);
}

// expanded: WMMA on 2 threads
// form: out0[4] from in0[6], in1[6], in2[4]; 2 work-items in groups of 2
__kernel void form(__global const float *in0, __global const float *in1, __global const float *in2, __global float *out0) {
    __local float shared1[6];
    __local float shared0[6];
    const long lid0 = get_local_id(0);
    const long offset0 = lid0 % 2 % 2;
    const long offset1 = offset0 * 3;
    const long offset2 = offset0 * 2;
    const long offset3 = offset2 + 1;
    const long offset4 = lid0 / 2 * 6;
    const long offset5 = offset1 + offset4;
    const long offset6 = offset1 + 1 + offset4;
    const long offset7 = offset1 + 2 + offset4;
    const long offset8 = offset2 / 2 * 3 + offset4;
    const long offset9 = offset2 % 2 + offset4;
    const long offset10 = offset3 / 2 * 3 + offset4;
    const long offset11 = offset3 % 2 + offset4;
    const long offset12 = (0L * 2L + lid0) * 2;
    const long offset13 = ((0L * 1L + 0) * 2 + lid0) * 3;
    const float3 value0 = vload3(0, in0 + offset13);
    const float3 value1 = vload3(0, in1 + offset13);
    const float2 value2 = *(__global float2_unaligned *)(in2 + offset12);
    shared0[offset5] = value0.s0;
    shared0[offset6] = value0.s1;
    shared0[offset7] = value0.s2;
    shared1[offset5] = value1.s0;
    shared1[offset6] = value1.s1;
    shared1[offset7] = value1.s2;
    barrier(CLK_LOCAL_MEM_FENCE);
    const float sum0 = shared0[offset8 + 1] * shared1[offset9 + 2] + (shared0[offset8] * shared1[offset9] + value2.s0);
    const float sum1 = shared0[offset10 + 1] * shared1[offset11 + 2] + (shared0[offset10] * shared1[offset11] + value2.s1);
    *(__global float2_unaligned *)(out0 + offset12) = (float2)(shared0[offset8 + 2] * shared1[offset9 + 4] + sum0, shared0[offset10 + 2] * shared1[offset11 + 4] + sum1);
}

// kernel: WMMA on 2 threads over a RANGE
// form: out0[4] from in0[12], in1[12], in2[4]; 2 work-items in groups of 2
__kernel void form(__global const float *in0, __global const float *in1, __global const float *in2, __global float *out0) {
    __local float shared1[6];
    __local float shared0[6];
    const long lid0 = get_local_id(0);
    const long offset0 = lid0 % 2 % 2;
    const long offset1 = offset0 * 3;
    const long offset2 = offset0 * 2;
    const long offset3 = offset2 + 1;
    const long offset4 = lid0 / 2 * 6;
    const long offset5 = offset1 + offset4;
    const long offset6 = offset1 + 1 + offset4;
    const long offset7 = offset1 + 2 + offset4;
    const long offset8 = offset2 / 2 * 3 + offset4;
    const long offset9 = offset2 % 2 + offset4;
    const long offset10 = offset3 / 2 * 3 + offset4;
    const long offset11 = offset3 % 2 + offset4;
    float2 acc0 = (float2)(0.0f);
    for (long k0 = 0; k0 < 2; k0++) {
        const long offset12 = lid0 * 3 + k0 * 6;
        const float3 value0 = vload3(0, in0 + offset12);
        const float3 value1 = vload3(0, in1 + offset12);
        barrier(CLK_LOCAL_MEM_FENCE);
        shared0[offset5] = value0.s0;
        shared0[offset6] = value0.s1;
        shared0[offset7] = value0.s2;
        shared1[offset5] = value1.s0;
        shared1[offset6] = value1.s1;
        shared1[offset7] = value1.s2;
        barrier(CLK_LOCAL_MEM_FENCE);
        const float sum0 = shared0[offset8 + 1] * shared1[offset9 + 2] + (shared0[offset8] * shared1[offset9] + acc0.s0);
        const float sum1 = shared0[offset10 + 1] * shared1[offset11 + 2] + (shared0[offset10] * shared1[offset11] + acc0.s1);
        acc0 = (float2)(shared0[offset8 + 2] * shared1[offset9 + 4] + sum0, shared0[offset10 + 2] * shared1[offset11 + 4] + sum1);
    }
    const long offset13 = lid0 * 2;
    *(__global float2_unaligned *)(out0 + offset13) = acc0 + *(__global float2_unaligned *)(in2 + offset13);
}

// expanded: WMMA on 2 threads over a RANGE
// form: out0[4] from in0[12], in1[12], in2[4]; 2 work-items in groups of 2
__kernel void form(__global const float *in0, __global const float *in1, __global const float *in2, __global float *out0) {
    __local float shared1[6];
    __local float shared0[6];
    const long lid0 = get_local_id(0);
    const long offset0 = lid0 % 2 % 2;
    const long offset1 = offset0 * 3;
    const long offset2 = offset0 * 2;
    const long offset3 = offset2 + 1;
    const long offset4 = lid0 / 2 * 6;
    const long offset5 = offset1 + offset4;
    const long offset6 = offset1 + 1 + offset4;
    const long offset7 = offset1 + 2 + offset4;
    const long offset8 = offset2 / 2 * 3 + offset4;
    const long offset9 = offset2 % 2 + offset4;
    const long offset10 = offset3 / 2 * 3 + offset4;
    const long offset11 = offset3 % 2 + offset4;
    const long offset12 = 0L * 2L;
    float2 acc0 = (float2)(0.0f);
    for (long k0 = 0; k0 < 2; k0++) {
        const long offset13 = ((offset12 + k0) * 2 + lid0) * 3;
        const float3 value0 = vload3(0, in0 + offset13);
        const float3 value1 = vload3(0, in1 + offset13);
        barrier(CLK_LOCAL_MEM_FENCE);
        shared0[offset5] = value0.s0;
        shared0[offset6] = value0.s1;
        shared0[offset7] = value0.s2;
        shared1[offset5] = value1.s0;
        shared1[offset6] = value1.s1;
        shared1[offset7] = value1.s2;
        barrier(CLK_LOCAL_MEM_FENCE);
        const float sum0 = shared0[offset8 + 1] * shared1[offset9 + 2] + (shared0[offset8] * shared1[offset9] + acc0.s0);
        const float sum1 = shared0[offset10 + 1] * shared1[offset11 + 2] + (shared0[offset10] * shared1[offset11] + acc0.s1);
        acc0 = (float2)(shared0[offset8 + 2] * shared1[offset9 + 4] + sum0, shared0[offset10 + 2] * shared1[offset11 + 4] + sum1);
    }
    const long offset14 = (offset12 + lid0) * 2;
    *(__global float2_unaligned *)(out0 + offset14) = acc0 + *(__global float2_unaligned *)(in2 + offset14);
}

// kernel: WMMA on 4 threads, one lane
// form: out0[4] from in0[4], in1[4], in2[4]; 4 work-items in groups of 4
__kernel void form(__global const float *in0, __global const float *in1, __global const float *in2, __global float *out0) {
    __local float shared1[4];
    __local float shared0[4];
    const long lid0 = get_local_id(0);
    const long offset0 = lid0 % 4 % 4;
    const long offset1 = lid0 / 4 * 4;
    const long offset2 = offset0 + offset1;
    const long offset3 = offset0 / 2 * 2 + offset1;
    const long offset4 = offset0 % 2 + offset1;
    shared0[offset2] = in0[lid0];
    shared1[offset2] = in1[lid0];
    barrier(CLK_LOCAL_MEM_FENCE);
    out0[lid0] = shared0[offset3 + 1] * shared1[offset4 + 2] + (shared0[offset3] * shared1[offset4] + in2[lid0]);
}

// expanded: WMMA on 4 threads, one lane
// form: out0[4] from in0[4], in1[4], in2[4]; 4 work-items in groups of 4
__kernel void form(__global const float *in0, __global const float *in1, __global const float *in2, __global float *out0) {
    __local float shared1[4];
    __local float shared0[4];
    const long lid0 = get_local_id(0);
    const long offset0 = lid0 % 4 % 4;
    const long offset1 = lid0 / 4 * 4;
    const long offset2 = offset0 + offset1;
    const long offset3 = offset0 / 2 * 2 + offset1;
    const long offset4 = offset0 % 2 + offset1;
    const long offset5 = (0L * 4L + lid0) * 1;
    const long offset6 = ((0L * 1L + 0) * 4 + lid0) * 1;
    shared0[offset2] = in0[offset6];
    shared1[offset2] = in1[offset6];
    barrier(CLK_LOCAL_MEM_FENCE);
    out0[offset5] = shared0[offset3 + 1] * shared1[offset4 + 2] + (shared0[offset3] * shared1[offset4] + in2[offset5]);
}

// kernel: WMMA on 4 threads, one lane over a RANGE
// form: out0[4] from in0[8], in1[8], in2[4]; 4 work-items in groups of 4
__kernel void form(__global const float *in0, __global const float *in1, __global const float *in2, __global float *out0) {
    __local float shared1[4];
    __local float shared0[4];
    const long lid0 = get_local_id(0);
    const long offset0 = lid0 % 4 % 4;
    const long offset1 = lid0 / 4 * 4;
    const long offset2 = offset0 + offset1;
    const long offset3 = offset0 / 2 * 2 + offset1;
    const long offset4 = offset0 % 2 + offset1;
    float acc0 = 0.0f;
    for (long k0 = 0; k0 < 2; k0++) {
        const long offset5 = lid0 + k0 * 4;
        barrier(CLK_LOCAL_MEM_FENCE);
        shared0[offset2] = in0[offset5];
        shared1[offset2] = in1[offset5];
        barrier(CLK_LOCAL_MEM_FENCE);
        acc0 = shared0[offset3 + 1] * shared1[offset4 + 2] + (shared0[offset3] * shared1[offset4] + acc0);
    }
    out0[lid0] = acc0 + in2[lid0];
}

// expanded: WMMA on 4 threads, one lane over a RANGE
// form: out0[4] from in0[8], in1[8], in2[4]; 4 work-items in groups of 4
__kernel void form(__global const float *in0, __global const float *in1, __global const float *in2, __global float *out0) {
    __local float shared1[4];
    __local float shared0[4];
    const long lid0 = get_local_id(0);
    const long offset0 = lid0 % 4 % 4;
    const long offset1 = lid0 / 4 * 4;
    const long offset2 = offset0 + offset1;
    const long offset3 = offset0 / 2 * 2 + offset1;
    const long offset4 = offset0 % 2 + offset1;
    float acc0 = 0.0f;
    for (long k0 = 0; k0 < 2; k0++) {
        const long offset5 = ((0L * 2L + k0) * 4 + lid0) * 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        shared0[offset2] = in0[offset5];
        shared1[offset2] = in1[offset5];
        barrier(CLK_LOCAL_MEM_FENCE);
        acc0 = shared0[offset3 + 1] * shared1[offset4 + 2] + (shared0[offset3] * shared1[offset4] + acc0);
    }
    const long offset6 = (0L * 4L + lid0) * 1;
    out0[offset6] = acc0 + in2[offset6];
}

// kernel: WMMA on 5 threads
// form: out0[10] from in0[20], in1[10], in2[10]; 5 work-items in groups of 5
__kernel void form(__global const float *in0, __global const float *in1, __global const float *in2, __global float *out0) {
    __local float shared1[10];
    __local float shared0[4];
    const long lid0 = get_local_id(0);
    const long offset0 = lid0 % 5;
    const bool condition0 = offset0 < 1;
    const long offset1 = offset0 % 5 * 2;
    const long offset2 = offset1 + 1;
    const long offset3 = lid0 / 5;
    const long offset4 = offset3 * 4;
    const long offset5 = offset1 / 5 * 2 + offset4;
    const long offset6 = offset2 / 5 * 2 + offset4;
    const long offset7 = offset3 * 10;
    const long offset8 = offset1 % 5 + offset7;
    const long offset9 = offset2 % 5 + offset7;
    const long offset10 = lid0 * 2;
    const long offset11 = lid0 * 4;
    const float4 value0 = *(__global float4_unaligned *)(in0 + offset11);
    const float2 value1 = *(__global float2_unaligned *)(in1 + offset10);
    const float2 value2 = *(__global float2_unaligned *)(in2 + offset10);
    if (condition0) shared0[offset4] = value0.s0;
    if (condition0) shared0[offset4 + 1] = value0.s1;
    if (condition0) shared0[offset4 + 2] = value0.s2;
    if (condition0) shared0[offset4 + 3] = value0.s3;
    shared1[offset1 + offset7] = value1.s0;
    shared1[offset2 + offset7] = value1.s1;
    barrier(CLK_LOCAL_MEM_FENCE);
    const float sum0 = shared0[offset5 + 1] * shared1[offset8 + 5] + (shared0[offset5] * shared1[offset8] + value2.s0);
    const float sum1 = shared0[offset6 + 1] * shared1[offset9 + 5] + (shared0[offset6] * shared1[offset9] + value2.s1);
    *(__global float2_unaligned *)(out0 + offset10) = (float2)(sum0, sum1);
}

// expanded: WMMA on 5 threads
// form: out0[10] from in0[20], in1[10], in2[10]; 5 work-items in groups of 5
__kernel void form(__global const float *in0, __global const float *in1, __global const float *in2, __global float *out0) {
    __local float shared1[10];
    __local float shared0[4];
    const long lid0 = get_local_id(0);
    const long offset0 = lid0 % 5;
    const bool condition0 = offset0 < 1;
    const long offset1 = offset0 % 5 * 2;
    const long offset2 = offset1 + 1;
    const long offset3 = lid0 / 5;
    const long offset4 = offset3 * 4;
    const long offset5 = offset1 / 5 * 2 + offset4;
    const long offset6 = offset2 / 5 * 2 + offset4;
    const long offset7 = offset3 * 10;
    const long offset8 = offset1 % 5 + offset7;
    const long offset9 = offset2 % 5 + offset7;
    const long offset10 = (0L * 5L + lid0) * 2;
    const long offset11 = (0L * 1L + 0) * 5 + lid0;
    const long offset12 = offset11 * 4;
    const float4 value0 = *(__global float4_unaligned *)(in0 + offset12);
    const long offset13 = offset11 * 2;
    const float2 value1 = *(__global float2_unaligned *)(in1 + offset13);
    const float2 value2 = *(__global float2_unaligned *)(in2 + offset10);
    if (condition0) shared0[offset4] = value0.s0;
    if (condition0) shared0[offset4 + 1] = value0.s1;
    if (condition0) shared0[offset4 + 2] = value0.s2;
    if (condition0) shared0[offset4 + 3] = value0.s3;
    shared1[offset1 + offset7] = value1.s0;
    shared1[offset2 + offset7] = value1.s1;
    barrier(CLK_LOCAL_MEM_FENCE);
    const float sum0 = shared0[offset5 + 1] * shared1[offset8 + 5] + (shared0[offset5] * shared1[offset8] + value2.s0);
    const float sum1 = shared0[offset6 + 1] * shared1[offset9 + 5] + (shared0[offset6] * shared1[offset9] + value2.s1);
    *(__global float2_unaligned *)(out0 + offset10) = (float2)(sum0, sum1);
}

// kernel: WMMA on 5 threads over a RANGE
// form: out0[10] from in0[40], in1[20], in2[10]; 5 work-items in groups of 5
__kernel void form(__global const float *in0, __global const float *in1, __global const float *in2, __global float *out0) {
    __local float shared1[10];
    __local float shared0[4];
    const long lid0 = get_local_id(0);
    const long offset0 = lid0 % 5;
    const bool condition0 = offset0 < 1;
    const long offset1 = offset0 % 5 * 2;
    const long offset2 = offset1 + 1;
    const long offset3 = lid0 / 5;
    const long offset4 = offset3 * 4;
    const long offset5 = offset1 / 5 * 2 + offset4;
    const long offset6 = offset2 / 5 * 2 + offset4;
    const long offset7 = offset3 * 10;
    const long offset8 = offset1 % 5 + offset7;
    const long offset9 = offset2 % 5 + offset7;
    const long offset10 = lid0 * 2;
    float2 acc0 = (float2)(0.0f);
    for (long k0 = 0; k0 < 2; k0++) {
        const long offset11 = lid0 * 4 + k0 * 20;
        const float4 value0 = *(__global float4_unaligned *)(in0 + offset11);
        const long offset12 = offset10 + k0 * 10;
        const float2 value1 = *(__global float2_unaligned *)(in1 + offset12);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (condition0) shared0[offset4] = value0.s0;
        if (condition0) shared0[offset4 + 1] = value0.s1;
        if (condition0) shared0[offset4 + 2] = value0.s2;
        if (condition0) shared0[offset4 + 3] = value0.s3;
        shared1[offset1 + offset7] = value1.s0;
        shared1[offset2 + offset7] = value1.s1;
        barrier(CLK_LOCAL_MEM_FENCE);
        const float sum0 = shared0[offset5 + 1] * shared1[offset8 + 5] + (shared0[offset5] * shared1[offset8] + acc0.s0);
        const float sum1 = shared0[offset6 + 1] * shared1[offset9 + 5] + (shared0[offset6] * shared1[offset9] + acc0.s1);
        acc0 = (float2)(sum0, sum1);
    }
    *(__global float2_unaligned *)(out0 + offset10) = acc0 + *(__global float2_unaligned *)(in2 + offset10);
}

// expanded: WMMA on 5 threads over a RANGE
// form: out0[10] from in0[40], in1[20], in2[10]; 5 work-items in groups of 5
__kernel void form(__global const float *in0, __global const float *in1, __global const float *in2, __global float *out0) {
    __local float shared1[10];
    __local float shared0[4];
    const long lid0 = get_local_id(0);
    const long offset0 = lid0 % 5;
    const bool condition0 = offset0 < 1;
    const long offset1 = offset0 % 5 * 2;
    const long offset2 = offset1 + 1;
    const long offset3 = lid0 / 5;
    const long offset4 = offset3 * 4;
    const long offset5 = offset1 / 5 * 2 + offset4;
    const long offset6 = offset2 / 5 * 2 + offset4;
    const long offset7 = offset3 * 10;
    const long offset8 = offset1 % 5 + offset7;
    const long offset9 = offset2 % 5 + offset7;
    float2 acc0 = (float2)(0.0f);
    for (long k0 = 0; k0 < 2; k0++) {
        const long offset10 = (0L * 2L + k0) * 5 + lid0;
        const long offset11 = offset10 * 4;
        const float4 value0 = *(__global float4_unaligned *)(in0 + offset11);
        const long offset12 = offset10 * 2;
        const float2 value1 = *(__global float2_unaligned *)(in1 + offset12);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (condition0) shared0[offset4] = value0.s0;
        if (condition0) shared0[offset4 + 1] = value0.s1;
        if (condition0) shared0[offset4 + 2] = value0.s2;
        if (condition0) shared0[offset4 + 3] = value0.s3;
        shared1[offset1 + offset7] = value1.s0;
        shared1[offset2 + offset7] = value1.s1;
        barrier(CLK_LOCAL_MEM_FENCE);
        const float sum0 = shared0[offset5 + 1] * shared1[offset8 + 5] + (shared0[offset5] * shared1[offset8] + acc0.s0);
        const float sum1 = shared0[offset6 + 1] * shared1[offset9 + 5] + (shared0[offset6] * shared1[offset9] + acc0.s1);
        acc0 = (float2)(sum0, sum1);
    }
    const long offset13 = (0L * 5L + lid0) * 2;
    *(__global float2_unaligned *)(out0 + offset13) = acc0 + *(__global float2_unaligned *)(in2 + offset13);
}

// kernel: WMMA on 8 threads, two hold the same
// form: out0[16] from in0[32], in1[32], in2[16]; 8 work-items in groups of 8
__kernel void form(__global const float *in0, __global const float *in1, __global const float *in2, __global float *out0) {
    __local float shared1[16];
    __local float shared0[16];
    const long lid0 = get_local_id(0);
    const long offset0 = lid0 % 8;
    const bool condition0 = offset0 / 4 < 1;
    const long offset1 = offset0 % 4 * 4;
    const long offset2 = offset0 % 8 * 2;
    const long offset3 = offset2 + 1;
    const long offset4 = lid0 / 8 * 16;
    const long offset5 = offset1 + offset4;
    const long offset6 = offset1 + 1 + offset4;
    const long offset7 = offset1 + 2 + offset4;
    const long offset8 = offset1 + 3 + offset4;
    const long offset9 = offset2 / 4 * 4 + offset4;
    const long offset10 = offset2 % 4 + offset4;
    const long offset11 = offset3 / 4 * 4 + offset4;
    const long offset12 = offset3 % 4 + offset4;
    const long offset13 = lid0 * 2;
    const long offset14 = lid0 * 4;
    const float4 value0 = *(__global float4_unaligned *)(in0 + offset14);
    const float4 value1 = *(__global float4_unaligned *)(in1 + offset14);
    const float2 value2 = *(__global float2_unaligned *)(in2 + offset13);
    if (condition0) shared0[offset5] = value0.s0;
    if (condition0) shared0[offset6] = value0.s1;
    if (condition0) shared0[offset7] = value0.s2;
    if (condition0) shared0[offset8] = value0.s3;
    if (condition0) shared1[offset5] = value1.s0;
    if (condition0) shared1[offset6] = value1.s1;
    if (condition0) shared1[offset7] = value1.s2;
    if (condition0) shared1[offset8] = value1.s3;
    barrier(CLK_LOCAL_MEM_FENCE);
    const float sum0 = shared0[offset9 + 1] * shared1[offset10 + 4] + (shared0[offset9] * shared1[offset10] + value2.s0);
    const float sum1 = shared0[offset9 + 3] * shared1[offset10 + 12] + (shared0[offset9 + 2] * shared1[offset10 + 8] + sum0);
    const float sum2 = shared0[offset11 + 1] * shared1[offset12 + 4] + (shared0[offset11] * shared1[offset12] + value2.s1);
    const float sum3 = shared0[offset11 + 3] * shared1[offset12 + 12] + (shared0[offset11 + 2] * shared1[offset12 + 8] + sum2);
    *(__global float2_unaligned *)(out0 + offset13) = (float2)(sum1, sum3);
}

// expanded: WMMA on 8 threads, two hold the same
// form: out0[16] from in0[32], in1[32], in2[16]; 8 work-items in groups of 8
__kernel void form(__global const float *in0, __global const float *in1, __global const float *in2, __global float *out0) {
    __local float shared1[16];
    __local float shared0[16];
    const long lid0 = get_local_id(0);
    const long offset0 = lid0 % 8;
    const bool condition0 = offset0 / 4 < 1;
    const long offset1 = offset0 % 4 * 4;
    const long offset2 = offset0 % 8 * 2;
    const long offset3 = offset2 + 1;
    const long offset4 = lid0 / 8 * 16;
    const long offset5 = offset1 + offset4;
    const long offset6 = offset1 + 1 + offset4;
    const long offset7 = offset1 + 2 + offset4;
    const long offset8 = offset1 + 3 + offset4;
    const long offset9 = offset2 / 4 * 4 + offset4;
    const long offset10 = offset2 % 4 + offset4;
    const long offset11 = offset3 / 4 * 4 + offset4;
    const long offset12 = offset3 % 4 + offset4;
    const long offset13 = (0L * 8L + lid0) * 2;
    const long offset14 = ((0L * 1L + 0) * 8 + lid0) * 4;
    const float4 value0 = *(__global float4_unaligned *)(in0 + offset14);
    const float4 value1 = *(__global float4_unaligned *)(in1 + offset14);
    const float2 value2 = *(__global float2_unaligned *)(in2 + offset13);
    if (condition0) shared0[offset5] = value0.s0;
    if (condition0) shared0[offset6] = value0.s1;
    if (condition0) shared0[offset7] = value0.s2;
    if (condition0) shared0[offset8] = value0.s3;
    if (condition0) shared1[offset5] = value1.s0;
    if (condition0) shared1[offset6] = value1.s1;
    if (condition0) shared1[offset7] = value1.s2;
    if (condition0) shared1[offset8] = value1.s3;
    barrier(CLK_LOCAL_MEM_FENCE);
    const float sum0 = shared0[offset9 + 1] * shared1[offset10 + 4] + (shared0[offset9] * shared1[offset10] + value2.s0);
    const float sum1 = shared0[offset9 + 3] * shared1[offset10 + 12] + (shared0[offset9 + 2] * shared1[offset10 + 8] + sum0);
    const float sum2 = shared0[offset11 + 1] * shared1[offset12 + 4] + (shared0[offset11] * shared1[offset12] + value2.s1);
    const float sum3 = shared0[offset11 + 3] * shared1[offset12 + 12] + (shared0[offset11 + 2] * shared1[offset12 + 8] + sum2);
    *(__global float2_unaligned *)(out0 + offset13) = (float2)(sum1, sum3);
}

// kernel: WMMA on 8 threads, two hold the same over a RANGE
// form: out0[16] from in0[64], in1[64], in2[16]; 8 work-items in groups of 8
__kernel void form(__global const float *in0, __global const float *in1, __global const float *in2, __global float *out0) {
    __local float shared1[16];
    __local float shared0[16];
    const long lid0 = get_local_id(0);
    const long offset0 = lid0 % 8;
    const bool condition0 = offset0 / 4 < 1;
    const long offset1 = offset0 % 4 * 4;
    const long offset2 = offset0 % 8 * 2;
    const long offset3 = offset2 + 1;
    const long offset4 = lid0 / 8 * 16;
    const long offset5 = offset1 + offset4;
    const long offset6 = offset1 + 1 + offset4;
    const long offset7 = offset1 + 2 + offset4;
    const long offset8 = offset1 + 3 + offset4;
    const long offset9 = offset2 / 4 * 4 + offset4;
    const long offset10 = offset2 % 4 + offset4;
    const long offset11 = offset3 / 4 * 4 + offset4;
    const long offset12 = offset3 % 4 + offset4;
    float2 acc0 = (float2)(0.0f);
    for (long k0 = 0; k0 < 2; k0++) {
        const long offset13 = lid0 * 4 + k0 * 32;
        const float4 value0 = *(__global float4_unaligned *)(in0 + offset13);
        const float4 value1 = *(__global float4_unaligned *)(in1 + offset13);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (condition0) shared0[offset5] = value0.s0;
        if (condition0) shared0[offset6] = value0.s1;
        if (condition0) shared0[offset7] = value0.s2;
        if (condition0) shared0[offset8] = value0.s3;
        if (condition0) shared1[offset5] = value1.s0;
        if (condition0) shared1[offset6] = value1.s1;
        if (condition0) shared1[offset7] = value1.s2;
        if (condition0) shared1[offset8] = value1.s3;
        barrier(CLK_LOCAL_MEM_FENCE);
        const float sum0 = shared0[offset9 + 1] * shared1[offset10 + 4] + (shared0[offset9] * shared1[offset10] + acc0.s0);
        const float sum1 = shared0[offset9 + 3] * shared1[offset10 + 12] + (shared0[offset9 + 2] * shared1[offset10 + 8] + sum0);
        const float sum2 = shared0[offset11 + 1] * shared1[offset12 + 4] + (shared0[offset11] * shared1[offset12] + acc0.s1);
        const float sum3 = shared0[offset11 + 3] * shared1[offset12 + 12] + (shared0[offset11 + 2] * shared1[offset12 + 8] + sum2);
        acc0 = (float2)(sum1, sum3);
    }
    const long offset14 = lid0 * 2;
    *(__global float2_unaligned *)(out0 + offset14) = acc0 + *(__global float2_unaligned *)(in2 + offset14);
}

// expanded: WMMA on 8 threads, two hold the same over a RANGE
// form: out0[16] from in0[64], in1[64], in2[16]; 8 work-items in groups of 8
__kernel void form(__global const float *in0, __global const float *in1, __global const float *in2, __global float *out0) {
    __local float shared1[16];
    __local float shared0[16];
    const long lid0 = get_local_id(0);
    const long offset0 = lid0 % 8;
    const bool condition0 = offset0 / 4 < 1;
    const long offset1 = offset0 % 4 * 4;
    const long offset2 = offset0 % 8 * 2;
    const long offset3 = offset2 + 1;
    const long offset4 = lid0 / 8 * 16;
    const long offset5 = offset1 + offset4;
    const long offset6 = offset1 + 1 + offset4;
    const long offset7 = offset1 + 2 + offset4;
    const long offset8 = offset1 + 3 + offset4;
    const long offset9 = offset2 / 4 * 4 + offset4;
    const long offset10 = offset2 % 4 + offset4;
    const long offset11 = offset3 / 4 * 4 + offset4;
    const long offset12 = offset3 % 4 + offset4;
    float2 acc0 = (float2)(0.0f);
    for (long k0 = 0; k0 < 2; k0++) {
        const long offset13 = ((0L * 2L + k0) * 8 + lid0) * 4;
        const float4 value0 = *(__global float4_unaligned *)(in0 + offset13);
        const float4 value1 = *(__global float4_unaligned *)(in1 + offset13);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (condition0) shared0[offset5] = value0.s0;
        if (condition0) shared0[offset6] = value0.s1;
        if (condition0) shared0[offset7] = value0.s2;
        if (condition0) shared0[offset8] = value0.s3;
        if (condition0) shared1[offset5] = value1.s0;
        if (condition0) shared1[offset6] = value1.s1;
        if (condition0) shared1[offset7] = value1.s2;
        if (condition0) shared1[offset8] = value1.s3;
        barrier(CLK_LOCAL_MEM_FENCE);
        const float sum0 = shared0[offset9 + 1] * shared1[offset10 + 4] + (shared0[offset9] * shared1[offset10] + acc0.s0);
        const float sum1 = shared0[offset9 + 3] * shared1[offset10 + 12] + (shared0[offset9 + 2] * shared1[offset10 + 8] + sum0);
        const float sum2 = shared0[offset11 + 1] * shared1[offset12 + 4] + (shared0[offset11] * shared1[offset12] + acc0.s1);
        const float sum3 = shared0[offset11 + 3] * shared1[offset12 + 12] + (shared0[offset11 + 2] * shared1[offset12 + 8] + sum2);
        acc0 = (float2)(sum1, sum3);
    }
    const long offset14 = (0L * 8L + lid0) * 2;
    *(__global float2_unaligned *)(out0 + offset14) = acc0 + *(__global float2_unaligned *)(in2 + offset14);
}

// kernel: WMMA on 16 threads
// form: out0[64] from in0[32], in1[32], in2[64]; 16 work-items in groups of 16
__kernel void form(__global const float *in0, __global const float *in1, __global const float *in2, __global float *out0) {
    __local float shared1[32];
    __local float shared0[32];
    const long lid0 = get_local_id(0);
    const long offset0 = lid0 % 16 % 16;
    const long offset1 = offset0 * 2;
    const long offset2 = offset0 * 4;
    const long offset3 = offset2 + 1;
    const long offset4 = offset2 + 2;
    const long offset5 = offset2 + 3;
    const long offset6 = lid0 / 16 * 32;
    const long offset7 = offset1 + offset6;
    const long offset8 = offset1 + 1 + offset6;
    const long offset9 = offset2 / 8 * 4 + offset6;
    const long offset10 = offset2 % 8 + offset6;
    const long offset11 = offset3 / 8 * 4 + offset6;
    const long offset12 = offset3 % 8 + offset6;
    const long offset13 = offset4 / 8 * 4 + offset6;
    const long offset14 = offset4 % 8 + offset6;
    const long offset15 = offset5 / 8 * 4 + offset6;
    const long offset16 = offset5 % 8 + offset6;
    const long offset17 = lid0 * 4;
    const long offset18 = lid0 * 2;
    const float2 value0 = *(__global float2_unaligned *)(in0 + offset18);
    const float2 value1 = *(__global float2_unaligned *)(in1 + offset18);
    const float4 value2 = *(__global float4_unaligned *)(in2 + offset17);
    shared0[offset7] = value0.s0;
    shared0[offset8] = value0.s1;
    shared1[offset7] = value1.s0;
    shared1[offset8] = value1.s1;
    barrier(CLK_LOCAL_MEM_FENCE);
    const float sum0 = shared0[offset9 + 1] * shared1[offset10 + 8] + (shared0[offset9] * shared1[offset10] + value2.s0);
    const float sum1 = shared0[offset9 + 3] * shared1[offset10 + 24] + (shared0[offset9 + 2] * shared1[offset10 + 16] + sum0);
    const float sum2 = shared0[offset11 + 1] * shared1[offset12 + 8] + (shared0[offset11] * shared1[offset12] + value2.s1);
    const float sum3 = shared0[offset11 + 3] * shared1[offset12 + 24] + (shared0[offset11 + 2] * shared1[offset12 + 16] + sum2);
    const float sum4 = shared0[offset13 + 1] * shared1[offset14 + 8] + (shared0[offset13] * shared1[offset14] + value2.s2);
    const float sum5 = shared0[offset13 + 3] * shared1[offset14 + 24] + (shared0[offset13 + 2] * shared1[offset14 + 16] + sum4);
    const float sum6 = shared0[offset15 + 1] * shared1[offset16 + 8] + (shared0[offset15] * shared1[offset16] + value2.s3);
    const float sum7 = shared0[offset15 + 3] * shared1[offset16 + 24] + (shared0[offset15 + 2] * shared1[offset16 + 16] + sum6);
    *(__global float4_unaligned *)(out0 + offset17) = (float4)(sum1, sum3, sum5, sum7);
}

// expanded: WMMA on 16 threads
// form: out0[64] from in0[32], in1[32], in2[64]; 16 work-items in groups of 16
__kernel void form(__global const float *in0, __global const float *in1, __global const float *in2, __global float *out0) {
    __local float shared1[32];
    __local float shared0[32];
    const long lid0 = get_local_id(0);
    const long offset0 = lid0 % 16 % 16;
    const long offset1 = offset0 * 2;
    const long offset2 = offset0 * 4;
    const long offset3 = offset2 + 1;
    const long offset4 = offset2 + 2;
    const long offset5 = offset2 + 3;
    const long offset6 = lid0 / 16 * 32;
    const long offset7 = offset1 + offset6;
    const long offset8 = offset1 + 1 + offset6;
    const long offset9 = offset2 / 8 * 4 + offset6;
    const long offset10 = offset2 % 8 + offset6;
    const long offset11 = offset3 / 8 * 4 + offset6;
    const long offset12 = offset3 % 8 + offset6;
    const long offset13 = offset4 / 8 * 4 + offset6;
    const long offset14 = offset4 % 8 + offset6;
    const long offset15 = offset5 / 8 * 4 + offset6;
    const long offset16 = offset5 % 8 + offset6;
    const long offset17 = (0L * 16L + lid0) * 4;
    const long offset18 = ((0L * 1L + 0) * 16 + lid0) * 2;
    const float2 value0 = *(__global float2_unaligned *)(in0 + offset18);
    const float2 value1 = *(__global float2_unaligned *)(in1 + offset18);
    const float4 value2 = *(__global float4_unaligned *)(in2 + offset17);
    shared0[offset7] = value0.s0;
    shared0[offset8] = value0.s1;
    shared1[offset7] = value1.s0;
    shared1[offset8] = value1.s1;
    barrier(CLK_LOCAL_MEM_FENCE);
    const float sum0 = shared0[offset9 + 1] * shared1[offset10 + 8] + (shared0[offset9] * shared1[offset10] + value2.s0);
    const float sum1 = shared0[offset9 + 3] * shared1[offset10 + 24] + (shared0[offset9 + 2] * shared1[offset10 + 16] + sum0);
    const float sum2 = shared0[offset11 + 1] * shared1[offset12 + 8] + (shared0[offset11] * shared1[offset12] + value2.s1);
    const float sum3 = shared0[offset11 + 3] * shared1[offset12 + 24] + (shared0[offset11 + 2] * shared1[offset12 + 16] + sum2);
    const float sum4 = shared0[offset13 + 1] * shared1[offset14 + 8] + (shared0[offset13] * shared1[offset14] + value2.s2);
    const float sum5 = shared0[offset13 + 3] * shared1[offset14 + 24] + (shared0[offset13 + 2] * shared1[offset14 + 16] + sum4);
    const float sum6 = shared0[offset15 + 1] * shared1[offset16 + 8] + (shared0[offset15] * shared1[offset16] + value2.s3);
    const float sum7 = shared0[offset15 + 3] * shared1[offset16 + 24] + (shared0[offset15 + 2] * shared1[offset16 + 16] + sum6);
    *(__global float4_unaligned *)(out0 + offset17) = (float4)(sum1, sum3, sum5, sum7);
}

// kernel: WMMA on 16 threads over a RANGE
// form: out0[64] from in0[64], in1[64], in2[64]; 16 work-items in groups of 16
__kernel void form(__global const float *in0, __global const float *in1, __global const float *in2, __global float *out0) {
    __local float shared1[32];
    __local float shared0[32];
    const long lid0 = get_local_id(0);
    const long offset0 = lid0 % 16 % 16;
    const long offset1 = offset0 * 2;
    const long offset2 = offset0 * 4;
    const long offset3 = offset2 + 1;
    const long offset4 = offset2 + 2;
    const long offset5 = offset2 + 3;
    const long offset6 = lid0 / 16 * 32;
    const long offset7 = offset1 + offset6;
    const long offset8 = offset1 + 1 + offset6;
    const long offset9 = offset2 / 8 * 4 + offset6;
    const long offset10 = offset2 % 8 + offset6;
    const long offset11 = offset3 / 8 * 4 + offset6;
    const long offset12 = offset3 % 8 + offset6;
    const long offset13 = offset4 / 8 * 4 + offset6;
    const long offset14 = offset4 % 8 + offset6;
    const long offset15 = offset5 / 8 * 4 + offset6;
    const long offset16 = offset5 % 8 + offset6;
    float4 acc0 = (float4)(0.0f);
    for (long k0 = 0; k0 < 2; k0++) {
        const long offset17 = lid0 * 2 + k0 * 32;
        const float2 value0 = *(__global float2_unaligned *)(in0 + offset17);
        const float2 value1 = *(__global float2_unaligned *)(in1 + offset17);
        barrier(CLK_LOCAL_MEM_FENCE);
        shared0[offset7] = value0.s0;
        shared0[offset8] = value0.s1;
        shared1[offset7] = value1.s0;
        shared1[offset8] = value1.s1;
        barrier(CLK_LOCAL_MEM_FENCE);
        const float sum0 = shared0[offset9 + 1] * shared1[offset10 + 8] + (shared0[offset9] * shared1[offset10] + acc0.s0);
        const float sum1 = shared0[offset9 + 3] * shared1[offset10 + 24] + (shared0[offset9 + 2] * shared1[offset10 + 16] + sum0);
        const float sum2 = shared0[offset11 + 1] * shared1[offset12 + 8] + (shared0[offset11] * shared1[offset12] + acc0.s1);
        const float sum3 = shared0[offset11 + 3] * shared1[offset12 + 24] + (shared0[offset11 + 2] * shared1[offset12 + 16] + sum2);
        const float sum4 = shared0[offset13 + 1] * shared1[offset14 + 8] + (shared0[offset13] * shared1[offset14] + acc0.s2);
        const float sum5 = shared0[offset13 + 3] * shared1[offset14 + 24] + (shared0[offset13 + 2] * shared1[offset14 + 16] + sum4);
        const float sum6 = shared0[offset15 + 1] * shared1[offset16 + 8] + (shared0[offset15] * shared1[offset16] + acc0.s3);
        const float sum7 = shared0[offset15 + 3] * shared1[offset16 + 24] + (shared0[offset15 + 2] * shared1[offset16 + 16] + sum6);
        acc0 = (float4)(sum1, sum3, sum5, sum7);
    }
    const long offset18 = lid0 * 4;
    *(__global float4_unaligned *)(out0 + offset18) = acc0 + *(__global float4_unaligned *)(in2 + offset18);
}

// expanded: WMMA on 16 threads over a RANGE
// form: out0[64] from in0[64], in1[64], in2[64]; 16 work-items in groups of 16
__kernel void form(__global const float *in0, __global const float *in1, __global const float *in2, __global float *out0) {
    __local float shared1[32];
    __local float shared0[32];
    const long lid0 = get_local_id(0);
    const long offset0 = lid0 % 16 % 16;
    const long offset1 = offset0 * 2;
    const long offset2 = offset0 * 4;
    const long offset3 = offset2 + 1;
    const long offset4 = offset2 + 2;
    const long offset5 = offset2 + 3;
    const long offset6 = lid0 / 16 * 32;
    const long offset7 = offset1 + offset6;
    const long offset8 = offset1 + 1 + offset6;
    const long offset9 = offset2 / 8 * 4 + offset6;
    const long offset10 = offset2 % 8 + offset6;
    const long offset11 = offset3 / 8 * 4 + offset6;
    const long offset12 = offset3 % 8 + offset6;
    const long offset13 = offset4 / 8 * 4 + offset6;
    const long offset14 = offset4 % 8 + offset6;
    const long offset15 = offset5 / 8 * 4 + offset6;
    const long offset16 = offset5 % 8 + offset6;
    float4 acc0 = (float4)(0.0f);
    for (long k0 = 0; k0 < 2; k0++) {
        const long offset17 = ((0L * 2L + k0) * 16 + lid0) * 2;
        const float2 value0 = *(__global float2_unaligned *)(in0 + offset17);
        const float2 value1 = *(__global float2_unaligned *)(in1 + offset17);
        barrier(CLK_LOCAL_MEM_FENCE);
        shared0[offset7] = value0.s0;
        shared0[offset8] = value0.s1;
        shared1[offset7] = value1.s0;
        shared1[offset8] = value1.s1;
        barrier(CLK_LOCAL_MEM_FENCE);
        const float sum0 = shared0[offset9 + 1] * shared1[offset10 + 8] + (shared0[offset9] * shared1[offset10] + acc0.s0);
        const float sum1 = shared0[offset9 + 3] * shared1[offset10 + 24] + (shared0[offset9 + 2] * shared1[offset10 + 16] + sum0);
        const float sum2 = shared0[offset11 + 1] * shared1[offset12 + 8] + (shared0[offset11] * shared1[offset12] + acc0.s1);
        const float sum3 = shared0[offset11 + 3] * shared1[offset12 + 24] + (shared0[offset11 + 2] * shared1[offset12 + 16] + sum2);
        const float sum4 = shared0[offset13 + 1] * shared1[offset14 + 8] + (shared0[offset13] * shared1[offset14] + acc0.s2);
        const float sum5 = shared0[offset13 + 3] * shared1[offset14 + 24] + (shared0[offset13 + 2] * shared1[offset14 + 16] + sum4);
        const float sum6 = shared0[offset15 + 1] * shared1[offset16 + 8] + (shared0[offset15] * shared1[offset16] + acc0.s3);
        const float sum7 = shared0[offset15 + 3] * shared1[offset16 + 24] + (shared0[offset15 + 2] * shared1[offset16 + 16] + sum6);
        acc0 = (float4)(sum1, sum3, sum5, sum7);
    }
    const long offset18 = (0L * 16L + lid0) * 4;
    *(__global float4_unaligned *)(out0 + offset18) = acc0 + *(__global float4_unaligned *)(in2 + offset18);
}

// kernel: WMMA on halves of a warp
// form: out0[128] from in0[128], in1[64], in2[128]; 32 work-items in groups of 32
__kernel void form(__global const ushort *in0, __global const ushort *in1, __global const float *in2, __global float *out0) {
    __local float shared1[64];
    __local float shared0[128];
    const long lid0 = get_local_id(0);
    const long offset0 = lid0 % 32;
    const long offset1 = offset0 % 4;
    const long offset2 = offset0 / 4;
    const long offset3 = offset1 * 2 + offset2 * 8;
    const long offset4 = offset3 + 1;
    const long offset5 = offset3 + 64;
    const long offset6 = offset3 + 65;
    const long offset7 = offset1 * 16 + offset2;
    const long offset8 = lid0 / 32;
    const long offset9 = offset8 * 128;
    const long offset10 = offset3 / 8 * 8 + offset9;
    const long offset11 = offset4 / 8 * 8 + offset9;
    const long offset12 = offset5 / 8 * 8 + offset9;
    const long offset13 = offset6 / 8 * 8 + offset9;
    const long offset14 = offset8 * 64;
    const long offset15 = offset3 % 8 + offset14;
    const long offset16 = offset4 % 8 + offset14;
    const long offset17 = offset5 % 8 + offset14;
    const long offset18 = offset6 % 8 + offset14;
    const long offset19 = lid0 * 4;
    const float4 value0 = half_value_ushort4(*(__global ushort4_unaligned *)(in0 + offset19));
    const long offset20 = lid0 * 2;
    const float2 value1 = half_value_ushort2(*(__global ushort2_unaligned *)(in1 + offset20));
    const float4 value2 = *(__global float4_unaligned *)(in2 + offset19);
    shared0[offset3 + offset9] = value0.s0;
    shared0[offset4 + offset9] = value0.s1;
    shared0[offset5 + offset9] = value0.s2;
    shared0[offset6 + offset9] = value0.s3;
    shared1[offset7 + offset14] = value1.s0;
    shared1[offset7 + 8 + offset14] = value1.s1;
    barrier(CLK_LOCAL_MEM_FENCE);
    const float sum0 = shared0[offset10 + 1] * shared1[offset15 + 8] + (shared0[offset10] * shared1[offset15] + value2.s0);
    const float sum1 = shared0[offset10 + 3] * shared1[offset15 + 24] + (shared0[offset10 + 2] * shared1[offset15 + 16] + sum0);
    const float sum2 = shared0[offset10 + 5] * shared1[offset15 + 40] + (shared0[offset10 + 4] * shared1[offset15 + 32] + sum1);
    const float sum3 = shared0[offset10 + 7] * shared1[offset15 + 56] + (shared0[offset10 + 6] * shared1[offset15 + 48] + sum2);
    const float sum4 = shared0[offset11 + 1] * shared1[offset16 + 8] + (shared0[offset11] * shared1[offset16] + value2.s1);
    const float sum5 = shared0[offset11 + 3] * shared1[offset16 + 24] + (shared0[offset11 + 2] * shared1[offset16 + 16] + sum4);
    const float sum6 = shared0[offset11 + 5] * shared1[offset16 + 40] + (shared0[offset11 + 4] * shared1[offset16 + 32] + sum5);
    const float sum7 = shared0[offset11 + 7] * shared1[offset16 + 56] + (shared0[offset11 + 6] * shared1[offset16 + 48] + sum6);
    const float sum8 = shared0[offset12 + 1] * shared1[offset17 + 8] + (shared0[offset12] * shared1[offset17] + value2.s2);
    const float sum9 = shared0[offset12 + 3] * shared1[offset17 + 24] + (shared0[offset12 + 2] * shared1[offset17 + 16] + sum8);
    const float sum10 = shared0[offset12 + 5] * shared1[offset17 + 40] + (shared0[offset12 + 4] * shared1[offset17 + 32] + sum9);
    const float sum11 = shared0[offset12 + 7] * shared1[offset17 + 56] + (shared0[offset12 + 6] * shared1[offset17 + 48] + sum10);
    const float sum12 = shared0[offset13 + 1] * shared1[offset18 + 8] + (shared0[offset13] * shared1[offset18] + value2.s3);
    const float sum13 = shared0[offset13 + 3] * shared1[offset18 + 24] + (shared0[offset13 + 2] * shared1[offset18 + 16] + sum12);
    const float sum14 = shared0[offset13 + 5] * shared1[offset18 + 40] + (shared0[offset13 + 4] * shared1[offset18 + 32] + sum13);
    const float sum15 = shared0[offset13 + 7] * shared1[offset18 + 56] + (shared0[offset13 + 6] * shared1[offset18 + 48] + sum14);
    *(__global float4_unaligned *)(out0 + offset19) = (float4)(sum3, sum7, sum11, sum15);
}

// expanded: WMMA on halves of a warp
// form: out0[128] from in0[128], in1[64], in2[128]; 32 work-items in groups of 32
__kernel void form(__global const ushort *in0, __global const ushort *in1, __global const float *in2, __global float *out0) {
    __local float shared1[64];
    __local float shared0[128];
    const long lid0 = get_local_id(0);
    const long offset0 = lid0 % 32;
    const long offset1 = offset0 % 4;
    const long offset2 = offset0 / 4;
    const long offset3 = offset1 * 2 + offset2 * 8;
    const long offset4 = offset3 + 1;
    const long offset5 = offset3 + 64;
    const long offset6 = offset3 + 65;
    const long offset7 = offset1 * 16 + offset2;
    const long offset8 = lid0 / 32;
    const long offset9 = offset8 * 128;
    const long offset10 = offset3 / 8 * 8 + offset9;
    const long offset11 = offset4 / 8 * 8 + offset9;
    const long offset12 = offset5 / 8 * 8 + offset9;
    const long offset13 = offset6 / 8 * 8 + offset9;
    const long offset14 = offset8 * 64;
    const long offset15 = offset3 % 8 + offset14;
    const long offset16 = offset4 % 8 + offset14;
    const long offset17 = offset5 % 8 + offset14;
    const long offset18 = offset6 % 8 + offset14;
    const long offset19 = (0L * 32L + lid0) * 4;
    const long offset20 = (0L * 1L + 0) * 32 + lid0;
    const long offset21 = offset20 * 4;
    const float4 value0 = half_value_ushort4(*(__global ushort4_unaligned *)(in0 + offset21));
    const long offset22 = offset20 * 2;
    const float2 value1 = half_value_ushort2(*(__global ushort2_unaligned *)(in1 + offset22));
    const float4 value2 = *(__global float4_unaligned *)(in2 + offset19);
    shared0[offset3 + offset9] = value0.s0;
    shared0[offset4 + offset9] = value0.s1;
    shared0[offset5 + offset9] = value0.s2;
    shared0[offset6 + offset9] = value0.s3;
    shared1[offset7 + offset14] = value1.s0;
    shared1[offset7 + 8 + offset14] = value1.s1;
    barrier(CLK_LOCAL_MEM_FENCE);
    const float sum0 = shared0[offset10 + 1] * shared1[offset15 + 8] + (shared0[offset10] * shared1[offset15] + value2.s0);
    const float sum1 = shared0[offset10 + 3] * shared1[offset15 + 24] + (shared0[offset10 + 2] * shared1[offset15 + 16] + sum0);
    const float sum2 = shared0[offset10 + 5] * shared1[offset15 + 40] + (shared0[offset10 + 4] * shared1[offset15 + 32] + sum1);
    const float sum3 = shared0[offset10 + 7] * shared1[offset15 + 56] + (shared0[offset10 + 6] * shared1[offset15 + 48] + sum2);
    const float sum4 = shared0[offset11 + 1] * shared1[offset16 + 8] + (shared0[offset11] * shared1[offset16] + value2.s1);
    const float sum5 = shared0[offset11 + 3] * shared1[offset16 + 24] + (shared0[offset11 + 2] * shared1[offset16 + 16] + sum4);
    const float sum6 = shared0[offset11 + 5] * shared1[offset16 + 40] + (shared0[offset11 + 4] * shared1[offset16 + 32] + sum5);
    const float sum7 = shared0[offset11 + 7] * shared1[offset16 + 56] + (shared0[offset11 + 6] * shared1[offset16 + 48] + sum6);
    const float sum8 = shared0[offset12 + 1] * shared1[offset17 + 8] + (shared0[offset12] * shared1[offset17] + value2.s2);
    const float sum9 = shared0[offset12 + 3] * shared1[offset17 + 24] + (shared0[offset12 + 2] * shared1[offset17 + 16] + sum8);
    const float sum10 = shared0[offset12 + 5] * shared1[offset17 + 40] + (shared0[offset12 + 4] * shared1[offset17 + 32] + sum9);
    const float sum11 = shared0[offset12 + 7] * shared1[offset17 + 56] + (shared0[offset12 + 6] * shared1[offset17 + 48] + sum10);
    const float sum12 = shared0[offset13 + 1] * shared1[offset18 + 8] + (shared0[offset13] * shared1[offset18] + value2.s3);
    const float sum13 = shared0[offset13 + 3] * shared1[offset18 + 24] + (shared0[offset13 + 2] * shared1[offset18 + 16] + sum12);
    const float sum14 = shared0[offset13 + 5] * shared1[offset18 + 40] + (shared0[offset13 + 4] * shared1[offset18 + 32] + sum13);
    const float sum15 = shared0[offset13 + 7] * shared1[offset18 + 56] + (shared0[offset13 + 6] * shared1[offset18 + 48] + sum14);
    *(__global float4_unaligned *)(out0 + offset19) = (float4)(sum3, sum7, sum11, sum15);
}

// kernel: WMMA on halves of a warp over a RANGE
// form: out0[128] from in0[256], in1[128], in2[128]; 32 work-items in groups of 32
__kernel void form(__global const ushort *in0, __global const ushort *in1, __global const float *in2, __global float *out0) {
    __local float shared1[64];
    __local float shared0[128];
    const long lid0 = get_local_id(0);
    const long offset0 = lid0 % 32;
    const long offset1 = offset0 % 4;
    const long offset2 = offset0 / 4;
    const long offset3 = offset1 * 2 + offset2 * 8;
    const long offset4 = offset3 + 1;
    const long offset5 = offset3 + 64;
    const long offset6 = offset3 + 65;
    const long offset7 = offset1 * 16 + offset2;
    const long offset8 = lid0 / 32;
    const long offset9 = offset8 * 128;
    const long offset10 = offset3 / 8 * 8 + offset9;
    const long offset11 = offset4 / 8 * 8 + offset9;
    const long offset12 = offset5 / 8 * 8 + offset9;
    const long offset13 = offset6 / 8 * 8 + offset9;
    const long offset14 = offset8 * 64;
    const long offset15 = offset3 % 8 + offset14;
    const long offset16 = offset4 % 8 + offset14;
    const long offset17 = offset5 % 8 + offset14;
    const long offset18 = offset6 % 8 + offset14;
    const long offset19 = lid0 * 4;
    float4 acc0 = (float4)(0.0f);
    for (long k0 = 0; k0 < 2; k0++) {
        const long offset20 = offset19 + k0 * 128;
        const float4 value0 = half_value_ushort4(*(__global ushort4_unaligned *)(in0 + offset20));
        const long offset21 = lid0 * 2 + k0 * 64;
        const float2 value1 = half_value_ushort2(*(__global ushort2_unaligned *)(in1 + offset21));
        barrier(CLK_LOCAL_MEM_FENCE);
        shared0[offset3 + offset9] = value0.s0;
        shared0[offset4 + offset9] = value0.s1;
        shared0[offset5 + offset9] = value0.s2;
        shared0[offset6 + offset9] = value0.s3;
        shared1[offset7 + offset14] = value1.s0;
        shared1[offset7 + 8 + offset14] = value1.s1;
        barrier(CLK_LOCAL_MEM_FENCE);
        const float sum0 = shared0[offset10 + 1] * shared1[offset15 + 8] + (shared0[offset10] * shared1[offset15] + acc0.s0);
        const float sum1 = shared0[offset10 + 3] * shared1[offset15 + 24] + (shared0[offset10 + 2] * shared1[offset15 + 16] + sum0);
        const float sum2 = shared0[offset10 + 5] * shared1[offset15 + 40] + (shared0[offset10 + 4] * shared1[offset15 + 32] + sum1);
        const float sum3 = shared0[offset10 + 7] * shared1[offset15 + 56] + (shared0[offset10 + 6] * shared1[offset15 + 48] + sum2);
        const float sum4 = shared0[offset11 + 1] * shared1[offset16 + 8] + (shared0[offset11] * shared1[offset16] + acc0.s1);
        const float sum5 = shared0[offset11 + 3] * shared1[offset16 + 24] + (shared0[offset11 + 2] * shared1[offset16 + 16] + sum4);
        const float sum6 = shared0[offset11 + 5] * shared1[offset16 + 40] + (shared0[offset11 + 4] * shared1[offset16 + 32] + sum5);
        const float sum7 = shared0[offset11 + 7] * shared1[offset16 + 56] + (shared0[offset11 + 6] * shared1[offset16 + 48] + sum6);
        const float sum8 = shared0[offset12 + 1] * shared1[offset17 + 8] + (shared0[offset12] * shared1[offset17] + acc0.s2);
        const float sum9 = shared0[offset12 + 3] * shared1[offset17 + 24] + (shared0[offset12 + 2] * shared1[offset17 + 16] + sum8);
        const float sum10 = shared0[offset12 + 5] * shared1[offset17 + 40] + (shared0[offset12 + 4] * shared1[offset17 + 32] + sum9);
        const float sum11 = shared0[offset12 + 7] * shared1[offset17 + 56] + (shared0[offset12 + 6] * shared1[offset17 + 48] + sum10);
        const float sum12 = shared0[offset13 + 1] * shared1[offset18 + 8] + (shared0[offset13] * shared1[offset18] + acc0.s3);
        const float sum13 = shared0[offset13 + 3] * shared1[offset18 + 24] + (shared0[offset13 + 2] * shared1[offset18 + 16] + sum12);
        const float sum14 = shared0[offset13 + 5] * shared1[offset18 + 40] + (shared0[offset13 + 4] * shared1[offset18 + 32] + sum13);
        const float sum15 = shared0[offset13 + 7] * shared1[offset18 + 56] + (shared0[offset13 + 6] * shared1[offset18 + 48] + sum14);
        acc0 = (float4)(sum3, sum7, sum11, sum15);
    }
    *(__global float4_unaligned *)(out0 + offset19) = acc0 + *(__global float4_unaligned *)(in2 + offset19);
}

// expanded: WMMA on halves of a warp over a RANGE
// form: out0[128] from in0[256], in1[128], in2[128]; 32 work-items in groups of 32
__kernel void form(__global const ushort *in0, __global const ushort *in1, __global const float *in2, __global float *out0) {
    __local float shared1[64];
    __local float shared0[128];
    const long lid0 = get_local_id(0);
    const long offset0 = lid0 % 32;
    const long offset1 = offset0 % 4;
    const long offset2 = offset0 / 4;
    const long offset3 = offset1 * 2 + offset2 * 8;
    const long offset4 = offset3 + 1;
    const long offset5 = offset3 + 64;
    const long offset6 = offset3 + 65;
    const long offset7 = offset1 * 16 + offset2;
    const long offset8 = lid0 / 32;
    const long offset9 = offset8 * 128;
    const long offset10 = offset3 / 8 * 8 + offset9;
    const long offset11 = offset4 / 8 * 8 + offset9;
    const long offset12 = offset5 / 8 * 8 + offset9;
    const long offset13 = offset6 / 8 * 8 + offset9;
    const long offset14 = offset8 * 64;
    const long offset15 = offset3 % 8 + offset14;
    const long offset16 = offset4 % 8 + offset14;
    const long offset17 = offset5 % 8 + offset14;
    const long offset18 = offset6 % 8 + offset14;
    float4 acc0 = (float4)(0.0f);
    for (long k0 = 0; k0 < 2; k0++) {
        const long offset19 = (0L * 2L + k0) * 32 + lid0;
        const long offset20 = offset19 * 4;
        const float4 value0 = half_value_ushort4(*(__global ushort4_unaligned *)(in0 + offset20));
        const long offset21 = offset19 * 2;
        const float2 value1 = half_value_ushort2(*(__global ushort2_unaligned *)(in1 + offset21));
        barrier(CLK_LOCAL_MEM_FENCE);
        shared0[offset3 + offset9] = value0.s0;
        shared0[offset4 + offset9] = value0.s1;
        shared0[offset5 + offset9] = value0.s2;
        shared0[offset6 + offset9] = value0.s3;
        shared1[offset7 + offset14] = value1.s0;
        shared1[offset7 + 8 + offset14] = value1.s1;
        barrier(CLK_LOCAL_MEM_FENCE);
        const float sum0 = shared0[offset10 + 1] * shared1[offset15 + 8] + (shared0[offset10] * shared1[offset15] + acc0.s0);
        const float sum1 = shared0[offset10 + 3] * shared1[offset15 + 24] + (shared0[offset10 + 2] * shared1[offset15 + 16] + sum0);
        const float sum2 = shared0[offset10 + 5] * shared1[offset15 + 40] + (shared0[offset10 + 4] * shared1[offset15 + 32] + sum1);
        const float sum3 = shared0[offset10 + 7] * shared1[offset15 + 56] + (shared0[offset10 + 6] * shared1[offset15 + 48] + sum2);
        const float sum4 = shared0[offset11 + 1] * shared1[offset16 + 8] + (shared0[offset11] * shared1[offset16] + acc0.s1);
        const float sum5 = shared0[offset11 + 3] * shared1[offset16 + 24] + (shared0[offset11 + 2] * shared1[offset16 + 16] + sum4);
        const float sum6 = shared0[offset11 + 5] * shared1[offset16 + 40] + (shared0[offset11 + 4] * shared1[offset16 + 32] + sum5);
        const float sum7 = shared0[offset11 + 7] * shared1[offset16 + 56] + (shared0[offset11 + 6] * shared1[offset16 + 48] + sum6);
        const float sum8 = shared0[offset12 + 1] * shared1[offset17 + 8] + (shared0[offset12] * shared1[offset17] + acc0.s2);
        const float sum9 = shared0[offset12 + 3] * shared1[offset17 + 24] + (shared0[offset12 + 2] * shared1[offset17 + 16] + sum8);
        const float sum10 = shared0[offset12 + 5] * shared1[offset17 + 40] + (shared0[offset12 + 4] * shared1[offset17 + 32] + sum9);
        const float sum11 = shared0[offset12 + 7] * shared1[offset17 + 56] + (shared0[offset12 + 6] * shared1[offset17 + 48] + sum10);
        const float sum12 = shared0[offset13 + 1] * shared1[offset18 + 8] + (shared0[offset13] * shared1[offset18] + acc0.s3);
        const float sum13 = shared0[offset13 + 3] * shared1[offset18 + 24] + (shared0[offset13 + 2] * shared1[offset18 + 16] + sum12);
        const float sum14 = shared0[offset13 + 5] * shared1[offset18 + 40] + (shared0[offset13 + 4] * shared1[offset18 + 32] + sum13);
        const float sum15 = shared0[offset13 + 7] * shared1[offset18 + 56] + (shared0[offset13 + 6] * shared1[offset18 + 48] + sum14);
        acc0 = (float4)(sum3, sum7, sum11, sum15);
    }
    const long offset22 = (0L * 32L + lid0) * 4;
    *(__global float4_unaligned *)(out0 + offset22) = acc0 + *(__global float4_unaligned *)(in2 + offset22);
}

// kernel: four RANGE(LOCAL)
// form: out0[16] from in0[16]; 2 x 2 x 4 work-items in groups of 2 x 2 x 4
__kernel void form(__global const float *in0, __global float *out0) {
    const long lid0 = get_local_id(0);
    const long lid1 = get_local_id(1);
    const long lid2 = get_local_id(2);
    const long offset0 = lid2 / 2 * 8 + lid2 % 2 * 4 + lid1 * 2 + lid0;
    out0[offset0] = in0[offset0] * 2.0f;
}

// expanded: four RANGE(LOCAL)
// form: out0[16] from in0[16]; 2 x 2 x 4 work-items in groups of 2 x 2 x 4
__kernel void form(__global const float *in0, __global float *out0) {
    const long lid0 = get_local_id(0);
    const long lid1 = get_local_id(1);
    const long lid2 = get_local_id(2);
    const long offset0 = ((lid2 / 2 * 2 + lid2 % 2) * 2 + lid1) * 2 + lid0;
    out0[offset0] = in0[offset0] * 2.0f;
}

// kernel: four RANGE(LOCAL), DEFINE_LOCAL
// form: out0[16] from in0[16]; 2 x 2 x 4 work-items in groups of 2 x 2 x 4
__kernel void form(__global const float *in0, __global float *out0) {
    __local float shared0[16];
    const long lid0 = get_local_id(0);
    const long lid1 = get_local_id(1);
    const long lid2 = get_local_id(2);
    const long offset0 = lid2 / 2;
    const long offset1 = lid2 % 2;
    const long offset2 = offset0 * 8 + offset1 * 4 + lid1 * 2 + lid0;
    shared0[offset2] = in0[offset2];
    barrier(CLK_LOCAL_MEM_FENCE);
    out0[offset2] = shared0[offset0 * -8 + offset1 * -4 + lid1 * -2 + lid0 * -1 + 15];
}

// expanded: four RANGE(LOCAL), DEFINE_LOCAL
// form: out0[16] from in0[16]; 2 x 2 x 4 work-items in groups of 2 x 2 x 4
__kernel void form(__global const float *in0, __global float *out0) {
    __local float shared0[16];
    const long lid0 = get_local_id(0);
    const long lid1 = get_local_id(1);
    const long lid2 = get_local_id(2);
    const long offset0 = ((lid2 / 2 * 2 + lid2 % 2) * 2 + lid1) * 2 + lid0;
    shared0[offset0] = in0[offset0];
    barrier(CLK_LOCAL_MEM_FENCE);
    out0[offset0] = shared0[15 + offset0 * -1];
}

// kernel: four RANGE(GLOBAL)
// form: out0[16] from in0[16]; 2 x 2 x 4 work-items in groups of 1 x 1 x 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long gid1 = get_global_id(1);
    const long gid2 = get_global_id(2);
    const long offset0 = gid2 / 2 * 8 + gid2 % 2 * 4 + gid1 * 2 + gid0;
    out0[offset0] = in0[offset0] * 2.0f;
}

// expanded: four RANGE(GLOBAL)
// form: out0[16] from in0[16]; 2 x 2 x 4 work-items in groups of 1 x 1 x 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long gid1 = get_global_id(1);
    const long gid2 = get_global_id(2);
    const long offset0 = ((gid2 / 2 * 2 + gid2 % 2) * 2 + gid1) * 2 + gid0;
    out0[offset0] = in0[offset0] * 2.0f;
}

// kernel: RANGE(LOOP) up to DEFINE_VAR; expanded: RANGE(LOOP) up to DEFINE_VAR
// form: out0[32] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0, const long size_) {
    const long gid0 = get_global_id(0);
    for (long i0 = 0; i0 < size_; i0++) {
        out0[gid0 * 4 + i0] = in0[gid0 + i0];
    }
}

// kernel: REDUCE up to DEFINE_VAR; expanded: REDUCE up to DEFINE_VAR
// form: out0[8] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0, const long size_) {
    const long gid0 = get_global_id(0);
    float acc0 = 0.0f;
    for (long k0 = 0; k0 < size_; k0++) {
        acc0 = acc0 + in0[gid0 + k0];
    }
    out0[gid0] = acc0;
}

// kernel: RANGE(LOOP) whose end varies; expanded: RANGE(LOOP) whose end varies; kernel: RANGE(PLACEHOLDER) whose end varies; expanded: RANGE(PLACEHOLDER) whose end varies
// form: out0[32] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = (gid0 + 1) % 4 + 1;
    for (long i0 = 0; i0 < offset0; i0++) {
        out0[gid0 * 4 + i0] = in0[gid0 + i0];
    }
}

// kernel: REDUCE whose end varies; expanded: REDUCE whose end varies; kernel: REDUCE up to a SPECIAL; expanded: REDUCE up to a SPECIAL
// form: out0[8] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 + 1;
    float acc0 = 0.0f;
    for (long k0 = 0; k0 < offset0; k0++) {
        acc0 = acc0 + in0[k0];
    }
    out0[gid0] = acc0;
}

// kernel: ARGREDUCE of none and more, member 0; expanded: ARGREDUCE of none and more, member 0
// form: out0[8] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    float acc0 = -INFINITY;
    int acc1 = 0;
    for (long k0 = 0; k0 < gid0; k0++) {
        const float value0 = in0[k0];
        const bool condition0 = (!(value0 < acc0) & (acc0 != value0)) & (acc0 == acc0);
        acc0 = condition0 ? value0 : acc0;
        acc1 = condition0 ? (int)k0 : acc1;
    }
    out0[gid0] = acc0;
}

// kernel: ARGREDUCE of none and more, member 1; expanded: ARGREDUCE of none and more, member 1
// form: out0[8] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    float acc0 = -INFINITY;
    int acc1 = 0;
    for (long k0 = 0; k0 < gid0; k0++) {
        const float value0 = in0[k0];
        const bool condition0 = (!(value0 < acc0) & (acc0 != value0)) & (acc0 == acc0);
        acc0 = condition0 ? value0 : acc0;
        acc1 = condition0 ? (int)k0 : acc1;
    }
    out0[gid0] = (float)acc1;
}

// kernel: RANGE up to a SPECIAL; expanded: RANGE up to a SPECIAL
// form: out0[32] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 % 4 + 1;
    for (long i0 = 0; i0 < offset0; i0++) {
        out0[gid0 * 4 + i0] = in0[i0];
    }
}

// kernel: SCAN whose end varies; expanded: SCAN whose end varies
// form: out0[32] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = (gid0 + 1) % 4 + 1;
    float acc0 = -INFINITY;
    for (long i0 = 0; i0 < offset0; i0++) {
        const float greater0 = maximum_float(acc0, in0[gid0 + i0]);
        acc0 = greater0;
        out0[gid0 * 4 + i0] = greater0;
    }
}

// kernel: RANGE(LOOP) without iterations; expanded: RANGE(LOOP) without iterations
// form: out0[32] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    for (long i0 = 0; i0 < 0; i0++) {
        out0[gid0 * 4 + i0] = in0[gid0 + i0];
    }
}

// linear: DEFINE_VAR before DEFINE_GLOBAL
// form: out0[8] from in0[8]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0, const long size_) {
    for (long i0 = 0; i0 < size_; i0++) {
        out0[i0] = in0[i0 + size_];
    }
}

// kernel: WMMA of 1 x 1 and 1 x 1; expanded: WMMA of 1 x 1 and 1 x 1
// form: out0[8] from in0[16]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    out0[0] = in0[1] * in0[2] + in0[3];
}

// kernel: WMMA of 1 x 4 and 4 x 1; expanded: WMMA of 1 x 4 and 4 x 1
// form: out0[8] from in0[16]; 1 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const float4 value0 = *(__global float4_unaligned *)(in0 + 1);
    const float4 value1 = *(__global float4_unaligned *)(in0 + 2);
    out0[0] = value0.s3 * value1.s3 + (value0.s2 * value1.s2 + (value0.s1 * value1.s1 + (value0.s0 * value1.s0 + in0[3])));
}

// linear: RANGE(end), END; linear: RANGE(end), ENDRANGE
// form: out0[8] from in0[16]; 1 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    for (long i0 = 0; i0 < 3; i0++) {
        out0[i0] = in0[i0] * 2.0f;
    }
}

// linear: RANGE(start, end), END; linear: RANGE(start, end), ENDRANGE
// form: out0[8] from in0[16]; 1 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    for (long i0 = 0; i0 < 3; i0++) {
        const long offset0 = i0 + 1;
        out0[offset0] = in0[offset0] * 2.0f;
    }
}

// linear: RANGE in RANGE, one END
// form: out0[8] from in0[16]; 1 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    for (long i0 = 0; i0 < 3; i0++) {
        for (long i1 = 0; i1 < 2; i1++) {
            out0[i0 * 2 + i1] = in0[i0 + i1];
        }
    }
}

// linear: RANGE in RANGE, two ENDRANGE
// form: out0[8] from in0[16]; 1 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    for (long i0 = 0; i0 < 3; i0++) {
        for (long i1 = 0; i1 < 2; i1++) {
            const long offset0 = i0 + i1;
            out0[i0 * 2 + i1] = in0[offset0];
        }
    }
}

// linear: RANGE with a range that it lies in
// form: out0[8] from nothing; 1 work-items in groups of 1
__kernel void form(__global float *out0) {
    for (long i0 = 0; i0 < 3; i0++) {
        for (long i1 = 0; i1 < 2; i1++) {
            out0[i0 * 2 + i1] = 1.0f;
        }
    }
}

// linear: RANGE with a RANGE(start, end) that it lies in
// form: out0[8] from nothing; 1 work-items in groups of 1
__kernel void form(__global float *out0) {
    for (long i0 = 0; i0 < 3; i0++) {
        for (long i1 = 0; i1 < 2; i1++) {
            out0[(i0 + 1) * 2 + i1] = 1.0f;
        }
    }
}

// linear: RANGE whose end varies
// form: out0[8] from nothing; 1 work-items in groups of 1
__kernel void form(__global float *out0) {
    for (long i0 = 0; i0 < 3; i0++) {
        const long offset0 = i0 + 1;
        for (long i1 = 0; i1 < offset0; i1++) {
            out0[i0 * 2 + i1] = 1.0f;
        }
    }
}

// linear: RANGE without iterations
// form: out0[8] from nothing; 8 work-items in groups of 1
__kernel void form(__global float *out0) {
    const long gid0 = get_global_id(0);
    for (long i0 = 0; i0 < 0; i0++) {
        out0[i0] = 9.0f;
    }
    out0[gid0] = 1.0f;
}

// linear: DEFINE_ACC(initial), END; linear: DEFINE_ACC(initial) read after, END; linear: DEFINE_ACC(initial, RANGE), END; linear: DEFINE_ACC(initial, RANGE) read after, END; linear: DEFINE_ACC(initial), ENDRANGE; linear: DEFINE_ACC(initial) read after, ENDRANGE; linear: DEFINE_ACC(initial, RANGE), ENDRANGE; linear: DEFINE_ACC(initial, RANGE) read after, ENDRANGE
// form: out0[8] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    float acc0 = 1.5f;
    for (long i0 = 0; i0 < 3; i0++) {
        acc0 = acc0 + in0[i0];
    }
    const long gid0 = get_global_id(0);
    out0[gid0] = acc0;
}

// linear: DEFINE_ACC of a vector
// form: out0[8] from in0[16]; 1 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    float4 acc0 = (float4)(0.0f, 1.0f, 2.0f, 3.0f);
    for (long i0 = 0; i0 < 3; i0++) {
        const long offset0 = i0 * 4;
        acc0 = maximum_float4(acc0, *(__global float4_unaligned *)(in0 + offset0));
    }
    *(__global float4_unaligned *)(out0 + 4) = acc0;
}

// linear: ASSIGN in an IF
// form: out0[8] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    float acc0 = in0[gid0];
    if (gid0 < 3) {
        acc0 = acc0 * 2.0f;
    }
    out0[gid0] = acc0;
}

// linear: two DEFINE_ACC, one from the other
// form: out0[8] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    float acc0 = 0.0f;
    float acc1 = 1.0f;
    for (long i0 = 0; i0 < 3; i0++) {
        acc0 = acc0 + in0[i0];
        acc1 = acc1 * acc0;
    }
    const long gid0 = get_global_id(0);
    out0[gid0] = acc0 + acc1;
}

// linear: a value of DEFINE_ACC before an ASSIGN
// form: out0[8] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    float acc0 = 0.0f;
    for (long i0 = 0; i0 < 3; i0++) {
        const float sum0 = acc0 + 1.0f;
        acc0 = acc0 + in0[i0];
    }
    const long gid0 = get_global_id(0);
    out0[gid0] = acc0;
}

// linear: DEFINE_REG of several
// form: out0[8] from nothing; 8 work-items in groups of 1
__kernel void form(__global float *out0) {
    float acc0[4];
    acc0[0] = 0.5f;
    acc0[1] = 1.5f;
    acc0[2] = 2.5f;
    acc0[3] = 3.5f;
    const long gid0 = get_global_id(0);
    out0[gid0] = acc0[gid0 % 4];
}

// linear: DEFINE_REG, AFTER(END)
// form: out0[8] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    float acc0 = 0.0f;
    for (long i0 = 0; i0 < 3; i0++) {
        acc0 = acc0 + in0[i0];
    }
    const long gid0 = get_global_id(0);
    out0[gid0] = acc0;
}

// linear: IF(condition), ENDIF
// form: out0[8] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    const long gid0 = get_global_id(0);
    if (gid0 < 3) {
        out0[gid0] = in0[gid0];
    }
}

// linear: IF in IF
// form: out0[8] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    if (gid0 < 3) {
        const float value0 = in0[gid0];
        if (value0 < 4.0f) {
            out0[gid0] = value0;
        }
    }
}

// linear: RANGE in IF
// form: out0[8] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    const long gid0 = get_global_id(0);
    if (gid0 < 3) {
        for (long i0 = 0; i0 < 3; i0++) {
            out0[gid0] = in0[i0 + gid0];
        }
    }
}

// linear: IF in RANGE
// form: out0[8] from in0[16]; 1 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    const long gid0 = get_global_id(0);
    for (long i0 = 0; i0 < 3; i0++) {
        if (i0 != 1) {
            out0[i0] = in0[i0];
        }
    }
}

// linear: IF, ASSIGN and a read of it, ENDIF, another read
// form: out0[8] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    float acc0 = 1.5f;
    const long gid0 = get_global_id(0);
    const float value0 = in0[gid0];
    if (gid0 < 3) {
        acc0 = acc0 + value0;
        out0[gid0] = acc0;
    }
    if (gid0 < 4) out0[7 + gid0 * -1] = acc0;
}

// linear: IF(condition, BARRIER)
// form: out0[8] from in0[16]; 8 work-items in groups of 4
__kernel void form(__global const float *in0, __global float *out0) {
    __local float shared0[4];
    const long lid0 = get_local_id(0);
    const long gidx0 = get_group_id(0);
    const long offset0 = gidx0 * 4 + lid0;
    shared0[lid0] = in0[offset0];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid0 < 2) {
        out0[offset0] = shared0[3 + lid0 * -1];
    }
}

// linear: LOAD(INDEX with a gate, alternative); linear: LOAD(INDEX, alternative, gate); linear: LOAD(BUFFER, INDEX, alternative)
// form: out0[8] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = gid0 < 3 ? in0[gid0] : 7.0f;
}

// linear: LOAD(INDEX with a gate, alternative, gate)
// form: out0[8] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    const long gid0 = get_global_id(0);
    const bool condition0 = gid0 < 6;
    out0[gid0] = (condition0 & (gid0 < 3)) ? in0[gid0] : 7.0f;
}

// linear: LOAD(POINTER_INDEX, alternative, gate)
// form: out0[8] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = gid0 < 3 ? ((__global float *)((__global char *)(in0 + gid0) + 4L))[0] : 7.0f;
}

// linear: STORE(POINTER_INDEX, value, gate)
// form: out0[8] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    if (gid0 < 3) ((__global float *)((__global char *)(out0) + offset0))[0] = in0[gid0];
}

// linear: LOAD out of bounds, gated
// form: out0[8] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = gid0 < 4 ? in0[gid0 + 12] : 7.0f;
}

// linear: LOAD of a vector, gated
// form: out0[8] from in0[16]; 1 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    *(__global float4_unaligned *)(out0) = true ? *(__global float4_unaligned *)(in0 + 2) : (float4)(0.0f);
}

// linear: LOAD(INDEX, alternative, gate, BARRIER); linear: LOAD(INDEX with a gate, alternative, BARRIER)
// form: out0[8] from in0[16]; 8 work-items in groups of 4
__kernel void form(__global float *out0, __global const float *in0) {
    barrier(CLK_LOCAL_MEM_FENCE);
    const long gidx0 = get_group_id(0);
    const long lid0 = get_local_id(0);
    const long offset0 = gidx0 * 4 + lid0;
    out0[offset0] = offset0 < 3 ? in0[offset0] : 7.0f;
}

// linear: LOAD(INDEX, BARRIER)
// form: out0[8] from in0[16]; 8 work-items in groups of 4
__kernel void form(__global float *out0, __global const float *in0) {
    barrier(CLK_LOCAL_MEM_FENCE);
    const long gidx0 = get_group_id(0);
    const long lid0 = get_local_id(0);
    const long offset0 = gidx0 * 4 + lid0;
    out0[offset0] = in0[offset0];
}

// linear: STORE(INDEX with a gate, value); linear: STORE(INDEX, value, gate)
// form: out0[8] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    const long gid0 = get_global_id(0);
    if (gid0 < 3) out0[gid0] = in0[gid0];
}

// linear: STORE(INDEX with a gate, value, gate)
// form: out0[8] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    const long gid0 = get_global_id(0);
    const bool condition0 = gid0 < 6;
    if (condition0 & (gid0 != 2)) out0[gid0] = in0[gid0];
}

// linear: LOAD(BUFFER, INDEX)
// form: out0[8] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = in0[gid0];
}

// linear: DEFINE_LOCAL, BARRIER(STORE), a work-item each; linear: DEFINE_LOCAL, BARRIER, a work-item each
// form: out0[8] from in0[16]; 8 work-items in groups of 4
__kernel void form(__global const float *in0, __global float *out0) {
    __local float shared0[4];
    const long lid0 = get_local_id(0);
    const long gidx0 = get_group_id(0);
    const long offset0 = gidx0 * 4 + lid0;
    shared0[lid0] = in0[offset0];
    barrier(CLK_LOCAL_MEM_FENCE);
    out0[offset0] = shared0[lid0];
}

// linear: DEFINE_LOCAL, BARRIER(STORE), of one; linear: DEFINE_LOCAL, BARRIER, of one
// form: out0[8] from in0[16]; 8 work-items in groups of 4
__kernel void form(__global const float *in0, __global float *out0) {
    __local float shared0[4];
    const long lid0 = get_local_id(0);
    const long gidx0 = get_group_id(0);
    const long offset0 = gidx0 * 4 + lid0;
    shared0[lid0] = in0[offset0];
    barrier(CLK_LOCAL_MEM_FENCE);
    out0[offset0] = shared0[0];
}

// linear: DEFINE_LOCAL(number) of int32
// form: out0[8] from nothing; 8 work-items in groups of 4
__kernel void form(__global float *out0) {
    __local int shared0[4];
    const long lid0 = get_local_id(0);
    shared0[lid0] = (int)((uint)(int)lid0 * 3u);
    barrier(CLK_LOCAL_MEM_FENCE);
    const long gidx0 = get_group_id(0);
    out0[gidx0 * 4 + lid0] = (float)shared0[3 + lid0 * -1];
}

// linear: BARRIER twice in a RANGE
// form: out0[8] from in0[16]; 8 work-items in groups of 4
__kernel void form(__global float *out0, __global const float *in0) {
    __local float shared0[4];
    const long gidx0 = get_group_id(0);
    const long lid0 = get_local_id(0);
    const long offset0 = gidx0 * 4 + lid0;
    float acc0 = 0.0f;
    for (long i0 = 0; i0 < 3; i0++) {
        shared0[lid0] = in0[offset0 + i0];
        barrier(CLK_LOCAL_MEM_FENCE);
        acc0 = acc0 + shared0[3 + lid0 * -1];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out0[offset0] = acc0;
}

// linear: BARRIER(STORE with a gate)
// form: out0[8] from in0[16]; 8 work-items in groups of 4
__kernel void form(__global const float *in0, __global float *out0) {
    __local float shared0[4];
    const long lid0 = get_local_id(0);
    const long gidx0 = get_group_id(0);
    const long offset0 = gidx0 * 4 + lid0;
    if (lid0 < 4) shared0[lid0] = in0[offset0];
    barrier(CLK_LOCAL_MEM_FENCE);
    out0[offset0] = shared0[3 + lid0 * -1];
}

// linear: LOAD of a vector from DEFINE_LOCAL
// form: out0[8] from in0[16]; 8 work-items in groups of 4
__kernel void form(__global const float *in0, __global float *out0) {
    __local float shared0[4];
    const long lid0 = get_local_id(0);
    const long gidx0 = get_group_id(0);
    const long offset0 = gidx0 * 4;
    shared0[lid0] = in0[offset0 + lid0];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid0 < 1) *(__global float4_unaligned *)(out0 + offset0) = *(__local float4_unaligned *)(shared0);
}

// linear: LOAD(POINTER_INDEX)
// form: out0[8] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = ((__global float *)((__global char *)(in0 + gid0) + 8L))[0];
}

// linear: STORE(POINTER_INDEX)
// form: out0[8] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    const long gid0 = get_global_id(0);
    ((__global float *)((__global char *)(out0) + gid0 * 4))[0] = in0[gid0];
}

// linear: LOAD(PTRCAT)
// form: out0[8] from in0[16]; 2 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global float4_unaligned *)(out0 + offset0) = (float4)(in0[offset0 + 3], in0[offset0 + 1], in0[offset0 + 2], in0[offset0 + 0]);
}

// linear: STORE(PTRCAT)
// form: out0[8] from in0[16]; 2 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    const float4 value0 = *(__global float4_unaligned *)(in0 + offset0);
    out0[offset0 + 3] = value0.s0;
    out0[offset0 + 1] = value0.s1;
    out0[offset0 + 2] = value0.s2;
    out0[offset0 + 0] = value0.s3;
}

// linear: PTRCAT with a POINTER_INDEX
// form: out0[8] from in0[16]; 1 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    *(__global float2_unaligned *)(out0) = (float2)(in0[0], ((__global float *)((__global char *)(in0 + 1) + 4L))[0]);
}

// linear: 2 lanes of float32
// form: out0[32] from in0[32]; 1 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    const float2 value0 = *(__global float2_unaligned *)(in0 + 1);
    const float2 greater0 = maximum_float2(value0, value0);
    *(__global float2_unaligned *)(out0 + 3) = (float2)(__builtin_shufflevector(greater0, greater0, 1, 0));
}

// linear: 3 lanes of float32
// form: out0[32] from in0[32]; 1 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    const float3 value0 = vload3(0, in0 + 1);
    const float3 greater0 = maximum_float3(value0, value0);
    vstore3((float3)(__builtin_shufflevector(greater0, greater0, 2, 1, 0)), 0, out0 + 3);
}

// linear: 4 lanes of float32
// form: out0[32] from in0[32]; 1 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    const float4 value0 = *(__global float4_unaligned *)(in0 + 1);
    const float4 greater0 = maximum_float4(value0, value0);
    *(__global float4_unaligned *)(out0 + 3) = (float4)(__builtin_shufflevector(greater0, greater0, 3, 2, 1, 0));
}

// linear: 8 lanes of float32
// form: out0[32] from in0[32]; 1 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    const float8 value0 = *(__global float8_unaligned *)(in0 + 1);
    const float8 greater0 = maximum_float8(value0, value0);
    *(__global float8_unaligned *)(out0 + 3) = (float8)(__builtin_shufflevector(greater0, greater0, 7, 6, 5, 4, 3, 2, 1, 0));
}

// linear: 16 lanes of float32
// form: out0[32] from in0[32]; 1 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    const float16 value0 = *(__global float16_unaligned *)(in0 + 1);
    const float16 greater0 = maximum_float16(value0, value0);
    *(__global float16_unaligned *)(out0 + 3) = (float16)(__builtin_shufflevector(greater0, greater0, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0));
}

// linear: 2 lanes of int32
// form: out0[32] from in0[32]; 1 work-items in groups of 1
__kernel void form(__global int *out0, __global const int *in0) {
    const int2 value0 = *(__global int2_unaligned *)(in0 + 1);
    const int2 greater0 = max(value0, value0 & value0);
    *(__global int2_unaligned *)(out0 + 3) = (int2)(__builtin_shufflevector(greater0, greater0, 1, 0));
}

// linear: 3 lanes of int32
// form: out0[32] from in0[32]; 1 work-items in groups of 1
__kernel void form(__global int *out0, __global const int *in0) {
    const int3 value0 = vload3(0, in0 + 1);
    const int3 greater0 = max(value0, value0 & value0);
    vstore3((int3)(__builtin_shufflevector(greater0, greater0, 2, 1, 0)), 0, out0 + 3);
}

// linear: 4 lanes of int32
// form: out0[32] from in0[32]; 1 work-items in groups of 1
__kernel void form(__global int *out0, __global const int *in0) {
    const int4 value0 = *(__global int4_unaligned *)(in0 + 1);
    const int4 greater0 = max(value0, value0 & value0);
    *(__global int4_unaligned *)(out0 + 3) = (int4)(__builtin_shufflevector(greater0, greater0, 3, 2, 1, 0));
}

// linear: 8 lanes of int32
// form: out0[32] from in0[32]; 1 work-items in groups of 1
__kernel void form(__global int *out0, __global const int *in0) {
    const int8 value0 = *(__global int8_unaligned *)(in0 + 1);
    const int8 greater0 = max(value0, value0 & value0);
    *(__global int8_unaligned *)(out0 + 3) = (int8)(__builtin_shufflevector(greater0, greater0, 7, 6, 5, 4, 3, 2, 1, 0));
}

// linear: 16 lanes of int32
// form: out0[32] from in0[32]; 1 work-items in groups of 1
__kernel void form(__global int *out0, __global const int *in0) {
    const int16 value0 = *(__global int16_unaligned *)(in0 + 1);
    const int16 greater0 = max(value0, value0 & value0);
    *(__global int16_unaligned *)(out0 + 3) = (int16)(__builtin_shufflevector(greater0, greater0, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0));
}

// linear: 2 lanes of bool
// form: out0[32] from in0[32]; 1 work-items in groups of 1
__kernel void form(__global uchar *out0, __global const uchar *in0) {
    const char2 condition0 = *(__global uchar2_unaligned *)(in0 + 1) != (uchar2)(0);
    const char2 condition1 = condition0 ^ (condition0 & condition0);
    *(__global uchar2_unaligned *)(out0 + 3) = convert_uchar2(-(char2)(condition1.s1, condition1.s0));
}

// linear: 3 lanes of bool
// form: out0[32] from in0[32]; 1 work-items in groups of 1
__kernel void form(__global uchar *out0, __global const uchar *in0) {
    const char3 condition0 = vload3(0, in0 + 1) != (uchar3)(0);
    const char3 condition1 = condition0 ^ (condition0 & condition0);
    vstore3(convert_uchar3(-(char3)(condition1.s2, condition1.s1, condition1.s0)), 0, out0 + 3);
}

// linear: 4 lanes of bool
// form: out0[32] from in0[32]; 1 work-items in groups of 1
__kernel void form(__global uchar *out0, __global const uchar *in0) {
    const char4 condition0 = *(__global uchar4_unaligned *)(in0 + 1) != (uchar4)(0);
    const char4 condition1 = condition0 ^ (condition0 & condition0);
    *(__global uchar4_unaligned *)(out0 + 3) = convert_uchar4(-(char4)(condition1.s3, condition1.s2, condition1.s1, condition1.s0));
}

// linear: 8 lanes of bool
// form: out0[32] from in0[32]; 1 work-items in groups of 1
__kernel void form(__global uchar *out0, __global const uchar *in0) {
    const char8 condition0 = *(__global uchar8_unaligned *)(in0 + 1) != (uchar8)(0);
    const char8 condition1 = condition0 ^ (condition0 & condition0);
    *(__global uchar8_unaligned *)(out0 + 3) = convert_uchar8(-(char8)(condition1.s7, condition1.s6, condition1.s5, condition1.s4, condition1.s3, condition1.s2, condition1.s1, condition1.s0));
}

// linear: 16 lanes of bool
// form: out0[32] from in0[32]; 1 work-items in groups of 1
__kernel void form(__global uchar *out0, __global const uchar *in0) {
    const char16 condition0 = *(__global uchar16_unaligned *)(in0 + 1) != (uchar16)(0);
    const char16 condition1 = condition0 ^ (condition0 & condition0);
    *(__global uchar16_unaligned *)(out0 + 3) = convert_uchar16(-(char16)(condition1.sf, condition1.se, condition1.sd, condition1.sc, condition1.sb, condition1.sa, condition1.s9, condition1.s8, condition1.s7, condition1.s6, condition1.s5, condition1.s4, condition1.s3, condition1.s2, condition1.s1, condition1.s0));
}

// linear: GEP of several lanes
// form: out0[8] from in0[16]; 1 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    *(__global float2_unaligned *)(out0) = (*(__global float4_unaligned *)(in0)).s02;
}

// linear: CAT
// form: out0[8] from in0[16]; 1 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    const float4 value0 = *(__global float4_unaligned *)(in0);
    *(__global float8_unaligned *)(out0) = (float8)(value0.s0, value0.s1, value0.s2, value0.s3, value0.s0, value0.s1, value0.s2, value0.s3);
}

// linear: VCONST
// form: out0[8] from nothing; 1 work-items in groups of 1
__kernel void form(__global float *out0) {
    *(__global float2_unaligned *)(out0) = (float2)(1.0f, 2.0f);
}

// linear: CUSTOMI
// form: out0[8] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = fabs(in0[gid0] - 3.0f);
}

// linear: CUSTOM
// form: out0[8] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const float value0 = in0[gid0];
    if (value0 > 4.0f) { return; }
    out0[gid0] = value0;
}

// linear: DEFINE_VAR
// form: out0[8] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0, const long size_) {
    const long gid0 = get_global_id(0);
    out0[gid0] = in0[gid0] + (float)size_;
}

// linear: AFTER of a value
// form: out0[8] from in0[16]; 8 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = 1.0f;
    out0[gid0] = in0[gid0];
}

// linear: SPECIAL(gidx, lid)
// form: out0[8] from in0[16]; 8 work-items in groups of 4
__kernel void form(__global float *out0, __global const float *in0) {
    const long gidx0 = get_group_id(0);
    const long lid0 = get_local_id(0);
    const long offset0 = gidx0 * 4 + lid0;
    out0[offset0] = in0[offset0];
}

// kernel: EXP2
// form: out0[8] from in0[8]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = exp2_float(in0[gid0]);
}

// expanded: EXP2 of vectors
// form: out0[8] from in0[8]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global float4_unaligned *)(out0 + offset0) = exp2_float4(*(__global float4_unaligned *)(in0 + offset0));
}

// linear: EXP2, one and a vector
// form: out0[8] from in0[8]; 1 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    out0[0] = exp2_float(in0[3]);
    *(__global float4_unaligned *)(out0 + 4) = exp2_float4(*(__global float4_unaligned *)(in0 + 4));
}

// kernel: LOG2
// form: out0[8] from in0[8]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = log2_float(in0[gid0]);
}

// expanded: LOG2 of vectors
// form: out0[8] from in0[8]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global float4_unaligned *)(out0 + offset0) = log2_float4(*(__global float4_unaligned *)(in0 + offset0));
}

// linear: LOG2, one and a vector
// form: out0[8] from in0[8]; 1 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    out0[0] = log2_float(in0[3]);
    *(__global float4_unaligned *)(out0 + 4) = log2_float4(*(__global float4_unaligned *)(in0 + 4));
}

// kernel: SIN
// form: out0[8] from in0[8]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = sin_float(in0[gid0]);
}

// expanded: SIN of vectors
// form: out0[8] from in0[8]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global float4_unaligned *)(out0 + offset0) = sin_float4(*(__global float4_unaligned *)(in0 + offset0));
}

// linear: SIN, one and a vector
// form: out0[8] from in0[8]; 1 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    out0[0] = sin_float(in0[3]);
    *(__global float4_unaligned *)(out0 + 4) = sin_float4(*(__global float4_unaligned *)(in0 + 4));
}

// kernel: SQRT
// form: out0[8] from in0[8]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = sqrt(in0[gid0]);
}

// expanded: SQRT of vectors
// form: out0[8] from in0[8]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global float4_unaligned *)(out0 + offset0) = sqrt(*(__global float4_unaligned *)(in0 + offset0));
}

// linear: SQRT, one and a vector
// form: out0[8] from in0[8]; 1 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    out0[0] = sqrt(in0[3]);
    *(__global float4_unaligned *)(out0 + 4) = sqrt(*(__global float4_unaligned *)(in0 + 4));
}

// kernel: RECIP
// form: out0[8] from in0[8]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = 1.0f / in0[gid0];
}

// expanded: RECIP of vectors
// form: out0[8] from in0[8]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global float4_unaligned *)(out0 + offset0) = 1.0f / *(__global float4_unaligned *)(in0 + offset0);
}

// linear: RECIP, one and a vector
// form: out0[8] from in0[8]; 1 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    out0[0] = 1.0f / in0[3];
    *(__global float4_unaligned *)(out0 + 4) = 1.0f / *(__global float4_unaligned *)(in0 + 4);
}

// kernel: NEG
// form: out0[8] from in0[8]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = -in0[gid0];
}

// expanded: NEG of vectors
// form: out0[8] from in0[8]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global float4_unaligned *)(out0 + offset0) = -*(__global float4_unaligned *)(in0 + offset0);
}

// linear: NEG, one and a vector
// form: out0[8] from in0[8]; 1 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    out0[0] = -in0[3];
    *(__global float4_unaligned *)(out0 + 4) = -*(__global float4_unaligned *)(in0 + 4);
}

// kernel: CAST
// form: out0[8] from in0[8]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global int *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = int_of_float(in0[gid0]);
}

// expanded: CAST of vectors
// form: out0[8] from in0[8]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global int *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global int4_unaligned *)(out0 + offset0) = int_of_float4(*(__global float4_unaligned *)(in0 + offset0));
}

// linear: CAST, one and a vector
// form: out0[8] from in0[8]; 1 work-items in groups of 1
__kernel void form(__global int *out0, __global const float *in0) {
    out0[0] = int_of_float(in0[3]);
    *(__global int4_unaligned *)(out0 + 4) = int_of_float4(*(__global float4_unaligned *)(in0 + 4));
}

// kernel: BITCAST
// form: out0[8] from in0[8]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global uint *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = as_uint(in0[gid0]);
}

// expanded: BITCAST of vectors
// form: out0[8] from in0[8]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global uint *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global uint4_unaligned *)(out0 + offset0) = as_uint4(*(__global float4_unaligned *)(in0 + offset0));
}

// linear: BITCAST, one and a vector
// form: out0[8] from in0[8]; 1 work-items in groups of 1
__kernel void form(__global uint *out0, __global const float *in0) {
    out0[0] = as_uint(in0[3]);
    *(__global uint4_unaligned *)(out0 + 4) = as_uint4(*(__global float4_unaligned *)(in0 + 4));
}

// kernel: ADD
// form: out0[8] from in0[8], in1[8]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global const float *in1, __global float *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = in0[gid0] + in1[gid0];
}

// expanded: ADD of vectors
// form: out0[8] from in0[8], in1[8]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global const float *in1, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global float4_unaligned *)(out0 + offset0) = *(__global float4_unaligned *)(in0 + offset0) + *(__global float4_unaligned *)(in1 + offset0);
}

// linear: ADD, one and a vector
// form: out0[8] from in0[8], in1[8]; 1 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0, __global const float *in1) {
    out0[0] = in0[3] + in1[3];
    *(__global float4_unaligned *)(out0 + 4) = *(__global float4_unaligned *)(in0 + 4) + *(__global float4_unaligned *)(in1 + 4);
}

// kernel: SUB
// form: out0[8] from in0[8], in1[8]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global const float *in1, __global float *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = in0[gid0] - in1[gid0];
}

// expanded: SUB of vectors
// form: out0[8] from in0[8], in1[8]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global const float *in1, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global float4_unaligned *)(out0 + offset0) = *(__global float4_unaligned *)(in0 + offset0) - *(__global float4_unaligned *)(in1 + offset0);
}

// linear: SUB, one and a vector
// form: out0[8] from in0[8], in1[8]; 1 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0, __global const float *in1) {
    out0[0] = in0[3] - in1[3];
    *(__global float4_unaligned *)(out0 + 4) = *(__global float4_unaligned *)(in0 + 4) - *(__global float4_unaligned *)(in1 + 4);
}

// kernel: MUL
// form: out0[8] from in0[8], in1[8]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global const float *in1, __global float *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = in0[gid0] * in1[gid0];
}

// expanded: MUL of vectors
// form: out0[8] from in0[8], in1[8]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global const float *in1, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global float4_unaligned *)(out0 + offset0) = *(__global float4_unaligned *)(in0 + offset0) * *(__global float4_unaligned *)(in1 + offset0);
}

// linear: MUL, one and a vector
// form: out0[8] from in0[8], in1[8]; 1 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0, __global const float *in1) {
    out0[0] = in0[3] * in1[3];
    *(__global float4_unaligned *)(out0 + 4) = *(__global float4_unaligned *)(in0 + 4) * *(__global float4_unaligned *)(in1 + 4);
}

// kernel: FDIV
// form: out0[8] from in0[8], in1[8]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global const float *in1, __global float *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = in0[gid0] / in1[gid0];
}

// expanded: FDIV of vectors
// form: out0[8] from in0[8], in1[8]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global const float *in1, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global float4_unaligned *)(out0 + offset0) = *(__global float4_unaligned *)(in0 + offset0) / *(__global float4_unaligned *)(in1 + offset0);
}

// linear: FDIV, one and a vector
// form: out0[8] from in0[8], in1[8]; 1 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0, __global const float *in1) {
    out0[0] = in0[3] / in1[3];
    *(__global float4_unaligned *)(out0 + 4) = *(__global float4_unaligned *)(in0 + 4) / *(__global float4_unaligned *)(in1 + 4);
}

// kernel: POW
// form: out0[8] from in0[8], in1[8]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global const float *in1, __global float *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = pow_float(in0[gid0], in1[gid0]);
}

// expanded: POW of vectors
// form: out0[8] from in0[8], in1[8]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global const float *in1, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global float4_unaligned *)(out0 + offset0) = pow_float4(*(__global float4_unaligned *)(in0 + offset0), *(__global float4_unaligned *)(in1 + offset0));
}

// linear: POW, one and a vector
// form: out0[8] from in0[8], in1[8]; 1 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0, __global const float *in1) {
    out0[0] = pow_float(in0[3], in1[3]);
    *(__global float4_unaligned *)(out0 + 4) = pow_float4(*(__global float4_unaligned *)(in0 + 4), *(__global float4_unaligned *)(in1 + 4));
}

// kernel: IDIV
// form: out0[8] from in0[8], in1[8]; 8 work-items in groups of 1
__kernel void form(__global const int *in0, __global const int *in1, __global int *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = divide_int(in0[gid0], in1[gid0]);
}

// expanded: IDIV of vectors
// form: out0[8] from in0[8], in1[8]; 2 work-items in groups of 1
__kernel void form(__global const int *in0, __global const int *in1, __global int *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global int4_unaligned *)(out0 + offset0) = divide_int4(*(__global int4_unaligned *)(in0 + offset0), *(__global int4_unaligned *)(in1 + offset0));
}

// linear: IDIV, one and a vector
// form: out0[8] from in0[8], in1[8]; 1 work-items in groups of 1
__kernel void form(__global int *out0, __global const int *in0, __global const int *in1) {
    out0[0] = divide_int(in0[3], in1[3]);
    *(__global int4_unaligned *)(out0 + 4) = divide_int4(*(__global int4_unaligned *)(in0 + 4), *(__global int4_unaligned *)(in1 + 4));
}

// kernel: MOD
// form: out0[8] from in0[8], in1[8]; 8 work-items in groups of 1
__kernel void form(__global const int *in0, __global const int *in1, __global int *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = modulo_int(in0[gid0], in1[gid0]);
}

// expanded: MOD of vectors
// form: out0[8] from in0[8], in1[8]; 2 work-items in groups of 1
__kernel void form(__global const int *in0, __global const int *in1, __global int *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global int4_unaligned *)(out0 + offset0) = modulo_int4(*(__global int4_unaligned *)(in0 + offset0), *(__global int4_unaligned *)(in1 + offset0));
}

// linear: MOD, one and a vector
// form: out0[8] from in0[8], in1[8]; 1 work-items in groups of 1
__kernel void form(__global int *out0, __global const int *in0, __global const int *in1) {
    out0[0] = modulo_int(in0[3], in1[3]);
    *(__global int4_unaligned *)(out0 + 4) = modulo_int4(*(__global int4_unaligned *)(in0 + 4), *(__global int4_unaligned *)(in1 + 4));
}

// kernel: FLOORDIV
// form: out0[8] from in0[8], in1[8]; 8 work-items in groups of 1
__kernel void form(__global const int *in0, __global const int *in1, __global int *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = floor_divide_int(in0[gid0], in1[gid0]);
}

// expanded: FLOORDIV of vectors
// form: out0[8] from in0[8], in1[8]; 2 work-items in groups of 1
__kernel void form(__global const int *in0, __global const int *in1, __global int *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global int4_unaligned *)(out0 + offset0) = floor_divide_int4(*(__global int4_unaligned *)(in0 + offset0), *(__global int4_unaligned *)(in1 + offset0));
}

// linear: FLOORDIV, one and a vector
// form: out0[8] from in0[8], in1[8]; 1 work-items in groups of 1
__kernel void form(__global int *out0, __global const int *in0, __global const int *in1) {
    out0[0] = floor_divide_int(in0[3], in1[3]);
    *(__global int4_unaligned *)(out0 + 4) = floor_divide_int4(*(__global int4_unaligned *)(in0 + 4), *(__global int4_unaligned *)(in1 + 4));
}

// kernel: FLOORMOD
// form: out0[8] from in0[8], in1[8]; 8 work-items in groups of 1
__kernel void form(__global const int *in0, __global const int *in1, __global int *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = floor_modulo_int(in0[gid0], in1[gid0]);
}

// expanded: FLOORMOD of vectors
// form: out0[8] from in0[8], in1[8]; 2 work-items in groups of 1
__kernel void form(__global const int *in0, __global const int *in1, __global int *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global int4_unaligned *)(out0 + offset0) = floor_modulo_int4(*(__global int4_unaligned *)(in0 + offset0), *(__global int4_unaligned *)(in1 + offset0));
}

// linear: FLOORMOD, one and a vector
// form: out0[8] from in0[8], in1[8]; 1 work-items in groups of 1
__kernel void form(__global int *out0, __global const int *in0, __global const int *in1) {
    out0[0] = floor_modulo_int(in0[3], in1[3]);
    *(__global int4_unaligned *)(out0 + 4) = floor_modulo_int4(*(__global int4_unaligned *)(in0 + 4), *(__global int4_unaligned *)(in1 + 4));
}

// kernel: MAX
// form: out0[8] from in0[8], in1[8]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global const float *in1, __global float *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = maximum_float(in0[gid0], in1[gid0]);
}

// expanded: MAX of vectors
// form: out0[8] from in0[8], in1[8]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global const float *in1, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global float4_unaligned *)(out0 + offset0) = maximum_float4(*(__global float4_unaligned *)(in0 + offset0), *(__global float4_unaligned *)(in1 + offset0));
}

// linear: MAX, one and a vector
// form: out0[8] from in0[8], in1[8]; 1 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0, __global const float *in1) {
    out0[0] = maximum_float(in0[3], in1[3]);
    *(__global float4_unaligned *)(out0 + 4) = maximum_float4(*(__global float4_unaligned *)(in0 + 4), *(__global float4_unaligned *)(in1 + 4));
}

// kernel: MIN
// form: out0[8] from in0[8], in1[8]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global const float *in1, __global float *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = minimum_float(in0[gid0], in1[gid0]);
}

// expanded: MIN of vectors
// form: out0[8] from in0[8], in1[8]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global const float *in1, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global float4_unaligned *)(out0 + offset0) = minimum_float4(*(__global float4_unaligned *)(in0 + offset0), *(__global float4_unaligned *)(in1 + offset0));
}

// linear: MIN, one and a vector
// form: out0[8] from in0[8], in1[8]; 1 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0, __global const float *in1) {
    out0[0] = minimum_float(in0[3], in1[3]);
    *(__global float4_unaligned *)(out0 + 4) = minimum_float4(*(__global float4_unaligned *)(in0 + 4), *(__global float4_unaligned *)(in1 + 4));
}

// kernel: CMPLT
// form: out0[8] from in0[8], in1[8]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global const float *in1, __global uchar *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = in0[gid0] < in1[gid0];
}

// expanded: CMPLT of vectors
// form: out0[8] from in0[8], in1[8]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global const float *in1, __global uchar *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global uchar4_unaligned *)(out0 + offset0) = convert_uchar4(-(*(__global float4_unaligned *)(in0 + offset0) < *(__global float4_unaligned *)(in1 + offset0)));
}

// linear: CMPLT, one and a vector
// form: out0[8] from in0[8], in1[8]; 1 work-items in groups of 1
__kernel void form(__global uchar *out0, __global const float *in0, __global const float *in1) {
    out0[0] = in0[3] < in1[3];
    *(__global uchar4_unaligned *)(out0 + 4) = convert_uchar4(-(*(__global float4_unaligned *)(in0 + 4) < *(__global float4_unaligned *)(in1 + 4)));
}

// kernel: CMPNE
// form: out0[8] from in0[8], in1[8]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global const float *in1, __global uchar *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = in0[gid0] != in1[gid0];
}

// expanded: CMPNE of vectors
// form: out0[8] from in0[8], in1[8]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global const float *in1, __global uchar *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global uchar4_unaligned *)(out0 + offset0) = convert_uchar4(-(*(__global float4_unaligned *)(in0 + offset0) != *(__global float4_unaligned *)(in1 + offset0)));
}

// linear: CMPNE, one and a vector
// form: out0[8] from in0[8], in1[8]; 1 work-items in groups of 1
__kernel void form(__global uchar *out0, __global const float *in0, __global const float *in1) {
    out0[0] = in0[3] != in1[3];
    *(__global uchar4_unaligned *)(out0 + 4) = convert_uchar4(-(*(__global float4_unaligned *)(in0 + 4) != *(__global float4_unaligned *)(in1 + 4)));
}

// kernel: XOR
// form: out0[8] from in0[8], in1[8]; 8 work-items in groups of 1
__kernel void form(__global const int *in0, __global const int *in1, __global int *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = in0[gid0] ^ in1[gid0];
}

// expanded: XOR of vectors
// form: out0[8] from in0[8], in1[8]; 2 work-items in groups of 1
__kernel void form(__global const int *in0, __global const int *in1, __global int *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global int4_unaligned *)(out0 + offset0) = *(__global int4_unaligned *)(in0 + offset0) ^ *(__global int4_unaligned *)(in1 + offset0);
}

// linear: XOR, one and a vector
// form: out0[8] from in0[8], in1[8]; 1 work-items in groups of 1
__kernel void form(__global int *out0, __global const int *in0, __global const int *in1) {
    out0[0] = in0[3] ^ in1[3];
    *(__global int4_unaligned *)(out0 + 4) = *(__global int4_unaligned *)(in0 + 4) ^ *(__global int4_unaligned *)(in1 + 4);
}

// kernel: OR
// form: out0[8] from in0[8], in1[8]; 8 work-items in groups of 1
__kernel void form(__global const int *in0, __global const int *in1, __global int *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = in0[gid0] | in1[gid0];
}

// expanded: OR of vectors
// form: out0[8] from in0[8], in1[8]; 2 work-items in groups of 1
__kernel void form(__global const int *in0, __global const int *in1, __global int *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global int4_unaligned *)(out0 + offset0) = *(__global int4_unaligned *)(in0 + offset0) | *(__global int4_unaligned *)(in1 + offset0);
}

// linear: OR, one and a vector
// form: out0[8] from in0[8], in1[8]; 1 work-items in groups of 1
__kernel void form(__global int *out0, __global const int *in0, __global const int *in1) {
    out0[0] = in0[3] | in1[3];
    *(__global int4_unaligned *)(out0 + 4) = *(__global int4_unaligned *)(in0 + 4) | *(__global int4_unaligned *)(in1 + 4);
}

// kernel: AND
// form: out0[8] from in0[8], in1[8]; 8 work-items in groups of 1
__kernel void form(__global const int *in0, __global const int *in1, __global int *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = in0[gid0] & in1[gid0];
}

// expanded: AND of vectors
// form: out0[8] from in0[8], in1[8]; 2 work-items in groups of 1
__kernel void form(__global const int *in0, __global const int *in1, __global int *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global int4_unaligned *)(out0 + offset0) = *(__global int4_unaligned *)(in0 + offset0) & *(__global int4_unaligned *)(in1 + offset0);
}

// linear: AND, one and a vector
// form: out0[8] from in0[8], in1[8]; 1 work-items in groups of 1
__kernel void form(__global int *out0, __global const int *in0, __global const int *in1) {
    out0[0] = in0[3] & in1[3];
    *(__global int4_unaligned *)(out0 + 4) = *(__global int4_unaligned *)(in0 + 4) & *(__global int4_unaligned *)(in1 + 4);
}

// kernel: SHL
// form: out0[8] from in0[8], in1[8]; 8 work-items in groups of 1
__kernel void form(__global const int *in0, __global const int *in1, __global int *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = (int)((uint)in0[gid0] << in1[gid0]);
}

// expanded: SHL of vectors
// form: out0[8] from in0[8], in1[8]; 2 work-items in groups of 1
__kernel void form(__global const int *in0, __global const int *in1, __global int *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global int4_unaligned *)(out0 + offset0) = *(__global int4_unaligned *)(in0 + offset0) << *(__global int4_unaligned *)(in1 + offset0);
}

// linear: SHL, one and a vector
// form: out0[8] from in0[8], in1[8]; 1 work-items in groups of 1
__kernel void form(__global int *out0, __global const int *in0, __global const int *in1) {
    out0[0] = (int)((uint)in0[3] << in1[3]);
    *(__global int4_unaligned *)(out0 + 4) = *(__global int4_unaligned *)(in0 + 4) << *(__global int4_unaligned *)(in1 + 4);
}

// kernel: SHR
// form: out0[8] from in0[8], in1[8]; 8 work-items in groups of 1
__kernel void form(__global const int *in0, __global const int *in1, __global int *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = in0[gid0] >> in1[gid0];
}

// expanded: SHR of vectors
// form: out0[8] from in0[8], in1[8]; 2 work-items in groups of 1
__kernel void form(__global const int *in0, __global const int *in1, __global int *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global int4_unaligned *)(out0 + offset0) = *(__global int4_unaligned *)(in0 + offset0) >> *(__global int4_unaligned *)(in1 + offset0);
}

// linear: SHR, one and a vector
// form: out0[8] from in0[8], in1[8]; 1 work-items in groups of 1
__kernel void form(__global int *out0, __global const int *in0, __global const int *in1) {
    out0[0] = in0[3] >> in1[3];
    *(__global int4_unaligned *)(out0 + 4) = *(__global int4_unaligned *)(in0 + 4) >> *(__global int4_unaligned *)(in1 + 4);
}

// kernel: WHERE
// form: out0[8] from in0[8], in1[8], in2[8]; 8 work-items in groups of 1
__kernel void form(__global const uchar *in0, __global const float *in1, __global const float *in2, __global float *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = in0[gid0] ? in1[gid0] : in2[gid0];
}

// expanded: WHERE of vectors
// form: out0[8] from in0[8], in1[8], in2[8]; 2 work-items in groups of 1
__kernel void form(__global const uchar *in0, __global const float *in1, __global const float *in2, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global float4_unaligned *)(out0 + offset0) = convert_int4(*(__global uchar4_unaligned *)(in0 + offset0) != (uchar4)(0)) ? *(__global float4_unaligned *)(in1 + offset0) : *(__global float4_unaligned *)(in2 + offset0);
}

// linear: WHERE, one and a vector
// form: out0[8] from in0[8], in1[8], in2[8]; 1 work-items in groups of 1
__kernel void form(__global float *out0, __global const uchar *in0, __global const float *in1, __global const float *in2) {
    out0[0] = in0[3] ? in1[3] : in2[3];
    *(__global float4_unaligned *)(out0 + 4) = convert_int4(*(__global uchar4_unaligned *)(in0 + 4) != (uchar4)(0)) ? *(__global float4_unaligned *)(in1 + 4) : *(__global float4_unaligned *)(in2 + 4);
}

// kernel: MULACC
// form: out0[8] from in0[8], in1[8], in2[8]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global const float *in1, __global const float *in2, __global float *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = in0[gid0] * in1[gid0] + in2[gid0];
}

// expanded: MULACC of vectors
// form: out0[8] from in0[8], in1[8], in2[8]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global const float *in1, __global const float *in2, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global float4_unaligned *)(out0 + offset0) = *(__global float4_unaligned *)(in0 + offset0) * *(__global float4_unaligned *)(in1 + offset0) + *(__global float4_unaligned *)(in2 + offset0);
}

// linear: MULACC, one and a vector
// form: out0[8] from in0[8], in1[8], in2[8]; 1 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0, __global const float *in1, __global const float *in2) {
    out0[0] = in0[3] * in1[3] + in2[3];
    *(__global float4_unaligned *)(out0 + 4) = *(__global float4_unaligned *)(in0 + 4) * *(__global float4_unaligned *)(in1 + 4) + *(__global float4_unaligned *)(in2 + 4);
}

// kernel: DOT
// form: out0[8] from in0[8], in1[8]; 8 work-items in groups of 1
__kernel void form(__global const int *in0, __global const int *in1, __global int *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = dot_int(0, in0[gid0], in1[gid0]);
}

// expanded: DOT of vectors
// form: out0[8] from in0[8], in1[8]; 2 work-items in groups of 1
__kernel void form(__global const int *in0, __global const int *in1, __global int *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global int4_unaligned *)(out0 + offset0) = dot_int4((int4)(0), *(__global int4_unaligned *)(in0 + offset0), *(__global int4_unaligned *)(in1 + offset0));
}

// linear: DOT, one and a vector
// form: out0[8] from in0[8], in1[8]; 1 work-items in groups of 1
__kernel void form(__global int *out0, __global const int *in0, __global const int *in1) {
    out0[0] = dot_int(0, in0[3], in1[3]);
    *(__global int4_unaligned *)(out0 + 4) = dot_int4((int4)(0), *(__global int4_unaligned *)(in0 + 4), *(__global int4_unaligned *)(in1 + 4));
}

// kernel: EXP
// form: out0[8] from in0[8]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = exp_float(in0[gid0]);
}

// expanded: EXP of vectors
// form: out0[8] from in0[8]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global float4_unaligned *)(out0 + offset0) = exp_float4(*(__global float4_unaligned *)(in0 + offset0));
}

// linear: EXP, one and a vector
// form: out0[8] from in0[8]; 1 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    out0[0] = exp_float(in0[3]);
    *(__global float4_unaligned *)(out0 + 4) = exp_float4(*(__global float4_unaligned *)(in0 + 4));
}

// kernel: EXPM1
// form: out0[8] from in0[8]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = expm1_float(in0[gid0]);
}

// expanded: EXPM1 of vectors
// form: out0[8] from in0[8]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global float4_unaligned *)(out0 + offset0) = expm1_float4(*(__global float4_unaligned *)(in0 + offset0));
}

// linear: EXPM1, one and a vector
// form: out0[8] from in0[8]; 1 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    out0[0] = expm1_float(in0[3]);
    *(__global float4_unaligned *)(out0 + 4) = expm1_float4(*(__global float4_unaligned *)(in0 + 4));
}

// kernel: LOG
// form: out0[8] from in0[8]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = log_float(in0[gid0]);
}

// expanded: LOG of vectors
// form: out0[8] from in0[8]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global float4_unaligned *)(out0 + offset0) = log_float4(*(__global float4_unaligned *)(in0 + offset0));
}

// linear: LOG, one and a vector
// form: out0[8] from in0[8]; 1 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    out0[0] = log_float(in0[3]);
    *(__global float4_unaligned *)(out0 + 4) = log_float4(*(__global float4_unaligned *)(in0 + 4));
}

// kernel: LOG10
// form: out0[8] from in0[8]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = log10_float(in0[gid0]);
}

// expanded: LOG10 of vectors
// form: out0[8] from in0[8]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global float4_unaligned *)(out0 + offset0) = log10_float4(*(__global float4_unaligned *)(in0 + offset0));
}

// linear: LOG10, one and a vector
// form: out0[8] from in0[8]; 1 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    out0[0] = log10_float(in0[3]);
    *(__global float4_unaligned *)(out0 + 4) = log10_float4(*(__global float4_unaligned *)(in0 + 4));
}

// kernel: LOG1P
// form: out0[8] from in0[8]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = log1p_float(in0[gid0]);
}

// expanded: LOG1P of vectors
// form: out0[8] from in0[8]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global float4_unaligned *)(out0 + offset0) = log1p_float4(*(__global float4_unaligned *)(in0 + offset0));
}

// linear: LOG1P, one and a vector
// form: out0[8] from in0[8]; 1 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    out0[0] = log1p_float(in0[3]);
    *(__global float4_unaligned *)(out0 + 4) = log1p_float4(*(__global float4_unaligned *)(in0 + 4));
}

// kernel: COS
// form: out0[8] from in0[8]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = cos_float(in0[gid0]);
}

// expanded: COS of vectors
// form: out0[8] from in0[8]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global float4_unaligned *)(out0 + offset0) = cos_float4(*(__global float4_unaligned *)(in0 + offset0));
}

// linear: COS, one and a vector
// form: out0[8] from in0[8]; 1 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    out0[0] = cos_float(in0[3]);
    *(__global float4_unaligned *)(out0 + 4) = cos_float4(*(__global float4_unaligned *)(in0 + 4));
}

// kernel: TAN
// form: out0[8] from in0[8]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = tan_float(in0[gid0]);
}

// expanded: TAN of vectors
// form: out0[8] from in0[8]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global float4_unaligned *)(out0 + offset0) = tan_float4(*(__global float4_unaligned *)(in0 + offset0));
}

// linear: TAN, one and a vector
// form: out0[8] from in0[8]; 1 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    out0[0] = tan_float(in0[3]);
    *(__global float4_unaligned *)(out0 + 4) = tan_float4(*(__global float4_unaligned *)(in0 + 4));
}

// kernel: ASIN
// form: out0[8] from in0[8]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = asin_float(in0[gid0]);
}

// expanded: ASIN of vectors
// form: out0[8] from in0[8]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global float4_unaligned *)(out0 + offset0) = asin_float4(*(__global float4_unaligned *)(in0 + offset0));
}

// linear: ASIN, one and a vector
// form: out0[8] from in0[8]; 1 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    out0[0] = asin_float(in0[3]);
    *(__global float4_unaligned *)(out0 + 4) = asin_float4(*(__global float4_unaligned *)(in0 + 4));
}

// kernel: ACOS
// form: out0[8] from in0[8]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = acos_float(in0[gid0]);
}

// expanded: ACOS of vectors
// form: out0[8] from in0[8]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global float4_unaligned *)(out0 + offset0) = acos_float4(*(__global float4_unaligned *)(in0 + offset0));
}

// linear: ACOS, one and a vector
// form: out0[8] from in0[8]; 1 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    out0[0] = acos_float(in0[3]);
    *(__global float4_unaligned *)(out0 + 4) = acos_float4(*(__global float4_unaligned *)(in0 + 4));
}

// kernel: ATAN
// form: out0[8] from in0[8]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = atan_float(in0[gid0]);
}

// expanded: ATAN of vectors
// form: out0[8] from in0[8]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global float4_unaligned *)(out0 + offset0) = atan_float4(*(__global float4_unaligned *)(in0 + offset0));
}

// linear: ATAN, one and a vector
// form: out0[8] from in0[8]; 1 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    out0[0] = atan_float(in0[3]);
    *(__global float4_unaligned *)(out0 + 4) = atan_float4(*(__global float4_unaligned *)(in0 + 4));
}

// kernel: SINH
// form: out0[8] from in0[8]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = sinh_float(in0[gid0]);
}

// expanded: SINH of vectors
// form: out0[8] from in0[8]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global float4_unaligned *)(out0 + offset0) = sinh_float4(*(__global float4_unaligned *)(in0 + offset0));
}

// linear: SINH, one and a vector
// form: out0[8] from in0[8]; 1 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    out0[0] = sinh_float(in0[3]);
    *(__global float4_unaligned *)(out0 + 4) = sinh_float4(*(__global float4_unaligned *)(in0 + 4));
}

// kernel: COSH
// form: out0[8] from in0[8]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = cosh_float(in0[gid0]);
}

// expanded: COSH of vectors
// form: out0[8] from in0[8]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global float4_unaligned *)(out0 + offset0) = cosh_float4(*(__global float4_unaligned *)(in0 + offset0));
}

// linear: COSH, one and a vector
// form: out0[8] from in0[8]; 1 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    out0[0] = cosh_float(in0[3]);
    *(__global float4_unaligned *)(out0 + 4) = cosh_float4(*(__global float4_unaligned *)(in0 + 4));
}

// kernel: TANH
// form: out0[8] from in0[8]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = tanh_float(in0[gid0]);
}

// expanded: TANH of vectors
// form: out0[8] from in0[8]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global float4_unaligned *)(out0 + offset0) = tanh_float4(*(__global float4_unaligned *)(in0 + offset0));
}

// linear: TANH, one and a vector
// form: out0[8] from in0[8]; 1 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    out0[0] = tanh_float(in0[3]);
    *(__global float4_unaligned *)(out0 + 4) = tanh_float4(*(__global float4_unaligned *)(in0 + 4));
}

// kernel: ASINH
// form: out0[8] from in0[8]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = asinh_float(in0[gid0]);
}

// expanded: ASINH of vectors
// form: out0[8] from in0[8]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global float4_unaligned *)(out0 + offset0) = asinh_float4(*(__global float4_unaligned *)(in0 + offset0));
}

// linear: ASINH, one and a vector
// form: out0[8] from in0[8]; 1 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    out0[0] = asinh_float(in0[3]);
    *(__global float4_unaligned *)(out0 + 4) = asinh_float4(*(__global float4_unaligned *)(in0 + 4));
}

// kernel: ACOSH
// form: out0[8] from in0[8]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = acosh_float(in0[gid0]);
}

// expanded: ACOSH of vectors
// form: out0[8] from in0[8]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global float4_unaligned *)(out0 + offset0) = acosh_float4(*(__global float4_unaligned *)(in0 + offset0));
}

// linear: ACOSH, one and a vector
// form: out0[8] from in0[8]; 1 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    out0[0] = acosh_float(in0[3]);
    *(__global float4_unaligned *)(out0 + 4) = acosh_float4(*(__global float4_unaligned *)(in0 + 4));
}

// kernel: ATANH
// form: out0[8] from in0[8]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = atanh_float(in0[gid0]);
}

// expanded: ATANH of vectors
// form: out0[8] from in0[8]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global float4_unaligned *)(out0 + offset0) = atanh_float4(*(__global float4_unaligned *)(in0 + offset0));
}

// linear: ATANH, one and a vector
// form: out0[8] from in0[8]; 1 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    out0[0] = atanh_float(in0[3]);
    *(__global float4_unaligned *)(out0 + 4) = atanh_float4(*(__global float4_unaligned *)(in0 + 4));
}

// kernel: ERF
// form: out0[8] from in0[8]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = erf_float(in0[gid0]);
}

// expanded: ERF of vectors
// form: out0[8] from in0[8]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global float4_unaligned *)(out0 + offset0) = erf_float4(*(__global float4_unaligned *)(in0 + offset0));
}

// linear: ERF, one and a vector
// form: out0[8] from in0[8]; 1 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    out0[0] = erf_float(in0[3]);
    *(__global float4_unaligned *)(out0 + 4) = erf_float4(*(__global float4_unaligned *)(in0 + 4));
}

// kernel: ERFC
// form: out0[8] from in0[8]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = erfc_float(in0[gid0]);
}

// expanded: ERFC of vectors
// form: out0[8] from in0[8]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global float4_unaligned *)(out0 + offset0) = erfc_float4(*(__global float4_unaligned *)(in0 + offset0));
}

// linear: ERFC, one and a vector
// form: out0[8] from in0[8]; 1 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    out0[0] = erfc_float(in0[3]);
    *(__global float4_unaligned *)(out0 + 4) = erfc_float4(*(__global float4_unaligned *)(in0 + 4));
}

// kernel: SIGMOID
// form: out0[8] from in0[8]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = sigmoid_float(in0[gid0]);
}

// expanded: SIGMOID of vectors
// form: out0[8] from in0[8]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global float4_unaligned *)(out0 + offset0) = sigmoid_float4(*(__global float4_unaligned *)(in0 + offset0));
}

// linear: SIGMOID, one and a vector
// form: out0[8] from in0[8]; 1 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    out0[0] = sigmoid_float(in0[3]);
    *(__global float4_unaligned *)(out0 + 4) = sigmoid_float4(*(__global float4_unaligned *)(in0 + 4));
}

// kernel: SILU
// form: out0[8] from in0[8]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = silu_float(in0[gid0]);
}

// expanded: SILU of vectors
// form: out0[8] from in0[8]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global float4_unaligned *)(out0 + offset0) = silu_float4(*(__global float4_unaligned *)(in0 + offset0));
}

// linear: SILU, one and a vector
// form: out0[8] from in0[8]; 1 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    out0[0] = silu_float(in0[3]);
    *(__global float4_unaligned *)(out0 + 4) = silu_float4(*(__global float4_unaligned *)(in0 + 4));
}

// kernel: GELU
// form: out0[8] from in0[8]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = gelu_float(in0[gid0]);
}

// expanded: GELU of vectors
// form: out0[8] from in0[8]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global float4_unaligned *)(out0 + offset0) = gelu_float4(*(__global float4_unaligned *)(in0 + offset0));
}

// linear: GELU, one and a vector
// form: out0[8] from in0[8]; 1 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0) {
    out0[0] = gelu_float(in0[3]);
    *(__global float4_unaligned *)(out0 + 4) = gelu_float4(*(__global float4_unaligned *)(in0 + 4));
}

// kernel: ATAN2
// form: out0[8] from in0[8], in1[8]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global const float *in1, __global float *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = atan2_float(in0[gid0], in1[gid0]);
}

// expanded: ATAN2 of vectors
// form: out0[8] from in0[8], in1[8]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global const float *in1, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global float4_unaligned *)(out0 + offset0) = atan2_float4(*(__global float4_unaligned *)(in0 + offset0), *(__global float4_unaligned *)(in1 + offset0));
}

// linear: ATAN2, one and a vector
// form: out0[8] from in0[8], in1[8]; 1 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0, __global const float *in1) {
    out0[0] = atan2_float(in0[3], in1[3]);
    *(__global float4_unaligned *)(out0 + 4) = atan2_float4(*(__global float4_unaligned *)(in0 + 4), *(__global float4_unaligned *)(in1 + 4));
}

// kernel: HYPOT
// form: out0[8] from in0[8], in1[8]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global const float *in1, __global float *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = hypot_float(in0[gid0], in1[gid0]);
}

// expanded: HYPOT of vectors
// form: out0[8] from in0[8], in1[8]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global const float *in1, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global float4_unaligned *)(out0 + offset0) = hypot_float4(*(__global float4_unaligned *)(in0 + offset0), *(__global float4_unaligned *)(in1 + offset0));
}

// linear: HYPOT, one and a vector
// form: out0[8] from in0[8], in1[8]; 1 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0, __global const float *in1) {
    out0[0] = hypot_float(in0[3], in1[3]);
    *(__global float4_unaligned *)(out0 + 4) = hypot_float4(*(__global float4_unaligned *)(in0 + 4), *(__global float4_unaligned *)(in1 + 4));
}

// kernel: LOGADDEXP
// form: out0[8] from in0[8], in1[8]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global const float *in1, __global float *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = logaddexp_float(in0[gid0], in1[gid0]);
}

// expanded: LOGADDEXP of vectors
// form: out0[8] from in0[8], in1[8]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global const float *in1, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global float4_unaligned *)(out0 + offset0) = logaddexp_float4(*(__global float4_unaligned *)(in0 + offset0), *(__global float4_unaligned *)(in1 + offset0));
}

// linear: LOGADDEXP, one and a vector
// form: out0[8] from in0[8], in1[8]; 1 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0, __global const float *in1) {
    out0[0] = logaddexp_float(in0[3], in1[3]);
    *(__global float4_unaligned *)(out0 + 4) = logaddexp_float4(*(__global float4_unaligned *)(in0 + 4), *(__global float4_unaligned *)(in1 + 4));
}

// kernel: FMOD
// form: out0[8] from in0[8], in1[8]; 8 work-items in groups of 1
__kernel void form(__global const float *in0, __global const float *in1, __global float *out0) {
    const long gid0 = get_global_id(0);
    out0[gid0] = fmod_float(in0[gid0], in1[gid0]);
}

// expanded: FMOD of vectors
// form: out0[8] from in0[8], in1[8]; 2 work-items in groups of 1
__kernel void form(__global const float *in0, __global const float *in1, __global float *out0) {
    const long gid0 = get_global_id(0);
    const long offset0 = gid0 * 4;
    *(__global float4_unaligned *)(out0 + offset0) = fmod_float4(*(__global float4_unaligned *)(in0 + offset0), *(__global float4_unaligned *)(in1 + offset0));
}

// linear: FMOD, one and a vector
// form: out0[8] from in0[8], in1[8]; 1 work-items in groups of 1
__kernel void form(__global float *out0, __global const float *in0, __global const float *in1) {
    out0[0] = fmod_float(in0[3], in1[3]);
    *(__global float4_unaligned *)(out0 + 4) = fmod_float4(*(__global float4_unaligned *)(in0 + 4), *(__global float4_unaligned *)(in1 + 4));
}
