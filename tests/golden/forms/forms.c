// kernel: RANGE(GLOBAL); kernel: RANGE(LOCAL); kernel: RANGE(LOOP); kernel: RANGE(PLACEHOLDER); kernel: RANGE(THREAD); kernel: RANGE(WARP)
// form: out0[8] from in0[16]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = in0[i0] * 2.0f;
    }
}

// kernel: RANGE(UNROLL); kernel: RANGE(UPCAST); kernel: RANGE(UPCAST) of 8
// form: out0[8] from in0[16]
static void form(const float *in0, float *out0) {
    out0[0] = in0[0] * 2.0f;
    out0[1] = in0[1] * 2.0f;
    out0[2] = in0[2] * 2.0f;
    out0[3] = in0[3] * 2.0f;
    out0[4] = in0[4] * 2.0f;
    out0[5] = in0[5] * 2.0f;
    out0[6] = in0[6] * 2.0f;
    out0[7] = in0[7] * 2.0f;
}

// kernel: RANGE(UPCAST) of 2
// form: out0[2] from in0[16]
static void form(const float *in0, float *out0) {
    out0[0] = in0[0] * 2.0f;
    out0[1] = in0[1] * 2.0f;
}

// kernel: REDUCE over UPCAST of 2
// form: out0[8] from in0[16]
static void form(const float *in0, float *out0) {
    out0[0] = in0[0] + in0[1] + 0.0f;
}

// kernel: RANGE(UPCAST) of 3
// form: out0[3] from in0[16]
static void form(const float *in0, float *out0) {
    out0[0] = in0[0] * 2.0f;
    out0[1] = in0[1] * 2.0f;
    out0[2] = in0[2] * 2.0f;
}

// kernel: REDUCE over UPCAST of 3
// form: out0[8] from in0[16]
static void form(const float *in0, float *out0) {
    out0[0] = in0[0] + in0[1] + in0[2] + 0.0f;
}

// kernel: RANGE(UPCAST) of 4
// form: out0[4] from in0[16]
static void form(const float *in0, float *out0) {
    out0[0] = in0[0] * 2.0f;
    out0[1] = in0[1] * 2.0f;
    out0[2] = in0[2] * 2.0f;
    out0[3] = in0[3] * 2.0f;
}

// kernel: REDUCE over UPCAST of 4
// form: out0[8] from in0[16]
static void form(const float *in0, float *out0) {
    out0[0] = in0[0] + in0[2] + (in0[1] + in0[3]) + 0.0f;
}

// kernel: REDUCE over UPCAST of 8
// form: out0[8] from in0[16]
static void form(const float *in0, float *out0) {
    out0[0] = in0[0] + in0[4] + (in0[2] + in0[6]) + (in0[1] + in0[5] + (in0[3] + in0[7])) + 0.0f;
}

// kernel: RANGE(UPCAST) of 16
// form: out0[16] from in0[16]
static void form(const float *in0, float *out0) {
    out0[0] = in0[0] * 2.0f;
    out0[1] = in0[1] * 2.0f;
    out0[2] = in0[2] * 2.0f;
    out0[3] = in0[3] * 2.0f;
    out0[4] = in0[4] * 2.0f;
    out0[5] = in0[5] * 2.0f;
    out0[6] = in0[6] * 2.0f;
    out0[7] = in0[7] * 2.0f;
    out0[8] = in0[8] * 2.0f;
    out0[9] = in0[9] * 2.0f;
    out0[10] = in0[10] * 2.0f;
    out0[11] = in0[11] * 2.0f;
    out0[12] = in0[12] * 2.0f;
    out0[13] = in0[13] * 2.0f;
    out0[14] = in0[14] * 2.0f;
    out0[15] = in0[15] * 2.0f;
}

// kernel: REDUCE over UPCAST of 16
// form: out0[8] from in0[16]
static void form(const float *in0, float *out0) {
    const float sum0 = in0[0] + in0[8] + (in0[4] + in0[12]) + (in0[2] + in0[10] + (in0[6] + in0[14])) + (in0[1] + in0[9] + (in0[5] + in0[13]) + (in0[3] + in0[11] + (in0[7] + in0[15])));
    out0[0] = sum0 + 0.0f;
}

// kernel: REDUCE over REDUCE; kernel: REDUCE(ADD)
// form: out0[8] from in0[16]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        float acc0 = 0.0f;
        for (long k0 = 0; k0 < 2; k0++) {
            acc0 = acc0 + in0[i0 * 2 + k0];
        }
        out0[i0] = acc0;
    }
}

// kernel: REDUCE over GROUP_REDUCE; kernel: REDUCE over WARP
// form: out0[8] from in0[16]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        float acc0 = 0.0f;
        for (long i1 = 0; i1 < 2; i1++) {
            acc0 = acc0 + in0[i0 * 2 + i1];
        }
        out0[i0] = acc0;
    }
}

// kernel: REDUCE over UPCAST; kernel: REDUCE over UNROLL
// form: out0[8] from in0[16]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        const long offset0 = i0 * 2;
        out0[i0] = in0[offset0] + in0[offset0 + 1] + 0.0f;
    }
}

// kernel: RANGE(LOOP) inside RANGE(GLOBAL); kernel: END of several ranges; kernel: RANGE with ranges that it lies in
// form: out0[16] from in0[16]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        for (long i1 = 0; i1 < 2; i1++) {
            const long offset0 = i0 * 2 + i1;
            out0[offset0] = in0[offset0];
        }
    }
}

// kernel: INDEX, LOAD, STORE; kernel: LOAD(BUFFER, INDEX); kernel: NOOP of a value
// form: out0[8] from in0[16]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = in0[i0];
    }
}

// kernel: LOAD(INDEX with a gate, alternative); kernel: LOAD(BUFFER, INDEX, alternative)
// form: out0[8] from in0[16]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = i0 < 3 ? in0[i0] : 7.0f;
    }
}

// kernel: STORE to an INDEX with a gate
// form: out0[8] from in0[16]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        if (i0 < 3) out0[i0] = in0[i0];
    }
}

// kernel: INDEX of several dimensions of a RESHAPE
// form: out0[8] from in0[16]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 2; i0++) {
        for (long i1 = 0; i1 < 4; i1++) {
            out0[i0 * 4 + i1] = in0[i0 + i1 * 4 + 2] * 2.0f;
        }
    }
}

// kernel: INDEX of several dimensions with a gate
// form: out0[8] from in0[16]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 2; i0++) {
        for (long i1 = 0; i1 < 4; i1++) {
            const bool condition0 = i1 < i0 + 2;
            if (condition0) out0[i0 * 4 + i1] = condition0 ? in0[i0 + i1 * 4 + 2] : 7.0f;
        }
    }
}

// kernel: INDEX of several dimensions, out of bounds and gated
// form: out0[8] from in0[16]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 2; i0++) {
        for (long i1 = 0; i1 < 4; i1++) {
            out0[i0 * 4 + i1] = i1 < 2 ? in0[i0 + i1 * 4 + 10] : 7.0f;
        }
    }
}

// kernel: LOAD(BUFFER, INDEX of several dimensions)
// form: out0[8] from in0[16]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 2; i0++) {
        for (long i1 = 0; i1 < 4; i1++) {
            out0[i0 * 4 + i1] = in0[i0 + i1 * 4 + 2];
        }
    }
}

// kernel: LOAD of a vector along the last dimension; kernel: AFTER(INDEX to LOAD, nothing) along UPCAST; kernel: AFTER(INDEX to STORE, nothing) along UPCAST; kernel: AFTER(LOAD, nothing) along UNROLL; kernel: AFTER(INDEX to LOAD, nothing) along UNROLL; kernel: AFTER(INDEX to STORE, nothing) along UNROLL; kernel: LOAD and STORE of a vector
// form: out0[8] from in0[16]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 2; i0++) {
        const long offset0 = i0 * 4;
        out0[offset0] = in0[offset0];
        const long offset1 = offset0 + 1;
        out0[offset1] = in0[offset1];
        const long offset2 = offset0 + 2;
        out0[offset2] = in0[offset2];
        const long offset3 = offset0 + 3;
        out0[offset3] = in0[offset3];
    }
}

// kernel: AFTER a STORE to several dimensions; kernel: AFTER a STORE; kernel: LOAD after a STORE along GLOBAL; kernel: LOAD after a STORE along THREAD; kernel: LOAD after a STORE along LOCAL; kernel: LOAD after a STORE along WARP; kernel: LOAD after two STOREs along GLOBAL; kernel: LOAD after two STOREs along THREAD; kernel: LOAD after two STOREs along LOCAL; kernel: LOAD after two STOREs along WARP; kernel: LOAD of the part of its group; kernel: STORE where its value is read, along GLOBAL; kernel: STORE where its value is read, under a gate, along GLOBAL; kernel: LOAD beside STOREs of the odd elements along GLOBAL; kernel: LOAD beside STOREs of the last elements along GLOBAL; kernel: LOAD beside STOREs of the odd elements along THREAD; kernel: LOAD beside STOREs of the last elements along THREAD; kernel: LOAD beside STOREs of the odd elements along LOCAL; kernel: LOAD beside STOREs of the last elements along LOCAL; kernel: LOAD beside STOREs of the odd elements along WARP; kernel: LOAD beside STOREs of the last elements along WARP
// RANGE(index, (CONST), (0, <AxisType.LOOP: ('loop', -1)>)) needs its own result; give reductions that need each other loops of their own

// kernel: INDEX of several dimensions along UPCAST
// form: out0[8] from in0[16]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 2; i0++) {
        const long offset0 = i0 * 4;
        out0[offset0] = in0[i0 + 2];
        out0[offset0 + 1] = in0[i0 + 6];
        out0[offset0 + 2] = in0[i0 + 10];
        out0[offset0 + 3] = in0[i0 + 14];
    }
}

// kernel: STORE of two values
// form: out0[8], out1[8] from in0[16]
static void form(const float *in0, float *out0, float *out1) {
    for (long i0 = 0; i0 < 8; i0++) {
        const float value0 = in0[i0];
        out0[i0] = value0;
        out1[i0] = value0 * 2.0f;
    }
}

// kernel: GROUP of stores
// form: out0[8], out1[8] from in0[16]
static void form(const float *in0, float *out0, float *out1) {
    for (long i0 = 0; i0 < 8; i0++) {
        const float value0 = in0[i0];
        out0[i0] = value0;
        out1[i0] = value0;
    }
}

// kernel: DEFINE_VAR
// form: out0[8] from in0[16]
static void form(const float *in0, float *out0, const long size_) {
    const float converted0 = (float)size_;
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = in0[i0] + converted0;
    }
}

// kernel: CONST
// form: out0[8] from nothing
static void form(float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = 2.5f;
    }
}

// kernel: SPECIAL(gid); kernel: REDUCE up to a SPECIAL; kernel: RANGE up to a SPECIAL
// SPECIAL(index, (CONST), 'gid0') is the number of a work-item, which one thread has not; schedule the kernel for a device without work-groups

// kernel: SPECIAL(gidx, lid)
// SPECIAL(index, (CONST), 'gidx0') is the number of a work-item, which one thread has not; schedule the kernel for a device without work-groups

// kernel: CUSTOMI with a value
// form: out0[8] from in0[16]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = fabs(in0[i0] - 2.0f);
    }
}

// kernel: CUSTOM with a value
// form: out0[8] from in0[16]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        const float value0 = fmax(in0[i0], 2.0f);
        out0[i0] = value0;
    }
}

// kernel: CUSTOM as a statement
// form: out0[8] from in0[16]
static void form(const float *in0, float *out0) {
    if (1.0f > 0.0f) { return; }
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = in0[i0];
    }
}

// kernel: LOAD after a STORE along UPCAST; kernel: LOAD after a STORE along UNROLL
// form: out0[8], out1[8] from in0[8]
static void form(const float *in0, float *out0, float *out1) {
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

// kernel: LOAD at another place after a STORE along UPCAST; kernel: LOAD at another place after a STORE along UNROLL
// form: out0[8], out1[8] from in0[8]
static void form(const float *in0, float *out0, float *out1) {
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

// kernel: LOAD in a loop after a STORE along UPCAST; kernel: LOAD in a loop after a STORE along UNROLL
// form: out0[8], out1[8] from in0[8]
static void form(const float *in0, float *out0, float *out1) {
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

// kernel: LOAD in a REDUCE after a STORE along UPCAST; kernel: LOAD in a REDUCE after a STORE along UNROLL
// form: out0[8], out1[8] from in0[8]
static void form(const float *in0, float *out0, float *out1) {
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
// form: out0[8], out1[8] from in0[8]
static void form(const float *in0, float *out0, float *out1) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = in0[i0] * 2.0f;
    }
    for (long i1 = 0; i1 < 8; i1++) {
        out1[i1] = out0[i1 * -1 + 7];
    }
}

// kernel: LOAD after two STOREs along UPCAST; kernel: LOAD after two STOREs along UNROLL
// form: out0[8], out1[8] from in0[8]
static void form(const float *in0, float *out0, float *out1) {
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

// kernel: STORE where its value is read, along LOOP
// form: out0[8] from in0[8]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = in0[i0] * 2.0f;
    }
    for (long i1 = 0; i1 < 8; i1++) {
        out0[i1] = out0[i1] + in0[i1];
    }
}

// kernel: STORE where its value is read, under a gate, along LOOP
// form: out0[8] from in0[8]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = in0[i0] * 2.0f;
    }
    for (long i1 = 0; i1 < 8; i1++) {
        if (i1 < 3) out0[i1] = out0[i1] + in0[i1];
    }
}

// kernel: LOAD beside STOREs of the odd elements along UPCAST; kernel: LOAD beside STOREs of the odd elements along UNROLL
// form: out0[8] from in0[8]
static void form(const float *in0, float *out0) {
    out0[0] = in0[0] * 2.0f;
    out0[2] = in0[2] * 2.0f;
    out0[4] = in0[4] * 2.0f;
    out0[6] = in0[6] * 2.0f;
    out0[1] = out0[0] + 1.0f;
    out0[3] = out0[2] + 1.0f;
    out0[5] = out0[4] + 1.0f;
    out0[7] = out0[6] + 1.0f;
}

// kernel: LOAD beside STOREs of the last elements along UPCAST; kernel: LOAD beside STOREs of the last elements along UNROLL
// form: out0[8] from in0[8]
static void form(const float *in0, float *out0) {
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
// DEFINE_LOCAL(float32*local[8], (), 'shared') is memory that work-items share, which one thread has not; schedule the kernel for a device without work-groups

// kernel: BARRIER(STORE, STORE) along PLACEHOLDER; kernel: END(BARRIER(STORE, STORE)) along PLACEHOLDER; kernel: BARRIER(STORE, STORE) along LOOP; kernel: END(BARRIER(STORE, STORE)) along LOOP; kernel: BARRIER(STORE, STORE) along UPCAST; kernel: END(BARRIER(STORE, STORE)) along UPCAST
// BARRIER(void, (STORE, STORE)) is work-items that wait for each other, which one thread has not; schedule the kernel for a device without work-groups

// kernel: AFTER(PARAM, BARRIER(STORE)) along PLACEHOLDER; kernel: AFTER(PARAM, BARRIER(STORE)) along LOOP; kernel: AFTER(PARAM, BARRIER(STORE)) along UPCAST
// BARRIER(void, (STORE)) is work-items that wait for each other, which one thread has not; schedule the kernel for a device without work-groups

// kernel: AFTER(STORE, STORE) along PLACEHOLDER; kernel: END(AFTER(STORE, STORE)) along PLACEHOLDER; kernel: GROUP(STORE, STORE) along PLACEHOLDER; kernel: END(GROUP(STORE, STORE)) along PLACEHOLDER
// form: out0[8], out1[8] from in0[16]
static void form(const float *in0, float *out0, float *out1) {
    for (long i0 = 0; i0 < 4; i0++) {
        for (long i1 = 0; i1 < 2; i1++) {
            const long offset0 = i1 * 4 + i0;
            const float product0 = in0[offset0] * 2.0f;
            out0[offset0] = product0;
            out1[offset0] = product0;
        }
    }
}

// kernel: AFTER(PARAM, AFTER(STORE)) along PLACEHOLDER; kernel: AFTER(PARAM, GROUP(STORE)) along PLACEHOLDER
// form: out0[8], out1[8] from in0[16]
static void form(const float *in0, float *out0, float *out1) {
    for (long i0 = 0; i0 < 4; i0++) {
        for (long i1 = 0; i1 < 2; i1++) {
            const long offset0 = i1 * 4;
            const long offset1 = offset0 + i0;
            out1[offset1] = in0[offset1] * 2.0f;
            for (long i2 = 0; i2 < 4; i2++) {
                out0[offset0 + i2] = out1[offset0 + i2 * -1 + 3];
            }
        }
    }
}

// kernel: AFTER(STORE, STORE) along LOOP; kernel: END(AFTER(STORE, STORE)) along LOOP; kernel: GROUP(STORE, STORE) along LOOP; kernel: END(GROUP(STORE, STORE)) along LOOP
// form: out0[8], out1[8] from in0[16]
static void form(const float *in0, float *out0, float *out1) {
    for (long i0 = 0; i0 < 2; i0++) {
        for (long i1 = 0; i1 < 4; i1++) {
            const long offset0 = i0 * 4 + i1;
            const float product0 = in0[offset0] * 2.0f;
            out0[offset0] = product0;
            out1[offset0] = product0;
        }
    }
}

// kernel: AFTER(PARAM, AFTER(STORE)) along LOOP; kernel: AFTER(PARAM, GROUP(STORE)) along LOOP
// form: out0[8], out1[8] from in0[16]
static void form(const float *in0, float *out0, float *out1) {
    for (long i0 = 0; i0 < 2; i0++) {
        const long offset0 = i0 * 4;
        for (long i1 = 0; i1 < 4; i1++) {
            const long offset1 = offset0 + i1;
            out1[offset1] = in0[offset1] * 2.0f;
        }
        for (long i2 = 0; i2 < 4; i2++) {
            out0[offset0 + i2] = out1[offset0 + i2 * -1 + 3];
        }
    }
}

// kernel: AFTER(STORE, STORE) along UPCAST; kernel: END(AFTER(STORE, STORE)) along UPCAST; kernel: GROUP(STORE, STORE) along UPCAST; kernel: END(GROUP(STORE, STORE)) along UPCAST; kernel: AFTER(STORE, STORE) along UNROLL; kernel: END(AFTER(STORE, STORE)) along UNROLL; kernel: GROUP(STORE, STORE) along UNROLL; kernel: END(GROUP(STORE, STORE)) along UNROLL
// form: out0[8], out1[8] from in0[16]
static void form(const float *in0, float *out0, float *out1) {
    for (long i0 = 0; i0 < 2; i0++) {
        const long offset0 = i0 * 4;
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
}

// kernel: AFTER(PARAM, AFTER(STORE)) along UPCAST; kernel: AFTER(PARAM, GROUP(STORE)) along UPCAST; kernel: AFTER(PARAM, AFTER(STORE)) along UNROLL; kernel: AFTER(PARAM, GROUP(STORE)) along UNROLL
// form: out0[8], out1[8] from in0[16]
static void form(const float *in0, float *out0, float *out1) {
    for (long i0 = 0; i0 < 2; i0++) {
        const long offset0 = i0 * 4;
        out1[offset0] = in0[offset0] * 2.0f;
        const long offset1 = offset0 + 1;
        out1[offset1] = in0[offset1] * 2.0f;
        const long offset2 = offset0 + 2;
        out1[offset2] = in0[offset2] * 2.0f;
        const long offset3 = offset0 + 3;
        out1[offset3] = in0[offset3] * 2.0f;
        for (long i1 = 0; i1 < 4; i1++) {
            out0[offset0 + i1] = out1[offset0 + i1 * -1 + 3];
        }
    }
}

// kernel: BARRIER(STORE, STORE) along UNROLL; kernel: END(BARRIER(STORE, STORE)) along UNROLL
// BARRIER(void, (STORE, STORE, STORE, STORE, STORE, STORE, STORE, STORE)) is work-items that wait for each other, which one thread has not; schedule the kernel for a device without work-groups

// kernel: AFTER(PARAM, BARRIER(STORE)) along UNROLL
// BARRIER(void, (STORE, STORE, STORE, STORE)) is work-items that wait for each other, which one thread has not; schedule the kernel for a device without work-groups

// kernel: AFTER(LOAD, STORE) along PLACEHOLDER; kernel: AFTER(INDEX to LOAD, STORE) along PLACEHOLDER; kernel: AFTER(INDEX to STORE, STORE) along PLACEHOLDER
// form: out0[8], out1[8] from in0[16]
static void form(const float *in0, float *out0, float *out1) {
    for (long i0 = 0; i0 < 4; i0++) {
        for (long i1 = 0; i1 < 2; i1++) {
            const long offset0 = i1 * 4;
            for (long i2 = 0; i2 < 4; i2++) {
                out1[offset0 + i2] = in0[i2];
            }
            const long offset1 = offset0 + i0;
            out0[offset1] = in0[offset1];
        }
    }
}

// kernel: AFTER(RANGE, STORE) along PLACEHOLDER
// form: out0[8], out1[8] from in0[16]
static void form(const float *in0, float *out0, float *out1) {
    for (long i0 = 0; i0 < 4; i0++) {
        for (long i1 = 0; i1 < 2; i1++) {
            const long offset0 = i1 * 4;
            for (long i2 = 0; i2 < 4; i2++) {
                out1[offset0 + i2] = in0[i2];
            }
            out0[offset0 + i0] = in0[offset0 + i0];
        }
    }
}

// kernel: AFTER(LOAD, nothing) along PLACEHOLDER; kernel: AFTER(INDEX to LOAD, nothing) along PLACEHOLDER; kernel: AFTER(INDEX to STORE, nothing) along PLACEHOLDER
// form: out0[8] from in0[16]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 4; i0++) {
        for (long i1 = 0; i1 < 2; i1++) {
            const long offset0 = i1 * 4 + i0;
            out0[offset0] = in0[offset0];
        }
    }
}

// kernel: AFTER(RANGE, nothing) along PLACEHOLDER
// form: out0[8] from in0[16]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 4; i0++) {
        for (long i1 = 0; i1 < 2; i1++) {
            const long offset0 = i1 * 4;
            out0[offset0 + i0] = in0[offset0 + i0];
        }
    }
}

// kernel: AFTER(LOAD, STORE) along LOOP; kernel: AFTER(INDEX to LOAD, STORE) along LOOP; kernel: AFTER(INDEX to STORE, STORE) along LOOP
// form: out0[8], out1[8] from in0[16]
static void form(const float *in0, float *out0, float *out1) {
    for (long i0 = 0; i0 < 2; i0++) {
        const long offset0 = i0 * 4;
        for (long i1 = 0; i1 < 4; i1++) {
            out1[offset0 + i1] = in0[i1];
        }
        for (long i2 = 0; i2 < 4; i2++) {
            const long offset1 = offset0 + i2;
            out0[offset1] = in0[offset1];
        }
    }
}

// kernel: AFTER(RANGE, STORE) along LOOP
// form: out0[8], out1[8] from in0[16]
static void form(const float *in0, float *out0, float *out1) {
    for (long i0 = 0; i0 < 2; i0++) {
        const long offset0 = i0 * 4;
        for (long i1 = 0; i1 < 4; i1++) {
            out1[offset0 + i1] = in0[i1];
        }
        for (long i2 = 0; i2 < 4; i2++) {
            out0[offset0 + i2] = in0[offset0 + i2];
        }
    }
}

// kernel: AFTER(LOAD, nothing) along LOOP; kernel: AFTER(INDEX to LOAD, nothing) along LOOP; kernel: AFTER(INDEX to STORE, nothing) along LOOP
// form: out0[8] from in0[16]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 2; i0++) {
        for (long i1 = 0; i1 < 4; i1++) {
            const long offset0 = i0 * 4 + i1;
            out0[offset0] = in0[offset0];
        }
    }
}

// kernel: AFTER(RANGE, nothing) along LOOP
// form: out0[8] from in0[16]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 2; i0++) {
        const long offset0 = i0 * 4;
        for (long i1 = 0; i1 < 4; i1++) {
            out0[offset0 + i1] = in0[offset0 + i1];
        }
    }
}

// kernel: AFTER(LOAD, STORE) along UPCAST
// form: out0[8], out1[8] from in0[16]
static void form(const float *in0, float *out0, float *out1) {
    for (long i0 = 0; i0 < 2; i0++) {
        const long offset0 = i0 * 4;
        for (long i1 = 0; i1 < 4; i1++) {
            out1[offset0 + i1] = in0[i1];
        }
        const float value0 = in0[offset0];
        const long offset1 = offset0 + 1;
        const float value1 = in0[offset1];
        const long offset2 = offset0 + 2;
        const float value2 = in0[offset2];
        const long offset3 = offset0 + 3;
        const float value3 = in0[offset3];
        out0[offset0] = value0;
        out0[offset1] = value0;
        out0[offset2] = value0;
        out0[offset3] = value0;
    }
}

// kernel: AFTER(RANGE, STORE) along UPCAST; kernel: AFTER(RANGE, STORE) along UNROLL
// form: out0[8], out1[8] from in0[16]
static void form(const float *in0, float *out0, float *out1) {
    for (long i0 = 0; i0 < 2; i0++) {
        const long offset0 = i0 * 4;
        for (long i1 = 0; i1 < 4; i1++) {
            out1[offset0 + i1] = in0[i1];
        }
        out0[offset0 + 0L] = in0[offset0];
        out0[offset0 + 1L] = in0[offset0 + 1];
        out0[offset0 + 2L] = in0[offset0 + 2];
        out0[offset0 + 3L] = in0[offset0 + 3];
    }
}

// kernel: AFTER(INDEX to LOAD, STORE) along UPCAST; kernel: AFTER(INDEX to STORE, STORE) along UPCAST; kernel: AFTER(LOAD, STORE) along UNROLL; kernel: AFTER(INDEX to LOAD, STORE) along UNROLL; kernel: AFTER(INDEX to STORE, STORE) along UNROLL
// form: out0[8], out1[8] from in0[16]
static void form(const float *in0, float *out0, float *out1) {
    for (long i0 = 0; i0 < 2; i0++) {
        const long offset0 = i0 * 4;
        for (long i1 = 0; i1 < 4; i1++) {
            out1[offset0 + i1] = in0[i1];
        }
        out0[offset0] = in0[offset0];
        const long offset1 = offset0 + 1;
        out0[offset1] = in0[offset1];
        const long offset2 = offset0 + 2;
        out0[offset2] = in0[offset2];
        const long offset3 = offset0 + 3;
        out0[offset3] = in0[offset3];
    }
}

// kernel: AFTER(LOAD, nothing) along UPCAST
// form: out0[8] from in0[16]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 2; i0++) {
        const long offset0 = i0 * 4;
        const float value0 = in0[offset0];
        const long offset1 = offset0 + 1;
        const float value1 = in0[offset1];
        const long offset2 = offset0 + 2;
        const float value2 = in0[offset2];
        const long offset3 = offset0 + 3;
        const float value3 = in0[offset3];
        out0[offset0] = value0;
        out0[offset1] = value0;
        out0[offset2] = value0;
        out0[offset3] = value0;
    }
}

// kernel: AFTER(RANGE, nothing) along UPCAST; kernel: AFTER(RANGE, nothing) along UNROLL
// form: out0[8] from in0[16]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 2; i0++) {
        const long offset0 = i0 * 4;
        out0[offset0 + 0L] = in0[offset0];
        out0[offset0 + 1L] = in0[offset0 + 1];
        out0[offset0 + 2L] = in0[offset0 + 2];
        out0[offset0 + 3L] = in0[offset0 + 3];
    }
}

// kernel: REDUCE(AFTER)
// form: out0[8], out1[8] from in0[16]
static void form(const float *in0, float *out0, float *out1) {
    for (long i0 = 0; i0 < 2; i0++) {
        const long offset0 = i0 * 4;
        for (long i1 = 0; i1 < 4; i1++) {
            out1[offset0 + i1] = in0[i1];
        }
        float acc0 = 0.0f;
        for (long k0 = 0; k0 < 4; k0++) {
            acc0 = acc0 + in0[offset0 + k0];
        }
        out0[i0] = acc0;
    }
}

// kernel: CUSTOMI along PLACEHOLDER
// form: out0[8] from in0[16]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 4; i0++) {
        for (long i1 = 0; i1 < 2; i1++) {
            const long offset0 = i1 * 4 + i0;
            out0[offset0] = (in0[offset0] + in0[offset0]);
        }
    }
}

// kernel: CUSTOMI along LOOP
// form: out0[8] from in0[16]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 2; i0++) {
        for (long i1 = 0; i1 < 4; i1++) {
            const long offset0 = i0 * 4 + i1;
            out0[offset0] = (in0[offset0] + in0[offset0]);
        }
    }
}

// kernel: CUSTOMI along UPCAST; kernel: CUSTOMI along UNROLL
// form: out0[8] from in0[16]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 2; i0++) {
        const long offset0 = i0 * 4;
        out0[offset0] = (in0[offset0] + in0[offset0]);
        const long offset1 = offset0 + 1;
        out0[offset1] = (in0[offset1] + in0[offset1]);
        const long offset2 = offset0 + 2;
        out0[offset2] = (in0[offset2] + in0[offset2]);
        const long offset3 = offset0 + 3;
        out0[offset3] = (in0[offset3] + in0[offset3]);
    }
}

// kernel: BUFFERIZE of nothing in reg memory
// form: out0[8], out1[8] from in0[16]
static void form(const float *in0, float *out0, float *out1) {
    for (long i0 = 0; i0 < 2; i0++) {
        out0[i0] = 3.0f;
    }
    float acc0;
    for (long i1 = 0; i1 < 0; i1++) {
        acc0 = in0[i1];
    }
    for (long i2 = 0; i2 < 0; i2++) {
        out1[i2] = acc0;
    }
}

// kernel: BUFFERIZE of nothing in local memory
// form: out0[8], out1[8] from in0[16]
static void form(const float *in0, float *out0, float *out1) {
    float shared0[1];
    for (long i0 = 0; i0 < 2; i0++) {
        out0[i0] = 3.0f;
    }
    for (long i1 = 0; i1 < 0; i1++) {
        shared0[i1] = in0[i1];
    }
    for (long i2 = 0; i2 < 0; i2++) {
        out1[i2] = shared0[i2];
    }
}

// kernel: DEFINE_LOCAL, AFTER; kernel: BARRIER(STORE)
// DEFINE_LOCAL(float32*local[4], (), 'shared') is memory that work-items share, which one thread has not; schedule the kernel for a device without work-groups

// kernel: BUFFERIZE in local memory; kernel: BUFFERIZE in local memory, read under a gate; kernel: BUFFERIZE in local memory, filled again in a REDUCE
// DEFINE_LOCAL(float32*local[4], (), 'kept0') is memory that work-items share, which one thread has not; schedule the kernel for a device without work-groups

// kernel: BUFFERIZE of a BUFFERIZE
// DEFINE_LOCAL(float32*local[4], (), 'kept1') is memory that work-items share, which one thread has not; schedule the kernel for a device without work-groups

// kernel: BUFFERIZE of two ranges in local memory
// DEFINE_LOCAL(float32*local[8], (), 'kept0') is memory that work-items share, which one thread has not; schedule the kernel for a device without work-groups

// kernel: BUFFERIZE along UPCAST in local memory
// DEFINE_LOCAL(float32*local[16], (), 'kept0') is memory that work-items share, which one thread has not; schedule the kernel for a device without work-groups

// kernel: BUFFERIZE in registers along LOOP
// form: out0[8] from in0[16]
static void form(const float *in0, float *out0) {
    float acc0[4];
    for (long i0 = 0; i0 < 2; i0++) {
        const long offset0 = i0 * 4;
        for (long i1 = 0; i1 < 4; i1++) {
            acc0[i1] = in0[offset0 + i1] * 2.0f;
        }
        for (long i2 = 0; i2 < 4; i2++) {
            out0[offset0 + i2] = acc0[i2 * -1 + 3] + 1.0f;
        }
    }
}

// kernel: BUFFERIZE in registers along UNROLL
// form: out0[8] from in0[16]
static void form(const float *in0, float *out0) {
    float acc0[4];
    for (long i0 = 0; i0 < 2; i0++) {
        const long offset0 = i0 * 4;
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
}

// kernel: BUFFERIZE in registers along LOOP in LOOP 9
// form: out0[8] from in0[16]
static void form(const float *in0, float *out0) {
    float acc0[4];
    for (long i0 = 0; i0 < 4; i0++) {
        for (long i1 = 0; i1 < 2; i1++) {
            const long offset0 = i1 * 4;
            for (long i2 = 0; i2 < 4; i2++) {
                acc0[i2] = in0[i2 + offset0] * 2.0f;
            }
            out0[i0 + offset0] = acc0[i0 * -1 + 3];
        }
    }
}

// kernel: BUFFERIZE in registers along PLACEHOLDER in LOOP 0
// form: out0[8] from in0[16]
static void form(const float *in0, float *out0) {
    float acc0[4];
    for (long i0 = 0; i0 < 2; i0++) {
        const long offset0 = i0 * 4;
        for (long i1 = 0; i1 < 4; i1++) {
            acc0[i1] = in0[i1 + offset0] * 2.0f;
        }
        for (long i2 = 0; i2 < 4; i2++) {
            out0[offset0 + i2] = acc0[i2 * -1 + 3];
        }
    }
}

// kernel: BUFFERIZE in one register beside an accumulator
// form: out0[8] from in0[16]
static void form(const float *in0, float *out0) {
    float acc0;
    for (long i0 = 0; i0 < 8; i0++) {
        const float value0 = in0[i0];
        for (long i1 = 0; i1 < 1; i1++) {
            acc0 = value0;
        }
        float acc1 = 0.0f;
        for (long k0 = 0; k0 < 4; k0++) {
            acc1 = acc1 + in0[i0 + k0];
        }
        out0[i0] = acc0 + acc1;
    }
}

// kernel: SCAN(ADD, False)
// form: out0[8] from in0[16]
static void form(const float *in0, float *out0) {
    float acc0 = 0.0f;
    for (long i0 = 0; i0 < 8; i0++) {
        const float sum0 = acc0 + in0[i0];
        acc0 = sum0;
        out0[i0] = sum0;
    }
}

// kernel: SCAN(ADD, True)
// form: out0[8] from in0[16]
static void form(const float *in0, float *out0) {
    float acc0 = 0.0f;
    for (long i0 = 0; i0 < 8; i0++) {
        const float value0 = acc0;
        acc0 = value0 + in0[i0];
        out0[i0] = value0;
    }
}

// kernel: REDUCE(MUL)
// form: out0[8] from in0[16]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        float acc0 = 1.0f;
        for (long k0 = 0; k0 < 2; k0++) {
            acc0 = acc0 * in0[i0 * 2 + k0];
        }
        out0[i0] = acc0;
    }
}

// kernel: SCAN(MUL, False)
// form: out0[8] from in0[16]
static void form(const float *in0, float *out0) {
    float acc0 = 1.0f;
    for (long i0 = 0; i0 < 8; i0++) {
        const float product0 = acc0 * in0[i0];
        acc0 = product0;
        out0[i0] = product0;
    }
}

// kernel: SCAN(MUL, True)
// form: out0[8] from in0[16]
static void form(const float *in0, float *out0) {
    float acc0 = 1.0f;
    for (long i0 = 0; i0 < 8; i0++) {
        const float value0 = acc0;
        acc0 = value0 * in0[i0];
        out0[i0] = value0;
    }
}

// kernel: REDUCE(MAX)
// form: out0[8] from in0[16]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        float acc0 = -INFINITY;
        for (long k0 = 0; k0 < 2; k0++) {
            acc0 = maximum_float(acc0, in0[i0 * 2 + k0]);
        }
        out0[i0] = acc0;
    }
}

// kernel: SCAN(MAX, False)
// form: out0[8] from in0[16]
static void form(const float *in0, float *out0) {
    float acc0 = -INFINITY;
    for (long i0 = 0; i0 < 8; i0++) {
        const float greater0 = maximum_float(acc0, in0[i0]);
        acc0 = greater0;
        out0[i0] = greater0;
    }
}

// kernel: SCAN(MAX, True)
// form: out0[8] from in0[16]
static void form(const float *in0, float *out0) {
    float acc0 = -INFINITY;
    for (long i0 = 0; i0 < 8; i0++) {
        const float value0 = acc0;
        acc0 = maximum_float(value0, in0[i0]);
        out0[i0] = value0;
    }
}

// kernel: REDUCE(MIN)
// form: out0[8] from in0[16]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        float acc0 = INFINITY;
        for (long k0 = 0; k0 < 2; k0++) {
            acc0 = minimum_float(acc0, in0[i0 * 2 + k0]);
        }
        out0[i0] = acc0;
    }
}

// kernel: SCAN(MIN, False)
// form: out0[8] from in0[16]
static void form(const float *in0, float *out0) {
    float acc0 = INFINITY;
    for (long i0 = 0; i0 < 8; i0++) {
        const float lesser0 = minimum_float(acc0, in0[i0]);
        acc0 = lesser0;
        out0[i0] = lesser0;
    }
}

// kernel: SCAN(MIN, True)
// form: out0[8] from in0[16]
static void form(const float *in0, float *out0) {
    float acc0 = INFINITY;
    for (long i0 = 0; i0 < 8; i0++) {
        const float value0 = acc0;
        acc0 = minimum_float(value0, in0[i0]);
        out0[i0] = value0;
    }
}

// kernel: RECUR, CARRY
// form: out0[8] from in0[16]
static void form(const float *in0, float *out0) {
    float acc0 = 0.0f;
    for (long i0 = 0; i0 < 8; i0++) {
        const float sum0 = acc0 * 0.5f + in0[i0];
        acc0 = sum0;
        out0[i0] = sum0;
    }
}

// kernel: RECUR of two CARRYs
// form: out0[8] from in0[16]
static void form(const float *in0, float *out0) {
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

// kernel: ARGREDUCE(MAX)
// form: out0[8] from in0[16]
static void form(const float *in0, int *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        float acc0 = -INFINITY;
        int acc1 = 0;
        for (long k0 = 0; k0 < 2; k0++) {
            const float value0 = in0[i0 * 2 + k0];
            const bool condition0 = (!(value0 < acc0) & (acc0 != value0)) & (acc0 == acc0);
            acc0 = condition0 ? value0 : acc0;
            acc1 = condition0 ? (int)k0 : acc1;
        }
        out0[i0] = acc1;
    }
}

// kernel: ARGREDUCE(MIN)
// form: out0[8] from in0[16]
static void form(const float *in0, int *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        float acc0 = INFINITY;
        int acc1 = 0;
        for (long k0 = 0; k0 < 2; k0++) {
            const float value0 = in0[i0 * 2 + k0];
            const bool condition0 = (!(acc0 < value0) & (value0 != acc0)) & (acc0 == acc0);
            acc0 = condition0 ? value0 : acc0;
            acc1 = condition0 ? (int)k0 : acc1;
        }
        out0[i0] = acc1;
    }
}

// kernel: VCONST
// form: out0[8] from nothing
static void form(float *out0) {
    for (long i0 = 0; i0 < 2; i0++) {
        const long offset0 = i0 * 4;
        out0[offset0] = 1.0f;
        out0[offset0 + 1] = 2.0f;
        out0[offset0 + 2] = 3.0f;
        out0[offset0 + 3] = 4.0f;
    }
}

// kernel: GEP of one lane, VECTORIZE
// form: out0[8] from in0[16]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 2; i0++) {
        const long offset0 = i0 * 4;
        const long offset1 = offset0 + 3;
        out0[offset0] = in0[offset1];
        const long offset2 = offset0 + 1;
        const long offset3 = offset0 + 2;
        out0[offset2] = in0[offset3];
        out0[offset3] = in0[offset2];
        out0[offset1] = in0[offset0];
    }
}

// kernel: CAT of a VCONST of five lanes
// form: out0[8] from nothing
static void form(float *out0) {
    out0[0] = 1.0f;
    out0[1] = 2.0f;
    out0[2] = 3.0f;
    out0[3] = 4.0f;
    out0[4] = 5.0f;
    out0[5] = 0.5f;
    out0[6] = 1.5f;
    out0[7] = 2.5f;
}

// kernel: CAT of a VECTORIZE of five lanes
// form: out0[8] from in0[16]
static void form(const float *in0, float *out0) {
    out0[0] = in0[5];
    out0[1] = in0[1];
    out0[2] = in0[4];
    out0[3] = in0[0];
    out0[4] = in0[2];
    out0[5] = 0.5f;
    out0[6] = 1.5f;
    out0[7] = 2.5f;
}

// kernel: GEP of two lanes, CAT
// form: out0[8] from in0[16]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 2; i0++) {
        const long offset0 = i0 * 4;
        const float value0 = in0[offset0];
        out0[offset0] = value0;
        const long offset1 = offset0 + 2;
        const float value1 = in0[offset1];
        out0[offset0 + 1] = value1;
        out0[offset1] = value0;
        out0[offset0 + 3] = value1;
    }
}

// kernel: CONTRACT(UNROLL)
// form: out0[8] from nothing
static void form(float *out0) {
    const float product0 = 1.0f * 2.0f;
    const float product1 = 2.0f * 2.0f;
    const float product2 = 3.0f * 2.0f;
    const float product3 = 4.0f * 2.0f;
    for (long i0 = 0; i0 < 2; i0++) {
        const long offset0 = i0 * 4;
        out0[offset0] = product0;
        out0[offset0 + 1] = product1;
        out0[offset0 + 2] = product2;
        out0[offset0 + 3] = product3;
    }
}

// kernel: 2 lanes
// form: out0[2] from in0[2]
static void form(const float *in0, float *out0) {
    const float value0 = in0[0];
    out0[0] = value0 + value0;
    const float value1 = in0[1];
    out0[1] = value1 + value1;
}

// kernel: 3 lanes
// form: out0[3] from in0[3]
static void form(const float *in0, float *out0) {
    const float value0 = in0[0];
    out0[0] = value0 + value0;
    const float value1 = in0[1];
    out0[1] = value1 + value1;
    const float value2 = in0[2];
    out0[2] = value2 + value2;
}

// kernel: 4 lanes
// form: out0[4] from in0[4]
static void form(const float *in0, float *out0) {
    const float value0 = in0[0];
    out0[0] = value0 + value0;
    const float value1 = in0[1];
    out0[1] = value1 + value1;
    const float value2 = in0[2];
    out0[2] = value2 + value2;
    const float value3 = in0[3];
    out0[3] = value3 + value3;
}

// kernel: 8 lanes
// form: out0[8] from in0[8]
static void form(const float *in0, float *out0) {
    const float value0 = in0[0];
    out0[0] = value0 + value0;
    const float value1 = in0[1];
    out0[1] = value1 + value1;
    const float value2 = in0[2];
    out0[2] = value2 + value2;
    const float value3 = in0[3];
    out0[3] = value3 + value3;
    const float value4 = in0[4];
    out0[4] = value4 + value4;
    const float value5 = in0[5];
    out0[5] = value5 + value5;
    const float value6 = in0[6];
    out0[6] = value6 + value6;
    const float value7 = in0[7];
    out0[7] = value7 + value7;
}

// kernel: 16 lanes
// form: out0[16] from in0[16]
static void form(const float *in0, float *out0) {
    const float value0 = in0[0];
    out0[0] = value0 + value0;
    const float value1 = in0[1];
    out0[1] = value1 + value1;
    const float value2 = in0[2];
    out0[2] = value2 + value2;
    const float value3 = in0[3];
    out0[3] = value3 + value3;
    const float value4 = in0[4];
    out0[4] = value4 + value4;
    const float value5 = in0[5];
    out0[5] = value5 + value5;
    const float value6 = in0[6];
    out0[6] = value6 + value6;
    const float value7 = in0[7];
    out0[7] = value7 + value7;
    const float value8 = in0[8];
    out0[8] = value8 + value8;
    const float value9 = in0[9];
    out0[9] = value9 + value9;
    const float value10 = in0[10];
    out0[10] = value10 + value10;
    const float value11 = in0[11];
    out0[11] = value11 + value11;
    const float value12 = in0[12];
    out0[12] = value12 + value12;
    const float value13 = in0[13];
    out0[13] = value13 + value13;
    const float value14 = in0[14];
    out0[14] = value14 + value14;
    const float value15 = in0[15];
    out0[15] = value15 + value15;
}

// kernel: WMMA of 2 x 2 and 2 x 2
// WMMA(float32x4, (LOAD, LOAD, LOAD), ('small', (2, 2, 2), float32, float32, 'HOST', 1)) is a vector that has no lanes of its own; make it one of scalars

// kernel: WMMA of 2 x 4 and 4 x 4
// WMMA(float32x8, (LOAD, LOAD, LOAD), ('small', (4, 2, 4), float32, float32, 'HOST', 1)) is a vector that has no lanes of its own; make it one of scalars

// kernel: WMMA of 4 x 1 and 1 x 2
// WMMA(float32x8, (LOAD, LOAD, LOAD), ('small', (2, 4, 1), float32, float32, 'HOST', 1)) is a vector that has no lanes of its own; make it one of scalars

// kernel: WMMA over a RANGE(REDUCE); kernel: WMMA over a RANGE(UNROLL)
// WMMA(float32x4, (LOAD, LOAD, VCONST), ('small', (2, 2, 2), float32, float32, 'HOST', 1)) is a vector that has no lanes of its own; make it one of scalars

// kernel: WMMA on 1 thread
// WMMA(float32x8, (LOAD, LOAD, LOAD), ('any', (2, 4, 2), float32, float32, 'OTHER', 1)) is a vector that has no lanes of its own; make it one of scalars

// kernel: WMMA on 1 thread over a RANGE
// WMMA(float32x8, (LOAD, LOAD, VCONST), ('any', (2, 4, 2), float32, float32, 'OTHER', 1)) is a vector that has no lanes of its own; make it one of scalars

// kernel: WMMA on 2 threads
// WMMA(float32x2, (LOAD, LOAD, LOAD), ('any', (2, 2, 3), float32, float32, 'OTHER', 2)) is a vector that has no lanes of its own; make it one of scalars

// kernel: WMMA on 2 threads over a RANGE
// WMMA(float32x2, (LOAD, LOAD, VCONST), ('any', (2, 2, 3), float32, float32, 'OTHER', 2)) is a vector that has no lanes of its own; make it one of scalars

// kernel: WMMA on 4 threads, one lane; kernel: WMMA on 4 threads, one lane over a RANGE
// WMMA(float32, (LOAD, LOAD, LOAD), ('any', (2, 2, 2), float32, float32, 'OTHER', 4)) is computed by 4 threads, and groups have 1 work-items; give its fragments a WARP range of 4

// kernel: WMMA on 5 threads
// WMMA(float32x2, (LOAD, LOAD, LOAD), ('any', (5, 2, 2), float32, float32, 'OTHER', 5)) is a vector that has no lanes of its own; make it one of scalars

// kernel: WMMA on 5 threads over a RANGE
// WMMA(float32x2, (LOAD, LOAD, VCONST), ('any', (5, 2, 2), float32, float32, 'OTHER', 5)) is a vector that has no lanes of its own; make it one of scalars

// kernel: WMMA on 8 threads, two hold the same
// WMMA(float32x2, (LOAD, LOAD, LOAD), ('any', (4, 4, 4), float32, float32, 'OTHER', 8)) is a vector that has no lanes of its own; make it one of scalars

// kernel: WMMA on 8 threads, two hold the same over a RANGE
// WMMA(float32x2, (LOAD, LOAD, VCONST), ('any', (4, 4, 4), float32, float32, 'OTHER', 8)) is a vector that has no lanes of its own; make it one of scalars

// kernel: WMMA on 16 threads
// WMMA(float32x4, (LOAD, LOAD, LOAD), ('any', (8, 8, 4), float32, float32, 'OTHER', 16)) is a vector that has no lanes of its own; make it one of scalars

// kernel: WMMA on 16 threads over a RANGE
// WMMA(float32x4, (LOAD, LOAD, VCONST), ('any', (8, 8, 4), float32, float32, 'OTHER', 16)) is a vector that has no lanes of its own; make it one of scalars

// kernel: WMMA on halves of a warp
// WMMA(float32x4, (LOAD, LOAD, LOAD), ('mma', (8, 16, 8), float16, float32, 'CUDA', 32)) is a vector that has no lanes of its own; make it one of scalars

// kernel: WMMA on halves of a warp over a RANGE
// WMMA(float32x4, (LOAD, LOAD, VCONST), ('mma', (8, 16, 8), float16, float32, 'CUDA', 32)) is a vector that has no lanes of its own; make it one of scalars

// kernel: four RANGE(LOCAL); kernel: four RANGE(GLOBAL)
// form: out0[16] from in0[16]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 2; i0++) {
        for (long i1 = 0; i1 < 2; i1++) {
            for (long i2 = 0; i2 < 2; i2++) {
                for (long i3 = 0; i3 < 2; i3++) {
                    const long offset0 = i0 * 8 + i1 * 4 + i2 * 2 + i3;
                    out0[offset0] = in0[offset0] * 2.0f;
                }
            }
        }
    }
}

// kernel: four RANGE(LOCAL), DEFINE_LOCAL
// DEFINE_LOCAL(float32*local[16], (), 'shared') is memory that work-items share, which one thread has not; schedule the kernel for a device without work-groups

// kernel: RANGE(LOOP) up to DEFINE_VAR
// form: out0[32] from in0[16]
static void form(const float *in0, float *out0, const long size_) {
    for (long i0 = 0; i0 < 8; i0++) {
        for (long i1 = 0; i1 < size_; i1++) {
            out0[i0 * 4 + i1] = in0[i0 + i1];
        }
    }
}

// kernel: REDUCE up to DEFINE_VAR
// form: out0[8] from in0[16]
static void form(const float *in0, float *out0, const long size_) {
    for (long i0 = 0; i0 < 8; i0++) {
        float acc0 = 0.0f;
        for (long k0 = 0; k0 < size_; k0++) {
            acc0 = acc0 + in0[i0 + k0];
        }
        out0[i0] = acc0;
    }
}

// kernel: RANGE(LOOP) whose end varies
// form: out0[32] from in0[16]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        const long offset0 = (i0 + 1) % 4 + 1;
        for (long i1 = 0; i1 < offset0; i1++) {
            out0[i0 * 4 + i1] = in0[i0 + i1];
        }
    }
}

// kernel: RANGE(PLACEHOLDER) whose end varies
// RANGE(index, (ADD), (1, <AxisType.PLACEHOLDER: ('placeholder', -3)>)) has no form in C11; lower it before rendering

// kernel: REDUCE whose end varies
// form: out0[8] from in0[16]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        const long offset0 = i0 + 1;
        float acc0 = 0.0f;
        for (long k0 = 0; k0 < offset0; k0++) {
            acc0 = acc0 + in0[k0];
        }
        out0[i0] = acc0;
    }
}

// kernel: ARGREDUCE of none and more, member 0
// form: out0[8] from in0[16]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        float acc0 = -INFINITY;
        int acc1 = 0;
        for (long k0 = 0; k0 < i0; k0++) {
            const float value0 = in0[k0];
            const bool condition0 = (!(value0 < acc0) & (acc0 != value0)) & (acc0 == acc0);
            acc0 = condition0 ? value0 : acc0;
            acc1 = condition0 ? (int)k0 : acc1;
        }
        out0[i0] = acc0;
    }
}

// kernel: ARGREDUCE of none and more, member 1
// form: out0[8] from in0[16]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        float acc0 = -INFINITY;
        int acc1 = 0;
        for (long k0 = 0; k0 < i0; k0++) {
            const float value0 = in0[k0];
            const bool condition0 = (!(value0 < acc0) & (acc0 != value0)) & (acc0 == acc0);
            acc0 = condition0 ? value0 : acc0;
            acc1 = condition0 ? (int)k0 : acc1;
        }
        out0[i0] = (float)acc1;
    }
}

// kernel: SCAN whose end varies
// form: out0[32] from in0[16]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        const long offset0 = (i0 + 1) % 4 + 1;
        float acc0 = -INFINITY;
        for (long i1 = 0; i1 < offset0; i1++) {
            const float greater0 = maximum_float(acc0, in0[i0 + i1]);
            acc0 = greater0;
            out0[i0 * 4 + i1] = greater0;
        }
    }
}

// kernel: RANGE(LOOP) without iterations
// form: out0[32] from in0[16]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        for (long i1 = 0; i1 < 0; i1++) {
            out0[i0 * 4 + i1] = in0[i0 + i1];
        }
    }
}

// kernel: WMMA of 1 x 1 and 1 x 1
// form: out0[8] from in0[16]
static void form(const float *in0, float *out0) {
    out0[0] = in0[1] * in0[2] + in0[3];
}

// kernel: WMMA of 1 x 4 and 4 x 1
// WMMA(float32, (LOAD, LOAD, LOAD), ('dot', (1, 1, 4), float32, float32)) is a vector that has no lanes of its own; make it one of scalars

// kernel: EXP2
// form: out0[8] from in0[8]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = exp2_float(in0[i0]);
    }
}

// kernel: LOG2
// form: out0[8] from in0[8]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = log2_float(in0[i0]);
    }
}

// kernel: SIN
// form: out0[8] from in0[8]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = sin_float(in0[i0]);
    }
}

// kernel: SQRT
// form: out0[8] from in0[8]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = sqrt(in0[i0]);
    }
}

// kernel: RECIP
// form: out0[8] from in0[8]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = 1.0f / in0[i0];
    }
}

// kernel: NEG
// form: out0[8] from in0[8]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = -in0[i0];
    }
}

// kernel: CAST
// form: out0[8] from in0[8]
static void form(const float *in0, int *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = int_of_float(in0[i0]);
    }
}

// kernel: BITCAST
// form: out0[8] from in0[8]
static void form(const float *in0, uint *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = as_uint(in0[i0]);
    }
}

// kernel: ADD
// form: out0[8] from in0[8], in1[8]
static void form(const float *in0, const float *in1, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = in0[i0] + in1[i0];
    }
}

// kernel: SUB
// form: out0[8] from in0[8], in1[8]
static void form(const float *in0, const float *in1, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = in0[i0] - in1[i0];
    }
}

// kernel: MUL
// form: out0[8] from in0[8], in1[8]
static void form(const float *in0, const float *in1, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = in0[i0] * in1[i0];
    }
}

// kernel: FDIV
// form: out0[8] from in0[8], in1[8]
static void form(const float *in0, const float *in1, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = in0[i0] / in1[i0];
    }
}

// kernel: POW
// form: out0[8] from in0[8], in1[8]
static void form(const float *in0, const float *in1, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = pow_float(in0[i0], in1[i0]);
    }
}

// kernel: IDIV
// form: out0[8] from in0[8], in1[8]
static void form(const int *in0, const int *in1, int *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = divide_int(in0[i0], in1[i0]);
    }
}

// kernel: MOD
// form: out0[8] from in0[8], in1[8]
static void form(const int *in0, const int *in1, int *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = modulo_int(in0[i0], in1[i0]);
    }
}

// kernel: FLOORDIV
// form: out0[8] from in0[8], in1[8]
static void form(const int *in0, const int *in1, int *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = floor_divide_int(in0[i0], in1[i0]);
    }
}

// kernel: FLOORMOD
// form: out0[8] from in0[8], in1[8]
static void form(const int *in0, const int *in1, int *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = floor_modulo_int(in0[i0], in1[i0]);
    }
}

// kernel: MAX
// form: out0[8] from in0[8], in1[8]
static void form(const float *in0, const float *in1, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = maximum_float(in0[i0], in1[i0]);
    }
}

// kernel: MIN
// form: out0[8] from in0[8], in1[8]
static void form(const float *in0, const float *in1, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = minimum_float(in0[i0], in1[i0]);
    }
}

// kernel: CMPLT
// form: out0[8] from in0[8], in1[8]
static void form(const float *in0, const float *in1, uchar *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = in0[i0] < in1[i0];
    }
}

// kernel: CMPNE
// form: out0[8] from in0[8], in1[8]
static void form(const float *in0, const float *in1, uchar *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = in0[i0] != in1[i0];
    }
}

// kernel: XOR
// form: out0[8] from in0[8], in1[8]
static void form(const int *in0, const int *in1, int *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = in0[i0] ^ in1[i0];
    }
}

// kernel: OR
// form: out0[8] from in0[8], in1[8]
static void form(const int *in0, const int *in1, int *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = in0[i0] | in1[i0];
    }
}

// kernel: AND
// form: out0[8] from in0[8], in1[8]
static void form(const int *in0, const int *in1, int *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = in0[i0] & in1[i0];
    }
}

// kernel: SHL
// form: out0[8] from in0[8], in1[8]
static void form(const int *in0, const int *in1, int *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = (int)((uint)in0[i0] << (in1[i0] & 31));
    }
}

// kernel: SHR
// form: out0[8] from in0[8], in1[8]
static void form(const int *in0, const int *in1, int *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = in0[i0] >> (in1[i0] & 31);
    }
}

// kernel: WHERE
// form: out0[8] from in0[8], in1[8], in2[8]
static void form(const uchar *in0, const float *in1, const float *in2, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = in0[i0] ? in1[i0] : in2[i0];
    }
}

// kernel: MULACC
// form: out0[8] from in0[8], in1[8], in2[8]
static void form(const float *in0, const float *in1, const float *in2, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = in0[i0] * in1[i0] + in2[i0];
    }
}

// kernel: DOT
// form: out0[8] from in0[8], in1[8]
static void form(const int *in0, const int *in1, int *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = dot_int(0, in0[i0], in1[i0]);
    }
}

// kernel: EXP
// form: out0[8] from in0[8]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = exp_float(in0[i0]);
    }
}

// kernel: EXPM1
// form: out0[8] from in0[8]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = expm1_float(in0[i0]);
    }
}

// kernel: LOG
// form: out0[8] from in0[8]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = log_float(in0[i0]);
    }
}

// kernel: LOG10
// form: out0[8] from in0[8]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = log10_float(in0[i0]);
    }
}

// kernel: LOG1P
// form: out0[8] from in0[8]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = log1p_float(in0[i0]);
    }
}

// kernel: COS
// form: out0[8] from in0[8]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = cos_float(in0[i0]);
    }
}

// kernel: TAN
// form: out0[8] from in0[8]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = tan_float(in0[i0]);
    }
}

// kernel: ASIN
// form: out0[8] from in0[8]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = asin_float(in0[i0]);
    }
}

// kernel: ACOS
// form: out0[8] from in0[8]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = acos_float(in0[i0]);
    }
}

// kernel: ATAN
// form: out0[8] from in0[8]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = atan_float(in0[i0]);
    }
}

// kernel: SINH
// form: out0[8] from in0[8]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = sinh_float(in0[i0]);
    }
}

// kernel: COSH
// form: out0[8] from in0[8]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = cosh_float(in0[i0]);
    }
}

// kernel: TANH
// form: out0[8] from in0[8]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = tanh_float(in0[i0]);
    }
}

// kernel: ASINH
// form: out0[8] from in0[8]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = asinh_float(in0[i0]);
    }
}

// kernel: ACOSH
// form: out0[8] from in0[8]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = acosh_float(in0[i0]);
    }
}

// kernel: ATANH
// form: out0[8] from in0[8]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = atanh_float(in0[i0]);
    }
}

// kernel: ERF
// form: out0[8] from in0[8]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = erf_float(in0[i0]);
    }
}

// kernel: ERFC
// form: out0[8] from in0[8]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = erfc_float(in0[i0]);
    }
}

// kernel: SIGMOID
// form: out0[8] from in0[8]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = sigmoid_float(in0[i0]);
    }
}

// kernel: SILU
// form: out0[8] from in0[8]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = silu_float(in0[i0]);
    }
}

// kernel: GELU
// form: out0[8] from in0[8]
static void form(const float *in0, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = gelu_float(in0[i0]);
    }
}

// kernel: ATAN2
// form: out0[8] from in0[8], in1[8]
static void form(const float *in0, const float *in1, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = atan2_float(in0[i0], in1[i0]);
    }
}

// kernel: HYPOT
// form: out0[8] from in0[8], in1[8]
static void form(const float *in0, const float *in1, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = hypot_float(in0[i0], in1[i0]);
    }
}

// kernel: LOGADDEXP
// form: out0[8] from in0[8], in1[8]
static void form(const float *in0, const float *in1, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = logaddexp_float(in0[i0], in1[i0]);
    }
}

// kernel: FMOD
// form: out0[8] from in0[8], in1[8]
static void form(const float *in0, const float *in1, float *out0) {
    for (long i0 = 0; i0 < 8; i0++) {
        out0[i0] = fmod_float(in0[i0], in1[i0]);
    }
}
